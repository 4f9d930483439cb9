"""The 2-factor approximation: cutting cycles, worked examples, blocks, the guarantee against every release."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.methods.k_anonymity.factor_cases import WAYS, Worst, binary_case, census_run, refused, run, weighted_case
from tests.thorough import many

from shoal.bounds.hierarchy_losses import Units, WholeLosses, hierarchy_losses
from shoal.core.arrays import Ints
from shoal.methods.k_anonymity.factor import FINEST, Distances
from shoal.methods.k_anonymity.factor_2 import SIZES, Factor2, cut
from shoal.problem import Problem

CYCLE = ["0000", "0001", "0011", "0111", "1111", "1110", "1100", "1000"]


def distances_of(problem: Problem) -> Distances:
    hierarchies, _ = hierarchy_losses(problem)
    units = Units.of((hierarchy.losses for hierarchy in hierarchies), FINEST)
    return Distances(tuple(map(units.hierarchy, hierarchies)), problem.microdata.codes)


def test_the_cycle_of_eight_is_cut_at_the_least_cost() -> None:
    found = run(CYCLE, 3, "factor-2").certificate
    assert float(found.cost) == 24
    assert found.guarantee == "cost <= 2 * optimum"
    assert 12 <= found.lower_bound <= 24


def test_the_factor_of_the_cycle_weighs_eight() -> None:
    apart: Ints = np.array([[sum(a != b for a, b in zip(one, other, strict=True)) for other in CYCLE] for one in CYCLE])
    hierarchy = WholeLosses(np.array([[0, 1], [0, 0]], np.int32), np.array([[0, 0], [1, 1]]))
    codes = np.array([[int(bit) for bit in row] for row in CYCLE], np.int32)
    distances = Distances((hierarchy,) * 4, codes)
    assert (distances.apart == apart).all()
    weight, parts = Factor2().parts(distances)
    assert weight == 8
    assert sorted(map(len, parts)) == [4, 4]


def every_cut(distances: Distances, cycle: list[int]) -> int:
    """The least cost of classes of three to five that follow each other, by trying all."""
    best = []
    for count in range(1, len(cycle) // 3 + 1):
        for sizes in product(SIZES, repeat=count):
            if sum(sizes) == len(cycle):
                for start in range(len(cycle)):
                    turned, ends = cycle[start:] + cycle[:start], np.cumsum(sizes)
                    parts = [turned[end - size : end] for size, end in zip(sizes, ends, strict=True)]
                    best.append(sum(_cost(distances, part) for part in parts))
    return min(best)


def _cost(distances: Distances, part: list[int]) -> int:
    return len(part) * int(distances.spread(np.array([part]))[0])


def test_cycles_are_cut_where_it_costs_least() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        case = binary_case(rng, 3, rows=int(rng.integers(3, 15)))
        distances, cycle = distances_of(case.problem), rng.permutation(case.problem.rows)
        parts = cut(distances, cycle)
        assert {len(part) for part in parts} <= set(SIZES)
        assert sorted(row for part in parts for row in part) == list(range(case.problem.rows))
        assert sum(_cost(distances, part) for part in parts) == every_cut(distances, cycle.tolist())


def test_ten_patients_are_within_the_guarantee() -> None:
    zips = ["98765", "98654", "98543", "97654", "96689", "97427", "96552", "97017", "97023", "97009"]
    ages = ["38", "39", "32", "65", "45", "33", "54", "69", "55", "62"]
    rows = [(*z, *a, e) for z, a, e in zip(zips, ages, "BDMBBBBDMB", strict=True)]
    found = run(rows, 3, "factor-2").certificate
    assert 54 <= float(found.cost) <= 3 * 54
    assert found.lower_bound <= 54
    assert found.guarantee == "cost <= 3 * optimum"


def test_equal_rows_are_published_as_they_are() -> None:
    found = run(["00", "00", "00", "00", "11", "11", "11"], 3, "factor-2").certificate
    assert (float(found.cost), found.status) == (0, "optimal")


def test_three_rows_are_a_class() -> None:
    found = run(["00", "01", "10"], 3, "factor-2").certificate
    assert (float(found.cost), found.lower_bound) == (6, 6)


@pytest.mark.parametrize(("recoding", "cost"), WAYS)
@pytest.mark.parametrize("dropped", [Fraction(0), Fraction(1, 3)])
def test_no_release_is_cheaper_by_more_than_the_guarantee(recoding: str, cost: str, dropped: Fraction) -> None:
    rng, worst = np.random.default_rng(2), Worst()
    for _ in range(15):
        worst.check(Factor2(), weighted_case(rng, 3, recoding, cost, dropped), 6 if dropped else 3)


def test_columns_of_two_values_have_the_better_guarantee() -> None:
    rng, worst = np.random.default_rng(3), Worst()
    for _ in range(40):
        worst.check(Factor2(), binary_case(rng, 3), 2)


@pytest.mark.slow
def test_many_releases_stay_within_the_guarantee() -> None:
    rng, binary, general, weighted = np.random.default_rng(4), Worst(), Worst(), Worst()
    for turn in range(many(150)):
        binary.check(Factor2(), binary_case(rng, 3), 2)
        general.check(Factor2(), weighted_case(rng, 3, "suppress", "stars", Fraction(0)), 3)
        weighted.check(Factor2(), weighted_case(rng, 3, *WAYS[turn % len(WAYS)], Fraction(0)), 3)
    worst = f"binary {binary.ratio:.3f}, any {general.ratio:.3f}, weighted {weighted.ratio:.3f}"
    print(f"worst of {many(150):,} each: {worst}")


def test_a_large_table_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Factor2, "most_rows", (60, 60))
    found = census_run("factor-2", 3)
    assert (found.certificate.status, found.certificate.guarantee) == ("feasible", None)
    said = "4 blocks of at most 50 rows; within each the cost is at most 3 times the block's optimum"
    assert any(said in decision for decision in found.decisions)


def test_time_that_is_over_still_leaves_a_release() -> None:
    found = census_run("factor-2", 3, time_limit=0)
    assert (found.certificate.status, found.certificate.guarantee) == ("feasible", None)
    assert any("time ran out before factor-2 had ended" in decision for decision in found.decisions)


def test_what_the_proof_does_not_cover_is_refused() -> None:
    assert "it is for k=3, not for k=2" in refused("factor-2", require="k=2")
    assert "is not k-anonymity" in refused("factor-2", require="k=3 l(s)=2")
