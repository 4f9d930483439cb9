"""What is sent to the page and fetched from it: files, in streams, and never more than was asked for."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio.from_thread
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool

from shoal.core.errors import ShoalError
from shoal.web.desk import Desk, Run, queries
from shoal.web.desk.releases import zipped
from shoal.web.desk.run_choice import file_name
from shoal.web.page import in_words

UPLOAD, TREE, LOAD = "/upload/table", "/upload/tree", "/upload/config"
CONFIG = "/fetch/shoal.toml"


class Incoming(io.RawIOBase):
    """A request's body as a file, read in a thread while it comes in: no second copy of it is made."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill `target` with what came in; nothing is the end."""
        while not self._rest:
            self._rest = anyio.from_thread.run(self._next)
            if not self._rest:
                return 0
        many = min(len(target), len(self._rest))
        target[:many], self._rest = self._rest[:many], self._rest[many:]
        return many

    async def _next(self) -> bytes:
        async for chunk in self._chunks:
            if chunk:
                return chunk
        return b""


def carry(app: FastAPI, desk: Desk) -> None:
    """Add the routes that files go by."""

    @app.post(UPLOAD)
    async def upload(request: Request, name: str = "") -> Response:
        return await _answered(desk.upload, name, io.BufferedReader(Incoming(request.stream()), 1 << 20))

    @app.post(TREE)
    async def tree(request: Request, name: str = "", more: str = "") -> Response:
        return await _answered(take_tree, desk, name, io.BufferedReader(Incoming(request.stream()), 1 << 20), more)

    @app.post(LOAD)
    async def load(request: Request, name: str = "") -> Response:
        return await _answered(take_config, desk, name, io.BufferedReader(Incoming(request.stream()), 1 << 20))

    @app.get(CONFIG)
    async def config() -> Response:
        try:
            said = await run_in_threadpool(lambda: desk.portable(desk.draft).toml(file=desk.draft.name))
        except Exception as error:
            return PlainTextResponse(in_words(error), 404)
        headers = {"Content-Disposition": 'attachment; filename="shoal.toml"'}
        return PlainTextResponse(said, headers=headers, media_type="application/toml")

    @app.get("/fetch/{id}/release.zip")
    async def whole(id: str) -> Response:
        return await _fetched(desk, id, zipped, "release.zip")

    @app.get("/fetch/{id}/public.zip")
    async def public(id: str) -> Response:
        return await _fetched(desk, id, lambda run: zipped(run, public=True), "public.zip")

    @app.get("/fetch/{id}/report.html")
    async def report(id: str, public: bool = False) -> Response:
        name = "public-report.html" if public else "report.html"
        return await _fetched(desk, id, lambda run: _report(run, public), name, shown=True)


def take_config(desk: Desk, name: str, stream: Any) -> None:
    """Decide what a `shoal.toml` says; the files that it names are looked for in the chosen folder."""
    path = desk.uploads.keep(name, stream)
    try:
        desk.load(path, beside=desk.root or path.parent)
    finally:
        desk.uploads.forget(path)


def take_tree(desk: Desk, name: str, stream: Any, column: str) -> None:
    """Keep a hierarchy file, and use it for a column if it fits; one that does not is deleted."""
    path = desk.uploads.keep(name, stream)
    try:
        queries.hierarchy(desk.draft, column, str(path))
    except Exception:
        desk.uploads.forget(path)
        raise
    desk.decide(lambda draft: {"hierarchies": {**draft.hierarchies, column: str(path)}})


def _report(run: Run, public: bool) -> Path:
    path = run.report(public=public)
    if path is None:
        raise ShoalError("there is no report yet", hint="it is made after the release; look again in a moment")
    return path


async def _answered(work: Callable[..., Any], *given: Any) -> Response:
    """Do something in a thread; 200, or 400 and why not."""
    try:
        await run_in_threadpool(work, *given)
    except Exception as error:
        return PlainTextResponse(in_words(error), 400)
    return PlainTextResponse("")


async def _fetched(desk: Desk, id: str, work: Callable[[Run], Path], what: str, *, shown: bool = False) -> Response:
    """Fetch a file of a run that is found or made in a thread, by the run's name; 404 and why where it is not there."""

    def found() -> tuple[Path, str]:
        run = desk.runs[id]
        return work(run), file_name(run, what)

    try:
        path, name = await run_in_threadpool(found)
        return FileResponse(path, filename=name, content_disposition_type="inline" if shown else "attachment")
    except Exception as error:
        return PlainTextResponse(in_words(error), 404)
