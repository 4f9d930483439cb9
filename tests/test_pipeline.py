from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import HierarchyError, Infeasible, ParameterError, RoleError, ShoalError, Unsupported
from shoal.hierarchies import Intervals, Prefixes, Taxonomy
from shoal.models import TCloseness
from shoal.pipeline import run
from shoal.request import Request
from shoal.studies.synth import QUASI, SENSITIVE, census, census_hierarchies
from shoal.tables.table import Table

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gus", "Hal"],
    "age": [23, 27, 25, 29, 61, 64, 68, 66],
    "town": ["Oslo", "Oslo", "Rome", "Rome", "Oslo", "Rome", "Rome", "Oslo"],
    "illness": ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout"],
    "note": list("abcdefgh"),
}


def anonymize(**given: Any) -> shoal.Release:
    asked: dict[str, Any] = {
        "quasi": ["age", "town"],
        "sensitive": ["illness"],
        "identifiers": ["name"],
        "other": ["note"],
        "allow": ["note"],
        "require": "k=2",
        **given,
    }
    return shoal.anonymize(asked.pop("data", PEOPLE), **asked)


# The whole call


def test_every_argument_at_once(tmp_path: Path) -> None:
    said: list[tuple[float, str]] = []
    release = shoal.anonymize(
        census(500, seed=3),
        quasi=QUASI[:4],
        sensitive=SENSITIVE,
        leave_out=["birthplace"],
        other="rest",
        require="k=3 l(occupation)=2 t(income)=0.6",
        hierarchies={name: builder for name, builder in census_hierarchies().items() if name in QUASI[:4]},
        attribute_weights={"age": 2, "race": "1/2"},
        recoding="generalize",
        cost="height",
        method="mondrian",
        max_dropped=0.01,
        population=None,
        star="*",
        seed=4,
        time_limit=60,
        memory_limit=None,
        engine="local",
        progress=lambda share, doing: said.append((share, doing)),
    )
    certificate = release.certificate
    assert (certificate.method, certificate.cost.name, certificate.recoding) == ("mondrian", "height", "generalize")
    assert certificate.rows + certificate.dropped == 500
    assert release.table.columns == [*QUASI[:4], *SENSITIVE, "education", "workclass"]
    assert release.audit.holds
    assert shoal.verify(release.save(tmp_path / "out"), original=census(500, seed=3)).failures == []
    assert release.config["attribute_weights"] == {"age": 2.0, "race": 0.5}
    assert [share for share, _ in said] == sorted(share for share, _ in said)
    assert {"encoding", "publishing", "auditing"} <= {doing for _, doing in said}


def test_the_certificate_says_what_was_reached() -> None:
    certificate = anonymize(require="k=2 distinct-l(illness)=2", recoding="range").certificate
    assert certificate.status == "optimal"
    assert certificate.lower_bound == float(certificate.cost) == certificate.cost.value
    assert certificate.gap == 1.0
    assert certificate.guarantee is not None
    assert [dict(model) for model in certificate.models] == [
        {"name": "k", "attribute": None, "asked": 2.0, "reached": 2.0},
        {"name": "distinct-l", "attribute": "illness", "asked": 2.0, "reached": 2.0},
    ]
    assert json.loads(certificate.to_json())["cost"] == {"name": "ncp", "value": float(certificate.cost)}


def test_a_request_runs_the_same_as_the_call() -> None:
    request = Request(["age", "town"], "k=2", ["illness"], ["name"], other=["note"], allow=["note"])
    assert run(Table.of(PEOPLE), request).table.equals(anonymize().table)


def test_a_requirement_may_be_models_joined() -> None:
    joined = shoal.KAnonymity(2) & shoal.LDiversity(2, "illness") & shoal.TCloseness(0.5, "illness", distance="equal")
    as_text = anonymize(require="k=2 l(illness)=2 t(illness:equal)=0.5")
    assert anonymize(require=joined).certificate.to_json() == as_text.certificate.to_json()


