"""What a recoding has to say for rows to be moved between its classes: see `unions_kernel`.

Whatever is published, the search asks for three things: what a tuple is, what two unions become together, and what rows
pay for that. Here the distinct tuples of a table are laid out for it, by ranges and sets, by blocks of hierarchies, or
by centroids; and once more as boxes, of which a kd tree finds those that are near each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.bounds.boxes import MOST_BITS, UNIT, Layout, column_weights
from shoal.bounds.boxes_kernel import NOWHERE
from shoal.core.arrays import AnyInts, Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.costs.centroid_error import CentroidError
from shoal.costs.mixed_loss import MixedLoss
from shoal.costs.ncp import NCP
from shoal.costs.squared_error import SquaredError
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.methods.general.unions_kernel import COMMONEST, MEAN, MEAN_OF_KNOWN
from shoal.patterns.cube import block_losses, blocks_of, every_block
from shoal.problem import Problem
from shoal.recoding import BlockRecoding
from shoal.recoding.cells import HierarchyCells
from shoal.tables.encoded_column import Coded

PLACES = 1 << 20
"""Places from the mean of a column of numbers to its farthest value: sums of squares of many rows fit a word."""
MOST_COUNTED = 256
"""Values of a column that are counted apart, at most; of more values some are counted together."""
COUNTS = 4
"""Counts in a word."""


class Unions(NamedTuple):
    """How unions are laid out, and what they cost; see `unions_kernel`."""

    head: Ints
    pieces: Ints = np.zeros((0, 3), np.int64)
    numbers: Ints = np.zeros((0, 4), np.int64)
    nodes: Ints = np.zeros((0, 2), np.int64)
    spreads: Floats = np.zeros((0, 4))


class Geometry(NamedTuple):
    """The distinct tuples of a table as unions of one row, and as boxes for a kd tree."""

    shape: Unions
    points: Ints
    """The tuples; the last line is the union of no rows."""
    boxes: Layout
    along: Codes
    """Where tuples lie along each column of the boxes."""
    exact: bool
    """Whether what unions cost is the cost of the problem, and not one like it."""

    @classmethod
    def of(cls, problem: Problem) -> Geometry:
        """Lay out the tuples of a problem by its recoding."""
        if problem.cells_are_blocks:
            return _Blocks.of(problem).geometry()
        if problem.recoding_kind.along_hierarchies:
            return _mixed(problem)
        return _spans(problem) if problem.recoding_kind.spans else _centroids(problem)


def _spans(problem: Problem) -> Geometry:
    """Lay out ranges and sets, which are the boxes themselves."""
    layout = Layout.of(problem)
    head, pieces, numbers = layout.shape
    columns = problem.microdata.quasi
    exact = problem.cost.name == NCP.name and all(one.is_ordered or one.size <= MOST_BITS for one in columns)
    shape = Unions(np.append(head, [head[1], head[1]]), pieces, numbers)
    return Geometry(shape, np.vstack([layout.points, _no_box(head)]), layout, _ranks(problem), exact)


def _no_box(head: Ints) -> Ints:
    """Return the box of no rows."""
    return np.concatenate([np.zeros(head[0], np.int64), np.full(head[1] - head[0], NOWHERE)])


def _ranks(problem: Problem) -> Codes:
    """Return where tuples lie along each column: by its order, or by its hierarchy."""
    microdata = problem.microdata
    pairs = zip(microdata.quasi, microdata.hierarchies, microdata.tuples.T, strict=True)
    return np.column_stack([leaf_ranks(column, tree)[codes] for column, tree, codes in pairs])


@dataclass
class _Blocks:
    """Blocks of hierarchies: a word for each column; of the boxes, each level is a column of its own."""

    boxes: Layout
    unit: float
    """What a cost of 1 is in units, so that a row of stars costs as many as a row of whole columns of numbers."""
    points: list[Codes] = field(default_factory=list)
    nodes: list[Ints] = field(default_factory=list)
    along: list[Codes] = field(default_factory=list)
    made: int = 0

    @classmethod
    def of(cls, problem: Problem) -> _Blocks:
        microdata, cost, cells = problem.microdata, problem.cost, every_block(problem)
        assert isinstance(cost, CellCost)
        tuples = len(microdata.counts)
        most = cost.full_loss(cells) or 1.0  # 0 where no cell of the table can lose anything
        blocks = cls(Layout(tuples), len(cells) * UNIT / most)
        for every, codes, losses in zip(cells, microdata.tuples.T, block_losses(cost, cells), strict=True):
            blocks.add_nodes(every, codes, cost.cell_losses(every) / cost.share(cells))
            blocks.add_boxes(every, codes, losses)
        return blocks

    def add_nodes(self, every: HierarchyCells, codes: Codes, losses: Floats) -> None:
        """Number the blocks of a column level by level, and say which is above which."""
        up, height = every.hierarchy.up, every.hierarchy.height
        starts = self.made + np.searchsorted(every.levels, np.arange(height + 1))
        above = np.full(len(losses), starts[-1])
        for level in range(height):
            above[starts[level] - self.made + up[level]] = starts[level + 1] + up[level + 1]
        self.nodes.append(np.column_stack([above, np.rint(losses * self.unit).astype(np.int64)]))
        self.points.append((starts[0] + up[0]).astype(np.int32)[codes])
        self.made += len(above)

    def add_boxes(self, every: HierarchyCells, codes: Codes, losses: Floats) -> None:
        """Let two tuples be apart by what each level costs at which they are not in one block."""
        ranks = leaf_ranks(every.column, every.hierarchy)
        for level, blocks in enumerate(every.hierarchy.up[:-1]):
            step = float((losses[level + 1] - losses[level]).mean()) * self.unit / UNIT
            first = np.full(int(blocks.max()) + 1, len(ranks))
            np.minimum.at(first, blocks, ranks)
            if len(first) > 1 and step > 0:
                self.add_level(first, blocks[codes], step)

    def add_level(self, first: Ints, blocks: AnyInts, step: float) -> None:
        """Lay out the blocks that tuples are in at one level."""
        names = Coded(pl.Series([str(place) for place in range(len(first))]), np.zeros(0, np.int32))
        self.boxes.add(names, np.asarray(blocks, np.int32), step * max(len(first) - 1, 1))
        self.along.append(first.astype(np.int32)[blocks])

    def geometry(self) -> Geometry:
        """Lay out the blocks alone."""
        width = len(self.points)
        lines = np.full((self.boxes.tuples + 1, width), -1)
        for column, point in enumerate(self.points):
            lines[:-1, column] = point
        shape = Unions(np.array([0, 0, 0, width, width]), nodes=np.concatenate(self.nodes))
        return self._near(shape, lines, exact=True)

    def beside(self, spans: Layout, sums: _Sums, *, exact: bool) -> Geometry:
        """Lay out the blocks between ranges and sums of other columns, which are among the boxes already."""
        head, pieces, numbers = spans.shape
        width, more = len(self.points), len(sums.words)
        end = int(head[1]) + width
        nodes = np.concatenate([np.zeros((0, 2), np.int64), *self.nodes])
        shape = Unions(np.append(head, [end, end + more]), pieces, numbers, nodes, sums.after(end))
        nothing = np.concatenate([_no_box(head), np.full(width, -1), np.zeros(more, np.int64)])
        lines = np.column_stack([spans.points, *self.points, *sums.words]).astype(np.int64)
        return self._near(shape, np.vstack([lines, nothing]), exact=exact)

    def _near(self, shape: Unions, points: Ints, *, exact: bool) -> Geometry:
        if not self.along:  # no column has more than one value
            self.add_level(np.zeros(1, np.int64), np.zeros(self.boxes.tuples, np.int64), 0.0)
        return Geometry(shape, points, self.boxes, np.column_stack(self.along), exact)


class _Column(NamedTuple):
    """A column of which centroids are published."""

    kind: int
    words: list[Ints]
    """What is added up, tuple by tuple."""
    whole: float
    """How far all rows are from the centroid of the table, in the units of the words."""
    wide: float
    """How far the column's values are apart in deviations, for tuples to be near each other."""
    exact: bool


