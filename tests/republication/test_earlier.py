"""What the commands do with earlier releases, in Python: compared, refused, followed, recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import ParameterError, ReleaseError, Unsupported
from shoal.republication.earlier import Earlier
from shoal.republication.release_register import Register

EVERYBODY = pl.DataFrame(
    {
        "id": range(90),
        "age": np.random.default_rng(1).integers(20, 80, 90),
        "illness": [("flu", "gout", "cold", "asthma")[number % 4] for number in range(90)],
    }
)
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "identifiers": ["id"]}
FLAGS = ("--quasi", "age", "--sensitive", "illness", "--identifier", "id")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    EVERYBODY.write_csv("people.csv")
    EVERYBODY[20:].write_csv("later.csv")
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    """The published files of a release."""
    return {path.name: path.read_bytes() for path in sorted((folder / "public").iterdir())}


def test_python_compares_refuses_and_records_as_the_command_does(home: Path) -> None:
    asked = {**ROLES, "recoding": "range", "require": "k=3"}
    first = shoal.anonymize("people.csv", **asked, method="mondrian", registry="known")
    assert first.overlaps == ()
    first.save("first")
    with pytest.raises(ReleaseError, match="refused for earlier releases: 90 people are in"):
        shoal.anonymize("people.csv", **asked, method="hilbert", registry="known")
    second = shoal.anonymize("people.csv", **asked, method="hilbert", registry="known", overlap="warn")
    assert [one.is_safe for one in second.overlaps] == [False]
    assert len(Register.at("known").entries) == 1  # it is not written yet
    second.save("second")
    assert [Path(one.folder).name for one in Register.at("known").entries] == ["first", "second"]
    words = (*FLAGS, "--recoding", "range", "--require", "k=3", "--registry", "others")
    assert command("anonymize", "people.csv", *words, "--method", "mondrian", "-o", "one").code == 0
    done = command("anonymize", "people.csv", *words, "--method", "hilbert", "--overlap", "warn", "-o", "two")
    assert done.code == 0, done.err
    assert str(second.overlaps[0]).replace("first", "one") in done.err
    for mine, theirs in (("first", "one"), ("second", "two")):
        assert files(home / mine) == files(home / theirs)


def test_a_series_in_python_is_the_series_of_the_command(home: Path) -> None:
    for file, folder, follows in (("people.csv", "march", "none"), ("later.csv", "april", "march")):
        release = shoal.anonymize(file, **ROLES, require="m(illness)=3", registry="known", follows=follows)
        assert all(one.is_safe for one in release.overlaps)
        release.save(folder)
        assert shoal.verify(folder, original=file).failures == []
    assert any("70 of 70 people were published before" in note for note in release.decisions)
    words = (*FLAGS, "--require", "m(illness)=3", "--registry", "known", "--follows", "march", "-o", "again")
    done = command("anonymize", "later.csv", *words)
    assert done.code == 0, done.err
    assert files(home / "again").keys() == files(home / "april").keys()


def test_register_records_afterwards(home: Path) -> None:
    asked = {**ROLES, "recoding": "range", "require": "k=3"}
    for folder, method in (("first", "mondrian"), ("second", "hilbert")):
        shoal.anonymize("people.csv", **asked, method=method).save(folder)
    assert not Path("shoal-registry").exists()
    first = shoal.register("first", "people.csv")
    assert (first.is_safe, first.overlaps, first.register) == (True, (), Register.at("shoal-registry"))
    second = shoal.register("second", EVERYBODY, person=["age"])
    assert (second.is_safe, len(second.register.entries)) == (False, 2)
    unknown = shoal.register("second", registry="elsewhere")
    assert (unknown.is_safe, unknown.register.entries[0].person) == (True, ())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"overlap": "warn"}, "without --registry"),
        ({"follows": "none"}, "without --registry"),
        ({"registry": "known", "overlap": "maybe"}, "expected refuse or warn"),
    ],
)
def test_wrong_settings_are_refused_before_any_work(home: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        shoal.anonymize("no such file.csv", **ROLES, require="k=2", **asked)


def test_what_is_no_register_and_another_engine_are_refused(home: Path) -> None:
    with pytest.raises(ReleaseError, match="is not a register"):
        shoal.anonymize("people.csv", **ROLES, require="k=2", registry=".")
    with pytest.raises(Unsupported, match="compared in memory"):
        shoal.anonymize("people.csv", **ROLES, require="k=2", registry="known", engine="spark")


def test_without_a_register_nothing_is_compared_and_nothing_recorded(home: Path) -> None:
    release = shoal.anonymize("people.csv", **ROLES, require="k=3")
    assert (release.overlaps, release.record) == ((), None)
    assert Earlier.of().overlaps(release, release.source) == ()
