"""The step Run: what will be done, how far it is, the cost and the proved bound moving towards each other."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.web.desk import Desk, Run
from shoal.web.desk.jobs import Failure, Point, State
from shoal.web.desk.made_from import Origin, origin
from shoal.web.desk.run_choice import choose_run
from shoal.web.earlier import asked_earlier
from shoal.web.language import amount, known, listed, t
from shoal.web.more_settings import run_settings
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import (
    button,
    chosen,
    drawn,
    grid,
    heading,
    lacking,
    legend,
    link,
    message,
    part,
    sentence,
    text,
    written,
)
from shoal.web.pictures import approach
from shoal.web.privacy import explained
from shoal.web.traffic import CONFIG
from shoal.web.which_run import changed

STATES: dict[State, str] = {
    "waiting": t("starting"),
    "running": t("running"),
    "done": t("done"),
    "stopped": t("stopped: the best so far was kept"),
    "failed": t("no release"),
    "lost": t("lost"),
}
GOING = ("waiting", "running")
STOPPED = t("It was stopped early, and the best so far was kept.")
SEARCHES = {
    "quick": t("quick: seconds"),
    "normal": t("normal: about ten seconds for 30,000 rows"),
    "best": t("best: about ten times as long"),
}
"""What each effort of `auto` means."""


@dataclass(frozen=True)
class RunView:
    """A run as the page shows it."""

    id: str
    number: int
    state: State
    require: str
    method: str
    cost: str
    points: tuple[Point, ...]
    seconds: int
    failure: Failure | None
    stopping: bool
    origin: Origin

    @classmethod
    def of(cls, run: Run, origin: Origin, *, points: bool = True) -> RunView:
        """Look a run up."""
        draft, summary = run.draft, run.summary or {}
        paid = summary.get("cost")
        cost = f"{amount(paid['value'])} {paid['name']}" if paid else "–"
        said = (" ".join(draft.require), str(summary.get("method", draft.method)), cost)
        told = tuple(run.progress()) if points else ()
        seconds = int(run.job.seconds) if points and run.state in GOING else 0
        stopping = (run.job.folder / "stop").exists()
        return cls(run.id, run.number, run.state, *said, told, seconds, run.failure, stopping, origin)


@dataclass(frozen=True)
class RunsView:
    """The runs of this table, and those of other tables, the latest last."""

    own: tuple[RunView, ...]
    others: tuple[RunView, ...] = ()


def look(desk: Desk, picks: Picks) -> RunsView:
    """Look at all runs."""
    found = [RunView.of(run, origin(run, desk.draft), points=False) for run in desk.runs.all()]
    own, others = (tuple(one for one in found if one.origin.same_table is same) for same in (True, False))
    return RunsView(own, others)


def draw(page: Page, found: RunsView) -> None:
    """Show what is asked, then the run that goes on or was the last, then the others."""
    runs = found.own
    open_ends = page.desk.ready()
    for step, said in open_ends:
        lacking(sentence(said), t("Go there"), f"/{step}", key=f"lacking-{step}", alone=False)
    going = bool(runs) and runs[-1].state in GOING
    if not open_ends:
        _asked(page)
    if not going:
        _start(page, off=bool(open_ends))
    if runs:
        heading(t("Run {number}", number=runs[-1].number))
        _stands(page, runs[-1])
        page.live(lambda: _latest(page.desk), _moves)
    if len(runs) > 1 or (runs and not going):
        heading(t("All runs"))
        _listed(page, runs)
    if found.others:
        with part("details"):
            part("summary", t("Runs of other tables ({n})", n=len(found.others)), data_key="other-tables")
            _listed(page, found.others)


def said(desk: Desk) -> str:
    """Return how many runs of this table there are."""
    runs = _own(desk)
    if runs and runs[-1].state in GOING:
        return t("running")
    return t("{n} run|{n} runs", n=len(runs)) if runs else ""


def _own(desk: Desk) -> list[Run]:
    """Return the runs of this table."""
    return [run for run in desk.runs.all() if origin(run, desk.draft).same_table]


def _asked(page: Page) -> None:
    """Say in words what will be run."""
    draft = page.draft
    rows = [
        [t("Table"), draft.name],
        [t("Others may know"), ", ".join(draft.named("quasi"))],
        [t("Must stay secret"), ", ".join(draft.named("sensitive")) or "–"],
        [t("Published as it is, unprotected"), ", ".join(draft.named("other")) or "–"],
        [t("Left out"), ", ".join([*draft.named("identifier"), *draft.named("leave_out")]) or "–"],
        [t("Every crowd must meet"), listed(explained(" ".join(draft.require)), "; ")],
        [t("Summary"), " ".join(draft.require)],
        [t("Method"), draft.method],
        *asked_earlier(page.desk, draft),
    ]
    grid((t("part"), t("what was decided")), rows, about=t("What will be run"))


def _start(page: Page, *, off: bool) -> None:
    """Offer how long to search, a limit of time, and the button."""
    limit = page.draft.time_limit

    async def tried(value: str) -> None:
        await page.change(effort=value)

    async def limited(value: str) -> None:
        await page.change(time_limit=value.strip() or None)

    if page.draft.method == "auto":
        about = t("More effort never gives a more expensive release.")
        chosen(t("How long to search"), SEARCHES, page.draft.effort, tried, key="effort", help=about)
    written(
        t("Time limit in seconds"),
        "" if limit is None else f"{limit:g}",
        limited,
        key="limit",
        help=t("Empty: no limit. When time is up, the best release so far is kept."),
        inputmode="numeric",
    )
    run_settings(page)
    with part("div", class_="buttons"):
        button(t("Start"), lambda: page.attempt(page.desk.start), key="start", kind="main", off=off)
        if page.draft.require:
            link(t("Save these decisions as shoal.toml"), CONFIG, key="save-toml", download="shoal.toml")


def _latest(desk: Desk) -> RunView | None:
    runs = _own(desk)
    return RunView.of(runs[-1], origin(runs[-1], desk.draft)) if runs else None


def _stands(page: Page, run: RunView) -> None:
    """Show where a run stands: why it failed, what came of it, or how to stop it."""
    if run.failure is not None:
        failed(page, run)
    elif run.state not in GOING:
        _ended(page, run)
    else:
        _going(page, run)


def _moves(run: RunView | None) -> None:
    """Show how far a run is, and the cost and the bound moving towards each other."""
    if run is None:
        return
    if run.state in GOING:
        at = run.points[-1] if run.points else Point(0, 0, "starting")
        part("progress", max="1", value=f"{at.share:.4f}", aria_label=t("Progress of the run"))
        text(f"{known(at.doing)} – {run.seconds} s", "faint")
    picture = approach(run.points)
    if picture:
        drawn(picture)
        legend(before=t("cost of the best release so far"), after=t("proved: no release can cost less"))


def _going(page: Page, run: RunView) -> None:
    with part("div", class_="buttons"):
        if run.stopping:
            text(t("Stopping: the best so far is being kept …"), "faint")
        else:
            stop = lambda: page.attempt(_stop, page.desk, run.id)  # noqa: E731
            button(t("Stop, and keep the best so far"), stop, key="stop")
    text(t("You can close this page: the run continues, and is here when you come back."), "faint")


def _ended(page: Page, run: RunView) -> None:
    said = t("The release is ready, and the audit has confirmed every requirement.")
    if run.origin.changes:
        message(
            t(
                "It was made before your latest changes. Changed since: {changes}.",
                changes=changed(run.origin.changes, page.titles),
            ),
            "warn",
        )
    with message(f"{said}{_stopped(run)}"), part("div", class_="buttons"):
        link(t("See what came out"), f"/result?run={run.id}", key="see", kind="main small")


def _stopped(run: RunView) -> str:
    return f" {STOPPED}" if run.state == "stopped" else ""


def failed(page: Page, run: RunView) -> None:
    """Say why there is no release, and offer in one click what would help."""
    why = run.failure
    assert why is not None
    with message(why.said, "bad"), part("div", class_="buttons"):
        if why.parts:
            use = lambda parts=dict(why.parts): page.change(**parts)  # noqa: E731
            button(why.offer or t("Use what the table can reach"), use, key="use", kind="main small")
        else:
            button(t("Run again"), lambda: page.attempt(again, page.desk, run.id), key="again", kind="small")


def again(desk: Desk, id: str) -> None:
    """Start a run once more, as it was asked for."""
    desk.start(desk.runs[id].lasting)


def _listed(page: Page, runs: tuple[RunView, ...]) -> None:
    """List runs, each with what can be done with it."""
    with part("div", class_="stack"):
        for run in reversed(runs):
            with part("div", class_="card line between"):
                with part("div"):
                    part("h3", _called(run))
                    part(
                        "span",
                        _summary(run),
                        "faint",
                    )
                with part("div", class_="line"):
                    _actions(page, run)


def _summary(run: RunView) -> str:
    """Say in a line how a run ended, and whether it belongs to what is decided now."""
    stale = [t("made before your latest changes")] if run.origin.changes else []
    return listed([STATES[run.state], run.method, t("cost {cost}", cost=run.cost), *stale], " · ")


def _called(run: RunView) -> str:
    said = {"number": run.number, "require": run.require}
    if run.origin.same_table:
        return t("Run {number}: {require}", **said)
    return t("{table}, run {number}: {require}", table=run.origin.table, **said)


def _actions(page: Page, run: RunView) -> None:
    """Offer to stop a run, to look at it, and to delete it."""
    if run.state in GOING and not run.stopping:
        stop = lambda: page.attempt(_stop, page.desk, run.id)  # noqa: E731
        said = t("Stop run {number}, and keep the best so far", number=run.number)
        button(t("Stop"), stop, key=f"stop-{run.id}", kind="small", aria_label=said)
    if run.state in ("done", "stopped") and run.failure is None:
        link(t("Result"), f"/result?run={run.id}", key=f"see-{run.id}", kind="small")
    label = t("Delete run {number}", number=run.number)
    button(t("Delete"), lambda: _remove(page, run), key=f"delete-{run.id}", kind="small", aria_label=label)


async def _remove(page: Page, run: RunView) -> None:
    """Delete a run, and offer to bring it back."""
    before = page.desk.history
    await page.attempt(_delete, page.desk, run.id)
    if page.desk.history != before:
        said = t("Run {number} was deleted. It can be restored until shoal ends.", number=run.number)
        with page.alert(said, ""), part("div", class_="buttons"):
            button(t("Restore it"), lambda: page.undo(page.desk.undo, t("Undone")), key="bring-back", kind="small")


def _stop(desk: Desk, id: str) -> None:
    desk.runs[id].stop()


def _delete(desk: Desk, id: str) -> None:
    desk.delete(desk.runs[id])


STEP = Step(
    "run",
    t("Run"),
    t("Make the release"),
    t("shoal looks for the release that loses least. Where it can, it also proves how little any release could lose."),
    look,
    draw,
    said,
    valid=lambda desk: choose_run(desk).fresh,
)
