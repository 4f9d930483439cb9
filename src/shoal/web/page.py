"""The frame that all steps share: the steps at the side, undo, messages in place, and redrawing.

A step is two functions. `look` asks the desk, in a thread, so that the server never waits for it; `draw` shows what was
found, at once. A page is drawn anew when something was changed, here or in another tab, and never in between; what is
the same as before stays in place (`patch`).
"""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlencode

from nicegui import background_tasks, context, run, ui
from nicegui.element import Element
from nicegui.language import Language

from shoal.core.errors import ShoalError
from shoal.web import theme
from shoal.web.desk import Desk, Draft, History
from shoal.web.desk.draft_changes import Change, changes
from shoal.web.events import TELLING, ear
from shoal.web.language import COOKIE, LANGUAGES, SPOKEN, listed, t
from shoal.web.parts import button, link, message, part
from shoal.web.patch import LIVE, Kept, patch

Found = TypeVar("Found")
Picks: TypeAlias = Mapping[str, str]
"""What is looked at on a page, such as a column or a run: it lasts as long as the tab."""
SETTLE = 0.05
"""Seconds before a page is drawn anew: what is told meanwhile is shown with it."""
LOST = t("The connection to shoal is lost. This page can be used again as soon as it is back.")
ENDED = t(
    "shoal has ended or was restarted. This tab can no longer be used: start shoal, and open the address that it "
    "prints. None of your decisions is lost."
)
QUASAR: Mapping[str, Language] = {"en": "en-GB", "de": "de", "fr": "fr"}
"""What the toolkit calls the languages."""
SHARED = t(
    "This page was opened at 127.0.0.1, which all servers on this machine share: others that you open get its "
    "cookie too. If your browser supports names under .localhost, open the other address that shoal printed."
)
BESIDE, CHECK = t("Beside the steps"), t("Check an existing release")


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
    keeps: tuple[str, ...] = ()
    """What is looked at there and stands in the address, such as a run."""
    valid: Callable[[Desk], bool] = lambda _: True
    """Whether what was decided holds, besides what the desk says is missing."""


@dataclass(frozen=True)
class Mark:
    """A step at the side of the page: what was decided there, and whether a release can be made of that."""

    said: str = ""
    valid: bool = False


@dataclass(eq=False)
class Live:
    """A part of a page that is looked up every second, and drawn where it changed."""

    box: Element
    look: Callable[[], Any]
    draw: Callable[[Any], None]
    seen: object = field(default_factory=object)
    failed: bool = False
    """A look that fails is told in its place, and not tried again before the page is drawn anew."""

    async def again(self) -> None:
        """Look, and draw if something changed."""
        if self.failed:
            return
        found = await in_thread(tried, self.look)
        self.failed = isinstance(found, Exception)
        if found != self.seen and not self.box.is_deleted:
            self.seen = found
            show(self.box, self.draw, found)


