"""Tables that something else published, listed in a comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from tests.strategies import Case, cases
from tests.thorough import examples
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.core.errors import Infeasible, ParameterError, Unsupported
from shoal.methods.general.mondrian import Mondrian
from shoal.studies.comparison import compare
from shoal.studies.external_tables import measured
from shoal.tables.table import TABLE, Table

PEOPLE = {"age": [21, 25, 38, 39, 60, 61], "sex": ["f", "f", "m", "m", "m", "m"]}
ASKED: dict[str, Any] = {
    "quasi": ["age", "sex"],
    "require": "k=2",
    "recoding": "generalize",
    "hierarchies": {"age": "intervals:width=10,40"},
}
OLD = {
    "age": ["[20, 30)", "[20, 30)", "[30, 40)", "[30, 40)", "*", "*"],
    "sex": ["f", "f", "m", "m", "*", "*"],
}
FALSE = "more rows show a value or block than have it in the table"


def test_a_published_table_stands_beside_the_methods() -> None:
    found = compare(PEOPLE, methods=["mondrian"], also={"old": OLD}, **ASKED)
    old = found["old"]
    assert (old.status, old.reason, old.classes, old.dropped) == ("published", None, 3, 0)
    assert old.cost == pytest.approx(_ncp(OLD))
    assert old.models[0]["reached"] == 2
    assert found.best is not None
    assert found.best.method == "mondrian"


def _ncp(table: dict[str, list[str]]) -> float:
    """NCP by hand: of six ages ten years cover two, so 1 / 5; a star is 1."""
    ages = [1.0 if cell == "*" else 1 / 5 for cell in table["age"]]
    sexes = [1.0 if cell == "*" else 0.0 for cell in table["sex"]]
    return (sum(ages) + sum(sexes)) / 12


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({key: cells[:4] for key, cells in OLD.items()}, "2 rows are missing, more than max_dropped allows"),
        ({**OLD, "sex": ["f", "f", "m", "*", "*", "*"]}, "the audit refuses k=2: 2 rows"),
        ({"age": ["21"] * 3 + ["60"] * 3, "sex": ["f"] * 3 + ["m"] * 3}, f"{FALSE}: age, sex"),
        ({**OLD, "age": ["[20, 30)"] * 4 + ["*"] * 2}, f"{FALSE}: age"),
    ],
)
def test_a_table_that_does_not_keep_to_the_request_is_shown_and_never_the_best(table: Any, why: str) -> None:
    found = compare(PEOPLE, methods=["subset-dp"], also={"old": table}, **ASKED)
    old = found["old"]
    assert (old.status, old.reason, old.gap) == ("unconfirmed", why, None)
    assert old.cost is not None
    assert found.best is not None
    assert found.best.method == "subset-dp"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({**OLD, "age": ["20s"] * 6}, "1 of 1 different cells in 'age' are not labels"),
        ({key: cells * 2 for key, cells in OLD.items()}, "it has 12 rows, more than the 6 of the table"),
        ({"age": OLD["age"]}, "sex"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(table: Any, why: str) -> None:
    old = compare(PEOPLE, methods=["mondrian"], also={"old": table}, **ASKED)["old"]
    assert old.status == "failed"
    assert why in str(old.reason)


def test_full_domain_asks_for_one_level_a_column() -> None:
    asked = ASKED | {"recoding": "full-domain", "max_suppressed": 0.4}
    mixed = {**OLD, "age": ["[20, 30)", "[20, 30)", "[0, 40)", "[0, 40)", "*", "*"]}
    found = compare(PEOPLE, methods=["full-domain"], also={"old": OLD, "mixed": mixed}, **asked)
    assert found["old"].status == "published"
    assert found["mixed"].reason == "columns are published at several levels: age"
    strict = compare(PEOPLE, methods=["full-domain"], also={"old": OLD}, **(asked | {"max_suppressed": 0.1}))
    assert strict["old"].reason == "2 rows are stars, more than max_suppressed allows"


def test_single_dimensional_asks_for_one_block_a_value() -> None:
    asked = ASKED | {"recoding": "single-dimensional"}
    apart = {**OLD, "age": ["[20, 30)"] * 4 + ["[40, 60)"] * 2, "sex": ["*"] * 6}
    mixed = {**OLD, "age": ["[20, 30)", "[20, 30)", "[0, 40)", "[0, 40)", "*", "*"]}
    found = compare(PEOPLE, methods=["tds"], also={"apart": apart, "mixed": mixed}, **asked)
    assert "several blocks" not in str(found["apart"].reason)
    assert str(found["mixed"].reason).endswith("columns show a value in several blocks: age, sex")


def test_costs_that_ask_for_rows_are_refused_in_words() -> None:
    old = compare(PEOPLE, methods=["mondrian"], also={"old": OLD}, cost="non-uniform-entropy", **ASKED)["old"]
    assert "a published table does not say" in str(old.reason)
    with pytest.raises(ParameterError, match="a name that no method has"):
        compare(PEOPLE, methods=["mondrian"], also={"mondrian": OLD}, **ASKED)


@given(case=cases())
@settings(max_examples=examples(60))
def test_what_shoal_publishes_costs_the_same_as_a_table_of_others(case: Case) -> None:
    problem = case.problem
    try:
        found = Mondrian().run(problem)
    except (Infeasible, Unsupported):
        return
    published = problem.publish(found.partition)
    try:
        peer = measured(problem, Table(published.tables()[TABLE]))
    except Unsupported:
        return
    assert peer.cost == pytest.approx(found.cost)
    assert peer.dropped == found.partition.dropped


def test_the_command_lists_published_tables(tmp_path: Path) -> None:
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    pl.DataFrame(OLD).write_csv(tmp_path / "old.csv")
    words = [
        *("compare", str(tmp_path / "people.csv"), "--methods", "mondrian", "--quasi", "age,sex", "--require", "k=2"),
        *("--recoding", "generalize", "--hierarchy", "age=intervals:width=10,40"),
    ]
    result = CliRunner().invoke(app, [*words, "--also", f"old={tmp_path / 'old.csv'}", "--json"])
    assert result.exit_code == 0
    assert [one["method"] for one in json.loads(result.output)["outcomes"]] == ["old", "mondrian"]
    refused = CliRunner().invoke(app, [*words, "--also", "old.csv"])
    assert isinstance(refused.exception, ParameterError | SystemExit)


def test_the_api_has_it() -> None:
    assert shoal.compare(PEOPLE, methods=["mondrian"], also={"old": OLD}, **ASKED)["old"].cost is not None
