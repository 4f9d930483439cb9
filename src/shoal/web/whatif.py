"""What if: what other values of a model's number would cost, for the release that is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.web.desk import Desk, Draft, Run, queries
from shoal.web.desk.queries import Filled, Form
from shoal.web.events import hear
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.language import amount, percent, t
from shoal.web.page import Page
from shoal.web.parts import button, chosen, drawn, field, heading, legend, message, part, slider, text
from shoal.web.pictures import curve

KIND = "frontier"
NUMBER = re.compile(r"\d+(\.\d+)?")
SIZES, WHOLE, SHARES, NUMBERS = "2,3,5,8,12,20,35,50", "2..8", "0.1..0.5..0.1", "1..5"
"""Values that are proposed: of crowds, of other whole numbers, of numbers up to 1, of any other."""


def look_what_if(desk: Desk, run: Run) -> JobState | None:
    """Return the latest trial for what a run asked for."""
    return JobState.latest([one for one in desk.runs.all(KIND) if one.draft == run.draft])


def ask_what_if(page: Page, draft: Draft, found: JobState | None) -> None:
    """Offer to try other values of what was asked for; show what is known of them."""
    varied = [one for one in draft.require if len(queries.filled(one).numbers) == 1]
    if not varied:
        return
    heading(t("What if it were stricter or laxer?"))
    text(
        t("shoal makes a release for each of several values and shows what each costs. This can take a while."), "faint"
    )
    if found is not None and not found.refused and not found.found.get("points"):
        wait_for(page, found.id)
        stop_button(page, found.id, key="stop-what-if")
        return
    if found is not None and found.refused:
        message(found.refused, "bad")
    elif found is not None:
        _shown(page, draft, str(found.found["varied"]), found.found["points"])
    _ask(page, draft, varied)


def _ask(page: Page, draft: Draft, varied: Sequence[str]) -> None:
    """Offer what is varied, and its values."""
    picked = page.picks.get("vary", "")
    now = picked if picked in varied else varied[0]
    form = next(one for one in queries.models() if one.name == queries.filled(now).name)
    with part("div", class_="line"):
        chosen(t("What to vary"), {one: one for one in varied}, now, lambda one: page.pick(vary=one), key="vary")
        with field(t("Values"), "values"):
            start = _proposed(form)
            part("input", type="text", value=start, id="values", data_key=f"values-{now}", autocomplete="off")
        try_them = part("button", t("Try these values"), "button", type="button", data_from="values")
        model = now.rpartition("=")[0]
        hear(try_them, "what-if", "press", lambda said: page.attempt(_start, page.desk, draft, f"{model}={said}"))


def _start(desk: Desk, draft: Draft, vary: str) -> None:
    desk.what_if(draft, vary)


def _proposed(form: Form) -> str:
    """Return values to try of a model's number."""
    number = form.fields[0]
    if form.name == "k":
        return SIZES
    return WHOLE if number.whole else SHARES if number.most == "1" else NUMBERS


def _shown(page: Page, draft: Draft, varied: str, points: Sequence[Mapping[str, Any]]) -> None:
    """Show the curve, a slider over it, and what one would get there."""
    made = [point for point in points if point["cost"] is not None]
    if not made:
        message(t("No release could be made at any of these values of {varied}.", varied=varied), "warn")
        return
    asked = _asked(draft, varied)
    picked = page.picks.get("at", "")
    at = float(picked) if NUMBER.fullmatch(picked) else made[0]["value"] if asked is None else asked
    point = min(made, key=lambda one: abs(one["value"] - at))
    here = f"{point['value']:g}"
    places = [(float(one["value"]), one["cost"], one["lower_bound"]) for one in points]
    title = t("Cost over {varied}, and what is proved; {varied} = {here} is marked", varied=varied, here=here)
    drawn(curve(places, point["value"], title=title, unit=varied))
    legend(before=t("cost of the release"), after=t("proved: no release can cost less"))
    stops = [f"{one['value']:g}" for one in made]
    heard = lambda value: page.pick(at=stops[int(value)])  # noqa: E731
    slider(varied, 0, len(made) - 1, 1, stops.index(here), heard, key="at", stops=stops)
    text(t("With {varied} = {here}: {gets}", varied=varied, here=here, gets=_gets(point)))
    use = lambda: page.change(**_with(draft, varied, here))  # noqa: E731
    button(
        t("Use {varied} = {here} in the next run", varied=varied, here=here),
        use,
        key="use-value",
        off=point["value"] == asked,
    )


def _gets(point: Mapping[str, Any]) -> str:
    """Say what a release at one value costs and gives away."""
    said = t(
        "cost {cost}, average chance of being found {average_risk}",
        cost=amount(point["cost"]),
        average_risk=percent(point["average_risk"]),
    )
    wrong = point["query_error"]
    return (
        f"{said}."
        if wrong is None
        else t("{said}; a count taken from it is typically wrong by {wrong}.", said=said, wrong=percent(wrong))
    )


def _same(said: str, varied: str) -> Filled | None:
    """Return a requirement filled in, if it is of the model and the columns that were varied."""
    filled = queries.filled(said)
    return filled if said.rpartition("=")[0] == varied else None


def _asked(draft: Draft, varied: str) -> float | None:
    """Return the value that was asked for."""
    found = (_same(one, varied) for one in draft.require)
    return next((float(one.numbers[0]) for one in found if one is not None), None)


def _with(draft: Draft, varied: str, value: str) -> dict[str, Any]:
    """Return a draft that asks for another value."""
    require = [f"{varied}={value}" if _same(one, varied) is not None else one for one in draft.require]
    return {**draft.to_dict(), "require": require}
