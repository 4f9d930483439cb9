"""Runs in worker processes: made, measured, stopped, killed, found again; nothing lost and nothing half-written."""

import json
import os
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.core.errors import HierarchyError, Infeasible, ReleaseError
from shoal.core.file_lock import lock
from shoal.methods.base import ProgressMessage
from shoal.web.desk import Desk, Run, worker
from shoal.web.desk.jobs import Job
from shoal.web.desk.progress_log import Teller
from shoal.web.desk.releases import zipped
from shoal.web.desk.runs import GOING, Runs, compare
from shoal.web.desk.side_by_side import Sought, side_by_side

ROWS = 60
TEXT = "id,age,town,ill\n" + "".join(
    f"id{i:03},{20 + i % 9},Qtown{i % 4},Qill{i % 3 if i % 5 else 0}\n" for i in range(ROWS)
)
ROLES = {"id": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "people.csv").write_text(TEXT)
    one = Desk(tmp_path / "desk", root=tmp_path)
    one.open("people.csv")
    one.change(roles=ROLES, require=["k=3"], method="mondrian", hierarchies={"town": {"x": TOWNS[:2], "y": TOWNS[2:]}})
    yield one
    one.close()


TOWNS = [f"Qtown{i}" for i in range(4)]


def finished(run: Run, seconds: float = 60) -> Run:
    """Wait until the worker is gone."""
    until = time.monotonic() + seconds
    while run.job.alive and time.monotonic() < until:
        time.sleep(0.05)
    assert not run.job.alive
    return run


def here(desk: Desk, kind: str = "run", stop: bool = False, **asked: object) -> Run:
    """Do a job in this process."""
    said = {"kind": kind, "number": 1, "draft": desk.draft.to_dict(), **asked}
    job = Job.made(desk.runs.folder / f"{time.time_ns()}", said)
    if stop:
        job.stop()
    worker.main(job.folder)
    return Run(job)


def cells_outside(folder: Path) -> list[Path]:
    """The files of a desk that hold a cell, but for uploads and what is to be handed out."""
    apart = ("uploads", "hierarchies", "release", "report", "zips")
    files = [path for path in folder.rglob("*") if path.is_file() and not set(path.parts) & set(apart)]
    return [path for path in files if any(cell in path.read_bytes() for cell in (b"Qtown", b"Qill", b"id0"))]


def test_a_run_from_start_to_zip(desk: Desk, tmp_path: Path) -> None:
    desk.change(recoding="generalize")
    run = finished(desk.start())
    assert (run.state, run.number, run.failure, run.measuring) == ("done", 1, None, False)
    summary, measured = run.summary, run.measured
    assert summary is not None
    assert measured is not None
    assert (summary["method"], summary["rows"], summary["stopped"]) == ("mondrian", ROWS, False)
    assert measured["after"]["uniques"]["rows"] == 0
    assert {hit["attack"] for hit in measured["hits"]} >= {"linkage", "homogeneity"}
    assert measured["utility"]["published"] == ROWS
    last = run.progress()[-1]
    assert (last.share, last.cost) == (1.0, summary["cost"]["value"])
    assert run.progress(after=len(run.progress())) == []
    for public in (True, False):
        page = run.report(public=public)
        assert page is not None
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with zipfile.ZipFile(zipped(run)) as packed:
        packed.extractall(tmp_path / "house")
    assert shoal.verify(tmp_path / "house" / "release", original=tmp_path / "people.csv").passed
    with zipfile.ZipFile(zipped(run, public=True)) as packed:
        assert not [name for name in packed.namelist() if "internal" in name]
    assert cells_outside(desk.folder) == []
    rows = side_by_side(run, Sought(original=True, rows=2 * ROWS)).rows
    assert len(rows) == ROWS
    originals = {tuple(line.split(",")[1:]) for line in TEXT.splitlines()[1:]}
    assert {row.before for row in rows} <= originals
    assert [row.before[-1] for row in rows if row.before] == [row.after[-1] for row in rows]
    (row,) = compare([run])
    assert (row["run"], row["cost"]) == (1, summary["cost"]["value"])
    assert row["highest risk"] == measured["after"]["prosecutor"]["highest"]


