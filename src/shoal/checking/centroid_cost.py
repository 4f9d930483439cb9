"""The cost of published centroids, from the original rows that they stand for: the checker's own arithmetic.

A column of numbers loses squared distances to the means that are shown, as a share of those to the mean of all rows.
Other ordered columns have distances to medians instead, the others the share of rows with another value than is shown.
Columns beside them whose cells cover values lose what the codebook states of their cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.hierarchies.cell_forms import CellForm, form_of_column
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, cell_text, text_of

COSTS = ("centroid-error", "mixed-loss")


def tells_centroid_cost(codebook: Mapping[str, Any], form: CellForm) -> bool:
    """Whether cells and original suffice: stars that are written as missing cannot be told from missing values."""
    return codebook["cost"]["name"] in COSTS and not (form.by_column and codebook["marks"]["star"] != STAR)


def centroid_cost(
    shown: pl.DataFrame, original: pl.DataFrame, rows: pl.Series, codebook: Mapping[str, Any], dropped: int
) -> float:
    """Return the mean over the quasi-identifiers, by their weights, of what each loses; `rows` are those published."""
    lost = total = 0.0
    for column in codebook["columns"]:
        name = column["name"]
        if column["role"] != "quasi":
            continue
        weight = float(codebook["cost"]["weights"].get(name, 1.0))
        if form_of_column(codebook, name).covers:
            known = {cell["cell"]: float(cell["ncp"]) for cell in column["cells"]}
            paid = sum(known[cell] for cell in text_of(shown[name])) + dropped
            lost += weight * paid / original.height
        else:
            lost += weight * _column_loss(shown[name], original[name], rows.to_numpy().astype(np.int64))
        total += weight
    return lost / total


def _column_loss(shown: pl.Series, original: pl.Series, rows: Ints) -> float:
    """Return how far all rows are from the centroids they show, as a share of how far they are from that of all."""
    column = Coded.of(original)
    line = column.is_ordered and original.dtype != pl.Boolean
    most = _apart(column, _middle(column, line), column.codes, original, line)
    errors = most.copy()
    errors[rows] = _apart(column, _cells(column, shown, line), column.codes[rows], original, line)
    errors = np.where(np.isnan(errors), most, errors)
    whole = float(np.sort(most).sum())
    return float(np.sort(errors).sum()) / whole if whole else 0.0


def _cells(column: Coded, shown: pl.Series, line: bool) -> Floats:
    """Return where the cells of the published rows lie: a number by itself, another value where it is in its column."""
    if line and column.values.dtype.is_numeric():
        return shown.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    place = {text: float(code) for code, text in enumerate(cell_text(column.values))}
    codes = np.array([place.get(text, np.nan) for text in text_of(shown)])
    if not line:
        return codes
    known = ~np.isnan(codes)
    codes[known] = column.positions[codes[known].astype(np.int64)]
    return codes


def _middle(column: Coded, line: bool) -> Floats:
    """Return the mean of all known numbers, the lower median of what else is ordered, or the commonest value."""
    if not line:
        return np.array([float(np.argmax(np.bincount(column.codes, minlength=column.size)))])
    known = np.sort(column.positions[column.codes])
    known = known[~np.isnan(known)]
    if not len(known):
        return np.array([np.nan])
    return np.array([known.mean() if column.values.dtype.is_numeric() else known[(len(known) - 1) // 2]])


def _apart(column: Coded, cells: Floats, codes: AnyInts, original: pl.Series, line: bool) -> Floats:
    """Return how far values are from cells: 0 for what is missing and has an order, NaN where a cell is missing."""
    if not line:
        return np.not_equal(cells, codes).astype(np.float64)
    places = column.positions[codes]
    away = (places - cells) ** 2 if original.dtype.is_numeric() else np.abs(places - cells)
    return np.where(np.isnan(places), 0.0, away)
