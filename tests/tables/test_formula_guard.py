from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables.exact_formats import EXACT_FORMATS

import shoal
from shoal.release.release import Release
from shoal.tables.formula_guard import STARTS, neutralised, restored
from shoal.tables.readers.base import reader_of

PEOPLE: dict[str, list[Any]] = {
    "@town": ["=Oslo", "=Oslo", "'=Oslo", "'=Oslo", None, None],
    "pay": [-5, -7, 0, -2, 3, 4],
    "illness": ["-5", "+flu", "-5", "+flu", "*", ""],
    "note": ["=1+1", "'=1+1", "''@x", "'plain", None, "-1.5"],
    "+rate": [-1.5, 2.5, -3.0, None, 0.0, -0.5],
}


def released(people: object = PEOPLE, **given: Any) -> Release:
    settings = {"quasi": ["@town", "pay"], "sensitive": ["illness"], "other": "rest"}
    settings |= {"allow": ["note"]} if "note" in people else {}  # type: ignore[operator]
    return shoal.anonymize(people, **{**settings, "require": "k=2", "neutralise": True, **given})


def public(folder: Path, format: str = "csv") -> pl.DataFrame:
    path = folder / "public" / f"table.{format}"
    return reader_of(path).as_written(path).frame()


def begins_like_a_formula(text: object) -> bool:
    return isinstance(text, str) and text[:1] != "" and text[0] in STARTS


# One cell


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("before", ["", "'", "''"])
def test_a_cell_with_a_start_that_spreadsheets_run_gets_one_apostrophe_more(start: str, before: str) -> None:
    frame = pl.DataFrame({"note": [f"{before}{start}1+1", f"{before}{start}"]})
    shown = neutralised(frame)
    assert shown["note"].to_list() == [f"'{before}{start}1+1", f"'{before}{start}"]
    assert restored(shown).equals(frame)


@pytest.mark.parametrize(
    "cell", ["", "*", r"\*", "plain", "'plain", "'", "a=b", " =1", "[-5, 3]", "{-a, b}", "5", None]
)
def test_other_cells_are_left_as_they_are(cell: str | None) -> None:
    frame = pl.DataFrame({"note": [cell, "x"]})
    assert neutralised(frame).equals(frame)
    assert restored(frame).equals(frame)


@given(st.lists(st.text(alphabet="'=-@\t\r\na*\\", max_size=4) | st.none(), min_size=1))
def test_every_text_is_read_back(cells: list[str | None]) -> None:
    frame = pl.DataFrame({"note": cells}, schema={"note": pl.String})
    assert restored(neutralised(frame)).equals(frame)
    assert not any(map(begins_like_a_formula, neutralised(frame)["note"]))


def test_declared_categories_keep_their_order() -> None:
    frame = pl.DataFrame({"rank": pl.Series(["-low", "high", "-low"], dtype=pl.Enum(["high", "-low"]))})
    assert neutralised(frame)["rank"].to_list() == ["'-low", "high", "'-low"]
    assert restored(neutralised(frame))["rank"].dtype == pl.Enum(["high", "-low"])


# A release


@pytest.mark.parametrize("format", EXACT_FORMATS)
@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "centroid"])
def test_a_neutralised_release_has_no_formula_and_is_verified(tmp_path: Path, recoding: str, format: str) -> None:
    release = released(recoding=recoding)
    folder = release.save(tmp_path / "out", format=format)
    shown = public(folder, format)
    texts = [name for name in shown.columns if release.table[name.removeprefix("'")].dtype == pl.String]
    assert shown.columns == ["'@town", "pay", "illness", "note", "'+rate"]
    assert not any(begins_like_a_formula(cell) for name in texts for cell in shown[name])
    assert shoal.verify(folder, original=PEOPLE).failures == []


@pytest.mark.parametrize("format", EXACT_FORMATS)
def test_every_start_comes_back_from_the_files(tmp_path: Path, format: str) -> None:
    notes = [f"{before}{start}1" for start in STARTS for before in ("", "'")]
    people = {"town": ["Oslo"] * len(notes), "note": notes}
    folder = released(people, quasi=["town"], sensitive=["note"]).save(tmp_path / "out", format=format)
    assert sorted(public(folder, format)["note"]) == sorted(f"'{note}" for note in notes)
    assert shoal.verify(folder, original=people).failures == []


def test_numbers_stay_numbers_and_texts_that_read_as_numbers_are_texts(tmp_path: Path) -> None:
    shown = public(released(quasi=["@town"]).save(tmp_path / "out", format="parquet"), "parquet")
    assert shown.schema["'+rate"] == pl.Float64
    assert shown.schema["pay"] == pl.Int64
    assert sorted(shown["pay"]) == sorted(PEOPLE["pay"])
    assert {"'-1.5", "'=1+1", "''=1+1", "'''@x", "'plain", None} == set(shown["note"])


