"""The step Roles: what each column is to an attacker. shoal proposes, with a reason; a click or a key changes it."""

from __future__ import annotations

import csv
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from typing import Any

from shoal.core.markup import Markup, joined, tag
from shoal.tables.missing_codes import Codes
from shoal.tables.roles import MEANING
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.draft_checks import counting_problems
from shoal.web.desk.queries import Uniqueness
from shoal.web.events import hear, listen
from shoal.web.language import known, listed, percent, t, whole
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, chosen, drawn, drawn_row, lacking, message, part, sentence, text, written
from shoal.web.pictures import histogram, share_bar

ROLES = {
    "quasi": t("May be known"),
    "sensitive": t("Secret"),
    "identifier": t("Names a person"),
    "leave_out": t("Leave out"),
    "other": t("Publish as is"),
}
PERSON, HOUSEHOLD, WEIGHT = "person", "household", "record_weight"
SPELLINGS = {"": t("matters"), "yes": t("does not matter: spaces, letter case, form of dates")}
USES = {
    "": t("nothing else"),
    PERSON: t("which person a row belongs to, where a person has several rows"),
    HOUSEHOLD: t("which household a row belongs to"),
    WEIGHT: t("how many people of the population a row stands for"),
}
"""What a column may say of the rows besides its role, by the part of the draft that names it."""
_NUMBERS = ("identifier", "quasi", "leave_out")
HIDING = {PERSON: _NUMBERS, HOUSEHOLD: _NUMBERS, WEIGHT: ("leave_out",)}
"""The roles that such a column has without being published as it is; the first where it has another."""
OPEN = "open"
"""The role of a column that a person has to decide on."""
MASKED = ("sensitive", "other")
"""Roles of columns that may be masked."""
SHORT = {**ROLES, "quasi": t("Known"), "identifier": t("Names"), "leave_out": t("Out"), "other": t("As is")}
"""The roles as a line of the table says them."""
MORE, TABLE = "more", "columns"
"""The pick of a column whose other settings are shown; the table of columns."""
NUMBERS = (t("values"), t("missing"), t("unique"))
KEYS = t("The keys 1 to 5 set the role of the column in focus, or of all selected columns.")


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
    shapes: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """By column, how it is distributed."""
    people: Sequence[str] = ()
    """What is wrong with the columns that tell which person a row belongs to, or how many people it stands for."""


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
        found["shapes"],
        counting_problems(desk.draft),
    )


def draw(page: Page, found: RolesView) -> None:
    """Show a line a column, and above them what the chosen set gives away."""
    if not found.table:
        lacking(t("Choose a table first."), t("To the data"), "/data", key="to-data")
        return
    if found.columns is None:
        part("p", t("shoal is reading the columns …"), "waiting", role="status")
        page.live(lambda: page.desk.look("inspection") is not None, page.come)
        return
    _meanings()
    _alone(found.uniqueness, len(page.draft.named("quasi")))
    _open(page)
    for name, reason in found.refused.items():
        _refused(page, name, reason)
    for said in found.people:
        message(sentence(said), "bad")
    for said in found.warnings:
        message(said, "warn")
    for name, codes in found.codes.items():
        _codes(page, name, codes)
    names = [column["name"] for column in found.columns]
    for name in names:
        if name == page.picks.get(MORE) or used_as(page.draft, name) or _says_more(page.draft, name):
            _more(page, name)
    _tools(page, found.columns)
    _table(page, found)


def _meanings() -> None:
    """Say what each role means, and the key that gives it."""
    with part("ol", class_="meanings"):
        for role, said in ROLES.items():
            with part("li", class_=f"role-{role}"):
                part("strong", said)
                part("span", f": {known(MEANING[role])}.")


def _tools(page: Page, columns: Sequence[Mapping[str, Any]]) -> None:
    """Offer to find columns, to give a role to all that are selected, and to take the proposals."""
    all_proposed = proposed(columns)
    taken = dict(page.draft.roles) == all_proposed
    with part("div", class_="line tools"):
        with part("div", class_="field"):
            part("label", t("Find columns"), for_="find")
            part("input", type="search", id="find", data_key="find", data_filters=TABLE, autocomplete="off")
        for role, said in ROLES.items():
            give = part(
                "button",
                t("Selected: {said}", said=said),
                f"button small role-{role}",
                type="button",
                data_selected=TABLE,
            )
            hear(give, f"give-{role}", "press", partial(_give, page, role))
        button(
            t("Accept all proposals"), lambda: page.change(roles=all_proposed), key="proposals", kind="small", off=taken
        )
    text(KEYS, "faint")


