"""The step Roles: what each column is to an attacker. shoal proposes, with a reason; a click changes it."""

from __future__ import annotations

import csv
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from shoal.core.number_format import counted, percent
from shoal.report.charts import bar
from shoal.tables.missing_codes import Codes
from shoal.tables.roles import MEANING
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.draft_checks import counting_problems
from shoal.web.desk.queries import Uniqueness
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, chosen, drawn, lacking, message, part, segments, sentence, text, written

ROLES = {
    "quasi": "May be known",
    "sensitive": "Secret",
    "identifier": "Names a person",
    "leave_out": "Leave out",
    "other": "Publish as is",
}
PERSON, WEIGHT = "person", "record_weight"
USES = {
    "": "nothing else",
    PERSON: "whom a row is about, where a person has several rows",
    WEIGHT: "how many people of the population a row stands for",
}
"""What a column may say of the rows besides its role, by the part of the draft that names it."""
HIDING = {PERSON: ("identifier", "quasi", "leave_out"), WEIGHT: ("leave_out",)}
"""The roles that such a column has without being published as it is; the first where it has another."""
OPEN = "open"
"""The role of a column that a person has to decide on."""


@dataclass(frozen=True)
class RolesView:
    """The columns with their proposals, and how many people the chosen set singles out."""

    table: bool
    columns: Sequence[Mapping[str, Any]] | None = None
    uniqueness: Uniqueness | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    """Columns that would go out unprotected, with the reasons."""
    warnings: Sequence[str] = ()
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By column, codes that may stand for missing values and were not declared."""
    people: Sequence[str] = ()
    """What is wrong with the columns that tell whom a row is about, or how many people it stands for."""


def look(desk: Desk, picks: Picks) -> RolesView:
    """Look at the columns; of a table that was just chosen the proposals are taken, which can be undone."""
    if desk.draft.file is None:
        return RolesView(False)
    found = desk.look("inspection")
    if found is None:
        return RolesView(True)
    if untouched(desk):
        desk.change(roles=proposed(found["columns"]))
    known = desk.draft.named("quasi")
    seen = (desk.look("safety") if known else None) or {"refused": {}, "warnings": ()}
    alone = queries.uniqueness(desk.draft, known) if known else None
    return RolesView(
        True,
        found["columns"],
        alone,
        seen["refused"],
        seen["warnings"],
        found["missing"],
        counting_problems(desk.draft),
    )


def draw(page: Page, found: RolesView) -> None:
    """Show a card a column, and above them what the chosen set gives away."""
    if not found.table:
        lacking("Choose a table first.", "To the data", "/data", key="to-data")
        return
    if found.columns is None:
        part("p", "shoal is reading the columns …", "waiting", role="status")
        page.live(lambda: page.desk.look("inspection") is not None, page.come)
        return
    with part("ul", class_="meanings"):
        for role, meaning in MEANING.items():
            with part("li"):
                part("strong", ROLES[role])
                part("span", f": {meaning}.")
    _alone(found.uniqueness, len(page.draft.named("quasi")))
    _open(page)
    for name, reason in found.refused.items():
        _refused(page, name, reason)
    for said in found.people:
        message(sentence(said), "bad")
    for said in found.warnings:
        message(said, "warn")
    all_proposed = proposed(found.columns)
    taken = dict(page.draft.roles) == all_proposed
    button("Take all proposals", lambda: page.change(roles=all_proposed), key="proposals", kind="small", off=taken)
    with part("div", class_="stack"):
        for column in found.columns:
            _column(page, column, found.codes.get(column["name"], ()))


def untouched(desk: Desk) -> bool:
    """Whether a table was just chosen, or read in another way, and nothing was decided or undone since."""
    history, draft = desk.history, desk.draft
    before = history.drafts[max(history.at - 1, 0)]
    same = history.at > 0 and (before.file, before.reading) == (draft.file, draft.reading)
    return not history.can_redo and not same


def proposed(columns: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the role that is proposed for each column."""
    return {one["name"]: one["role"] for one in columns}


def _open(page: Page) -> None:
    """Say how many columns have no role yet."""
    undecided = page.draft.named(OPEN)
    if undecided:
        many = counted(len(undecided), "column has", "columns have")
        message(f"{many} no role yet: {', '.join(undecided)}. Nothing is published before you decide.", "warn")


def _refused(page: Page, name: str, reason: str) -> None:
    """Show a column that would go out unprotected, and let it be left out or insisted on."""
    allowed = name in page.draft.allow

    def leave() -> Awaitable[None]:
        return page.decide(lambda draft: {"roles": {**draft.roles, name: "leave_out"}})

    def insist() -> Awaitable[None]:
        return page.decide(lambda draft: {"allow": (*(one for one in draft.allow if one != name), name)})

    def doubt() -> Awaitable[None]:
        return page.decide(lambda draft: {"allow": tuple(one for one in draft.allow if one != name)})

    said = f"You publish {name!r} all the same" if allowed else f"{name!r} cannot be published like this"
    with message(f"{said}: {reason}.", "warn" if allowed else "bad"), part("div", class_="buttons"):
        button("Leave it out", leave, key=f"leave-{name}", kind="small")
        if allowed:
            button("Take that back", doubt, key=f"doubt-{name}", kind="small")
        else:
            button("Publish it all the same", insist, key=f"insist-{name}", kind="small")


