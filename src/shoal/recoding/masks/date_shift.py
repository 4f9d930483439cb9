"""Dates shifted by person: all dates of a person move by the same number of days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import TableError
from shoal.core.parameters import Number, Numeral
from shoal.recoding.masks.base import KeyedMask
from shoal.recoding.masks.draws import Draws, keyed_hash
from shoal.tables.table import Table

DAYS = Number("days", "most days that a date is moved by", 1, 36525, whole=True)
MILLISECONDS = 86_400_000
"""Of a day."""


@dataclass(frozen=True)
class DateShift(KeyedMask):
    """Guarantees that the dates of a person move by one number of days, up to `days` forth or back and never by 0.

    So the time between two dates of a person is kept, also between columns with this same mask. Who a person is the
    request says (`person`); where it does not, every row is one.
    """

    name: ClassVar[str] = "date-shift"
    meaning: ClassVar[str] = "the dates of a person move by the same number of days"

    days: Numeral = 30
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", int(DAYS.read(self.days, self.name)))

    def masked(self, names: Sequence[str], table: Table, person: Sequence[str]) -> list[pl.Series]:
        """Shift columns of dates, with or without a time."""
        for name in names:
            if table.dtype(name).base_type() not in (pl.Date, pl.Datetime):
                raise TableError(
                    f"the mask {self.name} is for dates, and {name!r} holds {table.dtype(name).base_type()} values",
                    hint="write dates as 2024-12-31, or choose another mask",
                )
        steps = self._steps(table, person)
        days = (pl.Series(steps + (steps >= 0)) * MILLISECONDS).cast(pl.Duration("ms"))  # never by 0
        return [(table[name] + days).cast(table.dtype(name)).alias(name) for name in names]

    def _steps(self, table: Table, person: Sequence[str]) -> Ints:
        """Return a number from -days to days - 1 for every row, the same for the rows of a person."""
        if person:
            told = pl.DataFrame([table[name].cast(pl.String) for name in person]).rows()
            drawn = [int.from_bytes(keyed_hash(self.key, json.dumps(row))[:8], "little") for row in told]
            words = np.array(drawn, dtype=np.uint64)
        else:
            words = Draws(self.key, self.name).words(table.rows)
        return (words % np.uint64(2 * int(self.days))).astype(np.int64) - int(self.days)
