"""Minimal sample uniques: against the definition, set by set and row by row."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

from shoal.core.errors import ParameterError
from shoal.risk import measure
from shoal.risk import suda as module
from shoal.risk.crowds import Crowds
from shoal.risk.singling import search
from shoal.risk.suda import affordable
from shoal.risk.suda import suda as minimal_uniques

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12)


def frame(rows: list[tuple[int, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list("abcd"), orient="row")


def unique_in(rows: list[tuple[int, ...]], row: tuple[int, ...], some: tuple[int, ...]) -> bool:
    return sum(all(row[i] == other[i] for i in some) for other in rows) == 1


def msus(rows: list[tuple[int, ...]], row: tuple[int, ...], largest: int) -> list[tuple[int, ...]]:
    """The definition: unique in the set, in no proper part of it."""
    sets = [some for size in range(1, largest + 1) for some in combinations(range(4), size)]
    alone = [set(some) for some in sets if unique_in(rows, row, some)]
    return [some for some in sets if set(some) in alone and not any(part < set(some) for part in alone)]


@settings(max_examples=examples(50))
@given(ROWS, st.integers(1, 4))
def test_scores_are_those_of_the_definition(rows: list[tuple[int, ...]], largest: int) -> None:
    found = minimal_uniques(Crowds.of(frame(rows)), largest=largest)
    sets = [msus(rows, row, largest) for row in rows]
    assert found.scores.tolist() == [sum(factorial(4 - len(some)) for some in some_sets) for some_sets in sets]
    every = [some for ours in sets for some in ours]
    assert found.msus == tuple(sum(len(some) == size for some in every) for size in range(1, largest + 1))
    assert found.rows == sum(bool(ours) for ours in sets)
    assert [one.msus for one in found.contributions] == [sum(i in some for some in every) for i in range(4)]


@settings(max_examples=examples(50))
@given(ROWS)
def test_a_row_with_a_double_has_none_and_every_unique_has_one_of_all_sizes(rows: list[tuple[int, ...]]) -> None:
    times = Counter(rows)
    found = minimal_uniques(Crowds.of(frame(rows)), largest=4)
    assert [score > 0 for score in found.scores] == [times[row] == 1 for row in rows]
    assert ((found.dis_scores > 0) == (found.scores > 0)).all()
    assert (found.dis_scores <= 1).all()


@settings(max_examples=examples(50))
@given(ROWS)
def test_distinction_and_separation_are_those_of_the_definition(rows: list[tuple[int, ...]]) -> None:
    for one in search(frame(rows), list("abcd"), 20).sets:
        cut = [tuple(row["abcd".index(name)] for name in one.columns) for row in rows]
        pairs = list(combinations(cut, 2))
        assert one.distinction == pytest.approx(len(set(cut)) / len(cut))
        assert one.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 1)


def test_the_dis_score_by_hand() -> None:
    """One unique and one pair of rows: a match with the unique is right with 0.1 / (0.1 + 2 * 0.9)."""
    found = minimal_uniques(Crowds.of(pl.DataFrame({"a": [1, 1, 2]})), fraction=0.1)
    assert found.dis == pytest.approx(0.1 / 1.9)
    assert found.dis_scores.tolist() == pytest.approx([0, 0, 0.1 / 1.9])
    assert found.highest_dis_score == pytest.approx(found.dis)


def test_a_table_without_uniques_has_no_scores() -> None:
    found = minimal_uniques(Crowds.of(pl.DataFrame({"a": [1, 1, 2, 2, 2]})))
    assert (found.rows, found.dis, found.highest_score, found.contributions[0].contribution) == (0, 0.0, 0.0, 0.0)
    assert minimal_uniques(Crowds.of(pl.DataFrame({"a": [1, 1, 1]}))).dis is None


def test_keys_too_many_to_count_are_sorted() -> None:
    wide = pl.DataFrame({f"c{n}": [(7 * n + 3 * row) % 40 for row in range(40)] * 2 for n in range(14)})
    wide = wide.with_columns(c0=pl.int_range(80))
    found = minimal_uniques(Crowds.of(wide), largest=2)
    assert found.msus == (80, 0)
    assert found.rows == 80


def test_what_takes_too_long_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {name: [n % (3 + place) for n in range(30)] for place, name in enumerate("abcdef")}
    crowds = Crowds.of(pl.DataFrame(rows))
    monkeypatch.setattr(module, "WORK", 25 * crowds.classes)
    assert affordable(crowds) == 2
    found = measure(rows, quasi=list(rows))
    assert found.suda is not None
    assert found.suda.largest == 2
    assert "minimal sample uniques were looked for in sets of up to 2 columns" in found.notes
    assert "minimal sample uniques were not looked for" in measure(rows, quasi=list(rows), minimal_uniques=0).notes
    with pytest.raises(ParameterError, match="largest is -1"):
        measure(rows, quasi=list(rows), minimal_uniques=-1)
