"""Hierarchies as the page shows them: levels, blocks, how many rows each holds; and what can be built on a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

import shoal.hierarchies
from shoal.core.arrays import Ints
from shoal.core.discovery import discover
from shoal.core.errors import HierarchyError, ShoalError
from shoal.hierarchies import Automatic, Builder, Hierarchy, Intervals, Taxonomy, as_builder, spec_of
from shoal.hierarchies.files import hierarchy_rows, hierarchy_tree
from shoal.inspection.suggestion import MANY
from shoal.tables.encoded_column import Coded
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_table import column

SHOWN = 50
"""Blocks of a level that are shown."""


@dataclass(frozen=True)
class Blocks:
    """One level: its blocks, the fullest first, with the rows in each; of many, the first."""

    level: int
    number: int
    smallest: int
    """Rows in the smallest block."""
    blocks: tuple[tuple[str | None, int], ...]


@dataclass(frozen=True)
class Shape:
    """A hierarchy on its column, as it is written, and level by level; level 0 names no values unless asked to."""

    spec: Mapping[str, Any]
    levels: tuple[Blocks, ...]


@dataclass(frozen=True)
class Buildable:
    """A kind of hierarchy: what it is, what it may be told, a start on this column, or why it does not fit."""

    name: str
    meaning: str
    parameters: tuple[str, ...]
    spec: Mapping[str, Any] | None
    reason: str = ""


def hierarchy(draft: Draft, name: str, spec: object = None, *, values: bool = False, shown: int = SHOWN) -> Shape:
    """Build a hierarchy on a column, or raise in words; without a spec the draft's, or the one chosen by itself.

    `values`: level 0 lists the values of the column, which are cells.
    """
    coded = _few(column(draft, name))
    builder = builder_of(draft, name, spec, coded)
    counts = rows_of(coded)
    built = builder.build(coded.values, counts)
    levels = (_blocks(built, level, counts, shown if level or values else 0) for level in range(built.height + 1))
    return Shape(spec_of(builder), tuple(levels))


def tree(draft: Draft, name: str, spec: object = None) -> Any:
    """Return a hierarchy as groups within groups, the root `*` outermost, to be edited: its leaves are cells."""
    coded = _few(column(draft, name))
    return hierarchy_tree(hierarchy_rows(builder_of(draft, name, spec, coded).build(coded.values, rows_of(coded))))


def proposal(draft: Draft, name: str) -> str:
    """Return what is chosen by itself for a column, by name: its kind, and how it is set."""
    coded = _few(column(draft, name))
    chosen = Automatic().chosen(coded.values, rows_of(coded))
    return chosen.description


def builders(draft: Draft, name: str) -> tuple[Buildable, ...]:
    """Return every kind of hierarchy, each with a start on the column or the reason why it does not fit."""
    coded = _few(column(draft, name))
    kinds = discover(shoal.hierarchies, Builder)
    return tuple(_buildable(kind, coded) for kind in kinds.values() if kind is not Taxonomy)


def _buildable(kind: type[Builder], coded: Coded) -> Buildable:
    names = tuple(one.name for one in fields(kind))  # type: ignore[arg-type]
    try:
        builder = _start(kind, coded)
        builder.build(coded.values, rows_of(coded))
    except ShoalError as error:
        return Buildable(kind.name, kind.meaning, names, None, str(error))
    return Buildable(kind.name, kind.meaning, names, spec_of(builder))


def _start(kind: type[Builder], coded: Coded) -> Builder:
    """Return a builder of a kind as it stands, intervals with the widths that would be chosen by themselves."""
    if kind is not Intervals:
        return kind()
    chosen = Automatic().chosen(coded.values, rows_of(coded))
    return chosen if isinstance(chosen, Intervals) else Intervals(bins=[4, 2])


def builder_of(draft: Draft, name: str, spec: object, coded: Coded) -> Builder:
    """Return what builds a column's hierarchy: a spec, or the draft's, or what is chosen by itself."""
    said = draft.hierarchies.get(name) if spec is None else spec
    builder = Automatic() if said is None else as_builder(said)
    return builder.chosen(coded.values, rows_of(coded)) if isinstance(builder, Automatic) else builder


def rows_of(coded: Coded) -> Ints:
    """Return how many rows have each value."""
    return np.bincount(coded.codes, minlength=coded.size)


def _few(coded: Coded) -> Coded:
    if coded.size > MANY:
        raise HierarchyError(
            f"column {coded.name!r} has {coded.size:,} different values, more than the {MANY:,} that are shown here",
            hint="leave its hierarchy to the run, or make the column an identifier",
        )
    return coded


def _blocks(built: Hierarchy, level: int, counts: Any, shown: int) -> Blocks:
    labels = built.labels[level]
    rows = np.bincount(built.up[level], weights=counts, minlength=len(labels)).astype(np.int64)
    order = np.argsort(-rows, kind="stable")[:shown] if len(labels) > shown else np.arange(len(labels))
    named = tuple((labels[block], int(rows[block])) for block in order.tolist())
    return Blocks(level, len(labels), int(rows.min()), named)
