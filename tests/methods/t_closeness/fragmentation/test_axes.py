"""The worst move inside a fragment, for every kind of distance, against trying every value."""

from __future__ import annotations

import numpy as np
import pytest
from tests.methods.t_closeness.fragmentation.grids import equal, ordered, random_ground

from shoal.core.arrays import Ints
from shoal.methods.t_closeness.fragmentation.axes import Axis, axis
from shoal.models.emd import GroundDistance, Tree


def between(ground: GroundDistance, size: int) -> list[list[float]]:
    """The distance of every two values, as the distance of a class of the one to a table of the other."""
    return [[float(ground.one({u: 1}, np.eye(size, dtype=np.int64)[v])) for u in range(size)] for v in range(size)]


def by_trying(ground: GroundDistance, counts: Ints) -> float:
    """Move all records to each value that occurs."""
    apart = np.array(between(ground, len(counts)))
    return max(float(apart[v] @ counts) for v in np.flatnonzero(counts))


def of(ground: GroundDistance, size: int) -> Axis:
    return axis("s", 0.1, size, ground)


@pytest.mark.parametrize("seed", range(60))
def test_the_worst_move_is_the_farthest_value_that_occurs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 8))
    ground, counts = random_ground(rng, size), rng.integers(0, 4, size)
    counts[rng.integers(size)] += 1
    values = np.flatnonzero(counts)
    assert of(ground, size).worst(values, counts[values]) == pytest.approx(by_trying(ground, counts), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_running_sums_are_the_worst_moves_of_the_first_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 8))
    one = of(random_ground(rng, size), size)
    values, counts = rng.integers(0, size, 12), rng.integers(1, 5, 12)
    ends = np.array([1, 4, 7, 12])
    alone = [one.worst(values[:end], counts[:end]) for end in ends.tolist()]
    assert one.moved(values, counts, ends) == pytest.approx(alone, abs=1e-12)


def test_no_choice_of_records_is_farther_than_the_worst_move() -> None:
    """U(P) is the largest distance to any distribution on the same values."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        size = int(rng.integers(2, 6))
        ground, counts = random_ground(rng, size), rng.integers(1, 5, size)
        worst = of(ground, size).worst(np.arange(size), counts) / counts.sum()
        taken = rng.integers(0, 4, size)
        taken[rng.integers(size)] += 1
        found = ground.one({v: int(c) for v, c in enumerate(taken) if c}, counts)
        assert float(found) <= worst + 1e-12


def test_two_of_three_ones_on_a_line_of_four() -> None:
    """Counts 3 and 1 on the first two of four values: three records move by a third."""
    assert of(ordered(4), 4).worst(np.array([0, 1]), np.array([3, 1])) / 4 == pytest.approx(1 / 4)
    assert of(ordered(4), 4).worst(np.array([2, 3]), np.array([2, 2])) / 4 == pytest.approx(1 / 6)


def test_under_the_equal_distance_all_but_the_rarest_value_move() -> None:
    assert of(equal(3), 3).worst(np.arange(3), np.array([5, 3, 2])) == pytest.approx(8)
    assert of(equal(3), 3).worst(np.array([1]), np.array([3])) == 0


def test_a_tree_is_cut_between_the_children_of_its_lowest_common_block() -> None:
    tree = of(Tree(np.array([[0, 1, 2, 3], [0, 0, 1, 1]])), 4)
    assert tree.places(np.arange(4), np.array([1, 1, 5, 5])).tolist() == [1, 1, 0, 0]  # the commoner child first
    assert tree.places(np.array([0, 1]), np.array([1, 2])).tolist() == [1, 0]


def test_one_value_cannot_be_cut_and_never_moves() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one = of(random_ground(rng, 4), 4)
        assert len(set(one.places(np.array([2, 2]), np.array([1, 4])).tolist())) == 1
        assert one.worst(np.array([2]), np.array([7])) == 0


def test_a_domain_of_one_value_has_no_distance() -> None:
    assert of(ordered(1), 1).worst(np.array([0]), np.array([3])) == 0
