"""Nearest points, against the kd tree of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

from shoal.core.arrays import Floats
from shoal.utility.nearest_points import KdTree

NEAR = 1 + 1e-12


def compare(points: Floats, asked: Floats, within: Floats | None = None) -> None:
    within = np.full(len(asked), np.inf) if within is None else within
    far, many = KdTree.of(points).nearest(asked, near=NEAR, within=within)
    tree = KDTree(points)
    wanted, _ = tree.query(asked)
    np.testing.assert_allclose(far, wanted, rtol=1e-12, atol=1e-15)
    assert many.tolist() == tree.query_ball_point(asked, wanted * NEAR + 1e-15, return_length=True).tolist()


@pytest.mark.parametrize("number", [1, 2, 15, 16, 17, 33, 1_000, 3_001])
@pytest.mark.parametrize("sides", [1, 2, 5])
def test_points_spread_evenly(number: int, sides: int) -> None:
    draw = np.random.default_rng(number + sides)
    compare(draw.normal(size=(number, sides)), draw.normal(size=(700, sides)))


@pytest.mark.parametrize("sides", [1, 2, 4])
def test_rounded_points_of_which_many_are_equal_or_equally_near(sides: int) -> None:
    draw = np.random.default_rng(sides)
    compare(draw.integers(0, 5, (2_000, sides)) / 1.0, draw.integers(0, 11, (1_500, sides)) / 2.0)


def test_a_known_distance_narrows_the_search_and_changes_nothing() -> None:
    draw = np.random.default_rng(3)
    points = draw.normal(size=(2_000, 8))
    moved = points + draw.normal(size=points.shape) * 0.01
    compare(points, moved, np.linalg.norm(points - moved, axis=1))


def test_points_that_lie_on_a_line_or_far_outside() -> None:
    line = np.column_stack([np.arange(500.0), np.zeros(500)])
    compare(line, np.array([[-1e6, 3.0], [250.2, 1e9], [499.0, 0.0]]))
