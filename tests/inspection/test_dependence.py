"""Columns that reveal others are found, in any language and form; ordinary ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.inspection.dependence import Dependence, dependences, published_dependences
from shoal.tables.table import Table

ROWS = 2_000
Draw = np.random.Generator


def found(of: str, /, **columns: object) -> tuple[Dependence, ...]:
    """What all other columns of a table reveal one."""
    table = Table.of(pl.DataFrame(columns, strict=False))
    return dependences(table, [of], [name for name in table.columns if name != of])


def ages(draw: Draw, rows: int = ROWS) -> np.ndarray:
    return draw.integers(16, 91, rows)


def birthdays(age: np.ndarray, draw: Draw, form: str) -> list[str]:
    days = (age * 365.25 + draw.integers(0, 365, len(age))).astype("timedelta64[D]")
    return pl.Series(np.datetime64("2024-06-30") - days).dt.strftime(form).to_list()


def streets(draw: Draw) -> tuple[list[str], list[str]]:
    code = draw.integers(0, 300, ROWS)
    return [f"{10_000 + 7 * one}" for one in code], [f"Rue {one}-{draw.integers(4)}" for one in code]


def shaken(values: list[object], draw: Draw, share: float, other: object) -> list[object]:
    """The values with some replaced."""
    return [other if draw.random() < share else value for value in values]


ICD = {
    "E11.9": "Diabetes",
    "I10": "Bluthochdruck",
    "J45.0": "Asthma",
    "F32.1": "Depression",
    "C50": "Brustkrebs",
}

TELLING: dict[str, Callable[[Draw], dict[str, Any]]] = {
    "age group": lambda draw: {"told": (age := ages(draw)), "teller": [f"{one // 10}0s" for one in age]},
    "group with 2 % of exceptions": lambda draw: {
        "told": (age := ages(draw)),
        "teller": shaken([f"{one // 10}0s" for one in age], draw, 0.02, "20s"),
    },
    "group with missing values": lambda draw: {
        "told": (age := ages(draw)),
        "teller": shaken([f"{one // 10}0s" for one in age], draw, 0.3, None),
    },
    "two groups": lambda draw: {"told": (age := ages(draw)), "teller": np.where(age >= 65, "ja", "nein")},
    "generation as a number": lambda draw: {"told": (age := ages(draw)), "teller": age // 18},
    "birth date": lambda draw: {"told": (age := ages(draw)), "teller": birthdays(age, draw, "%Y-%m-%d")},
    "birth date, day first": lambda draw: {"told": (age := ages(draw)), "teller": birthdays(age, draw, "%d/%m/%Y")},
    "birth date, month first": lambda draw: {"told": (age := ages(draw)), "teller": birthdays(age, draw, "%m-%d-%y")},
    "month of a date": lambda draw: {
        "told": (date := birthdays(ages(draw), draw, "%Y-%m-%d")),
        "teller": [one[:7] for one in date],
    },
    "month of a birth date": lambda draw: {
        "told": (date := birthdays(ages(draw), draw, "%Y-%m-%d")),
        "teller": [int(one[5:7]) for one in date],
    },
    "date of a weekday": lambda draw: {
        "told": (date := pl.Series(birthdays(ages(draw), draw, "%Y-%m-%d")).str.to_date()).dt.weekday(),
        "teller": date,
    },
    "year of birth": lambda draw: {"told": (age := ages(draw)), "teller": 2024 - age - draw.integers(0, 2, ROWS)},
    "year of marriage": lambda draw: {
        "told": (age := ages(draw)),
        "teller": [
            None if draw.random() < 0.3 or one < 25 else 2024 - int(one) + int(draw.normal(26, 4)) for one in age
        ],
    },
    "school year": lambda draw: {
        "told": (age := draw.integers(6, 19, ROWS)),
        "teller": age - 5 - draw.integers(0, 2, ROWS),
    },
    "region of a postcode": lambda draw: {
        "told": (code := [f"{one:05d}" for one in draw.integers(1, 400, ROWS) * 211]),
        "teller": [f"région {one[:1]}" for one in code],
    },
    "street of a postcode": lambda draw: dict(zip(("told", "teller"), streets(draw), strict=True)),
    "postcode in an address": lambda draw: {
        "told": (code := [f"{one}" for one in draw.integers(10_000, 99_999, ROWS)]),
        "teller": [f"Hauptstr. {row}, {one[:2]} {one[2:]} Musterstadt" for row, one in enumerate(code)],
    },
    "year in a case number": lambda draw: {
        "told": (year := draw.integers(1940, 2006, ROWS)),
        "teller": [f"P{draw.integers(10_000, 99_999)}-{one}" for one in year],
    },
    "site in a case number": lambda draw: {
        "told": (site := draw.choice(["Oslo", "Bergen", "Tromsø"], ROWS)),
        "teller": [f"{one[:1]}{draw.integers(10**6, 10**7)}" for one in site],
    },
    "code and label": lambda draw: {
        "told": (code := draw.choice(list(ICD), ROWS)),
        "teller": [ICD[one] for one in code],
    },
    "label with 2 % of exceptions": lambda draw: {
        "told": (code := draw.choice(list(ICD), ROWS)),
        "teller": shaken([ICD[one] for one in code], draw, 0.02, "unbekannt"),
    },
    "capital letters": lambda draw: {
        "told": (town := draw.choice(["Århus", "Odense", "Ribe"], ROWS)),
        "teller": [one.upper() for one in town],
    },
    "other language": lambda draw: {
        "told": (sex := draw.choice(["male", "female"], ROWS)),
        "teller": [{"male": "男", "female": "女"}[one] for one in sex],
    },
    "answer of women alone": lambda draw: {
        "told": (sex := draw.choice(["m", "k"], ROWS)),
        "teller": ["nie" if one == "k" and draw.random() > 0.03 else "tak" if one == "k" else None for one in sex],
    },
    "date of death": lambda draw: {
        "told": (dead := draw.random(ROWS) < 0.06),
        "teller": [f"2023-{draw.integers(1, 13):02d}-{draw.integers(1, 29):02d}" if one else None for one in dead],
    },
    "first part of a postcode": lambda draw: {
        "told": (
            code := [f"{draw.choice(['SW', 'NE'])}{draw.integers(1, 20)} {row % 10}AB{row}" for row in range(ROWS)]
        ),
        "teller": [one.split()[0] for one in code],
    },
    "medicine of a rare illness": lambda draw: {
        "told": (ill := draw.random(ROWS) < 0.04),
        "teller": ["AZT" if one and draw.random() < 0.8 else draw.choice(["aspirin", "none"]) for one in ill],
    },
    "tax": lambda draw: {
        "told": (pay := np.exp(draw.normal(10, 0.6, ROWS)).round(2)),
        "teller": np.maximum(0.3 * pay - 2000, 0.1 * pay).round(2),
    },
    "formatted amount": lambda draw: {
        "told": (pay := draw.permutation(90_000)[:ROWS] + 10_000),
        "teller": [f"kr {one // 1000}.{one % 1000:03d}" for one in pay],
    },
    "decile": lambda draw: {
        "told": (pay := np.exp(draw.normal(10, 0.6, ROWS)).round(2)),
        "teller": np.argsort(np.argsort(pay)) * 10 // ROWS + 1,
    },
}

SILENT: dict[str, Callable[[Draw], dict[str, Any]]] = {
    "correlation of 0.8": lambda draw: {
        "told": (first := draw.normal(size=ROWS)),
        "teller": 0.8 * first + 0.6 * draw.normal(size=ROWS),
    },
    "education and income": lambda draw: {
        "told": (pay := draw.normal(10, 0.5, ROWS)),
        "teller": np.digitize(pay + draw.normal(0, 0.6, ROWS), [9.5, 10, 10.5]),
    },
    "blood pressure and age": lambda draw: {
        "told": (age := ages(draw)),
        "teller": (100 + 0.6 * age + draw.normal(0, 14, ROWS)).round(),
    },
    "two nearly unique columns": lambda draw: {"told": draw.permutation(ROWS), "teller": draw.permutation(ROWS)},
    "nearly unique words": lambda draw: {
        "told": draw.choice(["a", "b", "c"], ROWS),
        "teller": [f"{one:x}" for one in draw.integers(16**7, 16**8, ROWS)],
    },
    "constant": lambda draw: {"told": ages(draw), "teller": ["x"] * ROWS},
    "nearly constant": lambda draw: {"told": ages(draw), "teller": draw.random(ROWS) < 0.01},
    "all missing": lambda draw: {"told": ages(draw), "teller": [None] * ROWS},
    "rare answer": lambda draw: {"told": draw.random(ROWS) < 0.05, "teller": draw.integers(0, 400, ROWS)},
    "many zeros": lambda draw: {
        "told": np.where(draw.random(ROWS) < 0.9, 0, draw.integers(1, 9999, ROWS)),
        "teller": np.where(draw.random(ROWS) < 0.9, 0, draw.integers(1, 9999, ROWS)),
    },
    "weight and height": lambda draw: {
        "told": (height := draw.normal(170, 10, ROWS)).round(),
        "teller": (0.9 * (height - 100) + draw.normal(0, 12, ROWS)).round(),
    },
    "the same household": lambda draw: {
        "told": np.repeat(draw.permutation(10 * ROWS)[: ROWS // 2], 2),
        "teller": np.repeat(draw.random(ROWS // 2) < 0.2, 2),
    },
}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", TELLING)
def test_a_column_that_tells_of_another_is_found(name: str, seed: int) -> None:
    (one,) = found("told", **TELLING[name](np.random.default_rng(seed)))
    assert (one.column, one.tells) == ("teller", ("told",))
    assert "'teller'" in one.reason
    assert "'told'" in one.reason


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", SILENT)
def test_ordinary_columns_are_no_dependence(name: str, seed: int) -> None:
    assert found("told", **SILENT[name](np.random.default_rng(seed))) == ()


@pytest.mark.parametrize("rows", [1, 3, 20])
def test_small_tables_say_nothing(rows: int) -> None:
    draw = np.random.default_rng(0)
    age = ages(draw, rows)
    assert found("age", age=age, code=draw.permutation(rows), day=draw.integers(1, 8, rows)) == ()


@pytest.mark.parametrize("seed", range(8))
def test_random_pairings_of_telling_columns_are_silent(seed: int) -> None:
    draw = np.random.default_rng(seed)
    for make in TELLING.values():
        columns = make(draw)
        teller = pl.Series(columns["teller"], strict=False).gather(draw.permutation(ROWS))
        assert found("told", told=columns["told"], teller=teller) == ()


def test_exact_means_no_exception() -> None:
    draw = np.random.default_rng(0)
    age = ages(draw)
    group = [f"{one // 10}0s" for one in age]
    assert [one.exact for one in found("age", age=age, group=group)] == [True]
    group[5] = "none"
    assert [one.exact for one in found("age", age=age, group=group)] == [False]


def test_the_reason_names_columns_and_shares_alone() -> None:
    draw = np.random.default_rng(0)
    code = draw.choice(list(ICD), ROWS)
    for one in found("code", code=code, label=[ICD[one] for one in code]):
        assert not any(word in one.reason for word in (*ICD, *ICD.values()))


def test_a_sample_is_said_and_always_the_same() -> None:
    draw = np.random.default_rng(0)
    age = ages(draw, 50_000)
    first = found("age", age=age, group=age // 10)
    assert "in a sample of 20,000 rows" in first[0].reason
    assert first == found("age", age=age, group=age // 10)


def test_a_teller_may_be_told_as_well() -> None:
    draw = np.random.default_rng(0)
    age = ages(draw)
    table = Table.of({"age": age, "group": age // 10})
    both = dependences(table, ["age", "group"], ["age", "group"])
    assert {(one.column, one.tells) for one in both} == {("age", ("group",)), ("group", ("age",))}


def test_stars_of_a_published_table_are_not_values() -> None:
    draw = np.random.default_rng(0)
    age = ages(draw)
    shown = ["*" if draw.random() < 0.6 else str(one) for one in age]
    table = Table.of({"age": shown, "group": [f"{one // 10}0s" for one in age], "left": draw.integers(0, 9, ROWS)})
    assert [(one.column, one.tells) for one in published_dependences(table, ["age"], ["left"])] == [("group", ("age",))]
