"""v(p), the most that a class could gain at given prices: the checker's own reading of each model, never below it.

A class published as pattern p gains the sum over its rows of price minus cost, and v(p) is the most that an admitted
one gains (docs/proof.md). Every `Gain` bounds v(p) from above for the classes that a model admits among the rows of a
group; for many groups at once, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from shoal.checking.patterns import Members, Numbers
from shoal.core.arrays import Bools, Ints

FINE = 20
"""Distances are rounded down to multiples of 2^-FINE."""
STEPS = range(-6, 7)
"""What moving a row across distance 1 is charged: the spread of a group's gains times 2^step, or nothing."""

Gain: TypeAlias = Callable[[Members], Numbers]
"""Returns for each group, the rows that match a pattern p, a number that is at least v(p)."""


def gain_of_rows(least: int) -> Gain:
    """Bound what at least so many rows gain: those that gain anything, filled up with the dearest others."""

    def gain(members: Members) -> Numbers:
        filling = np.clip(least - members.before(members.count), 0, members.count)
        taken = np.where(members.gain > 0, members.count, filling)
        return np.where(members.rows < least, 0, members.sum(taken * members.gain))

    return gain


def gain_of_values(values: Ints, least: int) -> Gain:
    """Bound what rows of at least so many values gain: the dearest row of each value is in, be it at a loss.

    `values` has the value of each kind of row.
    """

    def gain(members: Members) -> Numbers:
        dearest = members.part(members.alike_before(values[members.kind]) == 0)
        rank = dearest.before(np.ones_like(dearest.count))
        forced = np.where(rank < least, np.minimum(dearest.gain, 0), 0)
        return np.where(dearest.sizes < least, 0, members.most + dearest.sum(forced))

    return gain


