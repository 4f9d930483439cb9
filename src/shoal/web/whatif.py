"""What if: what crowds of another size would cost, for the release that is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.core.number_format import amount, percent
from shoal.web.desk import Desk, Draft, Run
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.page import Page
from shoal.web.parts import button, drawn, heading, legend, message, slider, text
from shoal.web.pictures import curve

SIZES = (2, 3, 5, 8, 12, 20, 35, 50)
KIND = "frontier"


def look_what_if(desk: Desk, run: Run) -> JobState | None:
    """Return the latest trial for what a run asked for."""
    return JobState.latest([one for one in desk.runs.all(KIND) if one.draft == run.draft])


def ask_what_if(page: Page, draft: Draft, found: JobState | None) -> None:
    """Offer to try other sizes; show what is known of them."""
    heading("What if crowds were larger or smaller?")
    text("shoal makes a release for each of several sizes and shows what each costs. This can take a while.", "faint")
    if found is None or found.refused:
        if found is not None:
            message(found.refused, "bad")
        start = lambda: page.attempt(page.desk.what_if, draft, f"k={','.join(map(str, SIZES))}")  # noqa: E731
        button("Try other sizes", start, key="what-if")
    elif not found.found.get("points"):
        text("Trying …", "faint")
        wait_for(page, found.id)
        stop_button(page, found.id, key="stop-what-if")
    else:
        _shown(page, draft, found.found["points"])


def _shown(page: Page, draft: Draft, points: Sequence[Mapping[str, Any]]) -> None:
    """Show the curve, a slider over it, and what one would get there."""
    made = [point for point in points if point["cost"] is not None]
    if not made:
        message("No release could be made at any of these sizes.", "warn")
        return
    picked = page.picks.get("k", "")
    at = int(picked) if picked.isdecimal() else _asked(draft) or made[0]["value"]
    point = min(made, key=lambda one: abs(one["value"] - at))
    here = int(point["value"])
    places = [(float(one["value"]), one["cost"], one["lower_bound"]) for one in points]
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
    said = f"cost {amount(point['cost'])}, average chance to be found {percent(point['average_risk'])}"
    wrong = point["query_error"]
    return f"{said}." if wrong is None else f"{said}; a count taken from it is typically wrong by {percent(wrong)}."


def _asked(draft: Draft) -> int | None:
    """Return the size that was asked for."""
    sizes = [one.removeprefix("k=") for one in draft.require if one.startswith("k=")]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else None


def _with(draft: Draft, k: int) -> dict[str, Any]:
    return {**draft.to_dict(), "require": [f"k={k}", *(one for one in draft.require if not one.startswith("k="))]}
