"""Skewness (Li et al. 2007): the candidates make a value much more probable than the whole table does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.scene import Scene
from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral

FACTOR = Number("factor", "how many times as probable", 1)
DIFFERENCE = Number("difference", "how much more probable", 0, 1)


@dataclass(frozen=True)
class Skewness(Attack):
    """Guarantees that `after` counts the people whose own value has become much more probable.

    The prior is the share of the value in the published table, the posterior its share among the candidates. Hit is who
    has posterior >= factor * prior and posterior - prior > difference. Under t-closeness with equal distance the
    difference is at most t.
    """

    name: ClassVar[str] = "skewness"
    meaning: ClassVar[str] = "the person's value is much commoner among the candidates than in the table"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "t <= difference, equal distance; beta < factor - 1; delta <= log2(factor)"
    more_by_fewer: ClassVar[bool] = False
    gains: ClassVar[str] = (
        "finds the true {attribute} of {people} at least {factor:g} times as probable as in the whole table, and more"
        " probable by over {difference:g}"
    )

    factor: Numeral = 2
    difference: Numeral = "0.2"

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Compare the own value's share among candidates and in the table."""
        factor, difference = self._limits
        for name in scene.sensitive:
            (before, _), (after, gained) = (self._hits(crowd, name) for crowd in scene.crowds())
            first, second = scene.crowds()
            yield self.outcome(
                scene,
                first.view.hits(before),
                second.view.hits(after),
                scene.way,
                attribute=name,
                words={"factor": factor, "difference": difference},
                figures={
                    "factor": factor,
                    "difference": difference,
                    "largest_gain": round(float(gained.max(initial=0.0)), 6),
                },
            )

    @property
    def _limits(self) -> tuple[float, float]:
        return float(FACTOR.read(self.factor, self.name)), float(DIFFERENCE.read(self.difference, self.name))

    def _hits(self, crowd: Crowd, name: str) -> tuple[Bools, Floats]:
        """Return who is hit, and how much more probable everybody's own value has become."""
        factor, difference = self._limits
        prior = crowd.prior(name)[crowd.view.own_secrets[name]]
        posterior = crowd.secret(name).own / np.maximum(crowd.size, 1e-300)
        close = 1e-12
        gained: Floats = posterior - prior
        return (posterior >= factor * prior * (1 - close)) & (gained > difference + close) & (posterior > 0), gained
