"""The domains of a table in Spark: what can be known of it from the distinct values of its columns and their counts.

All that travels to the driver are the distinct values of each quasi-identifier and the distinct combinations of
sensitive values, called *secrets* here. They give every value its code, every hierarchy, and the distribution that
classes are compared with; and with them a worker can pose the problem of its own rows as part of the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Ints
from shoal.costs import Cost
from shoal.hierarchies import Automatic, Builder, Hierarchy
from shoal.microdata.histogram import Attributes, Classes, Values, with_joints
from shoal.microdata.microdata import Microdata, bound_to, check_hierarchies
from shoal.models import Models
from shoal.problem import Problem
from shoal.spark.columns import Numbered
from shoal.spark.packing import Packing
from shoal.spark.row_counts import Counted
from shoal.spark.session import changed
from shoal.tables.column_types import tidy
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles
from shoal.tables.spelling import infer_file, spelling_notes
from shoal.tables.table import Table


@dataclass(frozen=True, eq=False)
class Domains:
    """The distinct values of the columns of a table: as Spark has them, and as shoal encodes them."""

    roles: Roles
    quasi: tuple[Counted, ...]
    secrets: Counted
    columns: tuple[Coded, ...]
    """The quasi-identifiers; their codes are those of the values in `quasi`."""
    sensitive: tuple[Coded, ...]
    """The sensitive attributes; their codes are those of the secrets."""

    @classmethod
    def of(cls, people: Numbered, *, as_text: bool) -> Domains:
        """Count the values of each quasi-identifier and the secrets, in Spark; `as_text`: find out their types."""
        quasi, secret = people.split_keys
        counted = tuple(Counted.of(people.frame, [name]) for name in quasi)
        rows = int(counted[0].counts.sum())
        secrets = Counted.of(people.frame, secret) if secret else Counted(pl.DataFrame(), np.array([rows]))
        return cls.counted(people.roles, counted, secrets, as_text=as_text)

    @classmethod
    def counted(cls, roles: Roles, counted: tuple[Counted, ...], secrets: Counted, *, as_text: bool) -> Domains:
        """Encode what was counted: the values of each quasi-identifier, and the secrets."""
        if len({int(one.counts.sum()) for one in (*counted, secrets)}) > 1:
            raise changed()
        columns = [_encoded(one.distinct, (name,), as_text) for one, name in zip(counted, roles.quasi, strict=True)]
        sensitive = _encoded(secrets.distinct, roles.sensitive, as_text) if roles.sensitive else []
        return cls(roles, counted, secrets, tuple(one for (one,) in columns), tuple(sensitive))

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.secrets.counts.sum())

    @property
    def spelling(self) -> tuple[str, ...]:
        """Where values are spelt in several ways; names of columns and counts."""
        counted = zip(
            (*self.quasi, self.secrets), (*((name,) for name in self.roles.quasi), self.roles.sensitive), strict=True
        )
        columns = [column for one, names in counted for column in _named(one.distinct, names).iter_columns()]
        return tuple(note for notes in spelling_notes(columns).values() for note in notes)

    @cached_property
    def counts(self) -> list[Ints]:
        """How many rows have each value of each quasi-identifier, by code."""
        pairs = zip(self.columns, self.quasi, strict=True)
        return [_weighed(column.codes, one.counts, column.size) for column, one in pairs]

    @property
    def packing(self) -> Packing:
        """How the codes of a row are packed: its quasi-identifiers, then its secret."""
        return Packing((*(column.size for column in self.columns), len(self.secrets.counts)))

    def values(self, trees: Mapping[str, Hierarchy], joints: Sequence[Attributes]) -> dict[Attributes, Values]:
        """Return every sensitive attribute of the secrets, and those read jointly; P is that of the whole table."""
        single: dict[Attributes, Values] = {
            (column.name,): Values(column.codes, self._times(column), column.values, trees.get(column.name))
            for column in self.sensitive
        }
        return with_joints(single, joints, self.secrets.counts)

    def _times(self, column: Coded) -> Ints:
        """Return how many rows have each value of a sensitive attribute."""
        return _weighed(column.codes, self.secrets.counts, column.size)

    def outline(self, builders: Mapping[str, Builder]) -> Outline:
        """Return the table as a method's problem is posed with it: domains and hierarchies, and no rows."""
        check_hierarchies(builders, self.roles)
        resolved, hierarchies = {}, []
        for column, counts in zip(self.columns, self.counts, strict=True):
            resolved[column.name], hierarchy = bound_to(column, builders.get(column.name, Automatic()), counts)
            hierarchies.append(hierarchy)
        trees = {
            column.name: bound_to(column, builders[column.name], self._times(column))[1]
            for column in self.sensitive
            if column.name in builders
        }
        empty = np.empty(0, dtype=np.int32)
        known = pl.DataFrame([column.values.clear() for column in (*self.columns, *self.sensitive)])
        roles = Roles(self.roles.quasi, self.roles.sensitive)
        quasi = tuple(Coded(column.values, empty) for column in self.columns)
        return Outline(Table(known), roles, quasi, self.sensitive, tuple(hierarchies), resolved, trees, domains=self)


