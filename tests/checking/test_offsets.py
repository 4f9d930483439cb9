"""Offsets on values: no admitted class earns anything by them, and gains after them are never below the best class."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.checking.test_proof import members_of
from tests.strategies import NEARNESS
from tests.thorough import examples

from shoal.checking.offsets import EntropyOffset
from shoal.checking.proof import Known, _offsets, _said
from shoal.hierarchies import Taxonomy
from shoal.microdata.histogram import Attributes, Classes, Values
from shoal.models import Models
from shoal.models.base import ShareSet
from shoal.models.emd import Matrix
from shoal.models.requirement import parse_requirement

REQUIREMENTS = [
    *("l(a)=2", "l(a)=3/2", "l(a)=2.5", "alpha(a)=0.6", "alpha(a)=1/3", "beta(a)=0.5", "enhanced-beta(a)=2"),
    *("delta(a)=1", "delta(a)=1/3", "entropy-l(a)=2", "entropy-l(a)=2.4", "recursive-l(a)=(2,2)"),
    *("recursive-l(a)=(1,3)", "recursive-l(a)=(1/2,1)", "t(a:equal)=0.2", "t(a:equal)=1/3", "t(a:ordered)=0.2"),
    *("t(a:hierarchy)=0.3", "t(a:numeric)=0.25", "k=3 l(a)=1.5 t(a:equal)=0.4", "t(a:equal)=0.4 t(b:equal)=0.3"),
    *("k=2 entropy-l(a)=2 t(b:ordered)=0.3", "distinct-l(a)=2 t(a:equal)=0.4 alpha(b)=0.7", "l(a)=2 l(b)=1.5"),
]
"""Of two attributes, a and b: every model that has a share set, and some of them together."""
LEAVES = [("1", "low"), ("2", "low"), ("3", "high")]


def values_of(codes: Sequence[int], table: Sequence[int]) -> Values:
    """An attribute with the values 1, 2 and 3 of which the table has so many rows."""
    domain = pl.Series("a", [1, 2, 3][: len(table)])
    tree = Taxonomy(LEAVES).build(domain.cast(pl.String))
    return Values(np.array(codes), np.array(table), domain, tree)


def admitted(models: Models, rows: Sequence[tuple[int, int]], table: Sequence[tuple[int, int]]) -> bool:
    """Whether rows with values of a and b are an admitted class of a table."""
    totals = [np.bincount(column, minlength=3) for column in zip(*table, strict=True)]
    sensitive: dict[Attributes, Values] = {
        (name,): values_of(column, total.tolist())
        for name, column, total in zip("ab", zip(*rows, strict=True), totals, strict=True)
    }
    classes = Classes(np.zeros(len(rows), dtype=np.int64), 1, sensitive)
    return bool(models.admits(classes).all())


def best(models: Models, group: Sequence[tuple[int, int, int]], table: Sequence[tuple[int, int]]) -> int:
    """The most that an admitted class of rows with values of a and b and a gain gains, found by trying all."""
    found = 0
    for size in range(1, len(group) + 1):
        for some in combinations(group, size):
            gain = sum(row[2] for row in some)
            if gain > found and admitted(models, [row[:2] for row in some], table):
                found = gain
    return found


ROW = st.tuples(st.integers(0, 2), st.integers(0, 2))


@st.composite
def groups(draw: st.DrawFn) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
    """Rows that match a pattern, with their gains, and the table that they are of."""
    own = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-9, 9)), min_size=1, max_size=7))
    every = [(0, 0), (1, 1), (2, 2)]
    return own, [row[:2] for row in own] + every + draw(st.lists(ROW, max_size=6))


def known_of(models: Models, group: Any, table: Any, exact: Any) -> tuple[int, Any]:
    """What the checker knows about the gains of a group, in whole units of a thousandth."""
    kinds = sorted(set(group), key=lambda row: -row[2])
    values: dict[Attributes, Values] = {
        (name,): values_of(
            [row[place] for row in kinds], np.bincount([row[place] for row in table], minlength=3).tolist()
        )
        for place, name in enumerate("ab")
    }
    said = _said(models, values, 0)
    least = models.least_rows
    for one in said:
        least = max([least, *(shares.least_rows(values[one.names].totals, least) for shares in one.sets)])
    read = [values[one.names].codes.astype(np.int64) for one in said]
    numbered = [(place, row[2] * 1000) for row in group for place in [kinds.index(row)]]
    members, places = members_of([numbered], exact)
    moved = type(members)(places, members.starts, members.count, members.gain)
    return Known.of(said, values, read, least, np.dtype(exact)).gained(moved), least


def check_gain(requirement: str, drawn: Any, exact: Any) -> None:
    group, table = drawn
    models = parse_requirement(requirement)
    found, least = known_of(models, group, table, exact)
    top = best(models, group, table)
    assert found >= 1000 * top
    for size in range(1, min(least, len(group) + 1)):
        for some in combinations(group, size):
            assert not admitted(models, [row[:2] for row in some], table)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
@settings(max_examples=examples(8))
@given(drawn=groups(), exact=st.sampled_from([np.int64, object]))
def test_no_admitted_class_gains_more_than_is_said(requirement: str, drawn: Any, exact: Any) -> None:
    check_gain(requirement, drawn, exact)


@pytest.mark.slow
@pytest.mark.parametrize("requirement", REQUIREMENTS)
@settings(max_examples=examples(150))
@given(drawn=groups(), exact=st.sampled_from([np.int64, object]))
def test_no_admitted_class_of_many_gains_more_than_is_said(requirement: str, drawn: Any, exact: Any) -> None:
    check_gain(requirement, drawn, exact)


@pytest.mark.parametrize(
    ("requirement", "table", "least"),
    [
        ("t(a:equal)=0.2", [1, 1, 1], 3),  # of two rows each value's share is 1/2 or 0, 1/3 away at least
        ("t(a:equal)=0.34", [1, 1, 1], 2),
        ("t(a:equal)=0.34", [98, 1, 1], 1),
        ("l(a)=2.5", [9, 9, 9], 3),
        ("l(a)=1.5", [9, 9, 9], 2),
        ("alpha(a)=0.4", [9, 9, 9], 3),
        ("t(a:ordered)=0.1", [1, 1, 1], 3),
        ("t(a:hierarchy)=0.1", [1, 1, 1], 3),
        ("beta(a)=0.5", [1, 1, 1], 2),
        ("beta(a)=0.4", [1, 1, 1], 3),
    ],
)
def test_the_least_rows_follow_from_whole_counts(requirement: str, table: list[int], least: int) -> None:
    [model] = parse_requirement(requirement)
    shares = model.shares(values_of([0], [100 * count for count in table]))
    assert shares is not None
    assert shares.least_rows(np.array([100 * count for count in table]), 1) == least


def test_the_least_rows_of_a_metric_follow_from_its_nearest_values() -> None:
    """The nearest are 1/4 apart, so that a distance of 1/20 lets at most 1/5 of the shares differ: not of two rows."""
    shares = ShareSet(ground=Matrix(NEARNESS), t=Fraction(1, 20))
    assert shares.least_rows(np.array([100, 100, 100]), 1) == 3


@given(offsets=st.lists(st.integers(-5000, 5000), min_size=2, max_size=3), level=st.sampled_from(["3/2", "2", "2.6"]))
def test_entropy_lets_no_shares_earn_anything(offsets: list[int], level: str) -> None:
    """Shares on a fine grid, with entropy enough: the checked offsets earn nothing by any of them."""
    models = parse_requirement(f"entropy-l(a)={level}")
    values = values_of(list(range(len(offsets))), [1] * len(offsets))
    [model] = models
    shares = model.shares(values)
    assert shares is not None
    [offset] = _offsets(shares, values, np.arange(len(offsets)), 1, np.dtype(np.int64))
    assert isinstance(offset, EntropyOffset)
    assume(max(offsets) > 0)
    members, _ = members_of([[(place, gain) for place, gain in enumerate(offsets)]])
    own = type(members)(
        np.argsort([-gain for gain in offsets], kind="stable"),
        *(getattr(members, name) for name in ("starts", "count", "gain")),
    )
    after = offset(own)
    paid = {int(kind): offsets[int(kind)] - int(gain) for kind, gain in zip(after.kind, after.gain, strict=True)}
    grid = [(i / 40, j / 40) for i in range(41) for j in range(41 - i)]
    for first, second in grid:
        q = [first, second, 1 - first - second][: len(offsets)]
        if len(offsets) == 2 and abs(first + second - 1) > 1e-9:
            continue
        entropy = -sum(share * np.log(share) for share in q if share > 1e-12)
        if entropy >= np.log(float(model.limit)) + 1e-9:
            assert sum(share * paid[place] for place, share in enumerate(q)) <= 1e-6
