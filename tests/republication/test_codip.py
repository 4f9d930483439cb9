"""Several releases of the same people: groups of attributes, what each reaches, what they give away joined."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import ParameterError, ReleaseError
from shoal.models.requirement import parse_requirement
from shoal.release.verification import verify
from shoal.republication.codip import codip, of_group, related
from shoal.studies.synth import census
from shoal.tables.table import Table

QUASI = ["age", "gender", "education"]
PEOPLE = census(400, seed=4).select(*QUASI, "income", "occupation", "race")


def test_every_release_is_whole_and_verified(tmp_path: Path) -> None:
    asked = "k=4 t(income)=0.3 t(occupation)=0.5"
    found = codip(PEOPLE, quasi=QUASI, sensitive=["income", "occupation"], require=asked, recoding="range")
    folder = found.save(tmp_path / "out", format="parquet")
    assert found.folders == ["1_income", "2_occupation"]
    for name, release in zip(found.folders, found.releases.values(), strict=True):
        assert release.audit.holds
        assert verify(folder / name, original=PEOPLE).passed
    assert found.releases["income"].table.columns == [*QUASI, "income"]
    assert json.loads((folder / "internal" / "joined.json").read_text())["joined"]["classes"] == found.joined.classes
    with pytest.raises(ReleaseError, match="exists already"):
        found.save(folder)


@pytest.mark.slow
def test_who_joins_the_releases_sees_the_rows_that_share_every_class() -> None:
    found = codip(
        PEOPLE, quasi=QUASI, sensitive=["income", "occupation"], require="k=4 t(income)=0.3 t(occupation)=0.5"
    )
    one, other = (release.classes.class_of_row for release in found.releases.values())
    _, sizes = np.unique(np.column_stack([one, other]), axis=0, return_counts=True)
    assert (found.joined.classes, found.joined.smallest_class) == (len(sizes), sizes.min())


def test_related_attributes_go_together() -> None:
    table = Table.of({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [3, 3, 4, 4]})
    models = parse_requirement("k=2")
    assert related(table, ["a", "b", "c"], models, 1) == [("a",), ("b",), ("c",)]
    assert related(table, ["a", "b", "c"], models, 2) == [("b",), ("a", "c")]
    assert len(related(table, ["a", "b", "c"], models, 3)) == 1


def test_attributes_that_a_model_reads_together_stay_together() -> None:
    table = Table.of({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [3, 3, 4, 4]})
    models = parse_requirement("k=2 l(a+b)=2 l(c)=1")
    assert related(table, ["a", "b", "c"], models, 1) == [("c",), ("a", "b")]
    assert str(of_group(models, ("a", "b"))) == "k=2 l(a+b)=2"


def test_bad_requests_are_refused_in_words() -> None:
    with pytest.raises(ParameterError, match="no sensitive column"):
        codip(PEOPLE, quasi=QUASI, sensitive=[], require="k=2")
    with pytest.raises(ParameterError, match="no model is required for 'occupation'"):
        codip(PEOPLE, quasi=QUASI, sensitive=["income", "occupation"], require="l(income)=2")
    with pytest.raises(ParameterError):
        codip(PEOPLE, quasi=QUASI, sensitive=["income"], require="k=2", largest=0)


def test_the_command_writes_the_releases_and_says_what_they_give_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    asked = ["people.csv", "-o", "out", "--quasi=age,gender,education", "--sensitive=income,occupation"]
    done = command("codip", *asked, "--require=k=4 t(income)=0.3 t(occupation)=0.5", "--recoding=range")
    assert done.code == 0, done.err
    assert "joined: k=4" in done.out
    assert (tmp_path / "out" / "1_income" / "public" / "table.csv").is_file()
    again = command("codip", *asked, "--require=k=4 l(income)=2 l(occupation)=2", "--json")
    assert again.code != 0
    assert "exists already" in again.err
    assert shoal.verify(tmp_path / "out" / "2_occupation").passed