@dataclass
class _Sums:
    """Sums of numbers and of their squares, and counts of other values, of columns one after the other."""

    rows: int
    words: list[Ints] = field(default_factory=list)
    spreads: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, column: Coded, codes: Codes, weight: float) -> _Column:
        """Lay out a column, which counts so much."""
        line = column.is_ordered and column.values.dtype != pl.Boolean
        found, first = _number(column, codes) if line else _values(column, codes), len(self.words)
        if weight * found.whole > 0:
            count = weight * self.rows * UNIT / found.whole
            self.spreads.append((found.kind, first, first + len(found.words), count))
        self.words += found.words
        return found

    def after(self, words: int) -> Floats:
        """Return where the sums of each column are, after so many other words."""
        return np.asarray(np.array(self.spreads, np.float64).reshape(-1, 4) + np.array([0.0, words, words, 0.0]))


def _mixed(problem: Problem) -> Geometry:
    """Lay out ranges and sets of some columns, blocks of others, and sums where centroids are published."""
    microdata, ranks = problem.microdata, _ranks(problem)
    exact = problem.cost.name in (NCP.name, MixedLoss.name)
    spans, blocks, sums = Layout(len(ranks)), _Blocks(Layout(len(ranks)), UNIT), _Sums(problem.rows)
    columns = zip(microdata.quasi, microdata.tuples.T, column_weights(problem).tolist(), strict=True)
    for index, (column, codes, weight) in enumerate(columns):
        recoding = problem.recoding_kind.of_column(microdata, index)
        if isinstance(recoding, BlockRecoding):
            every = blocks_of(column, recoding.hierarchy(microdata, index))
            first = np.searchsorted(every.levels, np.arange(every.hierarchy.height + 1))
            blocks.add_nodes(every, codes, weight * every.ncp)
            blocks.add_boxes(every, codes, weight * every.ncp[every.hierarchy.up + first[:, None]])
            continue
        wide = weight
        if recoding.covers:
            spans.add(column, codes, weight)
            exact &= column.is_ordered or column.size <= MOST_BITS
        else:
            found = sums.add(column, codes, weight)
            wide, exact = found.wide * float(np.sqrt(weight)), exact and found.exact
        blocks.boxes.add(column, codes, wide)
        blocks.along.append(ranks[:, index])
    return blocks.beside(spans, sums, exact=exact)


