"""Numbers that others give together are found, each relation with the columns that it speaks of."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.inspection.dependence import dependences
from shoal.tables.table import Table

ROWS = 1_000


def tells(told: list[str], /, **columns: np.ndarray) -> set[tuple[str, tuple[str, ...]]]:
    table = Table.of(columns)
    found = dependences(table, told, [name for name in table.columns if name not in told])
    return {(one.column, one.tells) for one in found}


def body(draw: np.random.Generator) -> dict[str, np.ndarray]:
    height = draw.normal(170, 10, ROWS).round()
    weight = (0.5 * height - 10 + draw.normal(0, 14, ROWS)).clip(40).round(1)
    return {"height": height, "weight": weight, "bmi": (weight / (height / 100) ** 2).round(1)}


@pytest.mark.parametrize("seed", range(3))
def test_an_index_tells_of_the_two_it_is_computed_from(seed: int) -> None:
    assert ("bmi", ("height", "weight")) in tells(["height", "weight"], **body(np.random.default_rng(seed)))


def test_two_published_columns_give_a_third() -> None:
    draw = np.random.default_rng(0)
    found = tells(["height"], **body(draw), other=draw.normal(size=ROWS))
    assert {("bmi", ("height",)), ("weight", ("height",))} <= found
    assert "other" not in {column for column, _ in found}


def test_age_and_year_of_a_diagnosis_give_the_year_of_birth() -> None:
    draw = np.random.default_rng(0)
    born, age = draw.integers(1930, 2000, ROWS), draw.integers(0, 40, ROWS)
    found = tells(["born"], born=born, age=age, year=born + age + draw.integers(0, 2, ROWS))
    assert found == {("age", ("born",)), ("year", ("born",))}


def test_sums_products_and_durations_are_found_despite_exceptions() -> None:
    draw = np.random.default_rng(0)
    price, number = np.exp(draw.normal(3, 1, ROWS)).round(2), draw.integers(1, 40, ROWS)
    amount = (price * number).round(2)
    amount[:20] = draw.permutation(amount)[:20]
    assert tells(["amount"], amount=amount, price=price, number=number) == {
        ("price", ("amount",)),
        ("number", ("amount",)),
    }
    first, stay = draw.integers(15_000, 18_000, ROWS), draw.integers(1, 60, ROWS)
    days = {"first": first.astype("datetime64[D]"), "last": (first + stay).astype("datetime64[D]")}
    assert {("first", ("stay",)), ("last", ("stay",))} <= tells(["stay"], stay=stay, **days)


def test_the_parts_of_a_sum_are_found() -> None:
    draw = np.random.default_rng(0)
    parts = {name: draw.integers(0, 5000, ROWS) for name in "abcd"}
    found = tells(["total"], total=np.sum(list(parts.values()), axis=0), noise=draw.normal(size=ROWS), **parts)
    assert found == {(name, ("total",)) for name in "abcd"}


def test_rounded_sums_of_three_are_found_and_nothing_that_lies_beside_them() -> None:
    draw = np.random.default_rng(0)
    total, high, fat = (
        draw.normal(200, 30, ROWS).round(),
        draw.normal(50, 10, ROWS).round(),
        draw.normal(120, 30, ROWS).round(),
    )
    beside = {"waist": (waist := draw.normal(90, 9, ROWS).round()), "inches": (waist / 2.54).round(1)}
    found = tells(["low"], low=(total - high - fat / 5).round(), total=total, high=high, fat=fat, **beside)
    assert {("total", ("low",)), ("high", ("low",)), ("fat", ("low",))} == found


def test_a_part_that_narrows_alone_is_found_with_the_other_part() -> None:
    draw = np.random.default_rng(0)
    age = draw.integers(20, 90, ROWS)
    then = np.maximum(0, age - draw.integers(0, 15, ROWS))
    assert ("year", ("age",)) in tells(["age"], age=age, then=then, year=2021 - (age - then))


@pytest.mark.parametrize("seed", range(5))
def test_correlated_numbers_are_no_relation(seed: int) -> None:
    draw = np.random.default_rng(seed)
    common = draw.normal(size=ROWS)
    numbers = {name: np.exp(0.7 * common + 0.7 * draw.normal(size=ROWS)).round(2) for name in "abcdef"}
    zeros = {name: np.where(draw.random(ROWS) < 0.9, 0, draw.integers(1, 999, ROWS)) for name in "xyz"}
    assert tells(["a", "x"], **numbers, **zeros) == set()
