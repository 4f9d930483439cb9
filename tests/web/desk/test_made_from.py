"""A release belongs to its decisions: which run is handed out, and where it says that it is not of what is decided."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.tab import Tab

from shoal.core.errors import ShoalError
from shoal.web import app, data, release, result, run
from shoal.web.desk import Desk, Draft, Run, worker
from shoal.web.desk.draft import PARTS
from shoal.web.desk.draft_changes import STEPS, changes
from shoal.web.desk.jobs import Job
from shoal.web.desk.made_from import origin
from shoal.web.desk.run_choice import choose_run, file_name
from shoal.web.page import decided

TEXT = "age,town\n" + "".join(f"{20 + i % 9},{'ab'[i % 2]}\n" for i in range(36))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk with a table, and all that a run needs."""
    (tmp_path / "survey.csv").write_text(TEXT)
    (tmp_path / "other.csv").write_text(TEXT.replace("a\n", "c\n"))
    one = Desk(tmp_path / "desk", root=tmp_path)
    begin(one, "survey.csv")
    yield one
    one.close()


def begin(desk: Desk, name: str) -> None:
    desk.open(name)
    desk.change(roles={"age": "quasi", "town": "quasi"}, require=["k=3"], method="mondrian")


def done(desk: Desk) -> Run:
    """Start a run whose worker is this process; nothing is measured."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: None)
        made = desk.start()
        patch.setattr("shoal.web.desk.job_handlers.measure", lambda *_: None)
        worker.main(made.job.folder)
    assert made.release is not None
    return made


def test_a_release_of_other_decisions_says_so_wherever_it_is_handed_out(desk: Desk) -> None:
    first = done(desk)
    assert choose_run(desk).fresh
    desk.change(require=["k=6"])
    assert [one.said for one in origin(first, desk.draft).changes] == ["k=6 instead of k=3"]
    for step in (result.STEP, release.STEP, run.STEP):
        assert "k=6 instead of k=3 (Privacy)" in Tab(desk, step).words
    marks = {step.name: mark for step, mark in decided(desk, app.STEPS).items()}
    assert [marks[name].valid for name in ("privacy", "run", "result", "release")] == [True, False, False, False]
    second = done(desk)
    assert choose_run(desk).run == second
    desk.change(require=["k=3"])
    assert choose_run(desk).run == first, "the latest that is of what is decided now"
    assert choose_run(desk, second.id).run == second
    assert "k=3 instead of k=6" in Tab(desk, release.STEP, run=second.id).words


def test_the_run_that_was_picked_is_the_one_that_is_fetched_by_its_name(desk: Desk) -> None:
    first = done(desk)
    desk.change(require=["k=6"])
    second = done(desk)
    assert [file_name(one, "public.zip") for one in (first, second)] == [
        "survey-k3-run1-public.zip",
        "survey-k6-run2-public.zip",
    ]
    tab = Tab(desk, release.STEP, run=first.id)
    assert "Download survey-k3-run1-public.zip" in tab.words
    assert f"/fetch/{first.id}/public.zip" in {one._props.get("href") for one in tab.box.descendants()}
    desk.delete(first)
    assert "was deleted" in Tab(desk, release.STEP, run=first.id).words


def test_runs_of_another_table_lie_apart(desk: Desk, tmp_path: Path) -> None:
    first = done(desk)
    begin(desk, "other.csv")
    found = choose_run(desk)
    assert (found.run, found.runs, [id for id, _ in found.others]) == (None, (), [first.id])
    assert "There is no release of this table yet." in Tab(desk, release.STEP).words
    assert "survey.csv, run 1: k=3" in Tab(desk, release.STEP).words
    shown = Tab(desk, release.STEP, run=first.id)
    assert "This is run 1 of another table, 'survey.csv'. You are now working on 'other.csv'." in shown.words
    shown.tell("take-up")
    assert (desk.draft, choose_run(desk).fresh) == (first.draft, True)


def test_the_content_of_a_table_tells_which_it_is_not_its_place(desk: Desk, tmp_path: Path) -> None:
    first = done(desk)
    (tmp_path / "copy.csv").write_text(TEXT)
    desk.open("copy.csv")
    desk.change(**{name: part for name, part in first.draft.to_dict().items() if name != "file"})
    assert origin(first, desk.draft).fresh
    desk.take_up(first)
    (tmp_path / "survey.csv").write_text(TEXT + "99,a\n")
    assert [one.said for one in origin(first, desk.draft).changes] == ["the content of 'survey.csv'"]
    worker.main(first.job.folder)
    assert "was changed since the run" in (first.measured or {})["said"]
    (tmp_path / "survey.csv").write_text(TEXT)
    assert origin(first, desk.draft).fresh, "another time of the file is no other content"


def test_a_run_that_is_deleted_comes_back_until_the_desk_is_closed(desk: Desk, tmp_path: Path) -> None:
    first = done(desk)
    tab = Tab(desk, run.STEP)
    tab.tell(f"delete-{first.id}")
    assert (desk.runs.all(), "was deleted" in tab.alerts[-1]) == ([], True)
    desk.undo()
    assert (desk.runs.all(), choose_run(desk).fresh) == ([first], True)
    desk.redo()
    assert desk.runs.all() == []
    desk.close()
    again = Desk(tmp_path / "desk", root=tmp_path)
    assert list((again.folder / "runs").rglob("job.json")) == []
    assert again.draft == desk.draft
    again.undo()
    assert (again.runs.all(), again.draft.method) == ([], "auto")
    again.close()


def test_clicks_on_roles_are_undone_together_and_other_decisions_one_by_one(desk: Desk) -> None:
    begun = desk.draft
    for role in ("sensitive", "other", "identifier"):
        desk.decide(lambda draft, role=role: {"roles": {**draft.roles, "town": role}}, "roles")  # type: ignore[misc]
    assert desk.undo() == begun
    desk.redo()
    desk.change(require=["k=4"])
    desk.change(require=["k=5"])
    assert desk.undo().require == ("k=4",)


def test_every_decision_is_told_in_the_step_it_belongs_to() -> None:
    named = [part for parts in STEPS.values() for part in parts]
    reading = {"file", *Draft().reading}
    assert sorted(named) == sorted(set(PARTS) - reading)
    before = Draft().changed(file="/a/t.csv", roles={f"c{i}": "open" for i in range(9)})
    after = before.changed(
        roles=dict.fromkeys(before.roles, "quasi"), max_dropped=0.01, registry="/a/register", missing={"c1": ["?"]}
    )
    assert [(one.step, one.said) for one in changes(before, after)] == [
        ("roles", "the roles of 9 columns"),
        ("roles", "codes for missing values"),
        ("privacy", "the register of earlier releases: register instead of nothing"),
        ("method", "rows that may be left out: 0.01 instead of 0"),
    ]
    assert [one.said for one in changes(before, before.changed(separator=";"))] == ["how 't.csv' is read"]
    assert [one.said for one in changes(before, Draft())] == ["the table '' instead of 't.csv'"]


def test_a_refused_file_is_read_with_other_settings(desk: Desk) -> None:
    before, odd = desk.draft, "größe\n1\n".encode("utf-16")
    with pytest.raises(ShoalError):
        desk.upload("odd.csv", odd, encoding="utf-8")
    assert desk.draft == before
    tab = Tab(desk, data.STEP)
    assert "odd.csv could not be read" in tab.words
    tab.tell("refused-encoding", "utf-16")
    assert (desk.draft.name, desk.refused, list(desk.draft.roles)) == ("odd.csv", None, ["größe"])
    with pytest.raises(ShoalError):
        desk.upload("odder.csv", odd, encoding="utf-8")
    Tab(desk, data.STEP).tell("give-up")
    assert [path.name for path in desk.uploads.folder.rglob("*.csv")] == ["odd.csv"]


def test_commands_to_copy_are_quoted(desk: Desk, tmp_path: Path) -> None:
    name = "a b; touch hacked $(id).csv"
    commands = release.written(desk.draft.changed(file=str(tmp_path / name)))[1]
    last = commands.splitlines()[-1].partition("  #")[0]
    assert shlex.split(last) == ["shoal", "verify", "release", "--original", name]
