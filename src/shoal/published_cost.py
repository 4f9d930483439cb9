"""The cost of a published table, recomputed from its cells and the codebook: the checker's own arithmetic."""

from __future__ import annotations

from math import prod
from typing import Any

import polars as pl

from shoal.certificate import Certificate
from shoal.table import STAR
from shoal.two_tables import reconstruction_error

FROM_CELLS = ("stars", "starred-rows", "height", "precision", "ncp", "attribute-loss", "geometric-loss")
"""Costs that add up over cells, whose losses the codebook states."""


def recomputed_cost(
    table: pl.DataFrame,
    certificate: Certificate,
    codebook: dict[str, Any],
    sensitive_table: pl.DataFrame | None = None,
) -> float | None:
    """Return the cost of a published table, from its cells and the codebook; None where that does not suffice."""
    name, rows = certificate.cost.name, table.height
    if name == "reconstruction" and sensitive_table is not None:
        return reconstruction_error(sensitive_table, dropped=certificate.dropped, **codebook["names"])
    everyone = rows + certificate.dropped
    sizes = table.group_by(certificate.quasi).len("".join(certificate.quasi) + "#")[:, -1]
    if name == "discernibility":
        return float((sizes.cast(pl.Float64) ** 2).sum() + certificate.dropped * everyone)
    if name == "average-class-size":
        return float(rows / (len(sizes) * codebook["cost"]["k"]))
    if codebook["marks"]["star"] != STAR or name not in FROM_CELLS:
        return None
    columns = {column["name"]: column for column in codebook["columns"] if column["role"] == "quasi"}
    weights = {column: codebook["cost"]["weights"].get(column, 1.0) for column in columns}
    if name in ("stars", "starred-rows"):
        stars = table.select((pl.col(column).cast(pl.String) == STAR).fill_null(False) for column in columns)
        per_row = stars.sum_horizontal() if name == "stars" else stars.max_horizontal().cast(pl.UInt32)
        return float(per_row.sum() + certificate.dropped * (len(columns) if name == "stars" else 1))
    if name in ("attribute-loss", "geometric-loss"):
        lost = [_loss(table[column], entry["cells"], "ncp") + certificate.dropped for column, entry in columns.items()]
        if name == "attribute-loss":
            return float(max(lost)) / everyone
        return float(prod(1 + loss / everyone for loss in lost) ** (1 / len(lost))) - 1
    if name == "precision":
        lost = [_loss(table[column], entry["cells"], "height") for column, entry in columns.items()]
        return float(sum(lost) / len(lost) + certificate.dropped) / everyone
    total = sum(weights[column] * _loss(table[column], entry["cells"], name) for column, entry in columns.items())
    total += certificate.dropped * sum(weights.values())
    return float(total / (everyone * sum(weights.values())) if name == "ncp" else total)


def _loss(column: pl.Series, cells: list[dict[str, Any]], name: str) -> float:
    known = {cell["cell"]: cell[name] for cell in cells}
    counts = column.cast(pl.String).rename("cell").value_counts()
    return float(sum(known[cell] * count for cell, count in counts.iter_rows()))
