"""Centroids are those of the rows of their class, worked by hand: means, lower medians and commonest values."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.checking.centroid_check import wrong_centroids
from shoal.checking.centroid_cost import _cells, _middle
from shoal.checking.rounded_weights import wrongly_rounded
from shoal.tables.encoded_column import Coded

DAYS = [date(2020, 1, day) for day in range(1, 10)]


def wrong(original: list[Any], shown: Any, dtype: Any = None) -> int:
    """How many rows of one class show another cell than the centroid of these values."""
    column = pl.Series("value", original, dtype=dtype)
    cells = pl.DataFrame({"value": pl.Series([shown] * len(column), dtype=None if shown is not None else column.dtype)})
    return wrong_centroids(cells, pl.DataFrame([column]), pl.Series(range(len(column))), ["value"], ["value"])


@pytest.mark.parametrize(
    ("original", "shown"),
    [
        ([1, 2, 6], 3.0),
        ([0, 0], 0.0),
        ([0.1, 0.2, 0.3, 0.7], 0.325),
        ([0.1, 0.2, 0.3], 0.2),
        ([1, 3, None], 2.0),
        ([1, None, None], None),
        ([DAYS[0], DAYS[0], DAYS[4], DAYS[5], DAYS[8]], DAYS[4]),
        ([DAYS[0], DAYS[1], DAYS[4], DAYS[5]], DAYS[1]),
        ([DAYS[0], None, None], None),
        ([True, False, True, True, False], True),
        ([True, False], False),
        (["flu", "cold", "gout", "gout"], "gout"),
        (["gout", "flu"], "flu"),
        (["flu", None, None], None),
    ],
)
def test_each_column_shows_its_centroid_and_nothing_else(original: list[Any], shown: Any) -> None:
    assert wrong(original, shown) == 0


@pytest.mark.parametrize(
    ("original", "shown"),
    [
        ([1, 2, 6], 2.0),
        ([1, 2, 6], 3.0 + 1e-6),
        ([1, 2, 6], None),
        ([1, 2, 6], "three"),
        ([1, None, None], 1.0),
        ([DAYS[0], DAYS[0], DAYS[4], DAYS[5], DAYS[8]], DAYS[0]),
        ([DAYS[0], DAYS[1], DAYS[4], DAYS[5]], DAYS[4]),
        ([DAYS[0], DAYS[1]], None),
        ([True, False, True, True, False], False),
        (["flu", "cold", "gout", "gout"], "flu"),
        (["gout", "flu"], "gout"),
        (["flu", None, None], "flu"),
    ],
)
def test_another_cell_is_wrong_in_every_row_of_the_class(original: list[Any], shown: Any) -> None:
    assert wrong(original, shown) == len(original)


def test_a_class_of_missing_days_shows_none() -> None:
    assert wrong([None, None], None, pl.Date) == 0


def test_without_a_column_of_centroids_none_is_wrong() -> None:
    table = pl.DataFrame({"age": [1, 2]})
    assert wrong_centroids(table, table, pl.Series([0, 1]), ["age"], []) == 0


def test_a_cell_that_is_no_number_lies_nowhere() -> None:
    column = Coded.of(pl.Series("pay", [1.0, 2.0]))
    assert str(_cells(column, pl.Series("pay", ["much", "2"]), True).tolist()) == "[nan, 2.0]"


def test_a_column_without_a_known_value_has_no_middle() -> None:
    assert np.isnan(_middle(Coded.of(pl.Series("pay", [None, None], dtype=pl.Float64)), True)).tolist() == [True]


@pytest.mark.parametrize(
    ("published", "original", "count"),
    [([10], [0.0], 1), ([10], [0.1], 0), ([10], [10.0], 0), ([None], [10.0], 1), (["many"], [10.0], 1)],
)
def test_a_weight_that_is_missing_or_made_up_is_wrongly_rounded(
    published: list[Any], original: list[float], count: int
) -> None:
    assert wrongly_rounded(pl.Series(published), pl.Series(original), 10) == count
