"""`shoal audit` and `shoal verify` end with 0 where all holds, 1 where something fails, 2 for what cannot be asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import settle, shoal

import shoal as library
from shoal.tables.writing import write

TABLE = pl.DataFrame(
    {"age": ["20-29"] * 3 + ["*"] * 2, "sex": list("mmmff"), "illness": ["flu", "gout", "flu", "flu", "flu"]}
)
ROLES = ["--quasi", "age,sex", "--sensitive", "illness"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


@pytest.fixture
def table(home: Path) -> Path:
    write(TABLE, home / "table.csv")
    return home / "table.csv"


@pytest.fixture
def release(home: Path) -> Path:
    made = library.anonymize(
        "census.csv", quasi=["age", "gender"], sensitive=["income"], leave_out="rest", require="k=5"
    )
    return made.save(home / "out")


# audit


@pytest.mark.parametrize(("require", "code"), [("k=2", 0), ("k=3", 1), ("k=2 distinct-l(illness)=2", 1)])
def test_the_exit_code_of_an_audit_says_whether_all_holds(table: Path, require: str, code: int) -> None:
    done = shoal("audit", table, *ROLES, "--require", require)
    assert (done.code, done.err) == (code, "")
    assert "5 rows in 2 classes of 2 to 3 rows" in done.out
    assert ("FAILS" in done.out) == bool(code)


def test_an_audit_without_a_requirement_measures_everything(table: Path) -> None:
    done = shoal("audit", table, *ROLES)
    assert (done.code, done.err) == (0, "")
    assert all(title in done.out for title in ("k-anonymity", "l-diversity", "t-closeness"))


@pytest.mark.parametrize("require", [[], ["--require=k=3"]])
def test_an_audit_as_json_is_the_one_of_the_library(table: Path, require: list[str]) -> None:
    done = shoal("audit", table, *ROLES, *require, "--json")
    asked = "k=3" if require else None
    found = library.audit(TABLE, quasi=["age", "sex"], sensitive=["illness"], require=asked)
    assert done.out == found.to_json() + "\n"
    assert json.loads(done.out)["holds"] is (done.code == 0 if require else None)
    assert done.err == ""


def test_an_audit_takes_hierarchies_and_how_the_file_is_written(home: Path) -> None:
    (home / "odd.csv").write_bytes("cell|ill\nx|flu\nx|flu\ny|cold\ny|gout\n".encode("utf-16-le"))
    (home / "ills.csv").write_text("flu;lung\ncold;lung\ngout;joint\n")
    done = shoal(
        "audit",
        "odd.csv",
        "--quasi=cell",
        "--sensitive=ill",
        "--require=t(ill:hierarchy)=0.375",
        "--hierarchy=ill=ills.csv",
        "--separator=|",
        "--encoding=utf-16-le",
        "--json",
    )
    assert json.loads(done.out)["findings"][0]["reached"] == 0.375


def test_an_audit_shows_the_risk(table: Path) -> None:
    done = shoal("audit", table, *ROLES, "--threshold=0.4", "--sample-fraction=0.5")
    assert "above 0.4" in done.out.replace("\n", " ")
    assert "0 rows (0 %) are unique" in done.out
    assert "of 10 people are unique, by the estimate of" in done.out
    assert "no population is given" in done.out


def test_an_audit_takes_record_weights(home: Path) -> None:
    (home / "survey.csv").write_text("age,weight\n30,10\n30,20\n40,5\n50,8\n")
    done = shoal("audit", "survey.csv", "--quasi=age", "--record-weight=weight", "--json")
    risk = json.loads(done.out)["risk"]
    assert risk["individual"]["population"] == risk["population"]["population"] == 43
    assert risk["individual"]["expected"] == pytest.approx(0.058 * 2 + 0.402 + 0.297, abs=0.002)
    shown = shoal("audit", "survey.csv", "--quasi=age", "--record-weight=weight", "--minimal-uniques=0").out
    assert "0.8 right matches to be expected, by the weights of 43 people" in shown
    assert "minimal sample uniques were not looked for" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table.csv", "--quasi=age", "--record-weight=sex"], "the record weights in 'sex' have the type String"),
        (["table.csv", "--quasi=age", "--population-size=2"], "2 people, the table 5 rows"),
        (["table.csv", "--quasi=agee"], "did you mean 'age'?"),
        (["table.csv", "--quasi=age", "--require=l(illness)=2"], "expected a sensitive column"),
        (["table.csv", "--quasi=age", "--require=k=0"], "expected a whole number of at least 1"),
        (["nobody.csv", "--quasi=age"], "there is no file 'nobody.csv'"),
        (["table.csv"], "--quasi"),
        (["--quasi=age"], "Missing argument"),
    ],
)
@pytest.mark.usefixtures("table")
def test_what_cannot_be_audited_ends_with_2(arguments: list[str], message: str) -> None:
    done = shoal("audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


# verify


def test_a_whole_release_is_verified(release: Path) -> None:
    for original in ([], ["--original", "census.csv"]):
        done = shoal("verify", release, *original)
        assert (done.code, done.err) == (0, "")
        assert done.out.rstrip().endswith("verified")
        assert "FAIL" not in done.out


def test_a_changed_release_is_refused_and_what_failed_is_said(release: Path) -> None:
    with (release / "public" / "table.csv").open("a") as table:
        table.write("30,Male,5,Married,Nowhere,PhD,Private,Clerk\n")
    done = shoal("verify", release, "--original", "census.csv")
    assert (done.code, done.err) == (1, "")
    assert "FAIL every file is the one that was written: changed, added or missing: public/table.csv" in done.out
    assert done.out.rstrip().endswith("refused")


def test_a_wrong_original_is_refused(release: Path) -> None:
    write(pl.read_csv("census.csv").reverse(), Path("other.csv"))
    done = shoal("verify", release, "--original", "other.csv")
    assert done.code == 1
    assert "the keyed hash differs" in done.out


@pytest.mark.parametrize("damage", [False, True])
def test_a_verification_as_json_lists_every_check(release: Path, damage: bool) -> None:
    if damage:
        (release / "internal" / "decisions.json").unlink()
    done = shoal("verify", release, "--json")
    found = json.loads(done.out)
    assert set(found) == {"passed", "checks", "not_checked", "proved"}
    assert all(set(check) == {"what", "passed", "detail"} for check in found["checks"])
    assert (found["passed"], done.code, done.err) == (not damage, int(damage), "")


def test_the_public_part_can_be_verified_by_whoever_gets_it(release: Path) -> None:
    shutil.rmtree(release / "internal")
    done = shoal("verify", release)
    assert done.code == 0
    assert "the internal part is not here" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "there is no release in 'nowhere'"),
        (["census.csv"], "there is no release in 'census.csv'"),
        (["out", "--original=nobody.csv"], "there is no file 'nobody.csv'"),
        ([], "Missing argument"),
    ],
)
@pytest.mark.usefixtures("release")
def test_what_cannot_be_verified_ends_with_2(arguments: list[str], message: str) -> None:
    done = shoal("verify", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
