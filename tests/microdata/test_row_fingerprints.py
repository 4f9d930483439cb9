"""Traces: rows known by keyed hashes of their cells."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.microdata.row_fingerprints import digest_of, places_among, row_traces

KEY, OTHER = "00" * 32, "01" * 32


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None])), min_size=1))
def test_rows_have_equal_traces_exactly_if_they_are_equal(rows: list[tuple[int, str | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String}, orient="row")
    traces = row_traces(frame.to_dict(), KEY).tolist()
    assert all((rows[i] == rows[j]) == (traces[i] == traces[j]) for i in range(len(rows)) for j in range(len(rows)))
    assert traces == row_traces(frame.select("y", "x").to_dict(), KEY).tolist()
    assert traces != row_traces(frame.to_dict(), OTHER).tolist()


def test_values_of_two_columns_are_not_mistaken_for_each_other() -> None:
    one, other = pl.DataFrame({"x": ["a"], "y": ["b"]}), pl.DataFrame({"x": ["b"], "y": ["a"]})
    assert row_traces(one.to_dict(), KEY) != row_traces(other.to_dict(), KEY)


def test_how_a_moment_is_kept_changes_nothing() -> None:
    moment = pl.Series([datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)])
    kept = [
        moment.dt.cast_time_unit("ms"),
        moment.dt.convert_time_zone("Asia/Tokyo"),
        moment.dt.replace_time_zone(None),
    ]
    assert {int(row_traces({"at": one}, KEY)[0]) for one in kept} == {int(row_traces({"at": moment}, KEY)[0])}


@given(st.lists(st.integers(0, 5), min_size=1), st.data())
def test_every_row_has_a_place_of_its_own(everybody: list[int], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(range(len(everybody))), unique=True))
    traces = np.array(everybody)
    places = places_among(traces[some], traces)
    assert len(set(places.tolist())) == len(some)
    assert np.sort(traces)[places].tolist() == traces[some].tolist()


def test_the_digest_does_not_depend_on_the_order_of_rows() -> None:
    assert digest_of(np.array([1, 2, 2]), KEY) == digest_of(np.array([2, 1, 2]), KEY)
    assert digest_of(np.array([1, 2, 2]), KEY) != digest_of(np.array([1, 1, 2]), KEY)
