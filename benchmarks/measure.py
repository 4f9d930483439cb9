"""Measuring: wall time, CPU time and peak memory of a command or a function; printing rows side by side."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Real tables, where they are at hand."""


@dataclass(frozen=True)
class Measurement:
    """What something took; memory in MB where a process of its own was measured."""

    wall: float
    cpu: float
    memory: float | None = None


LAUNCHER = """
import json, os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([status, time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""
"""A small process that starts the command: the peak memory of a child is never below that of what started it."""


def command(*words: str | Path) -> Measurement:
    """Run a command in a process of its own and measure all of it, start-up included."""
    launched = [sys.executable, "-c", LAUNCHER, *map(str, words)]
    status, wall, cpu, memory = json.loads(subprocess.run(launched, stdout=subprocess.PIPE, check=True).stdout)
    if status:
        sys.exit(f"failed: {' '.join(map(str, words))}")
    return Measurement(wall, cpu, memory)


def everything(*words: str | Path) -> Measurement:
    """Run a command and measure all processes that it starts, also those that it does not wait for, by looking on."""
    began = time.perf_counter()
    process = subprocess.Popen([*map(str, words)], stdout=subprocess.DEVNULL, start_new_session=True)
    seconds: dict[int, float] = {}
    memory = 0.0
    while process.poll() is None:
        seen = _of_session(process.pid)
        seconds |= {number: cpu for number, (cpu, _) in seen.items()}
        memory = max(memory, sum(held for _, held in seen.values()))
        time.sleep(0.2)
    if process.returncode:
        sys.exit(f"failed: {' '.join(map(str, words))}")
    return Measurement(time.perf_counter() - began, sum(seconds.values()), memory)


def _of_session(leader: int) -> dict[int, tuple[float, float]]:
    """Return the CPU seconds and the MB in memory of the processes of a session, by their numbers."""
    found = {}
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE") / 2**20
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == leader:
            found[int(path.name)] = (int(fields[11]) + int(fields[12])) / tick, int(fields[21]) * page
    return found


def function(call: Callable[[], object], times: int = 3) -> Measurement:
    """Call a function once to warm it up, then return the best of some calls."""
    call()
    return min((once(call) for _ in range(times)), key=lambda measured: measured.cpu)


def once(call: Callable[[], object]) -> Measurement:
    """Call a function and measure it."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Measurement(time.perf_counter() - wall, time.process_time() - cpu)


def show(title: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table, with the machine and its load in the title."""
    load = os.getloadavg()[0]
    machine = f"{os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}"
    table = Table(title=f"{title} ({machine})", title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == headings[0] else "right")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, str) else f"{cell:,.4g}" if cell is not None else "-" for cell in row))
    Console(width=140).print(table)
