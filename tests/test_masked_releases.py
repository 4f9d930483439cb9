"""Releases with masked columns: stated, verified, refused where a level would be none, and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import RoleError, Unsupported
from shoal.release.certificate import Certificate, canonical, seal
from shoal.release.files import file_hash

RNG = np.random.default_rng(4)
PEOPLE = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, 80),
        "ill": RNG.choice(["flu", "gout", "cold"], 80),
        "income": RNG.lognormal(10, 1, 80).round(2),
        "hours": [None if i % 7 == 0 else i % 50 for i in range(80)],
        "grade": RNG.choice(["x", "y", "z"], 80),
    }
)
ROLES: dict[str, Any] = {
    "quasi": ["age"],
    "sensitive": ["ill", "income"],
    "other": ["hours", "grade"],
    "method": "mondrian",
    "allow": ["income"],
}
MASKS = {"income": "noise:share=0.2", "hours": "top:limit=40", "grade": "pram:keep=0.6"}


def released(**asked: Any) -> shoal.Release:
    """A release with masked columns."""
    return shoal.anonymize(PEOPLE, **{**ROLES, "require": "k=4", "masks": MASKS, **asked})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released().save(tmp_path_factory.mktemp("masked") / "release")


def test_the_certificate_and_the_codebook_state_the_masks_and_no_file_their_keys(folder: Path) -> None:
    public, internal = folder / "public", json.loads((folder / "internal" / "config.json").read_text())
    certificate = json.loads((public / "certificate.json").read_text())
    assert certificate["masks"] == {
        "grade": {"mask": "pram", "keep": "0.6", "invariant": False},
        "hours": {"mask": "top", "limit": 40},
        "income": {"mask": "noise", "share": "0.2"},
    }
    columns = {one["name"]: one for one in json.loads((public / "codebook.json").read_text())["columns"]}
    assert columns["hours"]["mask"] == {"mask": "top", "limit": 40, "meaning": "numbers above a limit become the limit"}
    assert "mask" not in columns["ill"]
    keys = [mask["key"] for mask in internal["masks"].values() if "key" in mask]
    assert len(keys) == 2
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in public.iterdir()]
    assert not any(key in text for key in keys for text in texts)
    values = {str(value) for value in PEOPLE["income"]}
    assert not [value for value in values for text in texts if value in text]


def test_what_is_published_masked_is_said_first(folder: Path) -> None:
    exposed = Certificate.from_json((folder / "public" / "certificate.json").read_text()).exposed
    assert exposed[0] == "published masked, by pram (keep 0.6, invariant False): grade"
    assert not [said for said in exposed if said.startswith("published unprotected")]


def test_verify_confirms_a_masked_release_with_and_without_the_original(folder: Path) -> None:
    assert shoal.verify(folder).passed
    found = shoal.verify(folder, original=PEOPLE)
    assert found.passed, found.failures
    assert "sensitive and other cells are unaltered but for masks" in {check.what for check in found.checks}


def forged(folder: Path, target: Path, column: str, cell: str) -> Path:
    """A copy of a release in which one cell of a column is another, and all hashes and seals fit."""
    for path in folder.rglob("*"):
        if path.is_file():
            copy = target / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    table = target / "public" / "table.csv"
    lines = table.read_text().splitlines()
    place = lines[0].split(",").index(column)
    cells = lines[1].split(",")
    lines[1] = ",".join([*cells[:place], cell, *cells[place + 1 :]])
    table.write_text("\n".join(lines) + "\n")
    path = target / "public" / "certificate.json"
    content = json.loads(path.read_text())
    content["hashes"]["table"] = file_hash(table)
    del content["seal"]
    path.write_text(canonical({**content, "seal": seal(content)}))
    return target


@pytest.mark.parametrize(
    ("column", "cell", "said"), [("hours", "41", "masked columns hold"), ("grade", "q", "masked cells can")]
)
def test_verify_finds_a_forged_cell(folder: Path, tmp_path: Path, column: str, cell: str, said: str) -> None:
    fake = forged(folder, tmp_path / "fake", column, cell)
    for path in (fake / "internal").glob("manifest.json"):
        stated = json.loads(path.read_text())
        stated |= {name: file_hash(fake / name) for name in stated if name.startswith("public/")}
        path.write_text(canonical(stated))
    assert any(said in one for one in shoal.verify(fake, original=PEOPLE).failures)


def test_a_key_makes_releases_repeatable_and_no_key_does_not() -> None:
    masks = {"income": "noise:share=0.2,key=a", "grade": "pram:0.6,key=b"}
    first, second = released(masks=masks), released(masks=masks)
    assert first.table.equals(second.table)
    assert not released().table.equals(released().table)


def test_a_model_may_speak_of_a_rounded_column_and_not_of_a_drawn_one(tmp_path: Path) -> None:
    release = released(masks={"income": "round:5000"}, require="k=4 distinct-l(income)=2")
    assert shoal.verify(release.save(tmp_path / "release"), original=PEOPLE).passed
    shown = shoal.audit(release.table, quasi=["age"], sensitive=["ill", "income"], require="distinct-l(income)=2")
    assert shown.holds
    for mask in ("noise:0.1", "shuffle", "rank-swap:0.5"):
        with pytest.raises(Unsupported, match="draws at random: the level would not be that"):
            released(masks={"income": mask}, require="k=4 distinct-l(income)=2")


@pytest.mark.parametrize("recoding", ["range", "suppress", "full-domain", "anatomy", "centroid"])
def test_every_recoding_takes_masks(recoding: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"recoding": recoding, "method": "auto", "effort": "quick", "require": "distinct-l(ill)=2"}
    if recoding == "anatomy":
        asked |= {
            "sensitive": ["ill"],
            "leave_out": ["income"],
            "allow": ["ill"],
            "masks": {"ill": "hash", "hours": "round:10"},
        }
    release = released(**asked)
    found = shoal.verify(release.save(tmp_path / "release"), original=PEOPLE)
    assert found.passed, found.failures


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ({"age": "round:5"}, "a quasi-identifier: its cells are recoded"),
        ({"aeg": "round:5"}, "a mask is given for 'aeg'"),
    ],
)
def test_columns_that_cannot_be_masked_are_refused(masks: dict[str, str], said: str) -> None:
    with pytest.raises(RoleError, match=said):
        released(masks=masks)


def test_dropped_rows_leave_the_others_verified(tmp_path: Path) -> None:
    odd = pl.concat([PEOPLE, PEOPLE[:1].with_columns(age=pl.lit(10**6, dtype=pl.Int64))])
    asked = {**ROLES, "require": "k=4", "recoding": "suppress", "max_dropped": 0.05, "method": "auto"}
    masks = {"income": "rank-swap:0.3", "hours": "shuffle", "grade": "pram:0.5"}
    release = shoal.anonymize(odd, **asked, masks=masks, effort="quick")
    found = shoal.verify(release.save(tmp_path / "release"), original=odd)
    assert found.passed, found.failures


def test_attacks_and_utility_read_a_masked_release(folder: Path) -> None:
    names = {outcome.attribute for outcome in shoal.attack(folder, PEOPLE).outcomes}
    assert "ill" in names
    assert "income" not in names
    found = shoal.utility.measure(folder, PEOPLE, queries=20)
    assert found.masked is not None
    assert set(found.masked.columns) == {"income", "hours"}
    assert 0 < found.masked.il1s < 1
    rounded = released(masks={"income": "round:5000"})
    assert "income" in {outcome.attribute for outcome in shoal.attack(rounded, PEOPLE).outcomes}
    hashed = shoal.utility.measure(released(masks={"ill": "hash"}, allow=["ill", "income"]), PEOPLE, queries=0)
    assert hashed.notes[0] == "'ill' is masked: its cells are not compared"


def test_the_command_line_and_shoal_toml_take_masks(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    said = [
        "--quasi",
        "age",
        "--sensitive",
        "ill,income",
        "--other",
        "hours,grade",
        "--allow",
        "income",
        "--require",
        "k=4",
    ]
    flags = ["--mask", "income=round:1000", "--mask", "grade=pram:0.5"]
    done = command("anonymize", tmp_path / "people.csv", *said, "--method=mondrian", *flags, "-o", tmp_path / "r")
    assert done.code == 0, done.err
    assert command("verify", tmp_path / "r", "--original", tmp_path / "people.csv").code == 0
    toml = '[masks]\nincome = {mask = "noise", share = 0.5, key = "k"}\n'
    (tmp_path / "shoal.toml").write_text(toml)
    config = ["--config", tmp_path / "shoal.toml", "--method=mondrian", "-o", tmp_path / "t"]
    assert command("anonymize", tmp_path / "people.csv", *said, *config).code == 0
    assert json.loads((tmp_path / "t/internal/config.json").read_text())["masks"]["income"]["key"] == "k"
