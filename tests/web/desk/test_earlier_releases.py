"""Registers, series and CODIP at the desk: compared in the run, recorded when asked for, nothing half done."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.core.errors import ParameterError, ReleaseError, ShoalError
from shoal.republication.release_register import Register
from shoal.web.desk import Desk, Draft, Run, worker
from shoal.web.desk.jobs import Job
from shoal.web.desk.releases import zipped
from shoal.web.desk.side_by_side import Sought, side_by_side

ILLS = ("flu", "gout", "cold", "asthma")
TEXT = "id,age,town,ill,pay\n" + "".join(
    f"{i},{20 + i * 23 % 61},{'ab'[i % 2]},{ILLS[i % 4]},{i * i % 7 % 4}\n" for i in range(60)
)
LATER = TEXT.splitlines()[0] + "\n" + "\n".join(TEXT.splitlines()[21:]) + "\n"
"""The same people, but for the first 20."""
ROLES = {"id": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive", "pay": "identifier"}
SERIES = {"roles": ROLES, "require": ["m(ill)=3"], "registry": "known"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "people.csv").write_text(TEXT)
    (tmp_path / "root" / "later.csv").write_text(LATER)
    one = Desk(tmp_path / "desk", root=tmp_path / "root")
    one.open("people.csv")
    yield one
    one.close()


def done(desk: Desk, what: str = "start", *given: Any) -> Run:
    """Start a job whose worker is this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: None)
        run: Run = getattr(desk, what)(*given)
    worker.main(run.job.folder)
    return run


def said(run: Run) -> str:
    """Why nothing came of a run."""
    assert run.failure is not None
    return run.failure.said


def names(desk: Desk) -> list[str]:
    """The folders that are recorded."""
    return [Path(one.folder).name for one in Register.at(desk.allowed("known")).entries]


def test_a_release_is_compared_and_recorded_only_when_asked_for(desk: Desk) -> None:
    roles = {**ROLES, "ill": "identifier", "pay": "sensitive"}
    desk.change(roles=roles, require=["k=2"], recoding="range", method="mondrian", registry="known")
    first, trial = done(desk), done(desk, "start", desk.draft.changed(method="hilbert"))
    assert [run.state for run in (first, trial)] == ["done", "done"]
    assert first.summary is not None
    assert first.summary["overlaps"] == []
    assert not Path(str(desk.draft.registry)).exists()
    kept = done(desk, "record", first, "release-1")
    assert kept.summary == {"folder": str(desk.allowed("release-1")), "overlaps": [], **_ended(kept)}
    assert names(desk) == ["release-1"]
    assert shoal.verify(desk.allowed("release-1"), original=desk.allowed("people.csv")).passed
    desk.delete(first)
    assert (desk.runs.all("record"), names(desk)) == ([], ["release-1"])
    refused = done(desk, "start", desk.draft.changed(method="hilbert"))
    assert said(refused).startswith("refused for earlier releases: 60 people are in")
    assert refused.release is None
    late = done(desk, "record", trial, "release-2")  # it was made before the other was recorded
    assert said(late).startswith("refused for earlier releases")
    assert not desk.allowed("release-2").exists()
    allowed = done(desk, "start", desk.draft.changed(method="hilbert", overlap="warn"))
    assert allowed.summary is not None
    (overlap,) = allowed.summary["overlaps"]
    assert ("reveal" in overlap["said"], overlap["safe"]) == (True, False)


def _ended(run: Run) -> dict[str, Any]:
    return {name: (run.summary or {})[name] for name in ("stopped", "seconds")}


def test_recording_twice_or_over_something_else(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.change(roles=ROLES, require=["k=3"], method="mondrian")
    with pytest.raises(ParameterError, match="this run has no register"):
        desk.record(done(desk), "release-1")
    desk.change(registry="known")
    run = done(desk)
    assert "exists already" in said(done(desk, "record", run, "people.csv"))
    with pytest.raises(ParameterError, match="outside the folder"):
        desk.record(run, "../release-1")
    for _ in range(2):  # the second time as after a worker that was killed before it could record it
        assert done(desk, "record", run, "release-1").state == "done"
    assert names(desk) == ["release-1"]
    monkeypatch.setattr(Job, "start", lambda job: None)
    monkeypatch.setattr(Job, "alive", True)
    going = desk.record(run, "release-2")
    assert desk.record(run, "release-2") == going  # as a double click asks
    with pytest.raises(ShoalError, match="another release is being recorded"):
        desk.record(run, "release-3")
    with pytest.raises(ShoalError, match="is being recorded"):
        desk.delete(run)
    monkeypatch.undo()
    worker.main(going.job.folder)
    assert names(desk) == ["release-1", "release-2"]


def test_a_table_that_was_changed_is_not_recorded(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], method="mondrian", registry="known")
    run = done(desk)
    desk.allowed("people.csv").write_text(LATER)
    assert "original" in said(done(desk, "record", run, "release-1"))
    assert not desk.allowed("release-1").exists()
    assert not Register.at(desk.allowed("known")).entries


