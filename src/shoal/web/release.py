"""The step Release: fetch the folder, the report, and what repeats it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from shoal.web.desk import Desk, Draft, Run
from shoal.web.desk.run_choice import RunChoice, choose_run, file_name
from shoal.web.earlier import RecordView, ask_record, look_record
from shoal.web.language import known, t
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, code, heading, lacking, link, part, text
from shoal.web.which_run import RUN, other_tables, which_run

COMMANDS = """shoal anonymize --config shoal.toml     # makes {same} once more
shoal verify release                    # re-checks the unzipped folder
shoal verify release --original {name}  # and compares it with the original, row by row"""
AGAIN = "again"
"""The folder that the code writes; `release` is the one that was fetched."""
TIMED = t("A time limit or Stop may have ended this run. So this has a limit too, and makes about the same release.")
FOLLOWED = t("Releases recorded in the meantime are taken into account, so this makes about the same release.")
WAYS = (
    ("shoal.toml", "toml", t("the configuration")),
    (t("On the command line"), "commands", t("the commands")),
    (t("In Python"), "python", t("the Python code")),
)
"""What repeats a run: its heading, its key, what is copied."""


@dataclass(frozen=True)
class ReleaseView:
    """The run that is looked at, and what can be fetched of it."""

    choice: RunChoice = field(default_factory=RunChoice)
    draft: Draft = field(default_factory=Draft)
    """What repeats it."""
    public_report: bool = False
    report: bool = False
    measuring: bool = False
    record: RecordView = field(default_factory=RecordView)
    sharing: str = ""
    """Whether the public part may be shared, in words."""


def look(desk: Desk, picks: Picks) -> ReleaseView:
    """Look at a run that has a release."""
    choice = choose_run(desk, picks.get(RUN))
    run = choice.run
    if run is None:
        return ReleaseView(choice)
    reports = run.report(public=True) is not None, run.report() is not None, run.measuring
    sharing = (run.summary or {}).get("sharing", "")
    return ReleaseView(choice, repeating(desk, run), *reports, look_record(desk, run), sharing)


def repeating(desk: Desk, run: Run) -> Draft:
    """Return what repeats a run: it names no value and no place of the desk; one that was stopped ends about there."""
    draft = desk.portable(run.draft)
    if run.state != "stopped":
        return draft
    return draft.changed(time_limit=max(1.0, round(float((run.summary or {})["seconds"]))))


def draw(page: Page, found: ReleaseView) -> None:
    """Show what can be fetched."""
    run = found.choice.run
    if run is None:
        lacking(t("There is no release of this table yet."), t("Make one"), "/run", key="make")
        other_tables(page, found.choice)
        return
    which_run(page, found.choice)
    _fetch(page, run, found)
    ask_record(page, run.id, found.record)
    heading(t("Repeat it"))
    text(t("The command line and Python can do the same as this page."), "faint")
    for said in remarks(found.draft):
        text(said)
    for (title, key, about), content in zip(WAYS, written(found.draft), strict=True):
        heading(title, 3)
        code(content, key=key, about=about)
    other_tables(page, found.choice)


def remarks(draft: Draft) -> list[str]:
    """Return what to know before something is repeated."""
    listed = t(
        "The code reads {files}: unzip the private zip next to it. They list values of the original: keep them "
        "private.",
        files=list(draft.trees.values()),
    )
    followed = FOLLOWED if draft.follows else ""
    return [said for said in (TIMED if draft.time_limit else "", followed, listed if draft.trees else "") if said]


def written(draft: Draft) -> tuple[str, str, str]:
    """Return what repeats a run as a configuration, as commands and in Python."""
    same = "about the same release" if draft.time_limit or draft.follows else "the same release"
    commands = COMMANDS.format(name=shlex.quote(draft.name), same=same)
    return draft.toml(file=draft.name, folder=AGAIN), commands, draft.python(file=draft.name, folder=AGAIN)


def _fetch(page: Page, run: Run, found: ReleaseView) -> None:
    """Show the two downloads side by side: the public one, and the private one."""
    kind = "main" if found.choice.fresh else ""
    with part("div", class_="cards wide"):
        with part("div", class_="card"):
            heading(t("Public"), 3)
            text(t("The published table, its certificate and its codebook."))
            text(f"{known(found.sharing)}." if found.sharing else "")
            with part("div", class_="buttons"):
                download(run, "public.zip", key="public", kind=kind)
                _report(run, found.public_report, public=True)
        with part("div", class_="card"):
            heading(t("Private"), 3)
            text(
                t(
                    "Everything: the public part, the request, the decisions and the proof of the bound. Keep it "
                    "private."
                )
            )
            with part("div", class_="buttons"):
                download(run, "release.zip", key="whole")
                _report(run, found.report, public=False)
    if not found.report:
        _report_to_come(page, run, found)


def download(run: Run, what: str, *, key: str, kind: str = "") -> None:
    """Offer a file under the name that it is saved by."""
    name = file_name(run, what)
    link(t("Download {name}", name=name), f"/fetch/{run.id}/{what}", key=key, kind=kind, download=name)


def _report(run: Run, there: bool, *, public: bool) -> None:
    if there:
        said = t("Public report") if public else t("Full report")
        link(said, f"/fetch/{run.id}/report.html?public={public}", key=f"report-{public}", rel="noopener")


def _report_to_come(page: Page, run: Run, found: ReleaseView) -> None:
    """Say that the report is being made, until it is there; where nobody makes it, offer to."""
    if found.measuring:
        part("p", t("The report is being made …"), "faint", role="status")
        page.live(lambda: not page.desk.runs[run.id].measuring, page.come)
        return
    with part("div", class_="line"):
        part("span", t("There is no report: it was stopped while it was being written."), "faint")
        button(t("Make the report"), lambda: page.attempt(run.measure), key="report-make", kind="small")


def said(desk: Desk) -> str:
    """Say which run can be fetched, or that none is of what is decided now."""
    found = choose_run(desk)
    if found.run is None:
        return ""
    number = found.run.number
    return t("run {number}", number=number) if found.fresh else t("run {number}: out of date", number=number)


STEP = Step(
    "release",
    t("Release"),
    t("Download the release"),
    t("A release is a folder with two parts: one that is safe to share, and one to keep private."),
    look,
    draw,
    said,
    keeps=(RUN,),
    valid=lambda desk: choose_run(desk).fresh,
)
