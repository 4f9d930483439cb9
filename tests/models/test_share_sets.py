"""Share sets: what a model says of the shares in its classes, by hand and against every class that it admits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from shoal.microdata.histogram import Classes, Values
from shoal.models import Model
from shoal.models import base as models_base
from shoal.models.base import ShareSet
from shoal.models.emd import Line, Tree
from shoal.models.requirement import parse_requirement
from shoal.models.share_set import FINE, above_log, above_power_of_two, joined, table_shares

TOTALS = [3, 2, 1]
EQUAL, ORDERED = Tree(np.arange(3)[None, :]), Line((1, 1))


def model_of(text: str) -> Model:
    (model,) = parse_requirement(text)
    return model


def one_class(counts: tuple[int, ...], totals: list[int]) -> Classes:
    """A class with so many rows of each number, in a table that has so many."""
    codes = np.repeat(np.arange(len(counts)), counts)
    values = Values(codes, np.array(totals), pl.Series(range(len(totals))))
    return Classes(np.zeros(len(codes), dtype=np.int64), 1, {("s",): values})


def values_of(totals: list[int]) -> Values:
    return one_class(tuple(totals), totals).attributes["s",]


def caps_of(text: str, totals: list[int] = TOTALS) -> tuple[Fraction, ...] | None:
    shares = model_of(text).shares(values_of(totals))
    return None if shares is None else shares.caps


# --- what models say -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "caps"),
    [
        ("l(s)=1.5", "2/3 2/3 2/3"),
        ("l(s)=2", "1/2 1/2 1/2"),
        ("alpha(s)=0.4", "2/5 2/5 2/5"),
        ("recursive-l(s)=(2,2)", "2/3 2/3 2/3"),
        ("recursive-l(s)=(1,3)", "1/2 1/2 1/2"),
        ("recursive-l(s)=(1/2,1)", "1/2 1/2 1/2"),
        ("beta(s)=1", "1 2/3 1/3"),
        ("beta(s)=2", "1 1 1/2"),
        ("beta(s)=1/2", "3/4 1/2 1/4"),
        ("enhanced-beta(s)=1/2", "3/4 1/2 1/4"),
        ("delta(s)=1000", "1 1 1"),
    ],
)
def test_caps_are_those_of_the_definition(text: str, caps: str) -> None:
    assert caps_of(text) == tuple(map(Fraction, caps.split()))
    shares = model_of(text).shares(values_of(TOTALS))
    assert shares is not None
    assert shares.of_table == text.startswith(("beta", "enhanced", "delta"))
    assert shares.ground is None
    assert shares.diversity == 1


@pytest.mark.parametrize(
    "text",
    [
        *("l(s)=1", "alpha(s)=1", "entropy-l(s)=1", "t(s)=1", "k=3"),
        *("recursive-l(s)=(1,1)", "recursive-l(s)=(1.5,1)", "recursive-l(s)=(3,1)"),
    ],
)
def test_a_model_that_limits_no_share_says_nothing(text: str) -> None:
    assert model_of(text).shares(values_of(TOTALS)) is None


def test_models_that_are_no_caps_are_stated_as_they_are() -> None:
    entropy, near = (model_of(text).shares(values_of(TOTALS)) for text in ("entropy-l(s)=1.5", "t(s:ordered)=0.2"))
    assert entropy is not None
    assert near is not None
    assert (entropy.caps, entropy.ground, entropy.diversity, entropy.of_table) == (None, None, Fraction(3, 2), False)
    assert (near.caps, near.t, near.diversity, near.of_table) == (None, Fraction(1, 5), Fraction(1), True)
    assert isinstance(near.ground, Line)


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
def test_a_cap_that_is_no_fraction_is_rounded_up_by_hardly_anything(share: Fraction) -> None:
    """Enhanced beta-likeness lets a value gain -ln p, delta-disclosure a factor 2^delta."""
    place = TOTALS.index(int(share * 6))
    gained, raised = caps_of("enhanced-beta(s)=9"), caps_of("delta(s)=1/2")
    assert gained is not None
    assert raised is not None
    with localcontext(prec=60):
        p = Decimal(share.numerator) / share.denominator
        for cap, exact in ((gained[place], p * (1 - p.ln())), (raised[place], p * Decimal(2).sqrt())):
            over = Decimal(cap.numerator) / cap.denominator - exact
            assert 0 < over < Decimal("1e-25")


def test_a_value_that_the_table_no_longer_has_gets_no_share() -> None:
    assert caps_of("enhanced-beta(s)=1/2", [2, 0, 2]) == (Fraction(3, 4), Fraction(0), Fraction(3, 4))
    assert caps_of("beta(s)=1/2", [2, 0, 2]) == (Fraction(3, 4), Fraction(0), Fraction(3, 4))


@pytest.mark.parametrize(
    "text",
    [
        *("l(s)=1.5", "alpha(s)=0.6", "entropy-l(s)=1.8", "recursive-l(s)=(2,2)", "recursive-l(s)=(0.7,1)"),
        *("beta(s)=0.4", "enhanced-beta(s)=0.4", "delta(s)=0.9", "t(s:equal)=0.2", "t(s:ordered)=0.15"),
        *("ck(s)=(2/3,1)", "skyline(s)=(1,0,0,3/4)"),
    ],
)
@pytest.mark.parametrize("totals", [[3, 2, 1], [2, 2, 2], [4, 1, 1]])
def test_the_shares_of_every_admitted_class_are_in_the_set(text: str, totals: list[int]) -> None:
    model = model_of(text).surrogate(sum(totals))
    shares = model.shares(values_of(totals))
    assert shares is not None
    least, values = shares.least_rows(np.array(totals), 1), shares.least_values(np.array(totals))
    for counts in product(*(range(total + 1) for total in totals)):
        if any(counts) and model.admits(one_class(counts, totals)).all():
            assert sum(counts) >= least
            assert np.count_nonzero(counts) >= values
            held = [Fraction(count, sum(counts)) for count in counts]
            assert shares.caps is None or all(q <= cap for q, cap in zip(held, shares.caps, strict=True))
            assert shares.ground is None or shares.ground.one(dict(enumerate(counts)), np.array(totals)) <= shares.t


# --- what a set says of itself ---------------------------------------------------------------------------------------

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("shares", "cap", "whole", "equal"),
    [
        (ShareSet(), None, False, False),
        (ShareSet(caps=(HALF, HALF)), HALF, True, False),
        (ShareSet(caps=(Fraction(2, 3),) * 2), Fraction(2, 3), False, False),
        (ShareSet(caps=(HALF, THIRD)), None, False, False),
        (ShareSet(caps=(Fraction(0),) * 2), None, False, False),
        (ShareSet(caps=(HALF, HALF), ground=EQUAL), HALF, False, True),
        (ShareSet(ground=ORDERED), None, False, False),
    ],
)
def test_a_set_says_what_it_is(shares: ShareSet, cap: Fraction | None, whole: bool, equal: bool) -> None:
    assert shares.same_cap == cap
    assert (shares.is_whole, shares.is_equal) == (whole, equal)


@pytest.mark.parametrize(
    ("shares", "values", "rows", "from_20"),
    [
        (ShareSet(), 1, 1, 20),
        (ShareSet(caps=(HALF, THIRD, Fraction(1, 6))), 3, 6, 24),
        (ShareSet(caps=(HALF, HALF, HALF)), 2, 2, 20),
        (ShareSet(caps=(THIRD, THIRD, HALF)), 3, 3, 20),
        (ShareSet(caps=(Fraction(2, 5), Fraction(2, 5), Fraction(1, 5))), 3, 5, 20),
        (ShareSet(ground=EQUAL, t=Fraction(1, 5)), 2, 2, 20),
        (ShareSet(ground=EQUAL, t=Fraction(19, 100)), 3, 3, 20),
        (ShareSet(ground=ORDERED, t=Fraction(1, 20)), 1, 4, 20),
        (ShareSet(ground=ORDERED, t=Fraction(0)), 1, 10, 20),
        (ShareSet(diversity=Fraction(3, 2)), 2, 2, 20),
        (ShareSet(diversity=Fraction(2)), 2, 2, 20),
        (ShareSet(caps=(HALF, HALF, HALF), diversity=Fraction(5, 2)), 3, 3, 20),
    ],
)
def test_how_few_values_and_rows_have_shares_in_a_set(shares: ShareSet, values: int, rows: int, from_20: int) -> None:
    """Of a table with 50, 30 and 20 rows of three values."""
    totals = np.array([50, 30, 20])
    assert shares.least_values(totals) == values
    assert (shares.least_rows(totals, 1), shares.least_rows(totals, 20)) == (rows, from_20)


def test_a_table_without_the_rows_has_none_of_them() -> None:
    """Of 3, 1 and 1 rows no more than 1/3 of one value: three rows, one of each; no class has four."""
    shares = ShareSet(caps=(THIRD,) * 3)
    assert [shares._has_rows(rows, [3, 1, 1]) for rows in (2, 3, 4, 6)] == [False, True, False, False]


def test_numbers_of_rows_are_tried_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, totals = ShareSet(caps=(Fraction(0),) * 3), np.array([1, 1, 1])
    assert shares.least_rows(totals, 7) == 7 + models_base.MOST_ROWS
    monkeypatch.setattr(models_base, "MOST_COUNTED", 12)
    assert shares.least_rows(totals, 7) == 7 + 4


# --- sets put together -----------------------------------------------------------------------------------------------


def test_sets_of_one_attribute_are_joined() -> None:
    caps, other = ShareSet(caps=(HALF, THIRD)), ShareSet(caps=(THIRD, HALF))
    near, nearer = (ShareSet(ground=EQUAL, t=t, of_table=True) for t in (HALF, THIRD))
    line, entropy = ShareSet(ground=ORDERED, t=HALF), ShareSet(diversity=Fraction(2))
    assert joined([]) == joined([ShareSet()]) == []
    (both,) = joined([caps, other])
    assert both.caps == (THIRD, THIRD)
    (apart,) = joined([near, nearer, near])
    assert (apart.caps, apart.ground, apart.t) == (None, EQUAL, THIRD)
    (capped,) = joined([caps, nearer])
    assert (capped.caps, capped.ground, capped.t) == ((HALF, THIRD), EQUAL, THIRD)
    first, second, third = joined([line, caps, entropy])
    assert (first.caps, first.ground) == ((HALF, THIRD), None)
    assert [(one.caps, one.ground, one.t, one.diversity) for one in (second, third)] == [
        (None, ORDERED, HALF, Fraction(1)),
        (None, None, Fraction(1), Fraction(2)),
    ]


def test_shares_of_a_table_are_exact() -> None:
    assert table_shares(np.array([3, 2, 1])) == [HALF, THIRD, Fraction(1, 6)]


@pytest.mark.parametrize("number", ["2", "7/5", "1/3", "1", "10000000000"])
def test_logarithms_and_powers_are_rounded_up(number: str) -> None:
    fraction = Fraction(number)
    with localcontext(prec=80):
        decimal = Decimal(fraction.numerator) / fraction.denominator
        over = [above_log(fraction) - Fraction(decimal.ln())]
        if fraction <= 100:
            over.append((above_power_of_two(fraction) / Fraction(2**decimal)) - 1)
    assert all(0 < one <= Fraction(3, FINE) for one in over)
