"""Which values a published cell covers, read from its text: values, stars, blocks, ranges and sets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.thorough import many

from shoal.core.arrays import Ints
from shoal.hierarchies import Builder, Hierarchy, StarsOnly, Taxonomy, as_builder
from shoal.hierarchies import cell_reader as module
from shoal.hierarchies.cell_reader import Reader, covered_people, fitting_people, uncovered_rows

NUMBERS = pl.Series("age", [20, 21, 25, 30, None])
FRACTIONS = pl.Series("height", [1.5, 2.0, 10.25])
DAYS = pl.Series("day", [date(1999, 12, 31), date(2020, 2, 29), None])
WORDS = pl.Series("word", ["a", "b", "a, b", "x | missing", "[a, b]", "{a, b}", None])
LEVELS = pl.Series("level", ["low", "middle", "high"], dtype=pl.Enum(["low", "middle", "high"]))
TREE = Taxonomy([("20", "young", "all"), ("21", "young", "all"), ("25", "old", "all"), ("30", "old", "all")])


def texts_of(column: pl.Series) -> list[str | None]:
    """The values as texts, in the order of the column."""
    return column.cast(pl.String).to_list()


@pytest.mark.parametrize(
    ("column", "cell", "covered"),
    [
        (NUMBERS, "20", {"20"}),
        (NUMBERS, "*", {"20", "21", "25", "30", None}),
        (NUMBERS, None, {None}),
        (NUMBERS, "[20, 25]", {"20", "21", "25"}),
        (NUMBERS, "[21, 21]", {"21"}),
        (NUMBERS, "[26, 29]", set()),
        (NUMBERS, "[30, 20]", set()),
        (NUMBERS, "[20, 25] | missing", {"20", "21", "25", None}),
        (NUMBERS, "21 | missing", {"21", None}),
        (NUMBERS, "{20, 30}", {"20", "30"}),
        (NUMBERS, "{20, 30} | missing", {"20", "30", None}),
        (NUMBERS, "[20, 25", set()),
        (NUMBERS, "20, 25]", set()),
        (NUMBERS, "{20, 25", set()),
        (NUMBERS, "20, 25}", set()),
        (NUMBERS, "[20, 25, 30]", set()),
        (NUMBERS, "[20]", set()),
        (NUMBERS, "[20, x]", set()),
        (NUMBERS, "[x, 25]", set()),
        (NUMBERS, "22", set()),
        (FRACTIONS, "[1.5, 2]", {"1.5", "2.0"}),
        (FRACTIONS, "[9, 11]", {"10.25"}),
        (DAYS, "[1999-12-31, 2020-01-01]", {"1999-12-31"}),
        (DAYS, "[2020-02-29, 2020-02-29] | missing", {"2020-02-29", None}),
        (WORDS, "{a, b}", {"a", "b", "{a, b}"}),
        (WORDS, '{"a, b", b}', {"a, b", "b"}),
        (WORDS, "[a, b]", {"[a, b]"}),
        (WORDS, "x | missing", {"x | missing", None}),
        (WORDS, "a | missing", {"a", None}),
        (LEVELS, "[low, middle]", {"low", "middle"}),
        (LEVELS, "[middle, high]", {"middle", "high"}),
        (LEVELS, "[low, none]", set()),
        (LEVELS, "{low, high}", {"low", "high"}),
    ],
)
def test_a_cell_covers_the_values_that_it_reads_as(
    column: pl.Series, cell: str | None, covered: set[str | None]
) -> None:
    reader = Reader.of(column, None)
    texts = texts_of(column)
    assert {text for text in texts if reader.covers(cell, text)} == covered
    named = {code: text for text, code in reader.code.items()}
    assert [named[code] for code in reader.covered(cell).tolist()] == [
        text for text in named.values() if text in covered
    ]


@pytest.mark.parametrize(
    ("cell", "spans", "covered"),
    [
        ("young", False, {"20", "21"}),
        ("all", False, {"20", "21", "25", "30"}),
        ("20", False, {"20"}),
        ("*", False, {"20", "21", "25", "30"}),
        ("[20, 25]", False, set()),
        ("{20, 25}", False, set()),
        ("20 | missing", False, set()),
        ("[20, 25]", True, {"20", "21", "25"}),
        ("old", True, {"25", "30"}),
        ("youn", True, set()),
    ],
)
def test_a_block_covers_the_values_below_it_and_ranges_only_where_they_may_be(
    cell: str, spans: bool, covered: set[str]
) -> None:
    reader = Reader.of(NUMBERS.drop_nulls(), TREE, spans=spans)
    assert {text for text in texts_of(NUMBERS.drop_nulls()) if reader.covers(cell, text)} == covered
    assert len(reader.covered(cell)) == len(covered)


@pytest.mark.parametrize(
    ("cells", "known"),
    [(["20", "young", "*", None], True), (["20", "[20, 25]"], False), (["youngest"], False), ([], True)],
)
def test_cells_that_are_values_stars_or_blocks_are_known(cells: list[str | None], known: bool) -> None:
    assert Reader.of(NUMBERS.drop_nulls(), TREE).knows(cells) is known


def test_a_hierarchy_is_built_from_how_often_values_occur_missing_ones_too() -> None:
    asked: list[tuple[list[Any], list[int]]] = []

    class Watching(StarsOnly):
        def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
            assert counts is not None
            asked.append((values.to_list(), counts.tolist()))
            return super().build(values, counts)

    Reader.of(pl.Series("age", [30, None, 20, 30, None, None]), Watching())
    assert asked == [([20, 30, None], [1, 2, 3])]


# --- whole tables ---

CELLS: dict[str, list[str | None]] = {
    "age": ["20", "[20, 25]", "{20, 30}", "*", "[25, 40] | missing", None],
    "town": ["Oslo", "{Oslo, Rome}", "*", "Rome | missing", None],
}
VALUES: dict[str, list[Any]] = {"age": [20, 21, 25, 30, None], "town": ["Oslo", "Rome", "Bonn", None]}
KINDS: dict[str, Any] = {"age": pl.Int64, "town": pl.String}


def random_table(random: Random, pools: dict[str, list[Any]], rows: int, **kinds: Any) -> pl.DataFrame:
    """Some random rows."""
    drawn = {name: [random.choice(pool) for _ in range(rows)] for name, pool in pools.items()}
    return pl.DataFrame(drawn, schema=kinds)


def fits(cells: Sequence[str | None], people: Sequence[Any], readers: Sequence[Reader]) -> bool:
    """Whether all cells of a row cover a person."""
    texts = [None if value is None else str(value) for value in people]
    return all(reader.covers(cell, text) for reader, cell, text in zip(readers, cells, texts, strict=True))


@pytest.mark.parametrize("chunk", [1, 7, 4_000_000])
def test_people_are_counted_whom_all_cells_of_a_class_cover(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(module, "CHUNK", chunk)
    random = Random(1)
    for _ in range(many(25)):
        classes = random_table(random, CELLS, random.randint(1, 5), age=pl.String, town=pl.String)
        population = random_table(random, VALUES, random.randint(1, 9), **KINDS)
        readers = [Reader.of(population[name], None) for name in KINDS]
        for name, reader in zip(KINDS, readers, strict=True):
            reader.spans = not reader.knows(classes[name].unique())
        expected = [sum(fits(row, one, readers) for one in population.rows()) for row in classes.rows()]
        assert covered_people(classes, population, {}).tolist() == expected
        parts, weights = fitting_people(classes, population, {})
        assert (weights @ np.concatenate(list(parts))).tolist() == expected
        assert int(weights.sum()) == population.height


def test_people_of_classes_of_values_are_counted_by_their_values() -> None:
    random = Random(2)
    pools: dict[str, list[Any]] = {"age": ["20", "21", "30", None], "town": ["Oslo", "Bonn", None]}
    for _ in range(many(25)):
        classes = random_table(random, pools, random.randint(1, 5), age=pl.String, town=pl.String)
        population = random_table(random, VALUES, random.randint(1, 9), **KINDS)
        people = [tuple(None if one is None else str(one) for one in row) for row in population.rows()]
        assert covered_people(classes, population, {}).tolist() == [people.count(row) for row in classes.rows()]


def test_blocks_count_the_people_below_them() -> None:
    classes = pl.DataFrame({"age": ["young", "old", "all", "20"]})
    population = pl.DataFrame({"age": [20, 20, 21, 25]})
    builders: dict[str, Builder] = {"age": TREE}
    assert covered_people(classes, population, builders).tolist() == [3, 1, 4, 2]


BOOK: dict[str, Any] = {"recoding": "range", "marks": {"star": "*"}, "columns": []}


@pytest.mark.parametrize(
    ("recoding", "star", "cells", "uncovered"),
    [
        ("range", "*", ["[20, 21]", "[20, 21]", "25", "*"], 0),
        ("range", "*", ["[20, 21]", "[20, 21]", "[20, 21]", "*"], 1),
        ("range", "*", [None, "21", "25", "30"], 1),
        ("range", "null", [None, "21", "25", None], 0),
        ("suppress", "*", ["20", "21", "*", "[30, 31]"], 1),
        ("suppress", "null", ["20", "21", None, "*"], 0),
        ("generalize", "*", ["young", "young", "old", "all"], 0),
        ("generalize", "*", ["young", "old", "young", "*"], 2),
        ("generalize", "*", ["[20, 30]", "21", "25", "30"], 1),
        ("suppress", "*", ["young", "21", "25", "30"], 1),
    ],
)
def test_rows_are_found_whose_cell_does_not_cover_what_it_hides(
    recoding: str, star: str, cells: list[str | None], uncovered: int
) -> None:
    """The original has them in another order; another column covers everything."""
    original = pl.DataFrame({"age": [30, 25, 21, 20], "town": ["Oslo"] * 4})
    shown = pl.DataFrame({"age": cells, "town": ["*", "Oslo", "*", "Oslo"]}, schema_overrides={"age": pl.String})
    book = BOOK | {"recoding": recoding, "marks": {"star": star}}
    rows, trees = pl.Series([3, 2, 1, 0]), {"age": TREE, "town": as_builder("stars")}
    assert uncovered_rows(shown, original, rows, ["age", "town"], trees, book) == uncovered


def test_a_row_with_two_wrong_cells_is_one_row() -> None:
    original = pl.DataFrame({"age": [20, 21], "town": ["Oslo", "Rome"]})
    shown = pl.DataFrame({"age": ["21", "21"], "town": ["Rome", "Oslo"]})
    assert uncovered_rows(shown, original, pl.Series([0, 1]), ["age", "town"], {}, BOOK) == 2
    assert uncovered_rows(shown, original, pl.Series([0, 1]), ["age"], {}, BOOK) == 1
