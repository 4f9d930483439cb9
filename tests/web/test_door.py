"""The door in a real browser: other accounts and other servers of this machine learn nothing, and old tabs say so."""

from __future__ import annotations

import os
import pwd
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import PIPE
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import Steward, launched
from tests.web.server import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web

ARGUMENTS = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"


@contextmanager
def neighbour() -> Iterator[tuple[int, list[str]]]:
    """Another server on 127.0.0.1, which notes the cookies that it is sent."""
    cookies: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], cookies
    server.shutdown()
    server.server_close()


def fake_browser(folder: Path) -> Path:
    """Return a program that notes what it is called with, and goes on as a browser does."""
    program = folder / "browser.sh"
    program.write_text(
        f'#!/bin/sh\necho "$1" > {folder}/called.part\nmv {folder}/called.part {folder}/called\nsleep 60\n'
    )
    program.chmod(0o755)
    return program


def called(folder: Path) -> str:
    """Wait until the program was called; return with what."""
    until = time.monotonic() + 30
    while not (folder / "called").is_file():
        assert time.monotonic() < until
        time.sleep(0.1)
    return (folder / "called").read_text().strip()


def test_the_cookie_goes_to_no_other_server_of_this_machine(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    steward.drawn()
    assert ".localhost:" in steward.page.url
    assert [one["name"] for one in steward.page.context.cookies()] == [f"shoal-{steward.page.url.split(':')[2][:-5]}"]
    with neighbour() as (port, cookies):
        for name in ("127.0.0.1", "localhost", "other.localhost"):
            steward.page.goto(f"http://{name}:{port}/")
    assert len(cookies) >= 3
    assert not [one for one in cookies if "shoal" in one]


def test_no_token_is_an_argument_of_a_process_and_the_file_that_leads_on_is_private(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    with served(folder, tmp_path / "state", BROWSER=f"{fake_browser(tmp_path)} %s") as desk:
        uri = called(tmp_path)
        path = Path(uri.removeprefix("file://"))
        assert path.stat().st_mode & 0o077 == 0
        if os.geteuid() != 0:
            pytest.skip("only root can look at it as another account")
        nobody = pwd.getpwnam("nobody").pw_uid
        seen = subprocess.run(["sh", "-c", ARGUMENTS], user=nobody, extra_groups=[], cwd="/", stdout=PIPE, check=False)
        assert str(path).encode() in seen.stdout
        assert b"token=" not in seen.stdout
        read = subprocess.run(["cat", str(path)], user=nobody, extra_groups=[], cwd="/", stdout=PIPE, check=False)
        assert (read.returncode != 0, read.stdout) == (True, b"")
        page = browser.new_context().new_page()
        page.goto(uri)
        page.wait_for_url("**/data")
        page.wait_for_selector("main h1")
        assert page.url.startswith(desk.home), "by the name that no other server has"
        assert not path.exists(), "it has done its work"


def test_a_browser_that_does_not_know_the_name_is_led_on_by_the_number_and_told_so(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    unknowing = launched(browser.browser_type, "--host-resolver-rules=MAP *.localhost ~NOTFOUND")
    with served(folder, tmp_path / "state", BROWSER=f"{fake_browser(tmp_path)} %s") as desk:
        page = unknowing.new_page()
        page.goto(called(tmp_path))
        page.wait_for_url(f"{desk.by_number}/data")
        page.get_by_text("which all servers on this machine share").wait_for()
    unknowing.close()


def test_an_old_tab_says_that_the_server_was_started_anew_and_cannot_be_used(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    with served(folder, tmp_path / "state") as desk:
        steward = Steward.at(browser, desk)
        steward.drawn()
        port = steward.page.url.split(":")[2].split("/")[0]
    steward.page.get_by_text("can no longer be used").wait_for()
    with served(folder, tmp_path / "state", "--port", port):
        steward.page.wait_for_timeout(2500)
        assert steward.page.get_by_text("can no longer be used").is_visible()
        assert steward.page.evaluate("document.querySelector('.frame').inert")
        assert steward.page.evaluate("document.querySelector('.top').inert")