def test_labels_of_a_hierarchy_that_begin_with_a_minus_are_neutralised(tmp_path: Path) -> None:
    tree = {"-9..-1": ["-5", "-7", "-2"], "0..9": ["0", "3", "4"]}
    people = {**PEOPLE, "pay": [str(pay) for pay in PEOPLE["pay"]]}
    settings: dict[str, Any] = {"quasi": ["pay"], "require": "k=3", "recoding": "generalize"}
    release = released(people, hierarchies={"pay": tree}, **settings)
    folder = release.save(tmp_path / "out")
    assert set(release.table["pay"]) == {"-9..-1", "0..9"}
    assert set(public(folder)["pay"]) == {"'-9..-1", "0..9"}
    assert shoal.verify(folder, original=people).failures == []


def test_cells_that_recoding_made_text_are_texts(tmp_path: Path) -> None:
    people = {"pay": [-5, -5, -9, -7]}
    folder = released(people, quasi=["pay"], sensitive=[], recoding="range").save(tmp_path / "out")
    assert public(folder)["pay"].to_list() == ["'-5", "'-5", "[-9, -7]", "[-9, -7]"]
    assert shoal.verify(folder, original=people).failures == []


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_stars_and_missing_values_stay_apart(tmp_path: Path, format: str) -> None:
    people = {"town": ["=a", "=b", None, None, "*", "*"]}
    folder = released(people, quasi=["town"], sensitive=[], recoding="suppress").save(tmp_path / "out", format=format)
    assert public(folder, format)["town"].to_list() == ["*", "*", r"\*", r"\*", None, None]
    assert shoal.verify(folder, original=people).failures == []


def test_stars_may_be_missing_values_too(tmp_path: Path) -> None:
    folder = released(star="null").save(tmp_path / "out")
    assert shoal.verify(folder, original=PEOPLE).failures == []


@pytest.mark.parametrize("format", EXACT_FORMATS)
def test_declared_categories_of_a_release_are_read_back(tmp_path: Path, format: str) -> None:
    ranks = pl.Series(["-low", "high", "-low", "high", "high", "-low"], dtype=pl.Enum(["high", "-low"]))
    people = pl.DataFrame(PEOPLE).with_columns(rank=ranks)
    assert shoal.verify(released(people).save(tmp_path / "out", format=format), original=people).failures == []


def test_the_table_in_memory_has_no_apostrophes_that_were_not_in_the_original() -> None:
    release, plain = released(), released(neutralise=False)
    assert release.table.equals(plain.table)
    assert release.table["note"].to_list() == PEOPLE["note"]
    assert release.audit.classes == plain.audit.classes


def test_an_audit_of_the_file_alone_finds_the_same_classes(tmp_path: Path) -> None:
    release = released(recoding="range")
    path = release.save(tmp_path / "out") / "public" / "table.csv"
    found = shoal.audit(path, quasi=["'@town", "pay"], sensitive=["illness"], require="k=2")
    assert (found.holds, found.classes) == (True, release.certificate.classes)


def test_a_release_without_such_cells_has_the_same_table(tmp_path: Path) -> None:
    people = {"town": ["Oslo", "Oslo", "Bergen", "Bergen"], "pay": [-1, -2, -1, -2]}
    plain, safe = (
        released(people, quasi=["town"], sensitive=["pay"], neutralise=wanted).save(tmp_path / str(wanted))
        for wanted in (False, True)
    )
    assert (plain / "public" / "table.csv").read_bytes() == (safe / "public" / "table.csv").read_bytes()
    assert shoal.verify(safe, original=people).failures == []


def test_nothing_is_neutralised_unless_it_is_asked_for(tmp_path: Path) -> None:
    release = shoal.anonymize(
        PEOPLE, quasi=["@town", "pay"], sensitive=["illness"], other="rest", allow=["note"], require="k=2"
    )
    folder = release.save(tmp_path / "out")
    assert public(folder).columns == list(PEOPLE)
    assert "=1+1" in set(public(folder)["note"])
    assert (release.codebook["neutralised"], release.config["neutralise"]) == (False, False)
    assert shoal.verify(folder, original=PEOPLE).failures == []


def test_the_codebook_says_that_it_was_done_and_names_the_columns_as_they_are(tmp_path: Path) -> None:
    folder = released().save(tmp_path / "out")
    book = json.loads((folder / "public" / "codebook.json").read_text())
    assert book["neutralised"] is True
    assert "apostrophe" in book["marks"]["formula"]
    assert [column["name"] for column in book["columns"]] == list(PEOPLE)
    assert json.loads((folder / "internal" / "config.json").read_text())["neutralise"] is True
