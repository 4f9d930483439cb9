"""The step Hierarchies: how a column's values become coarser, with a preview; edited, imported or left to shoal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.core.errors import ShoalError
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.choices import GROUPS, NAMED_RANGES, OTHERS, RANGES
from shoal.web.desk.cuts import Cuts, cuts
from shoal.web.desk.queries import Blocks, Shape
from shoal.web.hierarchy_editors import edit_cuts, edit_groups
from shoal.web.language import known, t, whole
from shoal.web.outline import outlined, read_outline, simplified
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, chosen, dropped, heading, lacking, message, part, text, written
from shoal.web.roles import codes_text, read_codes
from shoal.web.traffic import TREE

TYPED = "typed"
"""Groups that were written as lines and refused: they stay as they were typed."""
EXAMPLES = {
    "width": (t("Widths of the ranges"), t("finest first, each a multiple of the one before: 5, 10, 20")),
    "edges": (t("Where ranges begin"), t("levels separated by /, finest first: 18, 25, 65 / 18, 65")),
    "bins": (t("Numbers of ranges with about equally many rows"), t("the largest first: 8, 4, 2")),
    "origin": (t("Where the ranges of one width begin"), t("0 if empty")),
    "lengths": (t("How many characters are kept"), t("the longest first: 4, 2")),
    "levels": (t("Which parts of the calendar"), t("day, month, quarter, year, decade")),
    "digits": (t("How many digits are kept"), t("the most first: 4, 3, 2")),
    "tops": (t("From which number on values are joined"), t("the largest first: 10, 5")),
    "bands": (t("How many neighbours are joined"), t("a level each: 2, 4")),
    "shares": (t("Share of the rows from which on a value is kept"), t("the smallest first: 0.01, 0.05, 0.2")),
    "form": (
        t("How dates are written"),
        t("yyyy-mm-dd, dd.mm.yyyy, dd/mm/yyyy or mm/dd/yyyy; detected if empty"),
    ),
    "kind": (t("What the column holds"), t("date, zip or age; detected if empty")),
}


PUBLISHED = {
    RANGES: t("Ranges and sets are published unless you choose a hierarchy here, or groups in the step Method."),
    NAMED_RANGES: t("Ranges and sets are published, as you chose in the step Method, and no groups of hierarchies."),
    GROUPS: t("Groups are published, of every column: of your hierarchy, or of the levels that shoal chose."),
    OTHERS: t("The step Method has a choice that publishes no groups of hierarchies."),
}
"""What is said of the use of hierarchies, by what cells become."""


@dataclass(frozen=True)
class HierarchiesView:
    """The columns that may be known, and the hierarchy of the one that is looked at, or why there is none."""

    columns: tuple[str, ...]
    column: str = ""
    shape: Shape | None = None
    kinds: tuple[Any, ...] = ()
    refused: str = ""
    outline: str = ""
    """Its values, as lines; only where they were asked for."""
    cuts: Cuts | None = None
    """Where numbers are cut; only where values were asked for."""
    proposal: str = ""
    """What shoal chooses for the column, by name."""
    cells: str = OTHERS
    """What cells become: ranges, groups, or neither."""


def look(desk: Desk, picks: Picks) -> HierarchiesView:
    """Look at one column's hierarchy."""
    draft = desk.draft
    columns = tuple(draft.named("quasi"))
    if draft.file is None or not columns:
        return HierarchiesView(())
    column = picks.get("column", "")
    column = column if column in columns else columns[0]
    values = bool(picks.get("values"))
    try:
        shape, kinds = queries.hierarchy(draft, column, values=values), queries.builders(draft, column)
        outline = (picks.get(TYPED) or outlined(simplified(queries.tree(draft, column)))) if values else ""
        cut = cuts(draft, column) if values else None
        proposal, cells = queries.proposal(draft, column), queries.cells_of(draft)
        return HierarchiesView(columns, column, shape, kinds, "", outline, cut, proposal, cells)
    except ShoalError as error:
        return HierarchiesView(columns, column, refused=str(error))


def draw(page: Page, found: HierarchiesView) -> None:
    """Show the columns, then the levels of one, then how to change them."""
    if not found.columns:
        lacking(t("First mark at least one column that may be known."), t("To the roles"), "/roles", key="to-roles")
        return
    text(PUBLISHED[found.cells])
    _columns(page, found)
    heading(found.column)
    if found.shape is None:
        message(found.refused, "bad")
        _leave(page, found.column)
        return
    _levels(found.shape.levels)
    if found.shape.spec["builder"] == "intervals":
        text(t("[20, 30) is from 20 up to 30, without 30 itself."), "faint")
    _kind(page, found, found.shape)
    _parameters(page, found, found.shape)
    _edit(page, found)
    _import(page, found.column)


