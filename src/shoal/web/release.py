"""The step Release: fetch the folder, the report, and what repeats it."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.web.desk import Desk, Draft, Run
from shoal.web.earlier import RecordView, ask_record, look_record
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import chosen, code, heading, lacking, link, part, text
from shoal.web.result import choices, finished

COMMANDS = """shoal anonymize --config shoal.toml     # makes {same} once more
shoal verify release                    # re-checks the unzipped folder
shoal verify release --original {name}  # and compares it with the original, row by row"""
AGAIN = "again"
"""The folder that the code writes; `release` is the one that was fetched."""
TIMED = "A limit of time, or Stop, may have ended this run. So this has a limit too, and makes about the same release."
FOLLOWED = "What the register knows by now is taken into account: so this makes about the same release."
LISTED = "The code reads {}: unzip release.zip beside it. They list values of the original: keep them private."
WAYS = (
    ("shoal.toml", "toml", "the configuration"),
    ("On the command line", "commands", "the commands"),
    ("In Python", "python", "the Python code"),
)
"""What repeats a run: its heading, its key, what is copied."""


@dataclass(frozen=True)
class ReleaseView:
    """The runs that have a release, and the one that is looked at."""

    runs: tuple[tuple[str, str], ...]
    id: str = ""
    draft: Draft = field(default_factory=Draft)
    """What repeats it."""
    public_report: bool = False
    report: bool = False
    record: RecordView = field(default_factory=RecordView)
    sharing: str = ""
    """Whether the public part may be shared, in words."""


def look(desk: Desk, picks: Picks) -> ReleaseView:
    """Look at the runs that have a release."""
    run = finished(desk, picks)
    if run is None:
        return ReleaseView(())
    reports = run.report(public=True) is not None, run.report() is not None
    sharing = (run.summary or {}).get("sharing", "")
    return ReleaseView(choices(desk), run.id, repeating(desk, run), *reports, look_record(desk, run), sharing)


def repeating(desk: Desk, run: Run) -> Draft:
    """Return what repeats a run: it names no value and no place of the desk; one that was stopped ends about there."""
    draft = desk.portable(run.draft)
    if run.state != "stopped":
        return draft
    return draft.changed(time_limit=max(1.0, round(float((run.summary or {})["seconds"]))))


def draw(page: Page, found: ReleaseView) -> None:
    """Show what can be fetched."""
    if not found.id:
        lacking("There is no release yet.", "Make one", "/run", key="make")
        return
    if len(found.runs) > 1:
        chosen("Which run", dict(found.runs), found.id, lambda id: page.pick(run=id), key="run")
    _fetch(found)
    ask_record(page, found.id, found.record)
    heading("Do it again")
    text("What was done here, the command line and Python do as well.", "faint")
    for said in remarks(found.draft):
        text(said)
    for (title, key, about), content in zip(WAYS, written(found.draft), strict=True):
        heading(title, 3)
        code(content, key=key, about=about)


def remarks(draft: Draft) -> list[str]:
    """Return what to know before something is repeated."""
    listed = LISTED.format(" and ".join(draft.trees.values())) if draft.trees else ""
    followed = FOLLOWED if draft.follows else ""
    return [said for said in (TIMED if draft.time_limit else "", followed, listed) if said]


def written(draft: Draft) -> tuple[str, str, str]:
    """Return what repeats a run as a configuration, as commands and in Python."""
    same = "about the same release" if draft.time_limit or draft.follows else "the same release"
    commands = COMMANDS.format(name=draft.name, same=same)
    return draft.toml(file=draft.name, folder=AGAIN), commands, draft.python(file=draft.name, folder=AGAIN)


def _fetch(found: ReleaseView) -> None:
    """Show the two downloads side by side: the public one, and the private one."""
    with part("div", class_="cards wide"):
        with part("div", class_="card"):
            heading("Public", 3)
            text("The published table, its certificate and its codebook.")
            text(found.sharing.capitalize())
            with part("div", class_="buttons"):
                link(
                    "Download public.zip",
                    f"/fetch/{found.id}/public.zip",
                    key="public",
                    kind="main",
                    download="public.zip",
                )
                _report(found.id, found.public_report, public=True)
        with part("div", class_="card"):
            heading("Private", 3)
            text("All of it: the public part, what was asked and decided, what proves the bound. Keep it private.")
            with part("div", class_="buttons"):
                link("Download release.zip", f"/fetch/{found.id}/release.zip", key="whole", download="release.zip")
                _report(found.id, found.report, public=False)


def _report(id: str, there: bool, *, public: bool) -> None:
    if there:
        said = "Public report" if public else "Full report"
        link(said, f"/fetch/{id}/report.html?public={public}", key=f"report-{public}", rel="noopener")
    else:
        part("span", "The report is being made …", "faint")


def said(desk: Desk) -> str:
    """Say that there is something to fetch."""
    return "ready" if finished(desk, {}) is not None else ""


STEP = Step(
    "release",
    "Release",
    "Download the release",
    "A release is a folder with two parts: one that is safe to share, and one to keep private.",
    look,
    draw,
    said,
)
