"""Cutting sensitive values into fragments: the thesis' figures, its wrong proposition, and the search."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from tests.methods.t_closeness.fragmentation.grids import drawn, equal, grid, ordered, random_ground

from shoal.methods.t_closeness.fragmentation import Fragmentation, find_fragmentation

Box = tuple[int, int, int, int]


def test_figure_15_a_cut_between_columns_may_raise_the_bound_of_the_rows() -> None:
    whole = grid([[1, 4], [2, 3]])
    assert whole.bounds == pytest.approx([0.5, 0.7])
    assert whole.cut(0, 1, 2).bounds == pytest.approx([0.6, 0])


def aggregate(matrix: Sequence[Sequence[int]], boxes: Sequence[Box], *, by_domain: bool) -> tuple[Fraction, Fraction]:
    """The aggregate bounds of boxes: in the thesis each fragment on its own scale, else all on the table's."""
    total = sum(map(sum, matrix))
    found = []
    for way in (0, 1):
        size, bound = (len(matrix), len(matrix[0]))[way], Fraction(0)
        for top, bottom, left, right in boxes:
            part = [row[left:right] for row in matrix[top:bottom]]
            sums = [sum(row) for row in part] if way == 0 else [sum(column) for column in zip(*part, strict=True)]
            k = len(sums)
            worst = max(sum(p * i for i, p in enumerate(sums)), sum(p * (k - 1 - i) for i, p in enumerate(sums)))
            scale = size - 1 if by_domain else k - 1
            bound += Fraction(worst, total * scale) if scale else 0
        found.append(bound)
    return found[0], found[1]


def test_proposition_6_is_wrong_on_the_scale_of_fragments_and_right_on_that_of_the_table() -> None:
    matrix, whole, split = [[0, 2], [3, 2], [1, 1]], [(0, 3, 0, 2)], [(0, 1, 0, 2), (1, 3, 0, 2)]
    assert aggregate(matrix, whole, by_domain=False) == (Fraction(1, 2), Fraction(5, 9))
    assert aggregate(matrix, split, by_domain=False) == (Fraction(5, 9), Fraction(2, 3))
    assert aggregate(matrix, whole, by_domain=True) == (Fraction(1, 2), Fraction(5, 9))
    assert aggregate(matrix, split, by_domain=True) == (Fraction(5, 18), Fraction(2, 3))
    ours = grid(matrix).cut(0, 0, 1)  # only values that occur in a fragment can be taken from it
    assert ours.bounds == pytest.approx([5 / 18, 4 / 9])


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_never_raises_the_bound_of_its_own_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cut = drawn(rng, [ordered(5), ordered(4)], [5, 4], 60)
    for _ in range(6):
        number, along = int(rng.integers(len(cut))), int(rng.integers(2))
        _, ends = cut.fragments[number].order(along)
        if len(ends):
            finer = cut.cut(number, along, int(rng.choice(ends)))
            assert finer.bounds[along] <= cut.bounds[along] + 1e-12
            cut = finer


def check_partition(cut: Fragmentation) -> None:
    inside = np.concatenate([fragment.inside for fragment in cut.fragments])
    assert sorted(inside.tolist()) == list(range(len(cut.tuples.counts)))
    assert cut.rows.sum() == cut.tuples.counts.sum()


@pytest.mark.parametrize("seed", range(6))
def test_the_search_ends_below_its_targets_with_every_record_in_one_fragment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, int(rng.integers(1, 4))).tolist()
    whole = drawn(rng, [random_ground(rng, size) for size in sizes], sizes, 40)
    before = len(whole)
    for share in (1.0, 0.3, 0.0):
        found = find_fragmentation(whole, [0.2 * share] * len(sizes), 10_000)
        check_partition(found)
        assert (found.bounds <= 0.2 * share + 1e-9).all()
        assert len(found) >= before
        before = len(found)


def test_boxes_on_the_tables_scale_are_few() -> None:
    """Two ordered attributes of eight values that hang together: a dozen boxes for 0.1, not forty."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 8, 400)
    second = np.clip(first + rng.integers(-2, 3, 400), 0, 7)
    matrix = np.zeros((8, 8), dtype=np.int64)
    np.add.at(matrix, (first, second), 1)
    assert len(find_fragmentation(grid(matrix), [0.2, 0.2], 1000)) <= 8
    assert len(find_fragmentation(grid(matrix), [0.1, 0.1], 1000)) <= 14


def test_the_search_stops_at_a_number_of_fragments_and_when_told() -> None:
    whole = drawn(np.random.default_rng(3), [ordered(9), equal(5)], [9, 5], 200)
    assert len(find_fragmentation(whole, [0, 0], 7)) == 7
    assert len(find_fragmentation(whole, [0, 0], 1000, lambda: True)) == 1


def test_long_domains_are_tried_at_few_places() -> None:
    rng = np.random.default_rng(4)
    whole = drawn(rng, [ordered(3_000)], [3_000], 6_000)
    found = find_fragmentation(whole, [0.02], 1000)
    assert found.bounds[0] <= 0.02
    assert len(found) < 60


def test_a_single_value_needs_no_cut() -> None:
    whole = grid([[3]])
    assert len(find_fragmentation(whole, [0, 0], 10)) == 1
