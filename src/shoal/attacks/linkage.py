"""Linkage: who knows everything looks for a row that can be nobody else's (Sweeney 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.attacks.base import LINKABILITY, Attack, Figure, Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import Threshold
from shoal.core.arrays import Bools, Floats
from shoal.models import Models

SHOWN = 5
"""How many of the smallest sizes are reported."""


@dataclass(frozen=True)
class Linkage(Attack):
    """Guarantees that `after` counts the people with exactly one candidate, which is theirs.

    Figures: how many people have fewer than k candidates (k of the release, or `k`), the smallest candidate sets with
    the number of people who have them, and how many would be found by guessing: the sum of 1 / candidates. The risk is
    the highest chance of a guess, 1 / the smallest candidate set; a release whose classes have k rows promises 1 / k.
    Where households are known, also how many people are found with a member of their household.
    """

    name: ClassVar[str] = "linkage"
    meaning: ClassVar[str] = "exactly one row can be the person's"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "k >= 2; not with two tables, which show who is in them"
    criterion: ClassVar[str] = LINKABILITY
    gains: ClassVar[str] = (
        "picks the right row of a person with a chance of at most {risk}, and finds {people} for certain"
    )

    k: int = 5

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people with one candidate."""
        k = scene.shown.models.rows_asked or self.k
        figures: dict[str, Figure] = {"k": k}
        found = []
        for when, crowd in zip(("before", "after"), scene.crowds(), strict=True):
            sizes = fewest(crowd, crowd.is_right)
            found.append(int((sizes == 1).sum()))
            figures |= _with_household(scene, when, crowd)
            figures |= {
                f"below_k_{when}": int((sizes < k).sum()),
                f"smallest_{when}": smallest(sizes),
                f"guessed_{when}": round(float((1 / sizes).sum()), 3),
            }
        yield self.outcome(
            scene,
            found[0],
            found[1],
            scene.way,
            figures=figures,
            chance=Fraction(1, round(float(sizes.min()))) if len(sizes) else Fraction(0),
            threshold=None if scene.shown.is_two else promised(scene.shown.models),
        )


def fewest(crowd: Crowd, some: Bools) -> Floats:
    """Return how many candidates each person has; of one who has several rows, by the row with the fewest."""
    person = crowd.view.person
    if person is None:
        return crowd.size[some]
    least = np.full(int(person.max(initial=-1)) + 1, np.inf)
    np.minimum.at(least, person[some], crowd.size[some])
    found: Floats = least[np.isfinite(least)]
    return found


def _with_household(scene: Scene, when: str, crowd: Crowd) -> dict[str, Figure]:
    """Return how many people are found if any member of their household is; nothing where households are not known."""
    if scene.household is None or (when == "after" and scene.shown.rows is None):
        return {}
    rows = scene.shown.rows if when == "after" else np.arange(scene.rows)
    assert rows is not None
    home = scene.household[rows[rows < scene.rows]]
    found = np.isin(home, home[(crowd.size == 1) & crowd.is_right])
    return {f"found_with_household_{when}": crowd.view.hits(found)}


def promised(models: Models) -> Threshold | None:
    """Return what the requirement promises of linkage: 1 / the rows that every class has."""
    model = max(models, key=lambda one: one.least_rows, default=None)
    return None if model is None or model.least_rows < 2 else Threshold(Fraction(1, model.least_rows), str(model))


def smallest(sizes: Floats) -> list[list[int]]:
    """Return the smallest candidate sets, smallest first: how large, and how many people have one of that size.

    >>> smallest(np.array([5.0, 1.0, 5.0]))
    [[1, 1], [5, 2]]
    """
    found, people = np.unique(np.rint(sizes).astype(np.int64), return_counts=True)
    return [list(pair) for pair in zip(found[:SHOWN].tolist(), people[:SHOWN].tolist(), strict=True)]
