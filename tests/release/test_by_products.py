"""No cell of a table is anywhere but where it is published: files, logs, errors, caches, arguments of processes.

Every cell of a table is a mark that occurs nowhere else. Quasi-identifiers and columns that are left out are hidden in
the releases made here, so their marks may be in no file at all; those of sensitive columns are in the published tables.
"""

from __future__ import annotations

import asyncio
import io
import logging
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from tests.cli.command import Outcome, shoal

import shoal as library
from shoal.core.errors import ShoalError
from shoal.web.app import server
from shoal.web.desk import Desk, worker
from shoal.web.desk.job_handlers import Task
from shoal.web.desk.jobs import Job
from shoal.web.traffic import CONFIG, LOAD, TREE, UPLOAD, carry

ROWS = 12
HIDDEN: dict[str, list[Any]] = {
    "name": [f"Zqname{row:02d}x" for row in range(ROWS)],
    "ward": [f"Zqward{row:02d}x" for row in range(ROWS)],
    "code": [71_340_000 + 7_919 * row for row in range(ROWS)],
    "born": [f"19{40 + row}-0{1 + row % 9}-1{row % 9}" for row in range(ROWS)],
}
SHOWN: dict[str, list[Any]] = {"illness": [f"Zqill{row % 3}x" for row in range(ROWS)]}
MARKS = [str(cell) for column in HIDDEN.values() for cell in column]
SECRETS = sorted(set(SHOWN["illness"]))
ASKED = ["--quasi=ward,code,born", "--sensitive=illness", "--identifier=name", "--recoding=suppress", "--require=k=3"]
ONE_LINE = "\n"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which a table lies, and where the home, the caches and the temporary folder are too."""
    for variable, folder in {
        "HOME": "home",
        "TMPDIR": "temporary",
        "XDG_CACHE_HOME": "cache",
        "XDG_STATE_HOME": "state",
        "XDG_CONFIG_HOME": "settings",
    }.items():
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    pl.DataFrame(HIDDEN | SHOWN).write_csv("people.csv")
    yield tmp_path
    tempfile.tempdir = None


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments and the environment of every process that is started."""
    told: list[str] = []
    true = subprocess.Popen

    class Watched(true):  # type: ignore[misc, valid-type]
        def __init__(self, arguments: Any, *given: Any, **named: Any) -> None:
            told.extend([repr(arguments), repr(named.get("env"))])
            super().__init__(arguments, *given, **named)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    return told


def text_of(path: Path, content: bytes) -> str:
    """Everything that a file says: columns of Parquet and Arrow as CSV, the parts of an archive, bytes in two ways."""
    said = [content.decode("utf-8", "replace"), content.decode("utf-16-le", "replace")]
    if path.suffix in (".parquet", ".arrow"):
        frame = (pl.read_parquet if path.suffix == ".parquet" else pl.read_ipc)(io.BytesIO(content))
        said.append(frame.select(pl.all().cast(pl.String)).write_csv())
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            said += [text_of(Path(name), archive.read(name)) for name in archive.namelist()]
    return ONE_LINE.join(said)


def found(folder: Path, marks: list[str]) -> dict[str, list[str]]:
    """The files that hold marks, but for the tables that were put there."""
    holding = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("people.csv", "bad.csv"):
            said = text_of(path, path.read_bytes())
            held = [mark for mark in marks if mark in said]
            if held:
                holding[path.relative_to(folder).as_posix()] = held[:3]
    return holding


def check_said(*texts: str) -> None:
    """Guarantees that texts repeat no cell."""
    for text in texts:
        assert not [mark for mark in (*MARKS, *SECRETS) if mark in text], text[:400]


def check_command(*arguments: object, code: int = 0) -> Outcome:
    done = shoal(*arguments)
    assert done.code == code, done.err
    check_said(done.out, done.err)
    return done


def test_a_release_and_all_that_is_made_of_it_repeat_no_hidden_cell(
    places: Path, started: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="shoal")
    check_command("inspect", "people.csv")
    check_command("audit", "people.csv", "--quasi=ward,code,born", "--sensitive=illness")
    check_command("anonymize", "people.csv", *ASKED, "-o", "release", "--report")
    check_command("anonymize", "people.csv", *ASKED, "-o", "again", "--format=parquet", "--method=mondrian")
    check_command("verify", "release", "--original=people.csv")
    check_command("attack", "release", "--original=people.csv")
    check_command("utility", "release", "--original=people.csv")
    check_command("report", "release", "--original=people.csv", "-o", "report.html")
    check_command("register", "release", "--registry=registry", "--original=people.csv")
    asked = [text for text in ASKED if not text.startswith("--identifier")]
    check_command("compare", "people.csv", *asked, "--methods=mondrian")
    assert started
    assert found(places, MARKS) == {}
    published = {"work/release/public/table.csv", "work/again/public/table.parquet"}
    assert set(found(places, SECRETS)) == published
    assert caplog.records
    check_said(caplog.text, *started)
    assert [path.name for path in (places / "temporary").rglob("*") if path.is_file()] == []


