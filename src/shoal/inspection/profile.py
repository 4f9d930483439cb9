"""The values of one column, counted once; of a very long column some, with the counts that they stand for."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import polars as pl

FEW = 20
"""Up to so many distinct values are taken for codes."""
ENOUGH = 20
"""Rows from which on it tells something that no two values are equal."""
ODD = 3
"""Common values that may stand for a missing one."""
PLACEHOLDER = 0.1
"""The share of the rows from which on one value may stand for a missing one."""
SAMPLE = 500
"""Distinct values whose texts are looked at."""
LONG, KEPT = 100_000, 20_000
"""Rows from which on an estimate counts some values only, and about how many rows it counts."""
NUMBER = re.compile(
    r"[-+]?(?:[€$£¥] ?)?[0-9]+(?:[ ,.'][0-9]{3})*(?:[.,][0-9]+)?(?:e[-+]?[0-9]+)?(?: ?[€$£%])?", re.IGNORECASE
)
WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.0+)?")
WITH_UNIT = re.compile(
    r"[-+]?(?:0|[1-9][0-9.,'\u2019 ]*|0[.,][0-9]+) ?[^\W\d_][^\W_ .]{0,11}\.?(?: ?[0-9]+ ?[^\W\d_]{1,7}\.?)*"
)
OF_UNIT = 15
"""Different numbers, or more, that measures have of each unit: codes such as 5a and 5b have more endings."""


class Profile:
    """The values of a column, counted once."""

    def __init__(self, column: pl.Series, *, estimate: bool = False) -> None:
        self.name, self.rows = column.name, len(column)
        text = column.dtype in (pl.Enum, pl.Categorical, pl.Null)
        present = (column.cast(pl.String) if text else column).alias("value").drop_nulls()
        self.dtype, self.present = present.dtype, len(present)
        some, standing = _some(present) if estimate else (present, 1)
        counted = some.value_counts(name="times")
        times = counted.to_series(1)
        self.values: pl.Series = counted.to_series(0).sort()
        self.distinct = min(counted.height * standing, self.present)
        """Different values, the missing value not counted; an estimate is not above the truth by much."""
        self.alone = min(int((times == 1).sum()) * standing, self.present)
        """Rows whose value no other row has."""
        common = times.top_k(ODD + 1).to_numpy()
        self.common = int(common.min()) if len(common) else 0
        """Rows that have a common value, the few commonest left out: they may stand for none."""
        held = int(times.filter(times > max(PLACEHOLDER * len(some), 1)).sum()) if standing == 1 else 0
        self.filled = len(some) * standing if standing > 1 else round(self.present * (1 - held / max(len(some), 1)))
        """Rows with a value that says something: one that very many rows have may stand for none."""
        self.rising = self.distinct == self.present and present.is_sorted()

    @property
    def type(self) -> str:
        """The type in words."""
        if self.dtype.is_temporal():
            return "dates" if self.dtype in (pl.Date, pl.Datetime) else "times"
        if self.dtype == pl.Boolean:
            return "yes or no"
        if self.dtype.is_numeric():
            return "whole numbers" if self.whole and (self.values % 1 == 0).all() else "numbers"
        return "text" if self.distinct else "empty"

    @cached_property
    def whole(self) -> bool:
        """Whether nearly all values are whole numbers, however they are stored."""
        if self.dtype == pl.String:
            return bool(self.texts) and sum(map(bool, map(WHOLE.fullmatch, self.texts))) >= 0.8 * len(self.texts)
        if self.dtype.is_integer():
            return True
        whole = int((self.values % 1 == 0).sum()) if self.dtype.is_numeric() else 0
        return whole > 0 and whole >= 0.98 * len(self.values)

    @cached_property
    def texts(self) -> list[str]:
        """Some of the distinct values as texts, spread evenly."""
        some = self.values[:: max(len(self.values) // SAMPLE, 1)][:SAMPLE].to_list()
        whole = self.dtype.is_numeric() and self.whole
        return [str(int(value) if whole else value).strip() for value in some]

    @cached_property
    def digits(self) -> list[int]:
        """How many digits the whole numbers have."""
        return [len(text.lstrip("+-").split(".")[0]) for text in self.texts if WHOLE.fullmatch(text)]

    @property
    def mostly_alone(self) -> bool:
        """Whether nearly every row that has a value has one of its own."""
        return self.present >= ENOUGH and self.alone >= 0.9 * self.present

    @property
    def few(self) -> bool:
        """Whether the values are few, each shared by many rows."""
        return self.distinct <= FEW and self.rows >= 5 * self.distinct

    @cached_property
    def measured(self) -> bool:
        """Whether nearly all values are texts of a number with its unit: `6h 4m`, `250 mg`, `12 Monate`."""
        if self.dtype != pl.String or not self.texts:
            return False
        some = [text for text in self.texts if WITH_UNIT.fullmatch(text)]
        units = {re.sub(r"[^a-z]+", " ", text.lower()) for text in some}
        return len(some) >= max(0.8 * len(self.texts), OF_UNIT * len(units))

    @cached_property
    def numeric(self) -> bool:
        """Whether the values are numbers, or texts nearly all of which read as numbers."""
        if self.dtype.is_numeric():
            return True
        numbers = sum(NUMBER.fullmatch(text) is not None and not _is_code(text) for text in self.texts)
        return self.dtype == pl.String and bool(self.distinct) and numbers >= 0.8 * len(self.texts)


def _is_code(text: str) -> bool:
    """Whether a text of digits begins with a zero too many for a number."""
    return len(text) > 1 and text[0] == "0" and text.isdigit()


def _some(present: pl.Series) -> tuple[pl.Series, int]:
    """Return rows that stand for a column, and for how many rows each stands where values are compared.

    Rows drawn at random, always the same, show whether values repeat much. Where they do not, all rows of some values
    are taken instead, chosen by a hash of the value: so how often a value occurs is exact. Values that very many rows
    have, as one that stands for none, are not among these.
    """
    if len(present) <= LONG:
        return present, 1
    step = len(present) // KEPT
    some = present.gather(np.unique(np.random.default_rng(0).integers(0, len(present), KEPT)))
    counted = some.value_counts(name="times")
    placeholders = counted.filter(pl.col("times") > PLACEHOLDER * len(some))
    if counted.height < 0.3 * (len(some) - int(placeholders["times"].sum())):
        return some, 1
    others = present
    if placeholders.height:
        others = present.filter(~present.is_in(placeholders.to_series(0).implode()))
    return others.filter(others.hash() < 2**64 // step), step
