"""The cost of a published table, recomputed from its cells and the codebook: the checker's own arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, Protocol

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, text_of
from shoal.tables.table import Table, TableLike

FROM_CELLS = ("stars", "starred-rows", "height", "precision", "ncp", "attribute-loss", "geometric-loss", "level-loss")
"""Costs that add up over cells, whose losses the codebook states."""


class Named(Protocol):
    """A cost that knows its name."""

    @property
    def name(self) -> str:
        """The name of the cost."""


class Stated(Protocol):
    """What a certificate states that the cost depends on."""

    @property
    def cost(self) -> Named:
        """The cost; its number is not read."""

    @property
    def dropped(self) -> int:
        """How many rows are not published."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes."""


def recomputed_cost(
    release: TableLike,
    certificate: Stated,
    codebook: dict[str, Any],
    sensitive_table: pl.DataFrame | None = None,
) -> float | None:
    """Return the cost of a published table, from its cells and the codebook; None where that does not suffice."""
    table, name = Table.of(release), certificate.cost.name
    rows = table.rows
    if name == "reconstruction" and sensitive_table is not None:
        from shoal.checking.two_tables import reconstruction_error  # loaded only where there are two tables

        return reconstruction_error(sensitive_table, dropped=certificate.dropped, **codebook["names"])
    everyone = rows + certificate.dropped
    if name == "classification":
        return _told_wrong(table, certificate) / everyone
    if name in ("discernibility", "average-class-size"):
        sizes = _class_sizes(table, certificate.quasi)
        if name == "average-class-size":
            return float(rows / (len(sizes) * codebook["cost"]["k"]))
        return float((sizes.astype(float) ** 2).sum() + certificate.dropped * everyone)
    if codebook["marks"]["star"] != STAR or name not in FROM_CELLS:
        return None
    columns = {column["name"]: column for column in codebook["columns"] if column["role"] == "quasi"}
    weights = {column: codebook["cost"]["weights"].get(column, 1.0) for column in columns}
    if name in ("stars", "starred-rows"):
        starred = np.zeros(rows, dtype=np.int64)
        for column in columns:
            cells = table.coded(column)
            starred += (cells.values.cast(pl.String) == STAR).fill_null(False).to_numpy()[cells.codes]
        total = starred.sum() if name == "stars" else np.count_nonzero(starred)
        return float(total + certificate.dropped * (len(columns) if name == "stars" else 1))
    if name in ("attribute-loss", "geometric-loss"):
        lost = [
            _loss(table.coded(column), entry["cells"], "ncp") + certificate.dropped for column, entry in columns.items()
        ]
        if name == "attribute-loss":
            return float(max(lost)) / everyone
        return float(prod(1 + loss / everyone for loss in lost) ** (1 / len(lost))) - 1
    if name == "level-loss":
        given = codebook["cost"].get("parameters", {}).get("losses", {})
        lost = [
            _level_loss(table.coded(column), entry["cells"], given.get(column), certificate.dropped)
            for column, entry in columns.items()
        ]
        return sum(lost) / len(lost) / everyone
    if name == "precision":
        lost = [_loss(table.coded(column), entry["cells"], "height") for column, entry in columns.items()]
        return float(sum(lost) / len(lost) + certificate.dropped) / everyone
    total = sum(weights[column] * _loss(table.coded(column), entry["cells"], name) for column, entry in columns.items())
    total += certificate.dropped * sum(weights.values())
    return float(total / (everyone * sum(weights.values())) if name == "ncp" else total)


def _told_wrong(table: Table, certificate: Stated) -> float:
    """Return how many rows have not the commonest sensitive value of their class, averaged over columns.

    A dropped row counts as one.
    """
    wrong = []
    for secret in map(table.coded, certificate.sensitive):
        columns = [*map(table.coded, certificate.quasi), secret]
        _, first, counts = distinct_rows([one.codes for one in columns], [one.size for one in columns])
        shown = columns[:-1]
        owner = distinct_rows([one.codes[first] for one in shown], [one.size for one in shown])[0]
        most = np.zeros(len(counts), dtype=np.int64)  # there are no more classes than different rows
        np.maximum.at(most, owner, counts)
        wrong.append(table.rows - int(most.sum()))
    return certificate.dropped + (sum(wrong) / len(wrong) if wrong else 0.0)


def _class_sizes(table: Table, quasi: Sequence[str]) -> Ints:
    columns = [table.coded(name) for name in quasi]
    return distinct_rows([column.codes for column in columns], [column.size for column in columns])[2]


def _level_loss(column: Coded, cells: list[dict[str, Any]], given: str | None, dropped: int) -> float:
    """Add up what the levels of the cells of a column cost, by given numbers or as shares of the height."""
    if given is None:
        return _loss(column, cells, "height") + dropped
    steps = [float(Fraction(step)) for step in given.split("/")]
    stated = [{"cell": one["cell"], "loss": steps[round(one["height"] * (len(steps) - 1))]} for one in cells]
    return _loss(column, stated, "loss") + dropped * steps[-1]


def _loss(column: Coded, cells: list[dict[str, Any]], name: str) -> float:
    known = {cell["cell"]: cell[name] for cell in cells}
    counts = np.bincount(column.codes, minlength=column.size).tolist()
    return float(sum(known[cell] * count for cell, count in zip(text_of(column.values), counts, strict=True)))