def test_what_a_run_read_outlasts_the_uploads(desk: Desk, tmp_path: Path) -> None:
    trees = desk.draft.hierarchies
    desk.upload("people.csv", TEXT.encode())
    draft = desk.draft.changed(roles=ROLES, require=["k=3"], method="mondrian", hierarchies=trees)
    run = finished(desk.start(draft))
    desk.close()
    again = Desk(tmp_path / "desk", root=tmp_path)
    kept = again.runs[run.id]
    assert "hierarchies/town.json" in again.portable(kept.draft).toml()
    assert kept.lasting.request().hierarchies["town"] == str(kept.job.folder / "hierarchies" / "town.json")
    with pytest.raises(HierarchyError, match=r"^the hierarchy of 'town' is gone") as refused:
        again.start(draft)
    assert str(tmp_path) not in str(refused.value)
    with zipfile.ZipFile(zipped(kept, public=True)) as packed:
        assert not [name for name in packed.namelist() if "hierarchies" in name]
    with zipfile.ZipFile(zipped(kept)) as packed:
        assert "hierarchies/town.json" in packed.namelist()
    again.close()


def test_an_infeasible_request_offers_what_the_table_can_reach(desk: Desk) -> None:
    desk.change(require=["k=100", "l(ill)=9"])
    run = here(desk)
    failure = run.failure
    assert run.state == "failed"
    assert failure is not None
    assert (failure.kind, failure.model, failure.reached) == ("Infeasible", "k=100", "60")
    assert failure.parts is not None
    assert failure.offer == f"require k=60 {failure.parts['require'][1]}"
    desk.change(**failure.parts)
    assert here(desk).state == "done"


def test_what_goes_wrong_is_said_without_a_cell(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "shoal.republication.earlier.run", lambda *_, **__: (_ for _ in ()).throw(ValueError("Qill0 is bad"))
    )
    run = here(desk)
    assert run.failure is not None
    assert run.failure.said == "an unexpected error occurred in shoal (ValueError)"
    assert cells_outside(desk.folder) == []
    monkeypatch.undo()
    monkeypatch.setattr(
        "shoal.web.desk.job_handlers.Evidence.growing", lambda *_, **__: (_ for _ in ()).throw(KeyError("Qill0"))
    )
    run = here(desk)
    assert (run.state, run.measured) == (
        "done",
        {"said": "an unexpected error occurred in shoal (KeyError)", "done": True},
    )
    assert worker.failure(Infeasible("k=5", reached=3, rows=())).said.startswith("no release of this table meets k=5")


def test_a_stopped_run_keeps_the_best_so_far(desk: Desk) -> None:
    run = here(desk, stop=True)
    assert run.state == "stopped"
    assert run.release is not None
    assert shoal.verify(run.release).passed
    slots = [lock(desk.runs.folder / f".slot-{slot}") for slot in range(worker.SLOTS)]
    waiting = here(desk, stop=True)
    assert (waiting.state, waiting.failure and waiting.failure.said) == ("stopped", "stopped before it began")
    for held in slots:
        os.close(held or 0)


def test_a_what_if_keeps_its_points(desk: Desk) -> None:
    run = here(desk, "frontier", vary="k=2,5,100")
    assert run.state == "done"
    assert run.summary is not None
    assert [point["status"] for point in run.summary["points"]][2] == "infeasible"
    assert [point["value"] for point in run.points] == [2, 5, 100]
    assert desk.runs.all() == []
    assert desk.runs.all("frontier") == [run]
    stopped = here(desk, "frontier", stop=True, vary="k=2,5")
    assert (stopped.state, stopped.failure and stopped.failure.said) == ("stopped", "stopped before a release was made")


def test_a_killed_worker_is_lost_and_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    slots = [lock(desk.runs.folder / f".slot-{slot}") for slot in range(worker.SLOTS)]
    run = desk.start()
    assert desk.start() == run  # as a double click asks
    second = desk.start(desk.draft.changed(require=["k=4"]))
    assert {one.state for one in (run, second)} == {"waiting"}
    assert [one.number for one in desk.runs.all()] == [1, 2]
    (run.job.folder / f".release.{os.getpid()}.partial").mkdir()
    (run.job.folder / "release").mkdir()
    os.kill(json.loads((run.job.folder / "worker.json").read_text())["process"], signal.SIGKILL)
    finished(run)
    assert run.state == "lost"
    assert run.failure is not None
    assert "run it again" in run.failure.said
    assert not [path.name for path in run.job.folder.iterdir() if "release" in path.name]
    with pytest.raises(ReleaseError, match="no release"):
        zipped(run)
    os.close(desk._held or 0)  # the server is killed, its worker goes on
    desk._held = None
    again = Desk(tmp_path / "desk", root=tmp_path)
    assert [one.state for one in again.runs.all()] == ["lost", "waiting"]
    for held in slots:
        os.close(held or 0)
    assert finished(again.runs[second.id]).state == "done"
    again.delete(run)
    assert [one.number for one in again.runs.all()] == [2]
    again.delete(second)
    for number in (3, 4):
        latest = again.start()
        assert latest.number == number
        again.delete(latest)
    again.close()


