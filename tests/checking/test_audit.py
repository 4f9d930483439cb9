from __future__ import annotations

import json
from math import exp, log
from typing import Any

import polars as pl
import pytest

import shoal.models
from shoal.checking.audit import Audit, Finding, audit
from shoal.core.discovery import discover
from shoal.core.errors import ParameterError, RoleError
from shoal.hierarchies import Taxonomy
from shoal.models import KAnonymity, Model

DISEASE = ["Viral", "Heart", "Heart", "Cancer", "Viral", "Viral", "Heart", "Cancer", "Cancer", "Cancer"]
"""The ten patients of Liang and Yuan (2013), Table 1."""


def patients(*classes: set[int]) -> pl.DataFrame:
    """Publish the patients (numbered from 1) in these classes."""
    name = {number: f"class {place}" for place, members in enumerate(classes) for number in members}
    return pl.DataFrame({"cell": [name[number] for number in range(1, 11)], "disease": DISEASE})


def reached(table: object, require: str, **given: Any) -> float | list[float] | None:
    [finding] = audit(table, quasi=["cell"], sensitive=["disease"], require=require, **given).findings
    return finding.reached


THIRDS = patients({1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10})
CLOSE = patients({1, 2, 4}, {3, 5, 8, 9}, {6, 7, 10})


@pytest.mark.parametrize(
    ("table", "require", "level"),
    [
        (THIRDS, "k=3", 3),
        (THIRDS, "distinct-l(disease)=1", 1),
        (THIRDS, "l(disease)=1", 1),
        (THIRDS, "entropy-l(disease)=1", 1),
        (THIRDS, "recursive-l(disease)=(9,2)", None),
        (THIRDS, "t(disease)=1", 3 / 5),
        (CLOSE, "k=3", 3),
        (CLOSE, "distinct-l(disease)=3", 3),
        (CLOSE, "l(disease)=1", 2),
        (CLOSE, "entropy-l(disease)=1", exp(-(0.5 * log(0.5) + 2 * 0.25 * log(0.25)))),
        (CLOSE, "recursive-l(disease)=(9,2)", [1.0, 2.0]),
        (CLOSE, "recursive-l(disease)=(9,3)", [2.0, 3.0]),
        (CLOSE, "t(disease:equal)=0.1", 1 / 10),
        (patients(set(range(1, 11))), "t(disease)=0", 0),
        (patients({1, 2}, {3, 5, 8, 9}, {4, 6}, {7, 10}), "t(disease)=1", 2 / 5),
    ],
)
def test_hand_made_tables_reach_the_known_levels(
    table: pl.DataFrame, require: str, level: float | list[float] | None
) -> None:
    assert reached(table, require) == (level if level is None else pytest.approx(level, abs=1e-15))


def test_the_distances_of_salaries_are_those_of_the_paper() -> None:
    """Li, Li and Venkatasubramanian (2007), example of section 4.3: salaries 3k to 11k."""
    salary = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    for first, ordered in (({3, 4, 5}, 0.375), ({6, 8, 11}, 0.167)):
        cells = ["one" if value in first else "rest" for value in salary]
        table = {"cell": cells, "salary": salary}
        found = audit(table, quasi="cell", sensitive="salary", require="t(salary:ordered)=1 t(salary:numeric)=1")
        assert [finding.reached for finding in found.findings] == pytest.approx([ordered, ordered], abs=1e-3)


def test_the_hierarchical_distance_reads_the_hierarchy_given() -> None:
    table = {"cell": list("xxyy"), "disease": ["flu", "flu", "cold", "gout"]}
    tree = {"disease": Taxonomy([("flu", "lung"), ("cold", "lung"), ("gout", "joint")])}
    assert reached(table, "t(disease:hierarchy)=1", hierarchies=tree) == 3 / 8
    assert reached(table, "t(disease)=1", hierarchies=tree) == 3 / 8
    assert reached(table, "t(disease:equal)=1", hierarchies=tree) == 1 / 2
    with pytest.raises(ParameterError, match="needs a hierarchy of 'disease'"):
        reached(table, "t(disease:hierarchy)=1")


def test_the_shape_of_the_classes_is_counted() -> None:
    found = audit({"age": [1, 1, 1, 2, 2, 3], "sex": list("mmfmmf")}, quasi=["age", "sex"])
    assert (found.rows, found.classes, found.smallest_class, found.largest_class, found.unique_rows) == (6, 4, 1, 2, 2)


def test_a_missing_value_equals_only_a_missing_value_and_a_star_only_a_star() -> None:
    found = audit({"age": [None, None, "*", "*", "", "", "x"]}, quasi=["age"], require="k=2")
    assert (found.classes, found.smallest_class, found.findings[0].failing_rows) == (4, 1, 1)


def test_a_star_does_not_join_the_rows_it_could_be() -> None:
    assert audit({"age": ["20", "20", "20", "*"]}, quasi=["age"], require="k=2").findings[0].reached == 1


def test_missing_sensitive_values_count_as_a_value() -> None:
    table = {"cell": list("xxxx"), "disease": [None, None, "flu", "gout"]}
    assert reached(table, "distinct-l(disease)=1") == 3
    assert reached(table, "l(disease)=1") == 2


