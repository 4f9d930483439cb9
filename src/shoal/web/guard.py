"""The door of the page: only the person who started it comes in, and nothing goes out.

    request ──▶ Guard ──▶ the page

A request is let in if its Host is one of this server's two names (so that no name on the internet can be pointed here),
if no other site has made the browser send it, and if it carries the cookie, which is given to whoever brings a token.
A token works once. Everything else gets 403. What goes back tells the browser to load from here alone.

The first name is random and under `.localhost`, which browsers take for this machine: cookies know no ports, and so the
cookie of this name goes to no other server of this machine. The second name is 127.0.0.1, for browsers that do not know
`.localhost`; it has a cookie of its own, which other servers on 127.0.0.1 are sent as well, and the page says so.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from shoal.core.markup import tag
from shoal.web.language import choose_language, t

LOOPBACK = "127.0.0.1"
"""The name that every browser knows, and the address that the server listens on."""
REFUSED = t(
    "Only the person who started shoal can open this page. Use the address that `shoal serve` printed last; each"
    " address works once."
)
FOREIGN = t("This page can only be opened at its own addresses.")
TOKEN = "token"
KNOWN = "/known.svg"
"""Answered to everybody who knows the random name: by this a browser finds out whether it does."""
FETCHED = "/fetch/"
"""Where files are fetched from: a report is no page of the server's own, and no script in one would run."""
LASTING = ("/_nicegui/", "/look/")
"""Files whose addresses change with their content."""
NONCE = "nonce"
"""The key of a request's scope under which the page finds the nonce of its scripts."""

HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
DOT = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def policy(scripts: str) -> bytes:
    """Return the Content-Security-Policy: everything from here, and which scripts.

    The toolkit sets styles in place, so these stay allowed.
    """
    parts = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {allowed}" for name, allowed in parts.items()).encode()


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Guard:
    """Guarantees that the app behind it sees only requests of this machine that carry the cookie."""

    app: Any
    port: int
    name: str = field(default_factory=lambda: f"shoal-{secrets.token_hex(8)}.localhost")
    """The name that no other server of this machine has."""
    used: Callable[[], None] = _nothing
    """Called when a token was brought: another is needed for another browser."""
    _tokens: dict[str, str] = field(default_factory=dict)
    """The tokens that were not brought yet, and the name that each is for."""
    _tickets: dict[str, str] = field(default_factory=dict)
    """What the cookie says, by the name it is for: no token, which stands in an address and may be seen."""

    def address(self, name: str | None = None) -> str:
        """Return an address to open, which works once."""
        token, host = secrets.token_urlsafe(24), name or self.name
        self._tokens[token] = self._host(host)
        return f"http://{self._host(host)}/?{TOKEN}={token}"

    def _host(self, name: str) -> str:
        return f"{name}:{self.port}"

    def ticket(self, host: str) -> str:
        """Return what the cookie of a name says."""
        return self._tickets.setdefault(host, secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """The cookie's name; cookies know no ports, so the name does."""
        return f"shoal-{self.port}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, refuse, or pass on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        choose_language(headers.get(b"cookie", ""), headers.get(b"accept-language", ""))
        if scope["path"] == KNOWN and headers.get(b"host") == self._host(self.name):
            await _dot(send)
        elif not self.at_home(headers):
            await _refuse(scope, receive, send, FOREIGN)
        elif self.brings_token(scope, headers[b"host"]):
            await self._welcome(scope, headers[b"host"], send)
        elif not self.knows(headers):
            await _refuse(scope, receive, send, REFUSED)
        elif scope["type"] == "http":
            scope[NONCE] = secrets.token_urlsafe(16)
            await self.app(scope, receive, _marked(send, scope["path"], scope[NONCE]))
        else:
            await self.app(scope, receive, send)

    def at_home(self, headers: dict[bytes, str]) -> bool:
        """Whether a request was meant for this server, and was not made by another site."""
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        site = headers.get(b"sec-fetch-site", "none")
        return (
            host in {self._host(self.name), self._host(LOOPBACK)}
            and (origin is None or origin == f"http://{host}")
            and (site in {"none", "same-origin"} or headers.get(b"sec-fetch-mode") == "navigate")
        )

    def brings_token(self, scope: Any, host: str) -> bool:
        """Whether the address holds a token for this name; it works no more after that."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN, [""])[0].encode()
        matching = [
            one for one, at in self._tokens.items() if secrets.compare_digest(given, one.encode()) and at == host
        ]
        for one in matching:
            del self._tokens[one]
        return bool(matching)

    def knows(self, headers: dict[bytes, str]) -> bool:
        """Whether the cookie is the one that was given; those of other pages of this machine may be odd."""
        expected = self.ticket(headers[b"host"]).encode()
        return any(
            name.strip() == self.cookie and secrets.compare_digest(value.strip().encode(), expected)
            for name, _, value in (one.partition("=") for one in headers.get(b"cookie", "").split(";"))
        )

    async def _welcome(self, scope: Any, host: str, send: Any) -> None:
        """Give the cookie, and send on to the same place without the token in the address.

        It is a page that goes on by itself, no redirection: a browser that comes from the private file would not send
        the strict cookie along.
        """
        place = "/" + urlsplit(scope["path"]).path.lstrip("/\\")
        cookie = f"{self.cookie}={self.ticket(host)}; HttpOnly; SameSite=Strict; Path=/"
        page = f"<!doctype html>{tag('meta', http_equiv='refresh', content=f'0; url={place}')}{tag('title', 'shoal')}"
        headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
            (b"content-security-policy", policy("'none'")),
        ]
        await _answer(send, 200, headers, page.encode())
        self.used()


async def _answer(send: Any, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    said = {**HEADERS, **dict(headers)}
    await send({"type": "http.response.start", "status": status, "headers": list(said.items())})
    await send({"type": "http.response.body", "body": body})


async def _dot(send: Any) -> None:
    """Answer that the name is known."""
    headers = {b"content-type": b"image/svg+xml", b"cross-origin-resource-policy": b"cross-origin"}
    await _answer(send, 200, [*headers.items(), (b"cache-control", b"no-store")], DOT)


async def _refuse(scope: Any, receive: Any, send: Any, said: str) -> None:
    """Answer 403 in words; a websocket that is closed before it was accepted gets the same."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await _answer(send, 403, [(b"content-type", b"text/plain; charset=utf-8")], f"{said}\n".encode())


def _marked(send: Any, path: str, nonce: str) -> Any:
    """Return what sends an answer on with the policy, and with how long it may be kept.

    The toolkit evaluates its handlers, so that stays allowed in its pages.
    """
    fetched = path.startswith(FETCHED)
    scripts = "'none'" if fetched else f"'self' 'nonce-{nonce}' 'unsafe-eval'"

    async def marked(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            lasts = path.startswith(LASTING) and message["status"] == 200
            kept = b"private, max-age=31536000, immutable" if lasts else b"no-store"
            before = [one for one in message.get("headers", []) if one[0].lower() != b"cache-control"]
            added = [(b"content-security-policy", policy(scripts)), (b"cache-control", kept)]
            message = {**message, "headers": [*before, *HEADERS.items(), *added]}
        await send(message)

    return marked
