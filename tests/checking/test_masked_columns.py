"""Masked cells at the edges of what their masks give, and just beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.checking.masked_columns import draw_problem, expected, form_problem

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
