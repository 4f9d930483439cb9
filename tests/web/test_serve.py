"""The server without a browser: who gets in, what is refused, and that it ends as it should."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.cli.command import shoal
from tests.web.server import Served, served

from shoal.studies.synth import write_census
from shoal.web import data, theme
from shoal.web.desk import Desk
from shoal.web.packed_files import SMALLEST

STEPS = ("data", "roles", "hierarchies", "privacy", "method", "run", "result", "release")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("tables")
    write_census(folder / "census.csv", 60, seed=1)
    with served(folder, folder / "state", folder / "census.csv") as found:
        yield found


@pytest.fixture(scope="module")
def client(desk: Served) -> Iterator[httpx.Client]:
    """Somebody who brought the token."""
    with httpx.Client(base_url=desk.by_number, follow_redirects=True, timeout=60) as found:
        assert found.get(desk.numbered).status_code == 200
        yield found


def test_every_step_answers_who_brought_the_token(client: httpx.Client) -> None:
    for step in STEPS:
        answer = client.get(f"/{step}")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
        assert "default-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["/data", "/", "/look/page.css", "/fetch/1/release.zip", "/_nicegui_ws/socket.io/?EIO=4"]
)
def test_nobody_else_gets_anything(desk: Served, path: str) -> None:
    assert httpx.get(desk.by_number + path).status_code == 403
    assert httpx.post(f"{desk.by_number}/upload/table?name=a.csv", content=b"a,b\n1,2\n").status_code == 403


def test_an_address_works_once_and_files_are_kept_as_long_as_they_may_be(client: httpx.Client, desk: Served) -> None:
    assert httpx.get(desk.numbered).status_code == 403
    page = client.get("/data").text
    nonces = set(re.findall(r'<script nonce="([^"]+)"', page))
    assert len(nonces) == 1
    assert page.count("<script ") == page.count(f'<script nonce="{nonces.pop()}"') + len(theme.SCRIPTS), (
        "all but the scripts of its own"
    )
    files = re.findall(r'(?:src|href)="(/(?:look|_nicegui)/[^"]+)"', page)
    assert len(files) > 5
    for file in files:
        assert client.get(file).headers["cache-control"] == "private, max-age=31536000, immutable"
    assert client.get("/alive").headers["cache-control"] == "no-store"
    assert client.get("/fetch/1/release.zip").headers["cache-control"] == "no-store"


def test_the_files_of_a_page_are_packed_and_the_page_itself_is_not(client: httpx.Client) -> None:
    page = client.get("/data")
    assert "content-encoding" not in page.headers, "what belongs to a person is not packed"
    files = set(re.findall(r'(?:src=|href=|url\()"(/(?:look|_nicegui)/[^"]+\.(?:js|css)[^"]*)"', page.text))
    assert len(files) > 8
    for name in files:
        with client.stream("GET", name) as answer:
            size = sum(map(len, answer.iter_raw()))
            assert answer.headers.get("content-encoding") == "gzip" or size < SMALLEST, name


def test_a_page_names_nothing_outside_this_machine(client: httpx.Client, desk: Served) -> None:
    page = client.get("/data").text
    outside = [part.split('"')[0] for part in page.split('="http')[1:]]
    assert [address for address in outside if desk.by_number not in f"http{address}"] == []


def test_the_server_listens_on_this_machine_alone(desk: Served) -> None:
    port = int(desk.by_number.rpartition(":")[2])
    for name in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, family=socket.AF_INET)}:
        if not str(name).startswith("127."):
            with pytest.raises(OSError, match=r"refused|reach|timed"):
                socket.create_connection((str(name), port), timeout=2)


def test_a_table_that_is_sent_is_kept_apart_and_one_that_is_none_is_not(client: httpx.Client, desk: Served) -> None:
    sent = client.post("/upload/table", params={"name": "../../people.csv"}, content=b"age,sex\n30,f\n31,m\n")
    assert (sent.status_code, sent.text) == (200, "")
    (kept,) = (desk.desk / "uploads").rglob("*.csv")
    assert kept.name == "people.csv"
    for name, content in (("empty.csv", b""), ("no.parquet", b"text"), ("", b"a,b\n1,2\n")):
        refused = client.post("/upload/table", params={"name": name}, content=content)
        assert refused.status_code == 400
        assert "Traceback" not in refused.text
        assert refused.text
    assert [path.name for path in (desk.desk / "uploads").rglob("*.*") if path.is_file()] == ["people.csv"]
    held = json.loads((desk.desk / "desk.json").read_text())["history"]
    assert held["drafts"][held["at"]]["file"] == str(kept)


def test_a_file_without_a_name_is_refused_in_words(client: httpx.Client) -> None:
    for path in ("/upload/table", "/upload/tree"):
        refused = client.post(path, content=b"a,b\n1,2\n")
        assert (refused.status_code, "no plain name" in refused.text) == (400, True)


def test_what_is_not_there_is_said_in_words(client: httpx.Client) -> None:
    for path in ("release.zip", "public.zip", "report.html"):
        answer = client.get(f"/fetch/12/{path}")
        assert answer.status_code == 404
        assert "no run" in answer.text


def test_an_address_that_leads_nowhere_shows_the_way_back(client: httpx.Client) -> None:
    answer = client.get("/nowhere")
    assert (answer.status_code, "There is no such page" in answer.text, 'href="/data"' in answer.text) == (
        404,
        True,
        True,
    )


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_state_is_private_and_uploads_go_when_the_server_ends(tmp_path: Path, by: signal.Signals) -> None:
    if signal.getsignal(by) is signal.SIG_IGN:
        pytest.skip(f"{by.name} is ignored here, as under nohup, and the server leaves it at that")
    write_census(tmp_path / "census.csv", 20, seed=1)
    with served(tmp_path, tmp_path / "state", tmp_path / "census.csv") as desk:
        with httpx.Client(base_url=desk.by_number, follow_redirects=True, timeout=60) as client:
            client.get(desk.numbered)
            client.post("/upload/table", params={"name": "a.csv"}, content=b"a,b\n1,2\n")
        folder = desk.desk
        assert folder.stat().st_mode & 0o077 == 0
        assert list((folder / "uploads").rglob("a.csv"))
        desk.end(by)
    assert list((folder / "uploads").rglob("*.csv")) == []
    assert desk.process.returncode == 0


def test_a_table_that_is_gone_leaves_the_way_to_another(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    desk = Desk(tmp_path / "desk", root=tmp_path)
    desk.upload("sent.csv", b"a,b\n1,2\n")
    desk.close()
    again = Desk(tmp_path / "desk", root=tmp_path)
    for picks in ({}, {"rows": "20"}):
        found = data.look(again, picks)
        assert found.files == ("a.csv",)
        assert "'sent.csv' is gone" in found.refused
        assert str(tmp_path) not in found.refused
    again.close()


def test_a_port_that_is_taken_and_a_folder_that_is_none_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = shoal("serve", "--no-open", "--folder", tmp_path, "--port", taken.getsockname()[1])
    assert (refused.code, "cannot be used" in refused.err) == (2, True)
    assert "no folder" in shoal("serve", "--no-open", "--folder", tmp_path / "none").err
    assert "outside" in shoal("serve", "/etc/hostname", "--no-open", "--folder", tmp_path).err


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = shoal("serve", "--no-open")
    assert (refused.code, "shoal[web]" in refused.err) == (2, True)
