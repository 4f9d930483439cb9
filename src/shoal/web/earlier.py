"""Earlier releases of the same people: the register, what it holds, what a release follows, and how one is recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from shoal.config import FIRST
from shoal.core.errors import ShoalError
from shoal.republication.earlier import WARN
from shoal.republication.release_register import Entry, Register
from shoal.web.desk import Desk, Draft, Run, draft_checks, queries
from shoal.web.events import hear
from shoal.web.job_state import JobState, wait_for
from shoal.web.language import t, whole
from shoal.web.page import Page
from shoal.web.parts import button, chosen, field, grid, heading, message, part, sentence, text, written

LEAD = t(
    "Two releases of the same people can together reveal what neither reveals alone. A register lists earlier "
    "releases, and a new one is compared with them."
)
OVERLAP = {"": t("make no release"), WARN: t("make it anyway, with a warning")}
BY_ITSELF = {"": t("none: it is not part of a series"), FIRST: t("none: it is the first of a series")}
SERIES = t(
    "People who were published before stay hidden among the same values, and new ones are"
    " added: so all releases of the series together reveal no more than one."
)


@dataclass(frozen=True)
class EarlierView:
    """The registers that lie in the chosen folder, and what the chosen one holds."""

    registers: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    refused: str = ""
    """Why the register cannot be read."""
    problem: str = ""
    """Why a series cannot be asked for what is asked for."""
    offer: str = ""
    """What it could be asked for."""


def look_earlier(desk: Desk) -> EarlierView:
    """Look at the register."""
    draft, files = desk.draft, () if desk.root is None else desk.root.glob("*/register.json")
    registers = tuple(sorted(path.parent.name for path in files))
    if draft.registry is None:
        return EarlierView(registers)
    try:
        entries = Register.at(draft.registry).entries
    except ShoalError as error:
        return EarlierView(registers, refused=str(error))
    problem = draft_checks.series_problem(draft) if draft.follows and draft.require else ""
    return EarlierView(registers, entries, problem=problem, offer=_offer(draft, entries))


def _offer(draft: Draft, entries: tuple[Entry, ...]) -> str:
    """Return what the release before asked for; of the first of a series, groups of 3 for its one secret."""
    asked = [one.require for one in entries if one.folder == draft.follows]
    secrets = draft.named("sensitive")
    if not asked and len(secrets) == 1:
        asked = [queries.written("m", ["3"], secrets)]
    return next((one for one in asked if one != " ".join(draft.require) or draft.recoding), "")


def choose_earlier(page: Page, found: EarlierView) -> None:
    """Offer a register; show what was released before, and what to do about it."""
    heading(t("Were these people published before?"))
    text(LEAD, "faint")
    if page.desk.root is None:
        return

    async def take(name: str) -> None:
        parts: dict[str, Any] = {"registry": name.strip() or None, "follows": None}
        await page.change(**parts, **({} if name.strip() else {"overlap": None}))

    help = t("A folder inside {root}, created if it does not exist. Empty: nothing is compared.", root=page.desk.root)
    value = place_of(page.desk, page.draft.registry)
    written(t("Register of releases"), value, take, key="registry", help=help, list="registers", placeholder="registry")
    with part("datalist", id="registers"):
        for name in found.registers:
            part("option", value=name)
    if found.refused:
        message(found.refused, "bad")
    elif page.draft.registry is not None:
        _recorded(page, found.entries)
        _decide(page, found)


def place_of(desk: Desk, path: str | Path | None) -> str:
    """Return a folder as it is called from the chosen one."""
    return "" if path is None else os.path.relpath(path, desk.root)


def _recorded(page: Page, entries: tuple[Entry, ...]) -> None:
    """Show what was released before."""
    if not entries:
        text(t("Nothing is recorded there yet."))
        return
    rows = [
        [
            place_of(page.desk, one.folder),
            one.require,
            ", ".join(one.sensitive) or "–",
            whole(one.rows),
            ", ".join(one.person) or t("unknown: anybody may be in it"),
        ]
        for one in entries
    ]
    headings = (t("release"), t("requirement"), t("secrets"), t("rows"), t("people are identified by"))
    grid(headings, rows, numbers=(3,), about=t("Earlier releases"))


def _decide(page: Page, found: EarlierView) -> None:
    """Offer what to do where releases give people away together, and which release this one follows."""
    draft = page.draft
    heard = lambda value: page.change(overlap=value or None)  # noqa: E731
    label = t("If it and an earlier release together reveal people")
    chosen(label, OVERLAP, draft.overlap if draft.overlap in OVERLAP else "", heard, key="overlap")
    known = [one.folder for one in found.entries if one.can_be_followed]
    others = [draft.follows] if draft.follows and draft.follows != FIRST else []
    options = BY_ITSELF | {folder: place_of(page.desk, folder) for folder in dict.fromkeys([*known, *others])}
    follow = lambda value: page.change(follows=value or None)  # noqa: E731
    chosen(t("The previous release"), options, draft.follows or "", follow, key="follows")
    if draft.follows:
        text(SERIES, "faint")
    if found.problem:
        _mend(page, found)


def _mend(page: Page, found: EarlierView) -> None:
    """Say why there can be no series, and offer a requirement with which there can."""
    with message(sentence(found.problem), "warn"), part("div", class_="buttons"):
        if found.offer:
            use = lambda: page.change(require=[found.offer], recoding=None)  # noqa: E731
            button(t("Require {offer} in two tables", offer=found.offer), use, key="series", kind="small")


def asked_earlier(desk: Desk, draft: Draft) -> list[list[str]]:
    """Return what is asked about earlier releases, in words; nothing where no register is chosen."""
    if draft.registry is None:
        return []
    follows = {None: [], FIRST: [[t("Series"), t("it is the first release")]]}
    series = follows.get(
        draft.follows, [[t("Series"), t("it follows {release}", release=place_of(desk, draft.follows))]]
    )
    return [[t("Compared with the releases in"), place_of(desk, draft.registry)], *series]


def show_overlaps(overlaps: Sequence[Mapping[str, Any]]) -> None:
    """Say what a release and each earlier one give away together."""
    for one in overlaps:
        text(sentence(one["said"])) if one["safe"] else message(sentence(one["said"]), "warn")


# --- recording ---


@dataclass(frozen=True)
class RecordView:
    """The register of a run, the name proposed for its folder, and what is known of recording it."""

    register: str = ""
    folder: str = ""
    job: JobState | None = None


def look_record(desk: Desk, run: Run) -> RecordView:
    """Look whether a release was recorded."""
    if run.draft.registry is None or desk.root is None:
        return RecordView()
    job = JobState.latest([one for one in desk.runs.all("record") if one.job.asked["of"] == run.id])
    root = desk.root
    free = next(name for number in count(1) if not (root / (name := f"release-{number}")).exists())
    return RecordView(place_of(desk, run.draft.registry), free, job)


def ask_record(page: Page, id: str, found: RecordView) -> None:
    """Offer to record a release; say so where it was."""
    heading(t("Record it"))
    job = found.job
    if not found.register:
        text(t("No register was chosen for this run: the step Privacy has the choice."), "faint")
    elif job is not None and job.found:
        folder = Path(job.found["folder"]).name
        message(
            t(
                "Recorded in {register} as {folder}. Later releases are compared with it.",
                register=found.register,
                folder=folder,
            )
        )
        show_overlaps(job.found["overlaps"])
    elif job is not None and not job.refused:
        wait_for(page, job.id)
    else:
        if job is not None:
            message(job.refused, "bad")
        _record(page, id, found)


def _record(page: Page, id: str, found: RecordView) -> None:
    text(
        t(
            "Publishing it? Then record it in {register}: the release is copied to a folder, and"
            " later releases are compared with it. A release that was not recorded is not taken into"
            " account.",
            register=found.register,
        )
    )
    with field(
        t("Folder for the release"),
        "record-folder",
        t("Inside {root}. It includes the private part.", root=page.desk.root),
    ):
        part("input", type="text", value=found.folder, id="record-folder", data_key="record-folder", autocomplete="off")
    with part("div", class_="buttons"):
        use = part("button", t("Save and record"), "button", type="button", data_from="record-folder")
        hear(use, "record", "press", lambda name: page.attempt(_start, page.desk, id, str(name).strip()))


def _start(desk: Desk, id: str, folder: str) -> None:
    desk.record(desk.runs[id], folder)
