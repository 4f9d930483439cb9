"""Centroids are those of the rows of their class, worked by hand: means, lower medians and commonest values."""

from __future__ import annotations

from datetime import date
from random import Random
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
    [
        ([10], [0.0], 1),
        ([10], [0.1], 0),
        ([10], [10.0], 0),
        ([None], [10.0], 1),
        (["many"], [10.0], 1),
        ([10], [15.0], 0),
        ([20], [15.0], 0),
        ([20], [25.0], 0),
        ([10], [15.1], 1),
        ([20], [14.9], 1),
        ([30], [19.0], 1),
        ([20], [5.0], 1),
        ([0], [3.0], 1),
        ([-10], [-10.0], 1),
        ([10, 10, 20], [4.0, -4.0, 40.0], 2),
    ],
)
def test_a_weight_that_is_missing_or_made_up_is_wrongly_rounded(
    published: list[Any], original: list[float], count: int
) -> None:
    assert wrongly_rounded(pl.Series(published), pl.Series(original), 10) == count


# --- random tables, in plain Python ---

KINDS: dict[str, list[Any]] = {
    "number": [0, 1, 2.5, 9, None],
    "day": [*DAYS[:4], None],
    "word": ["ague", "cold", "flu", None],
    "flag": [False, True, None],
}


def centroid(values: list[Any], kind: str) -> Any:
    """The mean, the lower median or the commonest of some values, as the definition says."""
    known = sorted(one for one in values if one is not None)
    if kind in ("word", "flag"):
        order = [*sorted(set(known)), None]
        return min(order, key=lambda one: (-values.count(one), order.index(one)))
    if 2 * len(known) < len(values):
        return None
    return sum(known) / len(known) if kind == "number" else known[(len(known) - 1) // 2]


def test_of_random_classes_those_rows_are_wrong_that_show_another_cell() -> None:
    """Classes are made of rows with equal cells, after some cells were changed."""
    random, seen = Random(1), set[bool]()
    for _ in range(60):
        size = random.randint(2, 9)
        original = {kind: [random.choice(pool) for _ in range(size)] for kind, pool in KINDS.items()}
        rows = random.sample(range(size), random.randint(1, size))
        label = {row: random.randrange(2) for row in rows}
        shown: dict[str, list[Any]] = {}
        for kind, values in original.items():
            own = {at: [values[row] for row in rows if label[row] == at] for at in set(label.values())}
            cells = {at: centroid(some, kind) for at, some in own.items()}
            if random.random() < 0.15:
                cells = {at: random.choice(KINDS[kind]) for at in own}
            shown[kind] = [cells[label[row]] for row in rows]
        kinds = {"number": pl.Float64, "day": pl.Date, "word": pl.String, "flag": pl.Boolean}
        published, hidden = (pl.DataFrame(some, schema=kinds) for some in (shown, original))
        together: dict[Any, list[int]] = {}
        for place, cells_of_row in enumerate(published.rows()):
            together.setdefault(cells_of_row, []).append(place)
        wrong_rows = {
            place
            for places in together.values()
            for kind in KINDS
            for expected in [centroid([original[kind][rows[one]] for one in places], kind)]
            for place in places
            if (shown[kind][place] is None) != (expected is None)
            or (expected is not None and not _same(shown[kind][place], expected))
        }
        found = wrong_centroids(published, hidden, pl.Series(rows), list(KINDS), list(KINDS))
        assert found == len(wrong_rows)
        only = wrong_centroids(published, hidden, pl.Series(rows), list(KINDS), ["word"])
        assert only <= found
        seen.add(found > 0)
    assert seen == {False, True}


def _same(shown: Any, expected: Any) -> bool:
    return bool(shown == pytest.approx(expected) if isinstance(expected, float) else shown == expected)


@pytest.mark.parametrize(("published", "original", "count"), [([1], [0.7], 0), ([1], [1.5], 0), ([2], [1.4], 1)])
def test_weights_may_be_whole_numbers(published: list[int], original: list[float], count: int) -> None:
    assert wrongly_rounded(pl.Series(published), pl.Series(original), 1) == count
