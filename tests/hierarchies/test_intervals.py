from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Hierarchy, Intervals


def label_of(hierarchy: Hierarchy, level: int, position: int) -> str | None:
    return hierarchy.labels[level][int(hierarchy.up[level, position])]


def test_open_blocks_beyond_the_outer_edges() -> None:
    hierarchy = Intervals(edges=((20, 30, 70), (20, 70))).build(pl.Series([19, 20, 29, 30, 69, 70, None]))
    assert hierarchy.labels[1] == ("< 20", "[20, 30)", "[30, 70)", ">= 70", None)
    assert hierarchy.labels[2] == ("< 20", "[20, 70)", ">= 70", None)


def test_one_tuple_of_edges_is_one_level() -> None:
    assert Intervals(edges=(0, 18)) == Intervals(edges=((0, 18),)) == Intervals(edges="0,18") == Intervals((0.0, "18"))


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, pl.Decimal(10, 2), pl.String])
def test_tenths_lie_where_their_text_says(dtype: pl.DataType) -> None:
    values = pl.Series([f"{n / 10}" for n in range(10)]).cast(dtype)
    hierarchy = Intervals(width=("0.1", 1)).build(values)
    assert len(hierarchy.labels[1]) == 10
    assert label_of(hierarchy, 1, 3) == "[0.3, 0.4)"
    assert label_of(hierarchy, 2, 3) == "[0, 1)"


def test_negative_numbers_and_an_origin() -> None:
    hierarchy = Intervals(width=10, origin=5).build(pl.Series([-6, -5, 4, 5]))
    assert hierarchy.labels[1] == ("[-15, -5)", "[-5, 5)", "[5, 15)")


def test_huge_whole_numbers_are_not_rounded() -> None:
    values = pl.Series([2**63 - 2, 2**63 - 1], dtype=pl.Int64)
    assert Intervals(width=1).build(values).labels[1][1] == f"[{2**63 - 1}, {2**63})"
    assert Intervals(edges=(2**63 - 1,)).build(values).labels[1] == (f"< {2**63 - 1}", f">= {2**63 - 1}")


def test_bins_keep_neighbours_together() -> None:
    hierarchy = Intervals(bins=(4, 2)).build(pl.Series(range(8)))
    assert hierarchy.labels[1:3] == (("< 2", "[2, 4)", "[4, 6)", ">= 6"), ("< 4", ">= 4"))


@pytest.mark.parametrize("counts", [None, np.array([9, 1, 1, 5, 1, 1, 3, 1])])
def test_more_bins_than_rows_are_a_bin_a_value(counts: Ints | None) -> None:
    values = pl.Series(range(8))
    least = Intervals(bins=22).build(values, counts).labels
    assert Intervals(bins=10**12).build(values, counts).labels == least
    assert len(least[1]) == 8


def test_bins_that_do_not_divide_are_nested_all_the_same() -> None:
    assert [len(level) for level in Intervals(bins=(7, 5, 3, 2)).build(pl.Series(range(100))).labels] == [
        100,
        7,
        5,
        3,
        2,
        1,
    ]


def test_more_bins_than_values_and_a_column_of_one_value() -> None:
    assert [len(level) for level in Intervals(bins=(16, 4)).build(pl.Series([1, 2, 3])).labels] == [3, 3, 1]
    assert Intervals(bins=4).build(pl.Series([5])).labels == (("5",), ("*",))


@pytest.mark.parametrize("builder", [Intervals(width=5), Intervals(bins=2), Intervals(edges=(1, 2))])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_a_column_of_missing_values_only(builder: Intervals, dtype: pl.DataType) -> None:
    assert builder.build(pl.Series([None], dtype=dtype)).labels[0] == (None,)


def test_text_that_is_sorted_as_text() -> None:
    hierarchy = Intervals(edges=(5, 50)).build(pl.Series(["10", "100", "2", "7.5"]))
    assert [label_of(hierarchy, 1, i) for i in range(4)] == ["[5, 50)", ">= 50", "< 5", "[5, 50)"]


def test_weeks_begin_on_monday() -> None:
    values = pl.Series([date(2024, 3, 10), date(2024, 3, 11)])
    assert Intervals(width=7).build(values).labels[1] == (
        "[2024-03-04, 2024-03-11)",
        "[2024-03-11, 2024-03-18)",
    )


