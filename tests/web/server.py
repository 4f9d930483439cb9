"""A `shoal serve` of its own for a test, in a process of its own, with a state folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread
from urllib.parse import urlsplit

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Served:
    """A running page: the addresses that it prints, each of which works once, and where its files lie."""

    printed: Queue[str]
    """Addresses that were printed and not used yet."""
    numbered: str
    """The address by the number 127.0.0.1, for clients that do not know the random name."""
    home: str
    """The address of the random name, without a token."""
    folder: Path
    state: Path
    process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        """An address with a token; another one each time."""
        return self.printed.get(timeout=30)

    def end(self, by: signal.Signals = signal.SIGINT) -> None:
        """End it, and wait until it is gone."""
        self.process.send_signal(by)
        self.process.wait(10)

    @property
    def by_number(self) -> str:
        """The address by the number, without the token."""
        return f"http://{urlsplit(self.numbered).netloc}"

    @property
    def desk(self) -> Path:
        """The desk's folder."""
        (found,) = (self.state / "shoal").iterdir()
        return found


def _collect(process: subprocess.Popen[str], printed: Queue[str]) -> None:
    """Keep the addresses that a server prints."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("shoal: http://"):
            printed.put(line.split()[1])


@contextmanager
def served(folder: Path, state: Path, *arguments: object, **variables: str) -> Iterator[Served]:
    """Start a page for a folder, and end it as Ctrl-C does; with variables of the environment it opens a browser."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"} | variables
    quiet = () if variables else ("--no-open",)
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "serve", *quiet, "--folder", str(folder), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=folder,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline().split()[1]
        second = process.stdout.readline().split()[-1]
        printed: Queue[str] = Queue()
        printed.put(first)
        reader = Thread(target=_collect, args=(process, printed), daemon=True)
        reader.start()
        yield Served(printed, second, f"http://{urlsplit(first).netloc}", folder, state, process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            reader.join(10)
            process.stdout.close()
