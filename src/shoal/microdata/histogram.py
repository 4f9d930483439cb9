"""What a privacy model sees: the size of every class and how often each sensitive value occurs in it.

Histograms are sparse (only values that occur), so a column of a million distinct salaries costs no more than its
rows. Two stricter readings of several sensitive attributes are views of the same thing: the *joint* distribution
(disease and salary as one attribute) and *given* (the others counted as quasi-identifiers: a class is measured by
its worst part in which they are equal). Where a person may have several rows, `Classes.of_people` counts people: once
in a class, and once for each different value that they have there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Ints
from shoal.core.errors import RoleError, TableError, Unsupported, nearest
from shoal.core.number_format import counted
from shoal.core.sorting import distinct_rows
from shoal.hierarchies.base import Hierarchy
from shoal.tables.encoded_column import Coded, own_order
from shoal.tables.roles import listed
from shoal.tables.spelling import infer

if TYPE_CHECKING:
    from shoal.hierarchies.containment import ShownCells
    from shoal.microdata.chances import Chances
    from shoal.microdata.microdata import Microdata
    from shoal.tables.table import Table

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
    people: int | None = None
    """How many people the published table is about, where `totals` count people; None where they count rows."""
    parts: tuple[Values, ...] = ()
    """The attributes that are read jointly; none where it is one."""
    combinations: Ints | None = None
    """Value by part: its value of each; None where it is one attribute."""

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
        return replace(self, codes=self.codes[rows])

    def by(self, person: AnyInts, people: int) -> Values:
        """Return the same attribute of the whole published table with counts of people: `person` numbers each row's."""
        _, first, _ = distinct_rows([person, self.codes], [people, len(self.totals)])
        totals = np.bincount(self.codes[first], minlength=len(self.totals)).astype(np.int64)
        return replace(self, totals=totals, people=people)

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
        columns = tuple(columns)
        codes, first, totals = distinct_rows([c.codes for c in columns], [len(c.totals) for c in columns])
        if weights is not None:
            totals = np.bincount(codes, weights=weights).astype(np.int64)
        members = np.column_stack([c.codes[first] for c in columns]).astype(np.int64)
        domain = "#" + pl.Series(np.arange(len(totals))).cast(pl.String)  # no numbers
        return cls(codes, totals, domain, parts=columns, combinations=members)


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
    people: Ints | None = None
    """The number of people in each slice, where `counts` are of people; None where they are of rows."""

    @cached_property
    def sizes(self) -> Ints:
        """The sum of the counts of each slice: its rows, or the different values of each of its people."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @property
    def members(self) -> Ints:
        """The number of rows in each slice; of people, where people are counted."""
        return self.sizes if self.people is None else self.people

    @cached_property
    def slice_of_entry(self) -> Ints:
        """Which slice each entry belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def total(self) -> int:
        """The sum of the counts of the published table: its rows, or the different values of each of its people."""
        return int(self.values.totals.sum())

    @property
    def all_members(self) -> int:
        """The number of rows of the published table; of people, where people are counted."""
        return self.total if self.values.people is None else self.values.people

    def one(self, index: int) -> dict[int, int]:
        """Return one slice as a plain `{value: count}`."""
        entries = slice(int(self.starts[index]), int(self.starts[index + 1]))
        return dict(zip(self.codes[entries].tolist(), self.counts[entries].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Persons:
    """Whom the rows at hand are about, where a person may have several."""

    of_row: AnyInts
    """A number for the person of each row."""
    number: int
    """How many people the published table is about."""
    values: Mapping[Attributes, Values]
    """The sensitive attributes of the rows at hand, counted by people."""

    @classmethod
    def of(cls, person: Coded, values: Mapping[Attributes, Values]) -> Persons:
        """Return the people of the whole published table."""
        counted = {names: one.by(person.codes, person.size) for names, one in values.items()}
        return cls(person.codes, person.size, counted)

    def at(self, rows: Ints) -> Persons:
        """Return those of some rows only; what is counted of the published table stays."""
        return Persons(self.of_row[rows], self.number, {names: one.at(rows) for names, one in self.values.items()})


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
    own_cells: Callable[[], Sequence[ShownCells]] | None = None
    """Makes the cells that each class would be published with, whatever other classes there are; None where nobody
    asks for them."""
    persons: Persons | None = None
    """Whom the rows are about; None where each row is one person."""
    households: AnyInts | None = None
    """A number for the household of each row; None where nobody says it."""
    _made: dict[tuple[Attributes, Attributes], Histogram] = field(default_factory=dict, repr=False)

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows in each class."""
        return np.bincount(self.class_of_row, weights=self.weights, minlength=self.number).astype(np.int64)

    @cached_property
    def shown(self) -> Sequence[ShownCells] | None:
        """The cells of each class, column by column; None where nobody knows them."""
        return self.own_cells() if self.cells is None and self.own_cells is not None else self.cells

    @cached_property
    def of_people(self) -> PeopleClasses:
        """The same classes, counting people: each once in a class, and once for each of their values there."""
        if self.persons is None:
            raise Unsupported("no column says which person a row belongs to", hint="name it with --person")
        return PeopleClasses(
            self.class_of_row,
            self.number,
            self.persons.values,
            population=self.population,
            fits=self.fits,
            cells=self.cells,
            persons=self.persons,
            households=self.households,
        )

    @cached_property
    def households_in(self) -> Ints:
        """The number of households with members in each class."""
        if self.households is None:
            raise Unsupported("no column says which household a row belongs to", hint="name it with --household")
        of_row, last = self.households, int(self.households.max(initial=0))
        _, first, _ = distinct_rows([self.class_of_row, of_row], [self.number, last + 1])
        return np.bincount(self.class_of_row[first], minlength=self.number).astype(np.int64)

    @property
    def linked_of_row(self) -> Ints:
        """A number for each row by the set of classes that its person has rows in: what linked rows show."""
        assert self.persons is not None
        sizes = [self.persons.number, self.number]
        _, first, _ = distinct_rows([self.persons.of_row, self.class_of_row], sizes)
        pairs = pl.DataFrame({"person": self.persons.of_row[first], "class": self.class_of_row[first]})
        sets = pairs.group_by("person", maintain_order=True).agg(pl.col("class")).sort("person")["class"]
        of_set = {classes: number for number, classes in enumerate(dict.fromkeys(map(tuple, sets)))}
        of_person = np.full(self.persons.number, -1, dtype=np.int64)
        of_person[np.unique(self.persons.of_row)] = [of_set[tuple(classes)] for classes in sets]
        return of_person[self.persons.of_row]

    @property
    def with_linked(self) -> Classes:
        """These classes, and behind them those of people with rows in the same set of classes.

        A model must admit all of them where the rows of a person are linked.
        """
        assert self.persons is not None
        linked, twice = self.linked_of_row, np.tile(np.arange(len(self.class_of_row)), 2)
        return Classes(
            np.concatenate([self.class_of_row, self.number + linked]),
            self.number + int(linked.max()) + 1,
            {names: values.at(twice) for names, values in self.attributes.items()},
            persons=self.persons.at(twice),
            households=None if self.households is None else self.households[twice],
        )

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
        return self._counted(slices, owner, values)

    def _counted(self, slices: Ints, owner: Ints, values: Values) -> Histogram:
        """Count the values of slices of rows."""
        return _histogram(slices, owner, values.codes, values, self.weights)


class PeopleClasses(Classes):
    """Classes that count people: rows of one person in a class are one, and those with one value are one.

    >>> illness = Values(np.array([0, 0, 1]), np.array([2, 1]), pl.Series("illness", ["flu", "gout"]))
    >>> person = Coded.of(pl.Series("person", ["a", "a", "b"]))
    >>> held = {("illness",): illness}
    >>> found = Classes(np.array([0, 0, 0]), 1, held, persons=Persons.of(person, held)).of_people
    >>> found.sizes.tolist(), found.histogram(("illness",)).one(0)
    ([2], {0: 1, 1: 1})
    """

    @cached_property
    def sizes(self) -> Ints:
        """The number of people in each class."""
        return self._people(self.class_of_row, self.number)

    def _people(self, slices: Ints, number: int) -> Ints:
        """Count the people of each slice of rows."""
        assert self.persons is not None
        _, first, _ = distinct_rows([slices, self.persons.of_row], [number, self.persons.number])
        return np.bincount(slices[first], minlength=number).astype(np.int64)

    def _counted(self, slices: Ints, owner: Ints, values: Values) -> Histogram:
        assert self.persons is not None
        sizes = [len(owner), self.persons.number, len(values.totals)]
        _, once, _ = distinct_rows([slices, self.persons.of_row, values.codes], sizes)
        found = _histogram(slices[once], owner, values.codes[once], values)
        return replace(found, people=self._people(slices, len(owner)))


def person_of(table: Table, person: Sequence[str] | str | pl.Series) -> Coded:
    """Return a number for the person of each row, told by some columns together, in which no cell may be missing.

    The people of the rows may also be given themselves.

    >>> from shoal.tables.table import Table
    >>> person_of(Table.of({"clinic": ["a", "a", "b"], "patient": [1, 1, 1]}), ["clinic", "patient"]).codes.tolist()
    [0, 0, 1]
    """
    return _told(table, person, "says which person a row belongs to")


def household_of(table: Table, household: str | pl.Series) -> Coded:
    """Return a number for the household of each row, told by a column in which no cell may be missing.

    >>> from shoal.tables.table import Table
    >>> household_of(Table.of({"home": ["x", "y", "x"]}), "home").codes.tolist()
    [0, 1, 0]
    """
    return _told(table, household, "says which household a row belongs to")


def _told(table: Table, columns: Sequence[str] | str | pl.Series, says: str) -> Coded:
    """Number the rows by what some columns tell together; they may also be given themselves."""
    if isinstance(columns, pl.Series):
        return numbered([Coded.of(columns)])
    for name in listed(columns):
        if name not in table.columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, table.columns))
        if missing := table[name].null_count():
            raise TableError(
                f"column {name!r} {says}, and {counted(missing, 'cell is', 'cells are')} missing",
                expected="a value in every row",
                hint="fill them, or leave these rows out",
            )
    return numbered([table.coded(name) for name in listed(columns)])


def numbered(columns: Sequence[Coded]) -> Coded:
    """Number the rows by their values in some columns; every number occurs."""
    labels, first, _ = distinct_rows([one.codes for one in columns], [one.size for one in columns])
    return Coded(pl.Series("person", np.arange(len(first))), labels.astype(np.int32))


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


def _histogram(slices: Ints, owner: Ints, codes: AnyInts, values: Values, weights: Ints | None = None) -> Histogram:
    """Count the values of slices; `owner` says whose each slice is."""
    width = len(values.totals)
    entries, counts = _count_pairs(slices, codes, width, weights)
    starts = np.searchsorted(entries // width, np.arange(len(owner) + 1))
    return Histogram(starts, entries % width, counts, owner, values)


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