async def _give(page: Page, role: str, names: object) -> None:
    """Give a role to all columns that are selected."""
    chosen_names = [str(name) for name in names] if isinstance(names, list) else []
    if not chosen_names:
        page.alert(t("Select columns first: click the boxes next to their names."), "warn")
        return

    def parts(draft: Draft) -> dict[str, Any]:
        return {"roles": {**draft.roles, **{name: role for name in chosen_names if name in draft.roles}}}

    await page.decide(parts, "roles")


def _table(page: Page, found: RolesView) -> None:
    """Show a line a column; each is markup of its own, so that a click draws one line anew."""
    about = t("Columns and their roles")
    with part("div", class_="scroll dense", tabindex="0", role="region", aria_label=about), part("table", id=TABLE):
        drawn_row(_headings(), "head").classes("head")
        for column in found.columns or ():
            name = column["name"]
            for role in ROLES:
                listen(f"role-{name}-{role}", partial(_choose, page, name))
            listen(f"more-{name}", partial(_open_more, page, name))
            has = page.draft.roles.get(name, column["role"])
            drawn_row(_line(column, has, found.shapes.get(name, ())), name).classes(f"has-{has}")


async def _open_more(page: Page, name: str, _: object) -> None:
    """Show what else a column may say, or hide it."""
    await page.pick(more="" if page.picks.get(MORE) == name else name)


async def _choose(page: Page, name: str, role: str) -> None:
    await page.decide(lambda draft: {"roles": {**draft.roles, name: role}}, "roles")


def _headings() -> Markup:
    said = ("", t("column"), t("role"), t("holds"), t("values"), t("missing"), t("unique"), t("distribution"), "")
    return joined(tag("th", one, scope="col", class_="n" if one in NUMBERS else None) for one in said)


def _line(column: Mapping[str, Any], has: str, heights: Sequence[float]) -> Markup:
    """Return the cells of a column: its name and why the role is proposed, its figures, the roles to choose from."""
    name = column["name"]
    meant = str(ROLES.get(column["role"], t("for you to decide"))).lower()
    why: str = (
        column["reason"]
        if has == column["role"]
        else t("{reason} (proposed: {meant})", reason=column["reason"], meant=meant)
    )
    to_decide = [tag("strong", t("to decide"), class_="open-role")] if has == OPEN else []
    ticks = {"data_select": TABLE, "data_key": f"select-{name}", "aria_label": t("Select {name}", name=name)}
    box = tag("input", type="checkbox", value=name, **ticks)
    about = [tag("span", name, class_="column-name"), *to_decide, tag("span", why, class_="why", title=why)]
    figures = [whole(column["distinct"]), percent(column["missing"]), percent(column["unique"])]
    more = tag("button", "…", type="button", class_="button small plain", data_key=f"more-{name}", data_tells="press",
               aria_label=t("Person, household, weight, missing values, mask of {name}", name=name))  # fmt: skip
    cells = [
        tag("td", box),
        tag("th", *about, scope="row"),
        tag("td", _segments(name, has), class_="roles"),
        tag("td", known(column["type"]), class_="figure"),
        *(tag("td", one, class_="n figure") for one in figures),
        tag("td", histogram(heights), class_="figure"),
        tag("td", more),
    ]
    return joined(cells)


def _segments(name: str, has: str) -> Markup:
    """Return the roles of a column as a row of choices."""
    choices = []
    for role, said in ROLES.items():
        tells = {"data_key": f"role-{name}-{role}", "data_tells": "value", "checked": "" if role == has else None}
        radio = tag("input", type="radio", name_=f"role-{name}", value=role, **tells)
        choices.append(tag("label", radio, SHORT[role], class_=f"role-{role}", title=said))
    return tag("div", *choices, class_="segments", role="radiogroup", aria_label=t("Role of {name}", name=name))


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
        message(
            t(
                "{n} column has no role yet: {names}. Nothing is published before you decide."
                "|{n} columns have no role yet: {names}. Nothing is published before you decide.",
                n=len(undecided),
                names=undecided,
            ),
            "warn",
        )


