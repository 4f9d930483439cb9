"""What the step Release shows: code that repeats a run, and names no value of the table."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.cli.command import shoal

from shoal.web.desk import Desk, Run, worker
from shoal.web.desk.jobs import Job
from shoal.web.desk.releases import release_of, zipped
from shoal.web.release import look, remarks, repeating, written

TOWNS = [f"Qtown{i}" for i in range(4)]
CHANCE = Random(1)
TEXT = "age,my town,ill\n" + "".join(f"{20 + i % 9},{TOWNS[i % 4]},Qill{CHANCE.randrange(3)}\n" for i in range(48))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk with an uploaded table and a tree of values that was edited there."""
    one = Desk(tmp_path / "desk")
    one.upload("people.csv", TEXT.encode())
    one.change(
        roles={"age": "quasi", "my town": "quasi", "ill": "sensitive"},
        require=["k=3"],
        recoding="generalize",
        hierarchies={"my town": {"x": TOWNS[:2], "y": TOWNS[2:]}},
    )
    yield one
    one.close()


def done(desk: Desk, *, stop: bool = False) -> Run:
    """Start a run whose worker is this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: None)
        run = desk.start()
    if stop:
        run.stop()
    worker.main(run.job.folder)
    return run


def test_after_a_restart_the_code_makes_the_same_release_and_names_no_value(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.change(method="mondrian")
    run = done(desk)
    desk.close()
    again = Desk(tmp_path / "desk")
    found = look(again, {})
    assert found.choice.run == run
    toml, commands, script = written(found.draft)
    assert not [word for word in ("Qtown", "Qill", str(tmp_path)) if word in toml + commands + script]
    assert "the same release once more" in commands
    assert [said for said in remarks(found.draft) if "hierarchies/my_town.json" in said] == remarks(found.draft)
    home = tmp_path / "home"
    with zipfile.ZipFile(zipped(again.runs[run.id])) as packed:
        packed.extractall(home)
    (home / "people.csv").write_text(TEXT)
    (home / "shoal.toml").write_text(toml)
    monkeypatch.chdir(home)
    published = (release_of(run) / "public" / "table.csv").read_bytes()
    exec(script, {})
    assert (home / "again/public/table.csv").read_bytes() == published
    assert shoal("anonymize", "--config", "shoal.toml", "--overwrite").code == 0
    assert (home / "again/public/table.csv").read_bytes() == published
    assert shoal("verify", "release", "--original", "people.csv").code == 0
    again.close()


def test_what_was_stopped_is_not_said_to_come_out_the_same(desk: Desk) -> None:
    run = done(desk, stop=True)
    assert run.state == "stopped"
    draft = repeating(desk, run)
    toml, commands, _ = written(draft)
    assert "about the same release" in commands
    assert "time_limit = " in toml
    assert "Stop" in remarks(draft)[0]
