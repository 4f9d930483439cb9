"""Runs of `shoal` in which one call of the system fails, or a signal comes at it: `system_calls.c` stands between.

A server imports shoal once, with the library loaded before all others, and forks a process for each run. So a run takes
little more than its own work, and every call of the system can be tried.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).with_name("system_calls.c")


class Kind(IntEnum):
    """What happens at a call; the numbers are those of `system_calls.c`."""

    NOTHING = 0
    FAIL = 1
    SIGNAL = 2
    SHORT = 3
    LOST = 4
    ALWAYS = 5


class Calls(IntFlag):
    """Which calls count."""

    WRITES = 1
    READS = 2
    MOVES = 4


@dataclass(frozen=True)
class Ended:
    """How a run ended: the code, a signal as a negative number; and how many calls were counted."""

    code: int
    counted: int
    said: str


SERVER = """
import ctypes, importlib, json, os, signal, sys, time
library = ctypes.CDLL(sys.argv[1])
library.fault_count.restype = ctypes.c_long
library.fault_arm.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_char_p]
import shoal, shoal.cli
def child(asked):
    os.dup2(os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["shoal", *asked["arguments"]]
    os.environ.update(asked.get("environment", {}))
    exec(asked.get("before", ""), {})
    library.fault_arm(asked["kind"], asked["number"], asked["calls"], asked["at"], asked["below"].encode())
    try:
        shoal.cli.main()
    finally:
        if asked.get("modules"):
            with open(asked["modules"], "w") as file:
                json.dump(sorted(sys.modules), file)
for line in sys.stdin:
    asked = json.loads(line)
    for name in asked.pop("load", ()):
        try:
            importlib.import_module(name)
        except Exception:
            pass
    exec(asked.pop("ready", ""), {})
    process = os.fork()
    if not process:
        child(asked)
        sys.exit(0)
    if asked["after"]:
        time.sleep(asked["after"])
        os.kill(process, asked["number"])
    _, status = os.waitpid(process, 0)
    print(json.dumps({"code": os.waitstatus_to_exitcode(status), "counted": library.fault_count()}), flush=True)
"""


READY = """
from shoal.core.discovery import _announced
from shoal.tables import name_rules
from shoal.tables.column_names import Rule
for kind in ("models", "costs", "bounds", "methods", "recodings", "masks", "hierarchies", "readers", "writers"):
    _announced(f"shoal.{kind}")
for rules in vars(name_rules).values():
    for rule in rules if isinstance(rules, tuple) else ():
        if isinstance(rule, Rule):
            rule.pattern
"""
"""What every run would do again: read the metadata of packages, and compile the expressions of column names."""


class Server:
    """Forks a process for every run."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process, self._said = process, folder / "said"
        self._first: dict[str, Any] = {}

    def warm(self, arguments: Sequence[str], folder: Path) -> None:
        """Let a run say which modules it needs; they are imported before the next is forked."""
        names = self._said.with_name("modules.json")
        ended = self.run(arguments, below=folder, modules=str(names))
        assert ended.code == 0, ended.said
        self._first = {"load": json.loads(names.read_text()), "ready": READY}

    def run(
        self,
        arguments: Sequence[str],
        kind: Kind = Kind.NOTHING,
        number: int = 0,
        at: int = 0,
        *,
        below: Path,
        calls: Calls = Calls.WRITES,
        after: float = 0,
        **more: Any,
    ) -> Ended:
        """Run `shoal`; at the n-th call on files below a folder, or after some seconds, something happens.

        More can be said: the `environment`, and Python that runs `before`.
        """
        asked = {
            **{"arguments": list(arguments), "kind": kind, "number": number, "calls": calls, "at": at},
            **{"below": str(below), "after": after, "said": str(self._said), **self._first, **more},
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        self._first = {}
        answer = json.loads(self._process.stdout.readline())
        return Ended(**answer, said=self._said.read_text(errors="replace"))


@contextmanager
def serving(folder: Path, temporary: Path) -> Iterator[Server]:
    """Start a server; skip the test where there is no C compiler, or no such loader."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler for Linux, which builds what stands between shoal and the system")
    library = folder / "system_calls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "TMPDIR": str(temporary), "POLARS_MAX_THREADS": "2"}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(library)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Server(process, folder)
        assert process.stdin is not None
        process.stdin.close()
