"""The page as a server: its routes, and how it is started and ended."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.responses import FileResponse, RedirectResponse
from nicegui import ui

from shoal.desk import Desk
from shoal.errors import ParameterError
from shoal.web import theme
from shoal.web.guard import HOME, Guard
from shoal.web.page import Page, Step

STEPS: tuple[Step, ...] = ()


def build(desk: Desk, steps: Sequence[Step] = STEPS) -> FastAPI:
    """Return the app: a route a step, the look, what is sent and what is fetched."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/")(lambda: RedirectResponse("/data"))
    app.get("/look/page.css")(lambda: FileResponse(theme.STYLE))
    app.get("/look/page.js")(lambda: FileResponse(theme.SCRIPT))
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
    def show() -> None:
        Page(desk, step, steps)

    return show


def listen(port: int) -> socket.socket:
    """Return a socket on this machine's own address, which no other machine reaches; port 0 takes any that is free."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((HOME[0], port))
    except (OSError, OverflowError) as error:
        held.close()
        raise ParameterError(f"port {port} cannot be used", hint="name another with --port, or none") from error
    return held


def server(app: Any) -> uvicorn.Server:
    """Return the server of an app; it writes no line a request."""
    return uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, ws="wsproto", server_header=False))


def guarded(desk: Desk, held: socket.socket) -> Guard:
    """Return the page behind its door."""
    return Guard(build(desk), held.getsockname()[1])
