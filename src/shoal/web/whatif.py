"""What if: what crowds of another size would cost, for the release that is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.core.number_format import percent
from shoal.web.desk import Desk, Draft, Run
from shoal.web.desk.jobs import STOP
from shoal.web.page import Page
from shoal.web.parts import button, drawn, heading, legend, message, part, slider, text
from shoal.web.pictures import curve

SIZES = (2, 3, 5, 8, 12, 20, 35, 50)
KIND = "frontier"


@dataclass(frozen=True)
class WhatIf:
    """What is known of other sizes: the run that tries them, and a point a size."""

    id: str
    state: str
    refused: str
    points: tuple[Mapping[str, Any], ...]


def look_what_if(desk: Desk, run: Run) -> WhatIf | None:
    """Return the latest trial for what a run asked for."""
    trials = [one for one in desk.runs.all(KIND) if one.draft == run.draft]
    if not trials:
        return None
    last = trials[-1]
    points = tuple((last.summary or {}).get("points", ()))
    return WhatIf(last.id, last.state, "" if last.failure is None else last.failure.said, points)


def ask_what_if(page: Page, id: str, draft: Draft, found: WhatIf | None) -> None:
    """Offer to try other sizes; show what is known of them."""
    heading("What if crowds were larger or smaller?")
    text("shoal makes a release for each of several sizes and shows what each costs. This can take a while.", "faint")
    if found is None or found.refused:
        if found is not None:
            message(found.refused, "bad")
        start = lambda: page.attempt(page.desk.what_if, draft, f"k={','.join(map(str, SIZES))}")  # noqa: E731
        button("Try other sizes", start, key="what-if")
    elif not found.points:
        text("Trying …", "faint")
        page.live(lambda: _state(page.desk, found.id), lambda state: _trying(page, state))
        button("Stop", lambda: page.attempt(_stop, page.desk, found.id), key="stop-what-if", kind="small")
    else:
        _shown(page, draft, found)


def _stop(desk: Desk, id: str) -> None:
    desk.runs[id].stop()


def _state(desk: Desk, id: str) -> tuple[str, str]:
    run = desk.runs[id]
    if (run.job.folder / STOP).exists():
        return run.state, "stopping: what is known is being kept"
    points = run.progress()
    return run.state, f"{points[-1].share:.0%}: {points[-1].doing}" if points else "starting"


def _trying(page: Page, state: tuple[str, str]) -> None:
    """Say how far the trials are; once they are done, draw the page anew."""
    going = state[0] in ("waiting", "running")
    if going:
        part("p", state[1], "faint", role="status")
    page.come(not going)


def _shown(page: Page, draft: Draft, found: WhatIf) -> None:
    """Show the curve, a slider over it, and what one would get there."""
    made = [point for point in found.points if point["cost"] is not None]
    if not made:
        message("No release could be made at any of these sizes.", "warn")
        return
    picked = page.picks.get("k", "")
    at = int(picked) if picked.isdecimal() else _asked(draft) or made[0]["value"]
    point = min(made, key=lambda one: abs(one["value"] - at))
    here = int(point["value"])
    places = [(float(one["value"]), one["cost"], one["lower_bound"]) for one in found.points]
    drawn(curve(places, here, title=f"Cost over the size of crowds, and what is proved; k = {here} is marked"))
    legend(before="cost of the release", after="proved: no release can cost less")
    places_of = [int(one["value"]) for one in made]
    heard = lambda value: page.pick(k=str(places_of[int(value)]))  # noqa: E731
    last = len(made) - 1
    slider("Crowds of at least", 0, last, 1, places_of.index(here), heard, key="k", pattern="% rows", stops=places_of)
    text(f"With crowds of at least {here}: {_gets(point)}")
    use = lambda: page.change(**_with(draft, here))  # noqa: E731
    button(f"Use k = {here} in the next run", use, key="use-k", off=here == _asked(draft))


def _gets(point: Mapping[str, Any]) -> str:
    """Say what a release at one size costs and gives away."""
    said = f"cost {point['cost']:,.6g}, average chance to be found {percent(point['average_risk'])}"
    wrong = point["query_error"]
    return f"{said}." if wrong is None else f"{said}; a count taken from it is typically wrong by {percent(wrong)}."


def _asked(draft: Draft) -> int | None:
    """Return the size that was asked for."""
    sizes = [one.removeprefix("k=") for one in draft.require if one.startswith("k=")]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else None


def _with(draft: Draft, k: int) -> dict[str, Any]:
    return {**draft.to_dict(), "require": [f"k={k}", *(one for one in draft.require if not one.startswith("k="))]}
