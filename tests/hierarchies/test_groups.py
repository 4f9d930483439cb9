"""Values that are grouped by what they have in common: words, frequency, neighbours in an order."""

import numpy as np
import polars as pl
import pytest

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Automatic, Bands, Builder, Common, Dates, StarsOnly, Words, as_builder, spec_of


def test_rare_values_are_joined_level_by_level() -> None:
    values, rows = pl.Series(list("abcdefg")), np.array([600, 250, 100, 30, 10, 5, 5])
    assert Common().build(values, rows).labels[1:] == (
        ("a", "b", "c", "d", "e", "other: 2 values"),
        ("a", "b", "c", "other: 4 values"),
        ("a", "b", "other: 5 values"),
        ("*",),
    )


def test_values_of_equal_frequency_are_never_parted() -> None:
    values = pl.Series([f"v{number}" for number in range(50)]).sort()
    assert Automatic().chosen(values, np.full(50, 7)) == StarsOnly()
    assert Common("0.5").resolved(pl.Series(["a", "b"]), np.array([9, 1])) == StarsOnly()


def test_the_missing_value_stays_a_block_of_its_own() -> None:
    values, rows = pl.Series(["a", "b", "c", None]), np.array([90, 5, 5, 900])
    assert Common().build(values, rows).labels[1] == ("a", "other: 2 values", None)


def test_words_at_either_end_are_shared() -> None:
    rooms = pl.Series(["Entire home", "Hotel room", "Private room", "Shared room"])
    assert Automatic().chosen(rooms) == Words()
    assert Words().build(rooms).labels[1] == ("Entire home", "ends with room")
    work = pl.Series(["Federal-gov", "Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "Without-pay"])
    built = Words().build(work, np.array([3, 6, 75, 4, 8, 4]))
    assert built.labels[1:] == (
        ("ends with gov", "Private", "begins with Self-emp", "Without-pay"),
        ("other: 5 values", "Private"),
        ("*",),
    )


def test_words_that_say_nothing_are_not_shared() -> None:
    values = pl.Series(["Manager II", "Nurse II", "Other reasons", "Other staff", "Room 1", "Ward 1"])
    assert Words.fitting(values) is None
    assert Words.fitting(pl.Series(["Grade A", "Grade B", "Grade C"])) is None  # all in one group


def test_a_value_is_in_the_larger_of_two_groups() -> None:
    values = pl.Series(["Blue car", "Blue sky", "Red car", "Tan car"])
    assert Words().build(values).labels[1] == ("ends with car", "Blue sky")


@pytest.mark.parametrize(
    ("cells", "level"),
    [
        (["[0-10)", "[10-20)", "[20-30)", "[30-40)"], ("[0-20)", "[20-40)")),
        (["18-24", "25-34", "35+", "<18"], ("<18 to 18-24", "25-34 to 35+")),
        (["$0 - $9,999", "$10,000 - $19,999", "$20,000 - $29,999"], ("$0 - $19,999", "$20,000 - $29,999")),
        (["(-1,0]", "(0,1]", "(1,5]"], ("(-1,1]", "(1,5]")),
        (
            ["0 to 4 years", "5 to 9 years", "10 years and over", "unknown"],
            ("0 to 9 years", "10 years and over", "unknown"),
        ),
        (["1", "2-3", "4-6", "over 6"], ("1 to 2-3", "4-6 to over 6")),
    ],
)
def test_bands_are_joined_with_their_neighbours(cells: list[str], level: tuple[str, ...]) -> None:
    values = pl.Series(cells).sort()
    assert Automatic().chosen(values) == Bands()
    assert set(Bands().build(values).labels[1]) == set(level)


@pytest.mark.parametrize(
    "cells",
    [
        ["10-20", "15-25", "25-30"],
        ["555-1234", "555-1299", "556-0000"],
        ["1", "2", "3"],
        ["2023-24", "2024-25", "2025-26"],
    ],
)
def test_texts_that_are_no_bands(cells: list[str]) -> None:
    assert Bands.fitting(pl.Series(cells)) is None


def test_declared_categories_are_joined_in_their_order() -> None:
    pain = pl.Series(["low", "mid", "high", "worst"], dtype=pl.Enum(["low", "mid", "high", "worst"]))
    assert Automatic().chosen(pain) == Bands()
    assert Bands().build(pain).labels[1:] == (("low to mid", "high to worst"), ("*",))


@pytest.mark.parametrize(
    ("cells", "months"),
    [
        (["07.03.2024", "7.4.2024"], ("2024-03", "2024-04")),
        (["31/01/2024", "01/02/2024"], ("2024-02", "2024-01")),
        (["12/31/2023", "01/02/2024"], ("2024-01", "2023-12")),
        (["31-01-2024", "01-02-2024 10:15"], ("2024-02", "2024-01")),
    ],
)
def test_dates_of_other_forms(cells: list[str], months: tuple[str, ...]) -> None:
    values = pl.Series(cells).sort()
    chosen = Automatic().resolved(values)
    assert isinstance(chosen, Dates)
    assert set(chosen.build(values).labels[1]) == set(months)
    assert chosen.build(values[:1]).labels[1][0] in months


def test_dates_that_could_be_either_form_are_no_dates_unless_it_is_said() -> None:
    values = pl.Series(["01/02/2024", "03/04/2024"])
    assert not isinstance(Automatic().chosen(values), Dates)
    with pytest.raises(HierarchyError, match="2 of 2 values are not dates"):
        Dates().build(values)
    assert as_builder("dates:month,form=mdy").build(values).labels[1] == ("2024-01", "2024-03")
    with pytest.raises(ParameterError, match="dates: form is 'ymd'"):
        Dates(form="ymd")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("common:shares=0.05,0.01", "the shares do not increase"),
        ({"builder": "common", "keep": [["a"], ["b"]], "others": [2, 3]}, "the levels are not ordered"),
        ({"builder": "common", "keep": [["a"]]}, "keep has 1 levels and others has 0 numbers"),
        ({"builder": "words", "groups": ["has gov"]}, "words: a group is 'has gov'"),
    ],
)
def test_parameters_that_make_no_hierarchy(words: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        as_builder(words)


@pytest.mark.parametrize(
    "builder",
    [
        Common(keep=[["a", "b"], ["a"]], others=[3, 4]),
        Words(["ends with gov", "begins with Self-emp"], keep=[["Private"]], others=[4]),
        Bands(["<18", "18-64", "65+"]),
        Dates("month,year", "dmy"),
    ],
)
def test_builders_with_nothing_left_to_the_data_read_back(builder: Builder) -> None:
    assert as_builder(spec_of(builder)) == builder
    assert builder.resolved(pl.Series(["x"])) == builder


def test_a_value_that_reads_like_a_label_is_no_obstacle() -> None:
    values = pl.Series(["a", "b", "c", "other: 3 values"])
    assert Automatic().chosen(values, np.array([97, 1, 1, 1])) == StarsOnly()
