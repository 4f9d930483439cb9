"""What prices prove: never more than the optimum, found by trying every release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.oracle import Asked, Matrix, Value
from tests.strategies import KNOWN_MODELS, MODELS, NEARNESS, SENSITIVE, Case, case_of, cases
from tests.thorough import examples

from shoal.checking.gains import FINE, EqualSpread, Gain, MetricSpread, gain_of_rows, gain_of_shares, gain_of_values
from shoal.checking.patterns import Members, Numbers, batches
from shoal.checking.proof import price_bound
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, ParameterError, Unsupported
from shoal.hierarchies import Builder, Hierarchy, StarsOnly, Taxonomy
from shoal.methods.general.subset_dp import SubsetDP
from shoal.models import KAnonymity, Model, Models
from shoal.models.requirement import parse_requirement

PROVABLE = ["stars", "height", "ncp"]
Columns: TypeAlias = Mapping[str, Sequence[Value]]


def proved(case: Case, prices: Sequence[int], denominator: int = 1) -> Fraction:
    """What the prices prove of a case."""
    problem = case.problem
    return price_bound(
        problem.microdata.table.frame,  # with its words in order
        quasi=case.quasi,
        models=Models(case.models),
        hierarchies=case.builders,
        recoding=case.recoding,
        cost=problem.cost.name,
        weights=problem.cost.weights,
        prices=np.array(prices, dtype=np.int64),
        denominator=denominator,
        may_drop=problem.may_drop,
    )


def stars(rows: Sequence[Sequence[int]], prices: Sequence[int], denominator: int = 1, k: int = 2) -> Fraction:
    """What the prices prove of the stars in a table of numbers."""
    names = [f"column {place}" for place in range(len(rows[0]))]
    return price_bound(
        pl.DataFrame(rows, schema=names, orient="row"),
        quasi=names,
        models=Models((KAnonymity(k),)),
        hierarchies={},
        recoding="suppress",
        cost="stars",
        weights={},
        prices=np.array(prices, dtype=np.int64),
        denominator=denominator,
        may_drop=0,
    )


# Worked by hand

FIVE = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2)]
"""The last two are alike. An optimal release stars two cells of rows 1 and 2, three of the others."""


@pytest.mark.parametrize(
    ("prices", "bound"),
    [
        ([0, 0, 0, 0, 0], 0),
        ([1, 1, 1, 0, 0], 3),
        ([0, 2, 2, 0, 0], 4),  # no pattern gains: two rows of (1, *), (*, 2), (2, *), (*, *) together pay their prices
        ([1, 1, 1, 1, 1], 3),  # rows 4 and 5 gain 2 by (2, 2)
        ([1, 2, 2, 0, 0], 3),  # rows 1 and 2 gain 1 by (1, *), rows 1 and 3 by (*, 1)
        ([2, 2, 2, 2, 2], 10 - 4 - 2 - 2 - 3 - 3),  # (2, 2), (1, *), (*, 1), (2, *), (*, 2); nothing by (*, *)
    ],
)
def test_five_rows_worked_by_hand(prices: list[int], bound: int) -> None:
    assert stars(FIVE, prices) == bound


def test_halves_are_proved_up_to_the_next_whole_star() -> None:
    assert stars(FIVE, [1, 3, 3, 0, 0], 2) == 4  # 3.5, without a gain


def test_a_pattern_counts_though_all_finer_ones_are_admissible() -> None:
    """The optimum 4 uses (1, *, *), although every group with only the third column starred is admissible."""
    case = case_of(
        {
            "number": [1, 1, 1, 1, 1, 1],
            "truth": [True, True, True, False, False, False],
            "decimal": [0.0, 1.0, 1.0, 5.0, 6.0, 6.0],
            "illness": ["gout"] * 6,
        },
        "k=2",
    )
    rng = np.random.default_rng(0)
    tried = [proved(case, rng.integers(0, 7, 6).tolist(), 2) for _ in range(200)]
    tried += [proved(case, [a, b, b, a, b, b], 2) for a in range(9) for b in range(9)]
    assert max(tried) == proved(case, [2, 0, 0, 2, 0, 0]) == case.oracle.optimum("stars") == 4
    assert proved(case, [3, 0, 0, 3, 0, 0]) < 4  # at the third column's star, two rows of price 3 + 0 would gain 1 each


def test_a_class_near_in_the_order_is_nearer_than_the_equal_distance_says() -> None:
    """All have salaries 1 or 2 of 1, 2, 5, 10: far by the equal distance, near in the order."""
    columns: Columns = {"truth": [True] * 4 + [False] * 4, "salary": [1, 1, 2, 2, 5, 5, 10, 10]}
    case = case_of(columns, "t(salary:ordered)=0.34")
    assert case.oracle.optimum("stars") == 0
    assert max(proved(case, [price] * 8) for price in range(3)) == 0
    assert proved(case_of(columns, "t(salary:equal)=0.34"), [1] * 8) == 8


def test_a_row_that_may_be_dropped_pays_a_row_of_stars() -> None:
    columns: Columns = {"truth": [True, True, False, False, None], "illness": ["gout"] * 5}
    assert proved(case_of(columns, "k=2"), [0, 0, 0, 0, 2]) == 2
    one = case_of(columns, "k=2", max_dropped=Fraction(1, 5))
    assert proved(one, [0, 0, 0, 0, 2]) == one.oracle.optimum("stars") == 1


def test_a_row_that_may_be_dropped_changes_what_the_others_are_compared_with() -> None:
    columns: Columns = {"truth": [True, True, False, False, None], "illness": ["cold", "gout"] * 2 + ["asthma"]}
    whole, part = (case_of(columns, "t(illness:equal)=0", max_dropped=Fraction(most, 5)) for most in (0, 1))
    assert proved(whole, [1] * 5) == whole.oracle.optimum("stars") == 5
    assert proved(part, [1] * 5) <= part.oracle.optimum("stars") == 1


@pytest.mark.parametrize(
    ("cost", "weights", "bound"),
    [
        ("height", {}, Fraction(2, 3)),
        ("height", {"number": Fraction(2)}, Fraction(4, 3)),
        ("precision", {}, Fraction(1, 6)),
        ("ncp", {}, Fraction(1, 6)),
        ("ncp", {"number": Fraction(2)}, Fraction(2, 9)),
    ],
)
def test_two_numbers_are_published_one_level_up(cost: str, weights: Any, bound: Fraction) -> None:
    """1 and 2 are "few" at the first of three levels, two of four leaves; the other column is constant."""
    columns: Columns = {"number": [1, 2], "truth": [True, True], "illness": ["gout", "gout"]}
    case = case_of(columns, "k=2", recoding="generalize", cost=cost, weights=weights)
    rows = 2 if cost in ("precision", "ncp") else 1
    assert proved(case, [int(18 * bound * rows / 2)] * 2, 18) == bound


@dataclass(frozen=True)
class Lossy(Builder):
    """A hierarchy in which even the value itself stands for two leaves of four."""

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        made = StarsOnly().build(values)
        return Hierarchy(made.up, made.labels, (np.array([2, 2]), np.array([4])))


@pytest.mark.parametrize("price", [2, 3])
def test_a_value_that_loses_something_is_never_free(price: int) -> None:
    """Every row pays 2/6 at least; at a price of 3/6 both pairs gain 2/6 by their values, and nobody by a star."""
    found = price_bound(
        pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["x", "x", "y", "y"]}),
        quasi=["a", "b"],
        models=Models((KAnonymity(2),)),
        hierarchies={"a": Lossy(), "b": Lossy()},
        recoding="generalize",
        cost="ncp",
        weights={},
        prices=np.full(4, price),
        denominator=6,
        may_drop=0,
    )
    assert found == Fraction(2, 6)


# Never more than the optimum


@st.composite
def priced(draw: st.DrawFn, max_rows: int, kinds: Sequence[type[Model]] = KNOWN_MODELS) -> tuple[Case, list[int], int]:
    """A case and any prices, for each row its own or the same for all."""
    case = draw(cases(max_rows, ["suppress", "generalize"], kinds, PROVABLE))
    denominator = draw(st.sampled_from([1, 2, 3, 12, 1000, 2**20, 2**55]))
    rows, most = len(case.rows), len(case.quasi) + draw(st.integers(0, 3))
    share = st.fractions(-1, 1, max_denominator=12)
    prices = [int(draw(share) * most * denominator) for _ in range(rows)]
    same = draw(st.booleans())
    return case, [prices[0]] * rows if same else prices, denominator


def check_against_oracle(drawn: tuple[Case, list[int], int]) -> None:
    case, prices, denominator = drawn
    optimum = case.oracle.optimum(case.problem.cost.name)
    assert float(proved(case, prices, denominator)) <= optimum + 1e-9


@settings(max_examples=examples(100))
@given(drawn=priced(6))
def test_prices_never_prove_more_than_the_optimum(drawn: tuple[Case, list[int], int]) -> None:
    check_against_oracle(drawn)


def climbed(case: Case, prices: list[int], unit: int) -> Fraction:
    """The most that prices prove which are reached from these by changing one at a time."""
    best = proved(case, prices, unit)
    for row in [*range(len(prices)), *range(len(prices))]:
        for step in (-unit, -unit // 3, unit // 3, unit):
            changed = [*prices[:row], prices[row] + step, *prices[row + 1 :]]
            bound = proved(case, changed, unit)
            if bound > best:
                prices, best = changed, bound
    return best


def check_climbing(case: Case) -> None:
    optimum = case.oracle.optimum(case.problem.cost.name)
    for start in (0, 6, 12):
        assert float(climbed(case, [start] * len(case.rows), 12)) <= optimum + 1e-9


@settings(max_examples=examples(20))
@given(case=cases(6, ["suppress", "generalize"], costs=PROVABLE))
def test_the_best_prices_found_never_prove_more_than_the_optimum(case: Case) -> None:
    check_climbing(case)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(case=cases(6, ["suppress", "generalize"], costs=PROVABLE))
def test_the_best_of_many_prices_never_prove_more_than_the_optimum(case: Case) -> None:
    check_climbing(case)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(drawn=priced(7))
def test_many_prices_never_prove_more_than_the_optimum(drawn: tuple[Case, list[int], int]) -> None:
    check_against_oracle(drawn)


MONOTONE = tuple(kind for kind in MODELS.values() if kind.monotone)


@settings(max_examples=examples(40))
@given(drawn=priced(8, kinds=MONOTONE))
def test_prices_never_prove_more_than_the_optimum_under_any_model(drawn: tuple[Case, list[int], int]) -> None:
    case, prices, denominator = drawn
    try:
        optimum = SubsetDP().run(case.problem).cost
    except (Infeasible, Unsupported):
        return
    assert float(proved(case, prices, denominator)) <= optimum + 1e-9


@settings(max_examples=examples(60))
@given(drawn=priced(6))
def test_numbers_beyond_64_bits_prove_the_same(drawn: tuple[Case, list[int], int]) -> None:
    case, prices, denominator = drawn
    large = 2**55 // denominator
    if large > 1 and case.recoding == "suppress" and case.problem.cost.name == "stars":
        bound = proved(case, [large * price for price in prices], large * denominator)
        coarse = proved(case, prices, denominator)
        close = any(model.name == "t" for model in case.models)  # a finer unit rounds less
        assert bound >= coarse if close else bound == coarse


@pytest.mark.parametrize("size", [1, 4, 5, 100])
def test_groups_that_are_joined_keep_their_members(size: int) -> None:
    few = Members(np.array([0, 1, 2]), np.array([0, 2]), np.array([1, 4, 2]), np.array([9, 3, 5]))
    one = Members(np.array([5]), np.array([0]), np.array([7]), np.array([2]))
    parts = [few, one, few, one]
    found = list(batches(parts, size))
    assert [rows for batch in found for rows in batch.rows.tolist()] == [5, 2, 7, 5, 2, 7]
    assert [most for batch in found for most in batch.most.tolist()] == [21, 10, 14, 21, 10, 14]
    assert all(len(batch.kind) >= size for batch in found[:-1])


# Gains against every admitted class

ILLNESS = SENSITIVE["illness"].pool


@st.composite
def groups(draw: st.DrawFn, values: int = 3) -> list[list[tuple[int, int]]]:
    """Some groups of rows, each with the place of its value and its gain."""
    row = st.tuples(st.integers(0, values - 1), st.integers(-6, 6))
    return draw(st.lists(st.lists(row, min_size=1, max_size=6), min_size=1, max_size=3))


def members_of(rows: list[list[tuple[int, int]]], exact: type = np.int64) -> tuple[Members, Any]:
    """The groups, equal rows stored once, and the value of each kind of row."""
    ordered = [sorted(set(group), key=lambda row: -row[1]) for group in rows]
    flat = [row for group in ordered for row in group]
    count = [group.count(row) for group, kinds in zip(rows, ordered, strict=True) for row in kinds]
    starts = np.cumsum([0, *(len(kinds) for kinds in ordered)])[:-1]
    gains: Numbers = np.array([gain for _, gain in flat], dtype=exact)
    return Members(np.arange(len(flat)), starts, np.array(count), gains), np.array([value for value, _ in flat])


def best(group: list[tuple[int, int]], asked: Asked, table: list[dict[str, Any]]) -> int:
    """The most that an admitted class of these rows gains, found by trying all; 0 for none."""
    found = 0
    for size in range(1, len(group) + 1):
        for some in combinations(group, size):
            rows = [{"illness": ILLNESS[value]} for value, _ in some]
            if sum(gain for _, gain in some) > found and oracle.admits(asked, rows, table):
                found = sum(gain for _, gain in some)
    return found


def gain_for(asked: Asked, values: Any, totals: Any) -> Gain:
    number = asked.numbers[0]
    if asked.name == "k":
        return gain_of_rows(int(number))
    if asked.name == "distinct-l":
        return gain_of_values(values, int(number))
    if asked.name == "l":
        return gain_of_shares(values, int(number))
    if asked.distance == "equal":
        return EqualSpread(values, totals, number)
    matrix = asked.distance
    assert not isinstance(matrix, str)
    far = [[int(matrix[one, other] * 2**FINE) for other in ILLNESS] for one in ILLNESS]
    return MetricSpread(values, totals, number, np.array(far).astype(totals.dtype))


NEAR: Matrix = {(a, b): NEARNESS.between(a, b) for a in NEARNESS.labels for b in NEARNESS.labels}
EXACT = [Asked("k", (Fraction(k),)) for k in (1, 2, 4)] + [
    Asked(name, (Fraction(number),), ("illness",)) for name in ("distinct-l", "l") for number in (1, 2, 3)
]
CLOSE = [
    Asked("t", (Fraction(share),), ("illness",), distance=distance)
    for share in ("0", "1/7", "1/3", "0.5", "1")
    for distance in ("equal", NEAR)
]


@pytest.mark.parametrize("exact", [np.int64, object], ids=["64 bits", "any size"])
@pytest.mark.parametrize("asked", EXACT, ids=lambda asked: f"{asked.name}={asked.numbers[0]}")
@settings(max_examples=examples(60))
@given(rows=groups())
def test_the_gain_is_that_of_the_best_admitted_class(rows: Any, asked: Asked, exact: type) -> None:
    members, values = members_of(rows, exact)
    found = np.maximum(gain_for(asked, values, None)(members), 0).tolist()
    assert found == [best(group, asked, [{"illness": None}]) for group in rows]


@pytest.mark.parametrize("exact", [np.int64, object], ids=["64 bits", "any size"])
@pytest.mark.parametrize("asked", CLOSE, ids=lambda asked: f"{asked.distance!s:.5} {asked.numbers[0]}")
@settings(max_examples=examples(60))
@given(rows=groups(), others=st.lists(st.integers(0, 2), max_size=6))
def test_no_class_close_to_the_table_gains_more(rows: Any, others: list[int], asked: Asked, exact: type) -> None:
    table = [value for group in rows for value, _ in group] + others + [0, 1, 2]
    totals: Numbers = np.bincount(table, minlength=3).astype(exact)
    members, values = members_of(rows, exact)
    found = gain_for(asked, values, totals)(members).tolist()
    for bound, group in zip(found, rows, strict=True):
        assert bound >= best(group, asked, [{"illness": ILLNESS[value]} for value in table])


def test_a_class_like_the_table_gains_the_mean_of_its_dearest_rows() -> None:
    members, values = members_of([[(0, 4), (1, 2), (2, -3), (2, -4)]])
    totals, apart = np.array([1, 1, 1]), (1 - np.eye(3, dtype=np.int64)) << FINE
    assert EqualSpread(values, totals, Fraction(0))(members).tolist() == [4]
    assert MetricSpread(values, totals, Fraction(0), apart)(members).tolist() == [4]


# Refusals


@pytest.mark.parametrize(
    ("recoding", "cost"),
    [
        ("range", "discernibility"),
        ("suppress", "discernibility"),
        ("generalize", "kl-divergence"),
        ("suppress", "starred-rows"),
    ],
)
def test_what_prices_say_nothing_about_is_refused(recoding: str, cost: str) -> None:
    case = case_of({"number": [1, 2], "illness": ["gout"] * 2}, "k=2", recoding=recoding, cost=cost)
    with pytest.raises(Unsupported, match="prices prove no lower bound"):
        proved(case, [0, 0])


def test_hierarchies_of_table_and_population_together_are_refused() -> None:
    with pytest.raises(Unsupported, match="population"):
        price_bound(
            pl.DataFrame({"town": ["a", "b"]}),
            quasi=["town"],
            models=parse_requirement("kmap=2"),
            hierarchies={"town": Taxonomy([("a", "x"), ("b", "x")])},
            recoding="generalize",
            cost="ncp",
            weights={},
            prices=np.zeros(2, dtype=np.int64),
            denominator=1,
            may_drop=0,
        )


@pytest.mark.parametrize("prices", [[0], [0, 0, 0]], ids=str)
def test_prices_that_are_not_one_whole_number_for_each_row_are_refused(prices: list[int]) -> None:
    with pytest.raises(ParameterError, match="one whole number for each row"):
        stars([(1,), (2,)], prices)
    with pytest.raises(ParameterError, match="in units of 1/0"):
        stars([(1,), (2,)], [0, 0], 0)
