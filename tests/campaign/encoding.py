"""Small tables as integers, quickly: what follows from the values of a column alone is worked out by shoal once.

`quickly_encoded` gives what `shoal.microdata.encode` gives. The values in order, the hierarchy and the tree of a column
follow from the set of its values; `encode` says them of a table of that column alone, and they are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from tests.oracle import Value
from tests.strategies import QUASI, SECRET

from shoal.core.arrays import Codes
from shoal.hierarchies import Builder, Hierarchy
from shoal.microdata.histogram import numbered
from shoal.microdata.microdata import Microdata, Population, encode
from shoal.models.orders import read_as_asked
from shoal.tables.column_types import tidy
from shoal.tables.columns import Encoded
from shoal.tables.encoded_column import Coded, own_order
from shoal.tables.roles import Roles
from shoal.tables.table import Table

HOME = "home"
"""The column that says of what household a row is."""
KINDS = QUASI | SECRET


@dataclass(frozen=True, eq=False)
class Domain:
    """All that follows from the set of values of a column."""

    values: pl.Series
    place: dict[Value, int]
    hierarchy: Hierarchy | None
    builder: Builder | None
    tree: Hierarchy | None

    def coded(self, column: Sequence[Value]) -> Coded:
        """Return a column of these values as integers."""
        return Coded(self.values, np.array([self.place[value] for value in column], dtype=np.int32))


@lru_cache(maxsize=20_000)
def domain_of(name: str, values: frozenset[Value], ordered: bool) -> Domain:
    """Return what shoal makes of a column with these values; `ordered` if words are wanted in the leaves' order."""
    kind, quasi = KINDS[name], name in QUASI
    distinct = list(values)
    table = Table(tidy(pl.DataFrame([pl.Series(name, distinct, kind.dtype)])))
    if ordered and kind.tree and own_order(table.coded(name).values) is None:
        table = read_as_asked(table, order={name: kind.builder.leaves})
    if quasi:
        made = encode(table, Roles.of([name], quasi=[name]), {name: kind.builder})
        [column], [hierarchy] = made.quasi, made.hierarchies
        return Domain(column.values, _places(distinct, column), hierarchy, made.builders[name], None)
    beside = Table(tidy(pl.DataFrame([table[name], pl.Series("beside", ["x"] * len(distinct))])))
    roles = Roles.of(beside.columns, quasi=["beside"], sensitive=[name])
    made = encode(beside, roles, {name: kind.builder} if kind.tree else {})
    [column] = made.sensitive
    return Domain(column.values, _places(distinct, column), None, None, made.trees.get(name))


def _places(distinct: Sequence[Value], column: Coded) -> dict[Value, int]:
    return dict(zip(distinct, column.codes.tolist(), strict=True))


@lru_cache(maxsize=1_000)
def _roles(names: tuple[str, ...], quasi: tuple[str, ...], sensitive: tuple[str, ...]) -> Roles:
    return Roles.of(names, quasi=quasi, sensitive=sensitive)


def quickly_encoded(
    columns: Mapping[str, Sequence[Value]],
    in_order: Collection[str],
    population: Mapping[str, Sequence[Value]],
    homes: Sequence[int] | None,
) -> Microdata:
    """Return a table as integers; `in_order` are the columns of words that a model wants in order."""
    domains = {
        name: domain_of(name, frozenset((*column, *population.get(name, ()))), name in in_order)
        for name, column in columns.items()
    }
    coded = {name: domains[name].coded(column) for name, column in columns.items()}
    quasi = tuple(name for name in columns if name in QUASI)
    sensitive = tuple(name for name in columns if name not in QUASI)
    at_home = [] if homes is None else [Coded.of(pl.Series(HOME, homes))]
    rows = len(next(iter(columns.values())))
    table = Table(Encoded((), [*coded.values(), *at_home], np.arange(rows, dtype=np.int32)))
    people = [_codes(domains[name], population[name]) for name in quasi] if population else []
    return Microdata(
        table,
        _roles((*columns, *([HOME] if at_home else [])), quasi, sensitive),
        tuple(coded[name] for name in quasi),
        tuple(coded[name] for name in sensitive),
        tuple(tree for name in quasi if (tree := domains[name].hierarchy) is not None),
        {name: builder for name in quasi if (builder := domains[name].builder) is not None},
        {name: tree for name in sensitive if (tree := domains[name].tree) is not None},
        Population.of(people) if people else None,
        household=numbered(at_home) if at_home else None,
    )


def _codes(domain: Domain, column: Sequence[Value]) -> Codes:
    return domain.coded(column).codes


def difference(one: Microdata, other: Microdata) -> str:
    """Return where two encodings of a table differ, in a word; nothing where they do not."""
    pairs = [*zip(one.quasi, other.quasi, strict=True), *zip(one.sensitive, other.sensitive, strict=True)]
    if one.household is not None and other.household is not None:
        pairs.append((one.household, other.household))
    found = {
        "roles": one.roles != other.roles,
        "values": any(not a.values.equals(b.values, check_dtypes=True, check_names=True) for a, b in pairs),
        "codes": any(not np.array_equal(a.codes, b.codes) for a, b in pairs),
        "households": (one.household is None) != (other.household is None),
        "hierarchies": list(map(_said, one.hierarchies)) != list(map(_said, other.hierarchies)),
        "trees": {name: _said(tree) for name, tree in one.trees.items()}
        != {name: _said(tree) for name, tree in other.trees.items()},
        "builders": dict(one.builders) != dict(other.builders),
        "population": _people(one) != _people(other),
        "frame": not one.table.frame.equals(other.table.frame),
    }
    return ", ".join(name for name, differs in found.items() if differs)


def _said(tree: Hierarchy) -> tuple[object, ...]:
    return tree.up.tolist(), tree.labels, [leaves.tolist() for leaves in tree.leaves]


def _people(microdata: Microdata) -> object:
    found = microdata.population
    return None if found is None else (found.tuples.tolist(), found.counts.tolist())
