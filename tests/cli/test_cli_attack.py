"""`shoal attack`: counts, and nothing but counts."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import Outcome, settle, shoal

CANARY = {"age": "913742", "birthplace": "Canary-Island-7", "occupation": "canary-keeper-7"}
"""Values that one planted person has, and nobody else."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def release(folder: str, require: str = "k=3", *more: str) -> None:
    roles = ("--quasi", "age,gender,birthplace", "--sensitive", "occupation,income")
    done = shoal("anonymize", "census.csv", *roles, "--require", require, "--recoding", "range", "-o", folder, *more)
    assert done.code == 0, done.err


def test_every_attack_is_listed_with_hits_before_and_after(home: Path) -> None:
    release("out")
    found = shoal("attack", "out", "--original", "census.csv")
    assert found.code == 0
    assert "hit before" in found.out
    for name in ("linkage", "partial-linkage", "homogeneity", "background", "skewness", "similarity"):
        assert name in found.out
    assert "intersection" not in found.out


def test_json_has_the_figures_of_the_attacks_asked_for(home: Path) -> None:
    release("out")
    found = shoal("attack", "out", "--original", "census.csv", "--only", "linkage,homogeneity", "--json")
    said = json.loads(found.out)
    assert [one["attack"] for one in said["outcomes"]] == ["linkage", "homogeneity", "homogeneity"]
    first = said["outcomes"][0]
    assert (said["people"], said["published"], first["of"], first["after"]) == (400, 400, 400, 0)
    assert first["before"] > 100
    assert first["figures"]["smallest_after"][0][0] >= 3


def test_a_second_release_of_the_same_people_is_intersected(home: Path) -> None:
    release("one")
    release("two", "k=3", "--method", "hilbert")
    found = shoal("attack", "one", "--original", "census.csv", "--with", "two", "--only", "intersection", "--json")
    for one in json.loads(found.out)["outcomes"]:
        assert one["figures"]["in_both"] == 400
        assert one["after"] >= max(one["figures"]["first_alone"], one["figures"]["second_alone"])
    alone = shoal("attack", "one", "--original", "census.csv", "--only", "intersection")
    assert (alone.code, alone.out) == (2, "")
    assert "--with DIR" in alone.err


def test_the_public_part_alone_is_attacked_too(home: Path) -> None:
    release("out")
    whole = shoal("attack", "out", "--original", "census.csv", "--only", "linkage,skewness", "--json")
    for path in sorted((home / "out" / "internal").iterdir()):
        path.unlink()
    (home / "out" / "internal").rmdir()
    alone = shoal("attack", "out", "--original", "census.csv", "--only", "linkage,skewness", "--json")
    assert json.loads(alone.out)["outcomes"] == json.loads(whole.out)["outcomes"]
    assert json.loads(alone.out)["published"] is None


def test_what_does_not_belong_together_is_refused(home: Path) -> None:
    release("out")
    table = pl.read_csv("census.csv")
    table.head(10).write_csv("short.csv")
    table.reverse().write_csv("turned.csv")
    table.drop("age").write_csv("ageless.csv")
    for file in ("short.csv", "turned.csv", "ageless.csv"):
        assert shoal("attack", "out", "--original", file).code == 2
    assert shoal("attack", "nothing", "--original", "census.csv").code == 2
    assert "did you mean 'linkage'" in shoal("attack", "out", "--original", "census.csv", "--only", "linkag").err
    published = home / "out" / "public" / "table.csv"
    published.write_text(published.read_text() + "\n")
    assert "changed" in shoal("attack", "out", "--original", "census.csv").err


def test_no_value_of_a_planted_person_is_in_any_output(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    table = pl.read_csv("census.csv", infer_schema=False)
    planted = table.head(1).with_columns(pl.lit(value).alias(name) for name, value in CANARY.items())
    pl.concat([table, planted]).write_csv("census.csv")
    release("out")
    release("other", "k=3", "--method", "hilbert")
    original = ("--original", "census.csv")
    table.write_csv("without.csv")
    seen: list[Outcome] = [
        shoal("attack", "out", *original),
        shoal("attack", "out", *original, "--json"),
        shoal("attack", "out", *original, "--with", "other", "--json"),
        shoal("attack", "out", "--original", "without.csv"),
        shoal("attack", "out", *original, "--only", "nothing"),
    ]
    assert [one.code for one in seen] == [0, 0, 0, 2, 2]
    said = "".join(one.out + one.err for one in seen) + caplog.text
    assert [value for value in CANARY.values() if value in said] == []