def test_dates_at_the_ends_of_the_calendar() -> None:
    labels = Intervals(width=7).build(pl.Series([date(1, 1, 1), date(9999, 12, 31)])).labels[1]
    assert labels == ("[0001-01-01, 0001-01-08)", "[9999-12-27, +10000-01-03)")


def test_edges_as_dates_or_texts() -> None:
    values = pl.Series([date(1899, 12, 31), date(1900, 1, 1)])
    assert (
        Intervals(edges=(date(1900, 1, 1),)) == Intervals(edges="1900-01-01") == Intervals(edges=[datetime(1900, 1, 1)])
    )
    assert Intervals(edges="1900-01-01").build(values).labels[1] == ("< 1900-01-01", ">= 1900-01-01")


def test_half_days_of_moments_in_their_time_zone() -> None:
    values = pl.Series([datetime(2024, 3, 7, 11, 59), datetime(2024, 3, 7, 12)]).dt.replace_time_zone(
        "Europe/Stockholm"
    )
    labels = Intervals(width="0.5", origin="2024-01-01").build(values).labels[1]
    assert labels == ("[2024-03-07, 2024-03-07 12:00:00)", "[2024-03-07 12:00:00, 2024-03-08)")


def test_parameters_are_exact_and_hashable() -> None:
    builder = Intervals(width=[0.1, Decimal("0.5")])
    assert builder.width == (Fraction(1, 10), Fraction(1, 2))
    assert hash(builder) == hash(Intervals(width="0.1,1/2"))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"width": 5, "bins": 4},
        {"width": 0},
        {"width": "x"},
        {"width": True},
        {"bins": 1},
        {"bins": 2.5},
        {"bins": (4, 4)},
        {"bins": (4, 8)},
        {"edges": (3, 2)},
        {"edges": (2, 2)},
        {"edges": "2,,3"},
        {"edges": "1,2/"},
        {"edges": ((1, 2), ())},
        {"edges": (1, "2024-01-01")},
        {"edges": ("2024-01-01T00:00+01:00",)},
        {"edges": (1, float("nan"))},
        {"bins": 4, "origin": 3},
    ],
)
def test_refused_parameters(parameters: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=r"^intervals: "):
        Intervals(**parameters)


@pytest.mark.parametrize(
    "parameters", [{"edges": ((0, 10), (5,))}, {"width": (10, 15)}, {"width": (10, 10)}, {"width": (10, 5)}]
)
def test_levels_that_are_not_nested_are_named(parameters: dict[str, object]) -> None:
    with pytest.raises(HierarchyError, match="level 2"):
        Intervals(**parameters)


@pytest.mark.parametrize(
    ("builder", "values"),
    [
        (Intervals(width=5), pl.Series(["1", "secret"])),
        (Intervals(width=5), pl.Series(["1", "1e999999999"])),
        (Intervals(width=5), pl.Series([True, False])),
        (Intervals(width=5), pl.Series([1.0, float("nan")])),
        (Intervals(edges=(5,)), pl.Series([date(2024, 1, 1)])),
        (Intervals(width=5, origin=3), pl.Series([date(2024, 1, 1)])),
        (Intervals(edges="2024-01-01"), pl.Series([2024])),
    ],
)
def test_refused_columns(builder: Intervals, values: pl.Series) -> None:
    with pytest.raises(HierarchyError) as caught:
        builder.build(values)
    assert "secret" not in str(caught.value)


def test_levels_of_equal_edges_are_one() -> None:
    crowded = Intervals(bins=(8, 4, 2)).build(pl.Series([0, 1, 2]), np.array([98, 1, 1]))
    assert crowded.labels == (("0", "1", "2"), ("< 1", ">= 1"), ("*",))


def test_edges_of_bins_have_no_more_digits_than_they_need() -> None:
    values = pl.Series([10.123, 26.61451, 55.61985, 83.30744])
    assert Intervals(bins=2).build(values).labels[1] == ("< 50", ">= 50")
    assert Intervals(bins=2).resolved(values) == Intervals(edges=50)


def test_a_text_among_numbers_stays() -> None:
    values = pl.Series(["1", "7", "12", "unknown", None])
    assert Intervals(width=10).build(values).labels[1] == ("[0, 10)", "[10, 20)", "unknown", None)
    rows = np.array([1, 1, 2, 96, 0])
    assert Intervals(bins=2).build(values, rows).labels[1] == ("< 10", ">= 10", "unknown", None)
