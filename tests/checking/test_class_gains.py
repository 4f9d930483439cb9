"""What prices prove of ranges and sets: never more than the optimum, and no less than the search says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.checking.test_proof import proved
from tests.methods.general.test_peel import larger
from tests.strategies import Case, case_of, cases
from tests.thorough import examples

import shoal
from shoal.bounds.range_box import RangeBox
from shoal.bounds.range_neighbour import RangeNeighbour
from shoal.bounds.range_prices import RangePrices
from shoal.checking import class_gains, proof
from shoal.checking.class_gains_kernel import Memory
from shoal.checking.proof import price_bound
from shoal.core.arrays import Ints
from shoal.core.errors import Unsupported
from shoal.costs.ncp import NCP
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem
from shoal.recoding.cells import Groups
from shoal.recoding.recode import cells_of
from shoal.release.verification import verify
from shoal.studies.synth import census

RANGES = cases(5, ["range"], costs=["ncp"])
BOUNDS = (RangeNeighbour(), RangeBox(), RangePrices())


def check_bound(case: Case, drawn: Sequence[int]) -> None:
    assert proved(case, drawn[: len(case.rows)], 8) <= case.oracle.optimum("ncp") + 1e-9


@settings(max_examples=examples(40))
@given(case=RANGES, drawn=st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_no_prices_prove_more_than_the_optimum(case: Case, drawn: list[int]) -> None:
    check_bound(case, drawn)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(case=cases(6, ["range"], costs=["ncp"]), drawn=st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_no_prices_of_many_prove_more_than_the_optimum(case: Case, drawn: list[int]) -> None:
    check_bound(case, drawn)


def check_prices(case: Case) -> None:
    """Every bound is confirmed by the checker and is not above the optimum; each is no less than the one before."""
    assume(not RangePrices().accepts(case.problem))
    optimum, before = case.oracle.optimum("ncp"), 0.0
    for bound in BOUNDS:
        prices = bound.prices(case.problem)
        assert float(proved(case, prices.of_row.tolist(), prices.denominator)) >= prices.bound * (1 - 1e-9)
        assert before * (1 - 1e-4) - 1e-6 <= prices.bound <= optimum + 1e-9
        before = prices.bound


@settings(max_examples=examples(40))
@given(case=RANGES)
def test_the_prices_of_the_bounds_are_confirmed(case: Case) -> None:
    check_prices(case)


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(case=cases(7, ["range"], costs=["ncp"]))
def test_the_prices_of_the_bounds_of_many_are_confirmed(case: Case) -> None:
    check_prices(case)


def admitted_classes(problem: Problem) -> Iterator[tuple[Ints, float]]:
    """Yield every class that the models admit in a table that publishes all rows, and what a row of it pays."""
    for size in range(1, problem.rows + 1):
        for chosen in combinations(range(problem.rows), size):
            rows, one = np.array(chosen), np.zeros(size, dtype=np.int64)
            if problem.bounding.admits(problem.candidates(rows, one, 1))[0]:
                cells = cells_of(problem.microdata, "range", Groups.of(rows, one))
                assert isinstance(problem.cost, NCP)
                yield rows, float(problem.cost.row_losses(cells)[0])


def illcase(require: str, seed: int) -> Case:
    """A table of nine random rows, with a missing number and a missing text."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        "number": [None, *rng.choice([1, 2, 4, 9], 8).tolist()],
        "text": [*rng.choice(["e", "f", "v"], 8).tolist(), None],
        "decimal": rng.choice([-1.5, 0.25, 8.0], 9).tolist(),
        "illness": ["asthma", "cold", "gout", *rng.choice(["asthma", "cold", "gout"], 6).tolist()],
        "salary": [1, 2, 5, 10, *rng.choice([1, 2, 5, 10], 5).tolist()],
    }
    return replace(case_of(columns, require), recoding="range", cost="ncp", weights={"text": Fraction(3)})


REQUIREMENTS = [
    "k=2",
    "k=3",
    "k=2 distinct-l(illness)=2",
    "k=3 distinct-l(illness)=3",
    "l(illness)=2",
    "entropy-l(illness)=1.5",
    "recursive-l(illness)=(2,2)",
    "k=2 t(illness)=0.3",
    "t(salary:ordered)=0.2",
    "k=2 distinct-l(illness)=2 distinct-l(salary)=3",
]


