"""Peeling by sorting: classes that are l-diverse, rows left that are, too; TP+ refined on a large residue."""

# ruff: noqa: E741 - l is the papers' name

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline
from shoal.methods.l_diversity import tp_plus_refined
from shoal.methods.l_diversity.sorted_peel import Words, fits, sorted_peel
from shoal.methods.l_diversity.tp import TP
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.studies.synth import census
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def asked(frame: pl.DataFrame, l: int, recoding: str = "suppress") -> Problem:
    quasi = [name for name in frame.columns if name != "s"]
    microdata = encode(Table.of(frame), Roles.of(frame.columns, quasi=quasi, sensitive=["s"]))
    return make_problem(microdata, parse_requirement(f"l(s)={l}"), recoding=recoding)


def peeled(problem: Problem, l: int, deadline: Deadline | None = None) -> Partition:
    order = np.argsort(problem.microdata.identity, kind="stable")
    codes = problem.values[("s",)].codes[order].astype(np.int64)
    found = sorted_peel(problem, problem.microdata.tuple_of_row[order], codes, l, deadline or Deadline())
    labels = np.empty_like(order)
    labels[order] = found.class_of_row
    return Partition(labels)


def is_diverse(counts: Ints, l: int) -> bool:
    return int(counts.sum()) >= l * int(counts.max(initial=0))


@st.composite
def diverse_tables(draw: st.DrawFn) -> tuple[pl.DataFrame, int]:
    """Draw a table that is l-diverse as a whole."""
    l, columns = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    row = st.tuples(*[st.integers(0, 2)] * columns, st.integers(0, 4))
    rows = draw(st.lists(row, min_size=l, max_size=24))
    counts = np.bincount([row[-1] for row in rows])
    rows += [(*rows[0][:-1], 5 + v) for v in range(max(0, l * int(counts.max()) - len(rows)))]
    return pl.DataFrame(rows, schema=[*"abc"[:columns], "s"], orient="row"), l


@given(diverse_tables())
@settings(max_examples=examples(150), deadline=None)
def test_classes_are_diverse_whatever_the_table(drawn: tuple[pl.DataFrame, int]) -> None:
    frame, l = drawn
    problem = asked(frame, l)
    found = peeled(problem, l)
    assert (np.bincount(found.class_of_row) > 0).all()
    assert problem.models.admits(problem.classes(found)).all()
    assert problem.cost_of(found) <= problem.cost_of(Partition.whole(problem.rows))


@given(diverse_tables(), st.integers(0, 99))
@settings(max_examples=examples(50), deadline=None)
def test_the_order_of_rows_changes_nothing(drawn: tuple[pl.DataFrame, int], seed: int) -> None:
    frame, l = drawn
    mixed = frame.sample(fraction=1, shuffle=True, seed=seed)
    costs = [problem.cost_of(peeled(problem, l)) for problem in (asked(frame, l), asked(mixed, l))]
    assert costs[0] == costs[1]


def test_few_stars_come_first() -> None:
    """Two rows that differ in a, two that differ in b: one star each, though one class of four would be diverse."""
    frame = pl.DataFrame({"a": [1, 2, 3, 3], "b": [1, 1, 5, 6], "s": ["x", "y", "x", "y"]})
    problem = asked(frame, 2)
    found = peeled(problem, 2)
    assert problem.cost_of(found) == 4
    assert len(found) == 2


def test_a_class_takes_no_more_than_leaves_the_others_diverse() -> None:
    """x, y and z are alike, but would leave x alone: two of them are a class, the third gets a star with the last x."""
    problem = asked(pl.DataFrame({"a": [1, 1, 1, 2], "s": ["x", "y", "z", "x"]}), 2)
    assert problem.cost_of(peeled(problem, 2)) == 2
    problem = asked(pl.DataFrame({"a": [1, 1, 1, 2, 2], "s": ["x", "y", "z", "x", "w"]}), 2)
    assert problem.cost_of(peeled(problem, 2)) == 0


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6), st.integers(1, 4))
@settings(max_examples=examples(100), deadline=None)
def test_the_height_of_a_group(counts: list[int], l: int) -> None:
    from shoal.methods.l_diversity.sorted_peel_kernel import below, height

    starts = np.concatenate([[0], np.cumsum([count for count in counts if count])])
    inside = np.diff(starts)
    best = max(h for h in range(max(counts) + 1) if np.minimum(inside, h).sum() >= l * h)
    assert height(starts, len(inside), l) == best
    assert below(starts, len(inside), best) == np.minimum(inside, best).sum()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6), st.integers(2, 3))
@settings(max_examples=examples(200), deadline=None)
def test_what_is_spared_leaves_both_sides_diverse(counts: list[tuple[int, int]], l: int) -> None:
    from shoal.methods.l_diversity.sorted_peel_kernel import spare

    wanted = np.array([inside for inside, _ in counts])
    rest = np.array([inside + outside for inside, outside in counts])
    if not is_diverse(rest, l) or not is_diverse(wanted, l) or not wanted.any():
        return
    taken, values = wanted.copy(), np.flatnonzero(wanted)
    size = spare(taken, values, rest, rest.sum(), l)
    if size:
        assert size == taken.sum()
        assert (taken <= wanted).all()
        assert is_diverse(taken, l)
        assert is_diverse(rest - taken, l)
    else:
        assert not is_diverse(rest - wanted, l)


def test_when_time_is_over_all_rows_are_one_class() -> None:
    problem = asked(pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "y", "x", "y"]}), 2)
    assert len(peeled(problem, 2, Deadline.after(0))) == 1


def test_words_hold_what_tells_rows_apart() -> None:
    problem = asked(pl.DataFrame({"a": [3, 1, 2], "b": [1, 1, 9], "s": ["x", "y", "z"]}), 1)
    words = Words.of(problem, problem.microdata.tuple_of_row, problem.values[("s",)].codes)
    assert [f"{word:08b}"[-7:] for word in words.words.tolist()] == ["1000000", "0000101", "0111010"]
    assert (words.width, words.low) == (2, 2)
    starred = words.sorted_at((0,)).tolist()
    assert [word >> 4 for word in starred] == [0, 0, 1]
    assert all(one < other for one, other in pairwise(starred))


def test_it_takes_stars_only_and_rows_that_fit() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "y", "x", "y"]})
    assert fits(asked(frame, 2), 4, ("s",))
    assert not fits(asked(frame, 2, recoding="generalize"), 4, ("s",))
    assert not fits(asked(frame, 2), 2**60, ("s",))
    wide = frame.with_columns(pl.col("a").alias(f"a{place}") for place in range(12))
    assert not fits(asked(wide, 2), 4, ("s",))


def test_a_large_residue_is_peeled_by_sorting_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with more than 250,000 rows: cheaper than TP, confirmed by the models, the note says how."""
    monkeypatch.setattr(tp_plus_refined, "WHOLE_UP_TO", 0)
    monkeypatch.setattr(tp_plus_refined, "SEVERAL_UP_TO", 0)
    frame = census(2_000, 4).select("age", "race", "marital", pl.col("income").alias("s"))
    problem = asked(frame, 4)
    plain, found = TP().run(problem), TPPlusRefined().run(problem)
    assert found.cost < plain.cost / 2
    assert found.cost == problem.cost_of(found.partition)
    assert problem.models.admits(problem.classes(found.partition)).all()
    assert found.notes[1] == "the residue was refined by patterns of stars"
    assert (found.guarantee, found.lower_bound) == (plain.guarantee, plain.lower_bound)
