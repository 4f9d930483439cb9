from __future__ import annotations

import copy
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.tables.csv_bytes import read_csv
from tests.tables.exact_formats import EXACT_SUFFIXES

import shoal
from shoal.core.errors import ParameterError, ShoalError, TableError
from shoal.tables.star_marks import escape_stars
from shoal.tables.table import Table, read
from shoal.tables.writing import write

SECRET = "Xanthippe-7351"
"""A cell that no message may repeat."""

FRAME = pl.DataFrame(
    {
        "whole": [3, -1, 2**53 + 1],
        "real": [0.5, -2.25, 1e-300],
        "day": [date(2024, 2, 29), date(1899, 12, 31), date(1970, 1, 1)],
        "moment": [datetime(2024, 2, 29, 23, 59, 59), datetime(1969, 12, 31), datetime(2000, 1, 1, 12)],
        "truth": [True, False, True],
        "postcode": ["01234", "98765", "00001"],
        "code": ["1.1", "1.10.1", "2"],
        "words": ['a, "b"', " two\nlines ", "é"],
    }
)
WITH_MISSING = pl.concat([FRAME, pl.DataFrame({name: [None] for name in FRAME.columns}, schema=FRAME.schema)])
SUFFIXES = EXACT_SUFFIXES


def cells(text: str, **given: str) -> dict[str, list[Any]]:
    return read_csv(text.encode(), "people.csv", **given).frame.to_dict(as_series=False)


# Reading CSV: guessed, and overridden


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_guessed(separator: str) -> None:
    text = "\n".join(separator.join(row) for row in (["a", "b c", "d"], ["1", "x y", "2.5"], ["2", "z", "3.5"]))
    assert cells(text) == {"a": [1, 2], "b c": ["x y", "z"], "d": [2.5, 3.5]}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_inside_quotes_do_not_count(separator: str) -> None:
    assert cells(f'a{separator}b\n1{separator}"x,y;z|u\tv"\n') == {"a": [1], "b": ["x,y;z|u\tv"]}


