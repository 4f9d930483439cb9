"""Nobody but the person who started the page gets in, and the page loads nothing from elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from shoal.web.guard import Guard

PORT = 4321
HOME = f"127.0.0.1:{PORT}"


async def page(scope: Any, receive: Any, send: Any) -> None:
    """An app that says hello."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", b"24")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"<script>1</scr", "more_body": True})
    await send({"type": "http.response.body", "body": b"ipt>hello!"})


@dataclass
class Answer:
    sent: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> int:
        return int(self.sent[0].get("status", 0))

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def body(self) -> str:
        return b"".join(one.get("body", b"") for one in self.sent[1:]).decode()


def ask(guard: Guard, target: str = "/data", kind: str = "http", **headers: str) -> Answer:
    """Send a request to the guard; headers as `sec_fetch_site`, a Host unless one is given."""
    path, _, query = target.partition("?")
    given: Mapping[str, str] = {"host": HOME, **headers}
    scope = {
        "type": kind,
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
    }
    answer = Answer()

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        answer.sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return answer


@pytest.fixture
def guard() -> Guard:
    return Guard(page, PORT)


def cookie(guard: Guard) -> str:
    return f"{guard.cookie}={guard.ticket}"


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(guard: Guard) -> None:
    answer = ask(guard, f"/data?token={guard.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/data")
    assert answer.headers["set-cookie"] == f"{cookie(guard)}; HttpOnly; SameSite=Strict; Path=/"
    assert guard.token not in str(answer.headers)


def test_a_request_with_the_cookie_gets_the_page(guard: Guard) -> None:
    assert ask(guard, cookie=cookie(guard)).status == 200
    assert ask(guard, host=f"localhost:{PORT}", cookie=cookie(guard)).status == 200
    assert ask(guard, cookie=f"other=1; {cookie(guard)}", origin=f"http://{HOME}").status == 200
    for odd in ("a[1]=x", 'json={"a":1, "b":2}', "=;;", "flag", "ключ=1"):
        assert ask(guard, cookie=f"{odd}; {cookie(guard)}; {odd}").status == 200


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        ("/data", {}),
        ("/data?token=wrong", {}),
        ("/data?token=", {}),
        ("/data", {"cookie": f"shoal-{PORT}=wrong"}),
        ("/data", {"cookie": f"shoal-{PORT}"}),
        ("/data", {"cookie": '="\x00;;='}),
        ("/_nicegui_ws/socket.io/", {}),
    ],
)
def test_without_the_cookie_there_is_nothing(guard: Guard, target: str, headers: dict[str, str]) -> None:
    answer = ask(guard, target, **headers)
    assert answer.status == 403
    assert "shoal serve" in answer.body
    assert "hello" not in answer.body


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil:{PORT}", ""]
)
def test_a_name_that_was_pointed_here_is_refused_even_with_the_cookie(guard: Guard, host: str) -> None:
    assert ask(guard, host=host, cookie=cookie(guard)).status == 403
    assert ask(guard, f"/data?token={guard.token}", host=host).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8888"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        {"sec_fetch_site": "same-site", "sec_fetch_mode": "cors"},
    ],
)
def test_what_another_site_makes_the_browser_send_is_refused(guard: Guard, headers: dict[str, str]) -> None:
    assert ask(guard, cookie=cookie(guard), **headers).status == 403


def test_a_websocket_needs_the_cookie_too(guard: Guard) -> None:
    assert ask(guard, kind="websocket").sent == [{"type": "websocket.close", "code": 1008}]
    assert (
        ask(guard, kind="websocket", cookie=cookie(guard), origin="http://evil.example").sent[0]["type"]
        == "websocket.close"
    )
    assert ask(guard, kind="websocket", cookie=cookie(guard)).sent == [{"type": "websocket.accept"}]


def test_a_page_may_load_from_here_alone_and_run_only_its_own_scripts(guard: Guard) -> None:
    answer = ask(guard, cookie=cookie(guard))
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    nonce = policy.split("'nonce-")[1].split("'")[0]
    assert answer.body == f'<script nonce="{nonce}">1</script>hello!'
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["cache-control"] == "no-store"
    assert nonce not in ask(guard, cookie=cookie(guard)).body


def test_no_script_in_a_report_may_run(guard: Guard) -> None:
    answer = ask(guard, "/fetch/1/report.html", cookie=cookie(guard))
    assert "nonce" not in answer.body
    assert "script-src 'self' 'nonce-" in answer.headers["content-security-policy"]


def test_every_server_has_secrets_of_its_own() -> None:
    one, other = Guard(page, 1), Guard(page, 1)
    assert len({one.token, other.token, one.ticket, other.ticket}) == 4
