"""The look of the page: one style sheet and one small script, both served from here."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
STYLE, SCRIPT = HERE / "page.css", HERE / "page.js"
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="#0f766e">'
    '<path d="M3 9c5-5 11-5 15 0l4-4v8l-4-4c-4 5-10 5-15 0z"/>'
    '<path d="M9 22c5-5 11-5 15 0l4-4v8l-4-4c-4 5-10 5-15 0z"/></g></svg>'
)


def head() -> str:
    """Return what stands in the head of every page; the addresses change with the files."""
    style, script = (f"/look/{path.name}?{sha256(path.read_bytes()).hexdigest()[:16]}" for path in (STYLE, SCRIPT))
    return f'<link rel="stylesheet" href="{style}"><script src="{script}" defer></script>'
