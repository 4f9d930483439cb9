"""Methods side by side: what is said of each is what `anonymize` would give, and nothing of the table is said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.core import plots
from shoal.core.errors import ParameterError, ReleaseError, Unsupported
from shoal.methods.auto import methods
from shoal.methods.base import Progress, silent
from shoal.methods.general.m_approx import MApprox
from shoal.models import KAnonymity
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies import isolated_run
from shoal.studies.isolated_run import Attempt, Task, attempt, run_apart
from shoal.studies.synth import census
from shoal.tables.table import Table

PEOPLE = {
    "age": [23, 27, 25, 61, 64, 68, 33, 35, 39, 52],
    "town": ["Qvistad", "Qvistad", "Zanderby", "Zanderby", "Qvistad", "Qvistad", "Zanderby", "Ytter", "Ytter", "Ytter"],
    "illness": ["Gout", "Lupus", "Gout", "Lupus", "Rabies", "Gout", "Lupus", "Rabies", "Gout", "Lupus"],
}
ASKED: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["illness"], "require": "k=2 l(illness)=2"}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only a few methods be known: each is a process of its own, and the laws look at all of them."""
    known = {name: methods()[name] for name in ("mondrian", "optimal", "subset-dp", "tp", "m-approx")}
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "known_methods", lambda: known)


def task(method: str = "mondrian", **changes: Any) -> Task:
    request = Request(**{**ASKED, **changes})
    return Task(prepare(Table.of(PEOPLE), request).problem, method, 0, None)


def untimed(found: shoal.Comparison) -> list[object]:
    return [replace(one, seconds=None, memory_before=None, peak_memory=None) for one in found.outcomes]


# What is said of a method


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("recoding", ["suppress", "range"])
def test_a_method_is_said_to_do_what_it_does_alone(recoding: str) -> None:
    found = shoal.compare(PEOPLE, recoding=recoding, **ASKED)
    proving = ["optimal"] if recoding == "suppress" else []
    assert [one.method for one in found.outcomes] == ["mondrian", *proving, "subset-dp", "tp"]
    for one in found.outcomes:
        alone = shoal.anonymize(PEOPLE, method=one.method, recoding=recoding, **ASKED).certificate
        assert (one.status, one.cost, one.lower_bound) == (alone.status, float(alone.cost), alone.lower_bound)
        assert (one.classes, one.dropped, one.guarantee) == (alone.classes, alone.dropped, alone.guarantee)
        assert [model["reached"] for model in one.models] == [model["reached"] for model in alone.models]


def test_a_bound_that_one_method_proves_holds_for_all() -> None:
    found = shoal.compare(PEOPLE, recoding="range", methods=["mondrian", "subset-dp"], **ASKED)
    heuristic, exact = found["mondrian"], found["subset-dp"]
    assert exact.status == "optimal"
    assert found.lower_bound == exact.cost
    assert heuristic.lower_bound is None or heuristic.lower_bound < (exact.cost or 0)
    assert heuristic.cost is not None
    assert exact.cost is not None
    assert (heuristic.gap, exact.gap) == (heuristic.cost / exact.cost, 1.0)
    assert found.best == exact


def test_methods_keep_the_order_they_are_named_in_and_auto_may_be_one() -> None:
    found = shoal.compare(PEOPLE, methods=["subset-dp", "auto", "mondrian"], **ASKED)
    assert [one.method for one in found.outcomes] == ["subset-dp", "auto", "mondrian"]
    assert "auto tried subset-dp" in found["auto"].notes[-1]


def test_dropped_rows_are_counted() -> None:
    skewed = {"age": [1, 1, 2, 2, 3, 3], "illness": ["flu"] * 4 + ["gout", "gout"]}
    asked = {"quasi": ["age"], "sensitive": ["illness"], "require": "l(illness)=2", "max_dropped": 0.5}
    found = shoal.compare(skewed, methods=["mondrian"], **asked)  # type: ignore[arg-type]
    assert found["mondrian"].dropped == 2


def test_a_method_that_cannot_take_the_problem_says_why() -> None:
    found = shoal.compare(PEOPLE, methods=["m-approx", "mondrian"], recoding="suppress", **ASKED)["m-approx"]
    assert (found.status, found.cost, found.gap, found.seconds) == ("unsupported", None, None, None)
    assert found.reason == "l(illness)=2 is not k-anonymity"


@pytest.mark.usefixtures("few")
def test_a_problem_that_cannot_be_solved_says_why() -> None:
    found = shoal.compare(PEOPLE, **{**ASKED, "require": "k=11"})
    assert {one.status for one in found.outcomes} == {"infeasible"}
    assert all("no release of this table meets k=11" in str(one.reason) for one in found.outcomes)
    assert (found.best, found.lower_bound) == (None, None)


