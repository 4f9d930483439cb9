"""How a worker tells how far it is: a line in a file now and then."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

from shoal.desk.jobs import Point

EVERY = 0.25
"""Seconds between two lines, unless something else is being done."""


class Teller:
    """A progress function that appends lines to a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.began = path, time.monotonic()
        self.last, self.doing = -EVERY, ""

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return time.monotonic() - self.began

    def __call__(self, share: float, doing: str) -> None:
        """Tell how far it is."""
        now = self.seconds
        if now - self.last < EVERY and doing == self.doing:
            return
        self.last, self.doing = now, str(doing)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(Point(round(now, 3), share, self.doing))) + "\n")