def test_a_given_separator_wins_over_the_guess() -> None:
    text = "a;b,c\n1;2,3\n4;5,6\n"
    assert cells(text, separator=";") == {"a": [1, 4], "b,c": [2.3, 5.6]}
    assert cells(text, separator=",") == {"a;b": ["1;2", "4;5"], "c": [3, 6]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_guessed(encoding: str) -> None:
    content = "näme,töwn\nÅse,Tromsø\n".encode(encoding)
    assert read_csv(content, "people.csv").frame.to_dict(as_series=False) == {"näme": ["Åse"], "töwn": ["Tromsø"]}


def test_a_given_encoding_wins_over_the_guess() -> None:
    content = "town\nå\n".encode()
    assert read_csv(content, "people.csv").frame["town"].to_list() == ["å"]
    assert read_csv(content, "people.csv", encoding="cp1252").frame["town"].to_list() == ["Ã¥"]


def test_a_decimal_comma_is_guessed_where_a_comma_does_not_separate() -> None:
    assert cells("height;name\n1,75;1,x\n-0,5;2,y\n") == {"height": [1.75, -0.5], "name": ["1,x", "2,y"]}


def test_a_given_decimal_sign_wins_over_the_guess() -> None:
    assert cells("a;b\n1,5;x\n", decimal=".") == {"a": ["1,5"], "b": ["x"]}
    assert cells('a,b\n"1,5",x\n') == {"a": ["1,5"], "b": ["x"]}
    assert cells('a,b\n"1,5",x\n', decimal=",") == {"a": [1.5], "b": ["x"]}


def test_what_was_guessed_is_noted() -> None:
    assert read_csv(b"a;b\n1;\xe9\n", "people.csv").notes == ("people.csv: separator ';', encoding cp1252",)


def test_a_blank_line_is_nobody_but_a_line_of_empty_cells_is_somebody() -> None:
    assert cells("a,b\n\n1,2\n,\n\r\n3,4\n\n\n") == {"a": [1, None, 3], "b": [2, None, 4]}
    assert cells('a,b\n"x\n\ny",1\n\n') == {"a": ["x\n\ny"], "b": [1]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n-2\n+3", [1, -2, 3]),
        ("1.5\n2", [1.5, 2.0]),
        ("2024-02-29\n1999-12-31", [date(2024, 2, 29), date(1999, 12, 31)]),
        ("2024-02-29 13:00:00\n1999-12-31 00:00:01", [datetime(2024, 2, 29, 13), datetime(1999, 12, 31, 0, 0, 1)]),
        (
            "2024-02-29T13:00:00\n1999-12-31T00:00:00.5",
            [datetime(2024, 2, 29, 13), datetime(1999, 12, 31, 0, 0, 0, 500_000)],
        ),
        ("true\nfalse", [True, False]),
        ("true\nfalse\nmaybe", ["true", "false", "maybe"]),
        ("01234\n98765", ["01234", "98765"]),
        ("1.1\n1.10", [1.1, 1.1]),
        ("7\n7.0", [7.0, 7.0]),
        ("7\n7.0\nseven", ["7", "7", "seven"]),
        ("07\n7\n7.0", ["07", "7", "7"]),
        ("2024-02-29 13:00:00\n2024-02-29T13:00:00.000", [datetime(2024, 2, 29, 13)] * 2),
        ("0.1\n0.10000000000000000555", ["0.1", "0.10000000000000000555"]),
        ("2024-02-30\n2024-01-01", ["2024-02-30", "2024-01-01"]),
        ("NaN\n1.5", [None, 1.5]),
        ("NaN\nnone", ["NaN", "none"]),
        ("12345678901234567890\n22345678901234567890", ["12345678901234567890", "22345678901234567890"]),
        ("1\n\n2", [1, None, 2]),
        ('x\n""', ["x", ""]),
        ("NA\nnull", ["NA", "null"]),
    ],
)
def test_a_column_gets_the_type_of_all_its_values(text: str, expected: list[object]) -> None:
    assert cells(f"v\n{text}\n")["v"] == expected


# Files and frames


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("frame", [FRAME, WITH_MISSING], ids=["whole", "with missing"])
def test_types_and_values_survive_a_file(tmp_path: Path, suffix: str, frame: pl.DataFrame) -> None:
    path = tmp_path / f"people{suffix}"
    write(frame, path)
    back = read(path).frame
    assert back.schema == frame.schema
    assert back.equals(frame)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_missing_star_and_empty_string_are_three_things_in_a_file(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"a": [None, "", "*", "\\*", " "], "b": ["", "*", None, None, ""]})
    path = tmp_path / f"people{suffix}"
    write(frame, path)
    assert read(path).frame.equals(frame)


def test_missing_values_of_an_only_column_survive_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", None, "", None]})
    write(frame, tmp_path / "people.csv")
    assert read(tmp_path / "people.csv").frame.equals(frame)


def test_gzip_files_of_equal_tables_are_equal(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write(FRAME, tmp_path / f"{name}.csv.gz")
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "other.csv.gz").read_bytes()


DOORS: dict[str, Callable[[pl.DataFrame], object]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "mapping": lambda frame: frame.to_dict(as_series=False),
    "pandas": lambda frame: pd.DataFrame(frame.to_dict(as_series=False)),
    "pyarrow table": lambda frame: frame.to_arrow(),
    "pyarrow batch": lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
    "table": Table,
}


@pytest.mark.parametrize("door", DOORS)
def test_every_kind_of_frame_gives_the_same_table(door: str) -> None:
    made = Table.of(DOORS[door](FRAME)).frame
    assert made.to_dict(as_series=False) == FRAME.to_dict(as_series=False)
    assert [dtype.base_type() for dtype in made.dtypes] == [dtype.base_type() for dtype in FRAME.dtypes]


