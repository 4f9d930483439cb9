"""How the server hears what is pressed and chosen: by the key of a control, whichever element has it now.

A page may change while a click is on its way. Were it bound to its element, it would be lost with the element. So the
browser tells one ear, which lives as long as the page, the key and the value; and the ear calls what was last said to
be done for that key.

What is told is numbered. Once the page shows what came of a number, the ear says so (`data-heard`): until then the
browser leaves a field as the person left it, however often the page is drawn.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, TypeAlias

from nicegui import context
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from shoal.web.language import SPOKEN

Heard: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""What is called with a control's new value; of a button, with nothing of use."""

Kind: TypeAlias = Literal["press", "value", "file"]
"""What a control tells: that it was pressed, its new value, or why the file that was chosen was refused."""
_HEARD: dict[str, dict[str, Heard]] = {}
"""For every open page what is called for each key; a page that is closed is forgotten."""
TELLING: ContextVar[int] = ContextVar("TELLING", default=0)
"""The number of what was told, wherever something is done about it; 0 where nothing was."""


def hear(element: Element, key: str, kind: Kind, heard: Heard) -> Element:
    """Let a control tell what happens to it."""
    element._props.update({"data-key": key, "data-tells": kind})
    _HEARD.get(context.client.id, {})[key] = heard
    return element


def listen(key: str, heard: Heard) -> None:
    """Hear a control that is part of markup, and says its key and what it tells itself."""
    _HEARD.get(context.client.id, {})[key] = heard


def ear() -> Element:
    """Put the ear on a page; page.js knows it by its name."""
    client, made = context.client, Element("span")
    _HEARD[client.id] = {}
    client.on_delete(lambda: _HEARD.pop(client.id, None))
    made._props.update({"id": "ear", "hidden": "", "data-heard": "0"})
    made.on("told", partial(_told, SPOKEN.get()), js_handler="(event) => emit(...event.detail)")
    return made


async def _told(language: str, event: GenericEventArguments) -> None:
    """Do what was said to be done, in the language of the page."""
    SPOKEN.set(language)
    key, value, number = event.args
    heard = _HEARD.get(event.client.id, {}).get(str(key))
    if heard is not None:
        TELLING.set(int(number))
        done = heard(value)
        if inspect.isawaitable(done):
            await done
