"""What models say of the shares that sensitive values have in a class, for lower bounds and those who check them.

A *share set* contains the shares of every class that a model admits. It may contain others: a bound that rests on it is
then lower, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from math import floor

import numpy as np

from shoal.core.arrays import Ints
from shoal.models.emd import GroundDistance, Line, Matrix, Tree

MOST_ROWS = 1_000
"""Rows up to which it is asked whether whole numbers of rows have shares in a set."""
FINE = 10**30
"""Irrational caps are rounded up to multiples of 1 / FINE."""


@dataclass(frozen=True, eq=False)
class ShareSet:
    """Guarantees: the shares q of the values in an admitted class meet every limit that is stated here."""

    caps: tuple[Fraction, ...] | None = None
    """q_v <= caps[v]; None for no caps."""
    ground: GroundDistance | None = None
    """The Earth Mover's Distance from q to the table's shares, over this distance, is at most t; None for any."""
    t: Fraction = Fraction(1)
    diversity: Fraction = Fraction(1)
    """exp(entropy of q) is at least this."""
    of_table: bool = False
    """Whether the limits follow from the table's shares, so that dropping rows would change them."""

    @property
    def is_equal(self) -> bool:
        """Whether the distance is the equal one: 1 between any two values."""
        ground = self.ground
        return isinstance(ground, Tree) and len(ground.up) == 1 and len(np.unique(ground.up)) == ground.up.shape[1]

    @property
    def same_cap(self) -> Fraction | None:
        """The cap of all values, where it is the same and above 0."""
        caps = set(self.caps or ())
        return caps.pop() or None if len(caps) == 1 else None

    @property
    def is_whole(self) -> bool:
        """Whether it says no more than that every value has at most 1/l of a class, l a whole number."""
        cap = self.same_cap
        return self.ground is None and cap is not None and (1 / cap).denominator == 1

    def least_rows(self, totals: Ints, start: int) -> int:
        """Return a number of rows, at least `start`, that no admitted class of rows of the table is below.

        Counts are whole, so that few rows have few possible shares. Numbers are tried one after the other, up to
        MOST_ROWS of them.
        """
        for rows in range(start, start + MOST_ROWS):
            if self._has_rows(rows, totals):
                return rows
        return start + MOST_ROWS

    def _has_rows(self, rows: int, totals: Ints) -> bool:
        """Whether so many rows could have shares in the set; True where that is not known."""
        held = totals.tolist()
        caps = self.caps or (Fraction(1),) * len(held)
        if sum(min(count, floor(cap * rows)) for count, cap in zip(held, caps, strict=True)) < rows:
            return False
        return self.ground is None or self._least_distance(rows, held) <= self.t

    def _least_distance(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Return a distance to the table that no class of so many rows is below."""
        ground = self.ground
        if isinstance(ground, Tree):
            levels = [np.bincount(up, weights=totals).astype(np.int64).tolist() for up in ground.up]
            return sum((_least_variation(rows, level) for level in levels), Fraction(0)) / len(levels)
        if isinstance(ground, Line):
            return _least_on_line(rows, totals, ground.gaps)
        assert isinstance(ground, Matrix)
        apart = [d for line in ground.metric.distances for d in line if d > 0]
        return _least_variation(rows, totals) * min(apart, default=Fraction(0))


def _least_variation(rows: int, totals: Sequence[int]) -> Fraction:
    """Return the least total variation between whole counts of so many rows and a table's shares.

    Values get the whole part of what they are due; what is left goes where the next row is least too much.

    >>> _least_variation(1, [1, 1]), _least_variation(2, [1, 1]), _least_variation(2, [3, 1])
    (Fraction(1, 2), Fraction(0, 1), Fraction(1, 4))
    """
    total = sum(totals)
    over = sorted(total - count * rows % total for count in totals)
    left = rows - sum(count * rows // total for count in totals)
    return Fraction(sum(over[:left]), rows * total)


def _least_on_line(rows: int, totals: Sequence[int], gaps: Sequence[int | Fraction]) -> Fraction:
    """Return the least distance on a line between whole counts of so many rows and a table's shares.

    Below each gap the count nearest to what is due may lie: rounding keeps them in order.

    >>> _least_on_line(1, [1, 1, 1], [1, 1]), _least_on_line(3, [1, 1, 1], [1, 1])
    (Fraction(1, 3), Fraction(0, 1))
    """
    total = sum(totals)
    due = [below * rows % total for below in list(accumulate(totals))[:-1]]
    moved = sum((min(part, total - part) * Fraction(gap) for part, gap in zip(due, gaps, strict=True)), Fraction(0))
    return moved / (rows * total * sum(gaps)) if gaps else Fraction(0)


def joined(sets: Iterable[ShareSet]) -> list[ShareSet]:
    """Return sets of one attribute as few: caps and the equal distance are one set, every other limit its own.

    Shares that meet all of the given sets meet each of those returned.
    """
    capped, others = ShareSet(), []
    for one in sets:
        caps = [caps for caps in (capped.caps, one.caps) if caps is not None]
        if caps:
            capped = replace(capped, caps=tuple(map(min, zip(*caps, strict=True))))
        if one.is_equal:
            capped = replace(capped, ground=one.ground, t=min(capped.t, one.t))
        elif one.ground is not None or one.diversity > 1:
            others.append(replace(one, caps=None))
    return [*([capped] if capped.caps is not None or capped.ground is not None else []), *others]


def table_shares(totals: Ints) -> list[Fraction]:
    """Return the share of every value in the table."""
    total = int(totals.sum())
    return [Fraction(count, total) for count in totals.tolist()]


def above_log(number: Fraction) -> Fraction:
    """Return a number that is at least the natural logarithm, by less than 1e-25.

    >>> float(above_log(Fraction(2)))
    0.6931471805599453
    """
    with localcontext(prec=60):
        return _rounded_up((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def above_power_of_two(exponent: Fraction) -> Fraction:
    """Return a number that is at least 2 ** exponent, by less than 1e-25 of it; exponents up to 100.

    >>> float(above_power_of_two(Fraction(1, 2)))
    1.4142135623730951
    """
    with localcontext(prec=80):
        return _rounded_up((Decimal(2).ln() * exponent.numerator / exponent.denominator).exp())


def _rounded_up(number: Decimal) -> Fraction:
    return Fraction(floor(number * FINE) + 2, FINE)
