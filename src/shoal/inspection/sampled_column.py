"""A column of a sample of rows as integers, with the neighbours and groups by which columns are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Floats, Ints
from shoal.tables.encoded_column import Coded, is_ordered
from shoal.tables.spelling import infer
from shoal.tables.table import Table

ROWS, FEWEST = 20_000, 2_000
"""Rows looked at, at most, and where there are very many columns."""
BEHIND = 20
"""Rows that must stand behind a value, or a range of values, for it to count."""
REPEATED = 5
"""Rows that a number must have on average for rows with the same one to be different people's."""
FINEST = 200
"""Ranges that an ordered column is cut into, at most."""
HALF = 0.5

DAY = r"^\s*([0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2}))\b"


class Neighbours(NamedTuple):
    """Pairs of rows that are next to each other in the order of a column."""

    one: Ints
    next: Ints
    along: bool
    """Whether they may have different values, so that pairs go along the column; else those of a pair are equal."""


@dataclass(frozen=True, eq=False)
class SampledColumn:
    """A column of some rows in random order: codes are in the order of its values, -1 where one is missing."""

    name: str
    codes: Ints
    numbers: Floats | None
    """The values as numbers, dates as days; None for words."""
    texts: pl.Series
    ordered: bool
    parts: tuple[SampledColumn, ...] = ()
    """Of dates: the month, the day of the month and the day of the week."""

    @classmethod
    def of(cls, column: pl.Series) -> SampledColumn:
        """Read a column of a sample; texts most of which are numbers or dates are read as these."""
        typed = _typed(column)
        coded = Coded.of(typed)
        codes = coded.codes.astype(np.int64)
        if coded.missing is not None:
            codes[codes == coded.missing] = -1
        numeric = typed.dtype.is_numeric() or typed.dtype.is_temporal()
        numbers = coded.positions[coded.codes] if numeric else None
        parts = tuple(map(cls.of, _parts(typed)))
        return cls(column.name, codes, numbers, column, is_ordered(typed), parts)

    @property
    def presence(self) -> SampledColumn:
        """Whether each row has a value, as a column of its own."""
        return replace(self, codes=self.present.astype(np.int64), numbers=None, ordered=True, parts=())

    @property
    def present(self) -> Bools:
        """Which rows have a value."""
        return self.codes >= 0

    @property
    def size(self) -> int:
        """How many different values there are, at most."""
        return int(self.codes.max(initial=-1)) + 1

    @cached_property
    def _sorted(self) -> tuple[Ints, Bools]:
        """The rows that have a value, sorted by it, and whether each has the value of the one before."""
        order = np.argsort(self.codes, kind="stable")[int((~self.present).sum()) :]
        return order, np.diff(self.codes[order]) == 0

    @property
    def is_mostly_unique(self) -> bool:
        """Whether most rows have a value that hardly another row has."""
        equal = self._sorted[1]
        return bool(equal.mean() < HALF) if len(equal) else True

    @cached_property
    def neighbours(self) -> Neighbours:
        """Pairs of rows with equal values; of a mostly unique column, pairs of rows with values next to each other."""
        order, equal = self._sorted
        taken = np.ones(len(equal), dtype=bool) if self.is_mostly_unique else equal
        return Neighbours(order[:-1][taken], order[1:][taken], self.is_mostly_unique)

    @cached_property
    def successors(self) -> Neighbours:
        """The same, but for numbers that few rows share: of these, pairs of rows with values next to each other.

        A household's income, which its members alone share, determines whatever is the same for all of them.
        """
        order, equal = self._sorted
        if not self.ordered or self.size * REPEATED <= len(order):
            return self.neighbours
        return Neighbours(order[:-1][~equal], order[1:][~equal], True)

    @cached_property
    def groups(self) -> Ints:
        """The group of each row: rows with one value, or with values next to each other in their order; -1 if none.

        Words have an order that tells something where hardly one is repeated: numbers of cases, months.
        """
        counts = np.bincount(self.codes[self.present], minlength=self.size)
        rows = int(counts.sum())
        if not self.ordered and counts[counts >= BEHIND].sum() >= HALF * rows:
            return self.codes
        group = (np.cumsum(counts) - counts) // max(BEHIND, rows // FINEST)
        return np.append(group, -1)[self.codes]


def sampled(table: Table, names: Iterable[str], pairs: int) -> dict[str, SampledColumn]:
    """Return columns of the same rows, drawn with a fixed seed: fewer where many pairs of columns are compared."""
    most = int(np.clip(ROWS * 200 // max(pairs, 1), FEWEST, ROWS))
    rows = np.random.default_rng(0).permutation(table.rows)[:most]
    return {name: SampledColumn.of(table[name].gather(rows)) for name in names}


def _parts(typed: pl.Series) -> list[pl.Series]:
    """Return what goes round and round in dates."""
    if typed.dtype not in (pl.Date, pl.Datetime):
        return []
    return [typed.dt.month(), typed.dt.day(), typed.dt.weekday()]


def _typed(column: pl.Series) -> pl.Series:
    """Return texts as the numbers or dates that most of them are; what is none then counts as missing."""
    typed = infer(column)
    if typed.dtype != pl.String:
        return typed
    readings = (_numbers(typed), _days(typed))
    known = HALF * (len(typed) - typed.null_count())
    return next((one for one in readings if len(one) - one.null_count() > known), typed)


def _numbers(texts: pl.Series) -> pl.Series:
    return texts.str.replace(r"^([+-]?[0-9]+),([0-9]+)$", "$1.$2").cast(pl.Float64, strict=False).fill_nan(None)


def _days(texts: pl.Series) -> pl.Series:
    """Return texts such as 31/12/1987 or 12-31-87 as dates, day or month first as more of them say."""
    plain = texts.str.replace_all("[.-]", "/").str.extract(DAY)
    long = plain.str.contains("[0-9]{4}$").mean() or 0.0
    forms = ("%d/%m/%Y", "%m/%d/%Y") if long > HALF else ("%d/%m/%y", "%m/%d/%y")  # type: ignore[operator]
    return min((plain.str.to_date(form, strict=False) for form in forms), key=lambda days: days.null_count())
