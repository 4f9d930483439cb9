"""Nobody but the person who started the page gets in, and the page loads nothing from elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from shoal.web.guard import Guard

PORT = 4321
NAME = "shoal-abc.localhost"
HOME = f"{NAME}:{PORT}"
NUMBER = f"127.0.0.1:{PORT}"


async def page(scope: Any, receive: Any, send: Any) -> None:
    """An app that says hello."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"public")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hello ", "more_body": True})
    await send({"type": "http.response.body", "body": f"<script>1</script>{scope['nonce']}".encode()})


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
    return Guard(page, PORT, NAME)


def cookie(guard: Guard, host: str = HOME) -> str:
    return f"{guard.cookie}={guard.ticket(host)}"


def token(guard: Guard, name: str = NAME) -> str:
    return guard.address(name).partition("=")[2]


def test_a_token_is_exchanged_for_a_cookie_leaves_the_address_and_works_once(guard: Guard) -> None:
    brought = token(guard)
    answer = ask(guard, f"/data?token={brought}", sec_fetch_site="cross-site", sec_fetch_mode="navigate")
    assert (answer.status, 'content="0; url=/data"' in answer.body) == (200, True)
    assert answer.headers["set-cookie"] == f"{cookie(guard)}; HttpOnly; SameSite=Strict; Path=/"
    assert brought not in str(answer.headers) + answer.body
    assert ask(guard, f"/data?token={brought}").status == 403
    assert ask(guard, f"/data?token={token(guard)}").status == 200, "another one was printed"


def test_each_name_has_tokens_and_a_cookie_of_its_own(guard: Guard) -> None:
    brought = token(guard)
    assert ask(guard, f"/data?token={brought}", host=NUMBER).status == 403
    assert ask(guard, f"/data?token={brought}").status == 200, "it was not used up by another name"
    by_number = ask(guard, f"/data?token={token(guard, '127.0.0.1')}", host=NUMBER)
    assert by_number.headers["set-cookie"].startswith(cookie(guard, NUMBER))
    assert ask(guard, host=NUMBER, cookie=cookie(guard, NUMBER)).status == 200
    assert ask(guard, host=NUMBER, cookie=cookie(guard)).status == 403
    assert ask(guard, cookie=cookie(guard, NUMBER)).status == 403


def test_who_knows_the_name_may_find_out_that_the_browser_does(guard: Guard) -> None:
    answer = ask(guard, "/known.svg", sec_fetch_site="cross-site", sec_fetch_mode="no-cors", origin="null")
    assert (answer.status, answer.headers["cross-origin-resource-policy"]) == (200, "cross-origin")
    assert ask(guard, "/known.svg", host=NUMBER).status == 403


def test_where_a_token_leads_is_on_this_page(guard: Guard) -> None:
    for path in ("//evil.example/data", "/\\evil.example", '/"><script>'):
        body = ask(guard, f"{path}?token={token(guard)}").body
        assert not [wrong for wrong in ("url=//", "url=/\\", "<script") if wrong in body]


def test_a_request_with_the_cookie_gets_the_page(guard: Guard) -> None:
    assert ask(guard, cookie=cookie(guard)).status == 200
    assert ask(guard, host=f"localhost:{PORT}", cookie=cookie(guard)).status == 403
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
    assert ask(guard, f"/data?token={token(guard)}", host=host).status == 403


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
    assert answer.body == f"hello <script>1</script>{nonce}", "the page is told the nonce; nothing is put on scripts"
    assert answer.headers["cache-control"] == "no-store"
    assert nonce not in ask(guard, cookie=cookie(guard)).body


def test_no_script_in_a_report_may_run(guard: Guard) -> None:
    answer = ask(guard, "/fetch/1/report.html", cookie=cookie(guard))
    assert "script-src 'none';" in answer.headers["content-security-policy"]


def test_every_server_has_secrets_and_a_name_of_its_own() -> None:
    one, other = Guard(page, 1), Guard(page, 1)
    assert len({one.name, other.name, token(one), token(other), one.ticket(HOME), other.ticket(HOME)}) == 6