@pytest.mark.parametrize("require", REQUIREMENTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_class_gains_at_the_prices(require: str, seed: int) -> None:
    problem = illcase(require, seed).problem
    prices = RangePrices().prices(problem)
    worth = prices.of_row / prices.denominator
    for rows, paid in admitted_classes(problem):
        assert worth[rows].sum() <= len(rows) * paid + 1e-9


@pytest.mark.parametrize("require", ["k=3", "k=2 distinct-l(illness)=3", "l(illness)=2", "k=3 t(salary:ordered)=0.3"])
def test_a_larger_table_has_all_its_prices_confirmed(require: str) -> None:
    case = replace(larger(require, rows=200, quasi=("number", "decimal", "odd text", "day")), recoding="range")
    found = [bound.prices(case.problem) for bound in BOUNDS]
    for prices in found:
        assert float(proved(case, prices.of_row.tolist(), prices.denominator)) >= prices.bound > 0
    assert found[0].bound < found[1].bound * 1.0001 < found[2].bound


def test_a_search_that_must_end_early_proves_less_and_stays_true(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(larger("k=3", rows=60, quasi=("number", "decimal", "odd text", "day")), recoding="range")
    prices = RangePrices().prices(case.problem)
    whole = proved(case, prices.of_row.tolist(), prices.denominator)
    monkeypatch.setattr(class_gains, "PATIENCE", 1)
    early = proved(case, prices.of_row.tolist(), prices.denominator)
    monkeypatch.setattr(class_gains, "IN_ALL", 0)
    assert early < whole
    assert proved(case, prices.of_row.tolist(), prices.denominator) <= early


def test_without_room_for_the_kinds_nearby_it_proves_less_and_stays_true(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(larger("k=3", rows=30, quasi=("number", "decimal", "day")), recoding="range")
    prices = RangePrices().prices(case.problem)
    whole = proved(case, prices.of_row.tolist(), prices.denominator)

    def narrow(*asked: Any) -> Memory:
        return Memory.of(*asked)._replace(kinds=np.zeros(1, np.int64), costs=np.zeros(1, np.int64))

    monkeypatch.setattr(class_gains, "Memory", SimpleNamespace(of=narrow))
    assert proved(case, prices.of_row.tolist(), prices.denominator) < whole


def test_rows_that_compete_for_company_pay_more_than_each_alone() -> None:
    people = {"age": [0, 1, 2, 3, 4]}
    asked: dict[str, Any] = {"quasi": ["age"], "require": "k=3"}
    release = shoal.anonymize(people, recoding="range", method="anneal", **asked)
    assert release.certificate.lower_bound == pytest.approx(0.6, rel=1e-4)  # each alone pays 0.5; the optimum is 1


def test_a_row_pays_for_the_nearest_other_value_that_is_asked_for() -> None:
    people: dict[str, Any] = {"age": [0, 1, 2, 10, 11], "illness": ["flu", "flu", "flu", "gout", "gout"]}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=2 distinct-l(illness)=2"}
    release = shoal.anonymize(people, recoding="range", method="anneal", **asked)
    assert (release.certificate.lower_bound or 0) >= (10 + 9 + 8 + 8 + 9) / 11 / 5 * (1 - 1e-5)


def test_a_release_of_ranges_carries_a_proof(tmp_path: Path) -> None:
    table = census(400, seed=2)
    asked: dict[str, Any] = {"quasi": ["age", "gender", "education"], "leave_out": "rest", "require": "k=5"}
    release = shoal.anonymize(table, recoding="range", effort="quick", **asked)
    folder = release.save(tmp_path / "release")
    found = verify(folder, original=table)
    assert found.passed
    assert found.proved is not None
    assert found.proved.bound == pytest.approx(release.certificate.lower_bound, rel=1e-5)


def test_what_is_too_much_of_a_price_is_taken_off() -> None:
    people = pl.DataFrame({"age": [1, 2, 3, 4]})
    asked: dict[str, Any] = {"quasi": ["age"], "models": larger("k=2").problem.models, "weights": {}, "may_drop": 0}
    fair = class_gains.class_bound(people, {}, prices=np.full(4, 33), denominator=100, **asked)
    dear = class_gains.class_bound(people, {}, prices=np.full(4, 34), denominator=100, **asked)
    far_too_dear = class_gains.class_bound(people, {}, prices=np.full(4, 1000), denominator=100, **asked)
    assert float(fair) == 0.33
    assert float(far_too_dear) < float(dear) < float(fair)


def test_dropped_rows_gain_what_their_prices_are_above_a_row_of_stars() -> None:
    people = {"age": [0, 1, 1, 100]}
    case: dict[str, Any] = {"quasi": ["age"], "models": larger("k=2").problem.models, "hierarchies": {}, "weights": {}}
    given: dict[str, Any] = {"recoding": "range", "cost": "ncp", "denominator": 100, **case}
    prices = np.array([1, 0, 0, 150])
    kept = price_bound(pl.DataFrame(people), prices=prices, may_drop=0, **given)
    assert float(price_bound(pl.DataFrame(people), prices=prices, may_drop=1, **given)) == float(kept) - 0.5 / 4


def test_other_costs_of_ranges_are_refused() -> None:
    with pytest.raises(Unsupported, match="prices prove no lower bound"):
        proved(replace(larger("k=2"), recoding="range", cost="discernibility"), [0] * 120)


# --- what a proof rests on --------------------------------------------------------------------------------------------


def test_each_of_several_equal_rows_may_be_the_dearest_of_its_class() -> None:
    """Three equal rows lose nothing together, so nothing is proved, whatever their prices are."""
    found = class_gains.class_bound(
        pl.DataFrame({"age": [20, 20, 20]}),
        {},
        quasi=["age"],
        models=parse_requirement("k=2"),
        weights={},
        prices=np.array([5, 5, 5]),
        denominator=10,
        may_drop=0,
    )
    assert found == Fraction(3 * 5 - 3 * 15, 10) / 3


@pytest.mark.parametrize("columns", [["town"], ["town", "place"]], ids=["one column", "the same twice"])
@pytest.mark.parametrize("size", [4, 64, 65, 70])
def test_a_set_of_words_loses_by_their_number_and_not_by_their_place(size: int, columns: list[str]) -> None:
    """Only the first and the last word are worth a price. A set of two words costs each row one of the others' number.

    The dearest row of a class is the first of the two, with the other one; or the last, with any word that is worth 0.
    """
    found = class_gains.class_bound(
        pl.DataFrame({name: [f"{place:02}" for place in range(size)] for name in columns}),
        {},
        quasi=columns,
        models=parse_requirement("k=2"),
        weights={},
        prices=np.array([1, *[-2] * (size - 2), 1]),
        denominator=2,
        may_drop=0,
    )
    pair = Fraction(2, size - 1)
    gain = (1 - pair) + max(Fraction(1, 2) - pair, Fraction(0))
    assert float(found) == pytest.approx(float((1 - (size - 2) - gain) / size))


@pytest.mark.parametrize("columns", [["town"], ["town", "place"]], ids=["one column", "the same twice"])
@pytest.mark.parametrize("place", [0, 1, 62, 63, 64, 65, 69])
def test_rows_with_the_same_word_pay_nothing_together_wherever_the_word_stands(columns: list[str], place: int) -> None:
    """Two rows with one word are worth a price, each another; all other words are worth less than nothing."""
    words = [f"{one:02}" for one in range(70)]
    found = class_gains.class_bound(
        pl.DataFrame({name: [*words, words[place]] for name in columns}),
        {},
        quasi=columns,
        models=parse_requirement("k=2"),
        weights={},
        prices=np.array([1 if one == place else -2 for one in range(70)] + [2]),
        denominator=200,
        may_drop=0,
    )
    assert float(found) == pytest.approx((0.015 - 69 * 0.01 - 0.015) / 71)


PEOPLE = pl.DataFrame({"illness": ["flu", "gout", "cold", "ague"], "job": ["cook", "cook", "nurse", "smith"]})


@pytest.mark.parametrize(
    ("require", "may_drop", "rows", "most", "different"),
    [
        ("k=3", 0, 3, 5, {}),
        ("k=3 distinct-l(illness)=2", 0, 3, 0, {("illness",): 2}),
        ("distinct-l(illness)=2 distinct-l(job)=3", 0, 3, 0, {("illness",): 2, ("job",): 3}),
        ("t(job:equal)=0", 0, 4, 0, {("job",): 3}),
        ("t(job:equal)=0", 1, 1, 1, {}),
    ],
)
def test_classes_have_the_rows_and_values_that_models_ask_of_each_attribute(
    require: str, may_drop: int, rows: int, most: int, different: dict[tuple[str, ...], int]
) -> None:
    """Only where rows alone are asked for, a class of twice as many falls into parts: others may be larger."""
    models = parse_requirement(require)
    needs = class_gains._needs(models, proof._sensitive(PEOPLE, list(models), {}), may_drop)
    assert (needs.rows, needs.most, needs.values) == (rows, most, different)


@pytest.mark.parametrize("kinds", [1, 16, 17, 100, 257])
def test_the_parts_of_a_branch_have_all_its_kinds_of_rows(kinds: int) -> None:
    """A kind that no branch had would be in no class that is looked at, and its gain would be missing."""
    along = np.random.default_rng(2).integers(0, 50, (2, kinds))
    order, begin, end, part = class_gains._tree(along)
    assert sorted(order.tolist()) == list(range(kinds))
    assert (begin[0], end[0]) == (0, kinds)
    followed = {0}
    for branch in range(len(part)):
        first, last, one = begin[branch], end[branch], part[branch]
        assert (one < 0) == (last - first <= class_gains.LEAF)
        if one >= 0:
            middle = (first + last) // 2
            assert [*begin[one : one + 2], *end[one : one + 2]] == [first, middle, middle, last]
            here = along[:, order[first:last]]
            widest = here[np.argmax(np.ptp(here, axis=1))]
            assert widest[: middle - first].max() <= widest[middle - first :].min()
            followed |= {int(one), int(one) + 1}
    assert followed == set(range(len(part)))


def test_kinds_of_rows_in_one_place_are_not_parted() -> None:
    order, begin, end, part = class_gains._tree(np.zeros((2, 40), dtype=np.int64))
    assert (order.tolist(), begin.tolist(), end.tolist(), part.tolist()) == (list(range(40)), [0], [40], [-1])


# --- what a class gains, by trying every class ----------------------------------------------------------------------


def lost(column: Sequence[Any], rows: Sequence[int]) -> Fraction:
    """What a row loses in a column if it is published with these rows: a range, or a set of words; or all."""
    held, values = {column[row] for row in rows}, {*column} - {None}
    others = Fraction(1, max(len({*column}) - 1, 1))
    if all(isinstance(value, str) for value in values):
        return (len(held) - 1) * others
    known, span = sorted(held - {None}), max(values) - min(values)
    wide = Fraction(known[-1] - known[0], max(span, 1)) if known else Fraction(0)
    return min(wide + others, Fraction(1)) if None in held and known else wide


def proved_by_trying(
    table: dict[str, list[Any]],
    shares: list[Fraction],
    prices: list[Fraction],
    k: int,
    illness: str = "",
    least: int = 1,
) -> Fraction:
    """What prices prove, from the most that any class gains whose dearest row is each, with illnesses enough.

    A price counts as twice the most that a row can pay at most, and what is beyond is gained by its row anyway. Of
    different rows at most one has such a price, so that it is known which is the dearest.
    """
    rows, gains = range(len(prices)), [Fraction(0)] * len(prices)
    worth = [max(min(price, Fraction(2)), Fraction(0)) for price in prices]
    kinds = list(zip(*table.values(), illness or prices, prices, strict=True))
    most = len(prices) if illness else 2 * k - 1  # larger classes fall into parts that pay no more
    for size in range(k, min(most, len(prices)) + 1):
        for some in combinations(rows, size):
            if illness and len({illness[row] for row in some}) < least:
                continue
            paid = sum(share * lost(column, some) for share, column in zip(shares, table.values(), strict=True))
            gain = sum((worth[row] for row in some), Fraction(0)) - size * paid
            dearest = max(some, key=lambda row: (worth[row], prices[row]))
            for row in rows:
                if kinds[row] == kinds[dearest]:
                    gains[row] = max(gains[row], gain)
    beyond = sum((max(price - 2, Fraction(0)) for price in prices), Fraction(0))
    return (sum(prices, Fraction(0)) - sum(gains, Fraction(0)) - beyond) / len(prices)


def random_priced(random: Random) -> tuple[dict[str, list[Any]], dict[str, Fraction], list[Fraction]]:
    """A small table of numbers, words and truth values, some of them missing, with weights and prices."""
    rows = random.randint(2, 7)
    pools: dict[str, list[Any]] = {
        "number": [random.choice([1, 2, 4, 9, None]) for _ in range(rows)],
        "other": [random.randint(-3, 3) for _ in range(rows)],
        "word": [random.choice([*"abc", None]) for _ in range(rows)],
        "more": [random.choice("xy") for _ in range(rows)],
    }
    names = random.sample(list(pools), random.randint(1, 3))
    table = {name: pools[name] for name in names}
    weights = {name: Fraction(random.randint(1, 3)) for name in names if random.random() < 0.5}
    step = random.sample(range(-3, 16), rows)
    step[0] = random.choice([step[0], 19])
    if random.random() < 0.3:
        table = {name: [*column, column[0]] for name, column in table.items()}
        step.append(step[0])
    return table, weights, [Fraction(one, 8) for one in step]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_prices_prove_what_the_best_classes_leave(k: int) -> None:
    """But for rounding: costs are rounded down, prices up; a price below 0 counts as one just below 0."""
    random = Random(k)
    for _ in range(40):
        table, weights, prices = random_priced(random)
        own = [weights.get(name, Fraction(1)) for name in table]
        frame = pl.DataFrame(table, schema_overrides={name: pl.String for name in table if name in ("word", "more")})
        found = class_gains.class_bound(
            frame,
            {},
            quasi=list(table),
            models=parse_requirement(f"k={k}"),
            weights={name: float(weight) for name, weight in weights.items()},
            prices=np.array([int(price * 1000) for price in prices]),
            denominator=1000,
            may_drop=0,
        )
        exact = proved_by_trying(table, [one / sum(own) for one in own], prices, k)
        assert float(found) == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize(("k", "least"), [(1, 2), (2, 2), (3, 2), (2, 3)])
def test_prices_prove_no_more_than_the_best_classes_with_different_values_leave(k: int, least: int) -> None:
    """And mostly as much."""
    random, exactly = Random(10 * k + least), 0
    for _ in range(40):
        table, weights, prices = random_priced(random)
        ill = {price: random.choice("fgh") for price in prices}
        illness = "".join(ill[price] for price in prices)
        if len({*illness}) < least:
            continue
        own = [weights.get(name, Fraction(1)) for name in table]
        strings = {name: pl.String for name in table if name in ("word", "more")}
        frame = pl.DataFrame(table, schema_overrides=strings).with_columns(illness=pl.Series([*illness]))
        models = parse_requirement(f"k={k} distinct-l(illness)={least}")
        found = class_gains.class_bound(
            frame,
            proof._sensitive(frame, list(models)[1:], {}),
            quasi=list(table),
            models=models,
            weights={name: float(weight) for name, weight in weights.items()},
            prices=np.array([int(price * 1000) for price in prices]),
            denominator=1000,
            may_drop=0,
        )
        exact = proved_by_trying(table, [one / sum(own) for one in own], prices, k, illness, least)
        assert float(found) <= float(exact) + 1e-9
        exactly += float(found) > float(exact) - 1e-9
    assert exactly > 20


def test_of_a_large_table_costs_are_coarser_so_that_sums_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of millions of rows: units are so fine that the gain of seven rows just fits. They pay 1 each, of 2."""
    asked: dict[str, Any] = {"quasi": ["age"], "models": parse_requirement("k=7"), "weights": {}, "may_drop": 0}
    people, prices = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7]}), np.full(7, 200)
    usual = class_gains.class_bound(people, {}, prices=prices, denominator=100, **asked)
    monkeypatch.setattr(class_gains, "FINE", 100)
    fine = class_gains.class_bound(people, {}, prices=prices, denominator=100, **asked)
    assert float(fine) == pytest.approx(float(usual)) == pytest.approx(1)


def test_what_a_price_is_above_twice_the_most_a_row_can_pay_is_gained_once() -> None:
    """Three rows that pay nothing: all of them gain 2 each, or the two less dear, and each its own 1, 1.5 and 2."""
    found = class_gains.class_bound(
        pl.DataFrame({"age": [0, 0, 0, 1]}),
        {},
        quasi=["age"],
        models=parse_requirement("k=2"),
        weights={},
        prices=np.array([6, 7, 8, 0]),
        denominator=2,
        may_drop=0,
    )
    assert float(found) == pytest.approx((10.5 - 3 * 2 - 2 * 2 - (1 + 1.5 + 2)) / 4)


def test_a_class_pays_no_more_than_it_does() -> None:
    """Thirds are rounded down: three rows that pay a third and two thirds gain a little more than nothing."""
    found = class_gains.class_bound(
        pl.DataFrame({"age": [0, 1, 3]}),
        {},
        quasi=["age"],
        models=parse_requirement("k=2"),
        weights={},
        prices=np.array([1, 1, 0]),
        denominator=3,
        may_drop=0,
    )
    assert Fraction(2, 9) - Fraction(1, 10**11) < found < Fraction(2, 9)
