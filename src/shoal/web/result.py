"""The step Result: what came out, before and after side by side, who could still be found, what an analyst keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.core.markup import Content
from shoal.core.number_format import number as level
from shoal.core.number_format import percent
from shoal.report.charts import bar, between
from shoal.web.codip import ask_codip, look_codip
from shoal.web.comparison import compared
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.queries import Grid
from shoal.web.desk.releases import beside, published
from shoal.web.desk.run_choice import RunChoice, choose_run
from shoal.web.desk.runs import compare
from shoal.web.earlier import show_overlaps
from shoal.web.job_state import JobState
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, drawn, grid, heading, lacking, legend, message, number, part, text
from shoal.web.whatif import ask_what_if, look_what_if
from shoal.web.which_run import RUN, other_tables, which_run

ORIGINAL = "original"
NOBODY = ({"said": "nobody in it is in a release that the register knows", "safe": True},)
RISKS = {
    "rows that are unique": ("uniques", "share"),
    "rows found if every person is looked for": ("marketer",),
    "highest chance to find a person": ("prosecutor", "highest"),
}
"""Shares that are shown before and after, and where each stands in the measures."""


@dataclass(frozen=True)
class ResultView:
    """The run that is looked at, and what is known of it."""

    choice: RunChoice
    id: str = ""
    draft: Draft = field(default_factory=Draft)
    stated: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] | None = None
    after: Grid | None = None
    before: Grid | None = None
    """Rows of the original; only where they were asked for."""
    rows: tuple[Mapping[str, Any], ...] = ()
    what_if: JobState | None = None
    codip: JobState | None = None
    measuring: bool = False


def look(desk: Desk, picks: Picks) -> ResultView:
    """Look at a release."""
    choice = choose_run(desk, picks.get(RUN))
    run = choice.run
    if run is None:
        return ResultView(choice)
    shown = beside(run) if picks.get(ORIGINAL) else None
    after, before = (published(run), None) if shown is None else (shown.after, shown.before)
    own = {id for id, _ in choice.runs} | {run.id}
    rows = tuple(compare([one for one in desk.runs.all() if one.id in own]))
    trials = look_what_if(desk, run), look_codip(desk, run)
    known = (run.summary or {}, run.measured, after, before, rows, *trials, run.measuring)
    return ResultView(choice, run.id, run.draft, *known)


def draw(page: Page, found: ResultView) -> None:
    """Show the figures first, then the tables, then who could be found."""
    if not found.id:
        lacking("There is no release of this table yet.", "Make one", "/run", key="make")
        other_tables(page, found.choice)
        return
    which_run(page, found.choice)
    for exposed in found.stated.get("exposed", ()):
        message(exposed, "warn")
    _figures(found)
    _price(found.stated)
    _asked(found.stated)
    if found.draft.registry:
        heading("Together with earlier releases")
        show_overlaps(found.stated.get("overlaps") or NOBODY)
    _side_by_side(page, found)
    _measured(page, found)
    if not found.draft.follows:
        ask_what_if(page, found.draft, found.what_if)
    ask_codip(page, found.draft, found.codip)
    compared(found.rows)
    other_tables(page, found.choice)


def said(desk: Desk) -> str:
    """Return the latest release of what is decided now in a few words, or that there is none of that."""
    found = choose_run(desk)
    if found.run is None or found.run.summary is None:
        return ""
    return f"{found.run.summary['classes']:,} crowds" if found.fresh else "not of what is decided"


def _figures(found: ResultView) -> None:
    """Show the release in four numbers."""
    stated, after = found.stated, (found.measured or {}).get("after")
    with part("div", class_="cards figures"):
        dropped = f"; {stated['dropped']:,} left out" if stated["dropped"] else "; none left out"
        stars = f"; {stated['starred']:,} are all stars" if stated.get("starred") else ""
        number(f"{stated['rows']:,}", f"rows published{dropped}{stars}")
        if after is not None:
            number(f"{after['uniques']['smallest']:,}", "rows in the smallest crowd that looks alike")
            number(percent(after["prosecutor"]["highest"]), "highest chance to pick the right row for a person")
        queries = ((found.measured or {}).get("utility") or {}).get("queries")
        if queries is not None:
            number(percent(queries["median"]), "typical error of a count taken from the release")


def _price(stated: Mapping[str, Any]) -> None:
    """Say what it cost, and how much of that had to be."""
    heading("What it cost")
    cost, bound, gap = stated["cost"]["value"], stated["lower_bound"], stated["gap"]
    meaning = {one.name: one.title for one in queries.costs()}.get(stated["cost"]["name"], "")
    paid = f"It cost {cost:,.6g} ({stated['cost']['name']}: {meaning})."
    if stated["status"] == "optimal" or gap == 1:
        text(f"{paid} It is proved that no release costs less.")
    elif bound is None or gap is None:
        text(f"{paid} How much less another release could cost is not known.")
    else:
        text(f"{paid} It is proved that no release costs less than {bound:,.6g}.")
    if bound and cost and gap != 1:
        drawn(between(bound, cost))
        legend(after="proved to be needed", open="what a better release might save")
    text(f"Found by the method {stated['method']}.", "faint")


def _asked(stated: Mapping[str, Any]) -> None:
    heading("What was asked, and what was reached")
    titles = {one.name: one.title for one in queries.models()}
    rows = [
        [titles.get(one["name"], one["name"]), one["attribute"] or "–", level(one["asked"]), level(one["reached"])]
        for one in stated["models"]
    ]
    grid(("model", "column", "asked", "reached"), rows, numbers=(2, 3), about="What was asked, and what was reached")
    text("Measured by the audit from the published cells alone; reached is the level of the worst crowd.", "faint")


def _side_by_side(page: Page, found: ResultView) -> None:
    """Show rows of the release, and beside them the original, where asked for."""
    heading("Before and after")
    with part("div", class_="two"):
        with part("div"):
            heading("Before: the original", 3)
            if found.before is None:
                text("Rows of the original are shown only if you ask for them.", "faint")
                button("Show the first rows", lambda: page.pick(original="yes"), key=ORIGINAL)
            else:
                _rows(found.before, "The first rows of the original")
                button("Hide them", lambda: page.pick(original=""), key=ORIGINAL)
        with part("div"):
            heading("After: what is published", 3)
            if found.after is not None:
                _rows(found.after, "The first rows of the release")


def _rows(shown: Grid, about: str) -> None:
    rows = [["(missing)" if cell is None else cell for cell in row] for row in shown.rows]
    grid(shown.columns, rows, about=about).classes("cells")


def _measured(page: Page, found: ResultView) -> None:
    """Show risk, attacks and use, as soon as they are measured."""
    measured = found.measured
    heading("Who could still be found")
    if measured is None:
        _measuring(page, found)
        return
    if measured.get("said"):
        message(measured["said"], "warn")
        return
    _risk(measured)
    _attacks(measured["hits"])
    if measured.get("utility"):
        _use(measured["utility"])
    for note in measured.get("notes", ()):
        text(note, "faint")


def _measuring(page: Page, found: ResultView) -> None:
    """Wait for the measures; where their worker was killed, offer to measure again."""
    if found.measuring:
        text("Risk, attacks and utility are being measured …", "faint")
        page.live(lambda: not page.desk.runs[found.id].measuring, page.come)
    else:
        text("Risk, attacks and utility were not measured.", "faint")
        button("Measure them", lambda: page.attempt(page.desk.runs[found.id].measure), key="measure", kind="small")


def _risk(measured: Mapping[str, Any]) -> None:
    before, after = measured["before"], measured["after"]
    rows = []
    for words, path in RISKS.items():
        was = None if before is None else _at(before, path)
        shown: list[Content] = ["", "–"] if was is None else [bar(was, "before"), percent(was)]
        rows.append([words, *shown, bar(_at(after, path)), percent(_at(after, path))])
    grid(("", "before", "", "after", ""), rows, numbers=(2, 4), about="Risk before and after")


def _at(risk: Mapping[str, Any], path: tuple[str, ...]) -> float:
    found: Any = risk
    for name in path:
        found = found[name]
    return float(found)


def _attacks(hits: list[Mapping[str, Any]]) -> None:
    heading("What attacks get")
    if not hits:
        text("No attack could be tried on this release.")
        return
    rows = [
        [
            one["attack"],
            one["meaning"],
            one["knows"],
            one["attribute"] or "whose row it is",
            _many(one["before"]),
            _many(one["after"]),
        ]
        for one in hits
    ]
    headings = ("attack", "how", "knows", "learns", "rows hit before", "after")
    grid(headings, rows, numbers=(4, 5), about="Attacks: rows hit before and after").classes("roomy")


def _many(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def _use(utility: Mapping[str, Any]) -> None:
    """Show what each column lost."""
    if utility["columns"]:
        heading("What an analyst keeps")
        text("0 % lost is as in the original, 100 % carries no information.", "faint")
        rows = [[one["column"], bar(one["loss"], "before"), percent(one["loss"])] for one in utility["columns"]]
        grid(("column", "lost", ""), rows, numbers=(2,), about="What each column lost")


STEP = Step(
    "result",
    "Result",
    "What came out",
    "What the release shows, what it cost, and what somebody could still learn from it.",
    look,
    draw,
    said,
    keeps=(RUN,),
    valid=lambda desk: choose_run(desk).fresh,
)
