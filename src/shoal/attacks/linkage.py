"""Linkage: who knows everything looks for a row that can be nobody else's (Sweeney 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.base import LINKABILITY, Attack, Figure, Outcome
from shoal.attacks.scene import Scene
from shoal.core.arrays import Floats

SHOWN = 5
"""How many of the smallest sizes are reported."""


@dataclass(frozen=True)
class Linkage(Attack):
    """Guarantees that `after` counts the people with exactly one candidate, which is theirs.

    Figures: how many people have fewer than k candidates (k of the release, or `k`), the smallest candidate sets with
    the number of people who have them, and how many would be found by guessing: the sum of 1 / candidates.
    """

    name: ClassVar[str] = "linkage"
    meaning: ClassVar[str] = "exactly one row can be the person's"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "k >= 2; not with two tables, which show who is in them"
    criterion: ClassVar[str] = LINKABILITY

    k: int = 5

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people with one candidate."""
        k = scene.shown.models.rows_asked or self.k
        figures: dict[str, Figure] = {"k": k}
        found = []
        for when, crowd in zip(("before", "after"), scene.crowds(), strict=True):
            sizes = crowd.size[crowd.is_right]
            found.append(int((sizes == 1).sum()))
            figures |= {
                f"below_k_{when}": int((sizes < k).sum()),
                f"smallest_{when}": smallest(sizes),
                f"guessed_{when}": round(float((1 / sizes).sum()), 3),
            }
        yield self.outcome(scene, found[0], found[1], scene.way, figures=figures)


def smallest(sizes: Floats) -> list[list[int]]:
    """Return the smallest candidate sets, smallest first: how large, and how many people have one of that size.

    >>> smallest(np.array([5.0, 1.0, 5.0]))
    [[1, 1], [5, 2]]
    """
    found, people = np.unique(np.rint(sizes).astype(np.int64), return_counts=True)
    return [list(pair) for pair in zip(found[:SHOWN].tolist(), people[:SHOWN].tolist(), strict=True)]
