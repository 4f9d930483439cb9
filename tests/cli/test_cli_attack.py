"""`shoal attack`: counts, and nothing but counts."""

from __future__ import annotations

import json
import logging
import shutil
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
    roles = ("--quasi", "age,gender,birthplace", "--sensitive", "occupation,income", "--leave-out", "rest")
    done = shoal("anonymize", "census.csv", *roles, "--require", require, "--recoding", "range", "-o", folder, *more)
    assert done.code == 0, done.err


def test_every_attack_is_listed_with_hits_before_and_after(home: Path) -> None:
    release("out")
    found = shoal("attack", "out", "--original", "census.csv")
    assert found.code == 0
    assert "hit before" in found.out
    for name in ("linkage", "partial-linkage", "homogeneity", "background", "skewness", "similarity"):
        assert name in found.out
    assert "intersection: not tried" in found.out


def test_json_has_the_figures_of_the_attacks_asked_for(home: Path) -> None:
    release("out")
    found = shoal("attack", "out", "--original", "census.csv", "--only", "linkage,homogeneity", "--json")
    said = json.loads(found.out)
    assert [one["attack"] for one in said["outcomes"]] == ["linkage", "homogeneity", "homogeneity"]
    first = said["outcomes"][0]
    assert (said["people"], said["published"], first["of"], first["after"]) == (400, 400, 400, 0)
    assert first["before"] > 100
    assert first["figures"]["smallest_after"][0][0] >= 3


def test_every_attack_ends_in_a_sentence_and_those_not_tried_are_named(home: Path) -> None:
    release("out")
    out = " ".join(shoal("attack", "out", "--original", "census.csv").out.split())
    assert "linkage: within An attacker picks the right row of a person with a chance of at most 33.3 %" in out
    assert "The risk of 33.3 % is within the threshold of 33.3 % that k=3 promises." in out
    assert "homogeneity (income): no threshold An attacker learns income of " in out
    assert "intersection: not tried Not applicable: no second release was given (--with DIR)." in out
    assert "--fail-above" not in out


def test_an_attack_above_the_threshold_has_an_exit_code_of_its_own(home: Path) -> None:
    release("out")
    asked = ("attack", "out", "--original", "census.csv", "--only", "linkage,homogeneity")
    codes = {
        "0.4,homogeneity=1": 0,
        "linkage=1/3": 0,
        "linkage=0.333": 4,
        "0": 4,
        "20": 2,
        "linkage": 2,
        "skewness=0": 2,
    }
    for said, code in codes.items():
        done = shoal(*asked, "--fail-above", said)
        assert (done.code, done.err == "") == (code, code != 2), (said, done.err)
    done = shoal(*asked, "--fail-above", "linkage=0.333", "--fail-above", "homogeneity=1")
    assert done.code == 4
    assert "Not within --fail-above: linkage: above." in done.out
    assert "Within --fail-above: homogeneity (occupation); homogeneity (income)." in done.out


def test_a_named_attack_that_could_not_be_tried_is_no_pass(home: Path) -> None:
    pl.read_csv("census.csv").select("age", "gender").write_csv("few.csv")
    roles = ("--quasi", "age,gender", "--require", "k=3", "--recoding", "range", "--method", "mondrian")
    assert shoal("anonymize", "few.csv", *roles, "-o", "out").code == 0
    done = shoal("attack", "out", "--original", "census.csv", "--fail-above", "homogeneity=0.5", "--json")
    said = json.loads(done.out)
    assert (done.code, said["passed"], said["failures"]) == (4, False, ["homogeneity: not tried"])
    missed = next(one for one in said["not_tried"] if one["attack"] == "homogeneity")
    assert (missed["reason"], missed["applies"]) == ("the release has no sensitive column", False)


def test_json_has_verdict_threshold_and_whether_it_passed(home: Path) -> None:
    release("out")
    asked = ("attack", "out", "--original", "census.csv", "--only", "linkage,similarity", "--json")
    first, *others = json.loads(shoal(*asked).out)["outcomes"]
    assert (first["threshold_by"], first["passed"]) == ("k=3", True)
    assert first["risk"] == first["chance"] == first["at_most"] == first["threshold"] == pytest.approx(1 / 3)
    assert all((one["threshold"], one["passed"], one["chance"]) == (None, None, None) for one in others)
    said = json.loads(shoal(*asked, "--fail-above", "0").out)
    assert (said["passed"], said["outcomes"][0]["threshold_by"]) == (False, "fail_above")
    assert all(one["passed"] == (one["risk"] == 0) and str(one["verdict"]) for one in said["outcomes"])


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


def test_who_was_dropped_has_no_candidates_in_the_public_part(home: Path) -> None:
    pl.DataFrame({"age": [1, 1, 1, 2, 2, 2, 50], "ill": list("fghfghf")}).write_csv("few.csv")
    asked = ("--quasi", "age", "--sensitive", "ill", "--require", "k=3", "--max-dropped", "0.2", "--recoding", "range")
    assert shoal("anonymize", "few.csv", *asked, "-o", "out").code == 0
    shutil.rmtree("out/internal")
    found = shoal("attack", "out", "--original", "few.csv", "--only", "linkage", "--json")
    figures = json.loads(found.out)["outcomes"][0]["figures"]
    assert (figures["below_k_after"], figures["smallest_after"], figures["guessed_after"]) == (0, [[3, 6]], 2.0)


def test_brackets_in_the_name_of_a_column_are_no_style(home: Path) -> None:
    pl.DataFrame({"a [/x]": [1, 1, 2, 2], "pay [/b]": list("fgfh"), "[USD]": list("xyxy")}).write_csv("few.csv")
    roles = ("--quasi", "a [/x]", "--sensitive", "pay [/b],[USD]")
    found = shoal("anonymize", "few.csv", *roles, "--require", 'k=2 distinct-l("pay [/b]")=2', "-o", "out")
    assert (found.code, "pay [/b]" in found.out) == (0, True)
    for words in (("attack", "out"), ("utility", "out")):
        said = shoal(*words, "--original", "few.csv")
        assert (said.code, "pay [/b]" in said.out, "[USD]" in said.out) == (0, True, True)
    assert "pay [/b]" in shoal("audit", "few.csv", *roles).out


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
        shoal("attack", "out", *original, "--fail-above", "0"),
    ]
    assert [one.code for one in seen] == [0, 0, 0, 2, 2, 4]
    said = "".join(one.out + one.err for one in seen) + caplog.text
    assert [value for value in CANARY.values() if value in said] == []
