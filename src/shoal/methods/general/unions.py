"""What a recoding has to say for rows to be moved between its classes: see `unions_kernel`.

Whatever is published, the search asks for three things: what a tuple is, what two unions become together, and what rows
pay for that. Here the distinct tuples of a table are laid out for it, by ranges and sets, by blocks of hierarchies, or
by centroids; and once more as boxes, of which a kd tree finds those that are near each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.bounds.boxes import UNIT, Layout
from shoal.bounds.boxes_kernel import NOWHERE
from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.costs import CellCost
from shoal.costs.squared_error import SquaredError
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.methods.general.unions_kernel import COMMONEST, MEAN, MEAN_OF_KNOWN
from shoal.patterns.cube import block_losses, every_block, pattern_hierarchies
from shoal.problem import Problem
from shoal.tables.encoded_column import Coded

PLACES = 1 << 20
"""Places along a column of numbers whose mean is published: sums of squares of millions of rows fit a word."""
MOST_COUNTED = 256
"""Values of a column that are counted apart, at most."""


class Unions(NamedTuple):
    """How unions are laid out, and what they cost; see `unions_kernel`."""

    head: Ints
    pieces: Ints
    numbers: Ints
    nodes: Ints
    spreads: Floats


class Geometry(NamedTuple):
    """The distinct tuples of a table as unions of one row, and as boxes for a kd tree."""

    shape: Unions
    points: Ints
    """The tuples; the last line is the union of no rows."""
    boxes: Layout
    along: AnyInts
    """Where tuples lie along each column of the boxes."""

    @classmethod
    def of(cls, problem: Problem) -> Geometry:
        """Lay out the tuples of a problem by its recoding."""
        if problem.cells_are_blocks:
            return _blocks(problem)
        return _spans(problem) if problem.recoding_kind.spans else _centroids(problem)


def _spans(problem: Problem) -> Geometry:
    """Lay out ranges and sets, which are the boxes themselves."""
    layout = Layout.of(problem)
    head, pieces, numbers = layout.shape
    nothing = np.concatenate([np.zeros(head[0], np.int64), np.full(head[1] - head[0], NOWHERE)])
    shape = Unions(np.append(head, [head[1], head[1]]), pieces, numbers, *_none(nodes=True, spreads=True))
    return Geometry(shape, np.vstack([layout.points, nothing]), layout, _ranks(problem))


def _none(*, nodes: bool = False, spreads: bool = False) -> list[Ints | Floats]:
    """Return empty arrays for the parts that a recoding does not use."""
    return [*([np.zeros((0, 2), np.int64)] if nodes else []), *([np.zeros((0, 4))] if spreads else [])]


def _ranks(problem: Problem) -> AnyInts:
    """Return where tuples lie along each column: by its order, or by its hierarchy."""
    microdata = problem.microdata
    pairs = zip(microdata.quasi, microdata.hierarchies, microdata.tuples.T, strict=True)
    return np.column_stack([leaf_ranks(column, tree)[codes] for column, tree, codes in pairs])


def _blocks(problem: Problem) -> Geometry:
    """Lay out blocks of hierarchies: a word for each column; levels are boxes of their own, for tuples to be near."""
    microdata, cost = problem.microdata, problem.cost
    assert isinstance(cost, CellCost)
    cells, trees = every_block(problem), pattern_hierarchies(problem)
    full = len(trees) * UNIT / cost.full_loss(cells)
    points, nodes, made = [], [np.zeros((0, 2), np.int64)], 0
    layout, along = Layout(len(microdata.counts)), []
    for column, tree, codes, every, paid in zip(
        microdata.quasi, trees, microdata.tuples.T, cells, block_losses(cost, cells), strict=True
    ):
        starts = made + np.searchsorted(every.levels, np.arange(tree.height + 1))
        above = np.full(len(every.levels), starts[-1])
        for level in range(tree.height):
            above[starts[level] - made + tree.up[level]] = starts[level + 1] + tree.up[level + 1]
        nodes.append(np.column_stack([above, np.rint(cost.cell_losses(every) / cost.share(cells) * full)]))
        points.append(starts[0] + tree.up[0][codes])
        made += len(above)
        ranks = leaf_ranks(column, tree)
        for level in range(tree.height):
            many, step = len(tree.labels[level]), float((paid[level + 1] - paid[level]).mean()) * full / UNIT
            if many > 1 and step > 0:
                layout.add(_named(many), tree.up[level][codes], step * (many - 1))
                first = np.full(many, len(ranks))
                np.minimum.at(first, tree.up[level], ranks)
                along.append(first[tree.up[level]][codes])
    lines = np.column_stack(points).astype(np.int64)
    head = np.array([0, 0, 0, lines.shape[1], lines.shape[1]])
    shape = Unions(head, np.zeros((0, 3), np.int64), np.zeros((0, 4), np.int64), np.concatenate(nodes).astype(np.int64), np.zeros((0, 4)))
    if not along:
        layout.add(_named(1), np.zeros(len(lines), np.int32), 0.0)
        along.append(np.zeros(len(lines), np.int64))
    return Geometry(shape, np.vstack([lines, np.full(lines.shape[1], -1)]), layout, np.column_stack(along))


def _named(many: int) -> Coded:
    """Return a column of so many values that have no order."""
    return Coded(pl.Series([str(place) for place in range(many)]), np.zeros(0, np.int32))


def _centroids(problem: Problem) -> Geometry:
    """Lay out sums of numbers, their squares, and counts of other values."""
    microdata, rows = problem.microdata, problem.rows
    layout, words, spreads = Layout(len(microdata.counts)), [], []
    for column, codes in zip(microdata.quasi, microdata.tuples.T, strict=True):
        weight, at = _counts_for(problem, column), len(words)
        totals = np.bincount(column.codes, minlength=column.size)
        if column.is_ordered and column.values.dtype != pl.Boolean:
            places, whole, wide = _places(column, totals)
            known = totals[column.missing] == 0 if column.missing is not None else True
            words += [places[codes], places[codes] ** 2]
            words += [] if known else [(codes != column.missing).astype(np.int64)]
            kind, end = MEAN if known else MEAN_OF_KNOWN, len(words)
        else:
            whole, many = float(rows - totals.max()), min(column.size, MOST_COUNTED)
            wide = np.sqrt(2 * rows / max(whole, 1.0)) * max(column.size - 1, 1)
            for first in range(0, many, 4):
                here = codes % many - first
                words.append(np.where((here >= 0) & (here < 4), np.int64(1) << 16 * np.clip(here, 0, 3), 0))
            kind, end = COMMONEST, len(words)
        if whole and weight:
            spreads.append((kind, at, end, weight * rows * UNIT / whole))
        layout.add(column, codes, float(wide * np.sqrt(weight)))
    lines = np.column_stack(words).astype(np.int64)
    head = np.array([0, 0, 0, 0, lines.shape[1]])
    shape = Unions(head, np.zeros((0, 3), np.int64), np.zeros((0, 4), np.int64), np.zeros((0, 2), np.int64), np.array(spreads).reshape(-1, 4))
    return Geometry(shape, np.vstack([lines, np.zeros(lines.shape[1], np.int64)]), layout, _ranks(problem))


def _counts_for(problem: Problem, column: Coded) -> float:
    """Return how much a column counts: squared error looks at numbers alone."""
    if problem.cost.name == SquaredError.name:
        return float(column.values.dtype.is_numeric())
    return problem.cost.weight(column.name)


def _places(column: Coded, totals: Ints) -> tuple[Ints, float, float]:
    """Return places around the mean of a column, their squares added over its rows, and how wide it is in deviations."""
    at = column.positions
    known = ~np.isnan(at)
    counts = totals[known]
    away = np.where(known, at - np.average(at[known], weights=counts) if counts.sum() else 0.0, 0.0)
    most = float(np.abs(away).max(initial=0.0)) or 1.0
    places = np.rint(away / most * PLACES).astype(np.int64)
    squares = float((places.astype(np.float64) ** 2 * np.where(known, totals, 0)).sum())
    deviation = np.sqrt(squares / max(int(counts.sum()), 1)) / PLACES * most
    return places, squares, float((away.max() - away.min()) / (deviation or 1.0))
