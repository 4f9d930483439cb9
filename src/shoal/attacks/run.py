"""Running attacks against a release: `shoal.attack`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import shoal.attacks
from shoal.attacks.base import Attack, Outcome, Untried
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import FailAbove, Limits
from shoal.core.discovery import discover, lookup
from shoal.core.errors import ParameterError, Unsupported
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
NO_ORIGINAL = "the original was not given (--original FILE)"
NOT_RUN = "add it to the attacks that are run, or leave out its threshold"


@dataclass(frozen=True)
class Attacked:
    """What every attack got of a release. Counts and names of columns only: no cell is in it."""

    people: int
    """How many people the original is about; its rows, unless the release counts people."""
    published: int | None
    """How many of them are in the release; None where nobody knows."""
    outcomes: tuple[Outcome, ...]
    untried: tuple[Untried, ...] = ()
    """The attacks that could not be tried, each with the reason."""
    limits: Limits = field(default_factory=Limits)
    """The thresholds that were set for the run (`fail_above`)."""
    counts_people: bool = False
    """Whether people are counted, who may have several rows."""

    @property
    def failures(self) -> tuple[str, ...]:
        """What is not shown to be within the thresholds that were set; empty where none was set.

        These are the attacks above their threshold, those searched in part and not shown to be within it, those left
        out because they take too long, and those that were named with a threshold and could not be tried. A run in
        which nothing could be tried fails, too.
        """
        asked = [one for one in self.outcomes if self.limits.of(one.attack) is not None]
        wrong = [f"{one.name}: {one.standing}" for one in asked if not one.passed]
        wrong += [f"{one.name}: left out" for one in self.untried if one.applies and self.limits.of(one.attack)]
        left_out = {one.attack for one in self.untried if one.applies}
        wrong += [f"{name}: not tried" for name in self.limits.named if name not in left_out and not self.of(name)]
        return tuple(dict.fromkeys(wrong) if asked or wrong or not self.limits.is_set else ["no attack could be tried"])

    @property
    def passed(self) -> bool | None:
        """Whether every attack with a threshold that was set is within it; None where none was set."""
        return not self.failures if self.limits.is_set else None

    def __repr__(self) -> str:
        worst = max(self.outcomes, key=lambda one: one.share, default=None)
        hit = "none tried" if worst is None else f"at most {worst.after:,} of {worst.of:,} hit, by {worst.attack}"
        return f"<Attacked: {counted(self.people, 'person', 'people')}, {counted(len(self.outcomes), 'attack')}, {hit}>"

    def _repr_html_(self) -> str:
        """Show in a notebook how many people every attack hits."""
        rows = [
            [
                one.attack,
                one.attribute or "",
                one.knows,
                "-" if one.before is None else f"{one.before:,}",
                f"{one.after:,}",
                one.standing,
            ]
            for one in self.outcomes
        ]
        grid = table(("attack", "learns", "knows", "hit before", "hit after", "threshold"), rows, numbers=(3, 4))
        return tag("div", tag("p", tag("strong", "Attacks"), f" on {self.on}"), grid)

    @property
    def on(self) -> str:
        """How many rows were attacked, or people, in words."""
        return counted(self.people, "person", "people") if self.counts_people else counted(self.people, "row")

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "people": self.people,
            "published": self.published,
            "passed": self.passed,
            "failures": list(self.failures),
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "not_tried": [vars(one) for one in self.untried],
        }

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
    fail_above: FailAbove = None,
) -> Attacked:
    """Run attacks against a release, or a release folder, and count the people they hit before and after.

    Without the original, only the attacks that need none are run. `other` is a second release in which the same people
    may be. `attacks` are names, or attacks with parameters of their own; without it, all that can be tried are.
    `fail_above` is the largest risk that passes, a share for all attacks or by the attack's name: `passed` says whether
    all are within it, `failures` which are not shown to be. The risk of linkage is the highest chance to pick the right
    record, that of other attacks the share of the rows hit. A release that counts people (`person`) has people counted:
    candidates are the people of a class, and a person is hit by any of their rows.

    >>> import shoal
    >>> people = {"age": [25, 26, 40, 41], "illness": ["flu", "flu", "flu", "gout"]}
    >>> release = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2", recoding="range")
    >>> found = attack(release, people, attacks=["linkage", "homogeneity"], fail_above="linkage=0.5, homogeneity=0.1")
    >>> [(one.attack, one.before, one.after) for one in found.outcomes]
    [('linkage', 4, 0), ('homogeneity', 4, 2)]
    >>> found.passed, found.failures
    (False, ('homogeneity (illness): above',))
    >>> print(found.of("linkage")[0].verdict)  # doctest: +NORMALIZE_WHITESPACE
    An attacker picks the right row of a person with a chance of at most 50 %, and finds 0 of 4 rows for
    certain, knowing all quasi-identifiers. The risk of 50 % is within the threshold of 50 %.
    """
    limits = Limits.read(fail_above)
    chosen = chosen_attacks(attacks, limits, has_other=other is not None, has_original=original is not None)
    scene = Scene.of(release, original, other, is_limited=True)
    rows = scene.shown.rows
    outcomes: list[Outcome] = []
    untried: list[Untried] = []
    for one in chosen:
        got, missed = tried(one, scene)
        outcomes += [replace(found, threshold=limits.of(one.name) or found.threshold) for found in got]
        untried += missed
    published = None if rows is None else len(rows) - scene.shown.counterfeits
    if scene.person is not None and rows is not None:
        published = len(np.unique(scene.person[rows]))
    return Attacked(scene.people, published, tuple(outcomes), tuple(untried), limits, scene.person is not None)


def chosen_attacks(
    given: Iterable[Attack | str] | None,
    limits: Limits | None = None,
    *,
    has_other: bool = False,
    has_original: bool = True,
) -> list[Attack]:
    """Return the attacks to run, all where none are named; raise in words where one cannot be run on what is given."""
    chosen = [as_attack(one) for one in given] if given is not None else _all()
    limited = {} if limits is None else limits.named
    for name in limited:
        if name not in [one.name for one in chosen]:
            raise ParameterError(f"a threshold is set for {as_attack(name).name!r}, which is not run", hint=NOT_RUN)
    named = [one for one in chosen if given is not None or one.name in limited]
    if not has_other and any(one.needs_other for one in named):
        raise ParameterError(
            "the attack compares two releases, and one is given", hint="give the other with --with DIR"
        )
    if not has_original and any(one.needs_original for one in named):
        raise ParameterError(
            "the attack compares with the original, which is not given", hint="give it with --original FILE"
        )
    return chosen


def tried(one: Attack, scene: Scene) -> tuple[list[Outcome], list[Untried]]:
    """Return what an attack got, and why it was not tried, at all or on some attributes."""
    got: list[Outcome] = []
    reasons = one.untried(scene) if scene.has_original or not one.needs_original else {None: NO_ORIGINAL}
    missed = [Untried(one.name, attribute, reason) for attribute, reason in reasons.items()]
    if any(reason.attribute is None for reason in missed):
        return got, missed
    try:
        got.extend(one.run(scene))  # keeps what was found before an error
    except Unsupported as error:
        missed.append(Untried(one.name, None, str(error), applies=True))
    return got, missed if got or missed else [Untried(one.name, None, "it takes no release of this kind")]


def as_attack(given: Attack | str) -> Attack:
    """Return an attack by its name, with its own parameters."""
    return given if isinstance(given, Attack) else lookup(shoal.attacks, Attack, given, "attack")()


def _all() -> list[Attack]:
    known = discover(shoal.attacks, Attack)
    names = [*(name for name in ORDER if name in known), *(name for name in known if name not in ORDER)]
    return [known[name]() for name in names]
