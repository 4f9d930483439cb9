"""Which published cells lie within others, read from their texts."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest
from tests.thorough import many

from shoal.hierarchies import as_builder
from shoal.hierarchies import containment as module
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


# --- random cells, by their definition ---

Span: TypeAlias = tuple[str, float, float, bool]
"""Numbers or dates, the ends, and whether the upper one belongs to it."""
DAYS = ["2020-01-01", "2020-01-02", "2020-02-01"]


@dataclass(frozen=True)
class Meaning:
    """What a cell stands for: some texts, or a span, or neither; and whether the missing value as well."""

    texts: frozenset[str] = frozenset()
    span: Span | None = None
    missing: bool = False
    is_set: bool = False
    """Whether its texts stand in brackets: then they are not looked for in ranges."""

    def holds(self, other: Meaning) -> bool:
        """Whether another cell lies within this one."""
        if other.missing and not self.missing:
            return False
        if other == Meaning(missing=True):
            return True
        if self.texts:
            return bool(other.texts) and other.texts <= self.texts
        span = other.span or (None if other.is_set or not other.texts else span_of(*other.texts))
        if self.span is None or span is None or self.span[0] != span[0]:
            return False
        (_, low, high, closed), (_, own_low, own_high, own_closed) = self.span, span
        return low <= own_low and (own_high < high or (own_high == high and (closed or not own_closed)))


def span_of(text: str) -> Span | None:
    """The point where a number or a date lies; none for a word."""
    if text in DAYS:
        return "day", DAYS.index(text), DAYS.index(text), True
    return None if text.isalpha() else ("number", float(text), float(text), True)


def random_cell(random: Random) -> tuple[str | None, Meaning]:
    """A cell and what it stands for."""
    kind, missing = random.choice(["value", "range", "open", "below", "from", "set", "none"]), random.random() < 0.25
    pool = random.choice([["1", "2", "2.5", "10", "-3"], DAYS])
    low, high = sorted(random.choices(pool, k=2), key=lambda one: DAYS.index(one) if one in DAYS else float(one))
    first, last = (one[1] for one in (span_of(low), span_of(high)) if one is not None)
    what, end = "day" if low in DAYS else "number", " | missing" if missing else ""
    if kind == "none":
        return None, Meaning(missing=True)
    if kind == "range":
        return f"[{low}, {high}]{end}", Meaning(span=(what, first, last, True), missing=missing)
    if kind == "open":
        return f"[{low}, {high}){end}", Meaning(span=(what, first, last, False), missing=missing)
    if kind == "below":
        return f"< {high}{end}", Meaning(span=(what, float("-inf"), last, False), missing=missing)
    if kind == "from":
        return f">= {low}{end}", Meaning(span=(what, first, float("inf"), True), missing=missing)
    texts = random.sample(["a", "b", "c", *pool], random.randint(1, 3) if kind == "set" else 1)
    shown = f"{{{', '.join(texts)}}}" if kind == "set" else texts[0]
    return f"{shown}{end}", Meaning(frozenset(texts), missing=missing, is_set=kind == "set")


def test_a_cell_lies_within_another_if_all_that_it_may_stand_for_does() -> None:
    random = Random(1)
    for _ in range(many(200)):
        drawn = dict(random_cell(random) for _ in range(random.randint(2, 7)))
        texts = [*drawn, *random.choice([[], ["*"]])]
        random.shuffle(texts)
        found = cells(*texts)
        assert found.star == (texts.index("*") if "*" in texts else -1)
        within = np.eye(len(texts), dtype=bool) if found.within is None else found.within
        assert found.known.all()
        for one, text in enumerate(texts):
            for other, outer in enumerate(texts):
                in_it = outer in drawn and text in drawn and drawn[outer].holds(drawn[text])
                assert within[one, other] == (one == other or in_it), (text, outer)


def test_a_range_between_a_number_and_a_date_is_not_read() -> None:
    found = cells("[5, 2020-01-01]", "7", "2020-01-01")
    assert found.known.tolist() == [False, True, True]
    assert held_by(cells(">= 5", "7", "2020-01-01"), ">= 5") == {">= 5", "7"}


def test_of_too_many_different_cells_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 3)
    assert cells("[1, 3]", "2", None).within is not None
    many_cells = cells("[1, 3]", "2", None, "5")
    assert many_cells.within is None
    assert many_cells.known.tolist() == [False, True, True, True]
    assert not cells("1", "2", "3", "4", hierarchy={"low": ["1", "2"]}).known.any()


AREAS = {"east": ["e", "f"], "west": ["v"]}


@pytest.mark.parametrize(
    ("texts", "hierarchy", "known"),
    [
        (["east", "e", "[low, high]"], AREAS, [False, True, False]),
        (["east", "e", None], AREAS, [True, True, True]),
        (["*", "east", "e"], AREAS, [True, True, True]),
        (["east", "e", "*"], AREAS, [True, True, True]),
        (["*", "2020-02", "2021-01-05"], "dates", [False, False, True]),
        (["2020", "2021-01-05"], "dates", [True, True]),
        (["*", "5", "7"], "dates", [True, True, True]),
        (["5", "*", "7"], "dates", [True, True, True]),
        (["2020-02", "2021-01-05", "2021"], "dates", [False, True, False]),
    ],
)
def test_it_is_known_what_lies_within_cells_whose_place_in_the_hierarchy_is_known(
    texts: list[str | None], hierarchy: object, known: list[bool]
) -> None:
    assert cells(*texts, hierarchy=hierarchy).known.tolist() == known


def test_nothing_but_itself_lies_within_a_value_of_the_hierarchy() -> None:
    found = cells("east", "e", "f", "*", None, hierarchy=AREAS)
    assert held_by(found, "e") == {"e"}
    assert held_by(found, "east") == {"east", "e", "f"}
    assert held_by(found, "*") == {"*"}
    assert held_by(cells("*", "east", "e", hierarchy=AREAS), "*") == {"*"}


@pytest.mark.parametrize(
    "text", ["{a", "a}", "[1", "1]", "[1, 2", "1, 2]", "[a, b", "< low", ">= low", "[a, b)", "[1]"]
)
def test_what_is_no_whole_range_or_set_is_a_value(text: str) -> None:
    found = cells(text, "a", "1")
    assert found.within is None
    assert found.known.all()


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ('{"", a}', ("", "a")),
        ("{a, , b}", ("a", "b")),
        ('{"a, \\"b\\"", c}', ('a, "b"', "c")),
        ("[1, 2]", ("1", "2")),
        ("{}", ()),
    ],
)
def test_members_stand_between_commas_and_quotes(body: str, members: tuple[str, ...]) -> None:
    assert module.listed(body) == members
