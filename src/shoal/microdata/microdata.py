"""Microdata: the table as small integers. This is where speed is won.

Every quasi-identifier and sensitive attribute is dictionary-encoded (codes follow the order of the values, a missing
value comes last), every hierarchy is bound to its column as an integer array, and equal quasi-identifier tuples are
stored once, with their count. Methods work on this, never on strings. Nothing is lost: `decode` gives the table back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.core.arrays import Codes, Ints
from shoal.core.errors import HierarchyError, RoleError, TableError, nearest
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Automatic, Builder, Hierarchy, StarsOnly
from shoal.hierarchies.level_range import LevelRange
from shoal.microdata.histogram import household_of, numbered, person_of
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles
from shoal.tables.table import Table


@dataclass(frozen=True, eq=False)
class Population:
    """The people whom the table may be about: distinct quasi-identifier tuples over the table's domains, and counts."""

    tuples: Codes
    counts: Ints

    @classmethod
    def of(cls, columns: Sequence[Codes]) -> Population:
        """Store equal tuples once."""
        _, first, counts = distinct_rows(columns, [int(codes.max()) + 1 for codes in columns])
        return cls(np.column_stack(columns)[first], counts)


@dataclass(frozen=True, eq=False)
class Microdata:
    """A table with roles and hierarchies, encoded once."""

    table: Table
    roles: Roles
    quasi: tuple[Coded, ...]
    sensitive: tuple[Coded, ...]
    hierarchies: tuple[Hierarchy, ...]
    """One for each quasi-identifier, in order."""
    builders: Mapping[str, Builder]
    """What the quasi-identifiers' hierarchies were built by, nothing left to the data."""
    trees: Mapping[str, Hierarchy]
    """Hierarchies given for sensitive attributes, for the hierarchical distance."""
    population: Population | None = None
    """Given, the domains of the quasi-identifiers are those of table and population together."""
    person: Coded | None = None
    """Whom each row is about; None where each row is one person."""
    household: Coded | None = None
    """Of what household each row is; None where nobody says it."""
    level_ranges: Mapping[str, LevelRange] = field(default_factory=dict)
    """By column, the levels that it may be published at where all its cells have one level; any if none is named."""
    column_recodings: Mapping[str, str] = field(default_factory=dict)
    """By column, how it is published where columns are published in different ways."""

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.table.rows

    @property
    def levels(self) -> dict[str, str]:
        """What the levels of the quasi-identifiers' hierarchies are, in words; no cell of the table."""
        pairs = zip(self.quasi, self.hierarchies, strict=True)
        return {column.name: self.builders[column.name].levels_of(hierarchy) for column, hierarchy in pairs}

    @property
    def least_levels(self) -> tuple[int, ...]:
        """The lowest level that each quasi-identifier may be published at."""
        return tuple(self._levels_of(column.name).least for column in self.quasi)

    @property
    def most_levels(self) -> tuple[int, ...]:
        """The highest level that each quasi-identifier may be published at; suppressed rows are stars all the same."""
        pairs = zip(self.quasi, self.hierarchies, strict=True)
        asked = ((self._levels_of(column.name).most, hierarchy.height) for column, hierarchy in pairs)
        return tuple(height if most is None else most for most, height in asked)

    def _levels_of(self, name: str) -> LevelRange:
        return self.level_ranges.get(name, LevelRange())

    @cached_property
    def codes(self) -> Codes:
        """The quasi-identifier codes, row by attribute."""
        return np.column_stack([column.codes for column in self.quasi])

    @cached_property
    def _distinct(self) -> tuple[Codes, Ints, Ints]:
        labels, first, counts = distinct_rows(
            [column.codes for column in self.quasi], [column.size for column in self.quasi]
        )
        return np.column_stack([column.codes[first] for column in self.quasi]), labels, counts

    @property
    def tuples(self) -> Codes:
        """The distinct quasi-identifier tuples, in code order."""
        return self._distinct[0]

    @property
    def tuple_of_row(self) -> Ints:
        """Which distinct tuple each row has: `tuples[tuple_of_row]` is `codes`."""
        return self._distinct[1]

    @property
    def counts(self) -> Ints:
        """How many rows have each distinct tuple."""
        return self._distinct[2]

    @cached_property
    def identity(self) -> Ints:
        """A number for each row by its published cells and whose it is: ties never depend on the order of rows."""
        whose = [one for one in (self.person, self.household) if one is not None]
        others = [*self.sensitive, *self._other, *whose]
        return _numbers([*self.quasi, *others]) if others else self.tuple_of_row

    @cached_property
    def shown_of_row(self) -> Ints:
        """A number for each row by all that is published of it but its sensitive values."""
        return _numbers([*self.quasi, *self._other])

    @cached_property
    def secret_of_row(self) -> Ints:
        """A number for each row by its sensitive values together; 0 where no column is sensitive."""
        return _numbers(self.sensitive) if self.sensitive else np.zeros(self.rows, dtype=np.int64)

    @cached_property
    def stars(self) -> tuple[Hierarchy, ...]:
        """For each quasi-identifier, the hierarchy of its values and the star above them."""
        return tuple(StarsOnly().build(column.values) for column in self.quasi)

    @property
    def _other(self) -> list[Coded]:
        return [self.table.coded(name) for name in self.roles.other]

    def attribute(self, name: str) -> Coded:
        """Return the encoded sensitive attribute of that name."""
        for column in self.sensitive:
            if column.name == name:
                return column
        raise KeyError(name)

    def take(self, rows: Ints) -> Microdata:
        """Return the microdata of some rows, encoded anew, under the same hierarchies' parameters and roles."""
        frame = self.table.part(rows)
        quasi = tuple(Coded(column.values, column.codes[rows]) for column in self.quasi)
        sensitive = tuple(Coded.of(frame[column.name]) for column in self.sensitive)
        trees = {name: _narrowed(tree, self.attribute(name), frame[name]) for name, tree in self.trees.items()}
        person, household = (_renumbered(one, rows) for one in (self.person, self.household))
        table = Table(frame, self.table.notes)
        made = replace(self, table=table, quasi=quasi, sensitive=sensitive, trees=trees)
        return replace(made, person=person, household=household)

    def decode(self) -> pl.DataFrame:
        """Return the original columns from the codes alone: the encoding loses nothing."""
        return pl.DataFrame([column.decode(column.codes) for column in (*self.quasi, *self.sensitive)])


