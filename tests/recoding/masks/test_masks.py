"""Masks: every one by its definition, and the laws that hold of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal.recoding.masks
from shoal.checking.masked_columns import draw_problem, form_problem, public
from shoal.checking.masked_columns import expected as worked_out
from shoal.core.discovery import discover
from shoal.core.errors import ParameterError, ShoalError, TableError
from shoal.recoding.masks.base import Mask, as_mask, spec_of
from shoal.recoding.masks.pram import Pram, transitions
from shoal.recoding.masks.rank_swapping import partners
from shoal.tables.table import Table

ROWS = 60
KINDS = discover(shoal.recoding.masks, Mask)
EXAMPLES = {
    "top": "top:share=0.2",
    "bottom": "bottom:share=0.2",
    "round": "round:50",
    "noise": "noise:share=0.3,key=one",
    "correlated-noise": "correlated-noise:share=0.3,key=one",
    "rank-swap": "rank-swap:share=0.2,key=one",
    "pram": "pram:keep=0.4,key=one",
    "shuffle": "shuffle:key=one",
    "hash": "hash:key=one",
    "date-shift": "date-shift:days=5,key=one",
}
TYPES = {"whole": pl.Int64, "decimal": pl.Float64, "word": pl.String, "day": pl.Date}
FIT = {
    **dict.fromkeys(("top", "bottom", "round", "noise", "correlated-noise"), ("whole", "decimal")),
    "rank-swap": ("whole", "decimal", "day"),
    **dict.fromkeys(("pram", "shuffle", "hash"), tuple(TYPES)),
    "date-shift": ("day",),
}
CASES = [(mask, column) for mask, columns in FIT.items() for column in columns]


def table(seed: int = 1) -> Table:
    """A table with a column of each type, some cells of which are missing."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-300, 900, ROWS).tolist()
    columns: dict[str, list[Any]] = {
        "whole": numbers,
        "decimal": [round(number / 7, 2) for number in numbers],
        "word": rng.choice(["a", "b", "c"], ROWS).tolist(),
        "day": [date(2020, 1, 1) + timedelta(days=number) for number in numbers],
    }
    holes = {
        name: [None if (i + at) % 9 == 0 else cell for i, cell in enumerate(cells)]
        for at, (name, cells) in enumerate(columns.items())
    }
    return Table.of(
        pl.DataFrame({**holes, "person": [i // 3 for i in range(ROWS)]}, schema={**TYPES, "person": pl.Int64})
    )


def masked(mask: Mask, column: str, people: Table | None = None) -> pl.Series:
    """A column of the table as a mask publishes it."""
    (made,) = mask.masked([column], people or table(), ["person"])
    return made


def expected(column: pl.Series, stated: Mapping[str, object]) -> pl.Series:
    """A column as the checker works it out."""
    found = worked_out(column, stated)
    assert found is not None
    return found


def resolved(name: str, column: str) -> Mask:
    """The example of a mask, made definite for a column."""
    return as_mask(EXAMPLES[name]).resolved(table()[column])


def test_there_is_an_example_of_every_mask() -> None:
    assert set(KINDS) == set(EXAMPLES) == set(FIT)
    assert shoal.recoding.masks.PLUGINS == "shoal.masks"


@pytest.mark.parametrize(("name", "column"), CASES)
def test_missing_values_types_and_names_stay(name: str, column: str) -> None:
    before, after = table()[column], masked(resolved(name, column), column)
    assert after.name == column
    assert after.dtype == (pl.String if name == "hash" else before.dtype)
    assert (after.is_null() == before.is_null()).all()


@pytest.mark.parametrize(("name", "column"), CASES)
def test_the_same_mask_gives_the_same_cells_and_leaves_the_table_alone(name: str, column: str) -> None:
    people, mask = table(), resolved(name, column)
    assert masked(mask, column, people).equals(masked(mask, column, people))
    assert people.frame.equals(table().frame)


@pytest.mark.parametrize(("name", "column"), CASES)
def test_the_checker_finds_no_fault_and_finds_one_in_changed_cells(name: str, column: str) -> None:
    before, mask = table()[column], resolved(name, column)
    after, stated, rows = masked(mask, column), spec_of(mask), np.arange(ROWS)
    person = table()["person"].to_numpy()
    assert not form_problem(after, public(stated))
    if mask.of_value:
        assert after.equals(expected(before, stated), null_equal=True)
    else:
        assert worked_out(before, stated) is None
        assert not draw_problem(after, before, rows, stated, person)
        assert draw_problem(after.clone().scatter(1, None), before, rows, stated, person)


@pytest.mark.parametrize(("name", "column"), [case for case in CASES if "key" in EXAMPLES[case[0]]])
def test_cells_follow_from_the_key(name: str, column: str) -> None:
    mask = resolved(name, column)
    other = as_mask({**spec_of(mask), "key": "two"})
    assert not masked(mask, column).equals(masked(other, column))
    fresh = as_mask({**spec_of(mask), "key": ""})
    assert fresh.resolved(table()[column]) != fresh.resolved(table()[column])
    assert "key" not in mask.stated


@pytest.mark.parametrize("name", KINDS)
def test_a_mask_reads_back_from_plain_data_and_from_words(name: str) -> None:
    mask = as_mask(EXAMPLES[name])
    assert as_mask(spec_of(mask)) == mask == as_mask(mask)


@pytest.mark.parametrize(
    "wrong",
    [
        "round:0",
        "round:many",
        "noise:0",
        "top",
        "top:limit=3,share=0.1",
        "top:share=0.7",
        "top:limit=3,replacement=2",
        "bottom:limit=3,replacement=4",
        "pram:1.5",
        "pram:keep=0.5,invariant=perhaps",
        "hash:4",
        "date-shift:0",
        "rank-swap:2",
        "nois:0.1",
        "noise:shar=0.1",
        7,
        {"maske": "noise"},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError):
        as_mask(wrong)


@pytest.mark.parametrize(
    ("mask", "cells"),
    [
        ("noise:0.1", ["a"]),
        ("noise:0.1", [3, 3, None]),
        ("round:10", [date(2020, 1, 1)]),
        ("round:2.5", [1, 2]),
        ("top:2.5", [1, 3]),
        ("top:share=0.01", [1, 3]),
        ("rank-swap:0.1", [1, 2, 3]),
        ("rank-swap:0.5", ["a", "b"]),
        ("pram:0.5", ["a", "a"]),
        ("date-shift:5", [1, 2]),
        ("shuffle:given=nothing", [1, 2]),
    ],
)
def test_a_column_that_a_mask_is_not_for_is_refused_without_a_cell(mask: str, cells: list[object]) -> None:
    people = Table.of(pl.DataFrame({"column": cells}))
    with pytest.raises(ShoalError) as refused:
        as_mask(mask).resolved(people["column"]).masked(["column"], people, [])
    assert isinstance(refused.value, TableError | ParameterError)
    assert "column" in str(refused.value)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30), st.integers(1, 5000))
def test_rounding_is_to_the_nearest_multiple_halves_up(numbers: list[int], multiple: int) -> None:
    found = as_mask({"mask": "round", "multiple": multiple}).masked(["x"], Table.of({"x": numbers}), [])[0].to_list()
    assert found == [int(Fraction(2 * one + multiple, 2 * multiple).__floor__()) * multiple for one in numbers]


@given(st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=30))
def test_rounding_decimal_numbers_is_that_of_the_number_as_written(numbers: list[Any]) -> None:
    column = pl.Series("x", [float(one) for one in numbers])
    mask = as_mask("round:0.05")
    found = mask.masked(["x"], Table.of({"x": column}), [])[0]
    assert found.equals(expected(column, spec_of(mask)))


@given(st.integers(2, 40), st.integers(1, 12), st.text(min_size=1, max_size=3))
def test_ranks_change_places_in_pairs_within_the_window(ranks: int, window: int, key: str) -> None:
    found = partners(ranks, window, shoal.recoding.masks.draws.Draws(key, ""))
    assert (found[found] == np.arange(ranks)).all()
    assert np.abs(found - np.arange(ranks)).max() <= window


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.floats(0, 1))
def test_invariant_chances_are_chances_and_keep_the_expected_shares(counts: list[int], keep: float) -> None:
    shares = np.array(counts) / sum(counts)
    for invariant in (False, True):
        chances = transitions(shares, Pram(keep=Fraction(keep), invariant=invariant))
        assert np.allclose(chances.sum(axis=1), 1)
        assert (chances >= 0).all()
    assert np.allclose(shares @ chances, shares)


