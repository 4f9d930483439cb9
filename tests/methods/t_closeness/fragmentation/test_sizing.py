"""How many records classes take from fragments: the bound, its law against bad choices, and the thesis' figures."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from tests.methods.t_closeness.fragmentation.grids import adversarial, distances, drawn, grid, ordered, random_ground
from tests.thorough import many

from shoal.methods.t_closeness.fragmentation import (
    DistanceBound,
    Fragmentation,
    Sizes,
    Tuples,
    distance_bound,
    equal_sizes,
    find_fragmentation,
    size,
)
from shoal.methods.t_closeness.fragmentation.axes import axis
from shoal.methods.t_closeness.fragmentation.sizing import Diversity, Sizing, halve


def sizes_of(*counts: list[int]) -> Sizes:
    """Classes by what they take from each fragment."""
    width = len(counts[0])
    flat = np.array(counts).ravel()
    return Sizes.of(np.repeat(np.arange(len(counts)), width), np.tile(np.arange(width), len(counts)), flat, len(counts))


def table(sizes: Sizes, fragments: int) -> list[list[int]]:
    dense = np.zeros((len(sizes), fragments), dtype=np.int64)
    dense[sizes.owner, sizes.fragments] = sizes.counts
    return dense.tolist()


# --- the worked example ----------------------------------------------------------------------------------------------


def example() -> Fragmentation:
    """Values 1 to 4 that occur 3, 1, 2 and 2 times, cut into {1, 2} and {3, 4}."""
    columns = np.repeat(np.arange(4), [3, 1, 2, 2])
    whole = Fragmentation.whole((axis("s", 0.5, 4, ordered(4)),), Tuples.of([columns], [4], 8))
    return whole.cut(0, 0, 2)


def test_the_bound_of_a_class_that_does_not_conform() -> None:
    cut = example()
    bound = DistanceBound(cut).bounds(sizes_of([2, 1]))[0, 0]
    assert bound == pytest.approx(25 / 72)
    rows = range(8)
    worst = max(
        distances(cut, np.array(chosen))[0] for chosen in combinations(rows, 3) if sum(row < 4 for row in chosen) == 2
    )
    assert worst == pytest.approx(17 / 72)


def test_the_bound_of_the_table_is_the_aggregate_bound() -> None:
    cut = example()
    assert DistanceBound(cut).bounds(sizes_of([4, 4], [1, 1]))[:, 0] == pytest.approx([cut.bounds[0]] * 2)


# --- the law ---------------------------------------------------------------------------------------------------------


def check_bad_choices(seed: int, classes: int) -> float:
    """Guarantees that no bad choice of records is farther than the bound; returns how near one came."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, int(rng.integers(1, 4))).tolist()
    whole = drawn(rng, [random_ground(rng, one) for one in sizes], sizes, int(rng.integers(20, 120)))
    cut = find_fragmentation(whole, [float(rng.choice([0.3, 0.1, 0.03]))] * len(sizes), 200)
    bounds, nearest = DistanceBound(cut), 0.0
    for _ in range(classes):
        conforms = rng.random() < 0.3
        taken = np.maximum(cut.rows // 2, 1) if conforms else rng.integers(0, cut.rows + 1)
        taken[rng.integers(len(cut))] += not taken.any()
        asked = sizes_of(np.minimum(taken, cut.rows).tolist())
        allowed = bounds.bounds(asked)[0]
        along = cut.axes[int(rng.integers(len(cut.axes)))]
        true = distances(cut, adversarial(rng, cut, asked, 0, along))
        assert (true <= allowed + 1e-9).all()
        nearest = max(nearest, float((true / np.maximum(allowed, 1e-9)).max()))
    return nearest


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_of_records_breaks_the_promise(seed: int) -> None:
    check_bad_choices(seed, 15)


@pytest.mark.slow
def test_no_choice_of_records_breaks_the_promise_of_many_more() -> None:
    nearest = max(check_bad_choices(1_000 + seed, 30) for seed in range(many(60)))
    print(f"{30 * many(60):,} classes within their bounds; the nearest came to {nearest:.3f} of its bound")
    assert nearest > 0.9


def test_long_lines_are_compared_in_cells_at_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    whole = drawn(rng, [ordered(400)], [400], 1_500)
    cut = find_fragmentation(whole, [0.05], 200)
    asked = [rng.integers(0, cut.rows + 1).tolist() for _ in range(30)]
    exact = _bounds(monkeypatch, cut, asked, 1_000)
    coarse = _bounds(monkeypatch, cut, asked, 64)
    assert (coarse >= exact - 1e-12).all()
    assert (coarse <= exact + 3 / 64).all()


@pytest.mark.parametrize("seed", range(8))
def test_long_lists_of_values_are_compared_by_fragments_at_a_price(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    whole = drawn(rng, [random_ground(rng, 8), random_ground(rng, 7)], [8, 7], 100)
    cut = find_fragmentation(whole, [0.1, 0.1], 200)
    asked = [rng.integers(0, cut.rows + 1).tolist() for _ in range(20)]
    exact, coarse = _bounds(monkeypatch, cut, asked, 1_000), _bounds(monkeypatch, cut, asked, 4)
    assert (coarse >= exact - 1e-9).all()


def _bounds(monkeypatch: pytest.MonkeyPatch, cut: Fragmentation, asked: list[list[int]], cells: int) -> np.ndarray:
    monkeypatch.setattr(distance_bound, "CELLS", cells)
    return DistanceBound(cut).bounds(sizes_of(*asked))


def test_compiled_mixtures_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    cut = find_fragmentation(drawn(rng, [ordered(9)], [9], 90), [0.05], 100)
    asked = sizes_of(*[rng.integers(0, cut.rows + 1).tolist() for _ in range(9)])
    plain = DistanceBound(cut).bounds(asked)
    monkeypatch.setattr(distance_bound, "COMPILED_FROM", 0)
    assert DistanceBound(cut).bounds(asked) == pytest.approx(plain)


# --- sizes -----------------------------------------------------------------------------------------------------------


def figure(last: int, slack: float = 0.0) -> Sizing:
    """Ten by four values in quarters of 250, 100, 350 and 300 or 301 records, spread evenly."""
    matrix = np.zeros((10, 4), dtype=np.int64)
    for top, left, records in ((0, 0, 250), (0, 2, 100), (5, 0, 350), (5, 2, 300)):
        matrix[top : top + 5, left : left + 2] += records // 10
    matrix[9, 3] += last - 300
    cut = grid(matrix, (0.2224 + slack, 0.1668 + slack)).cut(0, 0, 20).cut(0, 1, 10).cut(2, 1, 10)
    assert cut.rows.tolist() == [250, 100, 350, last]
    return Sizing(DistanceBound(cut), 1)


def test_figure_18_twenty_records_conform_to_every_fragment() -> None:
    found = equal_sizes(figure(300))
    assert len(found) == 50
    assert table(found, 4)[0] == [5, 2, 7, 6]


@pytest.mark.parametrize(("slack", "least"), [(0.01, 43), (0.02, 75), (0.05, 98), (0.1, 333)])
def test_figure_19_one_record_more_leaves_dozens_of_classes_instead_of_one(slack: float, least: int) -> None:
    sizing = figure(301, slack)
    assert sizing.distance.cut.bounds == pytest.approx([0.2224, 0.1668], abs=1e-4)
    assert len(equal_sizes(sizing)) == 1
    found, number = size(sizing)
    assert number == len(found) >= least
    assert np.sum(table(found, 4), axis=0).tolist() == [250, 100, 350, 301]
    assert (sizing.distance.bounds(found) <= sizing.limits + 1e-9).all()


def test_halves_take_what_there_is_and_differ_by_one() -> None:
    whole = sizes_of([5, 4, 3, 1], [0, 1, 0, 2])
    assert table(halve(whole, np.arange(4)), 4) == [[3, 2, 1, 1], [2, 2, 2, 0], [0, 1, 0, 1], [0, 0, 0, 1]]


def test_all_ways_to_round_four_odd_numbers_are_tried() -> None:
    """Up to an exchange of the halves; a half that is left without a record is none."""
    cut = figure(301).distance.cut
    ways = Sizing(DistanceBound(cut), 1).roundings
    as_cut = [halve(sizes_of([1, 3, 5, 7]), rank, pattern) for rank, pattern in ways if (rank == np.arange(4)).all()]
    firsts = {tuple(table(halves, 4)[0]) for halves in as_cut} | {tuple(table(halves, 4)[1]) for halves in as_cut}
    assert firsts == set(product((0, 1), (1, 2), (2, 3), (3, 4)))
    ones = figure(301, 1.0)
    found, _ = size(ones)
    assert len(found) == 1001
    assert found.rows.max() == 1


def test_classes_have_rows_enough() -> None:
    sizing = figure(301, 0.1)
    found, _ = size(Sizing(sizing.distance, 12))
    assert found.rows.min() >= 12
    assert len(equal_sizes(Sizing(figure(300).distance, 30))) == 25


def test_few_classes_followed_tell_about_how_many_there_are() -> None:
    sizing = figure(301, 0.1)
    assert size(sizing, 8)[1] == pytest.approx(size(sizing)[1], rel=0.5)


def test_diversity_is_promised_from_the_sizes() -> None:
    """At worst a class takes min(what it takes, what there is) of a value from each fragment."""
    diversity = Diversity(Fraction(2), np.ones((2, 3), dtype=np.int64))
    assert diversity.holds(sizes_of([3, 3], [2, 2], [1, 1], [2, 0])).tolist() == [True, True, False, True]
    stricter = Diversity(Fraction(5, 2), diversity.counts)
    assert stricter.holds(sizes_of([3, 3], [2, 2], [1, 1], [2, 0])).tolist() == [True, False, False, False]


def test_sizes_that_diversity_refuses_stay_together() -> None:
    cut = example()
    strict = Sizing(DistanceBound(cut), 1, (Diversity(Fraction(2), np.array([[3, 1], [2, 2]])),))
    assert len(size(strict)[0]) == 1
    assert len(equal_sizes(strict)) == 1


def test_time_may_be_over() -> None:
    assert len(size(figure(301, 0.1), stop=lambda: True)[0]) == 1


@pytest.mark.parametrize(("t", "least"), [(0.3, 144), (0.2, 123), (0.15, 65), (0.1, 55), (0.05, 24)])
def test_most_classes_come_of_fragments_that_use_up_a_part_of_t(t: float, least: int) -> None:
    """Four hundred records, two attributes of eight values: exact conformance gives one or two classes."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 8, 400)
    second = np.clip(first + rng.integers(-2, 3, 400), 0, 7)
    matrix = np.zeros((8, 8), dtype=np.int64)
    np.add.at(matrix, (first, second), 1)
    numbers = []
    for share in (1, 0.4, 0.25):
        sizing = Sizing(DistanceBound(find_fragmentation(grid(matrix, (t, t)), [t * share] * 2, 1000)), 1)
        numbers.append(len(size(sizing)[0]))
        assert len(equal_sizes(sizing)) <= 2
    assert max(numbers) >= least
    assert max(numbers) > numbers[0]
