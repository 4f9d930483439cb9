"""The candidates of every person: the published rows that could be theirs, and what those rows have in common.

Rows with equal cells are one class; people of whom the same is known are one point. Classes are found by walking down
a tree of their cells with the values of a point. Where that would take too long, and it is known which row is whose, a
person's own class stands for the candidates: there are at least as many, so nobody hides in fewer than are counted. It
does so as well where people have several rows: the people of several classes cannot be added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from shoal.attacks.crowds.attacker_view import AttackerView
from shoal.attacks.crowds.kernels import Candidates, owned, shared, spread, total, walk
from shoal.attacks.crowds.tree import Tree
from shoal.core.arrays import Bools, Codes, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.core.sorting import distinct_rows
from shoal.microdata.histogram import Classes, Persons

VISITS = 400_000_000
"""How many nodes of the tree are looked at, at most, before own classes are taken instead."""
SAMPLE = 500
"""How many points are tried to find out."""
PAIRS = 1 << 24
"""How many classes of points are held at a time."""
KEPT = 3
"""How many times as many are kept for the next question; more are found anew each time."""
AGAIN = 4
"""How many times as long it counts to find what cannot be kept."""
DISTANCES = 1_000_000_000
"""How many distances are measured in a column, all columns together, before own classes are taken instead."""


@dataclass(frozen=True, eq=False)
class PointClasses:
    """The classes of some points: those of point `first + i` end at `ends[i]`, where the next one's begin."""

    first: int
    ends: Ints
    classes: Codes


@dataclass(frozen=True, eq=False)
class Spread:
    """What a person's candidates have in one attribute, for each person; 0, -1, 0, 0 where there are none."""

    low: Ints
    high: Ints
    distinct: Ints
    """How many different values, counted up to a limit."""
    own: Floats
    """How many of the candidates have the person's own value."""
    of_everybody: Bools | None = None
    """Whether all candidates have it, where they are people, who may have several values; None where they are rows."""

    @property
    def is_certain(self) -> Bools:
        """Whether all candidates have the person's own value."""
        certain: Bools = (self.distinct == 1) & (self.own > 0)
        return certain if self.of_everybody is None else self.of_everybody


