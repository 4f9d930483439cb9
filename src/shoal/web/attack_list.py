"""Attacks as they are listed: grouped, the worst first, those that hit nobody in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.web.language import known, percent, t, upper_first, whole
from shoal.web.parts import grid, heading, part, text

ROW = t("whose row it is")


def list_attacks(hits: Sequence[Mapping[str, Any]]) -> None:
    """Show what each attack gets: a line each, and what it got of every secret behind it."""
    heading(t("What attacks reveal"))
    if not hits:
        text(t("No attack could be tried on this release yet."), "faint")
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
        text(t("These attacks hit no row: {nobody}.", nobody=nobody))


def _share(one: Mapping[str, Any]) -> float:
    return float((one["after"] or 0) / (one["of"] or 1))


def _group(name: str, some: Sequence[Mapping[str, Any]]) -> None:
    """Show an attack with its worst outcome; the others are opened by a press."""
    worst = some[0]
    with part("details"):
        with part("summary", data_key=f"attack-{name}"):
            part("strong", name)
            part("span", f" {_outcome(worst)}")
        text(f"{upper_first(known(worst['meaning']))}.", "faint")
        rows = [[_learns(one), one["knows"], _many(one["before"]), _many(one["after"])] for one in some]
        headings = (t("learns"), t("knows"), t("rows hit before"), t("after"))
        grid(headings, rows, numbers=(2, 3), about=t("{name}: rows hit before and after", name=name))
        text(t("Excluded by: {excluded_by}.", excluded_by=worst["excluded_by"]), "faint")


def _outcome(one: Mapping[str, Any]) -> str:
    """Say how many rows an attack hits, and what it learns of them."""
    rows = {"hit": one["after"], "of": one["of"], "share": percent(_share(one))}
    return t("{hit} of {of} rows ({share}), {learnt}", learnt=_learns(one), **rows)


def _learns(one: Mapping[str, Any]) -> str:
    return one["attribute"] or (t("a finer cell") if one["attack"] == "downcoding" else ROW)


def _many(count: int | None) -> str:
    return "–" if count is None else whole(count)
