"""Runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.desk import Desk
from shoal.desk.runs import compare
from shoal.markup import Content, tag
from shoal.web.parts import grid, heading
from shoal.wording import number


def measured_rows(desk: Desk) -> list[Mapping[str, Any]]:
    """Return a row a run, with the number that people know it by."""
    return [{**row, "place": place} for place, row in enumerate(compare(desk.runs.all()), 1)]


def compared(rows: Sequence[Mapping[str, Any]], here: str) -> None:
    """Show all runs that have a release; the one that is looked at is marked."""
    shown = [row for row in rows if row["cost"] is not None]
    if len(shown) < 2:
        return
    heading("Runs side by side")
    headings = ("run", "every crowd meets", "method", "crowds", "cost", "proved", "at most above the least")
    grid(headings, [_cells(row, here) for row in shown], numbers=(3, 4, 5, 6), about="Runs side by side")


def _cells(row: Mapping[str, Any], here: str) -> list[Content]:
    place = f"Run {row['place']}"
    named = tag("strong", f"{place} (this one)") if row["run"] == here else tag("a", place, href=f"/result?run={row['run']}")
    cost, bound, gap = row["cost"], row["lower_bound"], row["gap"]
    said = f"{number(cost['value'])} {cost['name']}"
    above = "unknown" if gap is None else f"{(gap - 1) * 100:.3g} %"
    return [named, row["require"], row["method"], f"{row['classes']:,}", said, "–" if bound is None else number(bound), above]
