"""Releases by centroids: what is published, what is refused, what verify finds."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.strategies import case_of

import shoal
from shoal.core.errors import ParameterError, Unsupported
from shoal.methods.auto import methods
from shoal.recoding.cells import Groups
from shoal.recoding.centroid import CentroidCells
from shoal.release.release import Release
from shoal.release.verification import CENTROIDS
from shoal.tables.encoded_column import Coded

PEOPLE = {
    "age": [20, 22, 30, None, 60, 61],
    "born": [date(2000, 1, day) for day in (1, 2, 9, 9, 5, 6)],
    "sex": ["f", "m", "f", "f", "m", "m"],
    "ill": ["flu", "gout", "flu", "gout", "flu", "gout"],
}


def released(table: Any = PEOPLE, require: str = "k=2", **given: Any) -> Release:
    options = {"quasi": ["age", "born", "sex"], "sensitive": ["ill"], "recoding": "centroid", **given}
    return shoal.anonymize(table, require=require, **options)


def centroids(values: list[Any], labels: list[int], dtype: Any = None) -> list[Any]:
    cells = CentroidCells.of(
        Coded.of(pl.Series("x", values, dtype)), Groups.of(np.arange(len(values)), np.array(labels))
    )
    return [cells.typed[cell] for cell in cells.of_group.tolist()]


@pytest.mark.parametrize(
    ("values", "labels", "expected"),
    [
        ([1, 2, 6, 10], [0, 0, 0, 1], [3, 10]),
        ([1, 2, 10], [0, 0, 1], [1.5, 10.0]),
        ([0.1, 0.1, 0.1, 7.0], [0, 0, 0, 1], [0.1, 7.0]),
        ([5, None, None, 3, None], [0, 0, 1, 1, 1], [5, None]),
        (["b", "a", "c", "c"], [0, 0, 1, 1], ["a", "c"]),
        (["b", None, None, "a"], [0, 0, 0, 0], [None]),
        ([True, False, True], [0, 0, 1], [False, True]),
        ([date(2000, 1, 1), date(2000, 1, 3), date(2000, 1, 9), None], [0, 0, 0, 0], [date(2000, 1, 3)]),
        ([date(2000, 1, 1), None, None], [0, 0, 0], [None]),
    ],
)
def test_centroids_by_hand(values: list[Any], labels: list[int], expected: list[Any]) -> None:
    assert centroids(values, labels) == expected


def test_the_median_of_categories_is_by_their_order() -> None:
    levels = pl.Enum(["low", "middle", "high"])
    assert centroids(["high", "low", "middle", "high"], [0] * 4, levels) == ["middle"]


def test_numbers_become_floating_point_and_dates_stay_dates() -> None:
    shown = released().table
    assert shown.schema["age"] == pl.Float64
    assert shown.schema["born"] == pl.Date
    assert set(shown["sex"]) <= {"f", "m"}


def test_the_default_cost_is_the_distance_to_the_centroids() -> None:
    certificate = released({"age": [1, 3, 10, 14], "ill": [1, 2, 1, 2]}, quasi=["age"]).certificate
    assert certificate.cost.name == "centroid-error"
    assert float(certificate.cost) == pytest.approx((2 * 1 + 2 * 4) / (36 + 16 + 9 + 49))
    squared = released({"age": [1, 3, 10, 14], "ill": [1, 2, 1, 2]}, quasi=["age"], cost="squared-error").certificate
    assert float(squared.cost) == pytest.approx(float(certificate.cost))


def test_groups_with_equal_centroids_are_one_class() -> None:
    release = released({"age": [0, 10, 4, 6], "ill": [1, 1, 2, 2]}, quasi=["age"], method="mondrian", require="k=4")
    assert len(release.classes) == 1


@pytest.mark.parametrize("format", ["csv", "csv.gz", "parquet", "arrow"])
def test_a_release_is_verified(tmp_path: Path, format: str) -> None:
    folder = released().save(tmp_path / "out", format=format)
    found = shoal.verify(folder, original=PEOPLE)
    assert found.failures == []
    assert CENTROIDS in [check.what for check in found.checks]


def test_a_centroid_that_is_another_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = CentroidCells.typed.func  # type: ignore[attr-defined]
    shifted = property(lambda cells: honest(cells) + 1 if cells.column.name == "age" else honest(cells))
    with monkeypatch.context() as patched:
        patched.setattr(CentroidCells, "typed", shifted)
        folder = released().save(tmp_path / "out")
    assert any("no centroid" in failure for failure in shoal.verify(folder, original=PEOPLE).failures)


def test_the_codebook_states_what_each_column_lost(tmp_path: Path) -> None:
    folder = released().save(tmp_path / "out")
    book = json.loads((folder / "public" / "codebook.json").read_text())
    quasi = {column["name"]: column for column in book["columns"] if column["role"] == "quasi"}
    assert all(0 <= column["loss"] <= 1 for column in quasi.values())
    assert all(set(cell) == {"cell"} for column in quasi.values() for cell in column["cells"])
    stated = json.loads((folder / "public" / "certificate.json").read_text())
    assert stated["recoding"] == "centroid"


@pytest.mark.parametrize("cost", ["stars", "ncp", "height", "entropy", "kl-divergence"])
def test_costs_of_what_cells_cover_are_refused(cost: str) -> None:
    with pytest.raises(ParameterError, match="is not defined for the recoding 'centroid'"):
        released(cost=cost)


def test_models_of_whom_cells_cover_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"'centroid'.* fit nobody"):
        released(require="kmap=2", population=PEOPLE)


def test_numbers_without_an_exact_mean_are_refused() -> None:
    with pytest.raises(Unsupported, match="too many digits for exact means"):
        released({"age": [2**53, 2**53 + 1, 5, 6], "ill": [1, 2, 1, 2]}, quasi=["age"])


def test_methods_that_need_blocks_refuse_centroids() -> None:
    problem = case_of({"number": [1, 2, 4, 9], "illness": ["cold"] * 4}, "k=2", recoding="centroid").problem
    taking = {name for name, method in methods().items() if not method().accepts(problem)}
    assert {"microaggregation", "mondrian", "mondrian-relaxed", "tds"} <= taking
    assert not taking & {
        "cube",
        "forest",
        "m-approx",
        "optimal",
        "peel",
        "set-cover",
        "simplex-matching",
        "full-domain",
    }
