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
