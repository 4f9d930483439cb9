"""How a worker tells how far it is: a line in a file now and then, with the cost and the bound so far."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

from shoal.desk.jobs import PROGRESS, Point
from shoal.methods.base import Standing

EVERY = 0.25
"""Seconds between two lines, unless something else is being done."""


class Teller:
    """A progress function that appends lines to a file; cost only falls in them, and the bound only rises."""

    def __init__(self, folder: Path) -> None:
        self.path, self.began = folder / PROGRESS, time.monotonic()
        self.point = Point(-EVERY, 0.0, "")

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return round(time.monotonic() - self.began, 3)

    def __call__(self, share: float, doing: str) -> None:
        """Tell how far it is, unless that was told a moment ago."""
        cost, bound = self._standing(doing)
        told = (self.point.doing, self.point.cost, self.point.bound) == (doing, cost, bound)
        if told and self.seconds - self.point.seconds < EVERY:
            return
        self.point = Point(self.seconds, round(min(max(share, 0.0), 1.0), 4), str(doing), cost, bound)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(self.point)) + "\n")

    def _standing(self, doing: str) -> tuple[float | None, float | None]:
        """Return the least cost and the best bound that were told of so far."""
        if not isinstance(doing, Standing):
            return self.point.cost, self.point.bound
        costs = [one for one in (self.point.cost, float(doing.cost)) if one is not None]
        bounds = [float(one) for one in (self.point.bound, doing.bound) if one is not None]
        return min(costs), max(bounds, default=None)
