"""Counts: small numbers stay, large ones are joined."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Automatic, Common, StarsOnly, TopCoding, as_builder, spec_of

SIZES = pl.Series("hh_size", [1, 2, 3, 4, 5, 6, 7, 12])
ROWS = np.array([300, 340, 150, 120, 60, 15, 9, 6])


def test_the_tops_are_the_highest_numbers_that_enough_rows_reach() -> None:
    assert TopCoding().resolved(SIZES, ROWS) == TopCoding("7,5,4,2")
    assert TopCoding().build(SIZES, ROWS).labels[1] == ("1", "2", "3", "4", "5", "6", ">= 7")
    assert TopCoding().resolved(SIZES, ROWS).description == "numbers from 7 or 5 or 4 or 2 on as one"


@pytest.mark.parametrize("name", ["hh_size", "HouseholdSize", "children", "n_visits", "Anzahl Kinder"])
def test_counts_are_known_by_the_name_of_their_column(name: str) -> None:
    assert isinstance(Automatic().chosen(SIZES.rename(name), ROWS), TopCoding)


@pytest.mark.parametrize("name", ["", "race_code", "status", "region"])
def test_other_whole_numbers_are_not_taken_for_counts(name: str) -> None:
    assert isinstance(Automatic().chosen(SIZES.rename(name), ROWS), Common)


def test_missing_values_stay_and_nothing_to_join_is_said() -> None:
    values = pl.Series("children", [0, 1, 2, 3, None])
    assert TopCoding("2").build(values).labels[1] == ("0", "1", ">= 2", None)
    assert TopCoding().resolved(pl.Series([1, 2]), np.array([5, 5])) == StarsOnly()


def test_tops_read_back_and_must_fall() -> None:
    assert as_builder(spec_of(TopCoding("5,2.5"))) == TopCoding("5,2.5") == as_builder("top-coding:tops=5,2.5")
    with pytest.raises(ParameterError, match="the tops do not decrease"):
        TopCoding("3,5")
    with pytest.raises(HierarchyError, match="top coding is given for a column of Date; expected numbers"):
        TopCoding("5").build(pl.Series(["2024-01-01"]).str.to_date())
    with pytest.raises(HierarchyError):
        TopCoding("5").build(pl.Series(["a", "b"]))


def test_a_release_with_tops_is_verified(tmp_path: object) -> None:
    people = {"children": [0, 0, 1, 1, 2, 2, 3, 4, 5, 6] * 3, "sex": ["f", "m"] * 15}
    release = shoal.anonymize(people, quasi=["children", "sex"], require="k=6", recoding="generalize")
    release.save(f"{tmp_path}/out")
    assert shoal.verify(f"{tmp_path}/out", original=people).passed
    assert release.table["children"].str.starts_with(">= ").any()
