"""Prosecutor, journalist, marketer and uniques: by hand, and against counting row by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

from shoal.core.errors import ParameterError, RoleError
from shoal.risk import measure
from shoal.risk.attackers import attacker, thresholds

PEOPLE = {"age": [20, 20, 20, 30, 30, 40], "town": ["a", "a", "a", "b", "b", "b"]}
TABLES = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("xyz*"), st.none() | st.integers(0, 1)), min_size=1)


def frame(rows: list[tuple[int, str, int | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.String, "c": pl.Int64}, orient="row")


def test_the_prosecutor_by_hand() -> None:
    found = measure(PEOPLE, quasi=["age", "town"], threshold=0.4)
    assert (found.rows, found.classes, found.class_sizes) == (6, 3, ((1, 1), (2, 1), (3, 1)))
    assert found.per_row["prosecutor"].tolist() == pytest.approx([1 / 3] * 3 + [1 / 2] * 2 + [1])
    assert (found.prosecutor.highest, found.prosecutor.rows_at_highest, found.prosecutor.average) == (1, 1, 0.5)
    assert [(one.threshold, one.rows, one.classes) for one in found.prosecutor.exceeding] == [
        ("0.4", 3, 2),
        ("0.2", 6, 3),
        ("0.09", 6, 3),
        ("0.05", 6, 3),
    ]


def test_without_a_population_the_journalist_is_the_prosecutor_and_it_is_said() -> None:
    found = measure(PEOPLE, quasi=["age"])
    assert found.journalist == found.prosecutor
    assert found.marketer == found.prosecutor.average == 0.5
    assert found.notes[0].startswith("no population is given")


def test_the_journalist_looks_among_the_population() -> None:
    """Of the population 4 are 20, 4 are 30, nobody is 40: the row of 40 stands alone in it."""
    people = {"age": [20] * 4 + [30] * 4, "town": ["a"] * 4 + ["b"] * 4}
    found = measure(PEOPLE, quasi=["age", "town"], population=people)
    assert found.per_row["journalist"].tolist() == [0.25] * 5 + [1]
    assert (found.journalist.highest, found.marketer) == (1, 2.25 / 6)
    assert found.notes[0] == "1 rows fit nobody in the population, and count as unique in it"
    assert found.population is not None
    assert found.population.population == 8
    few = measure(PEOPLE, quasi=["town"], population={"town": ["a", "a", "b", "b", "b"]})
    assert few.notes[0] == "1 classes have more rows than people whom they fit: is the population complete?"
    assert few.population is not None
    assert few.population.fraction == 1


def test_published_cells_fit_the_people_whom_they_cover() -> None:
    shown = {"age": ["[20, 30)", "[20, 30)", "*"], "sex": ["f", "f", "m"]}
    people = {"age": [20, 25, 31, 40, 29], "sex": ["f", "f", "m", "m", "m"]}
    found = measure(shown, quasi=["age", "sex"], population=people, hierarchies={"age": "intervals:width=10"})
    assert found.per_row["journalist"].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 3])


def test_a_threshold_is_compared_exactly() -> None:
    """A crowd of 5 is at a risk of exactly one fifth, which is not above it; nor is one of 100 above 0.01."""
    sizes = np.array([5, 100])
    found = attacker(sizes, sizes, thresholds(["0.01"]))
    assert {one.threshold: one.classes for one in found.exceeding} == {"0.2": 0, "0.09": 1, "0.05": 1, "0.01": 1}
    assert thresholds([Fraction(1, 3)])[0] == Fraction(1, 3)


@pytest.mark.parametrize("wrong", [0, 1.5, "many"])
def test_a_threshold_that_is_no_share_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="threshold"):
        measure(PEOPLE, quasi=["age"], threshold=wrong)  # type: ignore[arg-type]


@settings(max_examples=examples(50))
@given(TABLES)
def test_counts_are_those_of_counting_row_by_row(rows: list[tuple[int, str, int | None]]) -> None:
    found = measure(frame(rows), quasi=["a", "b", "c"], wildcard="both", minimal_uniques=0)
    times = Counter(rows)
    assert found.per_row["prosecutor"].tolist() == [1 / times[row] for row in rows]
    assert found.uniques.rows == sum(number == 1 for number in times.values())
    assert found.uniques.smallest == min(times.values())
    matched = [sum(_alike(one, other) for other in rows) for one in rows]
    assert found.wildcard is not None
    assert (found.wildcard.rows, found.wildcard.smallest) == (matched.count(1), min(matched))
    for small in found.wildcard.small:
        few = {row for row, number in zip(rows, matched, strict=True) if number < small.below}
        assert (small.rows, small.classes) == (sum(times[row] for row in few), len(few))


def _alike(one: tuple[int, str, int | None], other: tuple[int, str, int | None]) -> bool:
    wild = (None, "*")
    return all(a == b or a in wild or b in wild for a, b in zip(one, other, strict=True))


def test_the_order_of_rows_changes_nothing() -> None:
    rows = pl.DataFrame(PEOPLE)
    assert measure(rows, quasi=["age", "town"]) == measure(rows[::-1], quasi=["town", "age"][::-1])


def test_risks_row_by_row_are_not_told() -> None:
    found = measure(PEOPLE, quasi=["age", "town"], sample_fraction=0.5)
    told = found.to_dict()
    assert "per_row" not in told
    assert set(told["suda"]) == {
        *("largest", "msus", "rows", "highest_score", "dis", "fraction", "highest_dis_score", "contributions"),
    }
    assert '"prosecutor"' in found.to_json()


def test_what_cannot_be_measured_is_refused_in_words() -> None:
    with pytest.raises(RoleError, match="the population has no column 'town'"):
        measure(PEOPLE, quasi=["age", "town"], population={"age": [20]})
    with pytest.raises(ParameterError, match="both a sampling fraction and a population size"):
        measure(PEOPLE, quasi=["age"], sample_fraction=0.5, population_size=12)
    with pytest.raises(ParameterError, match="5 people, the table 6 rows"):
        measure(PEOPLE, quasi=["age"], population_size=5)
    with pytest.raises(RoleError, match="did you mean 'age'"):
        measure(PEOPLE, quasi=["agee"])


@settings(max_examples=examples(40))
@given(TABLES, TABLES)
def test_the_journalist_finds_whom_the_cells_cover(
    rows: list[tuple[int, str, int | None]], people: list[tuple[int, str, int | None]]
) -> None:
    """In the table a star covers everything; a population has values only."""
    everybody = [(a, "y" if b == "*" else b, c) for a, b, c in people]
    found = measure(frame(rows), quasi=["a", "b", "c"], population=frame(everybody), minimal_uniques=0)
    covered = [sum(a == x and b in (y, "*") and c == z for x, y, z in everybody) for a, b, c in rows]
    assert found.per_row["journalist"].tolist() == [1 / max(number, 1) for number in covered]
    assert found.marketer == pytest.approx(sum(1 / max(number, 1) for number in covered) / len(rows))