def said(desk: Desk) -> str:
    """Return how many are your own; the others are chosen by shoal, or ranges are published."""
    draft = desk.draft
    if not draft.named("quasi"):
        return ""
    if queries.cells_of(draft) in (RANGES, NAMED_RANGES):
        return t("none: ranges")
    own = [name for name in draft.hierarchies if draft.roles.get(name) == "quasi"]
    return t("{n} your own|{n} your own", n=len(own)) if own else t("automatic")


def _columns(page: Page, found: HierarchiesView) -> None:
    """Show the columns as buttons, the one that is looked at pressed."""
    with part("div", class_="buttons", role="group", aria_label=t("Columns that may be known")):
        for name in found.columns:
            kind = "small main" if name == found.column else "small"
            pick = lambda name=name: page.pick(column=name, values="", **{TYPED: ""})  # noqa: E731
            pressed = "true" if name == found.column else "false"
            button(name, pick, key=f"column-{name}", kind=kind, aria_pressed=pressed)


def _levels(levels: tuple[Blocks, ...]) -> None:
    """Show every level with its groups and how many people each holds."""
    with part("div", class_="levels", tabindex="0", role="region", aria_label=t("Levels")):
        for level in levels:
            top = level.level == len(levels) - 1
            between = t("Nothing left") if top else t("Level {level}", level=level.level)
            _level(level, between if level.level else t("Unchanged"))


def _level(level: Blocks, title: str) -> None:
    """Show one level."""
    with part("div", class_="card"):
        part("h3", title)
        many = level.number
        groups = t("{n} group|{n} groups", n=many) if level.level else t("{n} value|{n} values", n=many)
        part(
            "p",
            t("{groups}, the smallest has {n}|{groups}, the smallest has {n}", groups=groups, n=level.smallest),
            "faint",
        )
        with part("ul", tabindex="0", aria_label=t("{title}: groups, and how many rows each has", title=title)):
            for label, rows in level.blocks:
                with part("li"):
                    part("span", t("(missing)") if label is None else label)
                    part("span", whole(rows), "n")
        if level.blocks and level.number > len(level.blocks):
            part("p", t("and {n} more", n=level.number - len(level.blocks)), "faint")


async def _use(page: Page, column: str, spec: object) -> None:
    """Take a hierarchy, if the column can have it."""

    await page.attempt(_fit, page.desk, column, spec)


def _fit(desk: Desk, column: str, spec: object) -> None:
    queries.hierarchy(desk.draft, column, spec)
    desk.decide(lambda draft: {"hierarchies": {**draft.hierarchies, column: spec}})


def _leave(page: Page, column: str) -> None:
    """Offer to leave the column to shoal."""
    off = column not in page.draft.hierarchies
    button(t("Leave it to shoal"), lambda: page.decide(_without(column)), key="leave", kind="small", off=off)


def _without(column: str) -> Callable[[Draft], dict[str, Any]]:
    """Return the change after which shoal chooses the hierarchy of a column."""
    return lambda draft: {"hierarchies": {name: spec for name, spec in draft.hierarchies.items() if name != column}}


def _kind(page: Page, found: HierarchiesView, shape: Shape) -> None:
    """Offer the kinds of hierarchy that fit the column."""
    heading(t("Change it"), 3)
    fitting = {one.name: one for one in found.kinds if one.spec is not None}
    has = str(shape.spec["builder"])
    options = {name: known(one.meaning) for name, one in fitting.items()} | {
        "auto": t("shoal's choice: {proposal}", proposal=known(found.proposal))
    }
    if has not in options:
        options[has] = t("groups you defined")
    now = has if found.column in page.draft.hierarchies else "auto"

    async def take(name: str) -> None:
        if name == "auto":
            await page.decide(_without(found.column))
        elif name in fitting:
            await _use(page, found.column, fitting[name].spec)

    chosen(t("How values become coarser"), options, now if now in options else has, take, key="kind")
    unfit = [one for one in found.kinds if one.spec is None]
    if unfit:
        with part("details"):
            part("summary", t("Kinds unsuitable for this column"), data_key="unfit")
            with part("ul"):
                for one in unfit:
                    part("li", f"{known(one.meaning)}: {one.reason}")


