from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Prefixes, as_builder


def test_every_length_by_default() -> None:
    hierarchy = Prefixes().build(pl.Series(["1234", "1235", "2000", None]))
    assert hierarchy.labels[1:] == (
        ("123*", "200*", None),
        ("12**", "20**", None),
        ("1***", "2***", None),
        ("*",),
    )


def test_whole_numbers_as_text() -> None:
    assert Prefixes(2).build(pl.Series([1234, 1299])).labels == (("1234", "1299"), ("12**",), ("*",))


def test_short_values_stay_whole_until_they_are_masked() -> None:
    hierarchy = Prefixes((3, 2, 1)).build(pl.Series(["", "1", "12", "1234", "1299"]))
    assert hierarchy.labels[1] == ("", "1", "12", "123*", "129*")
    assert hierarchy.labels[2] == ("", "1", "12", "12**")
    assert hierarchy.labels[3] == ("", "1", "1***")


def test_literal_stars_change_the_mask() -> None:
    hierarchy = Prefixes().build(pl.Series(["*", "1**", "12*", "123", "124"]))
    assert hierarchy.labels[0][0] == "\\*"
    assert hierarchy.labels[1] == ("\\*", "1*•", "12•")
    assert hierarchy.labels[2] == ("\\*", "1••")


def test_a_mask_is_found_whatever_the_values_hold() -> None:
    assert Prefixes(1).build(pl.Series(["a*", "a•", "a◦", "a·", "a■"])).labels[1] == ("a□",)


def test_lengths_that_mask_nothing_are_left_out() -> None:
    assert Prefixes((9, 2, 1)).build(pl.Series(["12", "13"])).height == 2
    assert Prefixes().build(pl.Series(["", "1"])).height == 1


@pytest.mark.parametrize("lengths", [(1, 2), (2, 2), 0, -1, "a", 1.5])
def test_refused_lengths(lengths: object) -> None:
    with pytest.raises(ParameterError, match="prefixes: lengths"):
        Prefixes(lengths)


@pytest.mark.parametrize("cell", [1.5, date(2024, 1, 1), True])
def test_refused_columns(cell: object) -> None:
    with pytest.raises(HierarchyError, match="expected texts or whole numbers"):
        Prefixes().build(pl.Series([cell]))


@pytest.mark.parametrize("name", ["prefixes", "suffixes"])
def test_a_sign_of_ones_own_is_the_mask_unless_a_value_has_it(name: str) -> None:
    labels = as_builder(f"{name}:1,sign=#").build(pl.Series(["abc", "xyz"])).labels[1]
    assert labels == (("a##", "x##") if name == "prefixes" else ("##c", "##z"))
    with pytest.raises(HierarchyError, match="is in some values"):
        as_builder(f"{name}:1,sign=b").build(pl.Series(["abc", "xyz"]))
    with pytest.raises(ParameterError, match="expected one character"):
        as_builder(f"{name}:1,sign=##")


def test_a_release_by_last_characters_weeks_and_weekdays_is_verified(tmp_path: Path) -> None:
    start = date(2024, 1, 1)
    people = pl.DataFrame(
        {
            "code": [f"{i % 4}{i % 3}{i % 2}" for i in range(24)],
            "seen": [start + timedelta(days=5 * i) for i in range(24)],
            "left": [start + timedelta(days=7 * i + i % 2) for i in range(24)],
        }
    )
    trees = {"code": "suffixes:sign=x", "seen": "weeks", "left": "cycles:weekday"}
    asked = {"quasi": people.columns, "require": "k=4", "hierarchies": trees, "recoding": "full-domain"}
    release = shoal.anonymize(people, **asked)  # type: ignore[arg-type]
    assert shoal.verify(release.save(tmp_path / "release"), original=people).passed