def test_one_name_may_stand_for_a_list_of_one() -> None:
    assert shoal.anonymize(PEOPLE, quasi="age", leave_out="rest", require="k=2").certificate.quasi == ("age",)


def test_an_engine_is_for_its_own_frames() -> None:
    with pytest.raises(Unsupported, match=r"the engine spark (needs pyspark|works on Spark data frames)"):
        anonymize(engine="spark")
    with pytest.raises(ParameterError, match="unknown engine 'sparc'; expected 'local' or 'spark'"):
        anonymize(engine="sparc")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"quasi": []}, RoleError, "no column is a quasi-identifier"),
        ({"quasi": ["agee"]}, RoleError, r"no column 'agee'; did you mean 'age'\?"),
        ({"identifiers": ["age"]}, RoleError, "column 'age' is named 2 times among the roles"),
        ({"require": "l(town)=2"}, RoleError, r"l\(town\)=2 reads 'town'; expected a sensitive column"),
        ({"require": ""}, ParameterError, "the requirement is empty"),
        ({"recoding": "sufress"}, ParameterError, r"unknown recoding 'sufress'; did you mean 'suppress'\?"),
        ({"cost": "star"}, ParameterError, r"unknown cost 'star'; did you mean 'stars'\?"),
        ({"cost": "height", "recoding": "range"}, ParameterError, "cost 'height' is not defined for the recoding"),
        ({"method": "mondrain"}, ParameterError, r"unknown method 'mondrain'; did you mean 'mondrian'\?"),
        ({"attribute_weights": {"illness": 2}}, RoleError, "a weight is given for 'illness'"),
        ({"attribute_weights": {"age": 0}}, ParameterError, "weight is 0; expected a number above 0"),
        ({"attribute_weights": {"age": 2}, "cost": "stars"}, ParameterError, "cost 'stars' takes no attribute weights"),
        ({"max_dropped": 1.5}, ParameterError, "max_dropped is 1.5; expected a number from 0 to 1"),
        ({"max_dropped": -0.1}, ParameterError, "max_dropped is -0.1"),
        ({"star": "?"}, ParameterError, r"star is '\?'; expected '\*' or 'null'"),
        ({"seed": -1}, ParameterError, "seed is -1; expected a whole number of at least 0"),
        ({"seed": 1.5}, ParameterError, "seed is 1.5"),
        ({"time_limit": -1}, ParameterError, "time_limit is -1"),
        ({"hierarchies": {"illness": "stars", "agee": "stars"}}, HierarchyError, "a hierarchy is given for 'agee'"),
        ({"hierarchies": {"age": "nonsense"}}, ParameterError, "unknown hierarchy builder 'nonsense'"),
        ({"data": 5}, ShoalError, "cannot read a table from a int"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(given: dict[str, Any], error: type[ShoalError], message: str) -> None:
    with pytest.raises(error, match=message):
        anonymize(**given)


def test_a_method_that_cannot_take_the_table_says_why() -> None:
    with pytest.raises(Unsupported, match=r"method 'subset-dp' cannot do this: .*try --method auto"):
        shoal.anonymize(census(100), quasi=QUASI[:2], leave_out="rest", require="k=2", method="subset-dp")


# Hierarchies, however they are given

TREE = {"Norway": ["Oslo"], "Italy": ["Rome"]}


@pytest.mark.parametrize("kind", ["file", "text of a file", "json", "builder", "mapping", "spec"])
def test_a_hierarchy_may_be_given_in_any_way(tmp_path: Path, kind: str) -> None:
    (tmp_path / "towns.csv").write_text("Oslo;Norway;*\nRome;Italy;*\n")
    (tmp_path / "towns.json").write_text(json.dumps(TREE))
    ways: dict[str, object] = {
        "file": tmp_path / "towns.csv",
        "text of a file": str(tmp_path / "towns.csv"),
        "json": tmp_path / "towns.json",
        "builder": Taxonomy([("Oslo", "Norway"), ("Rome", "Italy")]),
        "mapping": TREE,
        "spec": {"builder": "taxonomy", "rows": [["Oslo", "Norway"], ["Rome", "Italy"]]},
    }
    release = anonymize(hierarchies={"town": ways[kind], "age": "intervals:width=10,20"}, recoding="generalize")
    built = anonymize(hierarchies={"town": ways["builder"], "age": Intervals(width=(10, 20))}, recoding="generalize")
    assert release.table.equals(built.table)
    assert release.config == built.config


def test_words_name_a_builder() -> None:
    codes = {"code": ["1234", "1235", "1299", "1288"]}
    by_word = shoal.anonymize(
        codes, quasi="code", require="k=2", recoding="generalize", hierarchies={"code": "prefixes:3,2"}
    )
    built = shoal.anonymize(
        codes, quasi="code", require="k=2", recoding="generalize", hierarchies={"code": Prefixes((3, 2))}
    )
    assert by_word.table.equals(built.table)
    assert by_word.table["code"].to_list() == ["123*", "123*", "12**", "12**"]


# Several sensitive attributes, and metrics


def test_two_sensitive_attributes_have_each_their_own_t() -> None:
    table = census(1000, seed=6)
    require = "t(income:ordered)=0.2 t(occupation:equal)=0.5"
    release = shoal.anonymize(table, quasi=QUASI[:3], sensitive=SENSITIVE, leave_out="rest", require=require)
    levels = {model["attribute"]: model["reached"] for model in release.certificate.models}
    assert 0 < levels["income"] <= 0.2 < levels["occupation"] <= 0.5
    found = shoal.audit(release.table, quasi=QUASI[:3], sensitive=SENSITIVE, require=require)
    assert found.holds
    assert found.classes > 1


def test_a_metric_may_be_an_object_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "pains.csv").write_text("low,mid,high\n0,0.5,1\n0.5,0,0.5\n1,0.5,0\n")
    metric = shoal.Metric.of(["low", "mid", "high"], [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]], "pains.csv")
    table = {"age": [1, 1, 2, 2, 3, 3], "pain": ["low", "high", "mid", "low", "high", "mid"]}
    asked = [TCloseness(Fraction(1, 4), "pain", distance=metric), f't(pain:"{tmp_path / "pains.csv"}")=0.25']
    one, other = (shoal.anonymize(table, quasi="age", sensitive="pain", require=require) for require in asked)  # type: ignore[arg-type]
    assert one.certificate.to_json() == other.certificate.to_json()
    assert one.certificate.models[0]["reached"] <= 0.25
    assert shoal.verify(one.save(tmp_path / "out"), original=table).failures == []


