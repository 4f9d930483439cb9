"""What other tools get wrong, each fault as a small table on which it shows: here it must not.

The faults were found in published tools for anonymizing tables and for measuring them; a test is named after what
must hold instead.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.core.errors import Infeasible, ParameterError
from shoal.models import TCloseness
from shoal.tables.table import read

RECODINGS = ("suppress", "generalize", "range", "centroid")


def level(table: object, require: str) -> float | list[float] | None:
    """The level that the classes of column `cell` reach for column `ill`."""
    [finding] = shoal.audit(table, quasi="cell", sensitive="ill", require=require).findings
    return finding.reached


def holds(table: object, require: str) -> bool:
    return shoal.audit(table, quasi="cell", sensitive="ill", require=require).holds


# Missing values dropped from counts

GAPS = {"age": [30, 30, None, None, None], "town": ["Oslo", "Oslo", "Rome", "Rome", None], "ill": [*"abab", None]}


def test_rows_with_missing_quasi_identifiers_are_counted() -> None:
    found = shoal.audit(GAPS, quasi=["age", "town"], require="k=2")
    assert (found.rows, found.classes, found.smallest_class, found.holds) == (5, 3, 1, False)
    assert found.violations.tolist() == [4]


def test_a_missing_sensitive_value_is_a_value() -> None:
    table = {"cell": ["x"] * 4, "ill": [None, None, None, "flu"]}
    assert (level(table, "distinct-l(ill)=2"), level(table, "l(ill)=1"), level(table, "alpha(ill)=1")) == (
        2,
        4 / 3,
        3 / 4,
    )


@pytest.mark.parametrize("recoding", RECODINGS)
def test_rows_with_missing_values_are_protected_and_published(recoding: str) -> None:
    release = shoal.anonymize(GAPS, quasi=["age", "town"], sensitive="ill", require="k=2", recoding=recoding)
    assert release.table["ill"].to_list() == GAPS["ill"]
    assert min(Counter(release.table.select("age", "town").iter_rows()).values()) >= 2


# Index labels used as positions

PLAIN = pd.DataFrame({"cell": list("xxxyyz"), "ill": ["flu", "gout", "flu", "gout", "gout", "flu"]})
INDEXES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "shuffled": lambda frame: frame.set_axis([3, 0, 5, 1, 4, 2]),
    "filtered": lambda frame: pd.concat([frame, frame], ignore_index=True).iloc[6:],
    "repeated": lambda frame: frame.set_axis([0] * 6),
    "texts": lambda frame: frame.set_axis(list("zyxwvu")),
}


@pytest.mark.parametrize("index", INDEXES)
def test_an_audit_reads_positions_and_not_index_labels(index: str) -> None:
    require = "k=2 distinct-l(ill)=2"
    found = shoal.audit(INDEXES[index](PLAIN), quasi="cell", sensitive="ill", require=require)
    assert [finding.reached for finding in found.findings] == [1, 1]
    assert (found.classes, found.unique_rows, found.violations.tolist()) == (3, 1, [3, 4, 5])


@pytest.mark.parametrize("index", INDEXES)
def test_a_release_of_a_frame_has_its_rows_whatever_their_labels(index: str) -> None:
    release = shoal.anonymize(INDEXES[index](PLAIN), quasi="cell", sensitive="ill", require="k=3", recoding="suppress")
    assert release.table.columns == ["cell", "ill"]
    assert release.table["ill"].to_list() == PLAIN["ill"].to_list()
    assert release.table["cell"].to_list() == list("xxx***")


def test_rows_picked_and_shuffled_are_measured_as_the_rows_they_are() -> None:
    """As after frame.sample or a filter: of eight rows, five are left, one of them alone."""
    frame = pd.DataFrame({"cell": list("xyxyxyxy"), "ill": list("abcdefgh")}).iloc[[6, 0, 4, 2, 7]]
    found = shoal.audit(frame, quasi="cell", sensitive="ill", require="k=2")
    assert (found.rows, found.smallest_class, found.violations.tolist()) == (5, 1, [4])


# A constant sensitive column


@pytest.mark.parametrize("value", ["flu", 7, None, True])
def test_a_constant_sensitive_column_discloses_nothing_and_diversifies_nothing(value: object) -> None:
    table = {"cell": list("xxyyy"), "ill": [value] * 5}
    findings = shoal.audit(table, quasi="cell", sensitive="ill").findings
    reached = {finding.name: finding.reached for finding in findings if finding.name != "e"}
    assert reached == {
        "k": 2,
        "alpha": 1,
        "distinct-l": 1,
        "l": 1,
        "entropy-l": 1,
        "recursive-l": None,
        "t": 0,
        "beta": 0,
        "enhanced-beta": 0,
        "delta": 0,
    }


@pytest.mark.parametrize("value", ["flu", 7])
def test_a_constant_sensitive_column_is_as_close_as_can_be(value: object) -> None:
    table = {"cell": list("wxyz"), "ill": [value] * 4}
    release = shoal.anonymize(table, quasi="cell", sensitive="ill", require="k=2 t(ill)=0")
    assert release.table["ill"].to_list() == table["ill"]


# Entropy l exactly there


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("values", [2, 3, 4, 6, 7])
def test_values_in_equal_shares_reach_entropy_l_exactly(values: int, copies: int) -> None:
    table = {"cell": ["x"] * values * copies, "ill": [f"value {number}" for number in range(values)] * copies}
    assert level(table, "entropy-l(ill)=1") == values
    assert holds(table, f"entropy-l(ill)={values}")
    assert not holds(table, f"entropy-l(ill)={nextafter(values, inf)!r}")
    release = shoal.anonymize(table, quasi="cell", sensitive="ill", allow="ill", require=f"entropy-l(ill)={values}")
    assert release.table.height == values * copies


# Recursive (c,l) sorted the wrong way


def test_recursive_diversity_starts_from_the_commonest_value() -> None:
    """Counts 6, 2, 1: with l = 2 the ratio is 6 / (2 + 1). From the rarest on it would be 1 / (2 + 6)."""
    table = {"cell": ["x"] * 9, "ill": ["flu"] * 6 + ["gout"] * 2 + ["cold"]}
    assert level(table, "recursive-l(ill)=(9,2)") == [2, 2]
    assert level(table, "recursive-l(ill)=(9,3)") == [6, 3]
    assert not holds(table, "recursive-l(ill)=(1,2)")
    assert not holds(table, "recursive-l(ill)=(2,2)"), "the definition is strict"
    assert holds(table, "recursive-l(ill)=(2.01,2)")


# The requirement checked on the whole table


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize(
    ("require", "reached"),
    [
        ("k=7", "6"),
        ("distinct-l(ill)=4", "3"),
        ("l(ill)=4", "2"),
        ("l(ill)=2.1", "2"),
        ("alpha(ill)=0.49", "0.5"),
        ("entropy-l(ill)=3", "2.74946"),
        ("recursive-l(ill)=(1,2)", "(1, 2)"),
    ],
)
def test_what_the_whole_table_does_not_reach_is_infeasible(require: str, reached: str, recoding: str) -> None:
    table = {"age": [21, 22, 23, 24, 25, 26], "ill": ["flu", "flu", "flu", "gout", "gout", "cold"]}
    with pytest.raises(Infeasible, match=re.escape(f"no release of this table meets {require}")) as caught:
        shoal.anonymize(table, quasi="age", sensitive="ill", require=require, recoding=recoding)
    assert (caught.value.model, str(caught.value.reached)) == (require, reached)


# A threshold of its own for each sensitive attribute

TWO = {"cell": list("xxxxyyyy"), "ill": list("aaababbb"), "pay": list("aaaabbbb")}
"""At distance 1/4 (ill) and 1/2 (pay)."""


@pytest.mark.parametrize(
    ("ill", "pay", "kept"),
    [("1/4", "1/2", True), ("1/2", "1/4", False), ("1/5", "1/2", False), ("1/4", "2/5", False), (1, 1, True)],
)
@pytest.mark.parametrize("order", [("ill", "pay"), ("pay", "ill")])
def test_each_sensitive_attribute_keeps_its_own_threshold(ill: object, pay: object, kept: bool, order: Any) -> None:
    asked = {"ill": ill, "pay": pay}
    require = " ".join(f"t({name}:equal)={asked[name]}" for name in order)
    found = shoal.audit(TWO, quasi="cell", sensitive=["ill", "pay"], require=require)
    assert {finding.attribute: finding.reached for finding in found.findings} == {"ill": 0.25, "pay": 0.5}
    assert {finding.attribute: finding.holds for finding in found.findings} == {
        "ill": Fraction(str(ill)) >= Fraction(1, 4),
        "pay": Fraction(str(pay)) >= Fraction(1, 2),
    }
    release = shoal.anonymize(TWO, quasi="cell", sensitive=["ill", "pay"], require=require)
    assert (release.table["cell"].to_list() == TWO["cell"]) == kept
    for model in release.certificate.models:
        assert model["reached"] <= Fraction(str(asked[model["attribute"]]))


# Unknown distance


def test_an_unknown_distance_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="no distance 'manhattan'; expected auto, equal, ordered, numeric"):
        TCloseness(0.5, "ill", distance="manhattan")


@pytest.mark.parametrize("distance", ["manhattan", "Ordered", "equals", "numerical"])
@pytest.mark.parametrize("call", [shoal.audit, shoal.anonymize])
def test_an_unknown_distance_in_a_requirement_is_refused(call: Callable[..., object], distance: str) -> None:
    with pytest.raises(ParameterError, match=f"there is no distance and no file called '{distance}'"):
        call(TWO, quasi="cell", sensitive="ill", require=f"t(ill:{distance})=0.5")


# Interval labels that hold their own values


def is_within(number: float, label: str) -> bool:
    """Whether a published cell, read as mathematics writes it, holds a number."""
    if label == "*":
        return True
    if bounds := re.fullmatch(r"\[(\S+), (\S+)([])])", label):
        low, high, end = bounds.groups()
        return float(low) <= number < float(high) or (end == "]" and number == float(high))
    sign, bound = re.fullmatch(r"(<|>=) (\S+)", label).groups()  # type: ignore[union-attr]
    return number < float(bound) if sign == "<" else number >= float(bound)


@pytest.mark.parametrize(
    ("recoding", "hierarchy"),
    [
        ("range", None),
        ("generalize", "intervals:width=5,10,20"),
        ("generalize", "intervals:edges=20,25,30,40"),
        ("generalize", "intervals:bins=4,2"),
    ],
)
@pytest.mark.parametrize("scale", [1, 0.1])
def test_an_interval_holds_the_values_at_its_boundaries(recoding: str, hierarchy: str | None, scale: float) -> None:
    """Every number is a boundary of some interval, and the least and the greatest are in one too."""
    numbers = [round(number * scale, 1) for number in (20, 20, 25, 25, 30, 30, 35, 35, 40, 40)]
    numbers = [int(number) for number in numbers] if scale == 1 else numbers
    hierarchies = {"age": hierarchy} if hierarchy else {}
    for k in (2, 3, 4, 5):
        release = shoal.anonymize(
            {"age": numbers}, quasi="age", require=f"k={k}", recoding=recoding, hierarchies=hierarchies
        )
        for number, label in zip(numbers, release.table["age"].cast(pl.String), strict=True):
            assert label == str(number) or is_within(number, label)


# What is published, and what is left alone

PEOPLE: dict[str, list[Any]] = {
    "name": ["Ann", "Bob", "Cid", "Dee", "Eve", "Fay"],
    "age": [31, 67, 32, 66, 65, 33],
    "ill": ["flu", "gout", "gout", "flu", "gout", "flu"],
    "note": ["e", "a", "d", "b", "f", "c"],
    "visits": [3, 1, 2, 2, 5, 1],
}


def released(table: object = PEOPLE, **given: Any) -> shoal.Release:
    asked: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "identifiers": "name", "require": "k=3"}
    asked |= {"other": "rest", "allow": ["note"], **given}
    return shoal.anonymize(table, **asked)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_the_numbers_of_the_original_rows_are_not_published(tmp_path: Path, recoding: str) -> None:
    folder = released(pd.DataFrame(PEOPLE).set_axis([904, 901, 906, 903, 905, 902]), recoding=recoding).save(
        tmp_path / "out"
    )
    table = read(folder / "public" / "table.csv").frame
    assert table.columns == ["age", "ill", "note", "visits"]
    assert table.rows() == sorted(table.rows()), "the order of the rows is that of the cells, and tells no other"
    for file in (folder / "public").iterdir():
        assert not re.search(r"\b90[1-6]\b", file.read_text(encoding="utf-8"))
    assert {file.name for file in (folder / "public").iterdir()} == {"table.csv", "certificate.json", "codebook.json"}


MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "mapping": copy.deepcopy,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("maker", MAKERS)
def test_no_input_is_changed(maker: str, recoding: str) -> None:
    given: Any = MAKERS[maker](PEOPLE)
    lists: dict[str, Any] = {
        "quasi": ["age"],
        "sensitive": ["ill"],
        "identifiers": ["name"],
        "hierarchies": {"age": "intervals:width=5,10"} if recoding == "generalize" else {},
        "attribute_weights": {"age": 2},
    }
    before, asked = copy.deepcopy(given), copy.deepcopy(lists)
    released(given, recoding=recoding, **lists)
    shoal.audit(given, quasi=lists["quasi"], sensitive=lists["sensitive"], require="k=1")
    assert given.equals(before) if hasattr(given, "equals") else given == before
    assert lists == asked


@pytest.mark.parametrize("recoding", RECODINGS)
def test_no_other_column_and_no_row_is_lost(recoding: str) -> None:
    table = released(recoding=recoding).table
    assert table.columns == ["age", "ill", "note", "visits"]
    assert table.drop("age").equals(pl.DataFrame(PEOPLE).drop("name", "age"))


def test_equal_rows_are_all_published() -> None:
    twice = {name: column * 2 for name, column in PEOPLE.items()}
    table = released(twice, require="k=2", identifiers=[], leave_out="name").table
    assert table["note"].to_list() == PEOPLE["note"] * 2
    assert table["age"].to_list() == PEOPLE["age"] * 2


def test_a_second_call_is_not_answered_with_the_first_table() -> None:
    first = released(require="k=3", recoding="range")
    kept = first.table.clone()
    second = released({**PEOPLE, "age": [age + 10 for age in PEOPLE["age"]]}, recoding="range")
    stricter = released(require="k=6", recoding="range")
    again = released(require="k=3", recoding="range")
    assert first.table["age"].to_list() == ["[31, 33]", "[65, 67]", "[31, 33]", "[65, 67]", "[65, 67]", "[31, 33]"]
    assert second.table["age"].unique().sort().to_list() == ["[41, 43]", "[75, 77]"]
    assert stricter.table["age"].unique().to_list() == ["*"]
    assert first.table.equals(kept)
    assert again.table.equals(kept)


# Suppressed rows are a class like any other


def test_rows_of_stars_alone_must_meet_the_requirement_too() -> None:
    table = {"cell": ["x", "x", "x", "*", "*"], "ill": ["flu", "gout", "cold", "flu", "flu"]}
    found = shoal.audit(table, quasi="cell", sensitive="ill", require="k=3 distinct-l(ill)=2")
    assert [(finding.reached, finding.failing_classes, finding.failing_rows) for finding in found.findings] == [
        (2, 1, 2),
        (1, 1, 2),
    ]
    assert found.violations.tolist() == [3, 4]


@pytest.mark.parametrize("method", ["auto", "mondrian"])
def test_outliers_do_not_end_up_in_a_class_of_stars_that_fails(method: str) -> None:
    """Three of the rows fit nobody: starred alone they would be a class too small, and of one illness."""
    table = {"age": [20] * 5 + [30] * 5 + [40, 50, 60], "ill": list("abcde") * 2 + ["f"] * 3}
    require = "k=5 l(ill)=2"
    release = shoal.anonymize(table, quasi="age", sensitive="ill", require=require, method=method, recoding="suppress")
    assert release.table["ill"].to_list() == table["ill"]
    starred = release.table.filter(pl.col("age").cast(pl.String) == "*")["ill"]
    assert set(table["ill"][-3:]) < set(starred.to_list())
    assert len(starred) >= 5
    assert Counter(starred).most_common(1)[0][1] * 2 <= len(starred)


# Numbers stored as text


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2", "3", "10", "20", "30"],
        ["-1", "-2", "-3", "-10", "-20", "-30"],
        ["1.0", "2.50", "3", "10.25", "20.", "30.125"],
        ["1", "2", "3", "1e1", "2e1", "3e1"],
    ],
)
def test_the_ordered_distance_of_numbers_stored_as_text_is_that_of_the_numbers(texts: list[str]) -> None:
    """The small numbers against the large: 3/10. As texts they take turns (1, 10, 2, 20, ...), which gives 1/10."""
    cells = list("xxxyyy")
    assert level({"cell": cells, "ill": texts}, "t(ill:ordered)=1") == 3 / 10
    assert level({"cell": cells, "ill": [float(text) for text in texts]}, "t(ill:ordered)=1") == 3 / 10


def test_the_numeric_distance_refuses_text_rather_than_guess() -> None:
    with pytest.raises(ParameterError, match="is not a column of numbers or dates"):
        level({"cell": list("xxyy"), "ill": ["2", "10", "9", "a hundred"]}, "t(ill:numeric)=1")
    with pytest.raises(ParameterError, match="is not a column of numbers or dates"):
        level({"cell": list("xxyy"), "ill": ["2", "10", "9", "0100"]}, "t(ill:numeric)=1")


def test_the_numeric_distance_of_numbers_stored_as_text_is_that_of_the_numbers() -> None:
    cells, texts = list("xxyy"), ["2", "10", "9", "100"]
    numbers = [int(text) for text in texts]
    assert level({"cell": cells, "ill": texts}, "t(ill:numeric)=1") == level(
        {"cell": cells, "ill": numbers}, "t(ill:numeric)=1"
    )


def test_what_the_caller_does_to_a_frame_afterwards_changes_no_release() -> None:
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "pay": [5, 6, 5, 6]})
    release = shoal.anonymize(frame, quasi=["age"], sensitive=["pay"], require="k=2")
    frame.loc[:, "pay"] = 9
    assert release.original["pay"].to_list() == [5, 6, 5, 6]
    assert release.table["pay"].to_list() == [5, 6, 5, 6]
