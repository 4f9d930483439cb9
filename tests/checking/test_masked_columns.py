"""Masked cells at the edges of what their masks give, and just beyond."""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.checking.masked_columns import draw_problem, expected, form_problem, public

TOP = {"mask": "top", "limit": 100, "replacement": 105}
BOTTOM = {"mask": "bottom", "limit": 10, "replacement": 5}


def wrong(published: pl.Series, original: pl.Series, stated: dict[str, Any]) -> int:
    """How many cells cannot have been drawn."""
    said = draw_problem(published, original, np.arange(len(original)), stated, None)
    return int(said.split()[0]) if said else 0


@pytest.mark.parametrize(("stated", "limit"), [(TOP, 100), (BOTTOM, 10)])
def test_a_value_at_the_limit_is_not_beyond_it(stated: dict[str, Any], limit: int) -> None:
    column = pl.Series("income", [limit, stated["replacement"]])
    assert form_problem(column, stated) == ""
    made = expected(column, stated)
    assert made is not None
    assert made.to_list() == [limit, stated["replacement"]]


def test_multiples_of_a_decimal_fraction_are_told_but_for_rounding() -> None:
    assert form_problem(pl.Series("height", [0.3, 0.7, 1e6 + 0.1]), {"mask": "round", "multiple": "0.1"}) == ""
    assert form_problem(pl.Series("height", [0.3001]), {"mask": "round", "multiple": "0.1"}) != ""


@pytest.mark.parametrize(("moved", "count"), [(0.0, 0), (0.5, 0), (0.75, 1)])
def test_noise_of_nothing_moves_by_a_rounding_at_most(moved: float, count: int) -> None:
    original = pl.Series("height", [5.0, 5.0])
    assert wrong(pl.Series("height", [5.0 + moved, 5.0]), original, {"mask": "noise", "share": "0.1"}) == count


SWAP = {"mask": "rank-swap", "share": "0.2"}
"""Of ten values: by two ranks at most."""


@pytest.mark.parametrize(
    ("published", "count"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0),
        ([2, 1, 0, 3, 4, 5, 6, 7, 8, 9], 0),
        ([3, 1, 2, 0, 4, 5, 6, 7, 8, 9], 2),
        ([0, 0, 2, 3, 4, 5, 6, 7, 8, 9], 1),
        ([3, 3, 2, 0, 4, 5, 6, 7, 8, 9], 3),
    ],
)
def test_values_are_swapped_with_near_ranks_alone_and_each_once(published: list[int], count: int) -> None:
    assert wrong(pl.Series("pay", published), pl.Series("pay", range(10)), SWAP) == count


def test_values_that_may_not_move_are_near_themselves() -> None:
    column = pl.Series("pay", [1, 1, 2])
    assert wrong(column, column, {"mask": "rank-swap", "share": "0.1"}) == 0


@pytest.mark.parametrize(
    ("published", "count"),
    [
        (["flu", "gout", "gout"], 0),
        (["gout", "flu", "gout"], 0),
        (["flu", "flu", "gout"], 1),
        (["flu", "gout", "cold"], 1),
        (["cold", "cold", "ague"], 3),
    ],
)
def test_a_shuffle_shows_no_value_more_often_than_the_original(published: list[str], count: int) -> None:
    assert (
        wrong(pl.Series("illness", published), pl.Series("illness", ["flu", "gout", "gout"]), {"mask": "shuffle"})
        == count
    )


# --- each mask by its definition ---


@pytest.mark.parametrize(
    ("stated", "cells", "count"),
    [
        ({"mask": "top", "limit": 100}, [100, 101, 99, None], 1),
        (TOP, [100, 105, 106, 101, 99], 2),
        ({"mask": "bottom", "limit": 10}, [10, 9, 11, None], 1),
        (BOTTOM, [10, 5, 4, 9, 11], 2),
        ({"mask": "round", "multiple": 5}, [0, 5, 10, 7, -3, -5], 2),
        ({"mask": "round", "multiple": "0.5"}, [0.5, 1.0, 0.75, -1.5, 1e7 + 0.5], 1),
        ({"mask": "round", "multiple": 5}, [5.0, 2.0, None], 1),
        ({"mask": "round", "multiple": "0.1"}, [3e8 + 0.03, 0.3], 0),
        ({"mask": "round", "multiple": "0.1"}, [3e5 + 0.03, 0.3], 1),
        ({"mask": "round", "multiple": 1}, [float("inf"), float("nan"), 2.0], 2),
        ({"mask": "hash", "length": 4}, ["00af", "00AF", "00a", "00af0", "zzzz", None], 4),
        ({"mask": "of my own"}, [1, 2], 0),
    ],
)
def test_cells_that_a_mask_never_gives_are_counted(stated: dict[str, Any], cells: list[Any], count: int) -> None:
    said = form_problem(pl.Series("income", cells, strict=False), stated)
    verb = {0: "", 1: "1 cell of 'income' is none"}.get(count, f"{count} cells of 'income' are none")
    assert said == (verb and f"{verb} that the mask {stated['mask']} gives")


def hashed(text: str) -> str:
    """The first characters of the keyed hash."""
    return hmac.new(b"secret", text.encode(), "sha256").hexdigest()[:6]


