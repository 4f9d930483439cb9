"""The step Release: fetch the folder, the report, and what repeats it."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.desk import Desk, Draft
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import chosen, code, heading, lacking, link, part, text
from shoal.web.result import choices, finished

COMMANDS = """shoal anonymize --config shoal.toml     # makes the same release again
shoal verify release                    # re-checks the unzipped folder
shoal verify release --original {name}  # and compares it with the original, row by row"""


@dataclass(frozen=True)
class Found:
    """The runs that have a release, and the one that is looked at."""

    runs: tuple[tuple[str, str], ...]
    id: str = ""
    draft: Draft = field(default_factory=Draft)
    public_report: bool = False
    report: bool = False


def look(desk: Desk, picks: Picks) -> Found:
    """Look at the runs that have a release."""
    run = finished(desk, picks)
    if run is None:
        return Found(())
    reports = run.report(public=True) is not None, run.report() is not None
    return Found(choices(desk), run.id, desk.portable(run.draft), *reports)


def draw(page: Page, found: Found) -> None:
    """Show what can be fetched."""
    if not found.id:
        lacking("There is no release yet.", "Make one", "/run", key="make")
        return
    if len(found.runs) > 1:
        chosen("Which run", dict(found.runs), found.id, lambda id: page.pick(run=id), key="run")
    _fetch(found)
    heading("Do it again")
    text("What was done here, the command line and Python do as well.", "faint")
    name = found.draft.name
    for title, key, content, about in (
        ("shoal.toml", "toml", found.draft.toml(file=name), "the configuration"),
        ("On the command line", "commands", COMMANDS.format(name=name), "the commands"),
        ("In Python", "python", found.draft.python(file=name), "the Python code"),
    ):
        heading(title, 3)
        code(content, key=key, about=about)


def _fetch(found: Found) -> None:
    """Show the two packets side by side: for everybody, and for the house."""
    with part("div", class_="cards wide"):
        with part("div", class_="card"):
            heading("For everybody", 3)
            text("The published table, its certificate and its codebook. This may leave the house.")
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
            heading("For the house", 3)
            text("All of it: the public part, what was asked and decided, and what proves the bound. Keep it inside.")
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
    "Take it with you",
    "A release is a folder with two parts: one that may be given away, and one that stays in the house.",
    look,
    draw,
    said,
)
