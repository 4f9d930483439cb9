"""Splits: classes whose true distance leaves room are halved, the models themselves deciding on both halves.

The rows of a class are sorted by their sensitive values and dealt into blocks of neighbours; of every block the half
that lies first along a quasi-identifier goes to the one side, the rest to the other. One block is a cut in the quasi-
identifier alone; with blocks of two both sides have nearly the values of the class. Large blocks are tried first, so a
class pays for likeness only as much as its models ask for.

Where cells are blocks of hierarchies, or values and stars, a half gains by a cut only if it lies on one side of it. So
there are splits that keep one half *pure*: what would cross the cut stays in the other half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.sorting import order_by
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.cuts import Cuts, HierarchyCuts, MedianCuts, Open
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.models import Model
from shoal.problem import Problem

WHOLE = 1 << 40
"""A block that holds every class."""
BLOCKS = (64, 16, 8, 4, 2)
"""Rows of the blocks that are tried after it."""
SAME = {WHOLE: 0, **{block: next((b for b in BLOCKS if b < block), 0) for block in BLOCKS}}
"""Rows of a class up to which the next block does the same."""
TURNS = 3
"""Attributes along which a class is tried in blocks, the widest first."""


class Way(NamedTuple):
    """One way to halve classes."""

    block: int
    turn: int
    """Along which of a class's attributes, the widest first; after the last of them, along the curve."""
    alike: Ints
    """The order by sensitive values that blocks are made in."""
    pure: Literal["", "first", "second"] = ""
    """Which half must lie on one side of the cut."""


@dataclass(frozen=True, eq=False)
class Splits:
    """How classes can be halved: cuts along the quasi-identifiers, and orders by sensitive values."""

    problem: Problem
    alike: Sequence[Ints]
    """Ranks of the rows, in each of which rows with like sensitive values are neighbours."""
    ranks: Ints
    """A rank of the rows in which rows with like quasi-identifiers are neighbours."""

    @cached_property
    def cuts(self) -> Cuts:
        """How classes are cut in the quasi-identifiers alone."""
        along = self.problem.recoding_kind.along_hierarchies
        return HierarchyCuts(self.problem) if along else MedianCuts(self.problem, relaxed=False)

    @cached_property
    def near(self) -> Ints:
        """Ranks of the rows along each quasi-identifier, ties along the curve, which itself is the last; by row."""
        microdata, ranks = self.problem.microdata, [self.ranks]
        for column, hierarchy in zip(reversed(microdata.quasi), reversed(microdata.hierarchies), strict=True):
            places = leaf_ranks(column, hierarchy)[column.codes]
            ranks.append(rank_of(places.astype(np.int64) * len(self.ranks) + self.ranks))
        return np.stack(ranks[::-1])

    def further(self, class_of_row: Ints, share: Fraction, deadline: Deadline, progress: Progress) -> Ints:
        """Return the class of each row after all splits that the models admit, or those that there was time for.

        With a share below 1, halves must be so much closer to the table than is asked, and can be split on afterwards.
        """
        models = [model.stricter(share) for model in sorted(self.problem.models, key=lambda m: not m.attributes)]
        labels, number = class_of_row.copy(), int(class_of_row.max()) + 1
        open_ = np.ones(number, dtype=bool)
        while open_.any() and not deadline.passed:
            progress(1 - float(open_[labels].mean()), "splitting classes")
            sizes = np.bincount(labels)
            waiting = open_ & (sizes >= 2 * self.problem.models.least_rows)
            rows = np.flatnonzero(waiting[labels])
            favourites = self._favourites(labels, rows, waiting)
            open_ = np.zeros(number, dtype=bool)
            for way in self._ways():
                tried = waiting & (favourites[:, way.turn] >= 0) & (sizes > SAME[way.block])
                if deadline.passed or not tried.any():
                    continue
                classes = _opened(labels, rows, tried, way.alike)
                right = self._right(classes, favourites[tried, way.turn], way)
                split = np.zeros(len(tried), dtype=bool)
                split[tried] = self._admitted(models, classes, right)
                moved = classes.rows[split[labels[classes.rows]] & (right == 1)]
                labels[moved] = (number - 1 + np.cumsum(split))[labels[moved]]
                number += int(split.sum())
                waiting, open_ = waiting & ~split, open_ | split
                rows = rows[_among(labels[rows], waiting)]
            open_ = np.append(open_, np.ones(number - len(open_), dtype=bool))
        return labels

    def _ways(self) -> Iterator[Way]:
        """Yield what is tried in turn."""
        attributes = len(self.problem.microdata.quasi)
        yield from (Way(WHOLE, turn, self.ranks) for turn in range(attributes))
        widest = range(min(attributes, TURNS))
        for block, alike in product(BLOCKS, self.alike):
            if self.problem.cells_are_blocks:
                yield from (Way(block, turn, alike, pure) for pure in ("first", "second") for turn in widest)
            yield from (Way(block, turn, alike) for turn in (*widest, attributes))

    def _favourites(self, labels: Ints, rows: Ints, waiting: Bools) -> Ints:
        """Return the attributes of each class that waits, the widest first, -1 for the others; the curve is last."""
        attributes = len(self.problem.microdata.quasi)
        found = np.full((len(waiting), attributes + 1), -1)
        if waiting.any():
            weights = [self.problem.cost.weight(column.name) for column in self.problem.microdata.quasi]
            widths: Floats = self.cuts.widths(_opened(labels, rows, waiting, self.ranks)) * np.array(weights)
            order = np.argsort(-widths, axis=1, kind="stable")
            order[np.take_along_axis(widths, order, axis=1) <= 0] = -1
            found[waiting, :-1] = order
            found[waiting, -1] = np.where(order[:, 0] < 0, -1, attributes)  # of equal rows no half is published apart
        return found

    def _right(self, classes: Open, axis: Ints, way: Way) -> Ints:
        """Return 1 for the rows of every class that go to the second half."""
        if way.block == WHOLE:
            return self.cuts.parts(classes, axis)
        right = halves_of_blocks(classes, way.block, self.near[axis[classes.class_of_row], classes.rows])
        if way.pure == "first":
            return right | self.cuts.parts(classes, axis)
        return right & self.cuts.parts(classes, axis) if way.pure == "second" else right

    def _admitted(self, models: Sequence[Model], classes: Open, right: Ints) -> Bools:
        """Return which classes may be halved: each model is asked only for what those before it admit."""
        sizes = np.bincount(classes.class_of_row * 2 + right, minlength=2 * classes.number).reshape(-1, 2)
        possible: Bools = np.minimum.reduce(sizes, axis=1) >= self.problem.models.least_rows
        for model in models:
            if not possible.any():
                break
            tried, place = possible[classes.class_of_row], np.cumsum(possible) - 1
            halves = place[classes.class_of_row[tried]] * 2 + right[tried]
            candidates = self.problem.candidates(classes.rows[tried], halves, 2 * int(possible.sum()))
            possible[possible] = model.admits(candidates).reshape(-1, 2).all(axis=1)
        return possible


