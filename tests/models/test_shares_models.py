"""alpha, beta, enhanced beta, delta, e and m against their definitions, written out with fractions and logarithms."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.checking.audit import audit

Rows = list[tuple[int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12)


def classes(rows: Rows) -> list[list[int]]:
    return [[value for name, value in rows if name == one] for one in sorted({name for name, _ in rows})]


def shares(values: list[int]) -> dict[int, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def gains(group: list[int], table: list[int]) -> dict[int, Fraction]:
    q, p = shares(group), shares(table)
    return {value: (q[value] - p[value]) / p[value] for value in q}


def alpha(group: list[int], _: list[int]) -> float:
    return float(max(shares(group).values()))


def beta(group: list[int], table: list[int]) -> float:
    return float(max([*gains(group, table).values(), Fraction(0)]))


def enhanced(group: list[int], table: list[int]) -> float:
    p = shares(table)
    over = [v for v, gain in gains(group, table).items() if gain > 0 and float(gain) > -math.log(p[v])]
    return math.inf if over else beta(group, table)


def delta(group: list[int], table: list[int]) -> float:
    q, p = shares(group), shares(table)
    return max(math.inf if v not in q else abs(math.log2(q[v] / p[v])) for v in p)


def spread(group: list[int], _: list[int]) -> float:
    return float(max(group) - min(group))


LEVELS = {"alpha": alpha, "beta": beta, "enhanced-beta": enhanced, "delta": delta}


@pytest.mark.parametrize("name", LEVELS)
@given(rows=ROWS)
def test_level_is_that_of_the_worst_class(name: str, rows: Rows) -> None:
    table = [value for _, value in rows]
    worst = max(LEVELS[name](group, table) for group in classes(rows))
    frame = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    found = next(f for f in audit(frame, quasi=["q"], sensitive=["s"]).findings if f.name == name)
    if math.isinf(worst):
        assert found.reached is None
    else:
        assert found.reached == pytest.approx(worst)


@given(rows=ROWS)
def test_range_is_that_of_the_narrowest_class(rows: Rows) -> None:
    frame = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    found = next(f for f in audit(frame, quasi=["q"], sensitive=["s"]).findings if f.name == "e")
    assert found.reached == min(spread(group, []) for group in classes(rows))


HALVES = pl.DataFrame({"q": [0, 0, 1, 1], "s": [0, 1, 0, 2]})
"""Every value fills half of its class; the ranges are 1 and 2."""
GAINING = pl.DataFrame({"q": [0, 0, 1, 1, 1, 1], "s": [0, 1, 0, 0, 0, 1]})
"""The value 1 has the share 1/3 in the table and 1/2 in the first class: it gains 1/2."""


@pytest.mark.parametrize(
    ("frame", "require", "holds"),
    [
        (HALVES, "alpha(s)=1/2", True),
        (HALVES, "alpha(s)=0.49999999", False),
        (GAINING, "beta(s)=1/2", True),
        (GAINING, "beta(s)=0.49999999", False),
        (GAINING, "enhanced-beta(s)=0.5", True),
        (HALVES, "e(s)=1", True),
        (HALVES, "e(s)=1.0000001", False),
        (HALVES, "m(s)=2", True),
        (HALVES, "m(s)=3", False),
        (GAINING, "m(s)=2", False),
    ],
)
def test_limits_are_decided_exactly(frame: pl.DataFrame, require: str, holds: bool) -> None:
    assert audit(frame, quasi=["q"], sensitive=["s"], require=require).holds is holds


def test_delta_is_strict() -> None:
    """The value b has half its share of the table in the first class: |log2(q / p)| is exactly 1."""
    frame = pl.DataFrame({"q": [0] * 4 + [1] * 4, "s": list("aaab") + list("abbb")})
    assert audit(frame, quasi=["q"], sensitive=["s"], require="delta(s)=1").holds is False
    assert audit(frame, quasi=["q"], sensitive=["s"], require="delta(s)=1.0000001").holds is True


def test_delta_is_infinite_where_a_value_is_absent() -> None:
    frame = pl.DataFrame({"q": [0, 0, 1, 1], "s": ["a", "a", "a", "b"]})
    found = audit(frame, quasi=["q"], sensitive=["s"], require="delta(s)=100")
    assert not found.holds
    assert found.findings[0].reached is None
    assert list(found.findings[0].also.values()) == [pytest.approx(math.log(2))]


@pytest.mark.parametrize("require", ["alpha(s)=0.7", "beta(s)=1", "enhanced-beta(s)=1", "delta(s)=2", "e(s)=2"])
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3)), min_size=2, max_size=14))
def test_a_release_meets_the_model_or_is_refused(require: str, rows: list[tuple[int, int, int]]) -> None:
    frame = pl.DataFrame(rows, schema=["a", "b", "s"], orient="row")
    try:
        release = shoal.anonymize(frame, quasi=["a", "b"], sensitive=["s"], require=f"k=2 {require}")
    except shoal.Infeasible:
        return
    assert audit(release.table, quasi=["a", "b"], sensitive=["s"], require=f"k=2 {require}").holds


def test_range_of_text_is_refused() -> None:
    with pytest.raises(shoal.ShoalError, match="numbers or dates"):
        audit({"q": [1, 1], "s": ["a", "b"]}, quasi=["q"], sensitive=["s"], require="e(s)=1")


def test_range_of_dates_counts_days() -> None:
    frame = pl.DataFrame({"q": [1, 1], "s": ["2024-01-01", "2024-03-01"]}).with_columns(pl.col("s").str.to_date())
    moments = frame.with_columns(pl.col("s").cast(pl.Datetime("ms")))
    for table in (frame, moments):
        assert audit(table, quasi=["q"], sensitive=["s"], require="e(s)=60").findings[0].reached == 60