def _refused(page: Page, name: str, reason: str) -> None:
    """Show a column that would go out unprotected, and let it be left out or insisted on."""
    allowed = name in page.draft.allow

    def leave() -> Awaitable[None]:
        return page.decide(lambda draft: {"roles": {**draft.roles, name: "leave_out"}})

    def insist() -> Awaitable[None]:
        return page.decide(lambda draft: {"allow": (*(one for one in draft.allow if one != name), name)})

    def doubt() -> Awaitable[None]:
        return page.decide(lambda draft: {"allow": tuple(one for one in draft.allow if one != name)})

    said = (
        t("You publish {name!r} anyway", name=name)
        if allowed
        else t("{name!r} cannot be published like this", name=name)
    )
    with message(f"{said}: {reason}.", "warn" if allowed else "bad"), part("div", class_="buttons"):
        button(t("Leave it out"), leave, key=f"leave-{name}", kind="small")
        if allowed:
            button(t("Undo this"), doubt, key=f"doubt-{name}", kind="small")
        else:
            button(t("Publish it anyway"), insist, key=f"insist-{name}", kind="small")


def _alone(found: Uniqueness | None, columns: int) -> None:
    """Say how many people can be found by the columns that may be known."""
    if found is None:
        message(
            t("No column may be known, so nobody could be found: mark at least one, or there is nothing to protect."),
            "warn",
        )
        return
    with part("div", class_="card alone", aria_live="polite"):
        part("h3", t("{share} of the rows are unique", share=percent(found.share)))
        drawn(share_bar(found.share, "before"))
        text(
            t(
                "{alone} of {rows} have a unique combination of the {columns} that may be known. Anyone who knows "
                "these of a person finds the row.",
                alone=t("{n} row|{n} rows", n=found.alone),
                rows=found.rows,
                columns=t("{n} column|{n} columns", n=columns),
            ),
            "faint",
        )


def _codes(page: Page, name: str, proposed: Sequence[str]) -> None:
    """Offer to read codes of a column as missing values."""
    every = [*page.draft.missing.get(name, ()), *proposed]
    with (
        message(t("May stand for missing values: {proposed} (in {name!r}).", proposed=codes_text(proposed), name=name)),
        part("div", class_="buttons"),
    ):
        button(
            t("Read as missing"),
            lambda: page.decide(lambda draft: {"missing": with_codes(draft, name, every)}),
            key=f"codes-{name}",
            kind="small",
            aria_label=t("Read {proposed} of {name} as missing", proposed=codes_text(proposed), name=name),
        )


def _more(page: Page, name: str) -> None:
    """Offer what a column says of the rows, and its codes for missing values; shown where one is set or asked for."""
    draft, use = page.draft, used_as(page.draft, name)
    declared = draft.missing.get(name, ())

    async def serve(use: str) -> None:
        await page.decide(lambda draft: with_use(draft, name, use))

    async def declare(codes: Sequence[object]) -> None:
        await page.decide(lambda draft: {"missing": with_codes(draft, name, codes)})

    async def mask(said: str) -> None:
        await page.decide(lambda draft: {"masks": with_mask(draft, name, said.strip())})

    about = t("Person, household, weight, missing values, mask of {name}", name=name)
    with part("div", class_="card fields", role="group", aria_label=about):
        chosen(t("{name} also says", name=name), USES, use, serve, key=f"use-{name}")
        written(
            t("Codes for missing values of {name}", name=name),
            codes_text(declared),
            lambda said: declare(read_codes(said)),
            key=f"missing-{name}",
            placeholder="-8, 99, NA",
        )
        unified = "yes" if name in draft.unify else ""
        chosen(
            t("Spelling in {name}", name=name),
            SPELLINGS,
            unified,
            lambda said: _unify(page, name, said),
            key=f"unify-{name}",
        )
        if draft.roles.get(name) in MASKED or name in draft.masks:
            written(
                t("Mask of {name}", name=name),
                _words(draft.masks.get(name, "")),
                mask,
                key=f"mask-{name}",
                placeholder="round:1000",
                help=t("round, top, bottom, noise, rank-swap, pram, shuffle, hash, date-shift. Empty: unchanged."),
            )
        if draft.person and name == draft.person[0]:
            _pseudonym(page)
        if use == WEIGHT and (draft.roles.get(name) == "other" or draft.weight_rounding is not None):
            _rounding(page)