def encode(
    table: Table,
    roles: Roles,
    hierarchies: Mapping[str, Builder] | None = None,
    population: Table | None = None,
    person: Sequence[str] = (),
    household: str | None = None,
) -> Microdata:
    """Encode a table: dictionary codes for every quasi-identifier and sensitive attribute, hierarchies as arrays.

    `person` names the columns that together identify the person of a row, where a person may have several rows;
    `household` the one that says which household a row belongs to.
    """
    hierarchies = dict(hierarchies or {})
    check_hierarchies(hierarchies, roles)
    quasi, people = _with_population(table, roles, population)
    sensitive = tuple(table.coded(name) for name in roles.sensitive)
    builders = {column.name: _resolved(column, hierarchies.get(column.name, Automatic())) for column in quasi}
    bound = tuple(_bound(column, builders[column.name]) for column in quasi)
    trees = {
        column.name: _bound(column, hierarchies[column.name]) for column in sensitive if column.name in hierarchies
    }
    whom = person_of(table, person) if person else None
    home = None if household is None else household_of(table, household)
    return Microdata(table, roles, quasi, sensitive, bound, builders, trees, people, whom, home)


def check_hierarchies(hierarchies: Iterable[str], roles: Roles) -> None:
    """Refuse a hierarchy for what is neither a quasi-identifier nor sensitive."""
    for name in hierarchies:
        if name not in (*roles.quasi, *roles.sensitive):
            raise HierarchyError(
                f"a hierarchy is given for {name!r}",
                expected="a quasi-identifier or sensitive column",
                hint=nearest(name, (*roles.quasi, *roles.sensitive)),
            )


def _with_population(
    table: Table, roles: Roles, population: Table | None
) -> tuple[tuple[Coded, ...], Population | None]:
    """Encode the quasi-identifiers, of table and population over one domain where there is a population."""
    if population is None:
        return tuple(table.coded(name) for name in roles.quasi), None
    for name in roles.quasi:
        if name not in population.columns:
            raise RoleError(f"the population has no column {name!r}", hint=nearest(name, population.columns))
        kinds = table.coded(name).values.dtype, population[name].dtype
        if kinds[0] != kinds[1]:
            raise TableError(
                f"column {name!r} has the type {kinds[0]}, and {kinds[1]} in the population",
                expected="the same type in both",
            )
    both = [Coded.of(pl.concat([table[name], population[name]])).cut(table.rows) for name in roles.quasi]
    return tuple(column for column, _ in both), Population.of([codes for _, codes in both])


def bound_to(column: Coded, builder: Builder, counts: Ints) -> tuple[Builder, Hierarchy]:
    """Bind a hierarchy to a column, `counts` rows of each value; return what built it, nothing left to the data."""
    with _named(column.name):
        resolved = builder.resolved(column.values, counts)
        return resolved, resolved.build(column.values, counts)


def _resolved(column: Coded, builder: Builder) -> Builder:
    with _named(column.name):
        return builder.resolved(column.values, np.bincount(column.codes, minlength=column.size))


def _bound(column: Coded, builder: Builder) -> Hierarchy:
    with _named(column.name):
        return builder.build(column.values, np.bincount(column.codes, minlength=column.size))


@contextmanager
def _named(column: str) -> Iterator[None]:
    """Say which column a hierarchy does not fit."""
    try:
        yield
    except HierarchyError as error:
        raise HierarchyError(
            f"hierarchy of {column!r}: {error.given}", expected=error.expected, hint=error.hint
        ) from error


def _narrowed(tree: Hierarchy, before: Coded, after: pl.Series) -> Hierarchy:
    """Return a sensitive attribute's tree over the values that are left, still counting every declared leaf."""
    kept = np.flatnonzero(np.bincount(Coded.of(pl.concat([before.values, after])).codes, minlength=before.size) > 1)
    ups, labels, leaves = [], [], []
    for level, up in enumerate(tree.up):
        blocks, narrowed = np.unique(up[kept], return_inverse=True)
        ups.append(narrowed.astype(np.int32))
        labels.append(tuple(tree.labels[level][block] for block in blocks))
        leaves.append(tree.leaves[level][blocks])
    return Hierarchy(np.stack(ups), tuple(labels), tuple(leaves))


def _renumbered(whose: Coded | None, rows: Ints) -> Coded | None:
    """Return the people or households of some rows, numbered anew."""
    return None if whose is None else numbered([Coded(whose.values, whose.codes[rows])])


def _numbers(columns: Sequence[Coded]) -> Ints:
    """Number rows by their values in some columns."""
    return distinct_rows([column.codes for column in columns], [column.size for column in columns])[0]
