from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.errors import HierarchyError
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Intervals, Taxonomy
from shoal.microdata.microdata import Microdata, encode
from shoal.recoding import cells
from shoal.recoding.cells import Groups, SetCells
from shoal.studies.synth import QUASI, SENSITIVE, census
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles
from shoal.tables.table import Table

COLUMNS = [
    pl.Series("whole", [3, -1, None, 2**62, 3]),
    pl.Series("small", [3, 255, None, 0, 3], dtype=pl.UInt8),
    pl.Series("real", [0.1, -2.5, None, 1e300, 0.1]),
    pl.Series("single", [0.1, -2.5, None, 7.0, 0.1], dtype=pl.Float32),
    pl.Series("exact", [Decimal("10.25"), Decimal("9.50"), None, Decimal("0.01"), Decimal("10.25")]),
    pl.Series("day", [date(2024, 2, 29), date(1899, 1, 1), None, date(1970, 1, 1), date(2024, 2, 29)]),
    pl.Series(
        "moment", [datetime(2024, 2, 29, 1), datetime(1899, 1, 1), None, datetime(1970, 1, 1), datetime(1970, 1, 1)]
    ),
    pl.Series("hour", [time(23), time(1), None, time(12, 30), time(1)]),
    pl.Series("truth", [True, False, None, False, True]),
    pl.Series("text", ["b", "", None, "*", "é"]),
    pl.Series("numerals", ["10", "9", None, "-1.5", "10"]),
    pl.Series("declared", ["low", "high", None, "mid", "low"], dtype=pl.Enum(["low", "mid", "high"])),
    pl.Series("nothing", [None] * 5, dtype=pl.String),
    pl.Series("constant", [1] * 5),
]
by_column = pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)


def microdata_of(frame: pl.DataFrame, quasi: list[str], sensitive: list[str] | None = None) -> Microdata:
    return encode(Table.of(frame), Roles.of(frame.columns, quasi=quasi, sensitive=sensitive or [], other="rest"))


@pytest.fixture(scope="module")
def people() -> Microdata:
    return microdata_of(census(3000, seed=5), list(QUASI[:4]), list(SENSITIVE))


# One attribute


@by_column
def test_the_codes_give_the_column_back(column: pl.Series) -> None:
    coded = Coded.of(column)
    assert coded.decode(coded.codes).equals(column, check_dtypes=True, check_names=True)


@by_column
def test_every_value_occurs_once_and_every_code_is_used(column: pl.Series) -> None:
    coded = Coded.of(column)
    assert sorted(set(coded.codes.tolist())) == list(range(coded.size)) == list(range(column.n_unique()))


@by_column
def test_a_missing_value_comes_last(column: pl.Series) -> None:
    coded = Coded.of(column)
    assert coded.missing == (coded.size - 1 if column.null_count() else None)
    assert coded.values.is_null().to_list() == [code == coded.missing for code in range(coded.size)]


@by_column
def test_codes_follow_the_order_of_the_values(column: pl.Series) -> None:
    known = Coded.of(column).values.drop_nulls()
    numbers = known.cast(pl.Float64) if column.name == "numerals" else known
    assert numbers.is_sorted()


def test_texts_that_are_all_numbers_are_ordered_by_number() -> None:
    assert Coded.of(pl.Series(["10", "9", None, "-1.5", "1e1", "009"])).values.to_list()[:2] == ["-1.5", "009"]
    assert Coded.of(pl.Series(["10", "9", "nine"])).values.to_list() == ["10", "9", "nine"]


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([3.5, None, 1.0], [1.0, 3.5, float("nan")]),
        ([date(1970, 1, 3), date(1969, 12, 31)], [-1.0, 2.0]),
        (["b", "a", None], [0.0, 1.0, float("nan")]),
        ([True, False], [0.0, 1.0]),
    ],
    ids=["numbers", "days", "texts", "truth"],
)
def test_positions_are_the_numbers_or_days_or_ranks(values: list[object], places: list[float]) -> None:
    np.testing.assert_array_equal(Coded.of(pl.Series(values)).positions, places)


@given(st.lists(st.none() | st.text(max_size=4), min_size=1, max_size=30))
def test_any_texts_are_given_back(texts: list[str | None]) -> None:
    column = pl.Series(texts, dtype=pl.String)
    coded = Coded.of(column)
    assert coded.decode(coded.codes).to_list() == texts
    assert coded.size == len(set(texts))


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_any_numbers_are_given_back(numbers: list[float | None]) -> None:
    column = pl.Series(numbers, dtype=pl.Float64)
    coded = Coded.of(column)
    assert coded.decode(coded.codes).to_list() == numbers
    assert coded.values.drop_nulls().is_sorted()


