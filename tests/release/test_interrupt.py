"""A release is there as a whole or not at all, whenever its process dies."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

import shoal
from shoal.studies.synth import census
from shoal.tables.writing import write

ARGUMENTS = [
    "anonymize",
    "census.csv",
    "--quasi=age,gender,race,marital",
    "--sensitive=income,occupation",
    "--leave-out=rest",
    "--require=k=5 l(occupation)=2 t(income)=0.5",
    "--recoding=suppress",
    "--effort=quick",
    "--output=out",
]


def command(*arguments: str, before: str = "") -> list[str]:
    """The command `shoal` as a process; `before` is Python that runs first."""
    script = f"{before}\nimport sys, shoal.cli\nsys.argv = ['shoal', *{[*ARGUMENTS, *arguments]!r}]\nshoal.cli.main()"
    return [sys.executable, "-c", script]


def run(folder: Path, *arguments: str, before: str = "") -> tuple[int, str]:
    """Run `shoal` in a folder; return its exit code and what it said on standard error."""
    done = subprocess.run(command(*arguments, before=before), cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def seconds_of_a_run(folder: Path) -> float:
    began = time.monotonic()
    assert run(folder, "--overwrite") == (0, "")
    return time.monotonic() - began


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(census(60, seed=1), tmp_path / "census.csv")
    return tmp_path


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("census.csv", "out"))


def assert_whole_or_absent(folder: Path) -> None:
    if (folder / "out").exists():
        assert shoal.verify(folder / "out", original=folder / "census.csv").failures == []


@pytest.mark.parametrize("kills", [pytest.param(2, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_leaves_nothing_or_a_whole_release(folder: Path, kills: int) -> None:
    write(census(2000, seed=1), folder / "census.csv")
    seconds_of_a_run(folder)  # compiles what is compiled once
    duration = seconds_of_a_run(folder)
    rng = random.Random(20)
    for kill in range(kills):
        with subprocess.Popen(command("--overwrite"), cwd=folder, stdout=subprocess.DEVNULL) as running:
            time.sleep(duration * (kill + rng.random()) / kills)
            running.kill()
        assert_whole_or_absent(folder)
    assert run(folder, "--overwrite") == (0, "")
    assert_whole_or_absent(folder)
    assert left_behind(folder) == []


AT_STEP = """
import os, signal, sys
steps = 0
def watch(event, arguments):
    global steps
    if event in ("open", "os.mkdir", "os.rename", "os.remove", "shutil.rmtree") and ".partial" in str(arguments[0]):
        steps += 1
        if steps == {step}:
            os.kill(os.getpid(), signal.{signal})
sys.addaudithook(watch)
"""
"""Python that sends its own process a signal at the n-th touch of a file in the folder being written."""


@pytest.mark.slow
@pytest.mark.parametrize("existing", [False, True], ids=["new", "overwritten"])
def test_a_kill_at_any_step_of_writing_leaves_nothing_or_a_whole_release(folder: Path, existing: bool) -> None:
    """`test_system_calls.py` does the same at every call of the system; a few of them in `make test`."""
    code, _ = run(folder)
    for step in count(1):
        if not existing:
            shutil.rmtree(folder / "out", ignore_errors=True)
        code, _ = run(folder, "--overwrite", before=AT_STEP.format(step=step, signal="SIGKILL"))
        assert_whole_or_absent(folder)
        if code != -signal.SIGKILL:
            break
    assert (code, step > 20) == (0, True)
    assert (folder / "out").exists()
    assert left_behind(folder) == []


BEFORE = """
import signal, shoal.cli.app, {module}
true = {module}.{name}
def interrupted(*given, **named):
    signal.raise_signal(signal.SIGINT)
    return true(*given, **named)
{module}.{name} = interrupted
"""
"""Python that interrupts its own process when a function is called."""


@pytest.mark.parametrize(
    "place",
    [
        "shoal.tables.table.read",
        "shoal.pipeline.solve_raised",
        "shoal.steps.publication.audit",
        "shoal.release.release._write",
    ],
)
def test_an_interrupt_ends_with_130_and_leaves_nothing(folder: Path, place: str) -> None:
    module, _, name = place.rpartition(".")
    code, said = run(folder, before=BEFORE.format(module=module, name=name))
    assert code == 130
    assert "Traceback" not in said
    assert not (folder / "out").exists()
    assert left_behind(folder) == []


@pytest.mark.parametrize("step", [1, 10, *(pytest.param(step, marks=pytest.mark.slow) for step in (4, 13))])
def test_an_interrupt_while_writing_leaves_nothing_or_a_whole_release(folder: Path, step: int) -> None:
    code, _ = run(folder, before=AT_STEP.format(step=step, signal="SIGINT"))
    assert code == 130
    assert_whole_or_absent(folder)
    assert left_behind(folder) == []
