"""Singling out: can a person's row be distinguished from all others?"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.core.markup import Content, Markup, listed, table, tag
from shoal.core.number_format import percent
from shoal.report.charts import bins, columns
from shoal.report.evidence import Evidence
from shoal.risk import Risk

SETS = 5
"""Sets of columns shown."""


def singling_out(found: Evidence) -> Markup:
    """Return risk and sizes of classes, before where that is shown, and after."""
    said = "Can a person's row be distinguished from all others by what somebody may know of them?"
    return tag("section", tag("h2", "Singling out"), tag("p", said), _risk(found), *_sizes(found), *_sets(found))


def _sides(found: Evidence) -> list[tuple[str, Risk]]:
    return [(name, risk) for name, risk in (("before", found.before), ("after", found.after)) if risk is not None]


def _risk(found: Evidence) -> Markup:
    sides = [risk for _, risk in _sides(found)]
    rows: list[list[Content]] = [
        ["groups of rows that look alike", *(f"{one.classes:,}" for one in sides)],
        ["rows in the smallest group", *(f"{one.uniques.smallest:,}" for one in sides)],
        ["unique rows", *(f"{one.uniques.rows:,} ({percent(one.uniques.share)})" for one in sides)],
        ["highest chance of a right guess (prosecutor)", *(percent(one.prosecutor.highest) for one in sides)],
        [
            "average chance, the share of right links if all are linked (marketer)",
            *(percent(one.marketer) for one in sides),
        ],
    ]
    for place, one in enumerate(sides[0].prosecutor.exceeding):
        above = (side.prosecutor.exceeding[place] for side in sides)
        rows.append([f"rows with a chance above {one.threshold}", *(_above(side.rows, side.share) for side in above)])
    return table(("", *(name for name, _ in _sides(found))), rows, numbers=range(1, len(sides) + 1))


def _above(rows: int, share: float) -> str:
    return f"{rows:,} ({percent(share)})"


def _sizes(found: Evidence) -> Iterator[Markup]:
    """Draw how many rows hide in groups of which size."""
    counted = [(name, bins(risk.class_sizes), risk.rows) for name, risk in _sides(found)]
    labels = max((list(one) for _, one, _ in counted), key=len)
    groups = [(label, [(name, one.get(label, 0) / rows) for name, one, rows in counted]) for label in labels]
    yield tag("h3", "How many rows are in groups of which size")
    keys = (tag("span", tag("i", class_=name), f" {name}") for name, _, _ in counted)
    yield tag("p", *keys, class_="key")
    yield columns(groups, title="share of the rows by the size of their group")
    rows = [[label, *(percent(share) for _, share in shares)] for label, shares in groups]
    headings = ("rows in the group", *(f"share of rows {name}" for name, _, _ in counted))
    details = table(headings, rows, numbers=range(1, len(counted) + 1))
    yield tag("details", tag("summary", "as a table"), details)


def _sets(found: Evidence) -> Iterator[Markup]:
    """Name the columns of the original that single people out."""
    if found.before is None:
        return
    sets = sorted(found.before.columns.sets, key=lambda one: (-one.share, len(one.columns)))[:SETS]
    if sets:
        yield tag("h3", "Columns of the original that single people out")
        shown = [[", ".join(one.columns), percent(one.share), percent(one.distinction)] for one in sets]
        yield table(("columns", "unique rows", "distinct rows"), shown, numbers=(1, 2))
    notes = (*found.before.notes, *found.before.columns.notes)
    if notes:
        yield tag("details", tag("summary", "what was assumed"), listed(notes))
