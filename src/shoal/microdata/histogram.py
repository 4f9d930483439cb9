"""What a privacy model sees: the size of every class and how often each sensitive value occurs in it.

Histograms are sparse (only values that occur), so a column of a million distinct salaries costs no more than its
rows. Two stricter readings of several sensitive attributes are views of the same thing: the *joint* distribution
(disease and salary as one attribute) and *given* (the others counted as quasi-identifiers: a class is measured by
its worst part in which they are equal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Ints
from shoal.core.errors import Unsupported
from shoal.core.sorting import distinct_rows
from shoal.hierarchies.base import Hierarchy
from shoal.tables.encoded_column import Coded, own_order
from shoal.tables.spelling import infer

if TYPE_CHECKING:
    from shoal.hierarchies.containment import ShownCells
    from shoal.microdata.chances import (
        Chances,  # imports a library for sparse matrices: only where there is a population
    )
    from shoal.microdata.microdata import Microdata

Attributes: TypeAlias = tuple[str, ...]
"""One sensitive attribute, or several read jointly."""


@dataclass(frozen=True, eq=False)
class Values:
    """One sensitive attribute of the rows at hand: their codes, the domain, and the whole published table's counts."""

    codes: AnyInts
    totals: Ints
    """How often each value occurs in the published table: the distribution P that classes are compared with."""
    domain: pl.Series
    """The distinct values of the published table in order, a missing value last."""
    tree: Hierarchy | None = None
    """The hierarchy given for this attribute, bound to the domain."""

    @cached_property
    def typed(self) -> pl.Series:
        """The domain by the type of its values: texts that are all numbers or dates as numbers or dates."""
        return infer(self.domain)

    @cached_property
    def order(self) -> str | None:
        """What the domain is ordered by, in words; None for words, which have no order of their own."""
        return own_order(self.domain)

    def at(self, rows: Ints) -> Values:
        """Return the same attribute of some rows only; the domain and P stay the published table's."""
        return Values(self.codes[rows], self.totals, self.domain, self.tree)

    @classmethod
    def of(cls, column: Coded, tree: Hierarchy | None = None) -> Values:
        """Return a column of the whole published table."""
        totals = np.bincount(column.codes, minlength=column.size).astype(np.int64)
        return cls(column.codes, totals, column.values, tree)

    @classmethod
    def joint(cls, columns: Iterable[Values], weights: Ints | None = None) -> Values:
        """Return several attributes of the whole published table as one, whose values are the combinations.

        `weights` say how many rows each entry stands for; None where each is one row.
        """
        columns = list(columns)
        codes, _, totals = distinct_rows([c.codes for c in columns], [len(c.totals) for c in columns])
        if weights is not None:
            totals = np.bincount(codes, weights=weights).astype(np.int64)
        return cls(codes, totals, "#" + pl.Series(np.arange(len(totals))).cast(pl.String))  # no numbers


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each value occurs: slice i holds `counts[starts[i]:starts[i + 1]]` rows of `codes[...]`, codes rising.

    `class_of_slice` says whose a slice is. Usually slice i is class i; in the *given* reading a class has several.
    """

    starts: Ints
    codes: Ints
    counts: Ints
    class_of_slice: Ints
    values: Values

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows in each slice."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @cached_property
    def slice_of_entry(self) -> Ints:
        """Which slice each entry belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def total(self) -> int:
        """The number of rows of the published table."""
        return int(self.values.totals.sum())

    def one(self, index: int) -> dict[int, int]:
        """Return one slice as a plain `{value: count}`."""
        entries = slice(int(self.starts[index]), int(self.starts[index + 1]))
        return dict(zip(self.codes[entries].tolist(), self.counts[entries].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Classes:
    """Some non-empty classes of rows and their sensitive values. Methods make them of candidates, the audit of cells.

    >>> illness = Values(np.array([0, 1, 1]), np.array([1, 2]), pl.Series("illness", ["flu", "gout"]))
    >>> classes = Classes(np.array([0, 0, 1]), 2, {("illness",): illness})
    >>> classes.sizes.tolist(), [classes.histogram(("illness",)).one(c) for c in range(2)]
    ([2, 1], [{0: 1, 1: 1}, {1: 1}])
    """

    class_of_row: Ints
    number: int
    attributes: Mapping[Attributes, Values]
    weights: Ints | None = None
    """How many rows each entry of `class_of_row` stands for; None where each is one row."""
    population: Callable[[], Ints] | None = None
    """Counts, for each class, the rows of the population that its cells cover; None where no population is given."""
    fits: Callable[[], tuple[Iterable[Bools], Ints]] | None = None
    """Says which people of the population the cells of each class cover (people alike by class, in parts), and how many
    people there are of each; None where no population is given, or the classes are not all those of a release."""
    cells: Sequence[ShownCells] | None = None
    """The published cells of each class, column by column; None where the classes are not all those of a release."""
    _made: dict[tuple[Attributes, Attributes], Histogram] = field(default_factory=dict, repr=False)

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows in each class."""
        return np.bincount(self.class_of_row, weights=self.weights, minlength=self.number).astype(np.int64)

    @cached_property
    def chances(self) -> Chances:
        """What follows from a release about who of the population is in it."""
        from shoal.microdata.chances import Chances  # only models of a population ask for it

        if self.fits is None:
            raise Unsupported(
                "the chance to be in the table is measured on the cells of a whole release, against a population",
                hint="audit the published table with --population FILE",
            )
        return Chances.of(*self.fits(), self.sizes)

    def histogram(self, attributes: Attributes, given: Attributes = ()) -> Histogram:
        """Count the values of one attribute, or of several jointly, in every class (split by `given` attributes)."""
        key = (attributes, given)
        if key not in self._made:
            self._made[key] = self._count(attributes, given)
        return self._made[key]

    def _count(self, attributes: Attributes, given: Attributes) -> Histogram:
        values = self.attributes[attributes]
        slices, owner = self.class_of_row, np.arange(self.number)
        if given:
            others = [self.attributes[(name,)] for name in given]
            sizes = [self.number, *(len(other.totals) for other in others)]
            slices, first, _ = distinct_rows([self.class_of_row, *(other.codes for other in others)], sizes)
            owner = self.class_of_row[first]
        entries, counts = _count_pairs(slices, values.codes, len(values.totals), self.weights)
        starts = np.searchsorted(entries // len(values.totals), np.arange(len(owner) + 1))
        return Histogram(starts, entries % len(values.totals), counts, owner, values)


def sensitive_values(microdata: Microdata, joints: Iterable[Attributes] = ()) -> dict[Attributes, Values]:
    """Return every sensitive attribute of the whole table, and the joint ones asked for."""
    single: dict[Attributes, Values] = {
        (column.name,): Values.of(column, microdata.trees.get(column.name)) for column in microdata.sensitive
    }
    return with_joints(single, joints)


def with_joints(
    single: Mapping[Attributes, Values], joints: Iterable[Attributes], weights: Ints | None = None
) -> dict[Attributes, Values]:
    """Add the joint attributes asked for to the single ones."""
    wanted = sorted({names for names in joints if len(names) > 1})
    return {**single, **{names: Values.joint((single[(name,)] for name in names), weights) for names in wanted}}


def _count_pairs(slices: Ints, codes: AnyInts, width: int, weights: Ints | None) -> tuple[Ints, Ints]:
    """Return the sorted distinct `slice * width + code` and how many rows have each."""
    keys = slices * width + codes
    if (int(slices.max()) + 1) * width <= 4 * len(keys) + 1_000:
        dense = np.bincount(keys, weights=weights).astype(np.int64)
        entries = np.flatnonzero(dense)
        return entries, dense[entries]
    if weights is None:
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return keys[starts], np.diff(starts, append=len(keys))
    entries, place = np.unique(keys, return_inverse=True)
    return entries, np.bincount(place, weights=weights).astype(np.int64)
