"""MDAV by hand, against a plain one, and against figures for the tables of the microaggregation papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import Infeasible
from shoal.methods.microaggregation.clusters import points
from shoal.methods.microaggregation.microaggregation import Microaggregation
from shoal.release.release import Release
from shoal.tables.table import read

DATA = Path(__file__).parents[4] / "shared" / "data" / "sdcmicro"


def released(table: Any, require: str, **given: Any) -> Release:
    quasi = given.pop("quasi", None) or [name for name in table if name != "s"]
    sensitive = ["s"] if "s" in table else []
    options = {"method": "microaggregation", "recoding": "centroid", **given}
    return shoal.anonymize(table, quasi=quasi, sensitive=sensitive, require=require, **options)


def classes(values: list[int | None], k: int, **given: Any) -> list[list[int | None]]:
    found = released({"a": values}, f"k={k}", **given).classes
    return sorted(sorted((values[row] for row in rows), key=lambda v: (v is None, v)) for rows in found)


@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ([1, 2, 3, 10, 11, 12], 2, [[1, 2], [3, 10], [11, 12]]),
        ([1, 2, 3, 10, 11], 2, [[1, 2, 3], [10, 11]]),
        ([7, 7, 7, 7], 2, [[7, 7, 7, 7]]),
        ([5, 6, 7], 2, [[5, 6, 7]]),
        ([5], 1, [[5]]),
        ([1, 2, None, 100], 2, [[1, 2], [100, None]]),
    ],
)
def test_one_column_of_numbers(values: list[int | None], k: int, expected: list[list[int | None]]) -> None:
    assert classes(values, k, recoding="range") == expected


def test_groups_have_k_to_2k_less_1_rows() -> None:
    rng = np.random.default_rng(0)
    for rows in range(6, 40):
        table = {"a": rng.normal(size=rows).tolist(), "b": rng.normal(size=rows).tolist()}
        sizes = [len(group) for group in released(table, "k=3").classes]
        assert all(3 <= size <= 5 for size in sizes)
        assert sum(size > 3 for size in sizes) <= 1


def plain_mdav(rows: np.ndarray, k: int) -> list[list[int]]:
    """MDAV with nothing but distances of rows, ties by their order."""
    left, groups = list(range(len(rows))), []

    def farthest(point: np.ndarray) -> int:
        return max(left, key=lambda row: (round(float(((rows[row] - point) ** 2).sum()), 9), -row))

    def take(seed: int) -> None:
        near = sorted(left, key=lambda row: (row != seed, round(float(((rows[row] - rows[seed]) ** 2).sum()), 9), row))
        groups.append(sorted(near[:k]))
        left[:] = [row for row in left if row not in near[:k]]

    while len(left) >= 3 * k:
        seed = farthest(rows[left].mean(axis=0))
        take(seed)
        take(farthest(rows[seed]))
    if len(left) >= 2 * k:
        take(farthest(rows[left].mean(axis=0)))
    return [*groups, left]


@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_a_plain_mdav(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "COMPILE_FROM", 1 if compiled else 10**9)
    rng = np.random.default_rng(3)
    for _ in range(15):
        values = np.array(sorted(rng.integers(0, 12, (int(rng.integers(5, 40)), 2)).tolist()))
        spread = values.std(axis=0)
        expected = plain_mdav((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1), 3)
        shown = released({"a": values[:, 0].tolist(), "b": values[:, 1].tolist()}, "k=3", cost="discernibility")
        together = {tuple(map(tuple, values[group].tolist())): group for group in expected}
        mine = {tuple(map(tuple, values[sorted(rows)].tolist())) for rows in shown.classes}
        means = {tuple(np.round(values[group].mean(axis=0), 9)) for group in expected}
        assert mine == set(together) or len(means) < len(expected)  # groups with one mean are one class


def test_weights_and_hierarchies_say_what_is_near() -> None:
    table = {"town": ["Oslo", "Hamar", "Bergen", "Stavanger"], "age": [20, 60, 21, 61]}
    tree = {"east": ["Oslo", "Hamar"], "west": ["Bergen", "Stavanger"]}
    for heavy, expected in (("town", ["east", "east", "west", "west"]), ("age", ["*"] * 4)):
        shown = released(
            table, "k=2", recoding="generalize", hierarchies={"town": tree}, attribute_weights={heavy: 100}
        )
        assert shown.table["town"].to_list() == expected


def test_groups_that_a_model_refuses_are_merged() -> None:
    table = {"a": [1, 2, 3, 10, 11, 12, 20, 21], "s": ["x", "x", "y", "y", "x", "y", "x", "y"]}
    for recoding in ("suppress", "generalize", "range", "centroid"):
        found = released(table, "k=2 distinct-l(s)=2", recoding=recoding).certificate
        assert [model["reached"] for model in found.models][1] >= 2
    assert len(released(table, "k=2 distinct-l(s)=2").classes) > 1


def test_missing_values_and_equal_rows() -> None:
    everyone = released({"a": [None] * 5, "b": ["x"] * 5}, "k=2")
    assert everyone.table.rows() == [(None, "x")] * 5
    assert float(everyone.certificate.cost) == 0


def test_more_rows_asked_for_than_there_are() -> None:
    with pytest.raises(Infeasible):
        released({"a": [1, 2, 3]}, "k=4")


def test_out_of_time_rows_are_grouped_in_their_order() -> None:
    found = released({"a": list(range(20))}, "k=3", time_limit=0, recoding="range")
    assert all(3 <= len(rows) <= 5 for rows in found.classes)
    assert any("time ran out" in note for note in found.decisions)


def test_it_promises_no_cost() -> None:
    assert Microaggregation.guarantee is None


FIGURES = DATA / "mdav_expected.json"


@pytest.mark.skipif(not FIGURES.is_file(), reason="there is no ../shared/data/sdcmicro beside the repository")
@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", ["CASCrefmicrodata", "Tarragona", "EIA"])
def test_the_figures_of_the_papers_tables(name: str, k: int) -> None:
    """100 SSE / SST, as a plain MDAV has it; none of these figures turns on a tie."""
    stated = json.loads(FIGURES.read_text())["sets"][name]
    table: pl.DataFrame = read(DATA / f"{name}.csv.gz").frame.select(stated["columns"])
    found = released(table, f"k={k}", quasi=stated["columns"], recoding="range", cost="squared-error").certificate
    assert round(100 * float(found.cost), 4) == stated["information_loss_percent"][str(k)]


def test_auto_tries_it_where_centroids_are_published() -> None:
    found = released({"a": [1, 2, 10, 11, 30, 31]}, "k=2", method="auto")
    assert found.certificate.method == "microaggregation"
    assert any("auto tried mondrian" in note and "microaggregation" in note for note in found.decisions)
