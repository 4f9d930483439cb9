"""Attacks as they are listed: grouped, the worst first, those that hit nobody in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.core.number_format import percent
from shoal.web.parts import grid, heading, part, text

ROW = "whose row it is"


def list_attacks(hits: Sequence[Mapping[str, Any]]) -> None:
    """Show what each attack gets: a line each, and what it got of every secret behind it."""
    heading("What attacks get")
    if not hits:
        text("No attack could be tried on this release yet.", "faint")
        return
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for one in sorted(hits, key=_share, reverse=True):
        groups.setdefault(one["attack"], []).append(one)
    with part("div", class_="stack attacks"):
        for name, some in groups.items():
            if some[0]["after"]:
                _group(name, some)
    nobody = [name for name, some in groups.items() if not some[0]["after"]]
    if nobody:
        text(f"These attacks hit no row: {', '.join(nobody)}.")


def _share(one: Mapping[str, Any]) -> float:
    return float((one["after"] or 0) / (one["of"] or 1))


def _group(name: str, some: Sequence[Mapping[str, Any]]) -> None:
    """Show an attack with its worst outcome; the others are opened by a press."""
    worst = some[0]
    with part("details"):
        with part("summary", data_key=f"attack-{name}"):
            part("strong", name)
            part("span", f" {worst['after']:,} of {worst['of']:,} rows ({percent(_share(worst))}), {_learns(worst)}")
        text(f"{worst['meaning'][:1].upper()}{worst['meaning'][1:]}.", "faint")
        rows = [[_learns(one), one["knows"], _many(one["before"]), _many(one["after"])] for one in some]
        headings = ("learns", "knows", "rows hit before", "after")
        grid(headings, rows, numbers=(2, 3), about=f"{name}: rows hit before and after")
        text(f"Excluded by: {worst['excluded_by']}.", "faint")


def _learns(one: Mapping[str, Any]) -> str:
    return one["attribute"] or ("a finer cell" if one["attack"] == "downcoding" else ROW)


def _many(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"