@dataclass(frozen=True, eq=False)
class Outline(Microdata):
    """A table whose rows are elsewhere: its domains, its hierarchies and how many rows it has."""

    domains: Domains | None = None

    @property
    def rows(self) -> int:
        """The number of records."""
        assert self.domains is not None
        return self.domains.rows


@dataclass(frozen=True, eq=False)
class Part(Problem):
    """The problem of some rows of a table: whether a class is admitted is asked as for a class of the whole table."""

    of_rows_here: Mapping[Attributes, Values] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[Attributes, Values]:
        """The sensitive attributes of these rows; domain and distribution are the whole table's."""
        return dict(self.of_rows_here)


@dataclass(frozen=True, eq=False)
class WorkerTable:
    """What a worker must know of the table to pose the problem of its rows; no more than domains and counts."""

    roles: Roles
    columns: tuple[Coded, ...]
    sensitive: tuple[Coded, ...]
    hierarchies: tuple[Hierarchy, ...]
    values: Mapping[Attributes, Values]
    """The sensitive attributes of the secrets."""
    counts: Ints
    """How many rows have each secret."""
    models: Models
    cost: Cost
    recoding: str

    @classmethod
    def of(cls, problem: Problem) -> WorkerTable:
        """Take what is needed from a problem that was posed with an outline."""
        outline = problem.microdata
        assert isinstance(outline, Outline)
        assert outline.domains is not None
        domains = outline.domains
        return cls(
            outline.roles,
            outline.quasi,
            outline.sensitive,
            outline.hierarchies,
            domains.values(outline.trees, problem.models.joints),
            domains.secrets.counts,
            problem.models,
            problem.cost,
            problem.recoding,
        )

    def part(self, codes: Sequence[AnyInts], secrets: Ints) -> Problem:
        """Pose the problem of some rows, given by their codes and secrets."""
        quasi = tuple(
            Coded(column.values, one.astype(np.int32)) for column, one in zip(self.columns, codes, strict=True)
        )
        sensitive = tuple(Coded(column.values, column.codes[secrets]) for column in self.sensitive)
        here = Table(pl.DataFrame({"row": np.arange(len(secrets))}))
        microdata = Microdata(here, self.roles, quasi, sensitive, self.hierarchies, {}, {})
        values = {name: one.at(secrets) for name, one in self.values.items()}
        return Part(microdata, self.models, self.cost, self.recoding, of_rows_here=values)

    def classes(self, label: Ints, secrets: Ints, counts: Ints, number: int) -> Classes:
        """Return what models see of classes, given by how many rows with which secret each has."""
        return Classes(label, number, {name: one.at(secrets) for name, one in self.values.items()}, weights=counts)

    @property
    def together(self) -> Classes:
        """What models see of all rows as one class."""
        secrets = np.arange(len(self.counts))
        return self.classes(np.zeros_like(secrets), secrets, self.counts, 1)


def _named(distinct: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    return distinct.rename(dict(zip(distinct.columns, names, strict=True)))


def _encoded(distinct: pl.DataFrame, names: Sequence[str], as_text: bool) -> list[Coded]:
    named = _named(distinct, names)
    typed = named.select(infer_file(column) for column in named.iter_columns()) if as_text else named
    return [Coded.of(column) for column in tidy(typed).iter_columns()]


def _weighed(codes: AnyInts, weights: Ints, size: int) -> Ints:
    return np.bincount(codes, weights=weights, minlength=size).astype(np.int64)
