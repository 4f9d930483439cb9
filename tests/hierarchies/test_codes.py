"""Codes with structure: diagnoses, industries, postcodes, areas, and codes of one format."""

from itertools import pairwise
from types import ModuleType

import polars as pl
import pytest

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import (
    Automatic,
    Builder,
    Common,
    Icd9,
    Icd10,
    Intervals,
    Isco,
    Nace,
    Postcodes,
    Prefixes,
    StarsOnly,
    icd9,
    icd10,
)


def named(name: str, cells: list[object]) -> pl.Series:
    return pl.Series(name, cells).unique().sort()


@pytest.mark.parametrize(
    ("values", "builder"),
    [
        (named("x", ["I21.4", "I25.1", "J45.0"]), Icd10()),
        (named("diag_1", ["I21", "I25", "J45"]), Icd10("block,chapter")),
        (named("room", ["I21", "I25", "J45"]), Prefixes()),
        (named("nace", ["10.71", "86.10", "C10.1"]), Nace()),
        (named("nace_rev2", ["10", "86", "01"]), Nace("section")),
        (named("activity", ["10", "86", "01"]), Prefixes()),
        (named("plz", [1010, 8010, 99998]), Postcodes(5)),
        (named("postcode", ["SW1A 1AA", "M1 1AE", "B33 8TH"]), Postcodes()),
        (named("postcode", ["1234 AB", "1234 CD", "9999 XY"]), Prefixes((6, 3, 1))),
        (named("nuts3", ["DE212", "FRK26", "ITC4C"]), Prefixes((4, 3, 2))),
        (named("isco08", [2511, 2512, 3111]), Isco()),
        (named("ISCO", ["25", "31", "01"]), Isco("major")),
        (named("isco", [0, 1, 2]), StarsOnly()),
        (named("isco_label", ["clerks", "farmers"]), StarsOnly()),
        (named("diag_1", ["250.83", "8", "V57", "E909", "401"]), Icd9()),
        (named("diag_1", ["250", "401", "V57"]), Icd9("block,chapter")),
        (named("diag_1", ["1", "2", "3"]), StarsOnly()),
        (named("salary", list(range(2500, 2600))), Intervals(width=(5, 10, 20, 40))),
        (named("discharge_id", list(range(1, 30))), StarsOnly()),
    ],
)
def test_what_is_chosen_for_codes(values: pl.Series, builder: Builder) -> None:
    assert Automatic().chosen(values) == builder


def test_whole_numbers_that_are_codes_are_joined_by_frequency() -> None:
    codes = named("discharge_id", list(range(1, 30)))
    rows = pl.Series([500, 300] + [1] * 27).to_numpy()
    found = Automatic().resolved(codes, rows)
    assert isinstance(found, Common)
    assert found.keep[-1] == ("1", "2")


@pytest.mark.parametrize("coded", [icd9, icd10])
def test_blocks_of_diagnoses_rise_and_lie_within_chapters(coded: ModuleType) -> None:
    ends = [block.split("-") for block in coded.BLOCKS]
    assert all(low <= high for low, high in ends)
    assert all(before[1] < after[0] for before, after in pairwise(ends))
    chapters = [chapter.partition(" ")[0].split("-") for chapter in coded.CHAPTERS]
    assert all(any(low <= block[0] and block[1] <= high for low, high in chapters) for block in ends)


def test_a_code_outside_all_blocks_and_a_text_stay_by_themselves() -> None:
    hierarchy = Icd10().build(pl.Series(["A10.1", "A10.2", "I21.4", "unknown"]))
    assert hierarchy.labels[1:4] == (
        ("A10.-", "I21.-", "unknown"),
        ("A10.-", "I20-I25", "unknown"),
        ("A00-B99 infectious and parasitic diseases", "I00-I99 circulatory system", "unknown"),
    )


def test_groups_divisions_and_sections_of_industries() -> None:
    hierarchy = Nace().build(pl.Series(["10", "10.7", "10.71", "00.1"]))
    assert hierarchy.labels[1] == ("group 10", "group 10.7", "group 00.1")
    assert hierarchy.labels[2:4] == (("division 10", "division 00"), ("C manufacturing", "division 00"))


def test_codes_of_icd9_are_filled_up_and_those_outside_all_blocks_stay_by_themselves() -> None:
    hierarchy = Icd9().build(pl.Series(["250.83", "8", "E909.1", "V57", "V99", "unknown"]))
    assert hierarchy.labels[1] == ("250.-", "008.-", "E909.-", "V57.-", "V99.-", "unknown")
    assert hierarchy.labels[2] == ("249-259", "001-009", "E900-E909", "V50-V59", "V99.-", "unknown")
    assert [str(label)[:8] for label in hierarchy.labels[3]] == [
        "240-279 ",
        "001-139 ",
        "E000-E99",
        "V01-V99 ",
        "unknown",
    ]


def test_groups_of_occupations_and_a_zero_that_was_lost() -> None:
    hierarchy = Isco().build(pl.Series([110, 2511, 2512]))
    assert hierarchy.labels[1] == ("minor group 011", "minor group 251")
    assert hierarchy.labels[3] == ("0 armed forces", "2 professionals")
    assert Isco().build(pl.Series(["2511", "25", "none"])).labels[1] == ("minor group 251", "minor group 25", "none")


@pytest.mark.parametrize("builder", [Icd9(), Icd10(), Isco(), Nace(), Postcodes(), Postcodes(5)])
def test_a_column_of_something_else_is_refused(builder: Builder) -> None:
    with pytest.raises(HierarchyError, match="of 2 values"):
        builder.build(pl.Series(["red", "tan"]))


def test_levels_that_are_not_there_are_refused() -> None:
    with pytest.raises(ParameterError, match="unknown level 'chapters'; did you mean 'chapter'"):
        Icd10("chapters")
    with pytest.raises(ParameterError, match="in this order"):
        Nace("section,group")