def test_pram_changes_categories_as_often_as_it_says() -> None:
    column = pl.Series("x", ["a"] * 6000 + ["b"] * 3000 + ["c"] * 1000)
    for invariant, keep in ((False, 0.7), (True, 0.5)):
        mask = Pram(keep=keep, invariant=invariant, key="one")
        after = mask.column(column)
        chances = transitions(np.array([0.6, 0.3, 0.1]), mask)
        for row, (value, many) in enumerate((("a", 6000), ("b", 3000), ("c", 1000))):
            counts = Counter(after.filter(column == value).to_list())
            found = [counts[word] / many for word in "abc"]
            assert np.allclose(found, chances[row], atol=5 * np.sqrt(0.25 / many))


def test_noise_has_the_stated_deviation_and_correlated_noise_the_covariance() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=20_000)
    people = Table.of({"x": x, "y": 2 * x + rng.normal(size=20_000)})
    alone = as_mask("noise:share=0.5,key=one").masked(["x"], people, [])[0].to_numpy() - x
    assert abs(alone.mean()) < 0.02
    assert abs(alone.std() / x.std() - 0.5) < 0.02
    both = as_mask("correlated-noise:share=0.5,key=one").masked(["x", "y"], people, [])
    noise = np.array([after.to_numpy() - people[after.name].to_numpy() for after in both])
    before = np.cov(np.array([people["x"].to_numpy(), people["y"].to_numpy()]))
    assert np.allclose(np.cov(noise), 0.25 * before, rtol=0.05)


