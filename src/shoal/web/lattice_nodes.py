"""The lattice of levels for the table that is decided on: a picture, a list, and a click that takes a node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from shoal.core.number_format import amount
from shoal.core.pictures import DrawnNode, drawn_lattice
from shoal.web.desk import Desk, Draft
from shoal.web.events import listen
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.language import t
from shoal.web.page import Page
from shoal.web.parts import button, drawn, grid, heading, message, part, text

KIND = "lattice"
RECODING = "full-domain"
"""The recoding that publishes a column at one level."""
FEW = 8
"""Nodes that give a release, for which there is a line and a button."""
LEAD = t(
    "Every choice of one level for each column: what it costs, and how many rows would be suppressed. Nothing is "
    "published. Click a node to use its levels for the next run."
)


def look_lattice(desk: Desk) -> JobState | None:
    """Return the latest view of the lattice for what is decided, whichever levels are chosen by now."""
    now = _unchosen(desk.draft)
    return JobState.latest([one for one in desk.runs.all(KIND) if _unchosen(one.draft) == now])


def _unchosen(draft: Draft) -> Draft:
    """Return a draft without what taking a node decides."""
    return draft.changed(method=Draft().method, levels={})


def ask_lattice(page: Page, found: JobState | None) -> None:
    """Offer to look at the lattice; show what was found of it."""
    heading(t("The lattice of levels"))
    text(LEAD, "faint")
    if found is not None and not found.refused and not found.found:
        wait_for(page, found.id)
        stop_button(page, found.id, key="stop-lattice")
        return
    if found is not None and found.refused:
        message(found.refused, "bad")
    elif found is not None:
        _shown(page, found.found)
    start = lambda: page.attempt(page.desk.lattice)  # noqa: E731
    button(t("Show the lattice"), start, key="look-lattice", off=bool(page.desk.ready()))


def _shown(page: Page, found: Mapping[str, Any]) -> None:
    """Show the picture, and the cheapest nodes that give a release with a button each."""
    columns = list(found["levels"])
    nodes = [DrawnNode(**{**one, "levels": tuple(one["levels"])}) for one in found["drawn"]]
    counted = {name: found[name] for name in ("size", "evaluated", "released")}
    text(t("{size} nodes, {evaluated} evaluated, {released} give a release.", **counted))
    if found["size"] > len(nodes):
        text(t("The {shown} cheapest of those evaluated are shown.", shown=len(nodes)), "faint")
    drawn(drawn_lattice(nodes, columns, str(found["cost"]), "node-"), "scroll")
    for node in nodes:
        listen(f"node-{node.name}", partial(_take, page, columns, node.levels))
    made = [node for node in nodes if node.released][:FEW]
    if not made:
        message(t("No node gives a release: require less, or allow more rows to be all stars."), "warn")
        return
    rows = [[*map(str, node.levels), amount(node.cost), f"{node.suppressed:,}"] for node in made]
    headings = [*columns, t("cost ({cost})", cost=found["cost"]), t("suppressed")]
    grid(headings, rows, numbers=range(len(headings)), about=t("The cheapest nodes that give a release"))
    with part("div", class_="buttons"):
        for node in made:
            use = partial(_take, page, columns, node.levels)
            button(
                t("Use {node}", node=node.name),
                use,
                key=f"use-{node.name}",
                kind="small",
                off=_taken(page.draft, columns, node),
            )


def _take(page: Page, columns: list[str], levels: tuple[int, ...], _: object = None) -> Any:
    """Decide for the levels of a node; a method that cannot take them is left to shoal."""
    return page.change(levels=dict(zip(columns, levels, strict=True)), recoding=RECODING, method=Draft().method)


def _taken(draft: Draft, columns: list[str], node: DrawnNode) -> bool:
    now = {name: str(level) for name, level in draft.levels.items()}
    return now == dict(zip(columns, map(str, node.levels), strict=True))
