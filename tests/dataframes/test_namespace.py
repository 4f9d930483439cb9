"""`df.shoal`: what comes out is the release of what went in, as a frame of the same kind."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl

import shoal
import shoal.dataframes  # registers the namespace

PEOPLE = {"id": list(range(8)), "age": [20, 21, 30, 31, 40, 41, 50, 51], "ill": list("abcdabcd")}
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "identifiers": ["id"], "require": "k=2"}
EXPECTED = shoal.anonymize(PEOPLE, **ASKED).table


def of(frame: Any) -> Any:
    """The namespace of a frame: registered when the package is imported, so type checkers do not know it."""
    return frame.shoal


def test_a_frame_of_polars_gives_one_of_polars() -> None:
    frame = pl.DataFrame(PEOPLE)
    assert of(frame).anonymize(**ASKED).equals(EXPECTED)
    lazy = of(frame.lazy()).anonymize(**ASKED)
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().equals(EXPECTED)


def test_a_frame_of_pandas_gives_one_of_pandas_with_its_index() -> None:
    frame = pd.DataFrame(PEOPLE, index=list("stuvwxyz"))
    made = of(frame).anonymize(**ASKED)
    assert made.index.tolist() == list("stuvwxyz")
    assert made["age"].tolist() == EXPECTED["age"].to_list()
    few = of(frame.assign(ill=list("aaaaaabc"))).anonymize(**{**ASKED, "require": "l(ill)=2", "max_dropped": 0.5})
    assert 0 < len(few) < 8
    assert set(few.index) < set("stuvwxyz")


def test_the_other_functions_are_there_too() -> None:
    here = of(pl.DataFrame(PEOPLE))
    assert here.release(**ASKED).certificate.rows == 8
    assert here.audit(quasi=["age"], require="k=2").holds is False
    assert here.risk(quasi=["age"]).uniques.rows == 8
    assert here.inspect()["age"].role == "quasi"
