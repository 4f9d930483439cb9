"""Frames of other libraries: a release gives back the kind that came in, untouched columns with their own types."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.release.release import Release
from shoal.tables.frames import as_arrow, as_pandas, as_polars

CELLS: dict[str, list[Any]] = {
    "age": [20, 21, 30, 31, 40, 41],
    "illness": ["flu", "gout", "flu", "gout", "flu", "gout"],
    "visits": [1, 2, None, 4, 5, 6],
    "pay": [1.5, 2.5, 3.5, None, 5.5, 6.5],
    "well": [True, False, True, False, True, None],
    "seen": [datetime(2024, 1, day, tzinfo=UTC) for day in range(1, 7)],
}


def released(frame: Any) -> Release:
    others = ["visits", "pay", "well", "seen"]
    return shoal.anonymize(frame, quasi=["age"], sensitive=["illness"], other=others, allow=others, require="k=2")


def pandas_frame() -> pd.DataFrame:
    frame = pd.DataFrame(CELLS, index=[10, 11, 12, 13, 14, 15])
    words = pd.CategoricalDtype(["none", "gout", "flu"], ordered=True)
    return frame.astype({"illness": words, "visits": "Int16", "pay": "float32", "well": "boolean"})


def test_pandas_comes_back_as_pandas_with_its_types() -> None:
    made = released(pandas_frame()).to_native()
    assert isinstance(made, pd.DataFrame)
    kinds = made.dtypes
    assert (str(kinds["visits"]), str(kinds["pay"]), str(kinds["well"])) == ("Int16", "float32", "boolean")
    assert kinds["illness"].ordered
    assert list(kinds["illness"].categories) == ["gout", "flu"]
    assert str(kinds["seen"]).endswith("UTC]")
    assert made["visits"].isna().sum() == 1
    assert made["age"].tolist() == released(pandas_frame()).table["age"].to_list()


def test_polars_comes_back_as_polars_with_its_types() -> None:
    kinds = {"visits": pl.Int8(), "pay": pl.Float32(), "illness": pl.Categorical()}
    frame = pl.DataFrame(CELLS).with_columns(pl.col(name).cast(kind) for name, kind in kinds.items())
    made = released(frame).to_native()
    assert isinstance(made, pl.DataFrame)
    assert {name: made.schema[name] for name in kinds} == kinds
    lazy = released(frame.lazy()).to_native()
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().equals(made)


def test_arrow_comes_back_as_arrow_with_its_types() -> None:
    words = pa.dictionary(pa.int8(), pa.string())
    table = pa.table(CELLS)
    table = table.set_column(1, "illness", table.column("illness").cast(words))
    table = table.set_column(2, "visits", table.column("visits").cast(pa.int16()))
    made = released(table).to_native()
    assert isinstance(made, pa.Table)
    assert made.schema.field("visits").type == pa.int16()
    assert made.schema.field("illness").type == words
    assert made.schema.field("seen").type == table.schema.field("seen").type


def test_any_release_becomes_any_kind_of_frame() -> None:
    release = released(CELLS)
    assert isinstance(release.to_native(), pl.DataFrame)
    assert release.to_polars().equals(release.table)
    assert release.to_arrow().to_pydict() == release.table.to_dict(as_series=False)
    assert release.to_pandas()["illness"].tolist() == CELLS["illness"]


def test_a_relation_of_duckdb_is_a_table() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    relation = duckdb.connect().sql("select 20 + i // 2 as age, 'flu' as illness from range(6) as t(i)")
    release = shoal.anonymize(relation, quasi=["age"], sensitive=["illness"], require="k=2")
    assert release.original["age"].to_list() == [20, 20, 21, 21, 22, 22]
    assert isinstance(release.to_native(), pl.DataFrame)


def test_anything_with_an_arrow_stream_is_a_table() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pl.DataFrame({"age": [1, 1]}).__arrow_c_stream__(requested_schema)

    assert shoal.anonymize(Stream(), quasi=["age"], require="k=2").table["age"].to_list() == [1, 1]


def test_a_column_whose_cells_do_not_fit_its_old_type_stays_as_it_is() -> None:
    frame = pl.DataFrame({"x": ["*", "1"]})
    assert as_polars(frame, {"x": pl.Int8()}).equals(frame)
    assert as_pandas(frame, {"x": "int8"})["x"].tolist() == ["*", "1"]
    assert as_arrow(frame, {"x": pa.int8()}).to_pydict() == {"x": ["*", "1"]}
