"""What the steps show of earlier releases and of CODIP: choices, what was released before, recording, downloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.tab import Tab

from shoal.republication.release_register import Register
from shoal.web import method, privacy, release, result, run
from shoal.web.desk import Desk, Run, worker
from shoal.web.desk.jobs import Job

TEXT = "id,age,ill,pay\n" + "".join(
    f"{i},{20 + i * 23 % 61},{('flu', 'gout', 'cold', 'asthma')[i % 4]},{i * i % 7 % 4}\n" for i in range(60)
)
ROLES = {"id": "identifier", "age": "quasi", "ill": "sensitive", "pay": "identifier"}
BOTH = {**ROLES, "pay": "sensitive"}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with a table; its jobs wait until `work` does them."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "people.csv").write_text(TEXT)
    one = Desk(tmp_path / "desk", root=tmp_path / "root")
    one.open("people.csv")
    monkeypatch.setattr(Job, "start", lambda job: None)
    monkeypatch.setattr(Job, "alive", property(lambda job: not (job.folder / "error.json").exists()))
    yield one
    monkeypatch.undo()
    one.close()


def work(desk: Desk) -> Run:
    """Do the job that was started last."""
    last = desk.runs.all(None)[-1]
    worker.main(last.job.folder)
    return last


def test_a_register_is_chosen_seen_and_taken_back(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], method="mondrian")
    tab = Tab(desk, privacy.STEP)
    assert "registry" in tab.keys
    assert not tab.keys & {"overlap", "follows"}
    tab.tell("registry", " known ")
    assert desk.draft.registry == str(desk.allowed("known"))
    assert "Nothing is recorded there yet." in tab.words
    for _ in range(2):
        tab.tell("registry", "people.csv")
    assert [said for said in tab.alerts if "is not a register" in said] == tab.alerts
    tab.tell("overlap", "warn")
    tab.tell("follows", "none")
    assert desk.draft.earlier == {"registry": str(desk.allowed("known")), "overlap": "warn", "follows": "none"}
    desk.undo()
    tab.drawn()
    assert desk.draft.follows is None
    assert "Compared with the releases in" in Tab(desk, run.STEP).words
    tab.tell("registry", "")
    assert desk.draft.earlier == {}
    assert not tab.keys & {"overlap", "follows"}


def test_a_register_that_cannot_be_read_can_be_left(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], registry="known")
    (desk.allowed("known")).mkdir()
    (desk.allowed("known") / "register.json").write_text("{}")
    tab = Tab(desk, privacy.STEP)
    assert "register.json cannot be read" in tab.words
    tab.tell("registry", "other")
    assert desk.draft.registry == str(desk.allowed("other"))
    assert "register.json cannot be read" not in tab.words


def test_a_release_is_recorded_once_and_its_people_keep_their_signature(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], registry="known", follows="none", recoding="range")
    tab = Tab(desk, privacy.STEP)
    assert "asks for m of it" in tab.words
    assert "asks for m of it" in Tab(desk, run.STEP).words
    tab.tell("series")
    assert (desk.draft.require, desk.draft.recoding) == (("m(ill)=3",), None)
    assert "series" not in tab.keys
    Tab(desk, method.STEP)
    start = Tab(desk, run.STEP)
    assert "it is the first release" in start.words
    start.tell("start")
    desk.start()  # as a second press asks
    assert len(desk.runs.all()) == 1
    work(desk)
    kept = Tab(desk, release.STEP)
    kept.tell("record", "people.csv")
    work(desk)
    kept.drawn()
    assert "exists already" in kept.words
    kept.tell("record", " march ")
    assert "record" not in kept.keys
    work(desk)
    kept.drawn()
    assert "Recorded in known as march." in kept.words
    assert "record" not in kept.keys
    assert "about the same release" in kept.words
    again = Tab(desk, privacy.STEP)
    assert "march" in again.words
    again.tell("follows", Register.at(desk.allowed("known")).entries[0].folder)
    start = Tab(desk, run.STEP)
    assert "it follows march" in start.words
    start.tell("start")
    work(desk)
    shown = Tab(desk, result.STEP)
    assert "60 people are in" in shown.words
    assert "nothing more" in shown.words
    assert not shown.keys & {"what-if", "codip"}
    Tab(desk, result.STEP, original="yes")


def test_a_run_without_a_register_is_not_recorded(desk: Desk) -> None:
    desk.change(roles=ROLES, require=["k=3"], method="mondrian")
    desk.start()
    work(desk)
    tab = Tab(desk, release.STEP)
    assert "No register was chosen" in tab.words
    assert "record" not in tab.keys


def test_codip_is_offered_stopped_made_and_downloaded(desk: Desk) -> None:
    desk.change(roles=BOTH, require=["k=3", "l(ill)=2", "l(pay)=2"], method="mondrian")
    desk.start()
    made = work(desk)
    tab = Tab(desk, result.STEP)
    assert "largest" not in tab.keys  # of two secrets there is nothing to choose
    tab.tell("codip")
    assert "codip" not in tab.keys
    tab.tell("stop-codip")
    trial = work(desk)
    assert trial.state == "stopped"
    for reload in (tab, Tab(desk, result.STEP)):
        reload.drawn()
        assert "1_ill" in reload.words
        assert "Joining all of them gives" in reload.words
        assert {"codip-public.zip", "codip-release.zip", "codip"} <= reload.keys
    tab.tell("codip")
    assert len(desk.runs.all("codip")) == 2
    desk.delete(made)
    assert desk.runs.all(None) == []


def test_of_three_secrets_two_may_be_in_one_release(desk: Desk) -> None:
    desk.change(roles={**BOTH, "id": "sensitive"}, allow=["id"], require=["k=3"], method="mondrian")
    desk.start()
    work(desk)
    tab = Tab(desk, result.STEP)
    tab.tell("largest", "2")
    tab.tell("codip")
    assert work(desk).job.asked["largest"] == 2
    tab.drawn()
    assert "2_" in tab.words
    assert "3_" not in tab.words


def test_codip_that_was_refused_is_said_and_offered_again(desk: Desk) -> None:
    desk.change(roles=BOTH, require=["l(ill)=2"], method="mondrian")
    desk.start()
    work(desk)
    tab = Tab(desk, result.STEP)
    tab.tell("codip")
    work(desk)
    tab.drawn()
    assert "no model is required for" in tab.words
    assert "codip" in tab.keys
    desk.change(registry="known")
    desk.start()
    work(desk)
    tab = Tab(desk, result.STEP)
    assert "CODIP does not support" in tab.words
    assert "codip" not in tab.keys
