"""The command line, run in this process."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from shoal.cli import main
from shoal.studies.synth import write_census


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code, standard output and standard error."""

    code: int
    out: str
    err: str


class Terminal(StringIO):
    """A place to write to that somebody watches."""

    def isatty(self) -> bool:
        return True


def shoal(*arguments: object, watched: bool = False) -> Outcome:
    """Run `shoal` with some arguments; `watched` makes standard error a terminal."""
    out, err = StringIO(), Terminal() if watched else StringIO()
    argv = patch.object(sys, "argv", ["shoal", *map(str, arguments)])
    with argv, redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stop:
        main()
    return Outcome(int(stop.value.code or 0), out.getvalue(), err.getvalue())


def settle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the current one and put a census of 400 people there, and its hierarchies."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    write_census(folder / "census.csv", 400, seed=1)
    return folder
