"""The page as a server: its routes, and how it is started and ended."""

from __future__ import annotations

import os
import signal
import socket
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse
from nicegui import ui
from nicegui.run import io_bound as in_thread

from shoal.core.errors import ParameterError
from shoal.web import data, hierarchies, method, privacy, release, result, roles, run, theme
from shoal.web.desk import Desk
from shoal.web.guard import HOME, Guard
from shoal.web.page import Page, Step, decided
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
ENDS = (signal.SIGTERM, signal.SIGHUP)
"""Besides Ctrl-C: the machine is shut down, the terminal is closed."""


def build(desk: Desk, steps: Sequence[Step] = STEPS) -> FastAPI:
    """Return the app: a route a step, the look, what is sent and what is fetched."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/")(lambda: RedirectResponse("/data"))
    app.get("/look/page.css")(lambda: FileResponse(theme.STYLE))
    app.get("/look/page.js")(lambda: FileResponse(theme.SCRIPT))
    carry(app, desk)
    for step in steps:
        ui.page(f"/{step.name}")(_shown(desk, step, steps))
    ui.add_head_html(theme.head(), shared=True)
    ui.run_with(
        app,
        title="shoal",
        favicon=theme.ICON,
        dark=None,
        language="en-GB",
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
    )
    return app


def _shown(desk: Desk, step: Step, steps: Sequence[Step]) -> Any:
    async def show(request: Request) -> None:
        told = await in_thread(decided, desk, steps)
        if told is not None:  # it is where the server ends
            Page(desk, step, told, request.query_params)

    return show


def listen(port: int) -> socket.socket:
    """Return a socket on this machine's own address, which no other machine reaches; port 0 takes any that is free."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((HOME[0], port))
        held.listen()  # from now on whoever calls is heard, if only a moment later
    except (OSError, OverflowError) as error:
        held.close()
        raise ParameterError(f"port {port} cannot be used", hint="name another with --port, or none") from error
    return held


def server(app: Any) -> uvicorn.Server:
    """Return the server of an app; it writes no line a request."""
    return uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, ws="wsproto", server_header=False))


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


def guarded(desk: Desk, held: socket.socket) -> Guard:
    """Return the page behind its door."""
    return Guard(build(desk), held.getsockname()[1])


def serve(file: Path | None, folder: Path | None, port: int, *, open_browser: bool) -> None:
    """Serve the page until it is ended; then what was uploaded is deleted."""
    root = (folder or (file.parent if file is not None else Path())).resolve()
    if not root.is_dir():
        raise ParameterError(f"there is no folder {str(root)!r}", hint="make it, or name another with --folder")
    desk = Desk(state_folder(root), root=root)
    held = None
    try:
        if file is not None:
            desk.open(file.resolve())
        held = listen(port)
        door = guarded(desk, held)
        print(f"shoal: {door.address}\nshoal: Ctrl-C ends it", flush=True)
        if open_browser:
            webbrowser.open(door.address)
        running = server(door)
        with suppress(KeyboardInterrupt), ending(running):  # Ctrl-C is the way to end it
            running.run(sockets=[held])
    finally:
        desk.close(leave_running=True)
        if held is not None:
            held.close()


def state_folder(root: Path) -> Path:
    """Return where the desk of a folder keeps its state: of this user, outside the folder, the same each time."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "shoal" / sha256(str(root).encode()).hexdigest()[:16]
