from datetime import date

import polars as pl
import pytest

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Prefixes


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
