"""Single classes decided by hand: each model at and around its limit, and its conventions at the edges."""

import numpy as np
import polars as pl
import pytest

from shoal.core.errors import ParameterError
from shoal.microdata.histogram import Classes, Values
from shoal.models.requirement import parse_requirement
from shoal.pipeline import anonymize


def one_class(counts: list[int]) -> Classes:
    codes = np.repeat(np.arange(len(counts)), counts)
    values = Values(codes, np.array(counts), pl.Series([f"value {code}" for code in range(len(counts))]))
    return Classes(np.zeros(len(codes), dtype=np.int64), 1, {("s",): values})


@pytest.mark.parametrize(
    ("require", "counts", "admitted"),
    [
        ("k=3", [2], False),
        ("k=3", [2, 1], True),
        ("l(s)=2", [2, 1, 1], True),
        ("l(s)=2", [3, 1, 1], False),
        ("l(s)=1.5", [2, 1], True),
        ("l(s)=3", [1, 1, 1], True),
        ("distinct-l(s)=3", [9, 1, 1], True),
        ("distinct-l(s)=3", [9, 1], False),
        ("entropy-l(s)=3", [2, 2, 2], True),
        ("entropy-l(s)=3", [10**6, 10**6, 10**6], True),
        ("entropy-l(s)=3", [10**6, 10**6, 10**6 - 1], False),
        ("entropy-l(s)=2", [8, 1, 1], False),
        ("entropy-l(s)=2", [4, 1, 1, 1, 1], True),
        ("recursive-l(s)=(2,2)", [2, 1], False),
        ("recursive-l(s)=(2,2)", [3, 1, 1], True),
        ("recursive-l(s)=(2,2)", [4, 1, 1], False),
        ("recursive-l(s)=(3,3)", [2, 5, 1], False),
        ("recursive-l(s)=(3,3)", [2, 5, 2], True),
        ("recursive-l(s)=(9,3)", [5, 5], False),
    ],
)
def test_a_class_is_decided_as_by_hand(require: str, counts: list[int], admitted: bool) -> None:
    assert parse_requirement(require).admits(one_class(counts)).tolist() == [admitted]


@pytest.mark.parametrize(
    ("require", "counts", "rows"),
    [
        ("l(s)=2", [5, 1, 1], 4),
        ("l(s)=3", [2, 2, 1], 3),
        ("l(s)=3", [5, 5], 0),
        ("entropy-l(s)=2.8", [2, 5, 5], 11),
        ("recursive-l(s)=(2,2)", [5, 1, 1], 5),
        ("distinct-l(s)=2", [4, 1], 5),
        ("k=3", [1, 1], 0),
    ],
)
def test_the_largest_admitted_subclass_has_so_many_rows(require: str, counts: list[int], rows: int) -> None:
    found = parse_requirement(require).all[0].largest(np.array(counts))
    assert (0 if found is None else int(found.sum())) == rows


def test_a_missing_sensitive_value_counts_as_a_value() -> None:
    people = {"age": [1, 1], "s": ["flu", None]}
    release = anonymize(people, quasi=["age"], sensitive=["s"], require="l(s)=2 distinct-l(s)=2")
    assert release.table["s"].to_list() == ["flu", None]


def test_each_class_of_a_given_reading_is_measured_by_its_worst_part() -> None:
    people = {"age": [1] * 4, "s": ["flu", "gout", "flu", "flu"], "drug": ["x", "x", "y", "y"]}
    common = {"quasi": ["age"], "sensitive": ["s", "drug"]}
    assert anonymize(people, require="distinct-l(s)=2", **common).audit.holds  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"no release of this table meets distinct-l\(s\|drug\)=2"):
        anonymize(people, require="distinct-l(s|drug)=2", **common)  # type: ignore[arg-type]


@pytest.mark.parametrize("require", ["k=0", "k=1.5", "l(s)=0.5", "t(s)=1.1", "t(s)=-0.1", "recursive-l(s)=(0,2)"])
def test_a_parameter_out_of_range_is_refused(require: str) -> None:
    with pytest.raises(ParameterError):
        parse_requirement(require)


STARRED = {"age": [1, 1, 2, 2, 3, 3], "s": ["*", "A", "A", "Z", "*", "Z"]}


@pytest.mark.parametrize("distance", ["equal", "hierarchy"])
@pytest.mark.parametrize("t", ["0.2", "0.5"])
def test_a_sensitive_value_that_reads_as_a_star_has_the_distances_of_any_other(distance: str, t: str) -> None:
    tree = {"one": ["*", "A"], "two": ["Z"]}
    release = anonymize(
        STARRED,
        quasi=["age"],
        sensitive=["s"],
        require=f"t(s:{distance})={t}",
        hierarchies={"s": tree} if distance == "hierarchy" else None,
        method="subset-dp",
    )
    named = {**STARRED, "s": [value.replace("*", "+") for value in STARRED["s"]]}  # type: ignore[attr-defined]
    plain = anonymize(
        named,
        quasi=["age"],
        sensitive=["s"],
        require=f"t(s:{distance})={t}",
        hierarchies={"s": {"one": ["+", "A"], "two": ["Z"]}} if distance == "hierarchy" else None,
        method="subset-dp",
    )
    assert release.classes.class_of_row.tolist() == plain.classes.class_of_row.tolist()
