"""Output for machines: every command has it, and errors have it too."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import settle, shoal
from tests.cli.test_lazy_group import GROUP, lazy

FOR_PEOPLE = {"demo", "serve"}


@pytest.mark.parametrize(("group", "name"), [pytest.param(*pair, id=pair[1]) for pair in lazy(GROUP)])
def test_every_command_for_machines_too_prints_json(group: Any, name: str) -> None:
    flags = {flag for parameter in group.load(name).params for flag in parameter.opts}
    assert ("--json" in flags) == (name not in FOR_PEOPLE)


def test_errors_are_json_where_json_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, monkeypatch)
    asked = ("anonymize", "census.csv", "--quasi", "agee", "--leave-out", "rest", "--require", "k=2", "-o", "out")
    failed = shoal(*asked, "--json")
    assert (failed.code, failed.out) == (2, "")
    assert json.loads(failed.err) == {
        "error": "RoleError",
        "message": "the table has no column 'agee'; did you mean 'age'?",
        "given": "the table has no column 'agee'",
        "hint": "did you mean 'age'?",
    }
    assert shoal(*asked).err == "shoal: the table has no column 'agee'; did you mean 'age'?\n"


def test_synthetic_tables_reports_and_the_register_answer_in_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path, monkeypatch)
    made = json.loads(shoal("synth", "census", "-o", "small.csv", "--rows", 60, "--json").out)
    assert made == {"table": "small.csv", "rows": 60, "hierarchies": "small_hierarchies"}
    given = ("--quasi", "age,gender", "--sensitive", "income", "--leave-out", "rest", "--require", "k=5")
    assert shoal("anonymize", "small.csv", *given, "-o", "out", "--effort", "quick").code == 0
    recorded = shoal("register", "out", "--original", "small.csv", "--json")
    assert json.loads(recorded.out) == {"safe": True, "recorded": 1, "overlaps": []}
    report = shoal("report", "out", "--original", "small.csv", "--attacks", "linkage", "--queries", 0, "--json")
    assert json.loads(report.out) == {"report": "report.html", "public": False}


def test_steps_are_logged_from_the_level_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path, monkeypatch)
    given = ("--quasi", "age,gender", "--leave-out", "rest", "--require", "k=5", "--effort", "quick")
    command = [sys.executable, "-m", "shoal", "anonymize", "census.csv", *given, "-o", "out", "--json"]
    logged = {**os.environ, "SHOAL_LOG": "info"}
    done = subprocess.run(command, env=logged, capture_output=True, text=True, check=True)
    assert "shoal.steps.preparation: 400 rows, 2 quasi-identifiers, recoding range" in done.stderr
    assert "the audit confirms k=5" in done.stderr
    assert done.stderr.rstrip().endswith("wrote the release folder out")
    assert json.loads(done.stdout)["rows"] == 400
    monkeypatch.setenv("SHOAL_LOG", "loud")
    assert "SHOAL_LOG is 'loud'; expected debug, info, warning, error" in shoal("models").err
