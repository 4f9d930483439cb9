"""KL-divergence between the table and what its release lets an analyst reconstruct (Xiao, Yi and Tao 2010, eq. 2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.costs.ambiguity import everything
from shoal.costs.base import Cost
from shoal.recoding.cells import CHUNK, covering
from shoal.recoding.recode import Published


class KLDivergence(Cost):
    """Returns `sum f ln(f / f*)` over the points (quasi-identifiers and sensitive values) that occur in the table.

    f is the share of rows at a point; f* spreads each published row evenly over the box of its cells, and adds up
    what all classes whose box covers the point put there. The volume of a box is the product of the number of values
    its cells cover: declared leaves under a hierarchy, distinct values of the column otherwise. Dropped rows count as
    published in the box of everything.
    """

    name: ClassVar[str] = "kl-divergence"
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
        step = max(CHUNK // len(partition), 1)
        for start in range(0, len(points), step):
            point, group = np.nonzero(covering(published.cells, points[start : start + step]))
            put = _looked_up(held, density, (group + 1) * width + value[start + point])
            found[start : start + step] += np.bincount(point, weights=put, minlength=len(found[start : start + step]))
        return found


def _looked_up(keys: Ints, content: Floats, wanted: Ints) -> Floats:
    """Return the content at the wanted keys, 0 where there is none; keys are sorted."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, content[place], 0.0)
