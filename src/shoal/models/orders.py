"""The order of words, and columns read as a request wants them: words have no order but one that somebody states.

Numbers, dates, truth values and declared categories (an Enum) have an order of their own. For words it is a list, or
the leaves of a hierarchy in the order of its file; the column then becomes an Enum of it, so that every part that asks
for an order (distances, ranges, medians), the codebook and a later verification find the same one. The alphabet never
stands in for it. An empty list takes the order from numbers that are codes: they become words.

Dates, bands and amounts that are written as text get the order that they have by their structure where a distance
counts steps between them, and where ranges are published; there, codes lose theirs (`shoal.hierarchies.natural_order`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.hierarchies import Builder
from shoal.models import Model, Models
from shoal.models.base import quoted
from shoal.tables.encoded_column import own_order
from shoal.tables.roles import listed
from shoal.tables.spelling import unified
from shoal.tables.star_marks import count_literal_stars
from shoal.tables.table import Table

if TYPE_CHECKING:
    from shoal.tables.missing_codes import Codes

LIST, LEAVES = "the list that was given", "the leaves of its hierarchy, as they are listed"
STRUCTURE = "what its texts say: dates, times, bands or amounts"
"""Where the order of words may come from."""

Orders = Mapping[str, Sequence[str]]


def read_as_asked(
    table: Table, unify: Sequence[str] | str = (), order: Orders | None = None, missing: Codes | None = None
) -> Table:
    """Return a table without codes for missing values, with some columns spelt in one way and some words in order.

    Twice is the same as once.

    >>> table = read_as_asked(Table.of({"s": ["mid", "Low", "low", None]}), ["s"], {"s": ["low", "mid", "Low"]})
    >>> table["s"].dtype.categories.to_list(), table["s"].to_list()
    (['low', 'mid', 'Low'], ['mid', 'Low', 'Low', None])
    """
    unify = list(dict.fromkeys(listed(unify)))
    for name in (*unify, *(order or {}), *(missing or {})):
        if name not in table.columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, table.columns))
    if missing:
        from shoal.tables.missing_codes import with_missing  # loaded only where codes are declared

        table = with_missing(table, missing)
    notes = {name: (f"column {name!r}: texts that are alike are spelt in one way, as asked",) for name in unify}
    table = table.with_columns((unified(table[name]) for name in unify), notes)
    return table.with_columns(_in_order(table[name], words) for name, words in (order or {}).items())


def as_read(original: Table, config: Mapping[str, Any]) -> Table:
    """Return the table that a release was made from as its request, kept as plain data, wanted it read."""
    return read_as_asked(original, config.get("unify", ()), config.get("order", {}), config.get("missing", {}))


def _in_order(column: pl.Series, words: Sequence[str]) -> pl.Series:
    """Return a column as an Enum of some words, or say why it cannot be one; without any words, as text."""
    name, listed = column.name, [words] if isinstance(words, str) else list(map(str, words))
    if not listed:
        return column.cast(pl.String)
    if len(set(listed)) < len(listed):
        raise ParameterError(
            f"the order of {name!r} has {len(listed):,} values, {len(set(listed)):,} of them different",
            expected="every value of the column once, the least first",
        )
    if count_literal_stars(pl.Series(listed)):
        raise ParameterError(f"the order of {name!r} has a value that is written like a star", hint="rename that value")
    texts = column.cast(pl.String)
    unknown = texts.drop_nulls().unique().is_in(pl.Series(listed).implode()).not_().sum()
    if unknown:
        raise ParameterError(
            f"{unknown:,} different values of {name!r} are not in the order given for it",
            expected="every value of the column, the least first",
        )
    return texts.cast(pl.Enum(listed))


def wanted_orders(table: Table, models: Models, builders: Mapping[str, Builder]) -> tuple[Orders, dict[str, str]]:
    """Return the orders of words that a model wants in order, and by column where each comes from.

    They are the leaves of a hierarchy, or else what texts that are dates, bands or amounts say.
    """
    wanted = [name for name in models.in_order if name in table.columns]
    words = {name: values for name in wanted if own_order(values := table.coded(name).values) is None}
    leaves = {name: builders[name].leaves for name in words if name in builders and builders[name].leaves}
    rest = {name: _structure(values) for name, values in words.items() if name not in builders}
    found = leaves | {name: order for name, order in rest.items() if order}
    return found, {name: LEAVES if name in leaves else STRUCTURE for name in found}


def _structure(values: pl.Series) -> tuple[str, ...] | None:
    from shoal.hierarchies.natural_order import natural_order  # loaded only where words are to be in order

    return natural_order(values)


def uncompared_order(table: Table, model: Model) -> str | None:
    """Say that a distance takes all different texts of a column to be equally far apart, though they have an order.

    None where there is nothing to say.
    """
    if getattr(model, "distance", None) != "auto" or len(model.attributes) != 1:
        return None
    (name,) = model.attributes
    if name not in table.columns:
        return None
    values = table.coded(name).values
    if own_order(values) is not None or not _structure(values):
        return None
    ordered = str(model).replace(f"({quoted(name)}", f"({quoted(name)}:ordered")
    return (
        f"{model} takes all different texts of {name!r} to be equally far apart, which asks for large classes; they are"
        f" dates, times, bands or amounts, and {ordered} compares them in their order"
    )


def declared_orders(table: Table, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the words, in their order, of the columns that have one.

    >>> declared_orders(Table.of({"s": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))}), ["s"])
    {'s': ['b', 'a']}
    """
    kinds = {name: table.dtype(name) for name in columns if name in table.columns}
    return {name: kind.categories.to_list() for name, kind in kinds.items() if isinstance(kind, pl.Enum)}
