"""Offsets on sensitive values that no admitted class can earn: what share sets say about gains, in the checker's code.

Give every row an offset y(v), of any sign, that depends on its sensitive value v alone. If the offsets of no admitted
class add up to more than 0, a class gains no more than it does after the offsets: `sum g <= sum (g - y)`. So v(p) may
be worked out from gains after offsets, by whatever is known of the other models; those for several attributes add up.

Nothing is asked of the offsets but that, and it is checked in whole numbers: for shares q of values, `sum q y <= 0` for
all q that the model admits. How offsets are found does not matter, so that they are found in floating point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import TypeAlias

import numpy as np

from shoal.checking.gains import AT_ONCE, FINE, MetricSpread
from shoal.checking.patterns import Members, Numbers
from shoal.core.arrays import Bools, Floats, Ints

PASSES = 8
"""Halvings of the number of rows that a class is thought to have."""
ONE = 1 << FINE
"""Shares are whole multiples of 1 / ONE; caps are rounded up to them."""
LARGE = 2
"""Offsets are at most so many times the largest gain."""
SHAPES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""How many times e a share rises, under entropy, with an offset of the dearest gain."""
STEPS = 1024
"""Exponents are rounded up to multiples of 1 / STEPS."""
POWERS = 30
"""Powers of e are rounded up to multiples of 2^-POWERS, after a part in 10^12 was added to what the machine finds."""
LOWEST, HIGHEST = -24, 12
"""Exponents below the lowest count as that one; sets that need the highest are left out."""

Raw: TypeAlias = Callable[[Floats], tuple[Floats, Bools]]
"""Returns offsets of piles for classes of so many rows, a number for each group; and which have too few rows."""
Lowered: TypeAlias = Callable[[Numbers], tuple[Numbers, Floats]]
"""Returns offsets that are checked, by changing all of a group by the same, and by how much they were lowered."""


@dataclass(frozen=True, eq=False)
class Piles:
    """The members of each group by value: a pile holds those of one value, dearest first."""

    members: Members
    kind: Ints
    """A kind of row with the value of each pile."""
    value: Ints
    group: Ints
    """The group of each pile."""
    of_member: Ints
    """The pile of each member."""
    ahead: Ints
    """How many rows of its pile stand before each member."""

    @classmethod
    def of(cls, members: Members, values: Ints) -> Piles:
        """Sort members into piles; `values` has the value of each kind of row."""
        codes, width = values[members.kind], int(values.max()) + 1
        keys, first, of_member = np.unique(members.group * width + codes, return_index=True, return_inverse=True)
        group, value = np.divmod(keys, width)
        return cls(members, members.kind[first], value, group, of_member, members.alike_before(codes))

    @cached_property
    def starts(self) -> Ints:
        """Where the piles of each group begin."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    @cached_property
    def gain(self) -> Floats:
        """What each member gains, roughly."""
        return self.members.gain.astype(np.float64)

    @cached_property
    def dearest(self) -> Numbers:
        """The highest gain of each pile's group."""
        return self.members.gain[self.members.starts][self.group]

    @cached_property
    def largest(self) -> int:
        """The size of the largest gain, of either sign."""
        return max(int(self.members.gain.max()), -int(self.members.gain.min()), 1)

    def highest(self, numbers: Floats) -> Floats:
        """Return the largest number among each pile's members."""
        found = np.full(len(self.value), -np.inf)
        np.maximum.at(found, self.of_member, numbers)
        return found

    def sum(self, numbers: Numbers) -> Numbers:
        """Add up over the piles of each group."""
        return np.add.reduceat(numbers, self.starts)

    def falling(self, offsets: Numbers) -> Members:
        """Return the piles of each group in falling order of their offsets, which stand for gains."""
        order = _falling(offsets, self.group)
        return Members(self.kind[order], self.starts, np.ones_like(order), offsets[order])

    def after(self, offsets: Numbers) -> Members:
        """Return the members with the offset of their pile taken off, the dearest first again."""
        members = self.members
        gain = members.gain - offsets[self.of_member]
        order = _falling(gain, members.group)
        return Members(members.kind[order], members.starts, members.count[order], gain[order])

    def left(self, offsets: Numbers) -> Numbers:
        """Return what the rows of each group that still gain, after the offsets, gain together."""
        return self.members.sum(self.members.count * np.maximum(self.members.gain - offsets[self.of_member], 0))

    def best(self, offers: Sequence[Numbers]) -> Numbers:
        """Return for each group, of several offsets, those that leave least."""
        best, least = offers[0], self.left(offers[0])
        for offer in offers[1:]:
            left = self.left(offer)
            best, least = np.where((left < least)[self.group], offer, best), np.minimum(least, left)
        return best

    def whole(self, offsets: Floats) -> Numbers:
        """Return offsets as whole numbers like those of the gains, and not much larger."""
        limit = float(LARGE * self.largest)
        rounded = np.floor(np.clip(offsets, -limit, limit))
        if self.members.gain.dtype == object:
            return np.array([int(number) for number in rounded.tolist()], dtype=object)
        return rounded.astype(np.int64)