def test_where_no_method_fits_each_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "known_methods", lambda: {"m-approx": MApprox})
    found = shoal.compare(PEOPLE, **ASKED)
    assert [(one.method, one.status, bool(one.reason)) for one in found.outcomes] == [("m-approx", "unsupported", True)]


@pytest.mark.usefixtures("few")
def test_a_time_limit_of_nothing_is_still_a_release() -> None:
    found = shoal.compare(census(200, seed=1), quasi=["age", "race"], require="k=5", time_limit=0)
    assert found.time_limit == 0
    assert all(one.cost is not None for one in found.outcomes)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_second_comparison_says_the_same() -> None:
    first, second = (shoal.compare(PEOPLE, seed=3, **ASKED) for _ in range(2))
    assert untimed(first) == untimed(second)


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame], ids=["polars", "pandas"])
def test_a_frame_is_compared_like_a_file(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    from_file = shoal.compare(tmp_path / "people.csv", methods=["mondrian"], **ASKED)
    assert untimed(shoal.compare(kind(PEOPLE), methods=["mondrian"], **ASKED)) == untimed(from_file)


# Bad input


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (["mondrain"], "unknown method 'mondrain'; did you mean 'mondrian'?"),
        (["mondrian", "mondrian"], "method 'mondrian' is named twice"),
        ([], "the list of methods is empty"),
    ],
)
def test_methods_that_cannot_be_meant_are_refused(methods: list[str], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        shoal.compare(PEOPLE, methods=methods, **ASKED)
    assert message in str(refused.value)


def test_a_method_that_was_not_compared_is_not_there() -> None:
    found = shoal.compare(PEOPLE, methods=["mondrian"], **ASKED)
    with pytest.raises(KeyError, match="was not compared"):
        found["mondrain"]


# As a frame, as JSON


def test_the_frame_has_a_row_a_method_and_a_column_a_model() -> None:
    frame = shoal.compare(PEOPLE, methods=["m-approx", "subset-dp"], **ASKED).frame()
    assert frame["method"].to_list() == ["m-approx", "subset-dp"]
    assert frame["k=2"].to_list() == [None, 2.0]
    assert frame["l(illness)=2"].to_list()[0] is None
    assert frame["cost"].dtype == pl.Float64
    assert frame["peak_memory"].dtype == pl.Int64


def test_json_holds_what_the_comparison_holds() -> None:
    found = shoal.compare(PEOPLE, methods=["m-approx", "subset-dp"], recoding="suppress", **ASKED)
    said = json.loads(found.to_json())
    assert (said["rows"], said["cost"], said["lower_bound"], said["best"]) == (
        10,
        "stars",
        found.lower_bound,
        "subset-dp",
    )
    assert [one["status"] for one in said["outcomes"]] == ["unsupported", "optimal"]
    assert said["outcomes"][1]["models"][0] == {
        "model": "k=2",
        "name": "k",
        "attribute": None,
        "asked": 2.0,
        "reached": found["subset-dp"].models[0]["reached"],
    }


def test_no_cell_of_the_table_is_said(tmp_path: Path) -> None:
    found = shoal.compare(PEOPLE, methods=["m-approx", "mondrian", "subset-dp"], recoding="range", **ASKED)
    found.plot(tmp_path / "p.svg")
    said = found.to_json() + str(found) + str(found.frame().rows()) + (tmp_path / "p.svg").read_text()
    assert not [cell for cell in ("Qvistad", "Zanderby", "Ytter", "Gout", "Lupus", "Rabies") if cell in said]


# A process of its own


def test_a_problem_that_cannot_be_sent_is_solved_here_unmeasured() -> None:
    class Local(KAnonymity):
        name: ClassVar[str] = "local"

    found = shoal.compare(PEOPLE, methods=["mondrian"], quasi=["age"], require=Local(2))["mondrian"]
    assert found.cost is not None
    assert (found.seconds is not None, found.peak_memory) == (True, None)


def test_a_child_that_cannot_read_the_problem_leaves_it_to_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable = "import sys; sys.path[:] = {path!r}; import shoal.studies.isolated_run as a; del a.Task; a.serve()"
    monkeypatch.setattr(isolated_run, "START", unreadable)
    found = run_apart(task())
    assert (found.status, found.peak_memory) == ("feasible", None)


@pytest.mark.parametrize(
    ("script", "ended"),
    [("import os; os.kill(os.getpid(), 9)", "signal 9"), ("raise SystemExit(7)", "exit code 7")],
)
def test_a_process_that_dies_is_a_method_that_failed(monkeypatch: pytest.MonkeyPatch, script: str, ended: str) -> None:
    monkeypatch.setattr(isolated_run, "START", script)
    found = run_apart(task())
    assert (found.status, found.solution) == ("failed", None)
    assert ended in str(found.reason)


def test_a_fault_of_a_method_is_named_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*given: object, **named: object) -> None:
        raise ValueError("Qvistad")

    monkeypatch.setattr(isolated_run, "choose", faulty)
    found = attempt(task())
    assert found.status == "failed"
    assert "ValueError" in str(found.reason)
    assert "Qvistad" not in str(found.reason)


