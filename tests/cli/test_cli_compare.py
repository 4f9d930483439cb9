from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

from shoal.core import plots
from shoal.methods.auto import methods
from shoal.methods.base import Progress, silent
from shoal.studies.isolated_run import Attempt, Task, attempt

BASIC = ["compare", "census.csv", "--quasi=age,gender", "--require=k=5"]
AS_FILE = """
[data]
file = "census.csv"
[roles]
quasi = ["age", "gender"]
[privacy]
require = "k=5"
[method]
name = "mondrian"
[output]
folder = "out"
format = "csv"
overwrite = true
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def test_methods_stand_side_by_side(home: Path) -> None:
    before = sorted(home.rglob("*"))
    done = shoal(*BASIC, "--recoding=suppress", "--methods=m-approx,mondrian", "--methods", "subset-dp")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "400 rows, k=5, recoding suppress, cost stars"
    assert [line.split()[0] for line in lines[3:6]] == ["m-approx", "mondrian", "subset-dp"]
    assert "subset-dp: the table has 400 rows, more than 20" in lines
    assert "a bound that one method proves holds for all" in done.out
    assert " MB (+" in done.out
    assert sorted(home.rglob("*")) == before


def test_without_names_all_that_fit_are_compared(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: methods()[name] for name in ("forest", "m-approx", "mondrian", "tp")}
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "known_methods", lambda: known)
    found = json.loads(shoal(*BASIC, "--recoding=suppress", "--json").out)
    assert [one["method"] for one in found["outcomes"]] == ["forest", "m-approx", "mondrian"]


def test_methods_of_one_table_say_why_they_make_no_two(home: Path) -> None:
    asked = ["--quasi=age,gender", "--sensitive=occupation", "--require=l(occupation)=2", "--recoding=anatomy"]
    found = json.loads(shoal("compare", "census.csv", *asked, "--methods=anatomy,mondrian", "--json").out)
    assert [one["status"] for one in found["outcomes"]] == ["optimal", "feasible"]
    assert (found["cost"], found["best"]) == ("reconstruction", "anatomy")
    done = shoal("compare", "census.csv", *asked, "--methods=anatomy,peel")
    assert done.code == 0
    assert "two tables have no patterns: quasi-identifiers are published as they are" in done.out


def test_json_is_one_document_and_nothing_else(home: Path) -> None:
    done = shoal(*BASIC, "--methods=mondrian", "--seed=3", "--time-limit=60", "--json")
    found = json.loads(done.out)
    assert done.err == ""
    assert (found["seed"], found["time_limit"], found["rows"], found["best"]) == (3, 60.0, 400, "mondrian")
    (one,) = found["outcomes"]
    assert {"status", "cost", "lower_bound", "gap", "classes", "dropped", "models"} <= set(one)
    assert one["peak_memory"] >= one["memory_before"] > 0
    assert one["seconds"] > 0


def test_the_levels_of_every_model_are_shown(home: Path) -> None:
    models = "k=4 l(occupation)=2 t(income:ordered)=0.6"
    done = shoal(
        *["compare", "census.csv", "--quasi=age,gender", "--sensitive=income,occupation", "--require", models],
        *["--methods=mondrian", "--recoding=generalize"],
    )
    heading = next(line for line in done.out.splitlines() if line.startswith("reached by"))
    assert heading.split()[2:] == ["classes", "dropped", *models.split()]


def test_a_configuration_may_be_one_for_a_release(home: Path) -> None:
    (home / "shoal.toml").write_text(AS_FILE)
    done = shoal("compare", "--config=shoal.toml", "--methods=mondrian,m-approx", "--json")
    assert [one["method"] for one in json.loads(done.out)["outcomes"]] == ["mondrian", "m-approx"]
    assert not (home / "out").exists()


@pytest.mark.parametrize("name", ["methods.svg", "methods.PNG", "methods.html"])
def test_a_picture_is_drawn(home: Path, name: str) -> None:
    done = shoal(*BASIC, "--methods=mondrian", "--plot", name, "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["best"] == "mondrian"
    assert (home / name).stat().st_size > 1000


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*BASIC, "--methods=mondrain"], "unknown method 'mondrain'; did you mean 'mondrian'?"),
        ([*BASIC, "--methods="], "the list of methods is empty"),
        ([*BASIC, "--methods=auto,auto"], "method 'auto' is named twice"),
        (["compare", "nobody.csv", *BASIC[2:]], "there is no file 'nobody.csv'"),
        (["compare", *BASIC[2:]], "FILE is not given"),
        (["compare", "census.csv", "--require=k=5"], "--quasi is not given"),
        (["compare", "census.csv", "--quasi=age"], "--require is not given"),
        (
            [*BASIC, "--plot=methods.gif"],
            "cannot write a picture to 'methods.gif'; expected a name that ends in .svg, .png, .html",
        ),
        ([*BASIC, "--plot=nowhere/methods.svg"], "there is no folder 'nowhere'"),
        ([*BASIC, "--time-limit=-1"], "time_limit is -1"),
        ([*BASIC, "--hierarchy=age"], "--hierarchy 'age'; expected COLUMN=VALUE"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else None,
)
def test_a_refusal_is_one_line_and_leaves_nothing(home: Path, arguments: list[str], message: str) -> None:
    before = sorted(home.rglob("*"))
    done = shoal(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("shoal: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert sorted(home.rglob("*")) == before


def test_without_the_packages_the_extra_is_named_before_any_work(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    done = shoal("compare", "nobody.csv", *BASIC[2:], "--plot=methods.svg")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'shoal[plot]'" in done.err


def test_a_table_that_no_method_can_publish_ends_with_3(home: Path) -> None:
    done = shoal(*BASIC[:-1], "--require=k=401", "--methods=mondrian,subset-dp")
    assert done.code == 3
    assert "mondrian: no release of this table meets k=401" in done.out
    assert "subset-dp: the table has 400 rows" in done.out


def test_methods_that_cannot_take_the_problem_end_with_2(home: Path) -> None:
    done = shoal(*BASIC, "--methods=subset-dp")
    assert done.code == 2
    assert "more than 20" in done.out


# Ctrl-C


def test_an_interrupt_shows_what_is_done(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(asked: Task, progress: Progress = silent) -> Attempt:
        if asked.method == "m-approx":
            raise KeyboardInterrupt
        return attempt(asked, progress)

    monkeypatch.setattr(import_module("shoal.studies.comparison"), "run_apart", run)
    done = shoal(*BASIC, "--recoding=suppress", "--methods=mondrian,m-approx,auto", "--json")
    assert done.code == 130
    assert [one["status"] for one in json.loads(done.out)["outcomes"]] == ["feasible", "stopped", "not run"]
    assert done.err == "shoal: stopped; no partial release was written\n"
