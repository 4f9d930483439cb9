"""The report on paper: what is only there, what a missing browser says, and that nothing is left half written."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.core.errors import ReleaseError, Unsupported
from shoal.report import Report, make, printing

PEOPLE = {"age": [25, 26, 40, 41], "illness": ["flu", "gout", "flu", "gout"]}


@pytest.fixture(scope="module")
def report() -> Report:
    release = shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=2", recoding="range")
    return make(release, PEOPLE, queries=0, attacks=[])


def pretend(monkeypatch: pytest.MonkeyPatch, printed: bytes) -> list[list[str]]:
    """Put a browser in place that prints this, and return the commands that it gets."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> None:
        commands.append(command)
        target = next(one for one in command if one.startswith("--print-to-pdf="))
        Path(target.partition("=")[2]).write_bytes(printed)

    monkeypatch.setattr(printing, "browser", lambda: "chromium")
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_the_page_says_how_it_is_printed(report: Report) -> None:
    assert "@page { size: A4;" in report.internal
    assert "counter(page)" in report.internal
    assert report.internal.count('class="paper"') == 1
    assert "Signatures" in report.public


def test_nothing_is_fetched_and_the_profile_is_new(report: Report, tmp_path: Path, monkeypatch: Any) -> None:
    commands = pretend(monkeypatch, b"%PDF-1.4 of a report")
    assert report.pdf(tmp_path / "a.pdf").read_bytes() == b"%PDF-1.4 of a report"
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in commands[0]
    profile = next(one for one in commands[0] if one.startswith("--user-data-dir="))
    assert not Path(profile.partition("=")[2]).parent.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["a.pdf"]


def test_what_is_no_pdf_replaces_nothing(report: Report, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.pdf").write_bytes(b"the one before")
    pretend(monkeypatch, b"")
    with pytest.raises(ReleaseError, match="printed no PDF file"):
        report.pdf(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == b"the one before"


def test_without_a_browser_it_is_refused_in_words(report: Report, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(printing, "_browsers", lambda: iter(()))
    with pytest.raises(Unsupported, match="none of them is installed"):
        report.pdf(tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_browser_prints_it(report: Report, tmp_path: Path) -> None:
    if not list(printing._browsers()):
        pytest.skip("none of Chromium, Chrome and Edge is installed")
    printed = report.pdf(tmp_path / "report.pdf", public=True).read_bytes()
    assert printed.startswith(b"%PDF")
    assert len(printed) > 10_000
