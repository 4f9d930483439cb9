"""The [1,2]-factor approximation: worked examples, blocks, the guarantee against every release."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.methods.k_anonymity.factor_cases import WAYS, Worst, binary_case, census_run, refused, run, weighted_case
from tests.thorough import many

from shoal.methods.base import Deadline
from shoal.methods.k_anonymity.factor_1_2 import Factor12

TAB_C = [("47", "White", "Male", "21004"), ("35", "White", "Female", "21004")]
TAB_C += [("27", "Hispanic", "Female", "92010"), ("27", "White", "Female", "92010")]


def test_the_paper_s_four_people_are_published_at_the_least_cost() -> None:
    found = run(TAB_C, 2, "factor-1-2").certificate
    assert float(found.cost) == 6
    assert found.guarantee == "cost <= 2 * optimum"


def test_two_pairs_of_rows_are_found() -> None:
    found = run(["xab", "zcd", "yab", "zce"], 2, "factor-1-2").certificate
    assert (float(found.cost), found.lower_bound) == (4, 4)
    assert found.status == "optimal"


def test_ten_patients_are_within_a_third_of_the_least_cost() -> None:
    zips = ["98765", "98654", "98543", "97654", "96689", "97427", "96552", "97017", "97023", "97009"]
    ages = ["38", "39", "32", "65", "45", "33", "54", "69", "55", "62"]
    rows = [(*z, *a, e) for z, a, e in zip(zips, ages, "BDMBBBBDMB", strict=True)]
    found = run(rows, 2, "factor-1-2").certificate
    assert 46 <= float(found.cost) <= 60
    assert found.lower_bound <= 46


def test_half_as_much_again_may_be_paid_where_columns_have_two_values() -> None:
    found = run(["00", "01", "10", "11"], 2, "factor-1-2").certificate
    assert found.guarantee == "cost <= 1.5 * optimum"
    assert (float(found.cost), found.lower_bound) == (4, 4)


def test_equal_rows_are_published_as_they_are() -> None:
    found = run(["00", "00", "00", "11", "11"], 2, "factor-1-2").certificate
    assert (float(found.cost), found.status) == (0, "optimal")


def test_a_row_beside_many_copies_takes_one_of_them() -> None:
    assert float(run(["00"] * 5 + ["01"], 2, "factor-1-2").certificate.cost) == 2


@pytest.mark.parametrize(("recoding", "cost"), WAYS)
@pytest.mark.parametrize("dropped", [Fraction(0), Fraction(1, 3)])
def test_no_release_is_cheaper_by_more_than_the_guarantee(recoding: str, cost: str, dropped: Fraction) -> None:
    rng, worst = np.random.default_rng(2), Worst()
    for _ in range(15):
        worst.check(Factor12(), weighted_case(rng, 2, recoding, cost, dropped), 3 if dropped else 2)


def test_columns_of_two_values_have_the_better_guarantee() -> None:
    rng, worst = np.random.default_rng(3), Worst()
    for _ in range(40):
        worst.check(Factor12(), binary_case(rng, 2), 1.5)


@pytest.mark.slow
def test_many_releases_stay_within_the_guarantee() -> None:
    rng, binary, general, weighted = np.random.default_rng(4), Worst(), Worst(), Worst()
    for turn in range(many(150)):
        binary.check(Factor12(), binary_case(rng, 2), 1.5)
        general.check(Factor12(), weighted_case(rng, 2, "suppress", "stars", Fraction(0)), 2)
        weighted.check(Factor12(), weighted_case(rng, 2, *WAYS[turn % len(WAYS)], Fraction(0)), 2)
    worst = f"binary {binary.ratio:.3f}, any {general.ratio:.3f}, weighted {weighted.ratio:.3f}"
    print(f"worst of {many(150):,} each: {worst}")


def test_a_large_table_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Factor12, "most_rows", (60, 60))
    found = census_run("factor-1-2", 2)
    assert (found.certificate.status, found.certificate.guarantee) == ("feasible", None)
    said = "4 blocks of at most 50 rows; within each the cost is at most 2 times the block's optimum"
    assert any(said in decision for decision in found.decisions)


def test_time_that_is_over_still_leaves_a_release() -> None:
    found = census_run("factor-1-2", 2, time_limit=0)
    assert (found.certificate.status, found.certificate.guarantee) == ("feasible", None)
    assert any("time ran out before factor-1-2 had ended" in decision for decision in found.decisions)


def test_blocks_that_time_does_not_allow_for_are_joined_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Factor12, "most_rows", (4, 4))
    looks = iter([False])
    monkeypatch.setattr(Deadline, "passed", property(lambda _: next(looks, True)))
    case = binary_case(np.random.default_rng(5), 2, rows=11)
    found = Factor12().solve(case.problem, seed=0, deadline=Deadline(), progress=lambda *_: None)
    assert found.partition.sizes.min() >= 2
    assert "time ran out after 1 blocks: the other rows were joined in their order" in found.notes


def test_what_the_proof_does_not_cover_is_refused() -> None:
    assert "it is for k=2, not for k=3" in refused("factor-1-2", require="k=3")
    assert "is not k-anonymity" in refused("factor-1-2", require="k=2 l(s)=2")
    assert "along hierarchies only" in refused("factor-1-2", require="k=2", recoding="range")
    assert "does not add over cells" in refused("factor-1-2", require="k=2", cost="discernibility")
