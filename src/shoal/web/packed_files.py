"""The page's own files, packed on their way: those alone whose addresses change with their content.

What belongs to a person is never packed: the size of a packed answer can tell what is in it.
"""

from __future__ import annotations

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from shoal.web.guard import LASTING

SMALLEST = 1000
"""Bytes below which packing is not worth it."""


class PackedFiles:
    """An app whose lasting files are packed where the browser takes them so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._packing = app, GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=6)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        lasting = scope["type"] == "http" and scope["path"].startswith(LASTING)
        await (self._packing if lasting else self._app)(scope, receive, send)