def test_a_series_is_followed(desk: Desk) -> None:
    desk.change(**SERIES, follows="none")
    first = done(desk)
    assert first.state == "done", said(first)
    done(desk, "record", first, "march")
    desk.open("later.csv")
    assert desk.draft.registry is None
    desk.change(**SERIES, follows="march")
    second = done(desk)
    assert second.summary is not None
    assert any("40 of 40 people were published before" in note for note in second.summary["decisions"])
    assert "nothing more" in second.summary["overlaps"][0]["said"]
    assert second.measured is not None
    assert "said" not in second.measured
    rows = [row for row in side_by_side(second, Sought(original=True, rows=50)).rows if row.before]
    assert rows, "counterfeits have no original"
    assert [row.before[0] for row in rows if row.before] == [row.after[0] for row in rows]
    done(desk, "record", second, "april")
    assert names(desk) == ["march", "april"]
    for folder, file in (("march", "people.csv"), ("april", "later.csv")):
        assert shoal.verify(desk.allowed(folder), original=desk.allowed(file)).passed


def test_what_a_series_cannot_be_asked_for_is_missing_before_the_run(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], registry="known", follows="none")
    ((step, missing),) = desk.ready()
    assert step == "privacy"
    assert "asks for m of it" in missing
    with pytest.raises(ParameterError, match="asks for m of it"):
        desk.start()
    desk.change(require=["m(ill)=3"])
    assert desk.ready() == []


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ({"registry": "../known"}, ParameterError, "outside the folder"),
        ({"registry": "people.csv"}, ReleaseError, "is not a register"),
        ({"registry": "."}, ReleaseError, "is not a register"),
        ({"registry": "known", "overlap": "maybe"}, ParameterError, "refuse or warn"),
        ({"overlap": "warn"}, ParameterError, "without --registry"),
        ({"follows": "none"}, ParameterError, "without --registry"),
    ],
)
def test_wrong_choices_change_nothing(desk: Desk, parts: dict[str, str], error: type[ShoalError], words: str) -> None:
    before = desk.draft
    with pytest.raises(error, match=words):
        desk.change(**parts)
    assert desk.draft == before


def test_what_repeats_a_run_names_the_register_beside_its_table(desk: Desk) -> None:
    desk.change(**SERIES, overlap="warn", follows="march")
    repeated = desk.portable(desk.draft)
    assert (repeated.registry, repeated.follows) == ("known", "march")
    assert 'registry = "known"\noverlap = "warn"\nfollows = "march"' in repeated.toml()
    assert "    registry='known',\n    overlap='warn',\n    follows='march',\n" in repeated.python()
    assert Draft.from_dict(desk.draft.to_dict()) == desk.draft
    desk.upload("people.csv", TEXT.encode())
    desk.change(**SERIES, follows="none")
    assert desk.portable(desk.draft).earlier == {"registry": "known", "follows": "none"}


def test_codip_makes_a_release_for_each_secret(desk: Desk, tmp_path: Path) -> None:
    desk.change(roles={**ROLES, "pay": "sensitive"}, require=["k=3", "l(ill)=2", "l(pay)=2"], recoding="range")
    run = done(desk, "codip")
    assert run.summary is not None
    assert [row["folder"] for row in run.summary["releases"]] == ["1_ill", "2_pay"]
    assert {one["model"] for one in run.summary["joined"]["findings"]} == {"k=3", "l(ill)=2", "l(pay)=2"}
    with zipfile.ZipFile(zipped(run)) as packed:
        packed.extractall(tmp_path / "unzipped")
    for name in ("1_ill", "2_pay"):
        assert shoal.verify(tmp_path / "unzipped" / "release" / name, original=desk.allowed("people.csv")).passed
    with zipfile.ZipFile(zipped(run, public=True)) as packed:
        assert {name.split("/")[2] for name in packed.namelist()} == {"public"}
        assert "release/1_ill/public/table.csv" in packed.namelist()
    release = done(desk)
    assert desk.runs.all() == [release]
    desk.delete(release)
    assert desk.runs.all(None) == []


def test_codip_that_cannot_be_done_is_refused_in_words(desk: Desk) -> None:
    desk.change(roles={**ROLES, "pay": "sensitive"}, require=["l(ill)=2"])
    assert "no model is required for 'pay'" in said(done(desk, "codip"))
    with pytest.raises(ParameterError):
        desk.codip(largest=0)
    desk.change(require=["k=3"], registry="known")
    assert "codip does not support registry: `shoal register` compares each" in said(done(desk, "codip"))