def test_a_metric_must_know_every_value() -> None:
    metric = shoal.Metric.of(["flu", "cold"], [[0, 1], [1, 0]], "colds")
    with pytest.raises(ParameterError, match="the metric 'colds' has no distances for 1 of 2 values"):
        anonymize(require=TCloseness(0.5, "illness", distance=metric))


# Weights


def test_a_heavy_attribute_is_starred_last() -> None:
    square = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}
    for heavy, light in (("a", "b"), ("b", "a")):
        weights = {heavy: 10}
        release = shoal.anonymize(
            square, quasi=["a", "b"], require="k=2", recoding="suppress", attribute_weights=weights
        )
        assert release.certificate.cost.name == "height"
        assert float(release.certificate.cost) == 4.0
        assert release.table[light].to_list() == ["*"] * 4
        assert release.table[heavy].to_list() == square[heavy]


# Dropping rows


def too_common(rows: int, others: int) -> dict[str, Any]:
    """A table in which one sensitive value fills more than half."""
    return {
        "age": [20 + row % 5 for row in range(rows + others)],
        "illness": ["flu"] * rows + [f"rare {row}" for row in range(others)],
    }


def test_a_value_too_common_is_infeasible_and_says_who_is_at_fault() -> None:
    with pytest.raises(Infeasible, match=r"no release of this table meets l\(illness\)=2") as caught:
        shoal.anonymize(too_common(17, 10), quasi="age", sensitive="illness", require="k=2 l(illness)=2")
    assert caught.value.model == "l(illness)=2"
    assert float(str(caught.value.reached)) == pytest.approx(27 / 17, rel=1e-5)
    assert caught.value.rows == tuple(range(17))
    assert "one value of 'illness' is too common" in str(caught.value)


