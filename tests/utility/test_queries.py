"""The error of counting queries: by hand, against counting row by row, from memory and from the folder alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import ParameterError, RoleError
from shoal.release.release_view import Shown
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.utility import query_error
from shoal.utility.queries import Answers
from shoal.utility.spreads import spreads

ORIGINAL = census(300, seed=4)
QUASIS = list(QUASI[:3])
HIERARCHIES = {name: builder for name, builder in census_hierarchies().items() if name in QUASIS}
RECODINGS = ["suppress", "generalize", "range", "anatomy"]
SMALL = {"age": [20, 30, 40, 50], "town": ["a", "a", "b", "b"], "ill": ["flu", "gout", "flu", "gout"]}


def released(recoding: str, **more: Any) -> shoal.Release:
    given = {"quasi": QUASIS, "sensitive": ["occupation"], "require": "l(occupation)=2", "hierarchies": HIERARCHIES}
    return shoal.anonymize(ORIGINAL, recoding=recoding, leave_out="rest", **{**given, **more})


def estimate(release: shoal.Release, original: dict[str, Any], asked: dict[str, list[Any]]) -> float:
    columns = spreads(Shown.of(release), pl.DataFrame(original))
    query = {name: np.array([value in values for value in columns[name].values]) for name, values in asked.items()}
    return Answers(columns).estimate(query)


def small(recoding: str, **more: Any) -> shoal.Release:
    given = {"quasi": ["age", "town"], "sensitive": ["ill"], "require": "l(ill)=2", "method": "mondrian"}
    return shoal.anonymize(SMALL, recoding=recoding, **{**given, **more})


@pytest.mark.parametrize(
    ("recoding", "asked", "expected"),
    [
        ("anatomy", {"age": [20], "ill": ["flu"]}, 1 / 2),
        ("anatomy", {"age": [20, 30], "ill": ["flu", "gout"]}, 2),
        ("anatomy", {"age": [20, 30, 40], "town": ["b"]}, 1),
        ("range", {"age": [20], "ill": ["flu"]}, 1 / 2),
        ("range", {"age": [20, 40], "town": ["a"]}, 1),
        ("suppress", {"age": [20], "ill": ["flu"]}, 1 / 2),
        ("suppress", {"age": [20, 30], "town": ["a"], "ill": ["gout"]}, 1 / 2),
    ],
)
def test_a_query_is_estimated_as_by_hand(recoding: str, asked: dict[str, list[Any]], expected: float) -> None:
    """Mondrian makes the classes of the two towns: ages [20, 30] and [40, 50], or stars for all four ages."""
    assert estimate(small(recoding), SMALL, asked) == pytest.approx(expected)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_release_that_tells_everything_makes_no_error(recoding: str) -> None:
    made = released(recoding, require="l(occupation)=1")
    found = query_error(made, ORIGINAL, queries=50)
    assert (found.queries, found.mean, found.median, found.worst_tenth) == (50, 0, 0, 0)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_folder_says_what_memory_does(tmp_path: Path, recoding: str, format: str) -> None:
    made = released(recoding)
    folder = made.save(tmp_path / "out", format=format)
    found = query_error(made, ORIGINAL, queries=40, seed=3)
    again = query_error(folder, ORIGINAL, queries=40, seed=3)
    assert found.mean > 0
    assert again.mean == pytest.approx(found.mean)
    assert again.median == pytest.approx(found.median)


def test_a_seed_decides_which_queries_are_asked() -> None:
    made = released("anatomy")
    assert query_error(made, ORIGINAL, queries=30, seed=1) == query_error(made, ORIGINAL, queries=30, seed=1)
    assert query_error(made, ORIGINAL, queries=30, seed=1) != query_error(made, ORIGINAL, queries=30, seed=2)


def test_rows_without_a_sensitive_column_are_counted_too() -> None:
    made = shoal.anonymize(SMALL, quasi=["age", "town"], other="rest", require="k=2")
    assert query_error(made, SMALL, queries=20).queries == 20


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"queries": 0}, "queries is 0; expected a whole number of at least 1"),
        ({"attributes": "two"}, "attributes is 'two'"),
        ({"selectivity": 0}, "selectivity is 0"),
        ({"selectivity": 1.5}, "selectivity is 1.5"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_options_are_refused(option: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        query_error(small("anatomy"), SMALL, **option)


def test_another_table_is_refused() -> None:
    with pytest.raises(RoleError, match="the original has no column 'town'"):
        query_error(small("anatomy"), {"age": [1]})