def test_what_a_method_prints_does_not_come_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = "import sys; sys.path[:] = {path!r}; import shoal.studies.isolated_run as a; true = a.choose\n"
    noisy += "def loud(*given, **named):\n    print('x' * 10_000)\n    return true(*given, **named)\n"
    monkeypatch.setattr(isolated_run, "START", noisy + "a.choose = loud\na.serve()")
    assert run_apart(task()).solution is not None


def test_progress_comes_from_the_child() -> None:
    said: list[tuple[float, str]] = []
    run_apart(task("subset-dp"), lambda share, doing: said.append((share, doing)))
    assert said[0] == (0.0, "cutting classes")  # of the quick release that comes first


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    asked = "methods=['mondrian'], quasi=['a'], require='k=2'"
    script = f"import shoal\nfound = shoal.compare({{'a': [1, 1, 2, 2]}}, {asked})"
    (tmp_path / "script.py").write_text(f"{script}\nprint(found['mondrian'].cost)")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0.0\n", "")


# Memory


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_memory_of_the_caller_is_not_counted() -> None:
    held = np.ones(50_000_000)  # 400 MB
    found = run_apart(task())
    assert found.memory_before is not None
    assert found.peak_memory is not None
    assert 0 < found.memory_before <= found.peak_memory < held.nbytes


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_what_was_freed_before_the_end_is_counted() -> None:
    script = "import numpy as np; from shoal.core.memory import *; "
    script += "before = start_of_peak(); x = np.ones(20_000_000); del x"
    command = [sys.executable, "-c", f"{script}; print(peak() - before)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 150_000_000 < int(done.stdout) < 250_000_000


# Ctrl-C


def interrupted_at(place: int) -> Callable[[Task, Progress], Attempt]:
    calls = iter(range(100))

    def run(asked: Task, progress: Progress = silent) -> Attempt:
        if next(calls) == place:
            raise KeyboardInterrupt
        return attempt(asked, progress)

    return run


def test_an_interrupt_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "run_apart", interrupted_at(1))
    found = shoal.compare(PEOPLE, methods=["mondrian", "subset-dp", "auto"], **ASKED)
    assert [one.status for one in found.outcomes] == ["feasible", "stopped", "not run"]
    assert found.stopped
    assert found.best == found["mondrian"]


def test_an_interrupt_before_anything_is_done_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "run_apart", interrupted_at(0))
    with pytest.raises(KeyboardInterrupt):
        shoal.compare(PEOPLE, **ASKED)


# Pictures


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html>")])
def test_a_picture_is_written_in_the_form_its_ending_names(tmp_path: Path, ending: str, start: bytes) -> None:
    found = shoal.compare(PEOPLE, methods=["m-approx", "subset-dp"], **ASKED)
    found.plot(tmp_path / f"methods{ending}")
    assert (tmp_path / f"methods{ending}").read_bytes().lstrip().startswith(start)


def test_a_picture_shows_every_method_the_bound_and_what_is_measured(tmp_path: Path) -> None:
    found = shoal.compare(PEOPLE, methods=["m-approx", "subset-dp"], recoding="suppress", **ASKED)
    found.plot(tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text(encoding="utf-8")
    for said in ("m-approx", "unsupported", "subset-dp", "cost (stars)", "seconds", "lower bound", "10 rows, k=2"):
        assert said in text


def test_a_page_needs_no_network_and_runs_no_name_of_a_column(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    people = {"age": [1, 1, 2, 2], evil: [1, 2, 1, 2]}
    asked = KAnonymity(2) & shoal.LDiversity(2, evil)
    shoal.compare(people, quasi=["age"], sensitive=[evil], require=asked, methods=["mondrian"]).plot(
        tmp_path / "p.html"
    )
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<script src" not in page
    assert "cdn" not in page
    assert evil not in page


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"ends in \.svg, \.png, \.html"):
        plots.check_plot(tmp_path / "methods.gif")
    with pytest.raises(ReleaseError, match="there is no folder"):
        plots.check_plot(tmp_path / "nowhere" / "methods.svg")


def test_without_the_packages_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shoal.compare(PEOPLE, methods=["mondrian"], **ASKED)
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"pip install 'shoal\[plot\]'"):
        found.plot()


def test_a_notebook_shows_a_row_for_each_method() -> None:
    people = {"age": [25, 25, 40, 41], "town<b>": ["a", "a", "a", "b"]}
    found = shoal.compare(people, methods=["mondrian", "anatomy"], quasi=["age", "town<b>"], require="k=2")
    text = found._repr_html_()
    assert text.count("<tr>") == 3
    assert text.count("<svg") == 1  # the method that made no release has no bar
    assert "<td>unsupported</td>" in text
    assert "<b>" not in text
