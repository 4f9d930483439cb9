from datetime import date, datetime

import polars as pl
import pytest

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Dates


def test_all_levels_of_days() -> None:
    hierarchy = Dates().build(pl.Series([date(1789, 7, 14), date(2024, 3, 7), None]))
    assert hierarchy.labels == (
        ("1789-07-14", "2024-03-07", None),
        ("1789-07", "2024-03", None),
        ("1789-Q3", "2024-Q1", None),
        ("1789", "2024", None),
        ("1780s", "2020s", None),
        ("*",),
    )


def test_the_day_is_a_level_above_a_moment() -> None:
    values = pl.Series([datetime(2024, 3, 7, 10), datetime(2024, 3, 7, 11)])
    assert Dates("day,year").build(values).labels[1:] == (("2024-03-07",), ("2024",), ("*",))
    assert Dates("day").build(pl.Series(["2024-03-07T10:00", "2024-03-07 11:30:00.5"])).labels[1] == ("2024-03-07",)


def test_moments_count_in_their_own_time_zone() -> None:
    moments = (
        pl.Series([datetime(2023, 12, 31, 23, 30)]).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Paris")
    )
    assert Dates("year").build(moments).labels[1] == ("2024",)


def test_quarters_end_where_months_do() -> None:
    quarters = Dates("quarter").build(pl.Series([date(2023, month, 1) for month in range(1, 13)]))
    assert quarters.up[1].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_text_of_iso_dates_and_only_missing_values() -> None:
    assert Dates(("day", "year")).build(pl.Series(["0999-01-01"])).labels == (
        ("0999-01-01",),
        ("0999",),
        ("*",),
    )
    assert Dates().build(pl.Series([None], dtype=pl.Date)).labels[0] == (None,)


def test_years_beyond_four_digits() -> None:
    values = pl.Series([2_932_897]).cast(pl.Int32).cast(pl.Date)
    assert Dates("month,decade").build(values).labels[1:3] == (("10000-01",), ("10000s",))


@pytest.mark.parametrize("levels", ["", "year,month", "month,month", "yaer", 3])
def test_refused_levels(levels: object) -> None:
    with pytest.raises(ParameterError, match="dates: "):
        Dates(levels)


def test_weeks_are_refused_with_the_reason() -> None:
    with pytest.raises(ParameterError, match="weeks cut through months"):
        Dates("week")


def test_texts_that_are_no_dates_are_counted_and_not_shown() -> None:
    with pytest.raises(HierarchyError, match="2 of 3 values are not dates") as caught:
        Dates().build(pl.Series(["2024-02-30", "2024-03-07", "secret"]))
    assert "secret" not in str(caught.value)
    assert "02-30" not in str(caught.value)


def test_numbers_are_no_dates() -> None:
    with pytest.raises(HierarchyError, match="a column of Int64"):
        Dates().build(pl.Series([2024]))