def test_too_large_a_k_is_infeasible() -> None:
    with pytest.raises(Infeasible, match="all rows together as one class reach 8") as caught:
        anonymize(require="k=9")
    assert (caught.value.model, str(caught.value.reached), caught.value.rows) == ("k=9", "8", tuple(range(8)))


@pytest.mark.parametrize(
    ("require", "most"), [("l(illness)=2", 10), ("l(illness)=3", 5), ("l(illness)=1.5", 20), ("l(illness)=11", 1)]
)
def test_no_more_rows_are_dropped_than_must_be(tmp_path: Path, require: str, most: int) -> None:
    """With 10 other people, each with a value of their own, `most` people may share one."""
    table = too_common(most + 7, 10)
    rows = most + 17
    release = shoal.anonymize(
        table, quasi="age", sensitive="illness", require=require, max_dropped=Fraction(7, rows), recoding="range"
    )
    assert (release.certificate.dropped, release.certificate.rows) == (7, rows - 7)
    assert release.table["illness"].to_list().count("flu") == most
    assert release.audit.holds
    assert shoal.verify(release.save(tmp_path / "out"), original=table).failures == []
    with pytest.raises(Infeasible):
        shoal.anonymize(table, quasi="age", sensitive="illness", require=require, max_dropped=Fraction(6, rows))


def test_nothing_is_dropped_where_nothing_must_be() -> None:
    assert anonymize(require="k=2 l(illness)=2", max_dropped=0.5).certificate.dropped == 0


def test_dropped_rows_are_marked_and_left_out() -> None:
    release = shoal.anonymize(
        too_common(12, 10), quasi="age", sensitive="illness", require="l(illness)=2", max_dropped=0.1
    )
    labels = release.classes.class_of_row
    assert int((labels < 0).sum()) == release.classes.dropped == release.certificate.dropped == 2
    assert release.table.height == 20
    assert any("2 rows dropped" in decision for decision in release.decisions)


def test_closeness_is_measured_to_the_rows_that_are_left() -> None:
    """Dropping changes the distribution that classes are compared with."""
    release = shoal.anonymize(
        too_common(12, 10),
        quasi="age",
        sensitive="illness",
        require="l(illness)=2 t(illness:equal)=0.4",
        max_dropped=0.1,
    )
    found = shoal.audit(release.table, quasi="age", sensitive="illness", require="t(illness:equal)=0.4")
    stated = next(model for model in release.certificate.models if model["name"] == "t")
    assert release.certificate.dropped == 2
    assert found.findings[0].reached == stated["reached"]


# Time and chance


@pytest.mark.parametrize("method", ["auto", "mondrian", "m-approx"])
def test_no_time_at_all_still_gives_a_valid_release(tmp_path: Path, method: str) -> None:
    table = census(300, seed=8)
    release = shoal.anonymize(table, quasi=QUASI[:3], leave_out="rest", require="k=5", method=method, time_limit=0)
    assert release.audit.holds
    assert shoal.verify(release.save(tmp_path / "out"), original=table).failures == []


def test_no_time_at_all_still_gives_a_valid_release_of_a_small_table() -> None:
    release = anonymize(method="subset-dp", time_limit=0)
    assert release.audit.holds
    assert release.certificate.rows == 8


