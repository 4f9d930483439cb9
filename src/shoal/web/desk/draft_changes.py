"""What differs between two drafts: by step, in words that hold no cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.request import EARLIER
from shoal.web.desk.draft import Draft
from shoal.web.language import known, t

STEPS = {
    "roles": (
        "roles",
        "allow",
        "person",
        "pseudonym",
        "household",
        "record_weight",
        "weight_rounding",
        "missing",
        "unify",
        "masks",
    ),
    "hierarchies": ("hierarchies", "order"),
    "privacy": ("require", "population", *EARLIER),
    "method": (
        "max_dropped",
        "max_suppressed",
        "suppress_sensitive",
        "method",
        "recoding",
        "column_recodings",
        "coarsen",
        "levels",
        "cost",
        "attribute_weights",
    ),
    "run": ("effort", "seed", "time_limit", "memory_limit", "format", "star", "neutralise"),
}
"""The steps after the first, and the parts of a draft that are decided there."""
NAMES = {
    "allow": t("columns published despite a warning"),
    "person": t("which person a row belongs to"),
    "household": t("which household a row belongs to"),
    "record_weight": t("how many people a row stands for"),
    "weight_rounding": t("how weights are rounded"),
    "missing": t("codes for missing values"),
    "masks": t("how columns are masked"),
    "order": t("the order of values"),
    "population": t("the table of the population"),
    "registry": t("the register of earlier releases"),
    "overlap": t("what happens if earlier releases reveal people"),
    "follows": t("the previous release"),
    "max_dropped": t("rows that may be left out"),
    "max_suppressed": t("rows that may be all stars"),
    "suppress_sensitive": t("whether rows of stars show sensitive values"),
    "time_limit": t("the time limit"),
    "recoding": t("how cells become coarser"),
    "column_recodings": t("how single columns become coarser"),
    "cost": t("what is minimized"),
    "effort": t("how long to search"),
    "coarsen": t("columns generalized beforehand"),
    "levels": t("the levels that columns may be published at"),
    "attribute_weights": t("the weight of each column"),
    "unify": t("columns in which spelling does not matter"),
    "memory_limit": t("the memory limit"),
    "format": t("the format of the release"),
    "star": t("how stars are written"),
    "neutralise": t("the apostrophe before formulas"),
}
"""What parts are called, where their own names say too little."""
FEW = 3
"""Columns that are named one by one."""


@dataclass(frozen=True)
class Change:
    """What was decided otherwise, and in which step."""

    step: str
    said: str


def changes(before: Draft, after: Draft) -> list[Change]:
    """Return what is decided otherwise in the second draft; another table is all there is to say.

    >>> one = Draft().changed(file="/t.csv", roles={"age": "open"}, require=["k=5"])
    >>> [change.said for change in changes(one, one.changed(roles={"age": "quasi"}, require=["k=20"]))]
    ["the role of 'age'", 'k=20 instead of k=5']
    """
    if before.file != after.file:
        return [
            Change(
                "data", t("the table {name!r} instead of {other!r}", name=after.name, other=before.name or t("none"))
            )
        ]
    if before.reading != after.reading:
        return [Change("data", t("how {name!r} is read", name=after.name))]
    return [Change(step, said) for step, parts in STEPS.items() for said in _said(before, after, parts)]


def _said(before: Draft, after: Draft, parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        was, now = getattr(before, part), getattr(after, part)
        if was != now:
            yield WORDS.get(part, _plainly)(part, was, now)


def _roles(part: str, was: Mapping[str, str], now: Mapping[str, str]) -> str:
    names = _differing(was, now)
    return t("the role of {names}|the roles of {names}", names=_named(names), n=len(names))


def _hierarchies(part: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = _differing(was, now)
    return t("the hierarchy of {names}|the hierarchies of {names}", names=_named(names), n=len(names))


def _differing(was: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [name for name in {**was, **now} if was.get(name) != now.get(name)]


def _named(names: Sequence[str]) -> object:
    """Return columns by their names, or how many they are."""
    return t("{n} column|{n} columns", n=len(names)) if len(names) > FEW else [repr(name) for name in names]


def _require(part: str, was: tuple[str, ...], now: tuple[str, ...]) -> str:
    more, less = ([one for one in some if one not in others] for some, others in ((now, was), (was, now)))
    if more and less:
        return t("{more} instead of {less}", more=" ".join(more), less=" ".join(less))
    if more:
        return t("{more} added", more=" ".join(more))
    return t("{less} removed", less=" ".join(less)) if less else t("the order of requirements")


def _plainly(part: str, was: object, now: object) -> str:
    """Say what a part is and was, where both are short."""
    name = NAMES[part] if part in NAMES else known(part.replace("_", " "))
    if isinstance(was, Mapping | tuple) or isinstance(now, Mapping | tuple):
        return name
    return t("{name}: {now} instead of {was}", name=name, now=_short(now), was=_short(was))


def _short(value: object) -> str:
    if value is None:
        return t("nothing")
    return Path(value).name if isinstance(value, str) and value.startswith("/") else str(value)


WORDS: Mapping[str, Callable[[str, Any, Any], str]] = {
    "roles": _roles,
    "hierarchies": _hierarchies,
    "require": _require,
}
