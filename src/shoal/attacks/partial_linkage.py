"""Linkage with partial knowledge: who knows one, two or three columns looks for a row that can be nobody else's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from shoal.attacks.base import LINKABILITY, Attack, Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import Threshold
from shoal.core.arrays import Ints
from shoal.risk.singling import crowd_sizes, packed

EFFORT = 500_000_000
"""Rows visited for the choices of one number of columns, at most."""
WALK = 8
"""How many visits it takes to look for the candidates of a person in the release."""


@dataclass(frozen=True)
class PartialLinkage(Attack):
    """Guarantees that `after` counts the people whose one candidate is theirs, for the best choice of known columns.

    An outcome for each number of columns from 1 to `columns`. Best is the choice that singles out most people; before
    and after it may be another one. The figures name both, and say how many people the choices single out on average.
    Where there are too many choices, those of the columns that single out most people alone are tried. Whoever knows
    fewer columns has at least as many candidates, so nobody is hit who has more than one by all columns.
    """

    name: ClassVar[str] = "partial-linkage"
    meaning: ClassVar[str] = "exactly one row can be the person's, for the best choice of known columns"
    knows: ClassVar[str] = "1, 2 or 3 quasi-identifiers"
    excluded_by: ClassVar[str] = "k >= 2; not with two tables, which show who is in them"
    criterion: ClassVar[str] = LINKABILITY
    gains: ClassVar[str] = "finds {people} for certain, with the best choice of columns"

    columns: int = 3

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Take a release with two quasi-identifiers or more."""
        return {None: "there is one quasi-identifier: see linkage"} if len(scene.shown.quasi) < 2 else {}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Try every choice of so many columns, or as many as can be afforded."""
        quasi, findable = scene.shown.quasi, _findable(scene)
        alone = {name: (_singled_before(scene, [name]), int(scene.before.cells[name].max())) for name in quasi}
        effort = scene.rows + WALK * (len(scene.after.weights) if len(findable) else 0)
        threshold = (
            None if scene.shown.is_two else Threshold.excluded(scene.shown.models, lambda one: one.least_rows > 1)
        )
        for number in range(1, min(self.columns, len(quasi) - 1) + 1):
            taken = _affordable(alone, number, effort)
            choices, all_choices = list(combinations(taken, number)), comb(len(quasi), number)
            before = [_singled_before(scene, names) for names in choices]
            after = [_singled_after(scene, names, findable) for names in choices]
            is_part = len(choices) < all_choices
            yield self.outcome(
                scene,
                max(before),
                max(after),
                Crowd(scene.after, choices[int(np.argmax(after))]).way,
                knows=f"any {number} of {len(quasi)} quasi-identifiers",
                figures={
                    "columns": number,
                    "best_before": list(choices[int(np.argmax(before))]),
                    "best_after": list(choices[int(np.argmax(after))]),
                    "mean_before": round(float(np.mean(before)), 3),
                    "mean_after": round(float(np.mean(after)), 3),
                    "choices": len(choices),
                    "of_choices": all_choices,
                },
                at_most=Fraction(len(findable), scene.people) if is_part else None,
                left_out=_said(len(choices), all_choices, len(taken), len(findable)) if is_part else "",
                threshold=threshold,
            )


def _affordable(alone: Mapping[str, tuple[int, int]], number: int, effort: int) -> list[str]:
    """Return the columns of which all choices can be tried: those that single out most people alone, in their order.

    Of columns that single out as many, those with more values are taken.
    """
    most = len(alone)
    while most > number and comb(most, number) * effort > EFFORT:
        most -= 1
    best = sorted(alone, key=lambda name: alone[name], reverse=True)[:most]
    return [name for name in alone if name in best]


def _said(choices: int, all_choices: int, columns: int, findable: int) -> str:
    said = (
        f"Searched {choices:,} of {all_choices:,} choices, all those of the {columns} columns that single out most"
        " rows of the original."
    )
    most = f"{findable:,} rows at most, so no choice finds more" if findable else "nobody, so no choice does"
    return f"{said} All columns together find {most}."


def _findable(scene: Scene) -> Ints:
    """Return the people whom a choice of columns may single out in the release.

    A row that is alone by some columns is alone by all of them. Candidates by all columns are candidates by some, too,
    but for centroids, of which the nearest may be others.
    """
    crowd = scene.crowds()[1]
    if scene.person is not None:
        return np.flatnonzero(crowd.size <= 1)
    if np.bincount(crowd.class_of_row, weights=scene.after.weights).min() > 1:
        return np.zeros(0, dtype=np.int64)
    return np.arange(scene.after.number) if crowd.way == "nearest" else np.flatnonzero(crowd.size <= 1)


def _singled_before(scene: Scene, names: Sequence[str]) -> int:
    """Return how many people are alone with their values in the original."""
    if scene.person is not None:
        return scene.before.hits(Crowd(scene.before, names).size == 1)
    columns = [scene.before.cells[name] for name in names]
    key, span = packed(columns, [len(scene.before.covers[name].starts) - 1 for name in names])
    return int((crowd_sizes(key, span, np.ones(scene.people, dtype=np.int64)) == 1).sum())


def _singled_after(scene: Scene, names: Sequence[str], people: Ints) -> int:
    """Return how many of some people have one candidate in the release, which is theirs."""
    if not len(people):
        return 0
    crowd = Crowd(scene.after.of(people), names)
    return crowd.view.hits((crowd.size == 1) & crowd.is_right)
