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

from shoal.arrays import Ints
from shoal.cells import Cells, HierarchyCells
from shoal.centroid import CentroidCells
from shoal.costs import Cost
from shoal.costs.attribute_loss import attribute_losses
from shoal.costs.centroid_error import centroid_losses
from shoal.hierarchies import Builder, spec_of
from shoal.metric import Metric
from shoal.models import Models, TCloseness
from shoal.recode import TABLE, Anatomized, Published
from shoal.table import STAR, count_literal_stars, literal_stars, unescaped

STAR_FORMS = (STAR, "null")
"""How stars may be written: as `*`, or as missing values for readers that know no other mark."""
FORMULA = "a text or column name that begins with = + - @, a tab or a line end has one more apostrophe in front"
"""What the codebook says of a table that is neutralised, so that no spreadsheet runs its cells."""


def codebook(
    published: Published,
    tables: Mapping[str, pl.DataFrame],
    *,
    star: str,
    neutralise: bool,
    cost: Cost,
    models: Models,
    builders: Mapping[str, Builder],
) -> dict[str, Any]:
    """Describe the published tables."""
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
        "cost": {"name": cost.name, "weights": dict(cost.weights), "k": cost.k},
        "columns": _columns(published, tables[TABLE]),
        **_further(published, tables),
        "hierarchies": {name: spec_of(builders[name]) for name in sorted(builders) if name in roles.sensitive},
        "metrics": _metrics(models),
    }


def _columns(published: Published, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Describe the columns of the table of the people."""
    two = isinstance(published, Anatomized)
    cells = {} if two else {one.column.name: one for one in published.cells}
    losses = {} if two else _losses(published)
    types = published.microdata.table.frame.schema
    roles = published.microdata.roles
    return [
        {
            "name": name,
            "role": "quasi" if name in roles.quasi else "sensitive" if name in roles.sensitive else "other",
            "type": str(frame[name].dtype),
            "original_type": str(types[name].base_type()),
            **(
                _marks_of_cells(cells[name], published.partition.sizes)
                if name in cells
                else _marks(published.source(name))
            ),
            **({"loss": losses[name], "cells": _cells(cells[name])} if name in cells else {}),
        }
        if name in types
        else {"name": name, "role": "group", "type": str(frame[name].dtype)}
        for name in frame.columns
    ]


def _losses(published: Published) -> Mapping[str, float]:
    """Return what each quasi-identifier lost, in a measure that fits the recoding."""
    return centroid_losses(published) if published.recoding == "centroid" else attribute_losses(published)


def _further(published: Published, tables: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """Describe the tables besides that of the people, and what the columns are called that the original has not."""
    if not isinstance(published, Anatomized):
        return {}
    names = asdict(published.names)
    role_of = {name: role for role, name in names.items()}
    return {
        "names": names,
        "tables": {
            table: [
                {
                    "name": name,
                    "role": role_of.get(name, "sensitive"),
                    "type": str(frame[name].dtype),
                    **({} if name in role_of else _marks(unescaped(frame[name]))),
                }
                for name in frame.columns
            ]
            for table, frame in tables.items()
            if table != TABLE
        },
    }


def _marks(shown: pl.Series) -> dict[str, int]:
    """Count the cells of a column, published as it is, that are missing, empty strings and escaped literal stars."""
    return {
        "stars": 0,
        "missing": shown.null_count(),
        "empty_strings": int((shown == "").sum()) if shown.dtype == pl.String else 0,
        "literal_stars": count_literal_stars(shown),
    }


def _marks_of_cells(cells: Cells, sizes: Ints) -> dict[str, int]:
    """Count the same of a recoded column, from its distinct cells and how many rows show each."""
    rows = np.bincount(cells.of_group, weights=sizes, minlength=len(cells.singles)).astype(np.int64)
    visible = cells.singles >= 0
    values = cells.column.values.gather(cells.singles[visible])
    times = pl.Series(rows[visible])
    text = values.dtype == pl.String
    return {
        "stars": int(rows[cells.stars].sum()),
        "missing": int(times.filter(values.is_null()).sum()),
        "empty_strings": int(times.filter(values == "").sum()) if text else 0,
        "literal_stars": int(times.filter(literal_stars(values)).sum()) if text else 0,
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
    metrics = [
        model.distance for model in models if isinstance(model, TCloseness) and isinstance(model.distance, Metric)
    ]
    return {
        metric.source: {
            "labels": list(metric.labels),
            "distances": [[str(cell) for cell in row] for row in metric.distances],
        }
        for metric in metrics
    }
