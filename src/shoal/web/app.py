"""The page as a server: its routes, and how it is started and ended."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse
from jinja2.ext import Extension
from nicegui import app as toolkit
from nicegui import ui
from nicegui.client import templates

from shoal.core.errors import ParameterError
from shoal.studies.first_compilation import compile_beside
from shoal.web import check, data, hierarchies, method, opening, privacy, release, result, roles, run, theme
from shoal.web.desk import Desk
from shoal.web.guard import LOOPBACK, NONCE, Guard
from shoal.web.packed_files import PackedFiles
from shoal.web.page import Page, Step, WithoutCells, decided, in_thread
from shoal.web.traffic import carry

STEPS: tuple[Step, ...] = (
    data.STEP,
    roles.STEP,
    hierarchies.STEP,
    privacy.STEP,
    method.STEP,
    run.STEP,
    result.STEP,
    release.STEP,
)
TRIES = 20
"""Ports that are tried where any may be taken."""
RECONNECT = 30.0
"""Seconds that a tab may be without its connection before it is opened anew: a run may keep the machine busy."""
PATIENCE = 600.0
"""Seconds that a page may take to appear before it counts as failed: a run may keep the machine busy."""
FALLBACK = "if the browser does not find that name, which keeps the cookie from other servers of this machine"
ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
"""Besides Ctrl-C: the machine is shut down, the terminal is closed; on Windows Ctrl-Break. Some systems lack some."""


class Nonced(Extension):
    """Puts the nonce of a request on the scripts of the toolkit's page where that is written: in its template."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the text of a template, before anything is filled in."""
        return source.replace("<script", f'<script nonce="{{{{ request.scope.{NONCE} }}}}"')


def build(desk: Desk, steps: Sequence[Step] = STEPS) -> FastAPI:
    """Return the app: a route a step, the look, what is sent and what is fetched."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/")(lambda: RedirectResponse("/data"))
    for path in (theme.STYLE, *theme.SCRIPTS):
        app.get(f"/look/{path.name}")(_file(path))
    toolkit.add_exception_handler(404, lambda *_: HTMLResponse(theme.nowhere(), 404))
    app.get("/alive")(lambda: PlainTextResponse(desk.session))
    templates.env.add_extension(Nonced)
    carry(app, desk)
    for step in (*steps, check.STEP):
        ui.page(f"/{step.name}", response_timeout=PATIENCE)(_shown(desk, step, steps))
    ui.add_head_html(theme.head(), shared=True)
    ui.run_with(
        app,
        title="shoal",
        favicon=theme.ICON,
        dark=None,
        language="en-GB",
        tailwind=False,
        gzip_middleware_factory=None,
        reconnect_timeout=RECONNECT,
        show_welcome_message=False,
    )
    return app


def _file(path: Path) -> Callable[[], FileResponse]:
    return lambda: FileResponse(path)


def _shown(desk: Desk, step: Step, steps: Sequence[Step]) -> Any:
    async def show(request: Request) -> None:
        told = await in_thread(decided, desk, steps)
        if told is not None:  # it is where the server ends
            Page(desk, step, told, request.query_params, own_name=request.url.hostname != LOOPBACK)

    return show


def listen(port: int) -> list[socket.socket]:
    """Return sockets on this machine's own addresses, which no other machine reaches; port 0 takes any that is free.

    Browsers may look for a name under `.localhost` at ::1 first: where this machine has that address, nobody else may
    listen there on the same port.
    """
    for _ in range(1 if port else TRIES):
        held = _bound(socket.AF_INET, LOOPBACK, port)
        number = held.getsockname()[1]
        try:
            return [held, *([_bound(socket.AF_INET6, "::1", number)] if _has_ipv6() else [])]
        except OSError:
            held.close()
    raise _unusable(port)


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    held = socket.socket(family, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((address, port))
        held.listen()  # from now on whoever calls is heard, if only a moment later
    except (OSError, OverflowError) as error:
        held.close()
        raise (_unusable(port) if family == socket.AF_INET else OSError(str(error))) from error
    return held


def _has_ipv6() -> bool:
    """Whether this machine has the address ::1."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


def _unusable(port: int) -> ParameterError:
    return ParameterError(f"port {port} cannot be used", hint="name another with --port, or leave --port out")


def server(app: Any) -> uvicorn.Server:
    """Return the server of an app; it writes no line a request, and of an error neither words nor cells."""
    made = uvicorn.Config(app, log_level="warning", access_log=False, ws="wsproto", server_header=False)
    for name in ("uvicorn.error", "nicegui", "asyncio"):
        logging.getLogger(name).addFilter(WithoutCells())
    return uvicorn.Server(made)


@contextmanager
def ending(running: uvicorn.Server) -> Iterator[None]:
    """Let the signals of `ENDS` end a server as Ctrl-C does; one that is ignored, as under nohup, stays so."""

    def end(*_: object) -> None:
        running.should_exit = True

    before = {one: signal.getsignal(one) for one in ENDS if signal.getsignal(one) is not signal.SIG_IGN}
    for one in before:
        signal.signal(one, end)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def guarded(desk: Desk, held: Sequence[socket.socket], used: Callable[[], None]) -> Guard:
    """Return the page behind its door."""
    return Guard(PackedFiles(build(desk)), held[0].getsockname()[1], used=used)


def serve(file: Path | None, folder: Path | None, port: int, *, open_browser: bool) -> None:
    """Serve the page until it is ended; then what was uploaded is deleted."""
    root = (folder or (file.parent if file is not None else Path())).resolve()
    if not root.is_dir():
        raise ParameterError(f"there is no folder {str(root)!r}", hint="make it, or name another with --folder")
    desk = Desk(state_folder(root), root=root)
    held: list[socket.socket] = []
    try:
        if file is not None:
            desk.open(file.resolve())
        held = listen(port)
        door = guarded(desk, held, used=lambda: _used(door, desk))
        _print_address(door)
        print(f"shoal: {FALLBACK}: {door.address(LOOPBACK)}\nshoal: Ctrl-C ends it", flush=True)
        if open_browser:
            opening.open_browser(door, desk.folder)
        compile_beside()
        running = server(door)
        with suppress(KeyboardInterrupt), ending(running):  # Ctrl-C is the way to end it
            running.run(sockets=held)
    finally:
        (desk.folder / opening.FILE).unlink(missing_ok=True)
        desk.close(leave_running=True)
        for one in held:
            one.close()


def _print_address(door: Guard) -> None:
    """Print an address to open; it works once, and the terminal is read by nobody else."""
    print(f"shoal: {door.address()}", flush=True)


def _used(door: Guard, desk: Desk) -> None:
    """Print the next address once one was used; the private file has done its work."""
    (desk.folder / opening.FILE).unlink(missing_ok=True)
    print("shoal: opened; for another browser:", flush=True)
    _print_address(door)


def state_folder(root: Path) -> Path:
    """Return where the desk of a folder keeps its state: of this user, outside the folder, the same each time."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "shoal" / sha256(str(root).encode()).hexdigest()[:16]
