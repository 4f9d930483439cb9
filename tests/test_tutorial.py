"""The tutorial *Your first release*, followed from an empty folder, command by command.

`python -m tests.test_tutorial` follows it too, and writes what the commands print into the page.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "tutorials" / "your-first-release.md"
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", flags=re.MULTILINE | re.DOTALL)
SAME = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FAILS = "shoal audit"
"""The one command of the page that exits with 1, as the text says."""
SEARCHED = ("shoal anonymize", "shoal verify", "shoal attack", "shoal utility")
"""Commands whose figures follow from what a search finds: a better method changes them, and the page stays true."""
SHOWN = "tail "
"""Rows of a release are shown; which, follows from the search too."""


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, with what it is said to print."""
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = step.partition("\n")
        yield command, output


def run(command: str) -> tuple[int, str]:
    """What a command exits with and prints: those of shoal in this process, others in a shell."""
    if command.startswith("shoal "):
        done = CliRunner().invoke(app, words(command)[1:], catch_exceptions=False)
        return done.exit_code, done.output
    shell = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return shell.returncode, shell.stdout + shell.stderr


def words(command: str) -> list[str]:
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]


def comparable(command: str, text: str) -> str:
    """What is compared of an output: its lines; without figures, or cells, where these follow from a search."""
    if command.startswith(SHOWN):
        return re.sub(r'"[^"]*"|[^,\n]+', "cell", text)
    return re.sub(r"\d+(?:[,.]\d+)*", "#", text) if command.startswith(SEARCHED) else text


def follow(command: str, output: str) -> str:
    """Run a command of the page as its reader would, and return what it prints."""
    if command.startswith("cat "):
        Path(command.removeprefix("cat ")).write_text(output, encoding="utf-8")  # the reader writes this file
    code, printed = run(command)
    assert code == (1 if command.startswith(FAILS) else 0), f"{command}: {printed}"
    return printed


@pytest.mark.skipif(sys.platform == "win32", reason="the page uses head, tail, ls and cat")
def test_the_first_tutorial_works_from_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for command, output in steps(block):
            printed = follow(command, output)
            want, got = comparable(command, output), comparable(command, printed)
            assert doctest.OutputChecker().check_output(want, got, SAME), f"$ {command}\n{printed}"
    reports = sorted(tmp_path.glob("release-2/*/report.html"))
    assert [report.parent.name for report in reports] == ["internal", "public"]


def rewritten(block: str) -> str:
    """A block with what its commands print now, but for times and for what needs scikit-learn."""
    text = "".join(f"$ {command}\n{_tidy(follow(command, output))}" for command, output in steps(block))
    text = re.sub(r"(search|checking|compiling) [\d.]+ s", r"\1 ... s", text)
    return re.sub(r"^guessing occupation (?:.|\n)*", "...\n", text, flags=re.MULTILINE)


def _tidy(printed: str) -> str:
    return "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    os.chdir(tempfile.mkdtemp())
    PAGE.write_text(BLOCK.sub(lambda block: rewritten(block[1]), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
