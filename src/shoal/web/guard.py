"""The door of the page: only the person who started it comes in, and nothing goes out.

    request ──▶ Guard ──▶ the page

A request is let in if its Host is this machine itself (so that no name on the internet can be pointed here), if no
other site has made the browser send it, and if it carries the cookie, which is given once to whoever brings the
token of the address. Everything else gets 403. What goes back tells the browser to load from here alone.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

HOME = ("127.0.0.1", "localhost")
"""What a Host may say; the server listens on the first."""
REFUSED = "This page belongs to whoever started it. Open the address that `shoal serve` printed, with its token.\n"
FOREIGN = "This page answers to 127.0.0.1 and localhost alone.\n"
TOKEN = "token"
FETCHED = "/fetch/"
"""Where files are fetched from: a report is no page of the server's own, and no script in one would run."""
SCRIPT = re.compile(rb"<script\b")

REPLACED = (b"content-length", b"cache-control")
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


def policy(nonce: str) -> bytes:
    """Return the Content-Security-Policy: everything from here, scripts in the page only with the nonce of this answer.

    The toolkit evaluates its handlers and sets styles in place, so these two stay allowed.
    """
    parts = {
        "default-src": "'self'",
        "script-src": f"'self' 'nonce-{nonce}' 'unsafe-eval'",
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


@dataclass(frozen=True)
class Guard:
    """Guarantees that the app behind it sees only requests of this machine that carry the cookie."""

    app: Any
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """What the cookie says: not the token, which stands in an address and may be seen over a shoulder."""

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{HOME[0]}:{self.port}/?{TOKEN}={self.token}"

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
        if not self.at_home(headers):
            await _refuse(scope, receive, send, FOREIGN)
        elif self.brings_token(scope):
            await self._welcome(scope, send)
        elif not self.known(headers):
            await _refuse(scope, receive, send, REFUSED)
        else:
            own = not scope["path"].startswith(FETCHED)
            await self.app(scope, receive, Marked(send, own=own) if scope["type"] == "http" else send)

    def at_home(self, headers: dict[bytes, str]) -> bool:
        """Whether a request was meant for this server, and was not made by another site."""
        allowed = {f"{name}:{self.port}" for name in HOME}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        site = headers.get(b"sec-fetch-site", "none")
        return (
            host in allowed
            and (origin is None or origin == f"http://{host}")
            and (site in {"none", "same-origin"} or headers.get(b"sec-fetch-mode") == "navigate")
        )

    def brings_token(self, scope: Any) -> bool:
        """Whether the address holds the token."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN, [""])[0]
        return secrets.compare_digest(given.encode(), self.token.encode())

    def known(self, headers: dict[bytes, str]) -> bool:
        """Whether the cookie is the one that was given; those of other pages of this machine may be odd."""
        return any(
            name.strip() == self.cookie and secrets.compare_digest(value.strip().encode(), self.ticket.encode())
            for name, _, value in (one.partition("=") for one in headers.get(b"cookie", "").split(";"))
        )

    async def _welcome(self, scope: Any, send: Any) -> None:
        """Give the cookie, and send on to the same place without the token in the address."""
        place = urlsplit(scope["path"]).path.lstrip("/\\")
        cookie = f"{self.cookie}={self.ticket}; HttpOnly; SameSite=Strict; Path=/"
        headers = [
            (b"location", f"/{place}".encode()),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": [*headers, *HEADERS.items()]})
        await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Any, receive: Any, send: Any, said: str) -> None:
    """Answer 403 in words; a websocket that is closed before it was accepted gets the same."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS.items()]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": said.encode()})


class Marked:
    """Sends an answer on, with the policy; a page is held until it is whole, and its scripts get the nonce."""

    def __init__(self, send: Any, *, own: bool) -> None:
        self._send, self._own = send, own
        self._nonce = secrets.token_urlsafe(16)
        self._start: dict[str, Any] | None = None
        self._body = bytearray()

    async def __call__(self, message: dict[str, Any]) -> None:
        """Send a message on, or hold it."""
        if message["type"] == "http.response.start":
            added = [*HEADERS.items(), (b"content-security-policy", policy(self._nonce))]
            message["headers"] = [*message.get("headers", []), *added]
            if self._own and _is_page(message["headers"]):
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body.extend(message.get("body", b""))
        if not message.get("more_body"):
            await self._whole(self._start)

    async def _whole(self, start: dict[str, Any]) -> None:
        """Send a page that is whole."""
        page = SCRIPT.sub(f'<script nonce="{self._nonce}"'.encode(), bytes(self._body))
        kept = [(name, value) for name, value in start["headers"] if name.lower() not in REPLACED]
        added = [(b"content-length", str(len(page)).encode()), (b"cache-control", b"no-store")]
        await self._send({**start, "headers": [*kept, *added]})
        await self._send({"type": "http.response.body", "body": page})


def _is_page(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