def test_the_seed_is_all_the_chance_there_is() -> None:
    table = census(300, seed=9)
    one, same = (shoal.anonymize(table, quasi=QUASI[:4], leave_out="rest", require="k=4", seed=5) for _ in range(2))
    assert one.table.equals(same.table)
    np.testing.assert_array_equal(one.classes.class_of_row, same.classes.class_of_row)


def test_what_was_decided_without_being_asked_is_in_the_log() -> None:
    decisions = anonymize(recoding="generalize").decisions
    assert "cost: ncp" in decisions
    assert "hierarchy of age: 2 levels, ranges of 50" in decisions
    assert "published as they are: note" in decisions
    assert "left out: name" in decisions
    assert any(decision.startswith("auto tried subset-dp") for decision in decisions)


@pytest.mark.parametrize(
    ("asked", "recoding", "cost"),
    [
        ({}, "range", "ncp"),
        ({"hierarchies": {"age": "intervals:width=50"}}, "generalize", "ncp"),
        ({"hierarchies": {"illness": "common"}}, "range", "ncp"),
        ({"coarsen": {"age": 1}}, "generalize", "ncp"),
        ({"column_recodings": {"age": "range"}}, "mixed", "ncp"),
        ({"cost": "precision"}, "generalize", "precision"),
        ({"cost": "stars"}, "suppress", "stars"),
        ({"cost": "starred-rows"}, "suppress", "starred-rows"),
        ({"method": "m-approx"}, "suppress", "stars"),
        ({"star": "null"}, "suppress", "stars"),
        ({"method": "tp-plus", "require": "l(illness)=2"}, "suppress", "stars"),
        ({"method": "mondrian"}, "generalize", "ncp"),
        ({"method": "full-domain"}, "full-domain", "ncp"),
        ({"method": "anatomy", "require": "l(illness)=2"}, "anatomy", "reconstruction"),
    ],
)
def test_the_recoding_where_none_is_named(asked: dict[str, Any], recoding: str, cost: str) -> None:
    stated = anonymize(**asked).certificate
    assert (stated.recoding, stated.cost.name) == (recoding, cost)


def test_the_codebook_says_what_the_levels_of_a_column_are() -> None:
    levels = {
        column["name"]: column.get("hierarchy") for column in anonymize(recoding="generalize").codebook["columns"]
    }
    assert levels == {
        "age": "2 levels, ranges of 50",
        "town": "1 level, the value or a star",
        "illness": None,
        "note": None,
    }
    assert all("hierarchy" not in column for column in anonymize(recoding="suppress").codebook["columns"])


def test_a_column_of_numbers_that_odd_values_make_text_is_in_the_log_without_the_values() -> None:
    odd = {
        "age": ["9", "10", "9", "secret"],
        "size": ["9", "10", "9", "10"],
        "town": ["a", "b", "a", "b"],
        "pay": ["1", "2", None, "hidden"],
        "note": ["1", "2", "3", "silent"],
    }
    decisions = shoal.anonymize(
        odd, quasi=["age", "size", "town"], sensitive=["pay"], other="note", allow="note", require="k=2"
    ).decisions
    assert [decision for decision in decisions if "ordered as text" in decision] == [
        "ordered as text, because 1 different values are not numbers: age",
        "ordered as text, because 1 different values are not numbers: pay",
    ]
    assert not any(word in decision for decision in decisions for word in ("secret", "hidden", "silent"))


def test_the_public_names_are_all_there() -> None:
    for name in shoal.__all__:
        assert getattr(shoal, name).__name__ == name
    assert set(shoal.__all__) <= set(dir(shoal))
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = shoal.anonymise


def test_a_table_of_one_row_is_published_as_it_is() -> None:
    assert shoal.anonymize({"age": [3]}, quasi="age", require="k=1").table.equals(pl.DataFrame({"age": [3]}))
