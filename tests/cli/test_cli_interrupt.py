"""Ctrl-C in a terminal: the best so far is offered, and taken only if a person says so."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from shoal.release.verification import verify
from shoal.studies.synth import QUASI, write_census

PATIENCE = 120.0


@pytest.fixture(scope="module")
def large_census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "census.parquet"
    write_census(path, 600_000)
    return path


def interrupted(source: Path, target: Path, answer: str) -> int:
    """Run the command in a terminal of its own, press Ctrl-C while classes are cut, answer, return the exit code."""
    words = [
        "-m",
        "shoal",
        "anonymize",
        str(source),
        "--quasi",
        ",".join(QUASI),
        "--leave-out=rest",
        "--require",
        "k=5",
        "-o",
        str(target),
    ]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, *words])
    seen, pressed, answered, began = b"", False, False, time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
        if not pressed and b"cutting" in seen:
            os.write(terminal, b"\x03")
            pressed = True
        if not answered and b"Keep the best" in seen:
            os.write(terminal, answer.encode() + b"\n")
            answered = True
    assert answered, "the best so far was not offered"
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
def test_the_best_so_far_is_kept_if_wanted(large_census: Path, tmp_path: Path) -> None:
    assert interrupted(large_census, tmp_path / "out", "y") == 0
    assert verify(tmp_path / "out").passed


@pytest.mark.slow
def test_nothing_is_written_if_not_wanted(large_census: Path, tmp_path: Path) -> None:
    assert interrupted(large_census, tmp_path / "out", "n") == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_comparison_keeps_what_is_done(large_census: Path) -> None:
    words = [
        "-m",
        "shoal",
        "compare",
        str(large_census),
        "--quasi",
        ",".join(QUASI),
        "--recoding=suppress",
        "--require",
        "k=5",
    ]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, *words, "--methods", "m-approx,mondrian,mondrian-relaxed"])
    seen, pressed, began = b"", False, time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
        if not pressed and b"mondrian: cutting" in seen:
            os.write(terminal, b"\x03")
            pressed = True
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    for said in (b"within_bound", b"mondrian: it was interrupted", b"mondrian-relaxed: the comparison was interrupted"):
        assert said in seen
