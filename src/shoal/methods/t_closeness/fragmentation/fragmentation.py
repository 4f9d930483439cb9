"""FIND-FRAGMENTATION: cut the sensitive values into boxes until the worst moves inside them are small enough.

A fragment is a box: a part of the values along every axis. It is kept as the distinct combinations of values that lie
in it, so a table with three sensitive attributes of a thousand values each costs no more than its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.t_closeness.fragmentation.axes import Axis, Tuples

CUTS = 32
"""Places along an axis at which a fragment is tried; all of them where there are no more."""
SUBSETS_UP_TO = 4
"""Axes up to which the best cut is kept for every set of them."""
BEAM = 3
"""How many fragmentations are followed at once, while they have few fragments."""
BEAM_UP_TO = 16
"""Fragments up to which several fragmentations are followed."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """Ways to cut a fragment in two: along which axis, after how many of its combinations in the axis' order."""

    axis: Ints
    end: Ints
    moved: Floats
    """The worst moves of the two sides together, cut by axis."""
    smaller: Ints
    """Records on the smaller side."""


@dataclass(frozen=True, eq=False)
class Fragment:
    """A box of sensitive values: the combinations in it, by number."""

    axes: tuple[Axis, ...]
    tuples: Tuples
    inside: Ints

    @cached_property
    def counts(self) -> Ints:
        """The records of each combination."""
        return self.tuples.counts[self.inside]

    @cached_property
    def rows(self) -> int:
        """The records in it."""
        return int(self.counts.sum())

    @cached_property
    def moved(self) -> Floats:
        """The worst move along each axis, in sum over the records."""
        codes = self.tuples.codes[self.inside]
        return np.array([axis.worst(codes[:, a], self.counts) for a, axis in enumerate(self.axes)])

    def order(self, along: int) -> tuple[Ints, Ints]:
        """Return the combinations along an axis, and after how many of them the fragment may be cut."""
        places = self.axes[along].places(self.tuples.codes[self.inside, along], self.counts)
        order = np.argsort(places, kind="stable")
        return order, np.flatnonzero(np.diff(places[order])) + 1

    def cut(self, along: int, end: int) -> tuple[Fragment, Fragment]:
        """Return the two sides of a cut."""
        order, _ = self.order(along)
        sides = np.sort(self.inside[order[:end]]), np.sort(self.inside[order[end:]])
        return Fragment(self.axes, self.tuples, sides[0]), Fragment(self.axes, self.tuples, sides[1])

    @cached_property
    def cuts(self) -> Cuts:
        """The cuts that are best for some of the axes."""
        if len(self.inside) == 1:
            return Cuts(*(np.empty(0, dtype=np.int64),) * 2, np.empty((0, len(self.axes))), np.empty(0, dtype=np.int64))
        tried = [self._along(a) for a in range(len(self.axes))]
        every = Cuts(*(np.concatenate([getattr(one, part) for one in tried]) for part in Cuts.__dataclass_fields__))
        if not len(every.axis):
            return every
        sums = every.moved @ _subsets(len(self.axes)).T
        best = np.unique(np.argmin(sums.round(9), axis=0))
        return Cuts(every.axis[best], every.end[best], every.moved[best], every.smaller[best])

    def _along(self, along: int) -> Cuts:
        """Try the cuts along one axis: moves on both sides by running sums from both ends."""
        order, ends = self.order(along)
        counts, codes = self.counts[order], self.tuples.codes[self.inside[order]]
        left = np.cumsum(counts)
        ends = _spread(ends, left)
        back = (len(order) - ends)[::-1]
        sides = [
            axis.moved(codes[:, a], counts, ends) + axis.moved(codes[::-1, a], counts[::-1], back)[::-1]
            for a, axis in enumerate(self.axes)
        ]
        before = left[ends - 1]
        smaller = np.minimum(before, left[-1] - before)
        return Cuts(np.full(len(ends), along), ends, np.column_stack(sides), smaller)


