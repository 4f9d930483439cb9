"""Running attacks against a release: `shoal.attack`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shoal.attacks
from shoal.attacks.base import Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.core.discovery import discover, lookup
from shoal.core.errors import ParameterError
from shoal.core.markup import table, tag
from shoal.core.number_format import counted
from shoal.release.release import Release
from shoal.tables.table import TableLike

ORDER = (
    "linkage",
    "partial-linkage",
    "homogeneity",
    "background",
    "skewness",
    "similarity",
    "background-join",
    "derived",
)
"""Attacks that come first, in the order in which they are told; the others follow by name."""


@dataclass(frozen=True)
class Attacked:
    """What every attack got of a release. Counts and names of columns only: no cell is in it."""

    people: int
    """How many people the original is about."""
    published: int | None
    """How many of them are in the release; None where nobody knows."""
    outcomes: tuple[Outcome, ...]

    def _repr_html_(self) -> str:
        """Show in a notebook how many people every attack hits."""
        rows = [
            [
                one.attack,
                one.attribute or "",
                one.knows,
                "-" if one.before is None else f"{one.before:,}",
                f"{one.after:,}",
            ]
            for one in self.outcomes
        ]
        grid = table(("attack", "learns", "knows", "hit before", "hit after"), rows, numbers=(3, 4))
        return tag("div", tag("p", tag("strong", "Attacks"), f" on {counted(self.people, 'person', 'people')}"), grid)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        outcomes = [outcome.to_dict() for outcome in self.outcomes]
        return {"people": self.people, "published": self.published, "outcomes": outcomes}

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def of(self, attack: str) -> tuple[Outcome, ...]:
        """Return the outcomes of one attack."""
        return tuple(outcome for outcome in self.outcomes if outcome.attack == attack)


def attack(
    release: Release | str | Path,
    original: TableLike | None = None,
    *,
    other: Release | str | Path | None = None,
    attacks: Iterable[Attack | str] | None = None,
) -> Attacked:
    """Run attacks against a release, or a release folder, and count the people they hit before and after.

    Without the original, only the attacks that need none are run. `other` is a second release in which the same people
    may be. `attacks` are names, or attacks with parameters of their own; without it, all that can be tried are.

    >>> import shoal
    >>> people = {"age": [25, 26, 40, 41], "illness": ["flu", "flu", "flu", "gout"]}
    >>> release = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2", recoding="range")
    >>> found = attack(release, people, attacks=["linkage", "homogeneity"])
    >>> [(one.attack, one.before, one.after) for one in found.outcomes]
    [('linkage', 4, 0), ('homogeneity', 4, 2)]
    """
    chosen = [as_attack(one) for one in attacks] if attacks is not None else _all()
    if other is None and attacks is not None and any(one.needs_other for one in chosen):
        raise ParameterError("an attack on two releases has one", hint="give the other one, --with DIR")
    if original is None and attacks is not None and any(one.needs_original for one in chosen):
        raise ParameterError(
            "an attack compares with the original, which is not given", hint="give it, --original FILE"
        )
    scene = Scene.of(release, original, other)
    tried = [one for one in chosen if scene.other is not None or not one.needs_other]
    tried = [one for one in tried if scene.has_original or not one.needs_original]
    rows = scene.shown.rows
    outcomes = tuple(outcome for one in tried for outcome in one.run(scene))
    return Attacked(scene.people, None if rows is None else len(rows) - scene.shown.counterfeits, outcomes)


def as_attack(given: Attack | str) -> Attack:
    """Return an attack by its name, with its own parameters."""
    return given if isinstance(given, Attack) else lookup(shoal.attacks, Attack, given, "attack")()


def _all() -> list[Attack]:
    known = discover(shoal.attacks, Attack)
    names = [*(name for name in ORDER if name in known), *(name for name in known if name not in ORDER)]
    return [known[name]() for name in names]