def gain_of_shares(values: Ints, least: int) -> Gain:
    """Bound what rows gain of which no value has more than 1/least.

    A class whose commonest value has h rows has at most h of each value, and at least `least * h` rows. What such rows
    gain is concave in h (a linear program with an integral polytope), so bisection finds the best h.
    """

    def gain(members: Members) -> Numbers:
        ahead = members.alike_before(values[members.kind])
        low = np.ones(len(members), dtype=np.int64)
        high = np.minimum(members.largest(ahead + members.count), members.rows // least)
        while (low < high).any():
            middle = (low + high) // 2
            this, _ = _at_height(members, ahead, middle, least)
            following, possible = _at_height(members, ahead, middle + 1, least)
            rises = (low < high) & possible & (following > this)
            low, high = np.where(rises, middle + 1, low), np.where((low < high) & ~rises, middle, high)
        best, possible = _at_height(members, ahead, low, least)
        return np.where(possible, best, 0)

    return gain


def _at_height(members: Members, ahead: Ints, height: Ints, least: int) -> tuple[Numbers, Bools]:
    """Return the most that `least * height` rows or more gain, none but the first `height` of each value among them.

    And whether there are so many.
    """
    takable = np.clip(np.repeat(height, members.sizes) - ahead, 0, members.count)
    gaining = np.where(members.gain > 0, takable, 0)
    others = takable - gaining
    lacking = np.repeat(least * height - members.sum(gaining), members.sizes)
    filling = np.clip(lacking - members.before(others), 0, others)
    return members.sum((gaining + filling) * members.gain), members.sum(takable) >= least * height


AT_ONCE = 2_000_000
"""Pairs of rows and values that are compared at a time."""


@dataclass(frozen=True, eq=False)
class Spread:
    """A class may lie within distance `t` of the table, in which value v has `totals[v]` rows."""

    values: Ints
    """The value of each kind of row."""
    totals: Numbers
    t: Fraction

    def _dearest(self, members: Members) -> tuple[Members, Numbers]:
        """Return the dearest member of each value, and how many rows of the table have its value."""
        dearest = members.part(members.alike_before(self.values[members.kind]) == 0)
        return dearest, self.totals[self.values[dearest.kind]]

    def _for_all(self, members: Members, scaled: Numbers) -> Numbers:
        """Return what all rows gain if each gains `scaled` / (denominator of t * rows of the table), rounded up."""
        each: Numbers = -(-scaled // (self.t.denominator * self.totals.sum()))
        return np.maximum(members.rows * each, 0)


class EqualSpread(Spread):
    """Bounds the gain under the equal distance.

    A row of the class gains on average at most what the table's shares would earn, the shares of absent values moved to
    the dearest one, and then those of the cheapest values as far as t allows. More than t absent: there is no class.
    """

    def __call__(self, members: Members) -> Numbers:
        """Return the bound for each group."""
        dearest, share = self._dearest(members)
        top = dearest.gain[dearest.starts]
        absent = self.totals.sum() - dearest.sum(share)
        left = self.t.numerator * self.totals.sum() - self.t.denominator * absent
        movable = self.t.denominator * share
        cheaper = np.repeat(dearest.sum(movable), dearest.sizes) - dearest.before(movable) - movable
        moved = np.clip(np.repeat(left, dearest.sizes) - cheaper, 0, movable)
        earned = self.t.denominator * (dearest.sum(share * dearest.gain) + absent * top)
        earned = earned + dearest.sum(moved * (np.repeat(top, dearest.sizes) - dearest.gain))
        return np.where(left < 0, 0, self._for_all(members, earned))


@dataclass(frozen=True, eq=False)
class MetricSpread(Spread):
    """Bounds the gain under any distance, by transport duality.

    For every charge x >= 0 a row gains on average at most `x t + sum over u of P_u max over v of (w_v - x d(u, v))`,
    where w_v is the gain of the dearest row with value v. The smallest over a few charges is taken.
    """

    distances: Numbers
    """Distances in units of 2^-FINE, rounded down."""

    def __call__(self, members: Members) -> Numbers:
        """Return the bound for each group."""
        dearest, _ = self._dearest(members)
        scaled = [self._at(dearest, charge) for charge in self._movings(dearest)]
        return self._for_all(members, np.minimum.reduce(scaled))

    def _movings(self, dearest: Members) -> list[Numbers]:
        """Return what moving a row across distance 1 may be charged."""
        spread = dearest.gain[dearest.starts] + dearest.largest(-dearest.gain)
        return [0 * spread, *(spread << step if step > 0 else spread >> -step for step in STEPS)]

    def movings(self, members: Members) -> list[Numbers]:
        """Return the best of these for the dearest rows, with the one before and the one after."""
        dearest, _ = self._dearest(members)
        every = self._movings(dearest)
        best = np.argmin(np.array([self._at(dearest, charge) for charge in every]).astype(np.float64), axis=0)
        near = [np.clip(best + step, 0, len(every) - 1) for step in (-1, 0, 1)]
        return [np.array(every)[place, np.arange(len(best))] for place in near]

    def earned(self, dearest: Members, charge: Numbers) -> tuple[Numbers, Numbers]:
        """Return what a row earns at most, rounded up, and roughly."""
        scaled, per = self._at(dearest, charge), self.t.denominator * self.totals.sum()
        return -(-scaled // per), scaled.astype(np.float64) / float(per)

    def _at(self, dearest: Members, charge: Numbers) -> Numbers:
        """Return the bound on a row's gain at a charge, times the denominator of t and the rows of the table."""
        value, each = self.values[dearest.kind], np.repeat(charge, dearest.sizes)
        whole, rest, gain = 0 * charge, 0 * charge, (dearest.gain << FINE)[:, None]
        size = max(AT_ONCE // max(len(value), 1), 1)
        for first in range(0, len(self.totals), size):
            some = slice(first, first + size)
            best = np.maximum.reduceat(gain - each[:, None] * self.distances[some].T[value], dearest.starts, axis=0)
            whole, rest = (
                whole + (best >> FINE) @ self.totals[some],
                rest + (best & (1 << FINE) - 1) @ self.totals[some],
            )
        below, above = self.t.denominator, self.t.numerator * self.totals.sum()
        scaled: Numbers = below * whole - (-below * rest >> FINE) + above * charge
        return scaled