@pytest.mark.parametrize(
    ("stated", "cells", "made"),
    [
        ({"mask": "top", "limit": 100}, [99, 100, 101, None], [99, 100, 100, None]),
        ({"mask": "top", "limit": "1.5", "replacement": "2.5"}, [1.5, 1.6, None], [1.5, 2.5, None]),
        ({"mask": "bottom", "limit": 10}, [9, 10, 11, None], [10, 10, 11, None]),
        ({"mask": "round", "multiple": 10}, [4, 5, 14, 15, -5, -6, None], [0, 10, 10, 20, 0, -10, None]),
        ({"mask": "round", "multiple": "0.1"}, [0.25, 0.04, 0.15, None], [0.3, 0.0, 0.2, None]),
        ({"mask": "hash", "length": 6, "key": "secret"}, ["a", "b", None], [hashed("a"), hashed("b"), None]),
        ({"mask": "hash", "length": 6, "key": "secret"}, [12, None], [hashed("12"), None]),
    ],
)
def test_cells_that_follow_from_what_they_hide_are_worked_out(stated: Any, cells: list[Any], made: list[Any]) -> None:
    original = pl.Series("income", cells)
    found = expected(original, stated)
    assert found is not None
    assert (found.to_list(), found.name) == (made, "income")
    assert found.dtype == (pl.String if stated["mask"] == "hash" else original.dtype)


@pytest.mark.parametrize("stated", [{"mask": "hash", "length": 6}, {"mask": "noise", "share": "1", "key": "x"}])
def test_cells_that_are_drawn_or_need_an_unknown_key_are_not_worked_out(stated: dict[str, Any]) -> None:
    assert expected(pl.Series("income", [1, 2]), stated) is None


def test_all_is_published_of_a_mask_but_its_key() -> None:
    assert public({"mask": "hash", "length": 6, "key": "secret"}) == {"mask": "hash", "length": 6}


@pytest.mark.parametrize(
    ("share", "moved", "count"), [("0.5", 9.5, 0), ("0.5", 9.6, 1), ("0.25", 5.0, 0), ("0.25", -5.1, 1), ("0", 0.5, 0)]
)
def test_noise_moves_by_nine_deviations_of_its_own_at_most(share: str, moved: float, count: int) -> None:
    """The numbers have deviation 2; that of the noise is a share of it."""
    original = pl.Series("height", [0.0, 2.0, 4.0])
    assert wrong(pl.Series("height", [0.0, 2.0 + moved, 4.0]), original, {"mask": "noise", "share": share}) == count


def test_of_one_number_the_noise_is_none() -> None:
    assert wrong(pl.Series("height", [6.0]), pl.Series("height", [5.0]), {"mask": "noise", "share": "1"}) == 1


@pytest.mark.parametrize(
    ("published", "count"), [(["flu", "flu", None], 0), (["flu", "cold", None], 1), (["cold", "ague", None], 2)]
)
def test_categories_are_changed_for_others_of_the_column(published: list[Any], count: int) -> None:
    original = pl.Series("illness", ["flu", "gout", None])
    assert wrong(pl.Series("illness", published), original, {"mask": "pram"}) == count


@pytest.mark.parametrize(
    ("mask", "published", "said"),
    [
        ("pram", ["flu", None, "flu"], "cells of 'illness' are missing that were not, or the other way round"),
        ("pram", ["flu", "flu", "flu"], "cells of 'illness' are missing that were not, or the other way round"),
        ("shuffle", [1, 2, None], "'illness' has another type than the original"),
        ("of my own", [1, 2, None], ""),
        ("pram", ["flu", "gout", None], ""),
    ],
)
def test_a_missing_value_stays_and_no_other_cell_becomes_one(mask: str, published: list[Any], said: str) -> None:
    original = pl.Series("illness", ["flu", "gout", None])
    assert draw_problem(pl.Series("illness", published), original, np.arange(3), {"mask": mask}, None) == said


def moved_days(original: list[Any], rows: list[int], person: list[int] | None, shifts: list[Any]) -> int:
    """How many published days cannot have been moved: the rows, in their order, by these shifts."""
    column = pl.Series("day", original, dtype=pl.Datetime("us"))
    cells = [None if original[row] is None else original[row] + by for row, by in zip(rows, shifts, strict=True)]
    shown, whose = pl.Series("day", cells, dtype=pl.Datetime("us")), None if person is None else np.array(person)
    said = draw_problem(shown, column, np.array(rows), {"mask": "date-shift", "days": 5}, whose)
    return int(said.split()[0]) if said else 0


@pytest.mark.parametrize(
    ("rows", "person", "shifts", "count"),
    [
        ([0, 1, 3], None, [1, -5, 5], 0),
        ([0, 1, 3], None, [0, -6, 6], 3),
        ([3, 0, 1], None, [0.5, 1, 1], 1),
        ([3, 0, 1], [7, 8, 9, 8], [2, 3, 2], 0),
        ([3, 0, 1], [7, 7, 9, 8], [2, 3, 2], 1),
        ([2, 3, 0, 1], [8, 7, 9, 7], [0, 2, 2, 1], 1),
        ([2, 3, 0, 1], [8, 9, 9, 8], [0, 2, 2, 1], 0),
        ([2, 3, 0, 1], [7, 7, 7, 7], [0, 2, 2, 2], 0),
    ],
)
def test_days_of_a_person_move_together_whichever_rows_are_published(
    rows: list[int], person: list[int] | None, shifts: list[float], count: int
) -> None:
    """The third row has no day."""
    first = datetime(2020, 1, 1, 12)
    days = [first, first + timedelta(days=1), None, first + timedelta(days=9)]
    by = [timedelta(days=shift) for shift in shifts]
    assert moved_days(days, rows, person, by) == count