def _opened(labels: Ints, rows: Ints, waiting: Bools, ranks: Ints) -> Open:
    """Return the classes that wait, their rows by rank; all of these are among some rows."""
    rows = rows[_among(labels[rows], waiting)]
    rows = rows[order_by(labels[rows] * len(labels) + ranks[rows])]
    own = labels[rows]
    return Open(rows, np.cumsum(np.diff(own, prepend=own[0] if len(own) else 0) != 0))


def _among(labels: Ints, waiting: Bools) -> Bools:
    """Return which labels are of classes that wait: what was split in this round waits for the next."""
    old: Bools = labels < len(waiting)
    return old & waiting[np.where(old, labels, 0)]


def halves_of_blocks(classes: Open, block: int, near: Ints) -> Ints:
    """Return which rows go to the second half: of every block those that lie last; what is odd, in turn.

    >>> four = Open(np.arange(4), np.zeros(4, dtype=np.int64))
    >>> halves_of_blocks(four, 2, np.array([5, 1, 2, 9])).tolist()
    [1, 0, 0, 1]
    """
    place = np.arange(len(near)) - classes.starts[classes.class_of_row]
    fresh = place % block == 0
    which, begins = np.cumsum(fresh) - 1, np.flatnonzero(fresh)
    order = order_by(which * (int(near.max()) + 1) + near)
    length = np.diff(np.append(begins, len(near)))[which]
    odd = (place // block) & 1  # sorting moves rows inside their blocks only: what is known of a place stays true
    right = np.empty(len(near), dtype=np.int64)
    right[order] = np.arange(len(near)) - begins[which] >= (length + odd) // 2
    return right


def rank_of(keys: Ints) -> Ints:
    """Return the rank of each of some different keys."""
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order_by(keys)] = np.arange(len(keys))
    return ranks
