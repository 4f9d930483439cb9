"""How a worker tells how far it is: a line in a file now and then, with the cost and the bound so far."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

from shoal.methods.base import Standing
from shoal.web.desk.jobs import PROGRESS, Point

EVERY = 0.25
"""Seconds between two lines, unless something else is being done."""


class Teller:
    """A progress function that appends lines to a file; until the certificate settles them, cost only falls in them,
    and the bound only rises.
    """

    def __init__(self, folder: Path) -> None:
        self.path, self.began = folder / PROGRESS, time.monotonic()
        self.told, self.phase = -EVERY, ""
        self.standing = Standing()

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return round(time.monotonic() - self.began, 3)

    def __call__(self, share: float, doing: str) -> None:
        """Tell how far it is, unless that was told a moment ago."""
        self.standing.note(doing)
        phase, now = str(doing).partition(" (")[0], self.seconds
        if phase == self.phase and now - self.told < EVERY:
            return
        self.phase, self.told = phase, now
        point = Point(now, round(min(max(share, 0.0), 1.0), 4), phase, self.standing.cost, self.standing.bound)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(point)) + "\n")

    def settle(self, cost: float, bound: float | None) -> None:
        """Take what the certificate states: what a method says on the way may be a little off."""
        self.standing = Standing(float(cost), None if bound is None else float(bound))
