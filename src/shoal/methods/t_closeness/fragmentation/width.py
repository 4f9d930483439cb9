"""How wide classes are in the quasi-identifiers: what the cells around some rows cost, in a form for compiled loops.

Each attribute has one of three shapes, by how it is published: *blocks* (of a hierarchy, each with its loss),
a *range* (positions on a line), or a *set* (of values). The losses are those of the problem's cost where it adds over
cells, else of NCP. Missing values in a range are weighed as the cost does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.bounds.hierarchy_losses import HierarchyLosses, hierarchy_losses
from shoal.core.arrays import Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.costs.ncp import NCP
from shoal.problem import Problem
from shoal.tables.encoded_column import Coded

BLOCKS, RANGE, SET = 0, 1, 2


class Widths(NamedTuple):
    """The quasi-identifiers of a table, attribute by attribute; compiled loops take it whole."""

    codes: Codes
    """Row by attribute."""
    shapes: Ints
    sizes: Ints
    """The number of values."""
    starts: Ints
    """Where an attribute begins in `blocks` and `losses`."""
    blocks: Codes
    """Blocks, level by level: the block of each value."""
    losses: Floats
    """Blocks, level by level: the loss of the block. Ranges: the position of each value, NaN if missing, weighted.
    Sets: what each value more costs."""

    @classmethod
    def of(cls, problem: Problem) -> Widths:
        """Lay out the attributes as they will be published."""
        cost = problem.cost if isinstance(problem.cost, CellCost) else NCP(problem.cost.weights, problem.cost.k)
        columns = problem.microdata.quasi
        if not problem.cells_are_blocks:
            shaped = [_spread(column, cost.weight(column.name)) for column in columns]
        else:
            shaped = [_blocks(hierarchy) for hierarchy in hierarchy_losses(replace(problem, cost=cost))[0]]
        shapes, blocks, losses = zip(*shaped, strict=True)
        starts = np.concatenate([[0], np.cumsum([len(one) for one in losses])[:-1]]).astype(np.int64)
        sizes = np.array([column.size for column in columns])
        codes = np.ascontiguousarray(problem.microdata.codes)
        return cls(codes, np.array(shapes), sizes, starts, np.concatenate(blocks), np.concatenate(losses))

    def between(self, one: int, rows: Ints) -> Floats:
        """Return how wide a class of a row and each of others would be."""
        total = np.zeros(len(rows))
        for j, (shape, size, start) in enumerate(zip(self.shapes, self.sizes, self.starts, strict=True)):
            value, others = int(self.codes[one, j]), self.codes[rows, j]
            losses = self.losses[start:]
            if shape == BLOCKS:
                up = self.blocks[start : self.ends[j]].reshape(-1, size)
                apart = (up[:, others] != up[:, [value]]).sum(axis=0)
                total += losses[apart * size + value]
            elif shape == RANGE:
                total += np.nan_to_num(np.abs(losses[others] - losses[value]), nan=1.0)
            else:
                total += (others != value) * losses[0]
        return total

    @property
    def ends(self) -> Ints:
        """Where each attribute ends."""
        return np.append(self.starts[1:], len(self.losses))


def _blocks(hierarchy: HierarchyLosses) -> tuple[int, Codes, Floats]:
    return BLOCKS, hierarchy.up.ravel().astype(np.int32), hierarchy.losses.ravel()


def _spread(column: Coded, weight: float) -> tuple[int, Codes, Floats]:
    """Return an attribute that is published as a range or as a set."""
    none = np.zeros(column.size, dtype=np.int32)
    if not column.is_ordered or column.values.dtype == pl.Boolean:
        return SET, none, np.full(column.size, weight / max(column.size - 1, 1))
    places = column.positions
    known = places[~np.isnan(places)]
    span = float(known[-1] - known[0]) if len(known) > 1 else 1.0
    return RANGE, none, weight * (places - (known[0] if len(known) else 0.0)) / span