class Page:
    """One step, open in one tab. All that lasts is the desk's; a page can be closed and opened again at any time."""

    def __init__(
        self, desk: Desk, step: Step, told: Mapping[Step, Mark], picks: Picks, *, own_name: bool = True
    ) -> None:
        self.desk, self.step, self.steps = desk, step, tuple(told)
        self.picks: Picks = dict(picks)
        self._seen: object = None
        self._turn = self._heard = 0
        self._live: list[Live] = []
        self._looking = asyncio.Lock()  # of the parts that are looked up every second
        self._one = asyncio.Lock()  # one thing is done after the other, in the order of the clicks
        self._client = context.client
        self._client.page = _spoken(self._client.page)
        ui.add_body_html(theme.first())
        ui.page_title(f"{step.title} – shoal")
        part("a", t("Skip to the content"), "skip", href="#content")
        with part("div", class_="ended", id="ended", role="alert", hidden=True):
            part("p", LOST, data_when="lost")
            part("p", ENDED, data_when="ended")
        if not own_name:
            with part("div", class_="shared", role="note"):
                part("p", SHARED)
        self._top = part("header", class_="top")
        with part("div", class_="frame"):
            self._nav = part("nav", class_="steps", aria_label=t("Steps"))
            with part("section", id="content"):
                part("p", self._here(), "place")
                part("h1", step.question)
                part("p", step.lead, "lead")
                self._messages = part("div", class_="messages")
                self._body = part("div")
                with self._body:
                    part("p", t("Loading …"), "waiting", role="status")
                self._turning = part("div", class_="turn")
        self._ear = ear()
        self._ear._props["data-session"] = desk.session
        self._frame(told)
        ui.timer(0.01, self.refresh, once=True)
        ui.timer(1.0, self.watch)

    def _here(self) -> str:
        """Say where on the way the page is."""
        if self.step not in self.steps:
            return BESIDE
        return t(
            "Step {step} of {steps}: {title}",
            step=self.steps.index(self.step) + 1,
            steps=len(self.steps),
            title=self.step.title,
        )

    @property
    def draft(self) -> Draft:
        """What was decided so far."""
        return self.desk.draft

    async def refresh(self) -> None:
        """Look again, and draw."""
        self._turn += 1
        turn, self._heard = self._turn, max(self._heard, TELLING.get())
        await asyncio.sleep(SETTLE if self._seen else 0)
        if turn != self._turn:
            return
        heard = self._heard
        looked = await in_thread(self._look)
        if looked is None or turn != self._turn or self._client.is_deleted:
            return  # the server ends, a later look is on its way, or nobody is there
        self._seen, told, found = looked
        self._frame(told)
        before, self._live = {one.box.id: one for one in self._live}, []
        kept = show(self._body, lambda found: self.step.draw(self, found), found)
        for one in self._live:
            one.box = kept.get(one.box.id, one.box)
            if one.box.id in before:
                one.seen = before[one.box.id].seen
        address = {"data-address": self._way(self.step)} if self.step.keeps else {}
        self._ear._props.update({"data-heard": str(heard), **address})
        background_tasks.create(self._look_again())

    async def watch(self) -> None:
        """Draw anew if another tab, or a worker, changed something."""
        if self._seen is not None and self._seen != await in_thread(self._state):
            await self.refresh()
        else:
            await self._look_again()

    async def _look_again(self) -> None:
        """Look up what is looked up every second; one look is done before the next begins."""
        async with self._looking:
            for one in tuple(self._live):
                await one.again()

    async def attempt(self, work: Callable[..., Found], *given: Any, **named: Any) -> Found | None:
        """Do something with the desk in a thread, and draw anew; if it cannot be done, say so in place."""
        self.quiet()
        async with self._one:
            try:
                return await in_thread(work, *given, **named)
            except Exception as error:
                self.alert(in_words(error))
                return None
            finally:
                background_tasks.create(self.refresh())

    async def change(self, **parts: Any) -> None:
        """Decide something."""
        await self.attempt(self.desk.change, **parts)

    async def decide(self, parts: Callable[[Draft], Mapping[str, Any]], group: str = "") -> None:
        """Decide something that depends on what was decided before; those of one group are undone together."""
        await self.attempt(self.desk.decide, parts, group)

    async def undo(self, back: Callable[[], Draft], said: str) -> None:
        """Undo or redo something, and say what, and where."""
        before = self.desk.history
        if await self.attempt(back) is None:
            return
        after = self.desk.history
        changed = [*changes(before.draft, after.draft), *_runs(before, after, self.desk)]
        if changed:
            self._tell_undone(said, changed)

    def _tell_undone(self, said: str, changed: Sequence[Change]) -> None:
        steps = dict.fromkeys(one.step for one in changed)
        words = listed(
            (f"{self.titles[step]}: {listed(one.said for one in changed if one.step == step)}" for step in steps), "; "
        )
        with self.alert(t("{said}. Now: {words}.", said=said, words=words), ""), part("div", class_="buttons"):
            for step in steps:
                if step != self.step.name:
                    link(t("To {step}", step=self.titles[step]), f"/{step}", key=f"undone-{step}", kind="small")

    @property
    def titles(self) -> dict[str, str]:
        """What the steps are called."""
        return {step.name: step.title for step in self.steps}

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
        """Show a part that is looked up every second, and drawn anew where it changed."""
        box = part("div", **{LIVE: str(len(self._live))})
        self._live.append(Live(box, look, draw))

    def come(self, there: bool) -> None:
        """Draw the page anew, once something is there that was waited for."""
        if there:
            background_tasks.create(self.refresh())

    def _look(self) -> tuple[object, Mapping[Step, Mark], Any]:
        """Return what the page depends on, then what it shows: what changes in between is seen by the next look."""
        state = self._state()
        found = tried(self.step.look, self.desk, self.picks)
        return state, decided(self.desk, self.steps), found

    def _state(self) -> object:
        """What pages depend on: it is compared every second."""
        runs = tuple((run.id, run.state, run.measuring) for run in self.desk.runs.all(None))
        return self.desk.history, self.desk.refused, runs

    def _frame(self, told: Mapping[Step, Mark]) -> None:
        """Draw what stands around the content: the table, undo, and every step with what was decided there."""
        patch(self._top, self._draw_top)
        patch(self._nav, lambda: self._draw_steps(told))
        patch(self._turning, self._draw_turning)

    def _draw_top(self) -> None:
        history = self.desk.history
        part("a", "shoal", "name", href="/data")
        part("span", self.draft.name or t("no table yet"), "file")
        undo = lambda: self.undo(self.desk.undo, t("Undone"))  # noqa: E731
        redo = lambda: self.undo(self.desk.redo, t("Redone"))  # noqa: E731
        button(t("Undo"), undo, key="undo", kind="small", off=not history.can_undo)
        button(t("Redo"), redo, key="redo", kind="small", off=not history.can_redo)
        with part("select", class_="language", aria_label=t("Language"), data_key="language", data_cookie=COOKIE):
            for name, title in LANGUAGES.items():
                part("option", title, value=name, lang=name, selected=name == SPOKEN.get() or None)

    def _draw_steps(self, told: Mapping[Step, Mark]) -> None:
        with part("ol"):
            for place, step in enumerate(self.steps, 1):
                self._place(place, step, told[step])
        here = "page" if self.step not in self.steps else None
        part("a", CHECK, "beside", href="/check", aria_current=here, data_key="to-check")

    def _place(self, place: int, step: Step, mark: Mark) -> None:
        """Draw one step at the side: its number or how it stands, its name, what was decided."""
        here = step is self.step
        sign, stands = ("✓", "done") if mark.valid else ("!", "open") if mark.said else (str(place), "")
        with (
            part("li", class_=stands),
            part("a", href=self._way(step), aria_current="step" if here else None, data_key=f"step-{step.name}"),
        ):
            part("span", sign, "mark", aria_hidden="true")
            with part("span", step.title):
                part("span", mark.said or t("to do"), "said" if mark.said else "said unseen")
                if mark.said and not mark.valid:
                    part("span", t("needs attention"), "unseen")

    def _way(self, step: Step) -> str:
        """Return the address of a step: steps that are about a run go on with the one that was picked."""
        picked = {name: said for name, said in self.picks.items() if name in step.keeps and said}
        return f"/{step.name}" + (f"?{urlencode(picked)}" if picked else "")

    def _draw_turning(self) -> None:
        """Draw the ways back and on."""
        if self.step not in self.steps:
            return
        at = self.steps.index(self.step)
        if at:
            before = self.steps[at - 1]
            link(f"← {before.title}", self._way(before), key="back")
        part("span")
        if at + 1 < len(self.steps):
            after = self.steps[at + 1]
            link(f"{after.title} →", self._way(after), key="next", kind="main")


