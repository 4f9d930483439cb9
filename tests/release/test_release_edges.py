"""Releases at their edges: what a careful forger claims of them, and what else can be made of one."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.release.test_verification import reseal

import shoal
from shoal.checking.audit import audit_counted
from shoal.core.atomic_files import put_text
from shoal.core.errors import ReleaseError, TableError
from shoal.microdata import row_fingerprints
from shoal.models.requirement import as_models
from shoal.release.certificate import canonical
from shoal.release.files import MANIFEST, file_hash, manifest
from shoal.release.release import Release
from shoal.release.release_reader import _no_multiples
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import Coded

TABLE = pl.DataFrame(
    {
        "age": [20, 21, 30, 31, 40, 41, 50, 51],
        "town": ["a", "a", "a", "b", "b", "b", "b", "b"],
        "ill": ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout"],
        "w": [3, 4, 5, 6, 7, 8, 9, 11],
    }
)
QUASI = ["age", "town"]


def released(**more: Any) -> Release:
    asked: dict[str, Any] = {
        "quasi": QUASI,
        "sensitive": ["ill"],
        "other": ["w"],
        "require": "k=2",
        "method": "mondrian",
    }
    return shoal.anonymize(TABLE, **(asked | {"recoding": "range"} | more))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released().save(tmp_path_factory.mktemp("edges") / "release", format="csv")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "release"))


def said(folder: Path, original: pl.DataFrame | None = None) -> str:
    return "; ".join(shoal.verify(folder, original=original).failures)


# --- what can be made of a release -----------------------------------------------------------------------------------


def test_a_release_gives_back_what_came_in(tmp_path: Path) -> None:
    release = released()
    assert release.original.equals(TABLE)
    assert release.to_native().equals(release.to_polars())
    assert (
        shoal.anonymize(TABLE.lazy(), quasi=QUASI, sensitive=["ill"], other=["w"], require="k=2")
        .to_native()
        .collect()["w"]
        .to_list()
    )
    assert release.to_database(f"sqlite:///{tmp_path}/out.db") == ["release"]
    assert release.certificate.cost.value == float(release.certificate.cost)
    kept: list[Path] = []
    assert kept == [replace(release, record=kept.append).save(tmp_path / "recorded")]
    with pytest.raises(ReleaseError, match="cannot be written to '-'"):
        release.save("-")


@pytest.mark.parametrize(
    ("require", "words"), [("k=1", "public/ is not protected"), ("k=2", "if its unprotected columns")]
)
def test_a_certificate_says_whether_to_share(require: str, words: str) -> None:
    assert words in released(require=require).certificate.sharing


def test_a_verification_is_shown_in_a_notebook(folder: Path) -> None:
    shutil.rmtree(folder / "internal")
    found = shoal.verify(folder)
    assert repr(found).endswith("passed>")
    assert "Not checked" in found._repr_html_()
    (folder / "public" / "table.csv").write_text("age,town,ill,w\n")
    found = shoal.verify(folder)
    assert "failed: the table is the sealed one" in repr(found)
    assert "failed" in found._repr_html_()


def test_a_folder_has_a_hash_of_its_files(folder: Path) -> None:
    before = file_hash(folder)
    assert before == file_hash(folder)
    (folder / "public" / "table.csv").write_text("x")
    assert file_hash(folder) != before


def test_what_is_no_whole_release_is_not_looked_at(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="there is no release in"):
        Shown.of(tmp_path)
    with pytest.raises(TableError, match="the original has 2 rows, too few for this release"):
        Shown.of(folder).real(2)
    shutil.copytree(folder / "public", tmp_path / "alone" / "public")
    assert Shown.of(tmp_path / "alone").real(2).tolist() == list(range(8))
    (folder / "public" / "table.csv").write_text("age,town,ill,w\n")
    with pytest.raises(ReleaseError, match="the release was changed"):
        Shown.of(folder)
    (folder / "public" / "certificate.json").write_text("[1, 2")
    assert not shoal.verify(folder).passed


def test_a_file_beside_the_table_is_no_second_table(folder: Path) -> None:
    (folder / "public" / "table.note").write_text("x")
    assert "every file is the one that was written" in said(folder)
    shutil.rmtree(folder / "internal")
    assert shoal.verify(folder).passed


# --- false claims under a whole seal ---------------------------------------------------------------------------------

CLAIMS: list[tuple[dict[str, object], str]] = [
    ({"rounded": {"age": 10}}, "a column is stated as rounded that is not published as other"),
    ({"rounded": {"w": 10}}, "columns 'w' have numbers that are not such multiples"),
    ({"rounded": {"w": 1}}, ""),
    ({"masks": {"age": {"mask": "round", "base": 10}}}, "a column is stated as masked that is neither"),
    ({"masks": {"w": {"mask": "round", "base": 10}}}, "it asks otherwise about masks"),
    ({"changed_cells": None}, ""),
    ({"certain": {"ill": 7}}, "the values that are certain are not those stated"),
    ({"households": 3}, "it asks otherwise about households"),
    ({"people": 3}, "it asks otherwise about people"),
    ({"gap": 1.0}, "the certificate contradicts itself: gap"),
    ({"excess_at_most": 0.0, "saving_at_most": 0.0}, "contradicts itself: excess_at_most, saving_at_most"),
    ({"changed_share": 0.0}, "the certificate contradicts itself: changed_share"),
    ({"lower_bound": 99.0}, "the certificate contradicts itself: lower_bound"),
    ({"lower_bound": 0.5}, ""),
    ({"protects": False}, "whether a model asks for more than every table gives is not as stated"),
]


@pytest.mark.parametrize(("claims", "words"), CLAIMS)
def test_what_a_forger_claims_is_refused(folder: Path, claims: dict[str, object], words: str) -> None:
    reseal(folder, **claims)
    assert words in said(folder, TABLE)


def test_a_release_without_protection_is_not_said_to_be_protected(tmp_path: Path) -> None:
    folder = released(require="k=1", recoding="suppress").save(tmp_path / "release", format="csv")
    assert said(folder, TABLE) == ""
    reseal(folder, protects=True)
    assert "is not as stated" in said(folder)
    reseal(folder, protects=True, unprotected=None)  # as before that was stated
    assert said(folder) == ""


def test_weights_that_were_never_rounded_are_not_those_of_the_original(folder: Path) -> None:
    path = folder / "public" / "table.csv"
    frame = pl.read_csv(path, infer_schema=False).with_columns(w=pl.lit("50"))
    frame.write_csv(path)
    reseal(folder, rounded={"w": 10})
    assert "are not rounded as stated" in said(folder, TABLE)


def test_columns_that_the_codebook_does_not_describe_are_refused(folder: Path) -> None:
    path = folder / "public" / "codebook.json"
    path.write_text(path.read_text().replace('"name":"w"', '"name":"v"').replace('"name": "w"', '"name": "v"'))
    reseal(folder)
    assert "the table has the stated columns and rows" in said(folder)


def test_rows_that_are_said_to_show_no_sensitive_value_are_counted(folder: Path) -> None:
    path = folder / "public" / "codebook.json"
    path.write_text(canonical({**json.loads(path.read_text()), "withheld": 3}))
    reseal(folder)
    assert "0 rows show no sensitive value, 3 stated" in said(folder)


def test_centroids_of_other_rows_are_refused(tmp_path: Path) -> None:
    folder = released(recoding="centroid").save(tmp_path / "release", format="csv")
    assert said(folder, TABLE) == ""
    path = folder / "public" / "table.csv"
    frame = pl.read_csv(path, infer_schema=False)
    first = frame["age"][0]
    frame.with_columns(pl.col("age").replace({first: "1.5"})).write_csv(path)
    reseal(folder)
    assert "show no centroid of the rows of their class" in said(folder, TABLE)


def test_counterfeits_of_another_table_are_no_rows_of_the_original(tmp_path: Path) -> None:
    for name, rows in (("alike", TABLE.head(1)), ("other", pl.DataFrame({"x": [1]}))):
        folder = replace(released(), counterfeits=rows).save(tmp_path / name)
        assert shoal.verify(folder).passed
        assert shoal.verify(folder, original=TABLE).passed == (name == "other")
        assert not shoal.verify(folder, original=TABLE.reverse()).passed


def test_rows_known_by_their_traces_are_found_in_any_order(folder: Path) -> None:
    """As where rows have no order: they are numbered in the order of their keyed traces."""
    key = "0" * 64
    traces = row_fingerprints.row_traces({name: TABLE[name] for name in (*QUASI, "ill", "w")}, key)
    place = np.argsort(np.argsort(traces, kind="stable"), kind="stable")
    path = folder / "internal" / "rows.parquet"
    kept = pl.read_parquet(path)["row"].to_numpy()
    pl.DataFrame({"row": place[kept]}).write_parquet(path)
    put_text(folder / "internal" / "original.json", canonical(row_fingerprints.digest_of(traces, key)))
    put_text(folder / MANIFEST, canonical(manifest(folder)))
    assert said(folder, TABLE) == ""
    assert said(folder, TABLE.reverse()) == ""
    assert "the keyed hash differs" in said(folder, TABLE.with_columns(w=pl.col("w") + 1))


def test_a_metric_of_its_own_goes_with_the_codebook(tmp_path: Path) -> None:
    (tmp_path / "near.csv").write_text(",flu,gout\nflu,0,1/4\ngout,1/4,0\n")
    table = TABLE.with_columns(ill=pl.Series(["flu"] * 3 + ["gout"] * 5))
    release = shoal.anonymize(
        table, quasi=QUASI, sensitive=["ill"], other=["w"], require=f"k=2 t(ill:{tmp_path}/near.csv)=0.2"
    )
    assert release.certificate.models[1]["reached"] == 5 / 32  # two with the flu, where 3/8 have it, 1/4 away
    assert said(release.save(tmp_path / "release"), table) == ""


def test_the_least_multiple_is_the_number_itself() -> None:
    assert _no_multiples(pl.Series([1, 2, 10]), 1) == 0
    assert _no_multiples(pl.Series([0.5, 1.0, -1.0]), 1) == 2


# --- costs and counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more", [{"star": "null", "cost": "arx-loss:gs=0.3"}, {"cost": "arx-loss:gs=0.75"}, {"cost": "arx-loss:gs=1"}]
)
def test_the_cost_of_stars_is_recomputed(more: dict[str, Any], tmp_path: Path) -> None:
    table = TABLE.with_columns(land=pl.lit("no"))
    asked: dict[str, Any] = {"recoding": "full-domain", "method": "full-domain", "max_suppressed": "1/4"}
    release = shoal.anonymize(
        table, quasi=[*QUASI, "land"], sensitive=["ill"], other=["w"], require="k=2", **asked, **more
    )
    assert said(release.save(tmp_path / "release"), table) == ""


def test_counted_rows_have_a_risk() -> None:
    age = Coded.of(pl.Series("age", ["20-29", "*"]))
    found = audit_counted([age], [], np.array([3, 2]), models=as_models("k=2"), builders={})
    assert found.risk is not None
    assert (found.rows, found.classes) == (5, 2)
