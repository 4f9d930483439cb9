"""What the pages show of a table: each one call to the library. Only `preview` and `tree` hold cells of the original.

`LOOKS` are those that may take more than a second; the desk lets a worker do them where the table is large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.core.errors import RoleError
from shoal.core.sorting import distinct_rows
from shoal.inspection import inspect
from shoal.inspection.households import household_warnings
from shoal.risk.attackers import attacker
from shoal.risk.uniques import uniques
from shoal.steps.preparation import with_published_weights
from shoal.steps.safety import dangers, repeated_identifiers
from shoal.tables.roles import Roles
from shoal.web.desk.choices import Choice, cells_of, costs, methods, recodings
from shoal.web.desk.draft import ROLES, Draft
from shoal.web.desk.draft_table import Stamp, encoded, first_rows, table
from shoal.web.desk.estimates import Fit, estimates, fits
from shoal.web.desk.forms import Field, Filled, Form, explained, filled, models, written
from shoal.web.desk.trees import Blocks, Shape, builders, hierarchy, proposal, tree

__all__ = [
    "LOOKS",
    "Blocks",
    "Choice",
    "Field",
    "Filled",
    "Fit",
    "Form",
    "Grid",
    "Shape",
    "Uniqueness",
    "builders",
    "cells_of",
    "costs",
    "explained",
    "filled",
    "fits",
    "grid",
    "hierarchy",
    "inspection",
    "methods",
    "models",
    "preview",
    "proposal",
    "recodings",
    "table",
    "tree",
    "uniqueness",
    "written",
]

BARS = 12
"""Bars of the small picture of a column."""
ROWS = 20
"""Rows that are shown."""


@dataclass(frozen=True)
class Grid:
    """Rows of text under headings; None is a missing value."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def grid(frame: pl.DataFrame) -> Grid:
    """Return a frame as text."""
    return Grid(tuple(frame.columns), tuple(frame.select(pl.all().cast(pl.String)).rows()))


def preview(draft: Draft, rows: int = ROWS) -> Grid:
    """Return the first rows of the original: cells, shown because they were asked for."""
    return grid(first_rows(draft, rows))


@dataclass(frozen=True)
class Uniqueness:
    """How far some columns, known together, tell people apart."""

    rows: int
    classes: int
    """Different combinations of values."""
    alone: int
    """Rows that no other row is like."""
    share: float
    smallest: int
    average_risk: float
    """The share of the rows that an attacker gets right, linking all."""
    small: tuple[tuple[int, int], ...]
    """Rows in crowds below 2, 3 and 5."""


def uniqueness(draft: Draft, columns: Sequence[str] | None = None) -> Uniqueness:
    """Count how many rows are unique in some columns; without them in the quasi-identifiers of the draft."""
    return _uniqueness(Stamp.of(draft), tuple(draft.named("quasi") if columns is None else columns))


@lru_cache(maxsize=256)
def _uniqueness(stamp: Stamp, columns: tuple[str, ...]) -> Uniqueness:
    if not columns:
        raise RoleError("no column is a quasi-identifier", expected="at least one column that an attacker may know")
    coded = [encoded(stamp, name) for name in columns]
    _, _, sizes = distinct_rows([one.codes for one in coded], [one.size for one in coded])
    found, risk = uniques(sizes, sizes), attacker(sizes, sizes, ())
    small = tuple((one.below, one.rows) for one in found.small)
    return Uniqueness(int(sizes.sum()), len(sizes), found.rows, found.share, found.smallest, risk.average, small)


def inspection(draft: Draft) -> dict[str, Any]:
    """Return rows, size and, for each column, type, counts, the role proposed and why; no cell is in it."""
    found = table(draft)
    shapes = {name: shape(found[name]) for name in found.columns}
    return {**inspect(found).to_dict(), "shapes": shapes, "bytes": Path(str(draft.file)).stat().st_size}


def shape(column: pl.Series) -> list[float]:
    """Return how a column is distributed, as heights from 0 to 1: numbers over their range, else the commonest values.

    >>> shape(pl.Series(["a", "b", "a", "a"])), shape(pl.Series([0, 0, 11, None]))[::11]
    ([1.0, 0.333], [1.0, 0.5])
    """
    held = column.drop_nulls()
    if held.is_empty():
        return []
    if column.dtype.is_numeric():
        counts = np.histogram(held.cast(pl.Float64).to_numpy(), bins=BARS)[0].tolist()
    else:
        counts = held.cast(pl.String).value_counts(sort=True)["count"].head(BARS).to_list()
    most = max(counts)
    return [round(many / most, 3) for many in counts]


def choices(draft: Draft) -> dict[str, Any]:
    """Return the methods with whether each can take the draft."""
    return {"methods": methods(draft)}


def safety(draft: Draft) -> dict[str, Any]:
    """Return the columns that are not published unless they are insisted on, with the reasons, and what to mind."""
    people = with_published_weights(table(draft), draft)
    given = {setting: draft.named(role) for role, setting in ROLES.items()}
    roles = Roles.of(people.columns, **given)
    refused, warnings = dangers(people, roles, draft.allow)
    repeated = () if draft.person else repeated_identifiers(people, roles, draft.household)
    homes = [] if draft.household is None else household_warnings(people, draft.household, roles.quasi, roles.other)
    return {"refused": refused, "warnings": [*warnings, *repeated, *homes]}


LOOKS: Mapping[str, Callable[[Draft], dict[str, Any]]] = {
    "inspection": inspection,
    "methods": choices,
    "safety": safety,
    "estimates": estimates,
}
