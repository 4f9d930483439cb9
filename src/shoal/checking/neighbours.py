"""The checker of a lower bound for ranges and sets: what prices prove that speak of the rows around each row.

The distance of two rows is the NCP of a row of the two as a class: a box that holds more never costs less. So the
class of a row that pays less than p lies within less than p of the row. Where fewer rows are so near than every class
must have, or fewer different sensitive values, the row pays p at least. Rows of which that is not so count nothing:

    cost of any release >= sum of the prices that are confirmed,    whatever the prices are.

Distances are rounded down and prices are not, so that rows are taken to be nearer than they are, never farther. Pairs
of distinct rows are compared one by one; nothing is shared with the search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Codes, Floats, Ints
from shoal.models import Models
from shoal.tables.encoded_column import Coded, is_ordered

FINE = 40
"""Distances are whole numbers of 2^-40 of the most that a row can pay."""
CHUNK = 2_000_000
"""How many pairs are measured at a time."""


def neighbour_bound(
    frame: pl.DataFrame,
    *,
    quasi: Sequence[str],
    models: Models,
    weights: Mapping[str, float],
    prices: Ints,
    denominator: int,
) -> Fraction:
    """Return a number that no release of the table by ranges and sets has a lower NCP than, as these prices prove it.

    >>> from shoal.models import KAnonymity
    >>> found = neighbour_bound(
    ...     pl.DataFrame({"age": [20, 21, 30, 40]}), quasi=["age"], models=Models((KAnonymity(2),)), weights={},
    ...     prices=np.array([99, 99, 899, 1001]), denominator=2000,
    ... )
    >>> found == Fraction(99 + 99 + 899, 2000 * 4)  # 40 is nearer to 30 than 1001/2000 of the range
    True
    """
    columns = [Coded.of(frame[name]) for name in quasi]
    total = sum((Fraction(weights.get(name, 1)) for name in quasi), Fraction(0))
    first, of_row, counts = _distinct(columns)
    most = np.zeros(len(first), dtype=object)
    np.maximum.at(most, of_row, prices.astype(object))
    limits = np.array([min(_raised(Fraction(price, denominator)), 1 << FINE) for price in most.tolist()])
    measures = [
        _measure(column, Fraction(weights.get(column.name, 1)) / total, column.codes[first]) for column in columns
    ]
    confirmed = _confirmed(measures, limits, counts, models.least_rows, _values(frame, models, of_row))
    paid = np.minimum(prices.astype(object), denominator)[confirmed[of_row]]
    return Fraction(sum(paid.tolist()), denominator * frame.height)


def _distinct(columns: Sequence[Coded]) -> tuple[Ints, Ints, Ints]:
    """Return one row of each distinct tuple, the tuple of each row, and how many rows have each."""
    table = np.column_stack([column.codes for column in columns])
    _, first, of_row, counts = np.unique(table, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return first, of_row.reshape(-1), counts


def _raised(number: Fraction) -> int:
    """Return a number in whole units, rounded up."""
    return -(-number.numerator * (1 << FINE) // number.denominator)


class _Measure:
    """How far the tuples are from each other in one column, rounded down."""

    def __init__(self, places: Ints | None, codes: Codes, apart: int) -> None:
        """`places`: of numbers along their range, -1 for a missing one; `apart`: of two values otherwise."""
        self.places, self.codes, self.apart = places, codes, apart

    def between(self, some: Ints) -> Ints:
        """Return how far every tuple is from some of them."""
        different: Ints = (self.codes[some, None] != self.codes) * np.int64(self.apart)
        if self.places is None:
            return different
        ones, others = self.places[some, None], self.places
        known = (ones >= 0) & (others >= 0)
        return np.asarray(np.where(known, np.maximum(np.abs(ones - others) - 1, 0), different))


def _measure(column: Coded, share: Fraction, codes: Codes) -> _Measure:
    """Return the measure of a column that counts a share of what a row pays."""
    apart = int(share * (1 << FINE) / max(column.size - 1, 1))
    if not is_ordered(column.values) or column.values.dtype == pl.Boolean:
        return _Measure(None, codes, apart)
    known = [Fraction(place) for place in column.positions[: column.size - (column.missing is not None)].tolist()]
    span = known[-1] - known[0] if len(known) > 1 else Fraction(1)
    places = [int((place - known[0]) / span * share * (1 << FINE)) for place in known]
    return _Measure(np.array([*places, -1])[np.minimum(codes, len(known))], codes, apart)


def _values(frame: pl.DataFrame, models: Models, of_row: Ints) -> list[tuple[Floats, int]]:
    """Return, for each model that asks for different values, which tuple has which, and how many a class must have."""
    asked = []
    for model in models:
        if model.least_values > 1 and not model.given:
            codes = frame.select(pl.struct(model.attributes).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
            held = np.zeros((int(of_row.max()) + 1, int(codes.max()) + 1))
            held[of_row, codes] = 1
            asked.append((held, model.least_values))
    return asked


def _confirmed(
    measures: Sequence[_Measure], limits: Ints, counts: Ints, rows: int, values: Sequence[tuple[Floats, int]]
) -> Bools:
    """Return the tuples that have too few rows, or too few values, nearer than their limits."""
    confirmed = np.zeros(len(limits), dtype=bool)
    priced = np.flatnonzero(limits > 0)
    step = max(CHUNK // len(limits), 1)
    for start in range(0, len(priced), step):
        some = priced[start : start + step]
        apart = np.zeros((len(some), len(limits)), dtype=np.int64)
        for measure in measures:
            apart += measure.between(some)
        near = (apart < limits[some, None]).astype(np.float64)
        few = near @ counts < rows
        for held, least in values:
            few |= (near @ held > 0).sum(axis=1) < least
        confirmed[some] = few
    return confirmed
