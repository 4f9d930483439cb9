"""Methods side by side on the table that is decided on: what each costs, proves and takes; nothing is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.web.desk import Desk, Draft
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.language import amount, figure, t, whole
from shoal.web.page import Page
from shoal.web.parts import button, chosen, grid, heading, message, part, text

KIND = "compare"
SECONDS = {"5": t("5 seconds"), "30": t("30 seconds"), "120": t("2 minutes"), "600": t("10 minutes")}
LEAD = t(
    "Every suitable method makes a release of this table, one after the other. Nothing is published. You can then "
    "choose the one with the lowest cost."
)


def look_comparison(desk: Desk) -> JobState | None:
    """Return the latest comparison for what is decided, whichever method is chosen by now."""
    now = _unchosen(desk.draft)
    return JobState.latest([one for one in desk.runs.all(KIND) if _unchosen(one.draft) == now])


def _unchosen(draft: Draft) -> Draft:
    """Return a draft without the method that is chosen."""
    return draft.changed(method=Draft().method)


def ask_comparison(page: Page, found: JobState | None) -> None:
    """Offer to compare the methods; show what came of it."""
    heading(t("Compare the methods"))
    text(LEAD, "faint")
    if found is not None and not found.refused and not found.found:
        wait_for(page, found.id)
        stop_button(page, found.id, key="stop-compare")
        return
    if found is not None and found.refused:
        message(found.refused, "bad")
    elif found is not None:
        _compared(page, found.found)
    picked = page.picks.get("seconds", "30")
    with part("div", class_="line"):
        chosen(t("Time limit for each"), SECONDS, picked, lambda value: page.pick(seconds=value), key="seconds")
        start = lambda: page.attempt(page.desk.compare, None, float(picked))  # noqa: E731
        button(t("Compare them"), start, key="compare", off=bool(page.desk.ready()))


def _compared(page: Page, found: Mapping[str, Any]) -> None:
    """Show a line a method, the cheapest first, and a button that takes it."""
    made = sorted((one for one in found["outcomes"] if one["cost"] is not None), key=lambda one: float(one["cost"]))
    headings = (
        t("method"),
        t("cost ({cost})", cost=found["cost"]),
        t("at most above the optimum"),
        t("crowds"),
        t("left out"),
        t("seconds"),
    )
    rows = [
        [
            one["method"],
            amount(one["cost"]),
            t("unknown") if one["gap"] is None else figure(f"{(one['gap'] - 1) * 100:.3g} %"),
            whole(one["classes"]),
            whole(one["dropped"]),
            "–" if one["seconds"] is None else figure(f"{one['seconds']:,.1f}"),
        ]
        for one in made
    ]
    if made:
        grid(headings, rows, numbers=range(1, 6), about=t("Methods side by side"))
        best = made[0]["method"]
        off = page.draft.method == best
        with part("div", class_="buttons"):
            button(t("Use {best}", best=best), lambda: page.change(method=best), key="use-best", kind="small", off=off)
    without = [one for one in found["outcomes"] if one["cost"] is None]
    if without:
        with part("details"):
            part("summary", t("No release: {n}", n=len(without)), data_key="without-release")
            with part("ul"):
                for one in without:
                    part("li", f"{one['method']}: {one['reason'] or one['status']}")