def test_rows_with_missing_values_are_never_left_out() -> None:
    found = audit({"age": [1, None, 1, None], "sex": ["m", None, "m", "f"]}, quasi=["age", "sex"], require="k=1")
    assert (found.rows, found.classes, found.unique_rows) == (4, 3, 2)


def test_joint_and_given_readings_are_stricter_than_each_attribute_alone() -> None:
    table = {"cell": ["x"] * 4, "disease": ["flu", "flu", "gout", "gout"], "drug": ["a", "a", "b", "b"]}
    found = audit(
        table,
        quasi="cell",
        sensitive=["disease", "drug"],
        require="distinct-l(disease)=1 distinct-l(disease+drug)=1 distinct-l(disease|drug)=1",
    )
    assert [(finding.attribute, finding.reached) for finding in found.findings] == [
        ("disease", 2.0),
        ("disease+drug", 2.0),
        ("disease|drug", 1.0),
    ]


# With and without a requirement


def test_a_requirement_says_what_holds_and_where_it_fails() -> None:
    found = audit(THIRDS, quasi=["cell"], sensitive=["disease"], require="k=4 distinct-l(disease)=2 t(disease)=0.6")
    assert not found.holds
    assert found.findings == (
        Finding("k=4", "k", None, 4.0, 3.0, False, 2, 6, 2, 6, {}),
        Finding("distinct-l(disease)=2", "distinct-l", "disease", 2.0, 1.0, False, 1, 3, 1, 3, {}),
        Finding("t(disease)=0.6", "t", "disease", 0.6, 0.6, True, 0, 0, 1, 3, {}),
    )


def test_a_limit_is_decided_exactly() -> None:
    require = "t(disease)={}"
    assert audit(THIRDS, quasi="cell", sensitive="disease", require=require.format("0.6")).holds
    assert audit(THIRDS, quasi="cell", sensitive="disease", require=require.format("3/5")).holds
    assert not audit(THIRDS, quasi="cell", sensitive="disease", require=require.format("0.5999999999999999")).holds


def test_a_requirement_may_be_a_model() -> None:
    assert audit(THIRDS, quasi="cell", require=KAnonymity(3)).holds


def test_without_a_requirement_every_model_is_measured_for_every_sensitive_column() -> None:
    table = THIRDS.with_columns(drug=pl.Series(list("aabbaabbab")))
    found = audit(table, quasi="cell", sensitive=["disease", "drug"])
    known = [kind for kind in discover(shoal.models, Model).values() if not kind.needs_households]
    kinds = [kind for kind in known if kind.measured_unasked and kind.name != "e"]
    expected: list[tuple[str, str | None]] = [(kind.name, None) for kind in kinds if not kind.reads_attribute]
    expected += [(kind.name, name) for name in ("disease", "drug") for kind in kinds if kind.reads_attribute]
    assert [(finding.name, finding.attribute) for finding in found.findings] == expected
    assert all(
        finding.asked is None and finding.holds is None and finding.failing_rows == 0 for finding in found.findings
    )
    assert {finding.name: finding.reached for finding in found.findings if finding.attribute in (None, "disease")} == {
        "k": 3.0,
        "alpha": 1.0,
        "beta": pytest.approx(1.5),
        "enhanced-beta": None,
        "delta": None,
        "distinct-l": 1.0,
        "l": 1.0,
        "entropy-l": 1.0,
        "recursive-l": None,
        "t": pytest.approx(0.6),
    }


@pytest.mark.parametrize("require", [None, "k=4 l(disease)=2 recursive-l(disease)=(2,2)"])
def test_an_audit_is_valid_json(require: str | None) -> None:
    found = audit(THIRDS, quasi="cell", sensitive="disease", require=require)
    said = json.loads(found.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    shown = {*Audit.__dataclass_fields__, "holds", "risk", "warnings"}
    assert set(said) == shown - {"violations", "measured", "warned"}
    assert said["holds"] is (None if require is None else False)
    assert [set(finding) for finding in said["findings"]] == [set(Finding.__dataclass_fields__)] * len(found.findings)


def test_a_table_of_one_class_and_one_value_is_measured() -> None:
    found = audit({"cell": [1], "disease": ["flu"]}, quasi="cell", sensitive="disease")
    assert (found.classes, found.smallest_class) == (1, 1)
    assert json.loads(found.to_json())["unique_rows"] == 1


# What is refused


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quasi": ["cel"]}, r"no column 'cel'; did you mean 'cell'\?"),
        ({"quasi": ["cell"], "sensitive": ["illness"]}, "no column 'illness'"),
        ({"quasi": []}, "no column is a quasi-identifier"),
        ({"quasi": ["cell"], "sensitive": ["cell"]}, "column 'cell' is named 2 times"),
        (
            {"quasi": ["cell"], "require": "l(disease)=2"},
            r"l\(disease\)=2 reads 'disease'; expected a sensitive column",
        ),
        ({"quasi": ["cell"], "sensitive": ["disease"], "require": "l(disease|cell)=2"}, "reads 'cell'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(RoleError, match=message):
        audit(THIRDS, **given)


def test_an_empty_requirement_is_refused() -> None:
    with pytest.raises(ParameterError, match="the requirement is empty"):
        audit(THIRDS, quasi="cell", require="")
