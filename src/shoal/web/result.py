"""The step Result: what came out, before and after side by side, who could still be found, what an analyst keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.core.markup import Content
from shoal.report.charts import between
from shoal.web.attack_list import list_attacks
from shoal.web.codip import ask_codip, look_codip
from shoal.web.comparison import compared
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.releases import column_losses
from shoal.web.desk.run_choice import RunChoice, choose_run
from shoal.web.desk.runs import compare
from shoal.web.desk.verdict import verdict
from shoal.web.earlier import show_overlaps
from shoal.web.job_state import JobState
from shoal.web.language import amount, known, level, percent, t, upper_first, whole
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, drawn, grid, heading, lacking, legend, number, part, text
from shoal.web.pictures import share_bar
from shoal.web.release import download
from shoal.web.side_by_side import GridView, look_grid, show_grid
from shoal.web.verdict import show_verdict
from shoal.web.whatif import ask_what_if, look_what_if
from shoal.web.which_run import RUN, other_tables, which_run

NOBODY = ({"said": t("nobody in it is in a recorded release"), "safe": True},)
RISKS = {
    t("unique rows"): ("uniques", "share"),
    t("rows found if everybody is looked for"): ("marketer",),
    t("highest chance of finding a person"): ("prosecutor", "highest"),
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
    grid: GridView | None = None
    rows: tuple[Mapping[str, Any], ...] = ()
    what_if: JobState | None = None
    codip: JobState | None = None
    measuring: bool = False
    losses: tuple[tuple[str, float], ...] = ()
    """What each column lost, most first."""


def look(desk: Desk, picks: Picks) -> ResultView:
    """Look at a release."""
    choice = choose_run(desk, picks.get(RUN))
    run = choice.run
    if run is None:
        return ResultView(choice)
    own = {id for id, _ in choice.runs} | {run.id}
    rows = tuple(compare([one for one in desk.runs.all() if one.id in own]))
    trials = look_what_if(desk, run), look_codip(desk, run)
    known = (run.summary or {}, run.measured, look_grid(run, picks), rows, *trials, run.measuring, column_losses(run))
    return ResultView(choice, run.id, run.draft, *known)


def draw(page: Page, found: ResultView) -> None:
    """Show the verdict first, then what it cost, who could be found, what an analyst keeps, what attacks get."""
    if not found.id:
        lacking(t("There is no release of this table yet."), t("Make one"), "/run", key="make")
        other_tables(page, found.choice)
        return
    which_run(page, found.choice)
    judged = verdict(found.draft, found.stated, found.measured, more=found.measuring)
    show_verdict(page, judged)
    if judged.kind == "good" and found.choice.fresh and found.choice.run is not None:
        with part("div", class_="buttons"):
            download(found.choice.run, "public.zip", key="public", kind="main")
    _measuring(page, found)
    _figures(found)
    _price(found)
    _asked(found.stated)
    _found(found.measured or {})
    if found.draft.registry:
        heading(t("Together with earlier releases"))
        show_overlaps(found.stated.get("overlaps") or NOBODY)
    _utility((found.measured or {}).get("utility"))
    if (found.measured or {}).get("after"):
        list_attacks((found.measured or {})["hits"])
    for note in (found.measured or {}).get("notes", ()):
        text(f"{upper_first(note)}.", "faint")
    if found.grid is not None:
        show_grid(page, found.grid)
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
    crowds = t("{n} crowd|{n} crowds", n=found.run.summary["classes"])
    return crowds if found.fresh else t("out of date")


def _figures(found: ResultView) -> None:
    """Show the release in four numbers."""
    stated, after = found.stated, (found.measured or {}).get("after")
    with part("div", class_="cards figures"):
        number(whole(stated["rows"]), _published(stated))
        if after is not None:
            number(whole(after["uniques"]["smallest"]), t("rows in the smallest crowd"))
            number(percent(after["prosecutor"]["highest"]), t("highest chance of picking a person's row"))
        wrong = ((found.measured or {}).get("utility") or {}).get("queries")
        if wrong is not None:
            number(percent(wrong["median"]), t("typical error of a count taken from the release"))


def _published(stated: Mapping[str, Any]) -> str:
    """Say of the rows that are published how many were left out, and how many are all stars."""
    dropped, starred = stated["dropped"], stated.get("starred")
    rows = t("rows published; {n} left out", n=dropped) if dropped else t("rows published; none left out")
    return t("{rows}; {n} is all stars|{rows}; {n} are all stars", rows=rows, n=starred) if starred else rows


def _price(found: ResultView) -> None:
    """Say what each column lost, what that cost, and how much of it had to be."""
    stated = found.stated
    heading(t("What it cost"))
    if found.losses:
        text(
            t("What each column lost of its detail: 0 % is as in the original, 100 % carries no information."), "faint"
        )
        rows = [[name, share_bar(loss, "before"), percent(loss)] for name, loss in found.losses]
        grid((t("column"), t("lost"), ""), rows, numbers=(2,), about=t("What each column lost"))
    cost, bound, gap = stated["cost"]["value"], stated["lower_bound"], stated["gap"]
    meaning = {one.name: known(one.title) for one in queries.costs()}.get(stated["cost"]["name"], "")
    paid = t("It cost {cost} ({name}: {meaning}).", cost=amount(cost), name=stated["cost"]["name"], meaning=meaning)
    if stated["status"] == "optimal" or gap == 1:
        text(t("{paid} It is proved that no release costs less.", paid=paid))
    elif bound is None or gap is None:
        text(t("{paid} How much less another release could cost is not known.", paid=paid))
    else:
        text(t("{paid} It is proved that no release costs less than {bound}.", paid=paid, bound=amount(bound)))
    if bound and cost and gap != 1:
        share = percent(bound / cost)
        drawn(between(bound, cost, str(t("{share} of the cost is proved necessary", share=share))))
        legend(after=t("proved necessary"), open=t("what a better release might save"))
    text(t("Found by the method {method}.", method=stated["method"]), "faint")


def _asked(stated: Mapping[str, Any]) -> None:
    heading(t("Required and reached"))
    titles = {one.name: known(one.title) for one in queries.models()}
    rows = [
        [titles.get(one["name"], one["name"]), one["attribute"] or "–", level(one["asked"]), level(one["reached"])]
        for one in stated["models"]
    ]
    grid(
        (t("model"), t("column"), t("asked"), t("reached")),
        rows,
        numbers=(2, 3),
        about=t("Required and reached"),
    )
    text(t("Measured by the audit from the published cells alone; reached is the level of the worst crowd."), "faint")


def _measuring(page: Page, found: ResultView) -> None:
    """Say what is being measured, with a way to end it; where nobody measures, offer to."""
    id, known = found.id, found.measured or {}
    if not found.measuring:
        if not known or known.get("said"):
            button(t("Measure it"), lambda: page.attempt(page.desk.runs[id].measure), key="measure", kind="small")
        return
    pending = len(known.get("pending", ()))
    page.live(lambda: _progress(page.desk, id), lambda now: _measures(page, now, pending, bool(known)))
    stop = lambda: page.attempt(page.desk.runs[id].stop_measuring)  # noqa: E731
    button(t("Stop measuring, and keep what is known"), stop, key="stop-measuring", kind="small")


def _progress(desk: Desk, id: str) -> tuple[str, float, int, bool, bool]:
    """Return what is being done and how much is done, how many parts are to come, and whether any is known."""
    run = desk.runs[id]
    points, known = run.progress(), run.measured
    doing, share = (points[-1].doing, points[-1].share) if points else ("measuring", 0.0)
    return doing, share if known else 0.0, len((known or {}).get("pending", ())), known is not None, run.measuring


def _measures(page: Page, now: tuple[str, float, int, bool, bool], pending: int, begun: bool) -> None:
    doing, share, to_come, there, going = now
    part("progress", max="1", value=f"{share:.3f}", aria_label=t("Progress of the measurements"))
    part(
        "p",
        t("{doing} … ({to_come} to come)", doing=upper_first(known(doing)), to_come=to_come),
        "faint",
        role="status",
    )
    page.come((to_come, there) != (pending, begun) or not going)


def _found(measured: Mapping[str, Any]) -> None:
    """Show who could still be found, before and after."""
    if measured.get("after"):
        heading(t("Who could still be found"))
        _risk(measured)


def _risk(measured: Mapping[str, Any]) -> None:
    before, after = measured["before"], measured["after"]
    rows = []
    for words, path in RISKS.items():
        was = None if before is None else _at(before, path)
        shown: list[Content] = ["", "–"] if was is None else [share_bar(was, "before"), percent(was)]
        rows.append([words, *shown, share_bar(_at(after, path)), percent(_at(after, path))])
    grid(("", t("before"), "", t("after"), ""), rows, numbers=(2, 4), about=t("Risk before and after"))


def _at(risk: Mapping[str, Any], path: tuple[str, ...]) -> float:
    found: Any = risk
    for name in path:
        found = found[name]
    return float(found)


def _utility(utility: Mapping[str, Any] | None) -> None:
    """Show what an analyst keeps: how far distributions moved, and how wrong counts are."""
    if not utility:
        return
    heading(t("What an analyst keeps"))
    if utility["queries"] is not None:
        wrong = utility["queries"]
        text(
            t(
                "A count of rows taken from the release is typically wrong by {median}; one in ten is wrong by "
                "{worst_tenth} or more.",
                median=percent(wrong["median"]),
                worst_tenth=percent(wrong["worst_tenth"]),
            )
        )
    if utility["marginals"]:
        text(
            t("How far the distribution of each column moved: 0 % not at all, 100 % to entirely different values."),
            "faint",
        )
        moved = sorted(utility["marginals"], key=lambda one: -one["distance"])
        rows = [[one["column"], share_bar(one["distance"], "before"), percent(one["distance"])] for one in moved]
        grid((t("column"), t("moved"), ""), rows, numbers=(2,), about=t("How far each column moved"))


STEP = Step(
    "result",
    t("Result"),
    t("What came out"),
    t("What the release shows, what it cost, and what somebody could still learn from it."),
    look,
    draw,
    said,
    keeps=(RUN,),
    valid=lambda desk: choose_run(desk).fresh,
)
