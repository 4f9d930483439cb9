"""Progress in a notebook: shown under the cell while work goes on, and gone afterwards."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import shoal
from shoal.methods.base import ProgressMessage, silent
from shoal.steps import notebook_progress
from shoal.steps.notebook_progress import watched


class Cell:
    """The output of a cell, as IPython has it."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Cell:
        assert (raw, display_id) == (True, True)
        return self.update(data, raw=raw)

    def update(self, data: dict[str, str], *, raw: bool) -> Cell:
        self.shown.append(data["text/html"])
        return self


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """A notebook, in which nothing waits."""
    made = Cell()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=made.display))
    monkeypatch.setattr(notebook_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook_progress, "PAUSE", 0.0)
    return made


def test_a_bar_is_drawn_and_goes_away(cell: Cell) -> None:
    with watched(None) as progress:
        progress(0.25, ProgressMessage("peeling", 12, 10))
        progress(0.5, "<writing>")
    assert cell.shown[0] == '<p><progress value="0.25" max="1"></progress> peeling: cost 12, bound 10, gap 20 %</p>'
    assert "&lt;writing&gt;" in cell.shown[1]
    assert cell.shown[-1] == ""


def test_it_is_shown_for_every_kind_of_work(cell: Cell) -> None:
    people: dict[str, Any] = {"age": [25, 25, 40, 41]}
    for work in (
        lambda: shoal.anonymize(people, quasi=["age"], require="k=2"),
        lambda: shoal.compare(people, quasi=["age"], require="k=2", methods=["mondrian"]),
        lambda: shoal.frontier(people, quasi=["age"], vary="k=2", methods=["mondrian"]),
    ):
        cell.shown.clear()
        work()
        assert any("<progress" in one for one in cell.shown)
        assert cell.shown[-1] == ""


def test_who_gives_a_function_gets_that_and_elsewhere_nothing_is_shown(cell: Cell) -> None:
    def own(share: float, doing: str) -> None:
        """Somebody's own."""

    with watched(own) as progress:
        assert progress is own
    assert cell.shown == []


def test_outside_a_notebook_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for found in (None, SimpleNamespace()):  # no shell, or one in a terminal
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda found=found: found))
        with watched(None) as progress:
            assert progress is silent