def test_shuffling_keeps_the_values_and_the_association_with_what_is_given() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=3000)
    people = Table.of({"x": x, "y": np.exp(x + 0.3 * rng.normal(size=3000))})
    ranks = people.frame.select(pl.corr("x", "y", method="spearman")).item()
    for mask, kept in (("shuffle:key=one", 0.0), ("shuffle:given=x,key=one", ranks)):
        (after,) = as_mask(mask).masked(["y"], people, [])
        assert after.sort().equals(people["y"].sort())
        found = pl.DataFrame([people["x"], after]).select(pl.corr("x", "y", method="spearman")).item()
        assert abs(found - kept) < 0.05


def test_dates_of_a_person_move_together_and_within_reach() -> None:
    people = table()
    frame = people.frame.with_columns(later=pl.col("day") + pl.duration(days=10))
    mask = as_mask("date-shift:days=5,key=one")
    day, later = mask.masked(["day", "later"], Table(frame), ["person"])
    assert ((later - day).drop_nulls() == timedelta(days=10)).all()
    moved = pl.DataFrame({"person": frame["person"], "by": (day - frame["day"]).dt.total_days()}).drop_nulls()
    assert moved.group_by("person").agg(pl.col("by").n_unique())["by"].max() == 1
    assert set(moved["by"].abs()) <= {1, 2, 3, 4, 5}
    assert moved["by"].n_unique() > 3


def test_a_pseudonym_is_the_keyed_hash_of_the_text() -> None:
    column = pl.Series("x", [12, 7, None, 12])
    after = as_mask("hash:length=20,key=one").masked(["x"], Table.of({"x": column}), [])[0]
    assert after.equals(expected(column, {"mask": "hash", "length": 20, "key": "one"}), null_equal=True)
    assert (after[0] == after[3], after[0] == after[1], len(after[0])) == (True, False, 20)


@pytest.mark.parametrize(
    ("stated", "cells"),
    [
        ({"mask": "top", "limit": 5}, [4, 6]),
        ({"mask": "bottom", "limit": 5, "replacement": 3}, [4, 6]),
        ({"mask": "round", "multiple": "0.5"}, [1.5, 1.7]),
        ({"mask": "hash", "length": 8}, ["0123abcd", "0123ABCD"]),
    ],
)
def test_cells_that_a_mask_never_gives_are_found_without_the_original(stated: dict[str, Any], cells: list[Any]) -> None:
    assert form_problem(pl.Series("x", cells), stated).startswith("1 cell of 'x' is none that the mask")


@pytest.mark.parametrize(
    ("stated", "before", "after"),
    [
        ({"mask": "noise", "share": "0.1"}, [1.0, 2.0, 3.0], [1.0, 2.0, 30.0]),
        ({"mask": "rank-swap", "share": "0.2"}, [1, 2, 3, 4, 5], [5, 2, 3, 4, 1]),
        ({"mask": "shuffle"}, [1, 2, 3], [1, 2, 2]),
        ({"mask": "pram", "keep": "0.5"}, ["a", "b"], ["a", "c"]),
        ({"mask": "date-shift", "days": 3}, [date(2020, 1, 1), date(2020, 1, 1)], [date(2020, 1, 1), date(2020, 1, 3)]),
        ({"mask": "date-shift", "days": 3}, [date(2020, 1, 1), date(2020, 1, 1)], [date(2020, 1, 2), date(2020, 1, 3)]),
        ({"mask": "date-shift", "days": 3}, [date(2020, 1, 1), date(2020, 1, 1)], [date(2020, 1, 9), date(2020, 1, 9)]),
        ({"mask": "unknown"}, [1, None], [None, 1]),
        ({"mask": "noise", "share": "0.1"}, [1, 2], [1.0, 2.0]),
    ],
)
def test_cells_that_a_mask_cannot_have_drawn_are_found(
    stated: dict[str, Any], before: list[Any], after: list[Any]
) -> None:
    columns = pl.Series("x", after), pl.Series("x", before)
    assert draw_problem(*columns, np.arange(len(before)), stated, np.zeros(len(before), dtype=np.int64))
