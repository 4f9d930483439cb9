"""SIZE: how many records each class takes from each fragment.

A class that takes the same share of every fragment (exact conformance) needs sizes that divide every fragment's: their
greatest common divisor is usually 1, and all records are one class. So classes are halved instead, odd numbers
rounded, as long as the bound on distances allows both halves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.methods.t_closeness.fragmentation.distance_bound import DistanceBound, Sizes

CLOSE = 1e-12
"""By how much a bound in floating point may be above its limit: the models decide afterwards, exactly."""
CHUNK = 4_000_000
ALTERNATE, OTHERS = 0b1010, (0b1100, 0b0110, 0b1000, 0b0100, 0b0010, 0b1110, 0b0000)
"""Which of four odd numbers are rounded down in the first half: every other one, or any others. With the two halves
exchanged they are all that there are."""
EVERY_ROUNDING_UP_TO = 64
"""Fragments up to which odd numbers are rounded in every way, four by four, until one will do."""


@dataclass(frozen=True, eq=False)
class Diversity:
    """Frequency l-diversity, promised: no value can fill more than 1/l of a class, whichever records it takes.

    At worst a class takes from every fragment as many records of a value as there are, or as it takes at all.
    """

    l: Fraction  # noqa: E741 - the paper's name
    counts: Ints
    """Fragment by value: the records there are."""

    def holds(self, sizes: Sizes) -> Bools:
        """Whether it is promised for each class."""
        found = np.empty(len(sizes), dtype=bool)
        step = max(CHUNK * len(sizes) // (len(sizes.counts) * self.counts.shape[1] + 1), 1)
        for start in range(0, len(sizes), step):
            part = sizes.only(np.arange(start, min(start + step, len(sizes))))
            most = np.minimum(part.counts[:, None], self.counts[part.fragments])
            tallest = np.add.reduceat(most, part.starts[:-1], axis=0).max(axis=1)
            found[start : start + step] = tallest * self.l.numerator <= part.rows * self.l.denominator
        return found


@dataclass(frozen=True, eq=False)
class Sizing:
    """What sizes must meet: the bound on distances, a number of rows, diversity."""

    distance: DistanceBound
    least: int
    diversities: tuple[Diversity, ...] = ()

    @cached_property
    def limits(self) -> Floats:
        """The distances that are allowed."""
        return np.array([axis.t for axis in self.distance.cut.axes])

    @cached_property
    def orders(self) -> list[Ints]:
        """Orders of the fragments in which odd numbers are rounded up and down in turn: as cut, and along each axis."""
        cut = self.distance.cut
        ranks = [np.arange(len(cut))]
        for number, axis in enumerate(cut.axes):
            codes, weights = cut.tuples.codes[:, number], cut.tuples.counts
            places = axis.places(codes, weights)
            means = np.bincount(cut.of_tuple, weights=weights * places, minlength=len(cut)) / cut.rows
            rank = np.empty(len(cut), dtype=np.int64)
            rank[np.argsort(means, kind="stable")] = np.arange(len(cut))
            ranks.append(rank)
        return ranks

    @property
    def roundings(self) -> list[tuple[Ints, int]]:
        """Ways to round odd numbers: an order, and which of four are rounded down in the first half."""
        patterns = (ALTERNATE, *(OTHERS if len(self.distance.cut) <= EVERY_ROUNDING_UP_TO else ()))
        return [(rank, pattern) for pattern in patterns for rank in self.orders]

    @property
    def whole(self) -> Sizes:
        """The table as one class."""
        number = len(self.distance.cut)
        return Sizes(np.array([0, number]), np.arange(number), self.distance.cut.rows)

    def over(self, sizes: Sizes) -> Floats:
        """Return by how much each class breaks what is promised, at worst; infinite where rows or values are short."""
        over: Floats = np.max(self.distance.bounds(sizes) - self.limits, axis=1, initial=-1.0)
        over[sizes.rows < self.least] = np.inf
        for diversity in self.diversities:
            over[~diversity.holds(sizes)] = np.inf
        return over


def size(sizing: Sizing, most: int | None = None, stop: Callable[[], bool] = lambda: False) -> tuple[Sizes, float]:
    """Halve the table again and again; return the classes, neighbours beside each other, and how many there are.

    Every class is within t if the whole table is. With `most`, only so many classes are followed at a time:
    halves are much alike, so the number is estimated from them.
    """
    open_, paths, weight = sizing.whole, np.zeros(1, dtype=np.int64), 1.0
    done: list[tuple[Sizes, Ints]] = []
    number, level = 0.0, 0
    while len(open_):
        halves, allowed = _halved(sizing, open_)
        allowed &= not stop()
        number += weight * int((~allowed).sum())
        done.append((open_.only(np.flatnonzero(~allowed)), paths[~allowed] << (62 - level)))
        if not allowed.any():
            break
        going = np.flatnonzero(allowed)
        paths = np.repeat(paths[going] * 2, 2) + np.tile([0, 1], len(going))
        open_, level = halves.only(np.repeat(going * 2, 2) + np.tile([0, 1], len(going))), level + 1
        if most is not None and len(open_) > most:
            weight *= len(open_) / most
            open_, paths = open_.only(np.arange(most)), paths[:most]
    return _sorted(done), number


def _halved(sizing: Sizing, open_: Sizes) -> tuple[Sizes, Bools]:
    """Return both halves of every class, one after the other, and whether they will do; odd ones rounded until so."""
    waiting = np.flatnonzero(open_.rows >= 2 * sizing.least)
    halves, place = [open_], np.repeat(np.arange(len(open_)), 2)
    allowed, before = np.zeros(len(open_), dtype=bool), len(open_)
    for rank, pattern in sizing.roundings:
        if not len(waiting):
            break
        tried = halve(open_.only(waiting), rank, pattern)
        will_do = _will_do(sizing, tried)
        done = waiting[will_do]
        place.reshape(-1, 2)[done] = before + 2 * np.flatnonzero(will_do)[:, None] + [0, 1]
        allowed[done] = True
        halves.append(tried)
        waiting, before = waiting[~will_do], before + len(tried)
    return joined(halves).only(place), allowed


def _will_do(sizing: Sizing, halves: Sizes) -> Bools:
    """Whether both halves of each class are within t, and neither is empty."""
    found: Bools = np.minimum.reduce(np.diff(halves.starts).reshape(-1, 2), axis=1) > 0
    if found.any():
        over = sizing.over(halves.only(np.flatnonzero(np.repeat(found, 2))))
        found[found] = over.reshape(-1, 2).max(axis=1) <= CLOSE
    return found


def halve(sizes: Sizes, rank: Ints, pattern: int = ALTERNATE) -> Sizes:
    """Return both halves of every class, one after the other: odd numbers, taken by rank, rounded by the pattern."""
    order = np.lexsort((rank[sizes.fragments], sizes.owner))
    owner, counts = sizes.owner[order], sizes.counts[order]
    odd = counts & 1
    before = np.cumsum(odd) - odd
    turn = pattern >> ((before - before[sizes.starts[:-1]][owner]) & 3) & 1
    first = np.empty_like(counts)
    first[order] = counts // 2 + (odd & (1 - turn))
    both = np.stack([sizes.owner * 2, sizes.owner * 2 + 1]), np.stack([first, sizes.counts - first])
    place = np.argsort(both[0].ravel(), kind="stable")
    return Sizes.of(both[0].ravel()[place], np.tile(sizes.fragments, 2)[place], both[1].ravel()[place], 2 * len(sizes))


def joined(parts: list[Sizes]) -> Sizes:
    """Return the classes of several lists as one."""
    before = np.concatenate([[0], np.cumsum([len(part.counts) for part in parts])[:-1]])
    starts = [part.starts[:-1] + start for part, start in zip(parts, before.tolist(), strict=True)]
    end = [np.array([sum(len(part.counts) for part in parts)])]
    return Sizes(
        np.concatenate([*starts, *end]).astype(np.int64),
        np.concatenate([part.fragments for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def _sorted(done: list[tuple[Sizes, Ints]]) -> Sizes:
    order = np.argsort(np.concatenate([paths for _, paths in done]), kind="stable")
    return joined([sizes for sizes, _ in done]).only(order)


def equal_sizes(sizing: Sizing) -> Sizes:
    """Return classes that all take the same share of every fragment, as many as divide them and have rows enough.

    >>> gcd(250, 100, 350, 300), gcd(250, 100, 350, 301)
    (50, 1)
    """
    rows = sizing.distance.cut.rows
    common, total = gcd(*rows.tolist()), int(rows.sum())
    number = max(q for q in range(1, common + 1) if common % q == 0 and (q == 1 or total // q >= sizing.least))
    one = Sizes(np.array([0, len(rows)]), np.arange(len(rows)), rows // number)
    if number > 1 and not all(diversity.holds(one)[0] for diversity in sizing.diversities):
        return sizing.whole
    return one.only(np.zeros(number, dtype=np.int64))
