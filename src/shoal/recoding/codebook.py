"""The codebook: what the cells of a published table mean, column by column. It is published with the table.

It tells a missing value, a suppressed cell and an empty string apart, says how each column was recoded, and gives for
every published cell of a quasi-identifier how much it loses, so that the cost can be recomputed from the published
files alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies import Builder, spec_of
from shoal.models import Models
from shoal.recoding.base import Recoding
from shoal.recoding.cells import Cells, HierarchyCells
from shoal.recoding.centroid import CentroidCells
from shoal.recoding.masks.base import Mask
from shoal.recoding.recode import Anatomized, Published, recoding_named
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, literal_stars
from shoal.tables.table import TABLE, Table

STAR_FORMS = (STAR, "null")
"""How stars may be written: as `*`, or as missing values for readers that know no other mark."""
FORMULA = "a text or column name that begins with = + - @, a tab or a line end has one more apostrophe in front"
"""What the codebook says of a table that is neutralised, so that no spreadsheet runs its cells."""


def codebook(
    published: Published,
    tables: Mapping[str, Table],
    *,
    star: str,
    neutralise: bool,
    rounded: Mapping[str, int],
    masks: Mapping[str, Mask],
    cost: Mapping[str, Any],
    losses: Mapping[str, float],
    models: Models,
    builders: Mapping[str, Builder],
) -> dict[str, Any]:
    """Describe the published tables.

    `cost` is what the codebook says of the cost: its name, weights and k. `losses` has what each quasi-identifier lost,
    in a measure that fits the recoding; nothing for two tables. `rounded` has columns whose numbers are published as
    multiples of one, `masks` those whose cells are masked.
    """
    roles = published.microdata.roles
    return {
        "marks": {
            "star": STAR if star == STAR else "missing",
            "missing": "an empty cell in CSV, null in Parquet and Arrow",
            "empty_string": 'a quoted empty cell "" in CSV, an empty text in Parquet and Arrow',
            "literal_star": "a value of the original that reads * is published as \\*",
            "formula": FORMULA if neutralise else "cells that begin like a formula are written as they are",
        },
        "neutralised": bool(neutralise),
        "recoding": published.recoding,
        "cost": dict(cost),
        "columns": _columns(published, tables[TABLE], losses, rounded, masks),
        **_further(published, tables),
        "hierarchies": {name: spec_of(builders[name]) for name in sorted(builders) if name in roles.sensitive},
        "metrics": _metrics(models),
    }


def _columns(
    published: Published,
    table: Table,
    losses: Mapping[str, float],
    rounded: Mapping[str, int],
    masks: Mapping[str, Mask],
) -> list[dict[str, Any]]:
    """Describe the columns of the table of the people."""
    cells = {} if isinstance(published, Anatomized) else {one.column.name: one for one in published.cells}
    recodings = _recodings(published)
    levels = {name: published.microdata.levels[name] for name, kind in recodings.items() if kind.along_hierarchies}
    added = "group" if isinstance(published, Anatomized) else "pseudonym"
    original, whole = published.microdata.table, recoding_named(published.recoding)
    roles = published.microdata.roles
    return [
        {
            "name": name,
            "role": "quasi" if name in roles.quasi else "sensitive" if name in roles.sensitive else "other",
            "type": str(table.dtype(name)),
            "original_type": str(original.dtype(name).base_type()),
            **(_marks_of_cells(cells[name], published.partition.sizes) if name in cells else _marks(table.coded(name))),
            **({"recoding": recodings[name].name} if recodings.get(name, whole) is not whole else {}),
            **({"hierarchy": levels[name]} if name in levels else {}),
            **({"multiples_of": rounded[name]} if name in rounded else {}),
            **({"mask": {**masks[name].stated, "meaning": masks[name].meaning}} if name in masks else {}),
            **({"loss": losses[name], "cells": _cells(cells[name])} if name in cells else {}),
        }
        if name in original.columns
        else {"name": name, "role": added, "type": str(table.dtype(name))}
        for name in table.columns
    ]


def _recodings(published: Published) -> dict[str, Recoding]:
    """Return how each quasi-identifier is recoded."""
    whole, microdata = recoding_named(published.recoding), published.microdata
    return {name: whole.of_column(microdata, index) for index, name in enumerate(microdata.roles.quasi)}


def _further(published: Published, tables: Mapping[str, Table]) -> dict[str, Any]:
    """Describe the tables besides that of the people, and what the columns are called that the original has not."""
    if not isinstance(published, Anatomized):
        return {}
    names = asdict(published.names)
    role_of = {name: role for role, name in names.items()}
    return {
        "names": names,
        "tables": {
            called: [
                {
                    "name": name,
                    "role": role_of.get(name, "sensitive"),
                    "type": str(table.dtype(name)),
                    **({} if name in role_of else _marks(table.coded(name))),
                }
                for name in table.columns
            ]
            for called, table in tables.items()
            if called != TABLE
        },
    }


def _marks(shown: Coded) -> dict[str, int]:
    """Count the cells of a column, published as it is, that are missing, empty strings and escaped literal stars."""
    return marks_of_values(shown.values, np.bincount(shown.codes, minlength=shown.size))


def marks_of_values(values: pl.Series, times: Ints) -> dict[str, int]:
    """Count the same of values that occur so many times each.

    >>> marks_of_values(pl.Series(["*", "", None]), np.array([2, 3, 4]))
    {'stars': 0, 'missing': 4, 'empty_strings': 3, 'literal_stars': 2}
    """
    return {"stars": 0, **_seen(values, times)}


def _marks_of_cells(cells: Cells, sizes: Ints) -> dict[str, int]:
    """Count the same of a recoded column, from its distinct cells and how many rows show each."""
    rows = np.bincount(cells.of_group, weights=sizes, minlength=len(cells.singles)).astype(np.int64)
    visible = cells.singles >= 0
    values = cells.column.values.gather(cells.singles[visible])
    return {"stars": int(rows[cells.stars].sum()), **_seen(values, rows[visible])}


def _seen(values: pl.Series, times: Ints) -> dict[str, int]:
    """Count missing values, empty strings and literal stars, of values that occur so many times each."""
    counts, text = pl.Series(times), values.dtype == pl.String
    return {
        "missing": int(counts.filter(values.is_null()).sum()),
        "empty_strings": int(counts.filter(values == "").sum()) if text else 0,
        "literal_stars": int(counts.filter(literal_stars(values)).sum()) if text else 0,
    }


def _cells(cells: Cells) -> list[dict[str, Any]]:
    """List the distinct published cells with what each loses; a centroid loses as much as its rows are away from it."""
    if isinstance(cells, CentroidCells):
        return [{"cell": label} for label in cells.labels]
    heights = cells.height_share.tolist() if isinstance(cells, HierarchyCells) else [None] * len(cells.labels)
    return [
        {"cell": label, "ncp": ncp, **({} if height is None else {"height": height})}
        for label, ncp, height in zip(cells.labels, cells.ncp.tolist(), heights, strict=True)
    ]


def _metrics(models: Models) -> dict[str, Any]:
    return {
        metric.source: {
            "labels": list(metric.labels),
            "distances": [[str(cell) for cell in row] for row in metric.distances],
        }
        for metric in models.metrics
    }