def _centroids(problem: Problem) -> Geometry:
    """Lay out sums of numbers and of their squares, and counts of other values."""
    microdata, sums = problem.microdata, _Sums(problem.rows)
    boxes, exact = Layout(len(microdata.counts)), problem.cost.name == CentroidError.name
    for column, codes in zip(microdata.quasi, microdata.tuples.T, strict=True):
        weight = _weight(problem, column)
        found = sums.add(column, codes, weight)
        exact &= found.exact
        boxes.add(column, codes, found.wide * float(np.sqrt(weight)))
    lines = np.column_stack(sums.words).astype(np.int64)
    width = lines.shape[1]
    shape = Unions(np.array([0, 0, 0, 0, width]), spreads=sums.after(0))
    points = np.vstack([lines, np.zeros(width, np.int64)])
    return Geometry(shape, points, boxes, _ranks(problem), exact)


def _weight(problem: Problem, column: Coded) -> float:
    """Return how much a column counts: squared error looks at numbers alone."""
    if problem.cost.name == SquaredError.name:
        return float(column.values.dtype.is_numeric())
    return problem.cost.weight(column.name)


def _number(column: Coded, codes: Codes) -> _Column:
    """Lay out a column with an order around its mean; medians, too, are taken for means."""
    totals = np.bincount(column.codes, minlength=column.size)
    known = ~np.isnan(column.positions)
    counts, places = np.where(known, totals, 0), np.where(known, column.positions, 0.0)
    away = np.where(known, places - counts @ places / max(counts.sum(), 1), 0.0)
    whole = np.rint(away * (PLACES / (np.abs(away).max() or 1.0))).astype(np.int64)
    squares = float(counts @ whole.astype(np.float64) ** 2)
    gone = counts.sum() < totals.sum()
    words = [whole[codes], whole[codes] ** 2, *([known[codes].astype(np.int64)] if gone else [])]
    deviation = np.sqrt(squares / max(counts.sum(), 1))
    wide = float(whole.max() - whole.min()) / (deviation or 1.0)
    return _Column(MEAN_OF_KNOWN if gone else MEAN, words, squares, wide, column.values.dtype.is_numeric())


def _values(column: Coded, codes: Codes) -> _Column:
    """Lay out counts of values, of which the commonest is published."""
    totals, many = np.bincount(column.codes, minlength=column.size), min(column.size, MOST_COUNTED)
    words = []
    for first in range(0, many, COUNTS):
        place = codes.astype(np.int64) % many - first
        here = (place >= 0) & (place < COUNTS)
        words.append(np.where(here, np.int64(1) << 16 * np.where(here, place, 0), 0))
    rest = float(totals.sum() - totals.max())
    wide = float(np.sqrt(2 * totals.sum() / max(rest, 1.0))) * max(column.size - 1, 1)
    return _Column(COMMONEST, words, rest, wide, column.size <= MOST_COUNTED)