# The whole table


def test_the_table_is_given_back() -> None:
    frame = pl.DataFrame(COLUMNS)
    names = frame.columns
    assert microdata_of(frame, names[:7], names[7:]).decode().equals(frame)


def test_the_distinct_tuples_and_their_counts_are_those_polars_finds(people: Microdata) -> None:
    expected = people.table.frame.group_by(QUASI[:4]).len(name="#").sort(QUASI[:4])
    found = pl.DataFrame([column.decode(people.tuples[:, j]) for j, column in enumerate(people.quasi)])
    assert found.equals(expected.drop("#"))
    assert people.counts.tolist() == expected["#"].to_list()


def test_every_row_points_to_its_tuple(people: Microdata) -> None:
    np.testing.assert_array_equal(people.tuples[people.tuple_of_row], people.codes)
    np.testing.assert_array_equal(np.bincount(people.tuple_of_row), people.counts)


def test_rows_have_one_identity_where_all_their_published_cells_agree(people: Microdata) -> None:
    frame = people.table.frame
    assert len(set(people.identity.tolist())) == frame.n_unique()
    pairs = frame.with_columns(identity=pl.Series(people.identity))
    assert pairs.n_unique() == frame.n_unique()


def test_identifiers_do_not_make_rows_different() -> None:
    frame = pl.DataFrame({"name": ["Ann", "Bob"], "age": [30, 30], "note": ["x", "x"]})
    microdata = encode(Table.of(frame), Roles.of(frame.columns, quasi=["age"], identifiers=["name"], other="rest"))
    assert microdata.identity.tolist() == [0, 0]


def test_some_rows_keep_their_values_and_get_their_own_counts(people: Microdata) -> None:
    rows = np.arange(0, people.rows, 3)
    part = people.take(rows)
    assert part.decode().equals(people.decode()[rows])
    assert int(part.counts.sum()) == part.rows == len(rows)
    assert [column.size for column in part.sensitive] == [part.table.frame[name].n_unique() for name in SENSITIVE]


def test_a_hierarchy_must_belong_to_a_quasi_identifier_or_sensitive_column() -> None:
    frame = pl.DataFrame({"age": [1, 2], "note": ["x", "y"]})
    with pytest.raises(HierarchyError, match=r"given for 'agee'.*did you mean 'age'"):
        encode(Table.of(frame), Roles.of(frame.columns, quasi=["age"]), {"agee": Intervals(width=5)})


def test_a_value_outside_its_hierarchy_is_counted_and_not_named() -> None:
    frame = pl.DataFrame({"town": ["Oslo", "Xanthippe"]})
    with pytest.raises(HierarchyError, match=r"hierarchy of 'town': 1 of 2 values") as caught:
        encode(Table.of(frame), Roles.of(["town"], quasi=["town"]), {"town": Taxonomy([("Oslo", "Norway")])})
    assert "Xanthippe" not in str(caught.value)


# Distinct rows


@pytest.mark.parametrize(("columns", "size"), [(3, 4), (64, 2), (40, 2**20), (9, 2**31 - 1), (2, 2**55)])
def test_distinct_rows_are_those_numpy_finds_however_wide_they_are(columns: int, size: int) -> None:
    rng = np.random.default_rng(columns)
    table = rng.integers(0, size, (30, columns))[rng.integers(0, 30, 200)]
    table[:, -1] = np.where(rng.random(200) < 0.2, size - 1, table[:, -1])
    labels, first, counts = distinct_rows(list(table.T), [size] * columns)
    expected, inverse, number = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(table[first], expected)
    np.testing.assert_array_equal(labels, inverse.ravel())
    np.testing.assert_array_equal(counts, number)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20))
def test_distinct_rows_are_numbered_in_their_own_order(rows: list[tuple[int, ...]]) -> None:
    labels, first, counts = distinct_rows([np.array(column) for column in zip(*rows, strict=True)], [3, 3, 3])
    ordered = sorted(set(rows))
    assert labels.tolist() == [ordered.index(row) for row in rows]
    assert [rows[place] for place in first] == ordered
    assert counts.tolist() == [rows.count(row) for row in ordered]


def test_sets_kept_as_bits_are_the_sets_kept_as_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    column = Coded.of(pl.Series("a", rng.choice([*"abcdefghijklmnopqrstuvwxyz", None], 500)))
    groups = Groups.of(np.arange(500), rng.permutation(np.arange(500) % 120))
    few = SetCells.of(column, groups)
    monkeypatch.setattr(cells, "BITS", 0)
    many = SetCells.of(column, groups)
    for name in ("of_group", "members", "starts"):
        assert getattr(few, name).tolist() == getattr(many, name).tolist()
    assert few.labels == many.labels
