"""KL-divergence between the table and what its release lets an analyst reconstruct (Xiao, Yi and Tao 2010, eq. 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.sorting import distinct_rows, packed
from shoal.costs.ambiguity import everything
from shoal.costs.base import Cost
from shoal.recoding.cells import CHUNK, Cells, HierarchyCells, covering
from shoal.recoding.recode import Published


class KLDivergence(Cost):
    """Returns `sum f ln(f / f*)` over the points (quasi-identifiers and sensitive values) that occur in the table.

    f is the share of rows at a point; f* spreads each published row evenly over the box of its cells, and adds up
    what all classes whose box covers the point put there. The volume of a box is the product of the number of values
    its cells cover: declared leaves under a hierarchy, distinct values of the column otherwise. Dropped rows count as
    published in the box of everything.
    """

    name: ClassVar[str] = "kl-divergence"
    reads_sensitive: ClassVar[bool] = True
    title: ClassVar[str] = "KL-divergence"
    meaning: ClassVar[str] = "Kullback-Leibler divergence of the reconstructed from the original distribution, in nats"

    def of(self, published: Published) -> float:
        """Measure a release."""
        microdata = published.microdata
        sensitive = microdata.secret_of_row
        columns = [microdata.tuple_of_row, sensitive]
        _, first, counts = distinct_rows(columns, [len(microdata.counts), int(sensitive.max()) + 1])
        expected = self._reconstructed(published, microdata.codes[first], sensitive[first], sensitive)
        share = counts / microdata.rows
        return max(float(np.dot(share, np.log(share / expected))), 0.0)

    def _reconstructed(self, published: Published, points: Codes, value: Ints, sensitive: Ints) -> Floats:
        """Return f* at every point: what the classes that cover it put there, and what the dropped rows do."""
        partition, rows = published.partition, published.microdata.rows
        width = int(sensitive.max()) + 1
        held, counts = np.unique((partition.class_of_row + 1) * width + sensitive, return_counts=True)
        volume = np.prod([c.volume[c.of_group].astype(np.float64) for c in published.cells], axis=0)
        density = counts / np.insert(volume, 0, everything(published))[held // width] / rows
        found = _looked_up(held, density, value)
        for point, group in _covered(published.cells, points):
            put = _looked_up(held, density, (group + 1) * width + value[point])
            found += np.bincount(point, weights=put, minlength=len(found))
        return found


def _covered(cells: Sequence[Cells], points: Codes) -> Iterator[tuple[Ints, Ints]]:
    """Yield every pair of a point and a class whose cells cover it, some at a time."""
    blocks = [column for column in cells if isinstance(column, HierarchyCells)]
    if len(blocks) == len(cells):
        yield from _in_blocks(blocks, points)
        return
    step = max(CHUNK // len(cells[0].of_group), 1)
    for start in range(0, len(points), step):
        point, group = np.nonzero(covering(cells, points[start : start + step]))
        yield start + point, group


def _in_blocks(cells: Sequence[HierarchyCells], points: Codes) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs where cells are blocks: of the classes with the same levels at most one covers a point."""
    levels = np.column_stack([column.levels[column.of_group] for column in cells])
    blocks = np.column_stack([column.blocks[column.of_group] for column in cells])
    sizes = [column.column.size + 1 for column in cells]
    for level in np.unique(levels, axis=0):
        groups = np.flatnonzero((levels == level).all(axis=1))
        at = [column.hierarchy.up[h, codes] for column, h, codes in zip(cells, level, points.T, strict=True)]
        both = [np.concatenate([own, one]) for own, one in zip(blocks[groups].T, at, strict=True)]
        number = packed(zip(both, sizes, strict=True))
        order = np.argsort(number[: len(groups)])
        known, asked = number[: len(groups)][order], number[len(groups) :]
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        point = np.flatnonzero(known[place] == asked)
        yield point, groups[order[place[point]]]


def _looked_up(keys: Ints, content: Floats, wanted: Ints) -> Floats:
    """Return the content at the wanted keys, 0 where there is none; keys are sorted."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, content[place], 0.0)
