"""Before and after in one grid: cells coloured by how much was lost, crowds, a person looked up, distributions."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.core.errors import ShoalError
from shoal.core.markup import Content, Markup, joined, tag
from shoal.web.desk import Run
from shoal.web.desk.side_by_side import (
    Distribution,
    Pair,
    SideBySide,
    Sought,
    distributed,
    distribution,
    side_by_side,
)
from shoal.web.language import percent, t, whole
from shoal.web.page import Page, Picks
from shoal.web.parts import button, chosen, grid, heading, legend, message, part, text, written
from shoal.web.pictures import share_bar

ORIGINAL, ORDER, TEXT, PERSON, COLUMN, ROWS = "original", "order", "contains", "person", "distribution", "rows"
"""What is picked of the grid; none of it stands in the address, as it may be a cell."""
ORDERS = {"": t("spread over the release"), "crowd": t("smallest crowds first"), "lost": t("greatest loss first")}
MORE = 40
"""Rows that are shown on a press, besides the first ones."""
STEPS = 4
"""Shades of a cell between all kept and all lost."""


@dataclass(frozen=True)
class GridView:
    """The rows that are shown, or why there are none; and the distribution that is looked at."""

    sought: Sought
    found: SideBySide | None = None
    refused: str = ""
    columns: tuple[str, ...] = ()
    """The columns whose distributions can be compared."""
    distribution: Distribution | None = None


def look_grid(run: Run, picks: Picks) -> GridView:
    """Look at some rows before and after."""
    rows = picks.get(ROWS, "")
    said = (bool(picks.get(ORIGINAL)), picks.get(ORDER, ""), picks.get(TEXT, ""), picks.get(PERSON, ""))
    sought = Sought(*said, rows=int(rows) if rows.isdecimal() else Sought.rows)
    try:
        found, columns = side_by_side(run, sought), distributed(run)
        column = picks.get(COLUMN, "")
        shares = distribution(run, column) if sought.original and column in columns else None
    except ShoalError as error:
        return GridView(sought, refused=str(error))
    return GridView(sought, found, "", columns, shares)


def show_grid(page: Page, view: GridView) -> None:
    """Show the grid, with what it can be sorted and searched by."""
    heading(t("Before and after"))
    if not view.sought.original:
        text(t("Cells of the original are shown only if you ask for them."), "faint")
    with part("div", class_="buttons"):
        if view.sought.original:
            button(t("Hide the original"), lambda: page.pick(original=""), key=ORIGINAL, kind="small")
        else:
            button(t("Show the original beside it"), lambda: page.pick(original="yes"), key=ORIGINAL, kind="small")
    with part("div", class_="fields"):
        chosen(t("Order"), ORDERS, view.sought.order, lambda said: page.pick(order=said), key=ORDER)
        written(t("Published cells contain"), view.sought.text, lambda said: page.pick(contains=said), key=TEXT)
        written(
            t("Look up a person in the original"),
            view.sought.person,
            lambda said: page.pick(person=said),
            key=PERSON,
            placeholder="age=34, town=Oslo",
        )
    if view.found is None:
        message(view.refused, "bad")
        return
    _rows(page, view.sought, view.found)
    if view.sought.original:
        _distribution(page, view)


def _rows(page: Page, sought: Sought, found: SideBySide) -> None:
    headings: list[Content] = [t("rows alike"), *found.columns]
    rows = [[whole(one.crowd), *_cells(one)] for one in found.rows]
    grid(headings, rows, numbers=(0,), about=t("Rows before and after")).classes("cells")
    legend(lost0=t("unchanged"), lost2=t("partly lost"), lost4=t("all lost"))
    text(t("{shown} of {matching} matching rows.", shown=len(found.rows), matching=found.matching), "faint")
    if len(found.rows) < found.matching and len(found.rows) < 10 * MORE:
        more = str(len(found.rows) + MORE)
        button(t("Show more rows"), lambda: page.pick(rows=more), key="more-rows", kind="small")


def _cells(one: Pair) -> list[Markup]:
    before = one.before or (None,) * len(one.after)
    asked = one.before is not None
    return [_cell(*cell, asked) for cell in zip(one.after, one.lost, before, strict=True)]


def _cell(after: str | None, lost: float, before: str | None, asked: bool) -> Markup:
    """Return a published cell, coloured by what it lost; below it the original's, where that is another."""
    said, was = (str(t("(missing)")) if one is None else one for one in (after, before))
    shade = 0 if lost <= 0 else min(STEPS, 1 + int(lost * STEPS))
    below = [tag("span", was, class_="was")] if asked and was != said else []
    title = t("{share} lost", share=percent(lost)) if lost > 0 else None
    return joined([tag("span", said, class_=f"cell lost{shade}", title=title), *below])


def _distribution(page: Page, view: GridView) -> None:
    """Offer to compare the distribution of a column before and after."""
    if not view.columns:
        return
    heading(t("Distributions"), 3)
    options = {"": t("choose a column"), **{name: name for name in view.columns}}
    now = "" if view.distribution is None else view.distribution.column
    chosen(t("Column"), options, now, lambda name: page.pick(distribution=name), key=COLUMN)
    if view.distribution is None:
        return
    most = max((max(before, after) for _, before, after in view.distribution.bars), default=0.0) or 1.0
    rows = [
        [label, joined([share_bar(before, "before", most), share_bar(after, of=most)]), percent(before), percent(after)]
        for label, before, after in view.distribution.bars
    ]
    about = t("{column} before and after", column=now)
    grid(
        (now, t("share of the rows, from 0 to {most}", most=percent(most)), t("before"), t("after")),
        rows,
        numbers=(2, 3),
        about=about,
    ).classes("bars")
    legend(before=t("before"), after=t("after: each cell spread over the values that it covers"))