def _parameters(page: Page, found: HierarchiesView, shape: Shape) -> None:
    """Offer what the kind of hierarchy may be told; a field a parameter."""
    spec = shape.spec
    kind = next((one for one in found.kinds if one.name == spec["builder"]), None)
    with part("div", class_="fields"):
        for name in () if kind is None else [name for name in kind.parameters if name in EXAMPLES]:

            async def tell(value: str, name: str = name) -> None:
                rest = {key: told for key, told in spec.items() if key != name and not _instead(key, name)}
                await _use(page, found.column, {**rest, name: value} if value.strip() else rest)

            label, help = EXAMPLES.get(name, (name, ""))
            written(label, _spelled(spec.get(name, "")), tell, key=f"told-{name}", help=help)


def _instead(key: str, name: str) -> bool:
    """Whether one way to cut ranges takes the place of another."""
    ways = {"width", "edges", "bins"}
    return name in ways and key in {*ways, "origin"}


def _spelled(value: object) -> str:
    """Write a parameter as it may be typed: levels with / between, items with commas."""
    if isinstance(value, list | tuple):
        nested = any(isinstance(one, list | tuple) for one in value)
        return (" / " if nested else ", ").join(map(_spelled, value))
    return str(value)


def _edit(page: Page, found: HierarchiesView) -> None:
    """Offer to edit cut points or groups; both show values, which are cells, so they are shown only if asked for."""
    heading(t("Edit it yourself"), 3)
    if not found.outline:
        text(
            t("Drag values into groups, or set cut points on a picture. This shows the values of the column."), "faint"
        )
        button(t("Show the values and edit groups"), lambda: page.pick(values="yes"), key="values", kind="small")
        return
    if found.cuts is not None:
        edit_cuts(found.cuts, found.column, lambda said: _use(page, found.column, _edges(str(said))))
    take = lambda lines: _take_outline(page, found.column, str(lines))  # noqa: E731
    if found.cuts is None:
        edit_groups(found.outline, found.column, take)
    else:
        with part("details"):
            part("summary", t("Or put single values into groups"), data_key="single")
            edit_groups(found.outline, found.column, take)
    button(t("Hide the values"), lambda: page.pick(values="", **{TYPED: ""}), key="values", kind="small")
    if found.cuts is None:
        _order(page, found.column)


def _edges(said: str) -> dict[str, str]:
    return {"builder": "intervals", "edges": said}


def _order(page: Page, column: str) -> None:
    """Offer the order of words, which distances and ranges of them need."""
    now = codes_text(page.draft.order.get(column, ())) if column in page.draft.order else ""

    def parts(draft: Draft, said: str) -> dict[str, Any]:
        others = {name: words for name, words in draft.order.items() if name != column}
        words = read_codes(said)
        return {"order": {**others, column: words} if words else others}

    with part("details", open=bool(now)):
        part("summary", t("Do its values have an order?"), data_key="order")
        heard = lambda said: page.decide(lambda draft: parts(draft, said))  # noqa: E731
        help = t("All values, lowest first, separated by commas: low, middle, high. Ordered distances need it.")
        written(t("Its values in order"), now, heard, key="order-words", help=help)


async def _take_outline(page: Page, column: str, lines: str) -> None:
    """Take groups that were written as lines; what is refused stays to be mended."""

    def take() -> None:
        _fit(page.desk, column, read_outline(lines))
        page.picks = {**page.picks, TYPED: ""}

    page.picks = {**page.picks, TYPED: lines}
    await page.attempt(take)


def _import(page: Page, column: str) -> None:
    """Offer to drop a hierarchy file."""

    async def sent(refused: str) -> None:
        page.alert(refused) if refused else await page.refresh()

    said = t("CSV as ARX writes it (a line for each value, with its group on every level), or JSON")
    with part("details"):
        part("summary", t("Import a file"), data_key="import")
        limit = page.desk.uploads.limit
        dropped(
            t("Drop a hierarchy here"), said, TREE, sent, key="tree", limit=limit, more=column, accept=".csv,.json,.gz"
        )


STEP = Step(
    "hierarchies",
    t("Hierarchies"),
    t("How may values become coarser?"),
    t(
        "Where a value would reveal somebody, a coarser one is published: a range of ages, a group of jobs. A "
        "hierarchy says which values form a group."
    ),
    look,
    draw,
    said,
)
