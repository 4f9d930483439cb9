"""Too little memory is said in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import shoal

import shoal as library
from shoal.cli.app import app
from shoal.core.memory import STATUS
from shoal.studies.synth import write_census

pytestmark = pytest.mark.skipif(not STATUS.is_file(), reason="the limit is that of Linux")

COMMANDS = {
    "methods": ["methods"],
    "inspect": ["inspect", "census.csv"],
    "anonymize": [
        "anonymize",
        "census.csv",
        "--quasi=age",
        "--leave-out=rest",
        "--require=k=5",
        "--method=mondrian",
        "-o",
        "out",
    ],
    "verify": ["verify", "release"],
    "help": ["anonymize", "--help"],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_census(folder / "census.csv", 100)
    library.anonymize(folder / "census.csv", quasi=["age"], leave_out="rest", require="k=5", method="mondrian").save(
        folder / "release"
    )
    return folder


def limited(home: Path, kilobytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f'ulimit -v {kilobytes}; exec "$0" -m shoal "$@"', sys.executable, *arguments]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kilobytes", [100_000, 300_000, 600_000, 1_000_000, 1_500_000])
def test_too_little_to_start_is_refused_in_one_line(home: Path, kilobytes: int, command: str) -> None:
    done = limited(home, kilobytes, *COMMANDS[command])
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("shoal: ")
    assert "of address space are allowed (ulimit -v)" in done.stderr
    assert not (home / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_enough_to_start_with_is_enough_for_a_small_table(home: Path, command: str) -> None:
    done = limited(home, 2_000_000, *COMMANDS[command])
    assert done.returncode == 0 or (done.returncode == 2 and done.stderr.count("\n") == 1)  # 2: of many cores
    assert done.stderr == "" or done.stderr.startswith("shoal: ")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["hierarchy", "--help"], ["--version"]])
def test_the_list_of_commands_needs_little(home: Path, arguments: list[str]) -> None:
    done = limited(home, 300_000, *arguments)
    assert done.stdout
    assert done.stderr == "" or not arguments


def test_memory_that_runs_out_later_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(type(app), "__call__", empty)
    done = shoal("methods")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("shoal: out of memory")
