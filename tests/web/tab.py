"""A step of the page without a browser: it is drawn, read and pressed; what is asked of the desk is done at once."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from nicegui import Client, ui
from nicegui.element import Element

from shoal.core.errors import ShoalError
from shoal.web import events
from shoal.web.app import STEPS
from shoal.web.desk import Desk
from shoal.web.page import Page, Step
from shoal.web.parts import message, part


class Tab(Page):
    """A tab that nobody looks at."""

    def __init__(self, desk: Desk, step: Step, **picks: str) -> None:
        self.desk, self.step, self.picks = desk, step, picks
        self.steps = STEPS
        self.alerts: list[str] = []
        self.box_client = Client(ui.page("/none"))
        self.drawn()

    def drawn(self) -> None:
        """Look and draw, as at a reload."""
        with self.box_client:
            self.box = part("section")
            events._HEARD[self.box_client.id] = {}
            with self.box:
                self.step.draw(self, self.step.look(self.desk, self.picks))

    @property
    def words(self) -> str:
        """Everything that is to be read."""
        return "\n".join(one._text or str(one._props.get("innerHTML", "")) for one in self.box.descendants())

    @property
    def keys(self) -> set[str]:
        """What can be pressed, chosen or typed."""
        return {str(one._props["data-key"]) for one in self.box.descendants() if "data-key" in one._props}

    def tell(self, key: str, value: str | None = None) -> None:
        """Press or choose something, and draw anew."""
        told = events._HEARD[self.box_client.id][key](value)
        if inspect.isawaitable(told):
            asyncio.run(_awaited(told))
        self.drawn()

    async def attempt(self, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Do it; what cannot be done is said."""
        try:
            return work(*given, **named)
        except ShoalError as error:
            self.alerts.append(str(error))

    async def pick(self, **picks: str) -> None:
        """Look at something else."""
        self.picks = {**self.picks, **picks}

    def alert(self, said: str, kind: str = "bad") -> Element:
        """Say something, which is noted."""
        self.alerts.append(said)
        with self.box:
            return message(said, kind)

    def quiet(self) -> None:
        """Take nothing away: what was said stays noted."""

    def live(self, look: Callable[[], Any], draw: Callable[[Any], None]) -> None:
        """Draw what changes once."""
        draw(look())

    def come(self, there: bool) -> None:
        """Nothing is waited for."""


async def _awaited(told: Any) -> None:
    await told
