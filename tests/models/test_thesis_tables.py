"""The tables of the thesis on t-closeness for multiple numerical sensitive attributes, chapter 2, by number."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.hierarchies import Taxonomy
from shoal.models.emd import Line, Tree

ZIPS = ["67204", "67221", "67222", "67211", "67214", "67213", "67201", "67230", "67207"]
AGES = [28, 23, 24, 44, 49, 51, 32, 36, 33]
DIAGNOSES = ["Bronchitis"] * 3 + ["Pneumonia"] * 2 + ["Bone Cancer", "Bronchitis"] + ["Liver Cancer"] * 2
TABLE_1 = pl.DataFrame({"zip": ZIPS, "age": AGES, "diagnosis": DIAGNOSES})
TABLE_2 = TABLE_1.with_columns(zip=pl.lit("672**"), age=pl.lit("20-59"))
SHOWN = {
    "zip": ["672**"] * 3 + ["6721*"] * 3 + ["672**"] * 3,
    "age": ["2*"] * 3 + ["40-59"] * 3 + ["3*"] * 3,
}
TABLE_3 = pl.DataFrame({**SHOWN, "diagnosis": DIAGNOSES})
TABLE_5 = pl.DataFrame(
    {
        **SHOWN,
        "diagnosis": [
            *("Bronchitis", "Pneumonia", "Liver Cancer"),
            *("Bronchitis", "Pneumonia", "Bone Cancer"),
            *("Bronchitis", "Liver Cancer", "Bone Cancer"),
        ],
    }
)
TABLE_6 = pl.DataFrame(
    {
        **SHOWN,
        "salary": [23_000, 21_000, 27_000, 58_000, 49_000, 56_000, 81_000, 83_000, 91_000],
        "diagnosis": [
            *("Bronchitis", "Pneumonia", "Liver Cancer"),
            *("Bronchitis", "Pneumonia", "Bone Cancer"),
            *("Lung Cancer", "Bone Cancer", "Liver Cancer"),
        ],
    }
)
TREES = {
    "zip": Taxonomy([(code, f"{code[:4]}*") for code in ZIPS]),
    "age": Taxonomy([(str(age), f"{age // 10}*", "20-39" if age < 40 else "40-59") for age in AGES]),
}


def reached(table: pl.DataFrame, require: str) -> list[float]:
    sensitive = [name for name in table.columns if name not in SHOWN]
    found = shoal.audit(table, quasi=list(SHOWN), sensitive=sensitive, require=require)
    return [float(one.reached) for one in found.findings]  # type: ignore[arg-type]


def test_tables_2_and_3_are_3_anonymous_and_table_3_loses_less() -> None:
    assert reached(TABLE_2, "k=3") == [9]
    assert reached(TABLE_3, "k=3") == [3]
    asked: dict[str, Any] = {"quasi": list(SHOWN), "sensitive": ["diagnosis"], "hierarchies": TREES, "require": "k=3"}
    old = {"table 3": TABLE_3.with_columns(pl.col("zip").replace("672**", "*"))}
    found = shoal.compare(TABLE_1, methods=["subset-dp"], also=old, **asked)
    best, printed = found["subset-dp"].cost, found["table 3"].cost
    assert best == printed == 0.5  # no 3-anonymous version loses less by NCP; table 2 loses everything


def test_table_3_has_one_diagnosis_in_its_first_class_and_table_5_three_in_each() -> None:
    assert reached(TABLE_3, "distinct-l(diagnosis)=3") == [1]
    assert reached(TABLE_5, "k=3 distinct-l(diagnosis)=3 l(diagnosis)=3") == [3, 3, 3]


def test_table_6_is_diverse_and_far_from_the_table() -> None:
    """The three lowest salaries of nine are 3/8 away, as the three highest are."""
    require = "distinct-l(salary)=3 distinct-l(diagnosis)=3 t(salary:ordered)=0.2"
    assert reached(TABLE_6, require) == [3, 3, pytest.approx(3 / 8)]


def test_the_skewness_attack_is_on_the_class_with_nine_positive_records() -> None:
    """The text names the other one; 1 % of the population are positive."""
    ground, population = Tree(np.arange(2)[None, :]), np.array([1, 99])
    found = [ground.one({0: positive, 1: 10 - positive}, population) for positive in (5, 9, 1)]
    assert found == [Fraction(49, 100), Fraction(89, 100), Fraction(9, 100)]
    assert Line((1,)).one({0: 9, 1: 1}, population) == found[1]