def _falling(numbers: Numbers, group: Ints) -> Ints:
    """Return the places of numbers group by group, in falling order in each."""
    order: Ints = np.argsort(-numbers, kind="stable")
    return order[np.argsort(group[order], kind="stable")]


@dataclass(frozen=True, eq=False)
class Offset(ABC):
    """Takes offsets off the gains of groups; no class whose shares are in the set earns anything by them."""

    values: Ints
    """The value of each kind of row."""
    least: int
    """A number of rows that every admitted class has at least."""

    def __call__(self, members: Members) -> Members:
        """Return the groups after the offsets; without any where 64 bits might not hold what they add up to."""
        piles = Piles.of(members, self.values)
        fits = members.gain.dtype == object or piles.largest * self._factor < 2**62
        return piles.after(self._found(piles)) if fits else members

    @property
    def _factor(self) -> int:
        """The largest number that a gain is multiplied by."""
        return ONE * LARGE * 4

    @abstractmethod
    def _found(self, piles: Piles) -> Numbers:
        """Return the offset of each pile, checked."""

    def _halved(self, piles: Piles, raw: Raw, lowered: Lowered) -> Numbers:
        """Return the best offsets that are met while the range of a class's rows is halved.

        Offsets that suit few rows are high and must be lowered, those that suit many may be raised. At the best number
        neither is done; at last a mean of both sides is tried that needs neither.
        """
        low = np.full(len(piles.members), float(self.least))
        high = np.maximum(piles.members.rows.astype(np.float64), low)
        (below, down), (above, up) = lowered(piles.whole(raw(low)[0])), lowered(piles.whole(raw(high)[0]))
        for _ in range(PASSES):
            middle = np.sqrt(low * high)
            offsets, short = raw(middle)
            found, by = lowered(piles.whole(offsets))
            few = (by > 0) & ~short
            low, high = np.where(few, middle, low), np.where(few, high, middle)
            below, above = np.where(few[piles.group], found, below), np.where(few[piles.group], above, found)
            down, up = np.where(few, by, down), np.where(few, up, by)
        weight = np.clip(down / np.maximum(down - up, 1e-9), 0, 1)[piles.group]
        mean, _ = lowered(piles.whole(below.astype(np.float64) * (1 - weight) + above.astype(np.float64) * weight))
        return piles.best([mean, below, above])