class Crowd:
    """Guarantees that every row that could be a person's is among the candidates, or that `way` says which are.

    `way` is `covering` (rows whose cells cover what is known), `own class` (fewer: only rows with the cells of the
    person's own), `nearest` (centroids), or `equal` (the cells are the values).
    """

    def __init__(self, view: AttackerView, columns: Sequence[str] | None = None) -> None:
        names = [*(view.quasi if columns is None else columns), *view.always]
        names.sort(key=lambda name: -len(view.covers[name].starts))
        self.view, self.names = view, names
        self.class_of_row, first = _numbered([view.cells[name] for name in names])
        if view.linked:
            self.class_of_row, first = _numbered([_sets(self.class_of_row, view)])
        self.signatures = np.column_stack([view.cells[name][first] for name in names])
        self.point_of_person, somebody = _numbered([view.people[name] for name in names])
        self.points = np.column_stack([view.people[name][somebody] for name in names])
        self.way = self._way()
        if self.way in ("own class", "equal"):
            assert view.own_row is not None
            own = self.class_of_row[view.own_row]
            self.point_of_person, somebody = _numbered([self.point_of_person, own])
            self.points, self._own = self.points[:0], own[somebody]
        self._kept: list[PointClasses] | None = None

    def _way(self) -> str:
        view = self.view
        if view.exact:
            return "equal"
        if view.whose is not None:
            return "own class"
        way = "covering" if view.places is None else "nearest"
        if (view.own_row is None and not view.is_limited) or self._is_quick():
            return way
        if view.own_row is None:
            raise Unsupported(
                f"finding the candidates of {len(self.points):,} different people among {len(self.signatures):,}"
                " classes would take too long",
                hint="give the release with its internal part, which says which class each person is in",
            )
        return "own class"

    def _is_quick(self) -> bool:
        """Whether candidates are found within the limits."""
        pairs = len(self.points) * len(self.signatures)
        if self.view.places is not None:
            return pairs * len(self.names) <= DISTANCES
        return pairs <= VISITS or self._visits() <= VISITS

    def _visits(self) -> float:
        """Guess how many nodes a walk with all points looks at, from some of them; more if it must be repeated."""
        some = self.points[:: max(len(self.points) // SAMPLE, 1)]
        looked = [(visits, len(part.classes)) for part, visits in self._walks(some)]
        visits, found = (float(sum(counts)) / len(some) * len(self.points) for counts in zip(*looked, strict=True))
        return visits if found <= KEPT * PAIRS else AGAIN * visits

    # --- which classes ---

    def found(self) -> Iterator[PointClasses]:
        """Return the classes of all points, part by part; a few parts are kept."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[PointClasses] = []
        for part in self._parts():
            kept = [*kept, part] if len(kept) < KEPT else kept
            yield part
        self._kept = kept if sum(len(part.ends) for part in kept) == self.number else None

    def _parts(self) -> Iterator[PointClasses]:
        if self.way in ("own class", "equal"):
            yield PointClasses(0, np.arange(1, len(self._own) + 1), self._own.astype(np.int32))
        elif self.way == "nearest":
            yield from self._nearest()
        else:
            yield from (part for part, _ in self._walks(self.points))

    def classes_of(self, points: Ints) -> tuple[Ints, Codes]:
        """Return the classes of some points, one after the other: where those of each end, and which."""
        parts = list(self.found())
        classes = np.concatenate([part.classes for part in parts])
        sizes = np.concatenate([np.diff(part.ends, prepend=0) for part in parts])
        before = np.cumsum(sizes) - sizes
        ends = np.cumsum(sizes[points])
        places = np.arange(int(ends[-1])) + np.repeat(before[points] - ends + sizes[points], sizes[points])
        return ends, classes[places]

    @property
    def number(self) -> int:
        """How many points there are."""
        return len(self._own) if self.way in ("own class", "equal") else len(self.points)

    def _walks(self, points: Ints) -> Iterator[tuple[PointClasses, int]]:
        tree, first = self._tree, 0
        found = np.empty(max(PAIRS, len(self.signatures)), dtype=np.int32)
        while first < len(points):
            ends = np.zeros(len(points) - first, dtype=np.int64)
            next_, visits = walk(points, first, tree, found, ends)
            ends = ends[: next_ - first]
            yield PointClasses(first, ends, found[: ends[-1]].copy()), visits
            first = next_

    @cached_property
    def _tree(self) -> Tree:
        return Tree.of(self.signatures, [self.view.covers[name] for name in self.names])

    def _nearest(self) -> Iterator[PointClasses]:
        """Return the classes at the least distance from each point."""
        assert self.view.places is not None
        places = [self.view.places[name] for name in self.names]
        step, began = max(4_000_000 // len(self.signatures), 1), 0
        sizes, classes = list[Ints](), list[Codes]()
        for first in range(0, len(self.points), step):
            some = self.points[first : first + step]
            away = sum(one.squared(self.signatures[:, j], some[:, j]) for j, one in enumerate(places))
            near = away <= away.min(axis=1, keepdims=True) * (1 + 1e-12)  # type: ignore[union-attr]
            sizes.append(near.sum(axis=1))
            classes.append(np.nonzero(near)[1].astype(np.int32))
            last = first + step
            if last >= len(self.points) or sum(map(len, classes)) >= PAIRS:
                yield PointClasses(began, np.cumsum(np.concatenate(sizes)), np.concatenate(classes))
                began, sizes, classes = last, [], []

    # --- what they have in common ---

    @cached_property
    def size(self) -> Floats:
        """How many candidates each person has."""
        once = self._once()
        weights = np.bincount(self.class_of_row[once], weights=self.view.weights[once], minlength=len(self.signatures))
        sums = np.concatenate([total(part.ends, part.classes, weights) for part in self.found()])
        return np.round(sums, 9)[self.point_of_person]  # the shares of two tables add up to whole people

    def _once(self, *columns: Ints) -> Ints | slice:
        """Return one row of each person of a class, and of each of their values in some columns; all rows of rows."""
        if self.view.whose is None:
            return slice(None)
        return _numbered([self.class_of_row, self.view.whose, *columns])[1]

    @cached_property
    def is_right(self) -> Bools:
        """Whether each person may be among their candidates; of centroids the nearest may be others'.

        Where nobody knows whose row is whose, all are who have candidates at all: the others were dropped.
        """
        if self.view.own_row is None:
            return np.asarray(self.size > 0, dtype=bool)
        if self.way != "nearest":
            return np.ones(self.view.number, dtype=bool)
        ends, classes = self.classes_of(np.arange(self.number))
        pairs = np.repeat(np.arange(self.number), np.diff(ends, prepend=0)) * len(self.signatures) + classes
        own = self.class_of_row[self.view.own_row]
        return np.isin(self.point_of_person * len(self.signatures) + own, pairs)

    def secret(self, name: str, cap: int = 2) -> Spread:
        """Return what candidates have in a sensitive attribute; different values are counted up to `cap`."""
        return self.spread(self.view.secrets[name], self.view.own_secrets[name], cap)

    def spread(self, values: Ints, own: Ints, cap: int) -> Spread:
        """Return what candidates have in an attribute, given by the codes of the rows and of the people."""
        width = int(max(values.max(initial=0), own.max(initial=0))) + 1
        starts, codes, counts = self.histogram(values, width)
        kind_of_person, somebody = _numbered([self.point_of_person, own])
        edges = np.searchsorted(self.point_of_person[somebody], np.arange(self.number + 1))
        made = []
        for part in self.found():
            here = edges[part.first : part.first + len(part.ends) + 1]
            kinds = own[somebody][here[0] : here[-1]]
            candidates = Candidates(part.ends, part.classes, starts, codes)
            made.append((*spread(candidates, width, cap), owned(candidates, counts, here - here[0], kinds)))
        low, high, distinct, mine = (np.concatenate(some) for some in zip(*made, strict=True))
        at = self.point_of_person
        everybody = None if self.view.whose is None else mine[kind_of_person] == self.size
        return Spread(low[at], high[at], distinct[at], mine[kind_of_person], everybody)

    def prior(self, name: str) -> Floats:
        """Return the share of the people of the table who have each value of a sensitive attribute."""
        values, view = self.view.secrets[name], self.view
        width = int(max(values.max(initial=0), view.own_secrets[name].max(initial=0))) + 1
        once = slice(None) if view.whose is None else _numbered([view.whose, values])[1]
        everybody = view.weights.sum() if view.whose is None else len(np.unique(view.whose))
        shares: Floats = np.bincount(values[once], weights=view.weights[once], minlength=width) / everybody
        return shares

    def histogram(self, values: Ints, width: int) -> tuple[Ints, Ints, Floats]:
        """Return the values of each class: where they begin, which, and for how many people each stands."""
        once = self._once(values)
        keys, place = np.unique((self.class_of_row * width + values)[once], return_inverse=True)
        counts = np.bincount(place, weights=self.view.weights[once]).astype(np.float64)
        starts = np.searchsorted(keys // width, np.arange(len(self.signatures) + 1))
        return starts.astype(np.int64), (keys % width).astype(np.int64), counts


def shared_values(first: Crowd, second: Crowd, name: str) -> tuple[Ints, Ints]:
    """Return, for each person, the least value that candidates in both have, and how many such there are; 2 for more.

    Both are about the same people, in the same order. A point is here a pair of points.
    """
    one, other = first.view.secrets[name], second.view.secrets[name]
    width = int(max(one.max(initial=0), other.max(initial=0))) + 1
    pair_of_person, somebody = _numbered([first.point_of_person, second.point_of_person])
    sides = [
        Candidates(*crowd.classes_of(crowd.point_of_person[somebody]), *crowd.histogram(values, width)[:2])
        for crowd, values in ((first, one), (second, other))
    ]
    least, number = shared(sides[0], sides[1], width)
    return least[pair_of_person], number[pair_of_person]


def _sets(class_of_row: Ints, view: AttackerView) -> Ints:
    """Number the rows by the set of classes that their person has rows in."""
    assert view.whose is not None
    persons = Persons(view.whose, int(view.whose.max()) + 1, {})
    return Classes(class_of_row, int(class_of_row.max()) + 1, {}, persons=persons).linked_of_row


def _numbered(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Number the distinct rows of some columns in lexicographic order; and return one row of each number.

    Few combinations are counted, not sorted.
    """
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if prod(sizes) > 4 * len(columns[0]) + 1_000:
        labels, first, _ = distinct_rows(columns, sizes)
        return labels, first
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        key = key * size + column
    there = np.full(prod(sizes), -1, dtype=np.int64)
    there[key] = np.arange(len(key))
    number = np.cumsum(there >= 0) - 1
    return number[key], there[there >= 0]
