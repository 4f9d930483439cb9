"""Linkage with partial knowledge: who knows one, two or three columns looks for a row that can be nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from shoal.attacks.base import LINKABILITY, Attack, Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.scene import Scene


@dataclass(frozen=True)
class PartialLinkage(Attack):
    """Guarantees that `after` counts the people whose one candidate is theirs, for the best choice of known columns.

    An outcome for each number of columns from 1 to `columns`. Best is the choice that singles out most people; before
    and after it may be another one. The figures name both, and say how many people the choices single out on average.
    """

    name: ClassVar[str] = "partial-linkage"
    meaning: ClassVar[str] = "exactly one row can be the person's, for the best choice of known columns"
    knows: ClassVar[str] = "1, 2 or 3 quasi-identifiers"
    excluded_by: ClassVar[str] = "k >= 2; not with two tables, which show who is in them"
    criterion: ClassVar[str] = LINKABILITY

    columns: int = 3

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Try every choice of so many columns."""
        quasi = scene.shown.quasi
        for number in range(1, min(self.columns, len(quasi) - 1) + 1):
            choices = list(combinations(quasi, number))
            before = [_singled(Crowd(scene.before, names)) for names in choices]
            after = [_singled(Crowd(scene.after, names)) for names in choices]
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
                },
            )


def _singled(crowd: Crowd) -> int:
    return int(((crowd.size == 1) & crowd.is_right).sum())
