"""The cost of a published table that only the original can tell: the checker's own arithmetic.

Some costs count the values that a cell covers, or how often they occur in the original. Cells are read from their text,
hierarchies are built anew from what the request says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Hierarchy, as_builder
from shoal.hierarchies.cell_forms import CellForm, form_of_column
from shoal.hierarchies.cell_reader import Reader
from shoal.tables.star_marks import STAR, cell_text, text_of


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A published column and its original: what each of its different cells stands for."""

    counts: Floats
    """How many rows of the original have each value."""
    cell_of_row: Ints
    """The number of the cell of each published row."""
    covered: Sequence[Ints]
    """The values that each cell covers, as numbers."""
    volume: Floats
    """How many values each cell covers: declared leaves under a hierarchy, else those of the original."""
    domain: int
    """How many values a star covers."""
    cells: Sequence[str | None]
    """The different cells."""
    hierarchy: Hierarchy | None
    """The hierarchy that they are blocks of."""

    @classmethod
    def of(cls, shown: pl.Series, original: pl.Series, spec: object, form: CellForm) -> ReadColumn:
        """Read a column."""
        builder = as_builder(spec) if form.along_hierarchies else None
        reader = Reader.of(original, builder, spans=form.spans)
        cells = shown.unique(maintain_order=True)
        covered = [reader.covered(cell) for cell in cells]
        values, sizes = len(reader.code), [len(codes) for codes in covered]
        if reader.hierarchy is not None:
            pairs = zip(reader.hierarchy.labels, reader.hierarchy.leaves, strict=True)
            leaves = {label: int(size) for labels, under in pairs for label, size in zip(labels, under, strict=True)}
            values, sizes = leaves[STAR], [leaves[cell] for cell in cells]
        times = cell_text(original).rename("value").value_counts(name="rows")
        counts = np.zeros(len(reader.code))
        counts[[reader.code[text] for text in times["value"]]] = times["rows"].to_numpy()
        place = {cell: number for number, cell in enumerate(cells)}
        of_row = np.array([place[cell] for cell in shown], dtype=np.int64)
        volume = np.array(sizes, dtype=np.float64)
        return cls(counts, of_row, covered, volume, values, cells.to_list(), reader.hierarchy)

    def sum_over_rows(self, of_cell: Floats) -> float:
        """Add up over the published rows what each cell has."""
        return float(np.bincount(self.cell_of_row, minlength=len(of_cell)) @ of_cell)

    @property
    def weight(self) -> Floats:
        """How many rows of the original have a value that each cell covers."""
        return np.array([self.counts[codes].sum() for codes in self.covered])

    @property
    def known_bits(self) -> float:
        """The sum over the rows of the original of log2(rows with the same value)."""
        return float(_times_log(self.counts).sum())


def original_cost(
    shown: pl.DataFrame,
    original: pl.DataFrame,
    *,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Any],
    codebook: Mapping[str, Any],
    dropped: int,
) -> float:
    """Return the cost that the codebook names, of published cells of the rows of an original."""
    stated = codebook["cost"]
    texts = {name: text_of(shown[name]) for name in quasi}
    if codebook["marks"]["star"] != STAR:
        texts = {name: column.fill_null(STAR) for name, column in texts.items()}
    columns = [
        ReadColumn.of(texts[name], original[name], hierarchies.get(name, "auto"), form_of_column(codebook, name))
        for name in quasi
    ]
    return FORMULAS[stated["name"]](columns, dropped, stated.get("parameters", {}))


def tells_cost(name: str, form: CellForm) -> bool:
    """Whether cells of a form and the original suffice for a cost."""
    return name in FORMULAS and (form.blocks or form.spans or form.by_column)


def _uniform_entropy(columns: Sequence[ReadColumn], dropped: int, _: Mapping[str, Any]) -> float:
    """Return the mean share of the bits that cells leave open, if all that they cover is equally likely."""
    everybody = len(columns[0].cell_of_row) + dropped
    most = sum(float(np.log2(column.domain)) for column in columns)
    return (sum(map(_open_bits, columns)) + dropped * most) / (most or 1.0) / everybody


def _open_bits(column: ReadColumn) -> float:
    return column.sum_over_rows(np.log2(column.volume))


def _ambiguity(columns: Sequence[ReadColumn], dropped: int, _: Mapping[str, Any]) -> float:
    """Return the mean number of combinations that the cells of a row cover."""
    each = np.prod([column.volume[column.cell_of_row] for column in columns], axis=0)
    everything = float(np.prod([float(column.domain) for column in columns]))
    return (float(each.sum()) + dropped * everything) / (len(each) + dropped)


