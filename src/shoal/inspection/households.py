"""Households: the column that numbers them, what their members share, and where members differ in it.

Size, composition, tenure or rooms are the same for all members of a household, and neighbours know them: they are
quasi-identifiers of every member.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from shoal.core.number_format import counted
from shoal.tables.column_names import speaks
from shoal.tables.name_rules import HOUSEHOLD_ATTRIBUTES, HOUSEHOLD_NUMBERS
from shoal.tables.table import Table


def household_column(table: Table) -> str | None:
    """Return the first column whose name says that it numbers households, if some household has several members.

    >>> household_column(Table.of({"age": [30, 40, 50], "hh_id": [1, 1, 2]}))
    'hh_id'
    >>> household_column(Table.of({"age": [30, 40, 50], "hh_id": [1, 2, 3]}))
    """
    named = (name for name in table.columns if speaks(name, [HOUSEHOLD_NUMBERS]))
    return next((name for name in named if 1 < table[name].n_unique() < table.rows), None)


def shared_by_members(table: Table, household: str, columns: Iterable[str]) -> list[str]:
    """Return the columns of several values in which all members of each household agree.

    >>> people = Table.of({"home": [1, 1, 2], "rooms": [3, 3, 5], "age": [30, 40, 50]})
    >>> shared_by_members(people, "home", ["rooms", "age"])
    ['rooms']
    """
    several = (name for name in columns if name != household and table[name].n_unique() > 1)
    return [name for name in several if not differing_households(table, household, name)]


def differing_households(table: Table, household: str, column: str) -> int:
    """Return how many households have members that differ in a column."""
    pairs = pl.DataFrame([table[household].alias("home"), table[column].alias("cell")]).unique()
    return pairs.height - pairs["home"].n_unique()


def household_warnings(table: Table, household: str, quasi: Sequence[str], other: Sequence[str]) -> list[str]:
    """Say which attributes of households are published as they are, and in which of them members differ."""
    shown = shared_by_members(table, household, other)
    linked = [
        f"{name!r} is the same for all members of each household and published unchanged: it shows which rows belong"
        " together. Make it a quasi-identifier, or leave it out"
        for name in shown
    ]
    return [*linked, *differing_members(table, household, (*quasi, *other))]


def differing_members(table: Table, household: str, columns: Iterable[str]) -> list[str]:
    """Say in how many households members differ in a column whose name describes the household."""
    named = [name for name in columns if name != household and speaks(name, [HOUSEHOLD_ATTRIBUTES])]
    found = {name: differing_households(table, household, name) for name in named}
    return [
        f"{name!r} describes the household, and members differ in it in"
        f" {counted(many, 'household', 'households')}: is {household!r} the number of the household?"
        for name, many in found.items()
        if many
    ]
