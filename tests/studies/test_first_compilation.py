"""Loops are compiled beside while a person is still choosing: once, where they are kept, and not beyond the process."""

from __future__ import annotations

import subprocess
import sys
from inspect import unwrap
from pathlib import Path

import pytest

from shoal.cli import anonymize
from shoal.core.errors import ShoalError
from shoal.core.kernel_folder import loops_folder
from shoal.studies import first_compilation
from shoal.studies.first_compilation import LAST, PROOFS, compile_beside


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep loops in a folder of the test."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(first_compilation, "loops_folder", lambda: tmp_path)
    return tmp_path


def test_it_starts_once_and_can_be_ended_in_the_middle() -> None:
    process = compile_beside()
    assert process is not None
    first_compilation._end(process)
    assert process.returncode


def test_nothing_is_compiled_where_it_was_before_or_would_not_be_kept(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(kept))
    assert compile_beside() is None
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (kept / LAST).mkdir()
    assert compile_beside() is None
    monkeypatch.setattr(first_compilation, "loops_folder", lambda: None)
    assert compile_beside() is None


def test_a_machine_without_room_for_another_process_compiles_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(subprocess, "Popen", refused)
    assert compile_beside() is None


@pytest.mark.parametrize("first", [(), (PROOFS,)])
def test_what_it_compiles_is_that_of_usual_requirements(first: tuple[str, ...]) -> None:
    first_compilation.main(*first)
    folder = loops_folder()
    assert folder is None or (folder / LAST).is_dir()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_on_a_terminal_a_first_release_is_compiled_by_two_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(anonymize, "compile_beside", begun.append)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    given = {"file": tmp_path / "absent.csv", "require": "k=2", "quasi": ["age"], "folder": "out", "config": None}
    with pytest.raises(ShoalError, match="no file"):
        unwrap(anonymize.anonymize)(given)
    assert begun == [PROOFS] * is_terminal
