"""The frame that all steps share: the steps at the side, undo, messages in place, and redrawing.

A step is two functions. `look` asks the desk, in a thread, so that the server never waits for it; `draw` shows what was
found, at once. A page is drawn anew when something was changed, here or in another tab, and never in between.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from nicegui import background_tasks, context, run, ui
from nicegui.element import Element

from shoal.core.errors import ShoalError
from shoal.web.desk import Desk, Draft
from shoal.web.events import ear
from shoal.web.parts import button, link, message, part

Found = TypeVar("Found")
Picks: TypeAlias = Mapping[str, str]
"""What is looked at on a page, such as a column or a run: it lasts as long as the tab."""
SETTLE = 0.2
"""Seconds before a page is drawn anew: who leaves a field by pressing a button finds the button where it was."""
BROKEN = "Something went wrong inside shoal ({}). Nothing was lost; the terminal shows where."


@dataclass(frozen=True)
class Step:
    """One step of the way: its address, its name, what it asks, and how it is looked up and drawn."""

    name: str
    title: str
    question: str
    lead: str
    look: Callable[[Desk, Picks], Any]
    draw: Callable[[Page, Any], None]
    said: Callable[[Desk], str]
    """What was decided, in a few words; nothing if it was not."""


class Page:
    """One step, open in one tab. All that lasts is the desk's; a page can be closed and opened again at any time."""

    def __init__(self, desk: Desk, step: Step, told: Mapping[Step, str], picks: Picks) -> None:
        self.desk, self.step, self.steps = desk, step, tuple(told)
        self.picks: Picks = dict(picks)
        self._seen: object = None
        self._turn = 0
        self._one = asyncio.Lock()  # one thing is done after the other, in the order of the clicks
        self._client = context.client
        ui.page_title(f"{step.title} – shoal")
        part("a", "To the content", "skip", href="#content")
        self._top = part("header", class_="top")
        with part("div", class_="frame"):
            self._nav = part("nav", class_="steps", aria_label="Steps")
            with part("section", id="content"):
                part("p", f"Step {self.steps.index(step) + 1} of {len(self.steps)}: {step.title}", "place")
                part("h1", step.question)
                part("p", step.lead, "lead")
                self._messages = part("div", class_="messages")
                self._body = part("div")
                with self._body:
                    part("p", "Looking …", "waiting", role="status")
                self._turning()
        ear()
        self._frame(told)
        ui.timer(0.01, self.refresh, once=True)
        ui.timer(1.0, self.watch)

    @property
    def draft(self) -> Draft:
        """What was decided so far."""
        return self.desk.draft

    async def refresh(self) -> None:
        """Look again, and draw."""
        self._turn += 1
        turn = self._turn
        await asyncio.sleep(SETTLE if self._seen else 0)
        if turn != self._turn:
            return
        looked = await run.io_bound(self._look)
        if looked is None or turn != self._turn or self._client.is_deleted:
            return  # the server ends, a later look is on its way, or nobody is there
        self._seen, told, found = looked
        self._frame(told)
        show(self._body, lambda found: self.step.draw(self, found), found)

    async def watch(self) -> None:
        """Draw anew if another tab, or a worker, changed something."""
        if self._seen is not None and self._seen != await run.io_bound(self._state):
            await self.refresh()

    async def attempt(self, work: Callable[..., Found], *given: Any, **named: Any) -> Found | None:
        """Do something with the desk in a thread, and draw anew; if it cannot be done, say so in place."""
        self.quiet()
        async with self._one:
            try:
                return await run.io_bound(work, *given, **named)
            except Exception as error:
                self.alert(in_words(error))
                return None
            finally:
                background_tasks.create(self.refresh())

    async def change(self, **parts: Any) -> None:
        """Decide something."""
        await self.attempt(self.desk.change, **parts)

    async def decide(self, parts: Callable[[Draft], Mapping[str, Any]]) -> None:
        """Decide something that depends on what was decided before, all of it."""
        await self.attempt(self.desk.decide, parts)

    async def pick(self, **picks: str) -> None:
        """Look at something else."""
        self.quiet()
        self.picks = {**self.picks, **picks}
        await self.refresh()

    def alert(self, said: str, kind: str = "bad") -> Element:
        """Say something above the content, until something else is done."""
        self.quiet()
        with self._messages:
            return message(said, kind)

    def quiet(self) -> None:
        """Take messages away."""
        self._messages.clear()

    def live(self, look: Callable[[], Any], draw: Callable[[Any], None]) -> None:
        """Show a part that is looked up every second, and drawn anew where it changed.

        A look that fails is told in its place, and not tried again before the page is drawn anew.
        """
        box, seen = part("div"), [object()]

        async def again() -> None:
            found = await run.io_bound(tried, look)
            if isinstance(found, Exception):
                timer.cancel()
            if found != seen[0] and not box.is_deleted:
                seen[0] = found
                show(box, draw, found)

        timer = ui.timer(1.0, again, immediate=True)

    def come(self, there: bool) -> None:
        """Draw the page anew, once something is there that was waited for."""
        if there:
            ui.timer(0.01, self.refresh, once=True)

    def _look(self) -> tuple[object, Mapping[Step, str], Any]:
        """Return what the page depends on, then what it shows: what changes in between is seen by the next look."""
        state = self._state()
        found = tried(self.step.look, self.desk, self.picks)
        return state, decided(self.desk, self.steps), found

    def _state(self) -> object:
        """What pages depend on: it is compared every second."""
        return self.desk.history, tuple((run.id, run.state) for run in self.desk.runs.all(None))

    def _frame(self, told: Mapping[Step, str]) -> None:
        """Draw what stands around the content: the table, undo, and every step with what was decided there."""
        history = self.desk.history
        self._top.clear()
        with self._top:
            part("a", "shoal", "name", href="/data")
            part("span", self.draft.name or "no table yet", "file")
            undo, redo = (lambda: self.attempt(self.desk.undo)), (lambda: self.attempt(self.desk.redo))
            button("Undo", undo, key="undo", kind="small", off=not history.can_undo)
            button("Redo", redo, key="redo", kind="small", off=not history.can_redo)
        self._nav.clear()
        with self._nav, part("ol"):
            for place, step in enumerate(self.steps, 1):
                self._place(place, step, told[step])

    def _place(self, place: int, step: Step, said: str) -> None:
        """Draw one step at the side: its number or that it is done, its name, what was decided."""
        here = step is self.step
        with (
            part("li", class_="done" if said else ""),
            part("a", href=f"/{step.name}", aria_current="step" if here else None, data_key=f"step-{step.name}"),
        ):
            part("span", "✓" if said else str(place), "mark", aria_hidden="true")
            with part("span", step.title):
                part("span", said or "to do", "said" if said else "said unseen")

    def _turning(self) -> None:
        """Draw the ways back and on."""
        at = self.steps.index(self.step)
        with part("div", class_="turn"):
            if at:
                before = self.steps[at - 1]
                link(f"← {before.title}", f"/{before.name}", key="back")
            part("span")
            if at + 1 < len(self.steps):
                after = self.steps[at + 1]
                link(f"{after.title} →", f"/{after.name}", key="next", kind="main")


def decided(desk: Desk, steps: Sequence[Step]) -> dict[Step, str]:
    """Return what was decided in each step, in a few words."""
    return {step: step.said(desk) for step in steps}


def tried(look: Callable[..., Any], *given: Any) -> Any:
    """Return what a look finds, or the error it ends with: either is shown in place."""
    try:
        return look(*given)
    except Exception as error:
        return error


def show(box: Element, draw: Callable[[Any], None], found: Any) -> None:
    """Draw what was found, alone in a box; what went wrong, in looking or in drawing, is said there instead."""
    box.clear()
    with box:
        wrong = found if isinstance(found, Exception) else tried(draw, found)
    if isinstance(wrong, Exception):
        box.clear()
        with box:
            message(in_words(wrong), "bad")


def in_words(error: Exception) -> str:
    """Return what to tell the person at the page; what nobody expected is told to the terminal, without its content."""
    if isinstance(error, ShoalError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    print(f"shoal: {type(error).__name__} at {where.filename}:{where.lineno}", file=sys.stderr)
    return BROKEN.format(type(error).__name__)
