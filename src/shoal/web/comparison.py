"""Runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.core.markup import Content
from shoal.web.language import amount, figure, percent, t, whole
from shoal.web.parts import grid, heading

HEADINGS = (
    t("run"),
    t("requirement"),
    t("method"),
    t("crowds"),
    t("cost"),
    t("at most above the optimum"),
    t("highest risk"),
    t("error of counts"),
)


def compared(rows: Sequence[Mapping[str, Any]]) -> None:
    """Show all runs that have a release, if there are several."""
    shown = [row for row in rows if row["cost"] is not None]
    if len(shown) > 1:
        heading(t("Runs side by side"))
        grid(HEADINGS, [_cells(row) for row in shown], numbers=range(3, 8), about=t("Runs side by side")).classes(
            "roomy"
        )


def _cells(row: Mapping[str, Any]) -> list[Content]:
    gap = row["gap"]
    above = t("unknown") if gap is None else figure(f"{(gap - 1) * 100:.3g} %")
    said = f"{amount(row['cost'])} {row['cost name']}"
    shares = (_share(row["highest risk"]), _share(row["query error"]))
    return [t("Run {run}", run=row["run"]), row["require"], row["method"], whole(row["classes"]), said, above, *shares]


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
