"""Which published cells lie within others, read from their texts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.hierarchies import as_builder
from shoal.hierarchies.containment import ShownCells


def cells(*texts: str | None, hierarchy: object = None) -> ShownCells:
    builder = None if hierarchy is None else as_builder(hierarchy)
    return ShownCells(np.arange(len(texts)), pl.Series(texts, dtype=pl.String), builder)


def held_by(found: ShownCells, text: str) -> set[str | None]:
    """What lies within a cell; the test fails where that is not known."""
    place = found.texts.index(text)
    assert found.known[place]
    assert found.within is not None
    return {found.texts[other] for other in np.flatnonzero(found.within[:, place]).tolist()}


@pytest.mark.parametrize(
    ("texts", "outer", "expected"),
    [
        (("[20, 29]", "25", "30", "[21, 22]", "[25, 31]"), "[20, 29]", {"[20, 29]", "25", "[21, 22]"}),
        (("[-1.5, 8.0]", "0.25", "-2", "8"), "[-1.5, 8.0]", {"[-1.5, 8.0]", "0.25", "8"}),
        (("[20, 30)", "[20, 29]", "[20, 30]", "30", "20"), "[20, 30)", {"[20, 30)", "[20, 29]", "20"}),
        (("< 20", "19", "20", ">= 20", "[0, 20)"), "< 20", {"< 20", "19", "[0, 20)"}),
        ((">= 20", "20", "[20, 30)", "< 20"), ">= 20", {">= 20", "20", "[20, 30)"}),
        (("[1999-12-31, 2024-02-29]", "2000-01-01", "1998-01-01"), "[1999-12-31, 2024-02-29]",
         {"[1999-12-31, 2024-02-29]", "2000-01-01"}),
        (("{a, b}", "a", "c", "{a, b, c}"), "{a, b, c}", {"{a, b}", "a", "c", "{a, b, c}"}),
        (('{"a, b", c}', "a, b", "a"), '{"a, b", c}', {'{"a, b", c}', "a, b"}),
        (("[1, 3] | missing", "2", None, "[1, 3]", "2 | missing"), "[1, 3] | missing",
         {"[1, 3] | missing", "2", None, "[1, 3]", "2 | missing"}),
        (("[1, 3]", "2", None, "[1, 3] | missing", "2 | missing"), "[1, 3]", {"[1, 3]", "2"}),
        (("{01, 2}", "01", "1"), "{01, 2}", {"{01, 2}", "01"}),
    ],
)  # fmt: skip
def test_ranges_and_sets_hold_what_they_read(
    texts: tuple[str | None, ...], outer: str, expected: set[str | None]
) -> None:
    assert held_by(cells(*texts), outer) == expected


def test_values_hold_themselves_alone() -> None:
    found = cells("01", "1", "1.0", None, "*")
    assert found.within is None
    assert found.known.all()
    assert found.star == 4


def test_a_star_lies_in_no_other_cell() -> None:
    found = cells("[1, 3]", "*", "2")
    assert held_by(found, "[1, 3]") == {"[1, 3]", "2"}


def test_what_lies_between_words_is_not_known() -> None:
    found = cells("[low, high]", "middle", "[low, middle]", "{low, high}")
    assert found.known.tolist() == [False, True, False, False]


def test_blocks_hold_what_the_hierarchy_puts_below_them() -> None:
    found = cells("east", "e", "west", "v", hierarchy={"east": ["e", "f"], "west": ["v"]})
    assert held_by(found, "east") == {"east", "e"}
    assert held_by(found, "west") == {"west", "v"}
    zips = cells("12***", "123**", "12345", "13***", hierarchy="prefixes:3,2")
    assert held_by(zips, "12***") == {"12***", "123**", "12345"}
    ages = cells("[20, 40)", "[20, 30)", "25", hierarchy="intervals:width=10,20")
    assert held_by(ages, "[20, 40)") == {"[20, 40)", "[20, 30)", "25"}


def test_a_block_of_which_no_value_is_shown_may_lie_in_any_other() -> None:
    found = cells("2020", "2020-02", "2021-01-05", hierarchy="dates")
    assert found.known.tolist() == [False, False, True]
    sure = cells("2020", "2020-02", "2020-02-05", hierarchy="dates")
    assert held_by(sure, "2020") == {"2020", "2020-02", "2020-02-05"}
