from __future__ import annotations

import json
import os
import pty
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.command import shoal
from typer.testing import CliRunner, Result

from shoal.cli import start
from shoal.cli.app import app
from shoal.core.errors import Infeasible, ParameterError, ReleaseError, RoleError
from shoal.release.verification import verify

SECRETS = ["Qvist", "Zander", "Ytterby"]
DECIDED = ["--leave-out", "windows"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table whose last column has an open role, in the current folder."""
    rows = [f"{SECRETS[n % 3]} {n},{20 + n % 5},{'fm'[n % 4 // 2]},{SECRETS[n % 3]}itis,{n % 7}" for n in range(60)]
    path = tmp_path / "people.csv"
    path.write_text("name,age,sex,disease,windows\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


def run(*words: object, answers: str = "") -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(app, ["start", *map(str, words)], input=answers)


def in_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "somebody_answers", lambda: True)


def written(folder: Path) -> set[str]:
    """What lies in a folder, hidden files too, besides the table."""
    return {path.name for path in folder.iterdir()} - {"people.csv"}


def test_flags_answer_every_question_and_json_is_all_there_is(table: Path, tmp_path: Path) -> None:
    result = run("people.csv", "--yes", *DECIDED, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["config"], found["release"]) == ("shoal.toml", "release")
    assert found["verification"]["passed"]
    assert found["certificate"]["require"] == "k=5 distinct-l(disease)=3"
    assert set(found["certificate"]["changed_cells"]) == {"age", "sex"}
    assert verify(tmp_path / "release", original=table).passed
    assert (tmp_path / "release" / "public" / "report.html").is_file()
    assert not any(secret in result.output for secret in SECRETS)


def test_the_configuration_makes_the_same_release_again(table: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    asked = ["--preset", "survey-3", "--no-report", "-o", "out/made", "--toml", "out/asked.toml"]
    assert run("people.csv", "--yes", *DECIDED, *asked).exit_code == 0
    config = tomllib.loads((tmp_path / "out" / "asked.toml").read_text(encoding="utf-8"))
    assert config["data"] == {"file": "../people.csv"}
    assert config["roles"]["leave_out"] == ["windows"]
    assert config["output"] == {"folder": "made"}
    again = CliRunner().invoke(app, ["anonymize", "--config", "out/asked.toml", "--overwrite", "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["require"] == "k=3"


def test_a_person_is_asked_told_what_answers_mean_and_shown_what_was_made(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_terminal(monkeypatch)
    (tmp_path / "taken").mkdir()
    said = ["nonsense", "other", "windo", "windows", "leave_out", "", "k=five", "9", "3", "taken", "made", "n"]
    result = run("people.csv", answers="\n".join(said) + "\n")
    assert result.exit_code == 0, result.output
    for part in (
        "the name says age",
        "nobody must learn it",
        "expected one of quasi, sensitive",
        "the table has no column 'windo'",
        "Everybody is in a crowd of at least 5",
        "expected a number from 1 to 5, or a requirement",
        "'taken' exists already",
        "of protected cells generalized or hidden",
        "checks passed",
        "safe to share",
        "shoal attack made --original people.csv",
        "shoal anonymize --config shoal.toml --overwrite",
    ):
        assert part in result.output
    assert "report.html" not in result.output
    assert not any(secret in result.output for secret in SECRETS)
    config = tomllib.loads((tmp_path / "shoal.toml").read_text(encoding="utf-8"))
    assert (config["privacy"]["require"], config["roles"]["leave_out"]) == ("k=12", ["windows"])


@pytest.mark.parametrize("words", [["--yes"], ["--yes", "--json"], []])
def test_an_open_role_is_never_answered_for_the_owner(table: Path, tmp_path: Path, words: list[str]) -> None:
    error = run("people.csv", *words).exception
    assert isinstance(error, RoleError)
    assert "'windows'" in str(error)
    assert "--leave-out rest" in str(error)
    assert not written(tmp_path)


def test_rest_without_quasi_leaves_out_only_columns_without_a_proposal(table: Path, tmp_path: Path) -> None:
    assert run("people.csv", "--yes", "--leave-out", "rest", "-o", "made", "--no-report").exit_code == 0
    roles = tomllib.loads((tmp_path / "shoal.toml").read_text(encoding="utf-8"))["roles"]
    assert roles["leave_out"] == ["windows"]
    assert "age" in roles["quasi"]


@pytest.mark.parametrize(
    ("words", "unsaid"),
    [
        ([], ["the roles of 4 columns", "--preset", "--output", "--report", "--yes"]),
        (["--quasi", "age,sex", "--leave-out", "rest", "-o", "x", "--report"], ["--preset"]),
    ],
)
def test_without_a_terminal_nothing_is_asked(table: Path, tmp_path: Path, words: list[str], unsaid: list[str]) -> None:
    error = run("people.csv", *(words or DECIDED)).exception
    assert isinstance(error, ParameterError)
    assert all(part in str(error) for part in unsaid)
    assert not words or "--output DIR" not in str(error)
    assert not written(tmp_path)


def test_existing_files_are_kept_unless_overwrite_is_said(table: Path, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text("kept", encoding="utf-8")
    assert isinstance(run("people.csv", "--yes", *DECIDED).exception, ReleaseError)
    assert (tmp_path / "shoal.toml").read_text(encoding="utf-8") == "kept"
    (tmp_path / "shoal.toml").unlink()
    (tmp_path / "release").mkdir()
    assert isinstance(run("people.csv", "--yes", *DECIDED).exception, ReleaseError)
    assert written(tmp_path) == {"release"}


@pytest.mark.parametrize("before", [None, "kept"])
def test_an_interruption_leaves_everything_as_it_was(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    def interrupted(given: dict[str, Any]) -> None:
        assert given["config"].is_file()
        raise KeyboardInterrupt

    if before is not None:
        (tmp_path / "shoal.toml").write_text(before, encoding="utf-8")
    monkeypatch.setattr(start, "publish", interrupted)
    assert run("people.csv", "--yes", *DECIDED, "--overwrite").exit_code != 0
    assert written(tmp_path) == ({"shoal.toml"} if before else set())
    assert before is None or (tmp_path / "shoal.toml").read_text(encoding="utf-8") == before


def test_what_is_refused_leaves_the_answers_to_be_changed(table: Path, tmp_path: Path) -> None:
    result = run("people.csv", "--yes", *DECIDED, "--require", "k=61")
    assert isinstance(result.exception, Infeasible)
    assert "the answers are in shoal.toml" in result.output
    assert written(tmp_path) == {"shoal.toml"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preset", "none"], "unknown preset"),
        (["--preset", "survey-3", "--require", "k=3"], "both --preset and --require"),
        (["--report", "--no-report"], "both --report and --no-report"),
        (["--toml", "no/such/shoal.toml"], "there is no folder"),
        (["--other", "disease", "--sensitive", "disease"], "is named 2 times"),
        (["--leave-out", "disease", "--preset", "hospital"], "no column is sensitive"),
        (["--sensitive", "age,sex"], "no column is a quasi-identifier"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    table: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    assert message in str(run("people.csv", "--yes", *DECIDED, *words).exception)
    assert not written(tmp_path)


def test_a_warning_is_printed_once_on_a_terminal_and_in_both_outputs_elsewhere(table: Path) -> None:
    assert table.is_file()
    pay = [100 * number for number in range(20)]
    pl.DataFrame({"grade": [number // 100 for number in pay], "pay": pay}).write_csv("pay.csv")
    words = ["start", "pay.csv", "--yes", "--quasi=grade", "--sensitive=pay", "--preset=survey-5", "--no-report"]
    said = "'pay' is published exactly"
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "shoal", *words, "-o", "once"])
    seen = b""
    with suppress(OSError):  # the end of the other side
        while read := os.read(terminal, 4096):
            seen += read
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, seen.decode()
    assert " ".join(seen.decode().split()).count(said) == 1
    piped = shoal(*words, "-o", "twice", "--overwrite")
    assert (piped.err.count(said), " ".join(piped.out.split()).count(said)) == (1, 1)