async def _unify(page: Page, name: str, said: str) -> None:
    """Let spelling make a difference in a column, or none."""
    await page.decide(lambda draft: {"unify": [*sorted({*draft.unify} - {name}), *([name] if said else [])]})


def _pseudonym(page: Page) -> None:
    """Offer to publish a fresh number for each person, which links their rows."""
    written(
        t("Publish a random number for each person, in a column called"),
        page.draft.pseudonym or "",
        lambda said: page.change(pseudonym=said.strip() or None),
        key="pseudonym",
        help=t(
            "It links the rows of a person: a crowd is then the people with the same set of cells. Empty: no number."
        ),
    )


def _rounding(page: Page) -> None:
    """Offer to round the record weights that are published."""
    written(
        t("Publish weights as multiples of"),
        str(page.draft.weight_rounding or ""),
        lambda said: page.change(weight_rounding=said.strip() or None),
        key="weight_rounding",
        help=t("Rare weights may single people out. Empty: unchanged."),
        inputmode="numeric",
    )


def used_as(draft: Draft, name: str) -> str:
    """Return the part of a draft that names a column for what it says of the rows; nothing where none does."""
    single = {draft.household: HOUSEHOLD, draft.record_weight: WEIGHT}
    return PERSON if name in draft.person else single.get(name, "")


def with_use(draft: Draft, name: str, use: str) -> dict[str, Any]:
    """Return the parts of a draft in which a column says something of the rows besides its role, or nothing.

    It is not published as it is by that: it gets a role that hides it, which can be changed.
    """
    person = {*draft.person, name} if use == PERSON else {*draft.person} - {name}
    home, weight = (
        name if use == one else None if getattr(draft, one) == name else getattr(draft, one)
        for one in (HOUSEHOLD, WEIGHT)
    )
    role = draft.roles.get(name, OPEN)
    hides = HIDING.get(use, (role,))
    return {
        "person": [one for one in draft.roles if one in person],
        "pseudonym": draft.pseudonym if person else None,
        "household": home,
        "record_weight": weight,
        "weight_rounding": draft.weight_rounding if weight == draft.record_weight else None,
        "roles": {**draft.roles, name: role if role in hides else hides[0]},
    }


def with_codes(draft: Draft, name: str, codes: Sequence[object]) -> Codes:
    """Return the codes for missing values of a draft with those of one column replaced; none are taken out."""
    others = {one: some for one, some in draft.missing.items() if one != name}
    return {**others, name: list(dict.fromkeys(codes))} if codes else others


def with_mask(draft: Draft, name: str, mask: str) -> dict[str, object]:
    """Return the masks of a draft with that of one column replaced; an empty one is taken out."""
    others = {one: spec for one, spec in draft.masks.items() if one != name}
    return {**others, name: mask} if mask else others


def _words(spec: object) -> str:
    """Return a mask as it is typed; one that was given as a table, in words."""
    if not isinstance(spec, Mapping):
        return str(spec)
    numbers = ",".join(f"{name}={given}" for name, given in spec.items() if name != "mask")
    return f"{spec['mask']}:{numbers}" if numbers else str(spec["mask"])


def _says_more(draft: Draft, name: str) -> bool:
    """Whether a column has codes for missing values, spellings that count as one, or a mask."""
    return bool(draft.missing.get(name)) or name in draft.unify or name in draft.masks


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
    known_ones, undecided = len(desk.draft.named("quasi")), len(desk.draft.named(OPEN))
    said = [t("{n} may be known|{n} may be known", n=known_ones)] if known_ones else []
    return listed([*said, *([t("{n} to decide", n=undecided)] if undecided else [])])


STEP = Step(
    "roles",
    t("Roles"),
    t("What could others know, and what must stay secret?"),
    t(
        "shoal proposes roles from the names and values of the columns, and leaves open what it"
        " cannot judge. You decide."
    ),
    look,
    draw,
    said,
)
