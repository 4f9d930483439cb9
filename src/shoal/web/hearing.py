"""How the server hears what is pressed and chosen: by the key of a control, whichever element has it now.

A page is drawn anew whenever something changes, and a click may be on its way meanwhile. Were it bound to its element,
it would be lost with the element. So the browser tells one ear, which lives as long as the page, the key and the value;
and the ear calls what was last said to be done for that key.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from nicegui import context
from nicegui.client import Client
from nicegui.element import Element
from nicegui.events import GenericEventArguments

Heard: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""What is called with a control's new value; of a button, with nothing of use."""

KINDS = ("press", "value", "file")
"""What a control tells: that it was pressed, its new value, or why the file that was chosen was refused."""
_HEARD: WeakKeyDictionary[Client, dict[str, Heard]] = WeakKeyDictionary()


def hear(element: Element, key: str, kind: str, heard: Heard) -> Element:
    """Let a control tell what happens to it."""
    element._props.update({"data-key": key, "data-tells": kind})
    _HEARD.setdefault(context.client, {})[key] = heard
    return element


def ear() -> None:
    """Put the ear on a page; page.js knows it by its name."""
    made = Element("span")
    made._props.update({"id": "ear", "hidden": ""})
    made.on("told", _told, js_handler="(event) => emit(...event.detail)")


async def _told(event: GenericEventArguments) -> None:
    key, value = event.args
    heard = _HEARD.get(event.client, {}).get(str(key))
    if heard is not None:
        done = heard(value)
        if inspect.isawaitable(done):
            await done
