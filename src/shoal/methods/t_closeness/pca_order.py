"""PCA ordering (Wang et al.): sensitive values in the order of their first principal component."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.t_closeness.fragmentation.axes import Axis, Tuples
from shoal.methods.t_closeness.fragmentation.buckets import in_order
from shoal.methods.t_closeness.point_assignment import PointAssignment, dimensions, embedded

MOST_PRODUCTS = 5_000_000_000
"""Products in finding principal components: about 1,700 values that are equally far from each other."""


class PcaOrder(PointAssignment):
    """A heuristic. As `point-assignment`, but the clusters are cuts of one order.

    Rows are ordered by the direction in which the sensitive attributes together vary most, their first principal
    component, and cut into as many buckets of equal size as a class has rows.
    """

    name: ClassVar[str] = "pca-order"
    title: ClassVar[str] = "PCA ordering"
    running_time: ClassVar[str] = (
        "O(n log n + u w^2) for u combinations of sensitive values in w coordinates, for each size"
    )
    paper: ClassVar[str] = (
        "after an algorithm of Wang et al., as a thesis on t-closeness for multiple numerical sensitive attributes "
        "describes it: rows ordered by their first principal component"
    )

    def too_large(self, axes: tuple[Axis, ...], tuples: Tuples, clusters: int) -> list[str]:
        """Return why there are too many combinations, or coordinates, for their principal components."""
        number, wide = len(tuples.counts), dimensions(axes)
        if number * wide * min(number, wide) <= MOST_PRODUCTS:
            return super().too_large(axes, tuples, 1)
        said = f"{number:,} combinations of sensitive values in {wide:,} coordinates"
        return [f"the principal components of {said} would take minutes"]

    def points(self, axes: tuple[Axis, ...], tuples: Tuples) -> Floats:
        """Return the score of each combination along the first principal component."""
        points = embedded(axes, tuples)
        mean = tuples.counts @ points / tuples.counts.sum()
        spread = np.sqrt(tuples.counts @ (points - mean) ** 2 / tuples.counts.sum())
        scaled = (points - mean) / np.where(spread > 0, spread, 1.0) * np.sqrt(tuples.counts)[:, None]
        _, _, directions = np.linalg.svd(scaled, full_matrices=False)
        score = ((points - mean) / np.where(spread > 0, spread, 1.0)) @ directions[0]
        found: Floats = np.round(score * np.sign(score[np.argmax(np.abs(score))] or 1.0), 9)
        return found

    def buckets(self, points: Floats, tuples: Tuples, ranks: Ints, number: int, rng: np.random.Generator) -> Ints:
        """Return the bucket of each row; rows with equal scores follow the curve."""
        return in_order(np.lexsort((ranks, points[tuples.of_row])), number)
