"""What is written of a release, file by file, and what is said where that cannot be done."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_release_view import released
from tests.release.test_what_is_checked import ASKED, TABLE

import shoal
from shoal.core.errors import ReleaseError
from shoal.release.files import MANIFEST, REPORT, file_hash, manifest
from shoal.release.release import check_new, check_target, write_folder


class Two:
    """A report."""

    internal, public = "<p>everything</p>", "<p>for everybody</p>"


def told(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("ranges", set()),
        ("proved", {"prices.parquet", "proof.json"}),
        ("people", {"people.parquet"}),
        ("households", {"households.parquet"}),
        ("two tables", set()),
        ("counterfeits", {"counterfeits.parquet"}),
        ("report", {"report.html"}),
    ],
)
def test_each_kind_of_release_has_its_files_and_no_others(kind: str, more: set[str], tmp_path: Path) -> None:
    release = released("ranges" if kind in ("counterfeits", "report") else kind)
    if kind == "counterfeits":
        release = replace(release, counterfeits=TABLE.head(1))
    folder = release.save(tmp_path / "release", format="csv", report=Two() if kind == "report" else None)
    always = {"config.json", "decisions.json", "manifest.json", "original.json", "rows.parquet"}
    assert {path.name for path in (folder / "internal").iterdir()} == always | more
    public = {"certificate.json", "codebook.json", "table.csv"}
    public |= {"sensitive.csv"} if kind == "two tables" else set()
    assert {path.name for path in (folder / "public").iterdir()} == public | (more & {REPORT})
    hashes = told(folder / "public" / "certificate.json")["hashes"]
    sealed = {name.partition(".")[0] for name in public | (more & {REPORT})} - {"certificate"} | {"config"}
    assert set(hashes) == sealed
    assert told(folder / MANIFEST) == manifest(folder)
    assert told(folder / "internal" / "decisions.json") == list(release.decisions)
    for name in set(hashes) & {"table", "sensitive"}:
        assert hashes[name] == file_hash(folder / "public" / f"{name}.csv")


def test_a_report_is_written_for_everybody_and_for_oneself(tmp_path: Path) -> None:
    folder = released("ranges").save(tmp_path / "release", report=Two())
    assert (folder / "public" / REPORT).read_text() == Two.public
    assert (folder / "internal" / REPORT).read_text() == Two.internal
    assert shoal.verify(folder, original=TABLE).passed
    (folder / "public" / REPORT).write_text(Two.internal)
    assert not shoal.verify(folder).passed


def test_rows_people_and_households_are_in_the_order_of_the_published_rows(tmp_path: Path) -> None:
    mixed = TABLE.sample(fraction=1, shuffle=True, seed=3)
    asked = ASKED | {"person": ["who"], "leave_out": "rest"}
    folder = shoal.anonymize(mixed, **asked).save(tmp_path / "people", format="csv")
    rows = pl.read_parquet(folder / "internal" / "rows.parquet")["row"]
    assert sorted(rows) == list(range(8))
    assert rows.to_list() != list(range(8))
    assert pl.read_csv(folder / "public" / "table.csv")["ill"].to_list() == mixed["ill"].gather(rows).to_list()
    who = pl.read_parquet(folder / "internal" / "people.parquet")["person"]
    assert pl.DataFrame({"a": who, "b": mixed["who"].gather(rows)}).n_unique() == who.n_unique() == 7
    asked = ASKED | {"household": "home", "require": "k-households=2", "leave_out": "rest"}
    folder = shoal.anonymize(mixed, **asked).save(tmp_path / "homes", format="csv")
    rows = pl.read_parquet(folder / "internal" / "rows.parquet")["row"]
    home = pl.read_parquet(folder / "internal" / "households.parquet")["household"]
    assert pl.DataFrame({"a": home, "b": mixed["home"].gather(rows)}).n_unique() == home.n_unique() == 4


def test_prices_are_written_with_what_they_prove(tmp_path: Path) -> None:
    release = released("proved")
    folder = release.save(tmp_path / "release")
    assert release.prices is not None
    assert told(folder / "internal" / "proof.json") == {
        "denominator": release.prices.denominator,
        "lower_bound": release.prices.bound,
    }
    prices = pl.read_parquet(folder / "internal" / "prices.parquet")["price"]
    assert prices.to_list() == release.prices.of_row.tolist()


def test_the_key_of_the_original_is_drawn_anew_and_long(tmp_path: Path) -> None:
    release, keys = released("ranges"), set()
    for name in ("one", "two", "three"):
        keys.add(told(release.save(tmp_path / name) / "internal" / "original.json")["key"])
    assert len(keys) == 3
    assert {len(bytes.fromhex(key)) for key in keys} == {32}
    assert all(len(set(key)) > 4 for key in keys)


@pytest.mark.parametrize("neutralise", [True, False])
def test_formulas_are_neutralised_in_files_alone(neutralise: bool, tmp_path: Path) -> None:
    table = TABLE.with_columns(note=pl.lit("=1+1"))
    asked = ASKED | {"other": ["note"], "leave_out": ["pay", "w", "who", "home"], "neutralise": neutralise}
    release = shoal.anonymize(table, **asked)
    assert release.table["note"].to_list() == ["=1+1"] * 8
    folder = release.save(tmp_path / "release", format="csv")
    written = pl.read_csv(folder / "public" / "table.csv")["note"].to_list()
    assert written == (["'=1+1"] if neutralise else ["=1+1"]) * 8


def test_a_notebook_shows_levels_and_no_cell() -> None:
    release = shoal.anonymize(TABLE, **ASKED | {"require": "k=2 l(ill)=1.5", "leave_out": "rest"})
    shown = release._repr_html_()
    assert "<strong>Release</strong>: 8 rows, k=2 l(ill)=1.5</p>" in shown
    assert '<td>k</td><td></td><td class="n">2</td><td class="n">2</td>' in shown
    assert '<td>l</td><td>ill</td><td class="n">1.5</td><td class="n">2</td>' in shown
    assert '<th scope="col">column</th><th scope="col" class="n">asked</th>' in shown.replace(
        'class="n" scope="col"', 'scope="col" class="n"'
    )
    assert "None" not in shown
    assert not any(word in shown for word in ("flu", "gout"))


# --- what cannot be written ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("a disk that says nothing else"), "a disk that says nothing else"),
        (pl.exceptions.ComputeError("write error"), "is the disk full?"),
    ],
)
@pytest.mark.parametrize("old", [False, True])
def test_what_could_not_be_written_is_said(error: Exception, why: str, old: bool, tmp_path: Path) -> None:
    target = tmp_path / "release"
    if old:
        released("ranges").save(target)
    before = manifest(tmp_path)

    def fails(folder: Path) -> None:
        (folder / "public" / "table.csv").write_text("half a")
        raise error

    with pytest.raises(ReleaseError) as raised:
        write_folder(target, fails, overwrite=old)
    assert f"cannot write the release to {str(target)!r}: {why}" in str(raised.value)
    assert manifest(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == (["release"] if old else [])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "1 other file: 'a'"),
        (["a", "b", "c"], "3 other files: 'a', 'b', 'c'"),
        (["a", "b", "c", "d"], "4 other files: 'a', 'b', 'c' and 1 more"),
        (["public/x"], "1 other file: 'public/x'"),
    ],
)
def test_files_of_others_are_named(names: list[str], words: str, tmp_path: Path) -> None:
    folder = released("ranges").save(tmp_path / "release")
    check_target(folder, overwrite=True)
    for name in names:
        (folder / name).write_text("mine")
    with pytest.raises(ReleaseError) as raised:
        check_target(folder, overwrite=True)
    said = str(raised.value).partition(";")[0]
    assert said.endswith(f"also holds {words}")


def test_a_link_or_an_empty_folder_in_a_release(tmp_path: Path) -> None:
    folder = released("ranges").save(tmp_path / "release")
    (folder / "empty").mkdir()
    check_target(folder, overwrite=True)
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(ReleaseError, match="also holds 1 other file: 'link'"):
        check_target(folder, overwrite=True)


def test_where_there_is_nothing_anything_may_go(tmp_path: Path) -> None:
    for overwrite in (False, True):
        check_target(tmp_path / "new", overwrite=overwrite)
        with pytest.raises(ReleaseError, match="cannot be written to '-'"):
            check_target(Path("-"), overwrite=overwrite)
    check_new(tmp_path / "new")
    with pytest.raises(ReleaseError, match="exists already"):
        check_new(tmp_path)
    with pytest.raises(ReleaseError, match="is not a release"):
        check_target(tmp_path, overwrite=True)
    with pytest.raises(ReleaseError, match="add --overwrite"):
        check_target(tmp_path, overwrite=False)


def test_what_a_dead_process_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    dead = 2**22 + 1  # more than any number of a process here
    names = [f".release.{dead}.abcd.partial", f".release.{dead}.partial", f".release.old.{dead}.ab.partial"]
    stays = [f".release.{os.getpid()}.ab.partial", ".release.note.partial", f".other.{dead}.ab.partial"]
    stays += [f".release.{dead}.zz.partial"]
    released("ranges").save(tmp_path / "release")
    for name in (*names, *stays):
        (tmp_path / name).mkdir()
    released("ranges").save(tmp_path / "release", overwrite=True)
    assert {path.name for path in tmp_path.iterdir()} == {"release", *stays}


def test_an_old_release_goes_back_where_nothing_was_put_in_its_place(tmp_path: Path) -> None:
    folder = released("ranges").save(tmp_path / "release")
    before = manifest(folder)
    folder.rename(tmp_path / f".release.old.{2**22 + 1}.{secrets.token_hex(4)}.partial")
    with pytest.raises(ReleaseError, match="exists already"):
        released("ranges").save(folder)
    assert manifest(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_folders_above_a_release_are_made(tmp_path: Path) -> None:
    target = tmp_path / "one" / "two" / "release"
    write_folder(target, lambda folder: (folder / "public" / "certificate.json").touch())
    assert (target / "public" / "certificate.json").is_file()


def test_why_a_first_release_cannot_go_into_place_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(source: Path, target: Path) -> None:
        if target.name == "release":
            raise OSError(30, "Read-only file system") if source.exists() else OSError(2, "nothing to move")

    monkeypatch.setattr("shoal.release.release.moved", refuses)
    with pytest.raises(ReleaseError, match="Read-only file system"):
        write_folder(tmp_path / "release", lambda folder: None)
    assert list(tmp_path.iterdir()) == []
