"""`shoal report` and `shoal anonymize --report`."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

import shoal as library

CANARY = {"age": "913742", "birthplace": "Canary-Island-7", "occupation": "canary-keeper-7"}
"""Values that one planted person has, and nobody else."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def release(*more: str) -> None:
    roles = ("--quasi", "age,gender", "--sensitive", "occupation", "--leave-out", "rest")
    done = shoal("anonymize", "census.csv", *roles, "--require=k=3", "--recoding=range", "-o", "out", *more)
    assert done.code == 0, done.err


def test_a_report_comes_with_the_release_and_is_sealed(home: Path) -> None:
    release("--report", "--method=mondrian")
    assert (home / "out/public/report.html").is_file()
    assert "[roles]" in (home / "out/internal/report.html").read_text(encoding="utf-8")
    assert library.verify("out", original="census.csv").failures == []


def test_a_report_is_written_beside_a_release(home: Path) -> None:
    release()
    asked = ("report", "out", "--original", "census.csv", "--attacks=linkage", "--queries=20")
    done = shoal(*asked)
    assert (done.code, done.err) == (0, "")
    assert "keep it private" in done.out
    assert "hit before" in (home / "report.html").read_text(encoding="utf-8")
    assert shoal(*asked, "--public", "-o", "public.html").code == 0
    assert "hit before" not in (home / "public.html").read_text(encoding="utf-8")
    assert library.verify("out").failures == []
    assert shoal(*asked).err.startswith("shoal: 'report.html' exists already")
    assert shoal(*asked, "--overwrite").code == 0


def test_title_owner_and_purpose_are_flags_of_both_commands(home: Path) -> None:
    about = ("--title", "Census", "--owner", "The office", "--purpose", "Research")
    release("--report", "--method=mondrian", *about)
    done = shoal("report", "out", "--original", "census.csv", "--attacks=linkage", "--queries=0", *about)
    assert done.code == 0, done.err
    for place in ("out/public/report.html", "out/internal/report.html", "report.html"):
        text = (home / place).read_text(encoding="utf-8")
        assert all(word in text for word in ("<h1>Census</h1>", "<td>The office</td>", "<td>Research</td>"))
    refused = shoal("anonymize", "census.csv", "--quasi=age", "--require=k=3", "-o", "other", *about)
    assert (refused.code, (home / "other").exists()) == (2, False)
    assert refused.err == "shoal: title, owner, purpose given without --report; add --report, or leave it out\n"


@pytest.mark.parametrize("place", ["out/public/report.html", "out/report.html", "nowhere/report.html"])
def test_a_report_goes_neither_into_a_sealed_folder_nor_nowhere(home: Path, place: str) -> None:
    (home / "out").mkdir()
    done = shoal("report", "out", "--original", "census.csv", "-o", place)
    assert done.code == 2
    assert "sealed" in done.err or "there is no folder" in done.err


def test_no_value_of_a_planted_person_is_in_the_public_report_or_the_log(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = (home / "census.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(lines[0].split(","), lines[1].split(","), strict=True)) | CANARY
    planted = ",".join(cells[name] for name in lines[0].split(","))
    (home / "census.csv").write_text("\n".join([*lines[:150], planted, *lines[150:], ""]), encoding="utf-8")
    caplog.set_level(logging.DEBUG)
    release("--report", "--method=mondrian")
    done = shoal("report", "out", "--original", "census.csv", "--public", "--queries=20")
    public = (home / "out/public/report.html").read_text(encoding="utf-8")
    for said in (public, (home / "report.html").read_text(encoding="utf-8"), done.out, done.err, caplog.text):
        assert not any(value in said for value in CANARY.values())
    assert "Canary-Island-7" not in (home / "out/public/table.csv").read_text(encoding="utf-8")


def test_another_original_is_refused_without_a_cell(home: Path) -> None:
    release()
    lines = (home / "census.csv").read_text(encoding="utf-8").splitlines()
    age = lines[0].split(",").index("age")
    other = [",".join([*cells[:age], "913742", *cells[age + 1 :]]) for cells in (line.split(",") for line in lines[1:])]
    (home / "other.csv").write_text("\n".join([lines[0], *other, ""]), encoding="utf-8")
    done = shoal("report", "out", "--original", "other.csv")
    assert done.code == 2
    assert "the table that the release was made from" in done.err
    assert "913742" not in done.err
    assert not (home / "report.html").exists()


def test_a_release_is_written_where_no_report_can_be_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise library.Unsupported("not today")

    monkeypatch.setattr("shoal.report.make", refuse)
    roles = ("--quasi=age,gender", "--leave-out=rest", "--require=k=3", "--method=mondrian")
    done = shoal("anonymize", "census.csv", *roles, "-o", "out", "--report")
    assert (done.code, done.err) == (0, "shoal: no report: not today\n")
    assert library.verify("out").passed