def test_what_goes_wrong_repeats_no_cell(places: Path, started: list[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="shoal")
    good = Path("people.csv").read_text(encoding="utf-8")
    wrong = {
        "one cell more": good + good.splitlines()[1] + ",extra\n",
        "open quotes": good + '"' + good.splitlines()[2],
        "a name twice": good.replace("ward", "name", 1),
        "a zero byte": good.replace("Zqward05x", "Zqward05x\0"),
        "no letters": good.replace("Zqward05x", "Zqward05x\udc81"),
    }
    for case, text in wrong.items():
        Path("bad.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
        done = shoal("anonymize", "bad.csv", *ASKED, "-o", f"from {case}")
        check_said(done.out, done.err)
    for more, code in {
        "--require=k=13": 3,
        "--require=l(illness)=4": 3,
        "--require=t(ward)=0.1": 2,
        "--hierarchy=ward=intervals:width=5": 2,
        "--hierarchy=code=prefixes:digits=99": 2,
        "--order=illness=a,b": 2,
        "--weight=illness=2": 2,
        "--method=samarati": 2,
        "--cost=height": 0,
    }.items():
        check_command("anonymize", "people.csv", *ASKED, more, "-o", f"with {more.replace('/', ' ')}", code=code)
    assert found(places, MARKS) == {}
    check_said(caplog.text, *started)


def test_an_error_that_nobody_foresaw_repeats_no_cell(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError(MARKS[0], SECRETS[0])

    monkeypatch.setattr("shoal.pipeline.audited", fails)
    for more in ((), ("--json",)):
        done = check_command("anonymize", "people.csv", *ASKED, "-o", "release", *more, code=70)
        assert "an unexpected error occurred in shoal (KeyError at shoal." in done.err
        assert "Traceback" not in done.err
    assert found(places, MARKS) == {}
    monkeypatch.setenv("SHOAL_LOG", "debug")
    with pytest.raises(KeyError):
        shoal("anonymize", "people.csv", *ASKED, "-o", "release")


def test_errors_of_the_library_repeat_no_cell(places: Path) -> None:
    frame = pl.read_csv("people.csv")
    asked: dict[str, Any] = {"quasi": ["ward", "code"], "sensitive": ["illness"], "leave_out": "rest"}
    for more in (
        {"require": "k=99"},
        {"require": "k=2", "hierarchies": {"ward": "intervals:width=5"}},
        {"require": "k=2", "hierarchies": {"ward": {"Zqward00x": ["a"]}}},
        {"require": "k=2", "order": {"illness": ["no such word"]}},
        {"require": "k=2", "missing": {"ward": ["Zqward00x"]}, "method": "none such"},
        {"require": "t(illness:numeric)=0.1"},
    ):
        with pytest.raises((ShoalError, TypeError)) as told:
            library.anonymize(frame, **{**asked, **more})
        check_said(str(told.value))
    release = library.anonymize(frame, **asked, require="k=3", recoding="suppress")
    check_said(repr(release), release._repr_html_(), str(release.certificate), repr(release.audit))


def test_the_desk_of_the_page_keeps_no_cell_but_the_upload(places: Path) -> None:
    desk = Desk(places / "desk", root=places / "work")
    desk.upload("mine.csv", Path("people.csv").read_bytes())
    desk.change(
        roles={"ward": "quasi", "code": "quasi", "born": "quasi", "illness": "sensitive", "name": "identifier"},
        require=["k=3"],
        recoding="suppress",
    )
    answers = [repr(desk.draft), repr(desk.history) if hasattr(desk, "history") else ""]
    desk.close()
    check_said(*answers)
    uploads = set(found(places / "desk", MARKS + SECRETS))
    assert {Path(name).parts[0] for name in uploads} <= {"uploads"}


@dataclass(frozen=True)
class Client:
    """Somebody who may send files to the page and fetch them."""

    app: FastAPI

    def ask(self, verb: str, path: str, **asked: Any) -> httpx.Response:
        """Return the answer."""

        async def answered() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://page") as client:
                return await client.request(verb, path, **asked)

        return asyncio.run(answered())

    def get(self, path: str) -> httpx.Response:
        """Fetch something."""
        return self.ask("GET", path)

    def post(self, path: str, content: bytes, **params: str) -> httpx.Response:
        """Send something."""
        return self.ask("POST", path, content=content, params=params)


@pytest.fixture
def client(places: Path) -> Iterator[tuple[Client, Desk]]:
    """Somebody who may send and fetch files, and the desk."""
    desk, app = Desk(places / "desk", root=places / "work"), FastAPI()
    carry(app, desk)
    yield Client(app), desk
    desk.close()


def said_by(answer: Any) -> str:
    """Everything in an answer of a server."""
    return f"{answer.status_code} {answer.headers} {text_of(Path('answer'), answer.content)}"


def test_every_route_of_the_page_answers_without_a_cell(
    client: tuple[Client, Desk], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    page, desk = client
    good = Path("people.csv").read_bytes()
    answers = [page.post(UPLOAD, good, name="people.csv")]
    assert answers[0].status_code == 200
    desk.change(
        roles={"ward": "quasi", "code": "quasi", "born": "quasi", "illness": "sensitive", "name": "identifier"},
        require=["k=3"],
        recoding="suppress",
    )
    spoilt = [
        good + good.splitlines()[1] + b",more",
        good.replace(b"Zqward05x", b"Zqward05x\0"),
        good[:-40] + b'"',
        b"",
    ]
    names = ["people.csv", "people.parquet", "people.xlsx", "people.ods", "people.zip", "people.sav", "../people"]
    answers += [page.post(UPLOAD, text, name=name) for text in spoilt for name in names]
    tree = "\n".join(f"{ward};all" for ward in HIDDEN["ward"][:5]).encode()
    for more in ("ward", "code", "no such column"):
        answers.append(page.post(TREE, tree, name="tree.csv", more=more))
    for text in (f'[roles]\nquasi = ["{MARKS[0]}"]', f'[privacy]\nrequire = "{SECRETS[0]}"', MARKS[0]):
        refused = page.post(LOAD, text.encode(), name="shoal.toml")
        assert refused.status_code == 400  # it repeats what was sent as settings, which hold no cells of their own
    routes = [route.path for route in page.app.routes if isinstance(route, APIRoute)]
    answers += [page.get(path.format(id="none")) for path in routes]
    assert {answer.status_code for answer in answers} == {200, 400, 404, 405}
    check_said(*map(said_by, answers))
    out, err = capfd.readouterr()
    check_said(out, err, caplog.text)


@pytest.mark.parametrize("place", ["upload", "portable", "load"])
def test_a_route_that_fails_as_nobody_foresaw_repeats_no_cell(
    client: tuple[Client, Desk], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], place: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError(MARKS[0], SECRETS[0])

    page, _ = client
    monkeypatch.setattr(Desk, place, fails)
    good = Path("people.csv").read_bytes()
    answer = {
        "upload": lambda: page.post(UPLOAD, good, name="people.csv"),
        "portable": lambda: page.get(CONFIG),
        "load": lambda: page.post(LOAD, b"[roles]\n", name="shoal.toml"),
    }[place]()
    assert answer.status_code in (400, 404)
    out, err = capfd.readouterr()
    assert "KeyError" in answer.text
    assert "KeyError at" in err
    check_said(said_by(answer), out, err)


def test_the_log_of_the_server_repeats_no_cell(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("nicegui")
    server(FastAPI())
    try:
        raise KeyError(MARKS[0])
    except KeyError as error:
        log.exception("while a page was drawn")
        log.error(error)  # as the toolkit does it
    assert "KeyError at" in caplog.text
    check_said(caplog.text)


def test_a_worker_that_fails_as_nobody_foresaw_leaves_no_cell(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError(MARKS[0], SECRETS[0])

    job = Job.made(places / "job", {"kind": "run"})
    monkeypatch.setattr(Task, "of", fails)
    worker.main(job.folder)
    assert found(places / "job", [*MARKS, *SECRETS]) == {}
    assert "an unexpected error occurred in shoal (KeyError)" in (places / "job" / "error.json").read_text()


def test_the_marks_are_found_where_they_are(tmp_path: Path) -> None:
    frame = pl.DataFrame(HIDDEN)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "b.arrow", compression="zstd")
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.csv", frame.write_csv())
    (tmp_path / "d.log").write_text(MARKS[-1], encoding="utf-16-le")
    assert sorted(found(tmp_path, MARKS)) == ["a.parquet", "b.arrow", "c.zip", "d.log"]
