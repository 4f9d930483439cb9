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
from urllib.parse import urlsplit

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Served:
    """A running page: the address with the token, and where its files lie."""

    address: str
    folder: Path
    state: Path
    process: subprocess.Popen[str]

    def end(self, by: signal.Signals = signal.SIGINT) -> None:
        """End it, and wait until it is gone."""
        self.process.send_signal(by)
        self.process.wait(10)

    @property
    def home(self) -> str:
        """The address without the token."""
        return f"http://{urlsplit(self.address).netloc}"

    @property
    def desk(self) -> Path:
        """The desk's folder."""
        (found,) = (self.state / "shoal").iterdir()
        return found


@contextmanager
def served(folder: Path, state: Path, *arguments: object) -> Iterator[Served]:
    """Start a page for a folder, and end it as Ctrl-C does."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "serve", "--no-open", "--folder", str(folder), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=folder,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("shoal: http://127.0.0.1:"), said
        yield Served(said.split()[1], folder, state, process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
