"""The figures that `make bench-check` compares: what is worse, the history, and its picture."""

from pathlib import Path

import pytest
from benchmarks import check
from benchmarks.check import history, last, worsened, write
from docs.generator.bench_history import PICTURE, picture


def test_a_cost_that_rises_is_worse_and_noise_of_a_time_is_not() -> None:
    known = {"cost of a": 5.0, "gap of a": 0.0, "time of a": 1.0}
    assert worsened({"cost of a": 5.001, "gap of a": 0.01, "time of a": 1.9}, known) == ["cost of a", "gap of a"]
    assert worsened({"cost of a": 4.0, "gap of a": 0.0, "time of a": 2.1}, known) == ["time of a"]
    assert not worsened({"cost of b": 1.0}, known)


def test_an_entry_is_written_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(check, "HISTORY", tmp_path / "history.csv")
    assert last() == {}
    write("first", {"cost of a": 1.5})
    write("second", {"cost of a": 1.25})
    write("second", {"cost of a": 1.0})
    assert history() == {"first": {"cost of a": 1.5}, "second": {"cost of a": 1.0}}
    assert last() == {"cost of a": 1.0}


def test_the_picture_is_that_of_the_history() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()
