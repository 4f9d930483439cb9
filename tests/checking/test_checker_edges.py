"""What the checker refuses and says at its edges: tables that are not whole, and cells that cannot have been drawn."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, exp, floor
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.checking.test_proof import members_of

import shoal
from shoal.checking import proof
from shoal.checking.centroid_cost import tells_centroid_cost
from shoal.checking.gains import FINE, EqualSpread, MetricSpread, gain_of_rows, gain_of_shares
from shoal.checking.gains import STEPS as STEPS_OF_CHARGE
from shoal.checking.masked_columns import draw_problem
from shoal.checking.offsets import HIGHEST, STEPS, EntropyOffset, Piles
from shoal.checking.patterns import Kinds, Members
from shoal.checking.two_tables import reconstruction_error, sensitive_rows
from shoal.checking.withheld_values import withheld_rows
from shoal.core.errors import ParameterError, RoleError, TableError, Unsupported
from shoal.hierarchies.cell_forms import form_of
from shoal.microdata.histogram import Values
from shoal.models.requirement import parse_requirement
from shoal.tables.encoded_column import Coded

PEOPLE = {"age": ["20-29", "20-29", "*"], "illness": ["flu", "gout", "flu"], "group": [1, 1, 2]}
COUNTED = pl.DataFrame({"group": [1, 1, 2], "illness": ["flu", "gout", "flu"], "count": [1, 1, 1]})


def test_the_reconstruction_error_is_that_of_its_formula() -> None:
    """The mean over rows of 1 - sum of squared shares: (3 1) and (2) give 1.5 of 6 rows."""
    counted = pl.DataFrame({"group": [1, 1, 2], "illness": ["a", "b", "a"], "count": [3, 1, 2]})
    assert reconstruction_error(counted, group="group", count="count", dropped=0) == pytest.approx(0.25)
    assert reconstruction_error(counted, group="group", count="count", dropped=2) == pytest.approx(0.4375)


def test_a_group_without_a_number_is_a_group() -> None:
    people = pl.DataFrame({"age": [1, 2, 3], "group": [None, None, 2]}, schema_overrides={"group": pl.Int64})
    counted = pl.DataFrame(
        {"group": [None, 2], "illness": ["flu", "gout"], "count": [2, 1]}, schema_overrides={"group": pl.Int64}
    )
    assert sensitive_rows(people, counted, ["illness"], group="group", count="count").height == 3
    with pytest.raises(TableError, match="groups have another number of rows"):
        sensitive_rows(people.head(1), counted, ["illness"], group="group", count="count")


def test_people_are_not_counted_in_two_tables() -> None:
    table = pl.DataFrame(PEOPLE)
    with pytest.raises(Unsupported, match="people with several rows"):
        shoal.audit(
            table.drop("illness"), quasi=["age"], sensitive=["illness"], sensitive_table=COUNTED, person=["age"]
        )


def test_a_column_to_unify_must_be_there() -> None:
    with pytest.raises(RoleError, match="no column 'agee'"):
        shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], unify=["agee"])


def test_an_audit_says_what_it_found_and_has_no_verdict_where_nothing_was_asked() -> None:
    asked = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=2")
    assert repr(asked) == "<Audit: 3 rows, 2 classes of 1 to 2, fails>"
    html = asked._repr_html_()
    assert "fails" in html
    assert "1 unique row" in html
    unasked = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"])
    assert repr(unasked) == "<Audit: 3 rows, 2 classes of 1 to 2>"
    assert "rows at that level" in unasked._repr_html_()
    assert not unasked.asked
    with pytest.raises(ParameterError, match="nothing was required"):
        unasked.holds  # noqa: B018 - it raises


def test_a_wild_cell_matches_anything() -> None:
    found = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=1", wildcard="star")
    assert found.wildcard is not None
    assert min(found.wildcard.values()) == 0
    assert max(found.wildcard.values()) == 3


def test_numbers_are_no_stars() -> None:
    table = pl.DataFrame({"age": [30, 40], "illness": [None, "flu"]})
    assert withheld_rows(table, ["age"], ["illness"]).tolist() == [False, False]


def test_a_missing_value_is_no_star() -> None:
    table = pl.DataFrame({"age": ["*", None], "illness": [None, None]}, schema_overrides={"illness": pl.String})
    assert withheld_rows(table, ["age"], ["illness"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("published", "said"),
    [
        (pl.Series("born", [None, 2, 3]), "missing that were not"),
        (pl.Series("born", ["1", "2", "3"]), "another type"),
    ],
)
def test_cells_that_cannot_have_been_drawn(published: pl.Series, said: str) -> None:
    original = pl.Series("born", [1, 2, 3])
    assert said in draw_problem(published, original, np.arange(3), {"mask": "noise"}, None)


def test_a_value_that_reads_as_a_set_counts_only_the_people_who_have_it() -> None:
    """`x | missing` is one person where it is a value of the population, three where it can only be a set."""
    people = pl.DataFrame({"word": ["x | missing", "x", None, None], "age": [1, 1, 1, 1]})
    shown = pl.DataFrame({"word": ["x | missing"] * 2, "age": [1, 1]})
    found = shoal.audit(shown, quasi=["word", "age"], require="kmap=2", population=people)
    assert (found.findings[0].reached, found.holds) == (1, False)
    several = shoal.audit(shown, quasi=["word", "age"], require="kmap=2", population=people.tail(3))
    assert (several.findings[0].reached, several.holds) == (3, True)


def test_dates_move_by_whole_days_the_same_for_a_person_and_not_too_far() -> None:
    original = pl.Series("day", [date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 3), None])
    rows, person = np.arange(4), np.array([0, 0, 1, 2])
    stated = {"mask": "date-shift", "days": 5}

    def shown(*days: int) -> str:
        moved = [None if one is None else one + timedelta(by) for one, by in zip(original, (*days, 0), strict=True)]
        return draw_problem(pl.Series("day", moved), original, rows, stated, person)

    assert shown(2, 2, -5) == ""
    assert shown(2, 3, 1).startswith("1 cell of 'day' is none")
    assert shown(0, 0, 6).startswith("3 cells of 'day' are none")


@pytest.mark.parametrize(
    ("cost", "recoding", "star", "tells"),
    [
        ("centroid-error", "centroid", "*", True),
        ("centroid-error", "centroid", "null", True),
        ("mixed-loss", "mixed-centroid", "*", True),
        ("mixed-loss", "mixed-centroid", "null", False),
        ("ncp", "mixed-centroid", "*", False),
        ("ncp", "range", "*", False),
    ],
)
def test_stars_that_cannot_be_told_from_missing_values_tell_no_cost(
    cost: str, recoding: str, star: str, tells: bool
) -> None:
    book = {"cost": {"name": cost}, "marks": {"star": star}}
    assert tells_centroid_cost(book, form_of(recoding)) is tells


# --- what a proof says of shares -------------------------------------------------------------------------------------


def three_piles(gain: int) -> Piles:
    """Three values, each a row that gains the same, in one group."""
    members, _ = members_of([[(kind, gain) for kind in range(3)]])
    return Piles.of(members, np.arange(3))


def test_offsets_of_entropy_are_lowered_until_their_powers_are_allowed() -> None:
    """The first step is at most twice the largest gain, here too little: 3 e^2 is to come down to 1.1."""
    piles, level = three_piles(10**6), Fraction(11, 10)
    unit = piles.whole(piles.dearest[piles.starts].astype(np.float64) / STEPS * 2)
    _, lowered = EntropyOffset(np.arange(3), 1, level)._rules(piles, unit)
    start = 4 * piles.dearest
    found, by = lowered(start)
    assert int(start[0] - found[0]) > 2 * 10**6
    assert by[0] > 0
    assert sum(exp(-(-int(offset) // int(unit[0])) / STEPS) for offset in found) <= level


def test_a_diversity_beyond_all_powers_earns_no_offset() -> None:
    piles = three_piles(10)
    after = EntropyOffset(np.arange(3), 1, Fraction(2**HIGHEST))(piles.members)
    assert after.gain.tolist() == [10, 10, 10]


def test_a_metric_of_many_values_gives_a_proof_no_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    column = Coded.of(pl.Series("pay", [1, 2, 5, 5]))
    values = Values.of(column)
    [model] = parse_requirement("t(pay:ordered)=0.2")
    shares = model.shares(values)
    assert shares is not None
    for most in (proof.MOST_VALUES, 3):
        monkeypatch.setattr(proof, "MOST_VALUES", most)
        assert len(list(proof._offsets(shares, values, np.arange(3), 1, np.dtype(np.int64)))) == 1
    monkeypatch.setattr(proof, "MOST_VALUES", 2)
    assert list(proof._offsets(shares, values, np.arange(3), 1, np.dtype(np.int64))) == []


@pytest.mark.parametrize("rows", [1, 2, 5, 16, 33])
def test_classes_of_half_a_value_gain_as_much_as_there_are_rows_of_both(rows: int) -> None:
    """Of two values, each of so many rows that gain 1, and one row that loses: all that gain are taken."""
    kinds = np.arange(3)
    members = Members(kinds, np.array([0]), np.array([rows, rows, 1]), np.array([1, 1, -1]))
    assert gain_of_shares(np.array([0, 1, 0]), 2)(members).tolist() == [2 * rows]


# --- what closeness lets a class gain, by the formulas, in fractions -------------------------------------------------


def random_groups(random: Random) -> tuple[list[list[tuple[int, int]]], list[int], Fraction]:
    """Some groups of rows, (value, gain) each, the rows of the table that have each of four values, and t."""
    most = random.choice((9, 9000))
    groups = [
        [(random.randrange(4), random.randint(-most, most)) for _ in range(random.randint(1, 6))]
        for _ in range(random.randint(1, 3))
    ]
    return groups, [random.randint(1, 5) for _ in range(4)], Fraction(random.randint(0, 5), 6)


def dearest_of(group: list[tuple[int, int]]) -> dict[int, int]:
    """The highest gain of each value that a group has."""
    return {value: max(gain for one, gain in group if one == value) for value, _ in group}


def moved_to_the_dearest(group: list[tuple[int, int]], totals: list[int], t: Fraction) -> int:
    """The shares of the table, those of absent values at the dearest gain, then the cheapest as far as t allows."""
    dearest, rows = dearest_of(group), sum(totals)
    top, shares = max(dearest.values()), {value: Fraction(total, rows) for value, total in enumerate(totals)}
    absent = sum((share for value, share in shares.items() if value not in dearest), Fraction(0))
    if absent > t:
        return 0
    left, earned = t - absent, absent * top
    for value, gain in sorted(dearest.items(), key=lambda one: one[1]):
        moved = min(left, shares[value])
        left -= moved
        earned += moved * top + (shares[value] - moved) * gain
    return max(len(group) * ceil(earned), 0)


def charges_of(group: list[tuple[int, int]]) -> list[int]:
    """What moving a row across distance 1 is charged: nothing, or the spread of the gains times powers of 2."""
    dearest = dearest_of(group).values()
    return [0, *(floor((max(dearest) - min(dearest)) * Fraction(2) ** step) for step in STEPS_OF_CHARGE)]


def earned_at(x: int, group: list[tuple[int, int]], totals: list[int], t: Fraction, apart: list[list[int]]) -> Fraction:
    """What a row earns at most at a charge x: `x t + sum of P_u max (w_v - x d(u, v))`."""
    gains, rows = dearest_of(group).items(), sum(totals)
    best = [max(gain - x * Fraction(apart[u][v], 1 << FINE) for v, gain in gains) for u in range(4)]
    return x * t + sum((Fraction(total, rows) * one for total, one in zip(totals, best, strict=True)), Fraction(0))


def least_charge(group: list[tuple[int, int]], totals: list[int], t: Fraction, apart: list[list[int]]) -> int:
    """The least that rows earn over all charges."""
    return max(len(group) * ceil(min(earned_at(x, group, totals, t, apart) for x in charges_of(group))), 0)


def test_closeness_lets_a_class_gain_what_the_formulas_say() -> None:
    random, seen = Random(3), set()
    for _ in range(150):
        groups, totals, t = random_groups(random)
        members, values = members_of(groups)
        expected = [moved_to_the_dearest(group, totals, t) for group in groups]
        assert EqualSpread(values, np.array(totals), t)(members).tolist() == expected
        places = [random.randint(0, 1 << FINE) for _ in range(4)]
        apart = [[abs(one - other) for other in places] for one in places]
        found = MetricSpread(values, np.array(totals), t, np.array(apart))(members).tolist()
        assert found == [least_charge(group, totals, t, apart) for group in groups]
        seen |= {number > 0 for number in (*expected, *found)}
    assert seen == {False, True}


def test_the_charges_near_the_best_one_are_taken_and_what_they_earn() -> None:
    random = Random(4)
    for _ in range(60):
        groups, totals, t = random_groups(random)
        members, values = members_of(groups)
        places = [random.randint(0, 1 << FINE) for _ in range(4)]
        apart = [[abs(one - other) for other in places] for one in places]
        spread = MetricSpread(values, np.array(totals), t, np.array(apart))
        found = spread.movings(members)
        dearest, _ = spread._dearest(members)
        for place, group in enumerate(groups):
            every = charges_of(group)
            earned = [earned_at(x, group, totals, t, apart) for x in every]
            best = next(i for i, one in enumerate(earned) if abs(one - min(earned)) < Fraction(1, 10**6))
            near = [every[min(max(best + step, 0), len(every) - 1)] for step in (-1, 0, 1)]
            assert [int(one[place]) for one in found] == near
            above, roughly = spread.earned(dearest, found[1])
            assert int(above[place]) == ceil(earned[best])
            assert float(roughly[place]) == pytest.approx(float(earned[best]), abs=1 / sum(totals))


@pytest.mark.parametrize(("apart", "scaled"), [((1 << FINE) - 1, 1), (1 << FINE, 0), (0, 1)])
def test_the_smallest_part_of_a_distance_counts(apart: int, scaled: int) -> None:
    """A row gains 1 less the distance, rounded up."""
    members, values = members_of([[(0, 1)]])
    spread = MetricSpread(values, np.array([1]), Fraction(0), np.array([[apart]]))
    assert spread._at(members, np.array([1])).tolist() == [scaled]


# --- what a proof rests on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("require", "closed"),
    [
        ("k=2", False),
        ("t(illness:equal)=0.3", True),
        ("t(illness:equal)=0.3 grassberger-l(illness)=1.5", False),
    ],
)
def test_patterns_with_the_same_rows_are_one_only_where_their_classes_may_be_merged(
    monkeypatch: pytest.MonkeyPatch, require: str, closed: bool
) -> None:
    """Else two of them may be two classes, and each gains: a bound without one of the gains would be too high."""
    asked: list[bool] = []
    real = Kinds.patterns

    def patterns(self: Kinds, least_rows: int, *, closed: bool = False) -> Iterator[Members]:
        asked.append(closed)
        return real(self, least_rows, closed=closed)

    monkeypatch.setattr(Kinds, "patterns", patterns)
    proof.price_bound(
        pl.DataFrame({"age": [20, 20, 30, 30], "illness": ["flu", "gout", "flu", "flu"]}),
        quasi=["age"],
        models=parse_requirement(require),
        hierarchies={},
        recoding="suppress",
        cost="stars",
        weights={},
        prices=np.ones(4, dtype=np.int64),
        denominator=1,
        may_drop=0,
    )
    assert asked == [closed]


@pytest.mark.parametrize(
    ("prices", "starred", "may_drop", "gained"),
    [([3, 5, 9], 3, 0, 0), ([3, 5, 9], 3, 1, 6), ([3, 5, 9], 3, 2, 8), ([3, 5, 9], 3, 3, 8), ([3], 3, 1, 0)],
)
def test_rows_that_may_be_dropped_gain_what_they_pay_above_a_row_of_stars(
    prices: list[int], starred: int, may_drop: int, gained: int
) -> None:
    assert proof._dropped(np.array(prices), starred, may_drop) == gained


PRICE = 2 ** (54 - FINE)
"""The least price that does not fit into 62 bits with FINE + 8 bits after it."""


@pytest.mark.parametrize(
    ("price", "rows", "losses", "require", "fits"),
    [
        (PRICE - 1, 1, [0], "k=2", True),
        (PRICE, 1, [0], "k=2", False),
        (1 - PRICE, 1, [0], "k=2", True),
        (-PRICE, 1, [0], "k=2", False),
        (PRICE - 2, 1, [1], "k=2", True),
        (PRICE - 1, 1, [1], "k=2", False),
        (PRICE - 2, 1, [1, 1], "k=2", False),
        (PRICE // 4, 2 ** (FINE + 1), [0], "k=2", True),
        (PRICE // 2, 2 ** (FINE + 1), [0], "k=2", False),
        (0, 1, [0], f"t(illness:equal)=1/{2 ** (61 - FINE)}", True),
        (0, 2, [0], f"t(illness:equal)=1/{2 ** (61 - FINE)}", False),
        (0, 2, [0], f"l(illness)={2 ** (61 - FINE) + 1}/{2 ** (61 - FINE)}", True),
    ],
)
def test_numbers_are_of_64_bits_only_where_all_that_is_worked_out_fits(
    price: int, rows: int, losses: list[int], require: str, fits: bool
) -> None:
    columns: Any = [SimpleNamespace(losses=np.array([[0], [loss]])) for loss in losses]
    found = proof._type(columns, parse_requirement(require), np.full(rows, price))
    assert (found == np.int64) is fits


def said_of(require: str) -> list[proof.Said]:
    """What a proof reads of models of a small table."""
    people = pl.DataFrame({"illness": ["flu", "gout", "cold", "flu"], "job": ["nurse", "cook", "nurse", "cook"]})
    models = parse_requirement(require)
    return proof._said(models, proof._sensitive(people, list(models), {}), 0)


@pytest.mark.parametrize(
    ("require", "said"),
    [
        ("distinct-l(illness)=2", [(("illness",), 2)]),
        ("distinct-l(illness)=3", [(("illness",), 3)]),
        ("distinct-l(illness+job)=3", [(("illness", "job"), 3)]),
    ],
)
def test_different_values_are_asked_of_the_attributes_that_a_model_names(
    require: str, said: list[tuple[tuple[str, ...], int]]
) -> None:
    """Of two attributes together nothing follows for one of them: a bound that takes it so would be too high."""
    assert [(one.names, one.different) for one in said_of(require)] == said


@pytest.mark.parametrize(
    ("require", "heights"), [("l(illness)=2.5", [2]), ("l(illness)=3", [3]), ("l(illness)=1.5", [])]
)
def test_where_no_value_has_more_than_its_share_of_a_class_that_is_decided_exactly(
    require: str, heights: list[int]
) -> None:
    assert [one.heights for one in said_of(require)] == [heights]


@pytest.mark.parametrize(("require", "bound"), [("distinct-l(illness)=2", 2), ("distinct-l(illness)=3", 4)])
def test_a_class_with_too_few_different_values_gains_nothing(require: str, bound: int) -> None:
    """Two people of 20 have one illness, two of 30 have two; all are priced as a star, so nobody gains by one."""
    found = proof.price_bound(
        pl.DataFrame({"age": [20, 20, 30, 30], "illness": ["flu", "flu", "flu", "gout"]}),
        quasi=["age"],
        models=parse_requirement(require),
        hierarchies={},
        recoding="suppress",
        cost="stars",
        weights={},
        prices=np.ones(4, dtype=np.int64),
        denominator=1,
        may_drop=0,
    )
    assert found == bound


def test_offsets_of_two_attributes_are_taken_a_second_time() -> None:
    """After the offsets of the second attribute, those of the first take more off: one round proves 2."""
    found = proof.price_bound(
        pl.DataFrame({"age": [20] * 8, "illness": [*"abab", *"caba"], "job": [*"zyzx", *"xxxx"]}),
        quasi=["age"],
        models=parse_requirement("l(illness)=2.5 l(job)=1.7"),
        hierarchies={},
        recoding="suppress",
        cost="stars",
        weights={},
        prices=np.array([3, 9, 7, 19, 15, 4, 18, 17]),
        denominator=10,
        may_drop=0,
    )
    assert found == 3


def test_what_groups_gain_stays_beside_the_groups() -> None:
    members, _ = members_of([[(0, 0)], [(0, 1)], [(0, 2)]])
    left, most = proof._least(members, members.most, [gain_of_rows(1)])
    assert left.gain.tolist() == most.tolist() == [1, 2]
    some, _ = members_of([[(0, 5)], [(0, 3), (1, 1)]])
    left, most = proof._least(some, some.most, [gain_of_rows(2)])  # one row is no class
    assert (left.gain.tolist(), most.tolist()) == ([3, 1], [4])


def test_the_equal_distance_limits_the_gains_of_rows_before_offsets() -> None:
    values = Values.of(Coded.of(pl.Series("illness", ["flu", "flu", "gout"])))
    [shares] = filter(None, (model.shares(values) for model in parse_requirement("t(illness:equal)=0.2")))
    assert isinstance(proof._spread(shares, values, np.arange(2), np.dtype(np.int64)), EqualSpread)
