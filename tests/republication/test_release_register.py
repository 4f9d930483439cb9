"""Earlier releases: who is in both, what the two give away, and that the register holds no cell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import settle, shoal

import shoal as library
from shoal.core.errors import ReleaseError
from shoal.release.release import Release
from shoal.republication.release_register import Register, refused
from shoal.tables.table import Table

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bea", "Cleo", "Dora", "Eve", "Fay"],
        "age": [20, 21, 22, 23, 24, 25],
        "illness": ["flu", "gout", "wart", "flu", "cold", "asthma"],
    }
)


def published(frame: pl.DataFrame, cells: list[str]) -> Release:
    """A release that shows these ages; the classes are what rows with equal cells make."""
    made = library.anonymize(
        frame, quasi=["age"], sensitive=["illness"], identifiers=["name"], require="k=1", recoding="range"
    )
    table = made.table.with_columns(pl.Series("age", cells))
    columns = [{**one, "type": str(table[one["name"]].dtype)} for one in made.codebook["columns"]]
    return replace(made, shown={"table": Table(table)}, codebook={**made.codebook, "columns": columns})


FIRST = ["[20, 21]", "[20, 21]", "[22, 23]", "[22, 23]", "[24, 25]", "[24, 25]"]
SECOND = ["20", "[21, 23]", "[21, 23]", "[21, 23]", "[24, 25]", "[24, 25]"]


def test_two_releases_that_hide_a_person_apart_and_not_together(tmp_path: Path) -> None:
    """Dora has wart or flu by the one, flu, cold or asthma by the other; of the others two values fit both."""
    earlier, later = published(PEOPLE, FIRST), published(PEOPLE, ["[20, 22]"] * 3 + ["[23, 25]"] * 3)
    register = Register.at(tmp_path / "register").add(earlier.save(tmp_path / "one"), PEOPLE)
    (found,) = register.check(later, PEOPLE)
    assert (found.people, dict(found.exposed), found.is_safe) == (6, {"illness": 1}, False)
    with pytest.raises(ReleaseError, match="1 people's 'illness'"):
        refused([found], "refuse")
    refused([found], "warn")


def test_only_people_of_both_tables_count(tmp_path: Path) -> None:
    earlier = published(PEOPLE, FIRST).save(tmp_path / "one")
    register = Register.at(tmp_path / "register").add(earlier, PEOPLE)
    others = PEOPLE.with_columns(pl.Series("name", ["Gus", "Hal", "Ian", "Jon", "Kim", "Leo"]))
    later = ["[20, 22]"] * 3 + ["[23, 25]"] * 3
    assert list(register.check(published(others, later), others)) == []
    some = PEOPLE.with_columns(pl.Series("name", ["Ann", "Bea", "Ian", "Jon", "Kim", "Leo"]))
    (found,) = register.check(published(some, later), some)
    assert (found.people, dict(found.exposed), found.is_safe) == (2, {"illness": 0}, True)


def test_people_who_are_not_known_may_all_be_in_both(tmp_path: Path) -> None:
    register = Register.at(tmp_path / "register").add(published(PEOPLE, FIRST).save(tmp_path / "one"))
    (found,) = register.check(published(PEOPLE, ["[20, 22]"] * 3 + ["[23, 25]"] * 3), PEOPLE)
    assert (found.people, dict(found.exposed)) == (None, {"illness": 1})


def test_a_release_that_is_gone_or_another_one_is_told(tmp_path: Path) -> None:
    folder = published(PEOPLE, FIRST).save(tmp_path / "one")
    register = Register.at(tmp_path / "register").add(folder, PEOPLE)
    later = published(PEOPLE, SECOND)
    later.save(folder, overwrite=True)
    (found,) = register.check(later, PEOPLE)
    assert found.unchecked == "it is another release now"
    folder.rename(tmp_path / "two")
    (found,) = register.check(later, PEOPLE)
    assert (found.unchecked, found.is_safe) == ("it is not there any more", False)


def test_a_register_is_read_back_and_holds_no_cell(tmp_path: Path) -> None:
    path = tmp_path / "register"
    made = Register.at(path).add(published(PEOPLE, FIRST).save(tmp_path / "one"), PEOPLE)
    again = made.add(tmp_path / "one", PEOPLE, person=["age"])
    assert Register.at(path).entries == again.entries
    assert [entry.person for entry in (*made.entries, *again.entries)] == [("name",), ("age",)]
    assert (path / "private" / "key").stat().st_mode & 0o777 == 0o600
    files = [file.read_bytes() for file in path.rglob("*") if file.is_file()]
    assert len(files) == 3
    for value in (*PEOPLE["name"], *PEOPLE["illness"]):
        assert all(value.encode() not in content for content in files)
    (path / "register.json").write_text('{"format": 1, "releases": [{"folder": 1}]}')
    with pytest.raises(ReleaseError, match="cannot be read"):
        Register.at(path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(ReleaseError, match="not a register"):
        Register.at(tmp_path / "other")


def test_hashes_depend_on_the_key_alone(tmp_path: Path) -> None:
    one, other = Register.at(tmp_path / "one"), Register.at(tmp_path / "other")
    assert one.hashes(PEOPLE, ["name"]).equals(Register.at(tmp_path / "one").hashes(PEOPLE, ["name"]))
    assert not set(one.hashes(PEOPLE, ["name"])) & set(other.hashes(PEOPLE, ["name"]))
    texts = PEOPLE.with_columns(pl.col("age").cast(pl.String))
    assert one.hashes(PEOPLE, ["age", "name"]).equals(one.hashes(texts, ["name", "age"]))


def test_people_whose_values_have_changed_are_told(tmp_path: Path) -> None:
    register = Register.at(tmp_path / "register").add(published(PEOPLE, FIRST).save(tmp_path / "one"), PEOPLE)
    older = PEOPLE.with_columns(pl.col("age") + 10)
    (found,) = register.check(published(older, ["[30, 32]"] * 3 + ["[33, 35]"] * 3), older)
    assert (found.people, found.changed, found.is_safe) == (6, 6, True)
    assert "6 of them have other values there" in str(found)


# On the command line


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


ASKED = ("--quasi", "age,gender,birthplace", "--sensitive", "occupation", "--leave-out", "rest", "--require", "k=3",
         "--recoding", "range")  # fmt: skip


def test_a_release_is_refused_for_an_earlier_one_and_made_where_that_is_accepted(home: Path) -> None:
    first = shoal("anonymize", "census.csv", *ASKED, "-o", "one", "--registry", "known")
    assert (first.code, first.err) == (0, "")
    again = ("anonymize", "census.csv", *ASKED, "-o", "two", "--registry", "known", "--method", "hilbert")
    refusal = shoal(*again)
    assert refusal.code == 2
    assert "400 people are in" in refusal.err
    assert not (home / "two").exists()
    assert len(Register.at("known").entries) == 1
    accepted = shoal(*again, "--overlap", "warn")
    assert accepted.code == 0
    assert "reveal" in accepted.err
    assert len(Register.at("known").entries) == 2


def test_register_records_releases_and_says_what_they_give_away(home: Path) -> None:
    for folder, method in (("one", "mondrian"), ("two", "hilbert")):
        shoal("anonymize", "census.csv", *ASKED, "-o", folder, "--method", method)
    first = shoal("register", "one", "--original", "census.csv")
    assert (first.code, first.out) == (0, "shoal-registry: 1 releases are recorded\n")
    second = shoal("register", "two", "--original", "census.csv")
    assert second.code == 1
    assert "'occupation'" in second.out
    unknown = shoal("register", "two", "--registry", "elsewhere")
    assert (unknown.code, "is not known" in unknown.out) == (0, True)
    stated = json.loads((home / "elsewhere" / "register.json").read_text())
    assert stated["releases"][0]["person"] == []


def test_options_of_a_register_that_make_no_sense_are_refused_early(home: Path) -> None:
    wrong = shoal("anonymize", "census.csv", *ASKED, "-o", "one", "--overlap", "warn")
    assert "without --registry" in wrong.err
    wrong = shoal("anonymize", "census.csv", *ASKED, "-o", "one", "--registry", "known", "--overlap", "maybe")
    assert "refuse or warn" in wrong.err
    Path("shoal.toml").write_text(
        "[data]\nfile = 'census.csv'\n[roles]\nquasi = ['age']\nleave_out = 'rest'\n[privacy]\nrequire = 'k=3'\n"
        "[output]\nfolder = 'out'\nregistry = 'known'\n"
    )
    assert shoal("anonymize", "--config", "shoal.toml").code == 0
    assert [Path(entry.folder).name for entry in Register.at("known").entries] == ["out"]
