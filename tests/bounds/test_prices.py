"""The price bound: what prices prove is what the checker says, never more than the optimum, and rises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.checking.test_proof import proved
from tests.strategies import KNOWN_MODELS, MODELS, Case, case_of, cases
from tests.thorough import examples

from shoal.bounds.base import in_measure
from shoal.bounds.prices import COMING, FAR, RECENT, Ascent, PriceBound, Pricing, Valued
from shoal.bounds.residue import Residue
from shoal.bounds.support import Support, charges
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.general.subset_dp import SubsetDP
from shoal.models import Model
from shoal.patterns import cube as layout

BLOCKS = ["suppress", "generalize"]
ADDING = ["stars", "height", "ncp"]
EVERY: Sequence[type[Model]] = tuple(MODELS.values())
MONOTONE: Sequence[type[Model]] = tuple(kind for kind in MODELS.values() if kind.monotone)
COUNTEREXAMPLE = case_of(
    {
        "number": [1] * 6,
        "truth": [True] * 3 + [False] * 3,
        "decimal": [0.0, 1.0, 1.0, 5.0, 6.0, 6.0],
        "illness": ["gout"] * 6,
    },
    "k=2",
)
"""The optimum 4 uses (1, *, *), although every group with only the third column starred is admissible."""


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Tiny loops in several threads mostly wait for each other where other tests run."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class Priced:
    """A case and prices for its row types."""

    case: Case
    pricing: Pricing
    prices: Ints

    @property
    def valued(self) -> Valued:
        return self.pricing.value(self.prices)

    @property
    def checked(self) -> Fraction:
        """What the checker says of the same prices, in the measure of the cost."""
        cube = self.pricing.cube
        return proved(self.case, self.prices[cube.type_of_row].tolist(), cube.denominator)

    def __repr__(self) -> str:
        return f"Priced({self.case!r}, {(self.prices / self.pricing.cube.denominator).tolist()})"


@st.composite
def priced(
    draw: st.DrawFn, rows: int, kinds: Sequence[type[Model]] = KNOWN_MODELS, costs: Sequence[str] = ADDING
) -> Priced:
    """A case and random prices of any sign, whole units and odd ones."""
    case = draw(cases(rows, BLOCKS, kinds, costs))
    pricing = Pricing.of(case.problem)
    cube = pricing.cube
    share = st.one_of(st.sampled_from([-0.5, 0.0, 0.5, 1.0, 1.5]), st.floats(-1, 1.5))
    shares = draw(st.lists(share, min_size=cube.types, max_size=cube.types))
    return Priced(case, pricing, np.array([int(part * cube.full) for part in shares], np.int64))


def check_never_more_than_the_checker(drawn: Priced) -> None:
    """Where share sets bound gains, search and checker find charges by rules of their own: then the checker decides."""
    assume(not len(drawn.pricing.demands.shares.kinds))
    valued, cost = drawn.valued, drawn.case.problem.cost.name
    checked = drawn.checked
    assert drawn.pricing.stated(valued) <= max(Fraction(0), checked)
    if cost != "stars":
        per = len(drawn.case.rows) if cost == "ncp" else 1
        assert Fraction(valued.bound, drawn.pricing.cube.denominator * per) <= max(Fraction(0), checked)


@settings(max_examples=examples(80))
@given(drawn=priced(14, EVERY))
def test_no_more_is_stated_than_the_checker_finds(drawn: Priced) -> None:
    check_never_more_than_the_checker(drawn)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(drawn=priced(30, EVERY))
def test_no_more_is_stated_than_the_checker_finds_in_many_more(drawn: Priced) -> None:
    check_never_more_than_the_checker(drawn)


@settings(max_examples=examples(50))
@given(drawn=priced(14, EVERY, ["stars"]))
def test_of_stars_the_checker_finds_the_same_up_to_rounding(drawn: Priced) -> None:
    assume(not len(drawn.pricing.demands.shares.kinds))
    rounded = drawn.case.rows
    assert max(0.0, float(drawn.checked)) - drawn.pricing.stated(drawn.valued) in (0, 1)
    lost = drawn.checked - Fraction(drawn.valued.bound, drawn.pricing.cube.denominator)
    assert lost <= 1 + Fraction(100 * len(rounded) ** 2, drawn.pricing.cube.denominator)


@settings(max_examples=examples(30))
@given(drawn=priced(6, [MODELS["t"]], ["height"]), power=st.integers(0, 15))
def test_weights_of_any_size_prove_no_more_than_the_optimum(drawn: Priced, power: int) -> None:
    heavy = replace(drawn.case, weights={drawn.case.quasi[0]: Fraction(10**power)})
    pricing = Pricing.of(heavy.problem)
    shares = drawn.prices / drawn.pricing.cube.full
    prices = np.floor(np.minimum(shares, 1) * pricing.cube.full).astype(np.int64)
    try:
        optimum = SubsetDP().run(heavy.problem).cost
    except Infeasible:
        return
    assert pricing.stated(pricing.value(prices)) <= optimum * (1 + 1e-9)


def check_never_more_than_the_optimum(drawn: Priced) -> None:
    optimum = drawn.case.oracle.optimum(drawn.case.problem.cost.name)
    assert drawn.pricing.stated(drawn.valued) <= optimum + 1e-9


@settings(max_examples=examples(50))
@given(drawn=priced(5))
def test_no_prices_prove_more_than_the_optimum(drawn: Priced) -> None:
    check_never_more_than_the_optimum(drawn)


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(drawn=priced(6))
def test_no_prices_of_many_prove_more_than_the_optimum(drawn: Priced) -> None:
    check_never_more_than_the_optimum(drawn)


@settings(max_examples=examples(30))
@given(drawn=priced(8, MONOTONE))
def test_no_prices_prove_more_than_the_optimum_under_any_monotone_model(drawn: Priced) -> None:
    try:
        optimum = SubsetDP().run(drawn.case.problem).cost
    except (Infeasible, Unsupported):
        return
    assert drawn.pricing.stated(drawn.valued) <= optimum + 1e-9


@pytest.mark.parametrize("most", [2, 3, 5])
@settings(max_examples=examples(20))
@given(case=cases(5, BLOCKS, costs=ADDING), share=st.floats(0, 1.5))
def test_with_few_nodes_priced_prices_still_prove_no_more(case: Case, share: float, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "MOST_PRICED", most * 5)
        pricing = Pricing.of(case.problem)
        drawn = Priced(case, pricing, np.full(pricing.cube.types, int(share * pricing.cube.full), np.int64))
        valued = drawn.valued
        assert pricing.stated(valued) <= case.oracle.optimum(case.problem.cost.name) + 1e-9
        if not len(pricing.demands.shares.kinds):
            check_never_more_than_the_checker(Priced(case, pricing, valued.prices))


# The slope


@settings(max_examples=examples(50))
@given(drawn=priced(14, [MODELS["k"]]), data=st.data())
def test_for_k_anonymity_no_prices_prove_more_than_the_slope_says(drawn: Priced, data: st.DataObject) -> None:
    """The bound is concave: it lies below its tangents."""
    here, full = drawn.valued, drawn.pricing.cube.full
    shares = data.draw(st.lists(st.floats(-1, 1.5), min_size=len(drawn.prices), max_size=len(drawn.prices)))
    there = np.array([int(share * full) for share in shares], np.int64)
    rise = sum(
        int(slope) * step for slope, step in zip(here.slope.tolist(), (there - drawn.prices).tolist(), strict=True)
    )
    assert drawn.pricing.value(there).bound <= here.bound + rise


@settings(max_examples=examples(30))
@given(drawn=priced(14, [MODELS["k"]]), data=st.data())
def test_for_k_anonymity_a_price_changed_by_little_changes_the_bound_by_the_slope(
    drawn: Priced, data: st.DataObject
) -> None:
    """Between the slopes on either side; where they agree, exactly by them."""
    kind = data.draw(st.sampled_from(range(len(drawn.prices))))
    step = np.zeros(len(drawn.prices), np.int64)
    step[kind] = 7
    here, ahead = drawn.valued, drawn.pricing.value(drawn.prices + step)
    assert 7 * ahead.slope[kind] <= ahead.bound - here.bound <= 7 * here.slope[kind]


@settings(max_examples=examples(50))
@given(case=cases(14, BLOCKS, EVERY, ADDING))
def test_the_support_charges_prove_the_support_bound(case: Case) -> None:
    pricing = Pricing.of(case.problem)
    least = charges(pricing.cube, pricing.demands)
    valued = pricing.value(least)
    assert valued.bound == int(least @ pricing.cube.counts)
    assert pricing.stated(valued) == Support().of(case.problem)


@settings(max_examples=examples(20))
@given(case=cases(14, BLOCKS, EVERY, ADDING))
def test_the_order_of_rows_does_not_change_what_is_proved(case: Case) -> None:
    turned = case.taken(range(len(case.rows))[::-1])
    assert PriceBound().of(case.problem) == PriceBound().of(turned.problem)


# The ascent


@settings(max_examples=examples(20))
@given(case=cases(14, BLOCKS, EVERY, ADDING))
def test_prices_that_rise_never_prove_less_than_before(case: Case) -> None:
    ascent = Ascent.of(Pricing.of(case.problem))
    before = Support().of(case.problem)
    for _ in range(8):
        ascent.step(ascent.best.bound + ascent.pricing.cube.full)
        assert ascent.pricing.stated(ascent.best) >= before
        before = ascent.pricing.stated(ascent.best)
    assert ascent.pricing.value(ascent.best.prices).bound == ascent.best.bound


def test_steps_aim_the_nearer_the_less_the_last_ones_proved() -> None:
    ascent = Ascent.of(Pricing.of(COUNTEREXAMPLE.problem))
    proved, unit = ascent.reached.bound, ascent.pricing.cube.denominator

    def ahead(growth: float) -> float:
        ascent._recent = [round(proved / (1 + growth) ** RECENT), *[proved] * RECENT]
        return (ascent._near - proved - unit) / proved

    assert ascent._near == proved + int(FAR * proved) + unit
    assert [round(ahead(growth), 3) for growth in (0.0, 0.01, 0.5)] == [0.05, COMING * 0.01, FAR]


@settings(max_examples=examples(20))
@given(drawn=priced(10))
def test_prices_found_elsewhere_are_taken_only_if_they_prove_more(drawn: Priced) -> None:
    ascent = Ascent.of(drawn.pricing)
    before, other = ascent.best.bound, drawn.valued.bound
    ascent.lift(drawn.prices)
    assert ascent.best.bound == max(before, other)


@pytest.mark.parametrize("seed", range(6))
def test_prices_of_values_prove_the_residue_and_no_more_than_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number, illness = rng.choice([1, 2, 4], 8).tolist(), rng.choice(["cold", "cold", "gout", "asthma"], 8).tolist()
    case = case_of({"number": number, "illness": illness}, "l(illness)=2")
    ascent = Ascent.of(Pricing.of(case.problem))
    before = ascent.reached
    ascent.price_values()
    assert ascent.aside is not None
    assert ascent.reached is before
    assert ascent.best.bound == max(before.bound, ascent.aside.bound)
    assert ascent.pricing.stated(ascent.aside) >= Residue().of(case.problem)
    if case.oracle.admits([tuple(range(8))]):
        assert ascent.pricing.stated(ascent.best) <= case.oracle.optimum("stars")


def test_prices_depend_on_values_only_where_shares_are_limited() -> None:
    ascent = Ascent.of(Pricing.of(COUNTEREXAMPLE.problem))
    ascent.price_values()
    assert ascent.aside is None


def test_a_coarse_pattern_counts_though_every_finer_one_is_admissible() -> None:
    assert COUNTEREXAMPLE.oracle.optimum("stars") == 4
    assert 2 <= PriceBound().of(COUNTEREXAMPLE.problem) <= 4
    pricing = Pricing.of(COUNTEREXAMPLE.problem)
    rng = np.random.default_rng(0)
    tried = [pricing.value(rng.integers(0, pricing.cube.full + 1, pricing.cube.types)) for _ in range(300)]
    assert max(pricing.stated(valued) for valued in tried) <= 4


NEAR: dict[str, Any] = {"truth": [True] * 4 + [False] * 4, "salary": [1, 1, 2, 2, 5, 5, 10, 10]}
"""Each half has two of four salaries: far from the table by the equal distance, near in the order."""


@pytest.mark.parametrize("limit", ["0.34", "0.4", "0.5"])
def test_a_class_near_in_the_order_is_not_judged_by_the_equal_distance(limit: str) -> None:
    case = case_of(NEAR, f"t(salary:ordered)={limit}")
    assert case.oracle.admits([(0, 1, 2, 3), (4, 5, 6, 7)])
    pricing = Pricing.of(case.problem)
    full = pricing.cube.full
    assert PriceBound().of(case.problem) == 0
    assert max(pricing.value(np.full(pricing.cube.types, full * part // 8)).bound for part in range(13)) <= 0


def test_by_the_equal_distance_the_same_classes_are_too_far() -> None:
    assert PriceBound().of(case_of(NEAR, "t(salary:equal)=0.34").problem) == 8


# Where a bound is stated


@settings(max_examples=examples(30))
@given(case=cases(10, BLOCKS, EVERY, ADDING))
def test_prices_of_rows_prove_what_they_state(case: Case) -> None:
    pricing = Pricing.of(case.problem)
    found = pricing.proof(PriceBound().ascended(pricing).best)
    assert found is not None
    assert found.bound == PriceBound().of(case.problem)
    assert found.estimated == (len(pricing.demands.shares.kinds) > 0)
    assert found.estimated or found.bound <= max(Fraction(0), proved(case, found.of_row.tolist(), found.denominator))


@pytest.mark.parametrize(("cost", "recoding"), [("starred-rows", "suppress"), ("entropy", "suppress")])
def test_no_prices_are_given_for_costs_that_the_checker_does_not_know(cost: str, recoding: str) -> None:
    case = replace(COUNTEREXAMPLE, cost=cost, recoding=recoding)
    if not PriceBound().accepts(case.problem):
        pricing = Pricing.of(case.problem)
        assert pricing.proof(PriceBound().ascended(pricing).best) is None


@pytest.mark.parametrize(("units", "stars"), [(-5, 0), (0, 0), (1, 1), (2**30 - 1, 1), (2**30, 1), (2**30 + 1, 2)])
def test_stars_are_rounded_up_to_whole_ones_and_never_below_none(units: int, stars: int) -> None:
    pricing = Pricing.of(COUNTEREXAMPLE.problem)
    assert pricing.cube.denominator == 2**30
    assert in_measure(COUNTEREXAMPLE.problem, Fraction(units, pricing.cube.denominator)) == stars


def test_models_that_the_bound_leaves_out_are_named() -> None:
    columns = {**COUNTEREXAMPLE.columns, "salary": [1, 2, 5, 1, 2, 5]}
    remarks = []
    for require in ("k=2 beta(illness)=1", "k=2 e(salary)=1"):
        case = case_of(columns, require)
        pricing = Pricing.of(case.problem)
        found = pricing.proof(Ascent.of(pricing).best)
        assert found is not None
        remarks.append(found.remarks)
    assert remarks[0] == ()
    assert any("e(salary)=1" in remark for remark in remarks[1])


@pytest.mark.parametrize(
    ("asked", "values"),
    [("salary:ordered", [1, 5]), ("salary:numeric", [2, 5]), ("illness:hierarchy", ["asthma", "gout"])],
)
def test_two_values_are_equally_far_in_any_distance(asked: str, values: list[Any]) -> None:
    rng = np.random.default_rng(4)
    name = asked.split(":", maxsplit=1)[0]
    columns: dict[str, Any] = {
        "number": rng.choice([1, 2, 4, 9], 40).tolist(),
        "text": rng.choice(["e", "f", "v"], 40).tolist(),
        name: [values[place] for place in rng.integers(0, 2, 40)],
    }
    bounds = [PriceBound().of(case_of(columns, f"t({kind})=1/10").problem) for kind in (asked, f"{name}:equal")]
    assert bounds[0] == bounds[1] > 0