def _spoken(page: ui.page) -> ui.page:
    """Return the toolkit's page in the language of the reader: screen readers pronounce it as that."""
    made = copy(page)
    made.language = QUASAR[SPOKEN.get()]
    return made


def decided(desk: Desk, steps: Sequence[Step]) -> dict[Step, Mark]:
    """Return what was decided in each step, in a few words, and whether that holds."""
    lacking = {name for name, _ in desk.ready()}
    marks = {}
    for step in steps:
        said = step.said(desk)
        marks[step] = Mark(said, bool(said) and step.name not in lacking and step.valid(desk))
    return marks


def _runs(before: History, after: History, desk: Desk) -> list[Change]:
    """Return which runs an undoing brought back or took away; what was tried for one goes with it."""
    back = [desk.runs[id] for id in before.gone - after.gone]
    found = [Change("run", t("run {number} was restored", number=run.number)) for run in back if run.kind == "run"]
    return found + ([Change("run", t("a run was deleted"))] if after.gone - before.gone else [])


async def in_thread(work: Callable[..., Found], *given: Any, **named: Any) -> Found | None:
    """Do something in a thread, in the language of who asked for it; None where the server ends."""
    return await run.io_bound(copy_context().run, work, *given, **named)


def tried(look: Callable[..., Any], *given: Any) -> Any:
    """Return what a look finds, or the error it ends with: either is shown in place."""
    try:
        return look(*given)
    except Exception as error:
        return error


def show(box: Element, draw: Callable[[Any], None], found: Any) -> Kept:
    """Draw what was found, alone in a box; what went wrong, in looking or in drawing, is said there instead."""
    wrong = found if isinstance(found, Exception) else None
    if wrong is None:
        try:
            return patch(box, lambda: draw(found))
        except Exception as error:
            wrong = error
    said = in_words(wrong)
    return patch(box, lambda: _refused(said))


def _refused(said: str) -> None:
    message(said, "bad")


def kind_and_place(error: BaseException) -> str:
    """Say of an error that nobody expected its kind and where it was; its own words may repeat a cell."""
    places = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at {places[-1].filename}:{places[-1].lineno}" if places else type(error).__name__


class WithoutCells(logging.Filter):
    """Lets the log of the server say kind and place of an error, and nothing of its words."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record about an error."""
        error = record.exc_info[1] if record.exc_info else record.msg
        if isinstance(error, BaseException):
            record.msg, record.args = f"shoal: {kind_and_place(error)}", ()
            record.exc_info = record.exc_text = None
        return True


def in_words(error: Exception) -> str:
    """Return what to tell the person at the page; what nobody expected is told to the terminal, without its content."""
    if isinstance(error, ShoalError):
        return str(error)
    print(f"shoal: {kind_and_place(error)}", file=sys.stderr)
    return t(
        "Something went wrong inside shoal ({kind}). Nothing was lost; the terminal shows where.",
        kind=type(error).__name__,
    )
