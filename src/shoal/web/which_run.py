"""Which run a page is about, whether it belongs to what is decided now, and the way to the others."""

from __future__ import annotations

from shoal.web.desk import Run
from shoal.web.desk.draft_changes import Change
from shoal.web.desk.run_choice import RunChoice
from shoal.web.language import listed, t
from shoal.web.page import Page
from shoal.web.parts import button, chosen, link, message, part

RUN = "run"
"""The pick that names a run; it stands in the address."""
LOST = t("The run in the address was deleted. This is the latest one.")


def which_run(page: Page, found: RunChoice) -> None:
    """Show the runs to choose from, and say where the one that is looked at is not of what is decided now."""
    if found.run is None:
        return
    if found.lost:
        message(LOST, "warn")
    if len(found.runs) > 1 and found.origin.same_table:
        chosen(t("Which run"), dict(found.runs), found.run.id, lambda id: page.pick(run=id), key=RUN)
    if not found.origin.same_table:
        _other_table(page, found.run)
    elif found.origin.changes:
        _stale(page, found.run, found.origin.changes)


def other_tables(page: Page, found: RunChoice) -> None:
    """List the runs of other tables, apart."""
    if not found.others:
        return
    with part("details"):
        part("summary", t("Runs of other tables ({n})", n=len(found.others)), data_key="other-tables")
        with part("ul"):
            for id, label in found.others:
                with part("li"):
                    part("a", label, href=f"/{page.step.name}?run={id}", data_key=f"other-{id}")


def changed(changes: tuple[Change, ...], titles: dict[str, str]) -> str:
    """Say what was decided otherwise, and where."""
    return listed((f"{one.said} ({titles.get(one.step, one.step)})" for one in changes), "; ")


def _stale(page: Page, run: Run, changes: tuple[Change, ...]) -> None:
    said = changed(changes, page.titles)
    with (
        message(
            t("Run {number} was made before your latest changes. Changed since: {said}.", number=run.number, said=said),
            "warn",
        ) as box,
        part("div", class_="buttons"),
    ):
        link(t("Make a release with the current decisions"), "/run", key="make-anew", kind="main small")
        _take_up(page, run, t("Restore the decisions of run {number}", number=run.number))
    box._props["data-stale"] = ""


def _other_table(page: Page, run: Run) -> None:
    now = t("You are now working on {name!r}", name=page.draft.name) if page.draft.name else t("No table is chosen now")
    with (
        message(
            t(
                "This is run {number} of another table, {name!r}. {now}.",
                number=run.number,
                name=run.draft.name,
                now=now,
            ),
            "warn",
        ) as box,
        part("div", class_="buttons"),
    ):
        if page.draft.name:
            link(
                t("To the runs of {name}", name=page.draft.name),
                f"/{page.step.name}",
                key="own-runs",
                kind="main small",
            )
        _take_up(page, run, t("Work on {name} again", name=run.draft.name))
    box._props["data-stale"] = ""


def _take_up(page: Page, run: Run, said: str) -> None:
    button(said, lambda: page.attempt(page.desk.take_up, run), key="take-up", kind="small")