def _alone(found: Uniqueness | None, columns: int) -> None:
    """Say how many people can be found by the columns that may be known."""
    if found is None:
        message(
            "No column may be known, so nobody could be found: mark at least one, or there is nothing to protect.",
            "warn",
        )
        return
    with part("div", class_="card alone", aria_live="polite"):
        part("h3", f"{percent(found.share)} of the rows are unique")
        drawn(bar(found.share, "before"))
        text(
            f"{counted(found.alone, 'row')} of {found.rows:,} are the only one with their combination of"
            f" {counted(columns, 'column')} that may be known. Whoever knows these of a person finds the row.",
            "faint",
        )


def _column(page: Page, column: Mapping[str, Any], codes: Sequence[str]) -> None:
    """Show a column: its name, why the role is proposed, the roles to choose from, and what else it may say."""
    name = column["name"]
    has = page.draft.roles.get(name, column["role"])

    async def choose(role: str) -> None:
        await page.decide(lambda draft: {"roles": {**draft.roles, name: role}}, "roles")

    with part("div", class_="card line between attribute"):
        with part("div", class_="about"):
            part("h3", name)
            part("span", f"{column['type']}, {counted(column['distinct'], 'different value')}", "faint")
            meant = ROLES.get(column["role"], "for you to decide").lower()
            proposed = "" if has == column["role"] else f" (proposed: {meant})"
            part("p", f"{column['reason']}{proposed}", "faint")
            if has == "open":
                part("strong", "To decide: nothing is published before.")
            _more(page, name, codes)
        segments(f"Role of {name}", ROLES, has, choose, key=f"role-{name}")


def _more(page: Page, name: str, proposed: Sequence[str]) -> None:
    """Offer what a column says of the rows, and its codes for missing values; shown where one is set or proposed."""
    draft, use = page.draft, used_as(page.draft, name)
    declared = draft.missing.get(name, ())

    async def serve(use: str) -> None:
        await page.decide(lambda draft: with_use(draft, name, use))

    async def declare(codes: Sequence[object]) -> None:
        await page.decide(lambda draft: {"missing": with_codes(draft, name, codes)})

    if proposed:
        part("p", f"May stand for missing values: {codes_text(proposed)}")
        every = [*declared, *proposed]
        button(
            "Read as missing",
            lambda: declare(every),
            key=f"codes-{name}",
            kind="small",
            aria_label=f"Read {codes_text(proposed)} of {name} as missing",
        )
    with part("details", open=bool(use or declared)):
        part(
            "summary",
            "Person, weight, missing values",
            data_key=f"more-{name}",
            aria_label=f"Person, weight, missing values of {name}",
        )
        chosen(f"{name} also says", USES, use, serve, key=f"use-{name}")
        written(
            f"Codes for missing values of {name}",
            codes_text(declared),
            lambda said: declare(read_codes(said)),
            key=f"missing-{name}",
            placeholder="-8, 99, NA",
        )
        if use == WEIGHT and (draft.roles.get(name) == "other" or draft.weight_rounding is not None):
            _rounding(page)


def _rounding(page: Page) -> None:
    """Offer to round the record weights that are published."""
    written(
        "Publish weights as multiples of",
        str(page.draft.weight_rounding or ""),
        lambda said: page.change(weight_rounding=said.strip() or None),
        key="weight_rounding",
        help="Rare weights may single people out. Nothing: as they are.",
        inputmode="numeric",
    )


def used_as(draft: Draft, name: str) -> str:
    """Return the part of a draft that names a column for what it says of the rows; nothing where none does."""
    return PERSON if name in draft.person else WEIGHT if draft.record_weight == name else ""


def with_use(draft: Draft, name: str, use: str) -> dict[str, Any]:
    """Return the parts of a draft in which a column says something of the rows besides its role, or nothing.

    It is not published as it is by that: it gets a role that hides it, which can be changed.
    """
    person = {*draft.person, name} if use == PERSON else {*draft.person} - {name}
    weight = name if use == WEIGHT else None if draft.record_weight == name else draft.record_weight
    role = draft.roles.get(name, OPEN)
    hides = HIDING.get(use, (role,))
    return {
        "person": [one for one in draft.roles if one in person],
        "record_weight": weight,
        "weight_rounding": draft.weight_rounding if weight == draft.record_weight else None,
        "roles": {**draft.roles, name: role if role in hides else hides[0]},
    }


def with_codes(draft: Draft, name: str, codes: Sequence[object]) -> Codes:
    """Return the codes for missing values of a draft with those of one column replaced; none are taken out."""
    others = {one: some for one, some in draft.missing.items() if one != name}
    return {**others, name: list(dict.fromkeys(codes))} if codes else others


def read_codes(text: str) -> list[str]:
    """Return codes that are written with commas between; one that has a comma is quoted.

    >>> read_codes('-8, NA, "no, thanks"'), read_codes(" ")
    (['-8', 'NA', 'no, thanks'], [])
    """
    return [code.strip() for row in csv.reader([text], skipinitialspace=True) for code in row if code.strip()]


def codes_text(codes: Sequence[object]) -> str:
    """Return codes as `read_codes` reads them.

    >>> codes_text(["-8", "no, thanks"])
    '-8,"no, thanks"'
    """
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(codes)
    return line.getvalue()


def said(desk: Desk) -> str:
    """Return how many columns may be known, and how many are to be decided on."""
    counts = ((len(desk.draft.named("quasi")), "may be known"), (len(desk.draft.named("open")), "to decide"))
    return ", ".join(f"{many} {what}" for many, what in counts if many)


STEP = Step(
    "roles",
    "Roles",
    "What could others know, and what must stay secret?",
    "shoal proposes roles from the names and values of the columns, and leaves open what it cannot judge. You decide.",
    look,
    draw,
    said,
)