def test_closing_ends_the_workers_and_deletes_the_uploads(desk: Desk) -> None:
    desk.upload("people.csv", TEXT.encode())
    desk.change(roles=ROLES, require=["k=3"])
    slots = [lock(desk.runs.folder / f".slot-{slot}") for slot in range(worker.SLOTS)]
    run = desk.start()
    assert run.state in GOING
    desk.close(leave_running=True)
    assert run.state in GOING
    assert Path(str(run.draft.file)).exists()
    desk.close()
    assert run.failure is not None
    assert run.failure.said.startswith("shoal was stopped during")
    assert list(desk.uploads.folder.iterdir()) == []
    for held in slots:
        os.close(held or 0)


def test_measures_are_made_up_for(desk: Desk) -> None:
    run = here(desk)
    (run.job.folder / "measured.json").unlink()
    worker.main(run.job.folder)
    assert run.measured is not None
    assert run.measured["after"]["uniques"]["rows"] == 0
    desk.root = None
    (desk.folder.parent / "people.csv").unlink()
    worker.main(run.job.folder)
    assert run.state == "done"


def test_cost_falls_and_bound_rises(tmp_path: Path) -> None:
    tell = Teller(tmp_path)
    told = [(0, "a"), (0.5, ProgressMessage("b (9, 2)", 9, 2)), (0.6, ProgressMessage("b (12, 3)", 12, 3)), (2, "c")]
    for share, doing in told:
        tell(share, doing)
    tell.settle(9.5, None)
    tell(1, "d")
    points = Job(tmp_path).progress()
    assert [(one.doing, one.share, one.cost, one.bound) for one in points] == [
        ("a", 0, None, None),
        ("b", 0.5, 9, 2),
        ("c", 1, 9, 3),
        ("d", 1, 9.5, None),
    ]


def test_seconds_go_on_while_nothing_is_told(tmp_path: Path) -> None:
    assert Job(tmp_path).seconds == 0
    Teller(tmp_path)(0.5, "annealing")
    told = Job(tmp_path).progress()[-1].seconds
    hour_ago = time.time() - 3600
    os.utime(tmp_path / "progress.jsonl", (hour_ago, hour_ago))
    assert 3600 <= Job(tmp_path).seconds - told < 3700


def test_runs_stay_in_order_when_the_clock_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, names = Runs.at(tmp_path), []
    for now in (5_000, 4_000, 4_000, 6_000):
        monkeypatch.setattr(time, "time_ns", lambda now=now: now)
        names.append(runs._next_name())
        (tmp_path / names[-1]).mkdir()
        (tmp_path / names[-1] / "job.json").touch()
    assert [int(name) for name in names] == [5_000, 5_001, 5_002, 6_000]
    assert [run.job.folder.name for run in runs.all(None)] == names


def test_a_what_if_goes_with_the_last_run_of_its_draft(desk: Desk) -> None:
    first, second, trial = here(desk), here(desk), here(desk, "frontier", vary="k=2")
    desk.change(require=["k=4"])
    other = here(desk, "frontier", vary="k=2")
    desk.delete(first)
    assert desk.runs.all(None) == [second, trial, other]
    desk.delete(second)
    assert desk.runs.all(None) == [other]


def test_the_lattice_is_evaluated_and_a_node_of_it_makes_a_release(desk: Desk) -> None:
    desk.change(recoding="full-domain", method="auto")
    found = here(desk, "lattice").summary
    assert found is not None
    assert (found["size"], found["evaluated"], len(found["drawn"])) == (len(found["nodes"]),) * 3
    levels = found["best"]
    assert levels is not None
    desk.change(levels=levels)
    made = here(desk).summary
    assert made is not None
    cheapest = next(node for node in found["nodes"] if node["levels"] == levels)
    assert made["cost"]["value"] == pytest.approx(cheapest["cost"])
    assert cells_outside(desk.folder) == []
