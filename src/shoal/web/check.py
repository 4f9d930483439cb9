"""The second way in: a release, or a table that anybody published, is verified, audited and attacked as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.tables.readers.base import readable
from shoal.web.attack_list import list_attacks
from shoal.web.desk import Desk, Run, queries
from shoal.web.desk.atomic_files import get_json
from shoal.web.desk.job_handlers import PARTS
from shoal.web.desk.runs import GOING
from shoal.web.desk.verdict import CERTAIN, LINKING, Finding, Verdict
from shoal.web.events import hear
from shoal.web.job_state import stop_button, wait_for
from shoal.web.language import known, level, percent, t, upper_first, whole
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import field, grid, heading, message, number, part, text, written
from shoal.web.verdict import show_verdict

KIND = "check"
MOST = 50
"""Releases and tables that are proposed."""
FIELDS = {
    "original": (
        t("The table that it was made from"),
        t("For a release folder: every row is checked, and more attacks are tried."),
    ),
    "other": (t("A second release with the same people"), t("For a release folder: what the two reveal together.")),
    "quasi": (
        t("Columns that others may know"),
        t("For a table: names separated by commas. A release folder states them itself."),
    ),
    "sensitive": (t("Columns that must stay secret"), t("For a table: names separated by commas.")),
    "require": (t("Requirement"), t("For a table, such as k=5 l(illness)=3. Empty: every level is measured.")),
}
"""What may be said of what is checked: its label, and what it is for."""
NAMES = ("quasi", "sensitive")


@dataclass(frozen=True)
class CheckView:
    """What can be checked here, and what is known of the latest check."""

    proposed: tuple[str, ...]
    id: str = ""
    going: bool = False
    refused: str = ""
    found: Mapping[str, Any] | None = None


def look(desk: Desk, picks: Picks) -> CheckView:
    """Look at the latest check."""
    proposed, jobs = _proposed(desk.root), desk.runs.all(KIND)
    if not jobs:
        return CheckView(proposed)
    last = jobs[-1]
    refused = "" if last.failure is None else last.failure.said
    return CheckView(proposed, last.id, last.state in GOING, refused, _known(last))


def _known(run: Run) -> Mapping[str, Any] | None:
    found = run.summary or get_json(run.job.folder / PARTS)
    return found if isinstance(found, dict) else None


def _proposed(root: Path | None) -> tuple[str, ...]:
    """Return the releases and tables that lie in the chosen folder."""
    if root is None:
        return ()
    releases = [path.parent.parent.name for path in root.glob("*/public/certificate.json")]
    tables = [path.name for path in root.iterdir() if path.name.lower().endswith(readable())]
    return (*sorted(releases)[:MOST], *sorted(tables)[:MOST])


def draw(page: Page, found: CheckView) -> None:
    """Show what to check, then what was found."""
    if page.desk.root is None:
        message(t("shoal was started without a folder, so no file can be opened by its name here."), "warn")
        return
    _ask(page, found)
    if found.refused:
        message(found.refused, "bad")
    if found.going:
        wait_for(page, found.id)
        page.live(lambda: _known(page.desk.runs[found.id]) != found.found, page.come)
        stop_button(page, found.id, key="stop-check")
    if found.found is not None and not found.refused:
        _shown(page, found.found, found.going)


def _ask(page: Page, found: CheckView) -> None:
    """Offer to name a release or a table, and what is known of it."""
    with field(
        t("A release folder, or a published table"),
        "path",
        t("Inside {root}. Nothing is changed in it.", root=page.desk.root),
    ):
        picked = page.picks.get("path", "")
        part("input", type="text", id="path", value=picked, data_key="path", list="published", autocomplete="off")
    with part("datalist", id="published"):
        for name in found.proposed:
            part("option", value=name)
    said = any(page.picks.get(name) for name in FIELDS)
    with part("details", open=said):
        part("summary", t("More about it: the original, columns, a requirement"), data_key="known")
        with part("div", class_="fields"):
            for name, (label, help) in FIELDS.items():
                heard = lambda value, name=name: page.pick(**{name: value.strip()})  # noqa: E731
                written(label, page.picks.get(name, ""), heard, key=name, help=help)
    with part("div", class_="buttons"):
        start = part(
            "button", t("Check it"), "button main", type="button", data_from="path", disabled=found.going or None
        )
        hear(start, "check", "press", lambda path: _start(page, str(path).strip()))


async def _start(page: Page, path: str) -> None:
    page.picks = {**page.picks, "path": path}
    said = {name: page.picks[name] for name in FIELDS if page.picks.get(name)}
    columns = {name: tuple(one.strip() for one in said.pop(name).split(",")) for name in NAMES if name in said}
    await page.attempt(_begin, page.desk, path, {**said, **columns})


def _begin(desk: Desk, path: str, said: Mapping[str, Any]) -> None:
    desk.check(path, **said)


def _shown(page: Page, found: Mapping[str, Any], going: bool) -> None:
    """Show the verdict, then the levels, who could be found, and what attacks get."""
    heading(str(found["name"]))
    show_verdict(page, verdict_on(found, going=going))
    if "rows" not in found:
        return
    with part("div", class_="cards figures"):
        number(whole(found["rows"]), t("rows published"))
        number(whole(found["classes"]), t("crowds"))
        number(whole(found["smallest_class"]), t("in the smallest crowd"))
        if found["risk"]:
            number(percent(found["risk"]["prosecutor"]["average"]), t("average chance of picking a person's row"))
    _levels(found["findings"])
    if found.get("checks"):
        _checks(found["checks"], found["not_checked"])
    if "hits" in found:
        list_attacks(found["hits"])
        for one in found["untried"]:
            text(t("Not tried: {one}.", one=one), "faint")


def verdict_on(found: Mapping[str, Any], *, going: bool) -> Verdict:
    """Return what can be said of it by now."""
    findings = tuple(_findings(found))
    bad = any(one.kind == "bad" for one in findings)
    if bad:
        return Verdict("bad", t("Do not rely on it: not everything holds"), findings)
    if going:
        return Verdict("note", t("So far everything holds; more is being checked"), findings)
    if not (found.get("passed") or found.get("asked")):
        return Verdict("note", t("Measured: no requirement was given, so there is no verdict"), findings)
    return Verdict("good", t("Everything that was checked holds"), findings)


def _findings(found: Mapping[str, Any]) -> Iterator[Finding]:
    failed = [one for one in found.get("checks", ()) if not one["passed"]]
    for one in failed:
        yield Finding("bad", f"{one['what']}: {one['detail'] or 'this does not hold'}.")
    if found.get("checks") and not failed:
        yield Finding(
            "good",
            t(
                "The folder is unchanged since it was made: {n} check passed.|The folder is unchanged since it was "
                "made: {n} checks passed.",
                n=len(found["checks"]),
            ),
        )
    for one in found.get("findings", ()):
        if one["asked"] is not None:
            said = t("{model}: the worst crowd reaches {reached}", model=one["model"], reached=level(one["reached"]))
            yield (
                Finding("good", f"{said}.") if one["holds"] else Finding("bad", t("{said}. It is not met.", said=said))
            )
    if found.get("unique_rows"):
        yield Finding(
            "bad",
            t(
                "{n} row is unique: whoever knows these columns finds it."
                "|{n} rows are unique: whoever knows these columns finds them.",
                n=found["unique_rows"],
            ),
        )
    yield from _attacked(found.get("hits", ()))
    for one in found.get("warnings", ()):
        yield Finding("note", f"{upper_first(one)}.")


def _attacked(hits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Say which attacks find people, or make a secret certain; then what else attacks get."""
    got = [one for one in hits if one["after"]]
    for one in got:
        many = t("{n} row of {of}|{n} rows of {of}", n=one["after"], of=one["of"])
        if one["attack"] == CERTAIN:
            yield Finding(
                "bad",
                t(
                    "{attribute!r} of {many} is certain although nobody is found.",
                    attribute=one["attribute"],
                    many=many,
                ),
            )
        elif one["attack"] in LINKING:
            yield Finding(
                "bad",
                t("{many} can be found with certainty by anyone who knows {knows}.", many=many, knows=one["knows"]),
            )
    others = {one["attack"]: one["after"] for one in got if one["attack"] not in (CERTAIN, *LINKING)}
    if others:
        got_by = [t("{attack} ({n} row)|{attack} ({n} rows)", attack=name, n=many) for name, many in others.items()]
        yield Finding("note", t("Other attacks that succeed: {listed}.", listed=got_by))


def _levels(findings: Sequence[Mapping[str, Any]]) -> None:
    """Show what every model reaches."""
    heading(t("What it reaches"))
    titles = {one.name: known(one.title) for one in queries.models()}
    rows = [
        [
            titles.get(one["name"], one["name"]),
            one["attribute"] or "–",
            "–" if one["asked"] is None else level(one["asked"]),
            level(one["reached"]),
        ]
        for one in findings
    ]
    grid((t("model"), t("column"), t("asked"), t("reached")), rows, numbers=(2, 3), about=t("What it reaches"))


def _checks(checks: Sequence[Mapping[str, Any]], not_checked: Sequence[str]) -> None:
    """List what was verified."""
    with part("details"):
        part("summary", t("What was verified ({n})", n=len(checks)), data_key="verified")
        with part("ul"):
            for one in checks:
                part("li", f"{'✓' if one['passed'] else '✗'} {one['what']}")
            for said in not_checked:
                part("li", t("Not checked: {said}", said=said))


STEP = Step(
    "check",
    t("Check a release"),
    t("Is what was published safe?"),
    t(
        "Name a release folder, or a published table made by any tool: shoal verifies, audits and"
        " attacks it, and changes nothing."
    ),
    look,
    draw,
    lambda _: "",
)