def test_a_path_is_read_as_a_file(tmp_path: Path) -> None:
    write(FRAME, tmp_path / "people.csv")
    assert Table.of(tmp_path / "people.csv").frame.equals(Table.of(str(tmp_path / "people.csv")).frame)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.array([1.5, np.nan, 2.0]), [1.5, None, 2.0]),
        (pd.array([1, None, 3], dtype="Int64"), [1, None, 3]),
        (pd.array([True, None, False], dtype="boolean"), [True, None, False]),
        (pd.array(["x", None, ""], dtype="string"), ["x", None, ""]),
        (pd.Series(["x", None, ""], dtype=object), ["x", None, ""]),
        (pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"]), ["b", None, "a"]),
        (pd.Categorical(["b", None, "a"], categories=["b", "a"], ordered=True), ["b", None, "a"]),
        (pd.to_datetime(["2024-02-29", None, "1999-12-31"]), [datetime(2024, 2, 29), None, datetime(1999, 12, 31)]),
    ],
    ids=["nan", "nullable whole", "nullable truth", "text", "objects", "categories", "ordered categories", "moments"],
)
def test_pandas_columns_keep_their_values_and_gaps(column: Any, expected: list[object]) -> None:
    assert Table.of(pd.DataFrame({"x": column})).frame["x"].to_list() == expected


INDEXES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "shuffled": lambda frame: frame.set_axis([3, 0, 5, 1, 4, 2]),
    "filtered": lambda frame: pd.concat([frame, frame]).iloc[6:],
    "repeated": lambda frame: frame.set_axis([7] * 6),
    "text": lambda frame: frame.set_axis(list("zyxwvu")),
    "dates": lambda frame: frame.set_axis(pd.date_range("2024-01-01", periods=6)),
    "two levels": lambda frame: frame.set_axis(pd.MultiIndex.from_product([[2, 1], [3, 2, 1]])),
}


@pytest.mark.parametrize("index", INDEXES)
def test_the_labels_of_a_pandas_index_change_nothing(index: str) -> None:
    plain = pd.DataFrame({"age": [30, 31, 50, 51, 70, 71], "note": list("abcdef")})
    labelled = INDEXES[index](plain)
    released = shoal.anonymize(labelled, quasi=["age"], other="note", allow="note", require="k=2", recoding="range")
    assert released.table.columns == ["age", "note"]
    assert released.table["note"].to_list() == list("abcdef")
    assert released.table["age"].to_list() == ["[30, 31]"] * 2 + ["[50, 51]"] * 2 + ["[70, 71]"] * 2


@pytest.mark.parametrize("door", ["polars", "mapping", "pandas", "pyarrow table"])
def test_the_input_is_left_as_it_was(door: str) -> None:
    given: Any = DOORS[door](pl.DataFrame({"age": [1, 2, 3, None], "ill": ["*", "", None, "x"]}))
    before = copy.deepcopy(given)
    shoal.anonymize(given, quasi=["age"], sensitive=["ill"], leave_out="rest", require="k=2")
    same = given.equals(before) if hasattr(given, "equals") else given == before
    assert same


def test_periods_and_intervals_of_pandas_are_read_as_texts_in_their_order() -> None:
    ages = [20 + row * 7 % 60 for row in range(60)]
    months = pd.period_range("2020-01", periods=60, freq="M")
    people = pd.DataFrame(
        {"age": pd.cut(ages, [0, 30, 40, 90]), "month": months, "of": pd.IntervalIndex.from_breaks(range(61))}
    )
    people.loc[3, ["age", "month"]] = None
    table = Table.of(people)
    assert table.dtype("age") == pl.Enum(["(0, 30]", "(30, 40]", "(40, 90]"])
    assert table.frame.row(0) == ("(0, 30]", "2020-01", "(0, 1]")
    assert table.frame.row(3) == (None, None, "(3, 4]")
    assert people["month"].dtype == "period[M]", "the frame of the caller is as it was"


@pytest.mark.parametrize("kind", [dict, pd.DataFrame])
def test_a_column_of_numbers_and_texts_is_named_and_no_cell_is(kind: Callable[..., Any]) -> None:
    with pytest.raises(TableError, match="column 'age': values of several types") as error:
        Table.of(kind({"town": ["Oslo", "Rome"], "age": [30, SECRET]}))
    assert SECRET not in str(error.value)