def _entropy(columns: Sequence[ReadColumn], dropped: int, _: Mapping[str, Any]) -> float:
    """Return the mean entropy of a value given its cell, as a share of that of the table."""
    paid = most = 0.0
    for column in columns:
        held = np.array([_times_log(column.counts[codes]).sum() for codes in column.covered])
        weight, rows = np.maximum(column.weight, 1.0), column.counts.sum()
        whole = float(np.log2(rows) - column.known_bits / rows)
        paid += column.sum_over_rows(np.maximum(np.log2(weight) - held / weight, 0.0)) + dropped * whole
        most += whole
    return paid / (most or 1.0) / (len(columns[0].cell_of_row) + dropped)


def _lost_and_most(column: ReadColumn, dropped: int) -> tuple[float, float]:
    """Return the bits of the original values that the cells do not tell, and all bits of the column."""
    rows = float(column.counts.sum())
    told = column.sum_over_rows(np.log2(np.maximum(column.weight, 1.0))) + dropped * float(np.log2(rows))
    return max(told - column.known_bits, 0.0), rows * float(np.log2(rows)) - column.known_bits


def _non_uniform_entropy(columns: Sequence[ReadColumn], dropped: int, _: Mapping[str, Any]) -> float:
    """Return the bits lost as a share of all bits."""
    bits = [_lost_and_most(column, dropped) for column in columns]
    most = sum(all_bits for _, all_bits in bits)
    return sum(lost for lost, _ in bits) / most if most else 0.0


def _normalized_entropy(columns: Sequence[ReadColumn], dropped: int, _: Mapping[str, Any]) -> float:
    """Return the mean over columns of the bits lost as a share of the column's."""
    bits = [_lost_and_most(column, dropped) for column in columns]
    return sum(lost / most if most > 0 else 0.0 for lost, most in bits) / len(bits)


def _publisher_payout(columns: Sequence[ReadColumn], dropped: int, prices: Mapping[str, Any]) -> float:
    """Return what is lost of the benefit of all rows by generalization, by attacks that pay, and by dropping rows."""
    gain, cost, benefit, penalty = (float(prices[name]) for name in ("gain", "cost", "benefit", "penalty"))
    rows = [column.cell_of_row for column in columns]
    sizes = distinct_rows(rows, [len(column.volume) for column in columns])[2]
    shared = _uniform_entropy(columns, 0, {}) * len(rows[0])
    return benefit * (shared + dropped) + penalty * int((sizes * cost < gain).sum())


def _arx_loss(columns: Sequence[ReadColumn], dropped: int, stated: Mapping[str, Any]) -> float:
    """Return the columns' losses as one number, suppression and generalization charged by the factor gs."""
    stars = [np.array([cell == STAR for cell in column.cells])[column.cell_of_row] for column in columns]
    gone = int(np.logical_and.reduce(stars).sum()) + dropped
    losses = [_charged(column, gone, float(Fraction(stated["gs"]))) for column in columns]
    if stated["aggregate"] in ("maximum", "rank"):  # of ranked losses the largest is the cost
        return max(losses)
    if stated["aggregate"] == "arithmetic":
        return sum(losses) / len(losses)
    return float(prod(1 + loss for loss in losses) ** (1 / len(losses))) - 1


def _charged(column: ReadColumn, gone: int, gs: float) -> float:
    """Return the loss of a column whose cells have one level but for the rows that show nothing and those dropped."""
    tree, rows = column.hierarchy, float(column.counts.sum())
    assert tree is not None
    shown = [cell for cell in column.cells if cell != STAR]
    level = next(level for level, labels in enumerate(tree.labels) if set(shown or [STAR]) <= set(labels))
    penalty = (np.asarray(tree.leaves[level]) - 1.0) / max(column.domain - 1, 1)
    unsuppressed = 1.0 if not shown else float(penalty[tree.up[level]] @ column.counts) / rows
    visible = np.array([0.0 if cell == STAR else penalty[tree.labels[level].index(cell)] for cell in column.cells])
    starred = len(column.cell_of_row) - column.sum_over_rows(np.array([float(cell != STAR) for cell in column.cells]))
    suppressed = (column.sum_over_rows(visible) + starred + (rows - len(column.cell_of_row))) / rows
    if gs <= 0.5:
        return unsuppressed + 2 * gs * (suppressed - unsuppressed)
    factor, share = 2 - 2 * gs, gone / rows
    if column.domain == 1:
        return share
    covered = suppressed * (1 - 1 / column.domain) - share
    return max((factor * covered + share) / (1 - factor / column.domain), 0.0)


def _times_log(counts: Floats) -> Floats:
    return counts * np.log2(np.maximum(counts, 1.0))


FORMULAS: Mapping[str, Callable[[Sequence[ReadColumn], int, Mapping[str, Any]], float]] = {
    "uniform-entropy": _uniform_entropy,
    "ambiguity": _ambiguity,
    "entropy": _entropy,
    "non-uniform-entropy": _non_uniform_entropy,
    "normalized-entropy": _normalized_entropy,
    "publisher-payout": _publisher_payout,
    "arx-loss": _arx_loss,
}
"""The costs that are computed from the cells and the original, from the columns, the rows dropped, and parameters."""
