"""What is read of a release: from its folder the same as from memory, and without the internal part nothing of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_what_is_checked import ASKED, KINDS, TABLE

import shoal
from shoal.core.errors import ReleaseError, TableError
from shoal.release.certificate import canonical
from shoal.release.release import Release
from shoal.release.release_view import Shown

STARS = TABLE.with_columns(ill=pl.Series(["flu", "*", "flu", "*", "flu", "*", "gout", "gout"]))
"""A value that would read as a star is published with a mark before it."""

MORE: dict[str, dict[str, Any]] = {
    "raised": {"coarsen": "age=1", "hierarchies": {"age": "intervals:width=10,20"}, "recoding": "generalize"},
    "hashed": {"sensitive": ["ill", "who"], "masks": {"who": "hash"}, "other": [], "allow": ["who"]},
    "redrawn": {"masks": {"ill": "pram:keep=0.9"}},
    "nulls": {"recoding": "suppress", "star": "null", "require": "k=2"},
}
MORE["raised"]["method"] = "auto"
MORE["nulls"]["method"] = "auto"
ALL = {kind: one[0] for kind, one in KINDS.items()} | MORE


def released(kind: str) -> Release:
    asked = ASKED | ALL[kind]
    if "other" not in asked:
        asked["leave_out"] = "rest"
    else:
        named = {*asked["quasi"], *asked["sensitive"], *asked["other"], *(asked.get("person") or ())}
        asked["leave_out"] = [name for name in TABLE.columns if name not in named]
    return shoal.anonymize(TABLE, **asked)


def cells(shown: Shown) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(frame.cast(pl.String).rows(), key=str) for name, frame in shown.tables.items()}


def traced(shown: Shown) -> dict[int, tuple[Any, ...]]:
    assert shown.rows is not None
    return dict(zip(shown.rows.tolist(), shown.frame.cast(pl.String).rows(), strict=True))


def public(shown: Shown) -> list[Any]:
    """What everybody may know."""
    told = [shown.quasi, shown.sensitive, shown.recoding, str(shown.models), shown.method, shown.codebook]
    return [*told, shown.is_two, shown.stars_are_null, shown.counterfeits, shown.withheld, shown.column_recodings]


@pytest.mark.parametrize("kind", ALL)
def test_a_folder_says_what_the_release_in_memory_says(kind: str, tmp_path: Path) -> None:
    release = released(kind)
    folder = release.save(tmp_path / "release", format="csv")
    made, read = Shown.of(release), Shown.of(str(folder))
    assert shoal.verify(folder, original=TABLE).failures == []
    assert cells(made) == cells(read)
    assert traced(made) == traced(read)
    assert public(made) == public(read)
    assert (made.drawn, made.secrets) == (read.drawn, read.secrets)
    assert canonical(dict(made.config)) == canonical(dict(read.config))
    assert canonical(dict(made.hierarchies)) == canonical(dict(read.hierarchies))
    assert canonical(dict(made.masks)) == canonical(dict(read.masks))
    levels = {name: one.level for name, one in made.raised.items()}
    assert levels == {name: one.level for name, one in read.raised.items()} == ({"age": 1} if kind == "raised" else {})
    for shown in (made, read):
        assert shown.frame.equals(shown.tables["table"])
        assert shown.hidden_rows.tolist() == [False] * 8
        assert shown.with_withheld(TABLE) is shown
        assert sorted(shown.real(8).tolist()) == list(range(8))
        with pytest.raises(TableError, match="too few for this release"):
            shown.real(7)
        assert shown.as_masked(TABLE.select("town")).equals(TABLE.select("town"))


@pytest.mark.parametrize("kind", ALL)
def test_without_the_internal_part_nothing_of_it_is_known(kind: str, tmp_path: Path) -> None:
    release = released(kind)
    folder = release.save(tmp_path / "release", format="csv")
    shutil.rmtree(folder / "internal")
    read = Shown.of(folder)
    assert public(read) == public(Shown.of(release))
    assert (read.rows, read.config, read.raised) == (None, {}, {})
    assert read.masks == release.certificate.masks
    assert not any("key" in mask for mask in read.masks.values())
    assert read.real(3).tolist() == list(range(8))
    assert read.with_withheld(TABLE) is read


@pytest.mark.parametrize(
    ("kind", "drawn", "alone", "secrets"),
    [
        ("masked", set(), set(), ("ill",)),
        ("drawn", {"w"}, {"w"}, ("ill",)),
        ("redrawn", {"ill"}, {"ill"}, ()),
        ("hashed", set(), {"who"}, ("ill", "who")),
        ("two tables", set(), set(), ("ill",)),
    ],
)
def test_it_is_known_which_cells_are_no_values_of_people(
    kind: str, drawn: set[str], alone: set[str], secrets: tuple[str, ...], tmp_path: Path
) -> None:
    release = released(kind)
    made = Shown.of(release)
    assert set(made.drawn) == drawn
    assert made.secrets == secrets
    folder = release.save(tmp_path / "release")
    shutil.rmtree(folder / "internal")
    read = Shown.of(folder)
    assert read.drawn == alone
    assert read.secrets == tuple(name for name in made.sensitive if name not in alone)


def test_masked_columns_are_worked_out_where_no_draw_made_them() -> None:
    assert Shown.of(released("masked")).as_masked(TABLE)["w"].to_list() == [min(w, 7) for w in TABLE["w"]]
    assert Shown.of(released("drawn")).as_masked(TABLE).equals(TABLE)
    hashed = Shown.of(released("hashed"))
    assert hashed.as_masked(TABLE)["who"].to_list() == hashed.frame["who"].to_list()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("two tables", (True, False)), ("nulls", (False, True)), ("ranges", (False, False)), ("proved", (False, False))],
)
def test_it_is_known_what_a_missing_cell_means(kind: str, expected: tuple[bool, bool]) -> None:
    shown = Shown.of(released(kind))
    assert (shown.is_two, shown.stars_are_null) == expected


def test_columns_recoded_in_different_ways_are_read_in_their_own() -> None:
    mixed, ranges = Shown.of(released("mixed")), Shown.of(released("ranges"))
    assert mixed.column_recodings == {"age": "centroid", "town": "range"}
    assert [mixed.form_of(name).covers for name in ("age", "town")] == [False, True]
    assert ranges.column_recodings == {}
    assert [ranges.form_of(name) for name in ("age", "town")] == [ranges.form] * 2


def withheld(tmp_path: Path) -> tuple[Shown, Shown]:
    asked: dict[str, Any] = {
        "quasi": ["age"],
        "sensitive": ["ill"],
        "require": "k=2",
        "leave_out": "rest",
        "max_suppressed": 0.3,
    }
    asked |= {"hierarchies": {"age": "intervals:width=10"}, "recoding": "full-domain", "suppress_sensitive": True}
    table = STARS.with_columns(age=pl.Series([20, 21, 30, 31, 40, 41, 50, 61]))
    release = shoal.anonymize(table, **asked)
    return Shown.of(release), Shown.of(release.save(tmp_path / "release", format="csv"))


def test_values_that_are_not_published_are_those_of_the_original(tmp_path: Path) -> None:
    for shown in withheld(tmp_path):
        assert shown.withheld == 2
        hidden = shown.hidden_rows
        assert shown.frame["ill"].is_null().to_list() == hidden.tolist()
        assert hidden.sum() == 2
        filled = shown.with_withheld(STARS)
        assert shown.rows is not None
        published = [{"*": "\\*"}.get(ill, ill) for ill in STARS["ill"].gather(shown.rows)]
        assert filled.frame["ill"].to_list() == published
        assert filled.frame.drop("ill").equals(shown.frame.drop("ill"))


def test_values_that_are_not_published_have_the_type_of_those_that_are(tmp_path: Path) -> None:
    table = TABLE.with_columns(age=pl.Series([20, 21, 30, 31, 40, 41, 50, 61]))
    asked: dict[str, Any] = {
        "quasi": ["age"],
        "sensitive": ["pay"],
        "require": "k=2",
        "leave_out": "rest",
        "max_suppressed": 0.3,
    }
    asked |= {"hierarchies": {"age": "intervals:width=10"}, "recoding": "full-domain", "suppress_sensitive": True}
    shown = Shown.of(shoal.anonymize(table, **asked).save(tmp_path / "release"))
    filled = shown.with_withheld(table.with_columns(pl.col("pay").cast(pl.Float64)))
    assert shown.rows is not None
    assert filled.frame["pay"].equals(TABLE["pay"].gather(shown.rows).alias("pay"))


def test_rows_about_nobody_come_after_those_of_the_original(tmp_path: Path) -> None:
    release = released("ranges")
    release = replace(release, codebook={**release.codebook, "counterfeits": 2})
    folder = release.save(tmp_path / "release")
    for shown in (Shown.of(release), Shown.of(folder)):
        assert shown.counterfeits == 2
        assert shown.rows is not None
        assert [sorted(shown.rows[shown.real(people)].tolist()) for people in (8, 7, 6)] == [
            list(range(people)) for people in (8, 7, 6)
        ]
        with pytest.raises(TableError, match="too few for this release"):
            shown.real(5)


@pytest.mark.parametrize("name", ["table.csv", "codebook.json"])
def test_a_changed_release_is_not_read(name: str, tmp_path: Path) -> None:
    folder = released("ranges").save(tmp_path / "release", format="csv")
    path = folder / "public" / name
    path.write_text(path.read_text() + "\n")
    with pytest.raises(ReleaseError, match="the release was changed"):
        Shown.of(folder)


def test_an_original_is_read_as_the_request_wanted() -> None:
    release = shoal.anonymize(TABLE, **ASKED, missing={"age": [51]}, leave_out="rest")
    shown = Shown.of(release)
    assert shown.as_read(TABLE).frame["age"].to_list() == [*TABLE["age"].to_list()[:-1], None]
    assert json.loads(canonical(dict(shown.config)))["quasi"] == ["age", "town"]


@pytest.mark.parametrize("kind", ["ranges", "two tables", "people", "households", "proved", "masked", "added"])
def test_signs_in_the_name_of_a_folder_are_no_pattern(kind: str, tmp_path: Path) -> None:
    release = released("ranges" if kind == "added" else kind)
    if kind == "added":
        release = replace(release, counterfeits=TABLE.head(1))
    folder = release.save(tmp_path / "re*[l]?se", format="parquet")
    plain = release.save(tmp_path / "release", format="parquet")
    found, expected = shoal.verify(folder, original=TABLE), shoal.verify(plain, original=TABLE)
    assert found.failures == expected.failures
    assert found.checks == expected.checks
    assert cells(Shown.of(folder)) == cells(Shown.of(plain))
    assert traced(Shown.of(folder)) == traced(Shown.of(plain))