@dataclass(frozen=True, eq=False)
class Fragmentation:
    """Fragments that hold every record once, in the order in which the cuts leave them: neighbours are alike."""

    fragments: tuple[Fragment, ...]

    @classmethod
    def whole(cls, axes: tuple[Axis, ...], tuples: Tuples) -> Fragmentation:
        """Return the table as one fragment."""
        return cls((Fragment(axes, tuples, np.arange(len(tuples.counts))),))

    def __len__(self) -> int:
        return len(self.fragments)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The distances."""
        return self.fragments[0].axes

    @property
    def tuples(self) -> Tuples:
        """All combinations."""
        return self.fragments[0].tuples

    @cached_property
    def rows(self) -> Ints:
        """The records of each fragment."""
        return np.array([fragment.rows for fragment in self.fragments])

    @cached_property
    def moved(self) -> Floats:
        """The worst move of each fragment along each axis, a mean over its records."""
        moved: Floats = np.array([fragment.moved for fragment in self.fragments]) / self.rows[:, None]
        return moved

    @cached_property
    def bounds(self) -> Floats:
        """The aggregate bound of each axis: no class that takes alike of every fragment is farther from the table."""
        bounds: Floats = np.sum([fragment.moved for fragment in self.fragments], axis=0) / int(self.rows.sum())
        return bounds

    @cached_property
    def of_tuple(self) -> Ints:
        """The fragment of each combination."""
        owner = np.empty(len(self.tuples.counts), dtype=np.int64)
        for number, fragment in enumerate(self.fragments):
            owner[fragment.inside] = number
        return owner

    def over(self, targets: Floats) -> float:
        """Return by how much the bounds exceed what they should be, in sum."""
        return float(np.maximum(self.bounds - targets, 0.0).sum())

    def cut(self, number: int, along: int, end: int) -> Fragmentation:
        """Return the fragmentation with one fragment cut in two."""
        before, after = self.fragments[:number], self.fragments[number + 1 :]
        return Fragmentation((*before, *self.fragments[number].cut(along, end), *after))

    def best(self, targets: Floats, most: int) -> list[tuple[tuple[float, float, int], int, int, int]]:
        """Return the best cuts, best first: by what exceeds, by all bounds relative to it, by records moved."""
        cuts = [fragment.cuts for fragment in self.fragments]
        number = np.repeat(np.arange(len(cuts)), [len(one.axis) for one in cuts])
        total, rows = np.sum([fragment.moved for fragment in self.fragments], axis=0), int(self.rows.sum())
        own = np.array([fragment.moved for fragment in self.fragments])[number]
        bounds = (total - own + np.concatenate([one.moved for one in cuts])) / rows
        over = np.maximum(bounds - targets, 0.0).sum(axis=1).round(12)
        relative = (bounds / np.maximum(targets, 1e-6)).sum(axis=1).round(9)
        smaller = np.concatenate([one.smaller for one in cuts])
        axis, end = np.concatenate([one.axis for one in cuts]), np.concatenate([one.end for one in cuts])
        chosen = np.lexsort((smaller, relative, over))[:most].tolist()
        return [
            ((float(over[c]), float(relative[c]), int(smaller[c])), int(number[c]), int(axis[c]), int(end[c]))
            for c in chosen
        ]


def find_fragmentation(
    start: Fragmentation, targets: Sequence[float], most: int, stop: Callable[[], bool] = lambda: False
) -> Fragmentation:
    """Cut until every bound is at most its target; return the fragmentation then, or what there is at `most` fragments.

    Of all cuts of all fragments the one is made that leaves the least above the targets; a few fragmentations are
    followed side by side as long as they are small. It ends: a fragment of one combination has no worst move.
    """
    wanted = np.asarray(targets)
    beam = [start]
    while beam[0].over(wanted) > 1e-12 and len(beam[0]) < most and not stop():
        width = BEAM if len(beam[0]) < BEAM_UP_TO else 1
        found = [(*cut, one) for one in beam[:width] for cut in one.best(wanted, width)]
        if not found:
            break
        kept: dict[tuple[float, float, int], Fragmentation] = {}
        for key, number, along, end, one in sorted(found, key=lambda cut: cut[:4]):
            if key not in kept and len(kept) < width:
                kept[key] = one.cut(number, along, end)
        beam = list(kept.values())
    return beam[0]


def _subsets(axes: int) -> Floats:
    """Return sets of axes, as rows of zeros and ones: every one, or where that is too many each axis and all."""
    if axes <= SUBSETS_UP_TO:
        return np.array(list(product([0.0, 1.0], repeat=axes)))[1:]
    return np.vstack([np.eye(axes), np.ones(axes)])


def _spread(ends: Ints, left: Ints) -> Ints:
    """Return at most CUTS of some places, spread evenly over the records."""
    if len(ends) <= CUTS:
        return ends
    shares = np.linspace(0, left[-1], CUTS + 2)[1:-1]
    chosen: Ints = ends[np.unique(np.minimum(np.searchsorted(left[ends - 1], shares), len(ends) - 1))]
    return chosen