@dataclass(frozen=True, eq=False)
class CappedOffset(Offset):
    """Offsets for shares q with `q_v <= hard_v`, of which at most a share `pool` in all lies above `base_v`.

    Without closeness base and hard are the same; the equal distance t has the table's shares as base, and t as pool.
    What offsets earn at most: values are filled in falling order of their offsets, up to 1 in all.
    """

    base: Numbers
    """In units of 1 / ONE, rounded up."""
    hard: Numbers
    pool: int

    def _found(self, piles: Piles) -> Numbers:
        found = self._halved(piles, lambda rows: self._raw(piles, rows), lambda offsets: self._lowered(piles, offsets))
        return np.where(self._are_too_few(piles)[piles.group], piles.dearest, found)

    def _are_too_few(self, piles: Piles) -> Bools:
        """Whether the rows of a group are too few for the least number of them; then they are for every larger one."""
        rows = np.bincount(piles.of_member, weights=piles.members.count, minlength=len(piles.value))
        whole = rows.astype(np.int64).astype(self.base.dtype) * ONE
        base = np.minimum(whole, self.base[piles.value] * self.least)
        hard = np.minimum(whole, self.hard[piles.value] * self.least)
        pooled = np.minimum(piles.sum(hard - base), self.pool * self.least)
        return np.asarray(piles.sum(base) + pooled < ONE * self.least, dtype=bool)

    def _raw(self, piles: Piles, rows: Floats) -> tuple[Floats, Bools]:
        """Fill a class of so many rows with the dearest first: every pile up to its base, then from the pool.

        A pile's offset is what the first row gains that its cap leaves out; or the first of all that the empty pool
        leaves out, but no more than its own first row above the base; and no less than the last row taken. Where there
        are not so many rows, piles that are used up get the offset at which the others earn nothing.
        """
        members, value, count = piles.members, piles.value[piles.of_member], piles.members.count
        each = rows[members.group] / ONE
        base = np.clip(self.base[value] * each - piles.ahead, 0, count).astype(np.float64)
        over = np.clip(self.hard[value] * each - piles.ahead, 0, count).astype(np.float64) - base
        pooled = np.clip(self.pool * each - members.before(over), 0, over)
        taken = np.clip(ONE * each - members.before(base + pooled), 0, base + pooled)
        empty = members.largest(np.where(pooled < over - 1e-6, piles.gain, -np.inf))[piles.group]
        above = piles.highest(np.where(base < count - 1e-6, piles.gain, -np.inf))
        capped = piles.highest(np.where(base + over < count - 1e-6, piles.gain, -np.inf))
        first = np.maximum(capped, np.minimum(above, empty))
        last = -members.largest(np.where(taken > 1e-6, -piles.gain, -np.inf))
        mass = np.bincount(piles.of_member, weights=taken, minlength=len(piles.value)) / rows[piles.group]
        full = np.isfinite(first)
        earned, filled = piles.sum(mass * np.where(full, first, 0.0)), piles.sum(np.where(full, mass, 0.0))
        even = -earned / np.maximum(1 - filled, 1e-9)
        enough = members.sum(taken) >= rows * (1 - 1e-9)
        return np.maximum(first, np.where(enough, last, even)[piles.group]), ~enough

    def _lowered(self, piles: Piles, offsets: Numbers) -> tuple[Numbers, Floats]:
        """Take off what the offsets earn; a group that no shares fit has no class, so all its rows' gain is taken."""
        ranked = piles.falling(offsets)
        value = self.values[ranked.kind]
        over = self.hard[value] - self.base[value]
        take = self.base[value] + np.clip(self.pool - ranked.before(over), 0, over)
        share = np.clip(ONE - ranked.before(take), 0, take)
        earned = ranked.sum(share * ranked.gain)
        some = ranked.sum(share) == ONE
        lowered = offsets - -(-earned // ONE)[piles.group]
        return np.where(some[piles.group], lowered, piles.dearest), earned.astype(np.float64) / ONE


@dataclass(frozen=True, eq=False)
class MetricOffset(Offset):
    """Offsets for shares within distance t of the table's; what they earn at most is bounded by transport duality."""

    spread: MetricSpread

    @property
    def _factor(self) -> int:
        return max(ONE, int(self.spread.totals.sum()) * self.spread.t.denominator) << 8

    def _found(self, piles: Piles) -> Numbers:
        nearest = self._nearest(piles)
        offers = []
        for moving in self.spread.movings(piles.members):
            raw, lowered = self._rules(piles, nearest, moving)
            offers.append(self._halved(piles, raw, lowered))
        return piles.best(offers)

    def _rules(self, piles: Piles, nearest: Floats, moving: Numbers) -> tuple[Raw, Lowered]:
        """Return how offsets are found and checked if moving a row across distance 1 costs so much."""

        def raw(rows: Floats) -> tuple[Floats, Bools]:
            due = (nearest * rows[piles.group])[piles.of_member]
            left = piles.ahead + piles.members.count > due + 1e-6
            offsets = piles.highest(np.where(left, piles.gain, -np.inf))
            return self._smoothed(piles, offsets, moving), np.zeros(len(rows), dtype=bool)

        def lowered(offsets: Numbers) -> tuple[Numbers, Floats]:
            each, earned = self.spread.earned(piles.falling(offsets), moving)
            return offsets - each[piles.group], earned

        return raw, lowered

    def _dense(self, piles: Piles, numbers: Floats) -> Floats:
        dense = np.full((len(piles.members), len(self.spread.totals)), -np.inf)
        dense[piles.group, piles.value] = numbers
        return dense

    def _nearest(self, piles: Piles) -> Floats:
        """Return the share of the table whose nearest value in the group is the pile's."""
        apart = self.spread.distances.astype(np.float64)
        here = self._dense(piles, np.zeros(len(piles.value)))
        found = np.zeros_like(here)
        shares = self.spread.totals.astype(np.float64) / float(self.spread.totals.sum())
        for value, share in enumerate(shares.tolist()):
            found[np.arange(len(here)), np.argmax(here - apart[value], axis=1)] += share
        return found[piles.group, piles.value]

    def _smoothed(self, piles: Piles, offsets: Floats, moving: Numbers) -> Floats:
        """Raise offsets to where no other's, less what moving takes, is above them: that earns no more."""
        lowest = float(-LARGE * piles.largest)
        dense = self._dense(piles, np.maximum(offsets, lowest))
        each = moving.astype(np.float64)[:, None] / ONE
        apart = self.spread.distances.astype(np.float64)
        raised, width = dense, dense.shape[1]
        size = max(AT_ONCE // max(dense.size, 1), 1)
        for first in range(0, width, size):
            some = slice(first, first + size)
            others = (dense[:, some, None] - each[:, :, None] * apart[some]).max(axis=1)
            raised = np.maximum(raised, others)
        return raised[piles.group, piles.value]


@dataclass(frozen=True, eq=False)
class EntropyOffset(Offset):
    """Offsets for shares with `exp(entropy) >= level`: they earn nothing if some b > 0 has `sum exp(b y_v) <= level`.

    For `b sum q y` is `sum q ln(exp(b y) / q)` less the entropy, so at most `ln(sum exp(b y)) - ln level`.
    """

    level: Fraction

    def _found(self, piles: Piles) -> Numbers:
        if float(self.level) >= 2.0 ** (HIGHEST - 1):
            return np.zeros_like(piles.dearest)
        offers = []
        for shape in SHAPES:
            units = np.maximum(piles.dearest[piles.starts].astype(np.float64) / (shape * STEPS), 1.0)
            raw, lowered = self._rules(piles, piles.whole(units))
            offers.append(self._halved(piles, raw, lowered))
        return piles.best(offers)

    def _rules(self, piles: Piles, unit: Numbers) -> tuple[Raw, Lowered]:
        """Return how offsets are found and checked if so many units raise the exponent by 1 / STEPS."""
        rank = np.log(piles.ahead + piles.members.count)
        slope, allowed = unit.astype(np.float64) * STEPS, floor(self.level * (1 << POWERS))

        def raw(rows: Floats) -> tuple[Floats, Bools]:
            due = np.log(rows / float(self.level))[piles.members.group]
            offsets = piles.highest(np.minimum(piles.gain, (rank - due) * slope[piles.members.group]))
            return offsets, np.zeros(len(rows), dtype=bool)

        def powers(offsets: Numbers) -> Numbers:
            exponent = -(-offsets // unit[piles.group])
            return piles.sum(_POWERS[np.clip(exponent, LOWEST * STEPS, HIGHEST * STEPS).astype(np.int64)])

        def lowered(offsets: Numbers) -> tuple[Numbers, Floats]:
            by = np.ceil(np.log(powers(offsets) / allowed) * STEPS)
            found = offsets - piles.whole(by * slope / STEPS)[piles.group]
            while (over := powers(found) > allowed).any():
                found = found - (over * unit)[piles.group]
            return found, by

        return raw, lowered


def _powers() -> Ints:
    """Return e to every multiple of 1 / STEPS, rounded up; below 0 from the end of the array on."""
    exponents = np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1)
    powers = np.ceil(np.exp(exponents / STEPS) * (1 + 1e-12) * (1 << POWERS)).astype(np.int64)
    return np.roll(powers, LOWEST * STEPS)


_POWERS = _powers()
