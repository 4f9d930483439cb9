"""What differs between two drafts: by step, in words that hold no cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.request import EARLIER
from shoal.web.desk.draft import Draft

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
        "coarsen",
        "levels",
        "cost",
        "attribute_weights",
    ),
    "run": ("effort", "seed", "time_limit", "memory_limit", "format", "star", "neutralise"),
}
"""The steps after the first, and the parts of a draft that are decided there."""
NAMES = {
    "allow": "columns that are published all the same",
    "person": "whom a row is about",
    "household": "of what household a row is",
    "record_weight": "how many people a row stands for",
    "weight_rounding": "how weights are rounded",
    "missing": "codes for missing values",
    "masks": "how columns are masked",
    "order": "the order of values",
    "population": "the table of the population",
    "registry": "the register of earlier releases",
    "overlap": "what happens if earlier releases give people away",
    "follows": "the release before this one",
    "max_dropped": "rows that may be left out",
    "max_suppressed": "rows that may be all stars",
    "suppress_sensitive": "whether rows of stars show sensitive values",
    "time_limit": "seconds to stop after",
    "recoding": "how cells become coarser",
    "cost": "what is minimized",
    "effort": "how long to search",
    "coarsen": "columns that are raised beforehand",
    "levels": "the levels that columns may be published at",
    "attribute_weights": "how much each column counts",
    "unify": "columns whose spelling makes no difference",
    "memory_limit": "the most memory",
    "format": "the format of the release",
    "star": "how stars are written",
    "neutralise": "the apostrophe before formulas",
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
        return [Change("data", f"the table {after.name!r} instead of {before.name or 'none'!r}")]
    if before.reading != after.reading:
        return [Change("data", f"how {after.name!r} is read")]
    return [Change(step, said) for step, parts in STEPS.items() for said in _said(before, after, parts)]


def _said(before: Draft, after: Draft, parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        was, now = getattr(before, part), getattr(after, part)
        if was != now:
            yield WORDS.get(part, _plainly)(part, was, now)


def _roles(part: str, was: Mapping[str, str], now: Mapping[str, str]) -> str:
    return _of_columns("the role of", "the roles of", was, now)


def _hierarchies(part: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    return _of_columns("the hierarchy of", "the hierarchies of", was, now)


def _of_columns(one: str, several: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    if len(names) > FEW:
        return f"{several} {len(names)} columns"
    return f"{one if len(names) == 1 else several} {' and '.join(map(repr, names))}"


def _require(part: str, was: tuple[str, ...], now: tuple[str, ...]) -> str:
    more, less = ([one for one in some if one not in others] for some, others in ((now, was), (was, now)))
    if more and less:
        return f"{' '.join(more)} instead of {' '.join(less)}"
    return f"{' '.join(more)} besides" if more else f"no {' '.join(less)}" if less else "the order of requirements"


def _plainly(part: str, was: object, now: object) -> str:
    """Say what a part is and was, where both are short."""
    name = NAMES.get(part, part.replace("_", " "))
    if isinstance(was, Mapping | tuple) or isinstance(now, Mapping | tuple):
        return name
    return f"{name}: {_short(now)} instead of {_short(was)}"


def _short(value: object) -> str:
    if value is None:
        return "nothing"
    return Path(value).name if isinstance(value, str) and value.startswith("/") else str(value)


WORDS: Mapping[str, Callable[[str, Any, Any], str]] = {
    "roles": _roles,
    "hierarchies": _hierarchies,
    "require": _require,
}