def test_pandas_is_never_imported() -> None:
    script = """
import sys, polars, shoal
shoal.anonymize(polars.DataFrame({"age": [1, 1, 2, 2]}), quasi=["age"], require="k=2")
sys.exit("pandas" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# What is published


@pytest.mark.parametrize("name", FRAME.columns)
@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "centroid"])
def test_a_column_nobody_altered_keeps_its_type_and_values(name: str, recoding: str) -> None:
    twice = pl.concat([FRAME, FRAME]).select(name, other=name)
    released = shoal.anonymize(
        twice, quasi=[name], other="other", allow="other", require="k=2", recoding=recoding
    ).table
    assert released.equals(twice)


def test_missing_star_and_empty_string_are_three_things_in_memory() -> None:
    towns = ["", "", None, None, "*", "*", "\\*", "\\*", "Oslo", "Rome"]
    released = shoal.anonymize({"town": towns}, quasi=["town"], require="k=2", recoding="suppress")
    assert released.table["town"].to_list() == ["", "", None, None, "\\*", "\\*", "\\\\*", "\\\\*", "*", "*"]


@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
def test_missing_star_and_empty_string_are_counted_apart_in_the_codebook(role: str) -> None:
    towns = ["", "", None, None, None, "*", "*", "\\*", "\\*", "Oslo", "Rome"]
    quasi = ["sex", "town"] if role == "quasi" else ["sex"]
    sensitive = ["town"] if role == "sensitive" else []
    people = {"town": towns, "sex": ["m"] * 11}
    asked = {"other": "rest", "require": "k=2", "recoding": "suppress"}
    book = shoal.anonymize(people, quasi=quasi, sensitive=sensitive, **asked).codebook  # type: ignore[arg-type]
    entry = next(column for column in book["columns"] if column["name"] == "town")
    counts = {key: entry[key] for key in ("stars", "missing", "empty_strings", "literal_stars")}
    assert entry["role"] == role
    assert counts == {"stars": 2 if role == "quasi" else 0, "missing": 3, "empty_strings": 2, "literal_stars": 4}


@pytest.mark.parametrize("format", ["csv", "csv.gz", "parquet", "arrow"])
def test_missing_star_and_empty_string_are_three_things_in_a_release(tmp_path: Path, format: str) -> None:
    towns = ["", "", None, None, "*", "*", "Oslo", "Rome"]
    released = shoal.anonymize(
        {"town": towns, "note": towns},
        quasi=["town"],
        other="note",
        allow="note",
        require="k=2",
        recoding="suppress",
    )
    published = read(released.save(tmp_path / "out", format=format) / "public" / f"table.{format}").frame
    assert Counter(published.rows()) == Counter(released.table.rows())
    assert set(published["town"]) == {"", None, "\\*", "*"}


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "centroid"])
@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
@pytest.mark.parametrize("literal", ["*", "\\*", "\\\\*"])
def test_a_literal_star_is_escaped_wherever_it_stands(tmp_path: Path, role: str, recoding: str, literal: str) -> None:
    people = {"sex": list("mmmfff"), "town": [literal] * 2 + ["Oslo", "Rome", "Rome", "Oslo"]}
    released = shoal.anonymize(
        people,
        quasi=["sex", "town"] if role == "quasi" else ["sex"],
        sensitive=["town"] if role == "sensitive" else [],
        other="rest",
        require="k=2",
        recoding=recoding,
    )
    assert "*" not in released.table["town"].to_list() or role == "quasi"
    assert shoal.verify(released.save(tmp_path / "out"), original=people).failures == []


def test_a_literal_star_among_declared_categories_is_escaped_too(tmp_path: Path) -> None:
    towns = pl.Series(["*", "*", "Oslo", "Rome"], dtype=pl.Enum(["Rome", "*", "Oslo"]))
    people = pl.DataFrame({"town": towns, "home": towns})
    released = shoal.anonymize(people, quasi=["town"], other="rest", require="k=2", recoding="suppress")
    assert released.table["town"].to_list() == ["\\*", "\\*", "*", "*"]
    assert released.table["home"].to_list() == ["\\*", "\\*", "Oslo", "Rome"]
    assert shoal.verify(released.save(tmp_path / "out"), original=people).failures == []


def test_escaped_texts_are_all_different_and_none_is_a_star() -> None:
    texts = ["".join(letters) for length in range(6) for letters in product("\\*a", repeat=length)]
    escaped = escape_stars(pl.Series(texts)).to_list()
    assert "*" not in escaped
    assert len(set(escaped)) == len(texts)


@pytest.mark.parametrize(
    ("ages", "dtype"),
    [
        ([30, 31, None, None, 50, 50], pl.Int64),
        ([0.5, 1.5, None, None, 2.5, 2.5], pl.Float64),
        ([date(2024, 1, 1), date(2024, 1, 2), None, None, date(1999, 1, 1), date(1999, 1, 1)], pl.Date),
        ([True, False, None, None, True, True], pl.Boolean),
    ],
    ids=["whole", "real", "day", "truth"],
)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_stars_written_as_missing_keep_types_and_are_verified(
    tmp_path: Path, ages: list[object], dtype: type[pl.DataType], format: str
) -> None:
    people = {"age": ages, "sex": list("mfmfmf")}
    released = shoal.anonymize(
        people, quasi=["age", "sex"], other="rest", require="k=2", star="null", attribute_weights={"sex": 9}
    )
    assert released.table["age"].dtype == dtype
    assert not any("*" in map(str, row) for row in released.table.rows())
    assert shoal.verify(released.save(tmp_path / "out", format=format), original=people).failures == []


def test_stars_written_as_missing_are_still_told_from_missing_values_in_the_codebook() -> None:
    released = shoal.anonymize({"age": [30, 31, None, None, 50, 50]}, quasi=["age"], require="k=2", star="null")
    entry = released.codebook["columns"][0]
    assert released.codebook["marks"]["star"] == "missing"
    assert released.table["age"].to_list() == [None, None, None, None, 50, 50]
    assert (entry["stars"], entry["missing"], entry["type"]) == (2, 2, "Int64")


# What is refused


def packed(frame: pl.DataFrame, suffix: str, folder: Path) -> bytes:
    write(frame, folder / f"whole.{suffix}")
    return (folder / f"whole.{suffix}").read_bytes()


BAD_FILES: dict[str, tuple[str, bytes]] = {
    "empty": ("a.csv", b""),
    "blank": ("a.csv", b"\n\n \n"),
    "header only": ("a.csv", b"name,age\n"),
    "header without end": ("a.csv", b"name,age"),
    "columns of one name": ("a.csv", f"name,age,name\n{SECRET},1,x\n".encode()),
    "column without a name": ("a.csv", f"name,,age\n{SECRET},1,2\n".encode()),
    "too many cells": ("a.csv", f"name,age\n{SECRET},1\nx,2,{SECRET}\n".encode()),
    "open quote": ("a.csv", f'name,age\nx,1\n"{SECRET},2\ny,3\n'.encode()),
    "unknown suffix": ("a.xyz", SECRET.encode()),
    "no suffix": ("a", SECRET.encode()),
    "not gzip": ("a.csv.gz", b"\x1f\x8b" + SECRET.encode()),
    "not parquet": ("a.parquet", SECRET.encode() * 9),
    "empty parquet": ("a.parquet", b""),
    "not arrow": ("a.arrow", SECRET.encode() * 9),
    "neither utf-8 nor cp1252": ("a.csv", f"name\n{SECRET}\x81\n".encode("latin-1")),
    "pattern for a name": ("a.csv", f"^.*$,age\n{SECRET},1\n".encode()),
    "star for a name": ("a.csv", f"*,age\n{SECRET},1\n".encode()),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_file_that_is_no_table_is_refused_without_a_word_of_its_cells(tmp_path: Path, case: str) -> None:
    name, content = BAD_FILES[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError) as caught:
        read(tmp_path / name)
    assert SECRET not in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nobody.csv", tmp_path):
        with pytest.raises(TableError, match="there is no file"):
            read(path)


@pytest.mark.parametrize("suffix", ["csv.gz", "parquet", "arrow"])
def test_a_file_cut_short_is_refused_wherever_it_is_cut(tmp_path: Path, suffix: str) -> None:
    content = packed(pl.DataFrame({"name": [SECRET, "x"] * 20, "age": range(40)}), suffix, tmp_path)
    for length in range(1, len(content), max(1, len(content) // 40)):
        (tmp_path / f"cut.{suffix}").write_bytes(content[:length])
        with pytest.raises(TableError) as caught:
            read(tmp_path / f"cut.{suffix}")
        assert SECRET not in str(caught.value)


def test_a_gzip_file_with_a_damaged_byte_is_refused_or_reads_the_same(tmp_path: Path) -> None:
    frame = pl.DataFrame({"name": [f"{SECRET}{row % 7}" for row in range(60)], "age": range(60)})
    content = packed(frame, "csv.gz", tmp_path)
    said = []
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x55
        try:
            assert read_csv(bytes(damaged), "people.csv.gz").frame.equals(frame)
        except TableError as error:
            said.append(str(error))
    assert len(said) > len(content) / 2
    assert not any(SECRET in words for words in said)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"encoding": "ascii"}, TableError),
        ({"encoding": "utf-16"}, TableError),
        ({"encoding": "klingon"}, ParameterError),
        ({"encoding": "rot13"}, ParameterError),
        ({"separator": ";;"}, ParameterError),
        ({"separator": "ø"}, ParameterError),
        ({"decimal": ";"}, ParameterError),
    ],
    ids=str,
)
def test_what_was_given_must_fit_the_file(given: dict[str, str], error: type[ShoalError]) -> None:
    with pytest.raises(error) as caught:
        read_csv(f"name,age\n{SECRET}ø,1\n".encode(), "people.csv", **given)
    assert SECRET not in str(caught.value)


BAD_FRAMES: dict[str, object] = {
    "no rows": pl.DataFrame({"a": []}),
    "no columns": pl.DataFrame(),
    "lists": {"a": [[SECRET], [SECRET]]},
    "records": pl.DataFrame({"a": [{"b": SECRET}]}),
    "bytes": {"a": [SECRET.encode()]},
    "infinite": {"a": [1.0, float("inf")], "b": [SECRET, SECRET]},
    "uneven": {"a": [SECRET, SECRET], "b": [SECRET]},
    "mixed": {"a": [1, SECRET]},
    "mixed pandas": pd.DataFrame({"a": [1, SECRET]}),
    "columns of one name in pandas": pd.DataFrame([[SECRET, SECRET]], columns=["a", "a"]),
    "columns of one name in pyarrow": pa.Table.from_arrays([pa.array([SECRET])] * 2, names=["a", "a"]),
    "column without a name": pl.DataFrame({"": [SECRET]}),
    "durations": {"a": [timedelta(hours=1)]},
    "number": 5,
    "nothing": None,
    "rows": [{"a": SECRET}],
    "matrix": np.zeros((2, 2)),
    "pandas series": pd.Series([SECRET]),
}


@pytest.mark.parametrize("case", BAD_FRAMES)
def test_what_is_no_table_is_refused_without_a_word_of_its_cells(case: str) -> None:
    with pytest.raises(TableError) as caught:
        Table.of(BAD_FRAMES[case])
    assert SECRET not in str(caught.value)


def test_a_name_without_a_known_suffix_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"expected a name that ends in .*\.csv or .*\.csv\.gz or .*\.parquet or "):
        write(FRAME, tmp_path / "people.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    for number in (2, 0, 1):
        pl.DataFrame({"a": [number]}).write_parquet(tmp_path / f"part-{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert read(tmp_path).frame["a"].to_list() == [0, 1, 2]
