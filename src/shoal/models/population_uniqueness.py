"""Population uniqueness: how many people are likely to be unique in the population is limited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.microdata.uniqueness.population_uniques import Estimate, PopulationUniques, population_uniques
from shoal.models.base import Model
from shoal.models.k_anonymity import KAnonymity


@dataclass(frozen=True)
class PopulationUniqueness(Model):
    """Guarantees that at most the `share` of the population is estimated to be unique in it, by Dankar's rule.

    The published rows are taken for a random sample of the population, of which they are the `fraction`; so it has
    rows / fraction people. The rule takes Pitman's estimate for fractions up to 0.1, above that the lower one of the
    slide negative binomial's and Zayatz's, and Zayatz's where the others do not exist. It is an estimate, no proof:
    `shoal.microdata.uniqueness` says what each assumes. Where there is none the share counts as 1; where no row is
    unique among the published ones it is 0.

    All classes are admitted together, or none, and merging two classes can raise an estimate. Methods form classes of
    at least two rows instead, which implies it; with a share of 1 nothing is asked.

    >>> str(PopulationUniqueness(0.001, "1/30")), str(PopulationUniqueness(0.001, "1/30").surrogate(None))
    ('population-uniques=(0.001,1/30)', 'k=2')
    """

    name: ClassVar[str] = "population-uniques"
    title: ClassVar[str] = "population uniqueness"
    meaning: ClassVar[str] = "at most a share of the population is estimated to be unique in it, by Dankar's rule"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("share", "largest share of unique people", 0, 1),
        Number("fraction", "rows / people of the population", 0, 1, above=True),
    )
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    of_release: ClassVar[bool] = True
    least_asked: ClassVar[tuple[int, ...]] = (1, 1)
    estimator: ClassVar[str | None] = None
    """The estimate taken; None for the one that the rule takes."""

    share: Numeral
    fraction: Numeral

    @property
    def is_trivial(self) -> bool:
        """Whether everybody may be unique."""
        return self.limit == 1

    def surrogate(self, rows: int | None) -> Model:
        """Return k-anonymity with k = 2; with k = 1 where everybody may be unique."""
        return KAnonymity(1 if self.limit == 1 else 2)

    def level(self, classes: Classes) -> Floats:
        """Return the share, which is that of all classes."""
        return np.full(classes.number, self.reached(classes))

    def admits(self, classes: Classes) -> Bools:
        """Decide all classes together."""
        return np.full(classes.number, self.reached(classes) <= self.limit)

    def reached(self, classes: Classes) -> float:
        """Return the estimated share; 1 where there is no estimate."""
        found = population_uniques(classes, float(int(classes.sizes.sum()) / self.asked[1]))
        share = self._taken(found).share
        return 1.0 if share is None else share

    def reading(self, reached: float) -> float | list[float]:
        """Return the share reached and the fraction asked about."""
        return [reached, float(self.asked[1])]

    def _taken(self, found: PopulationUniques) -> Estimate:
        return found.chosen if self.estimator is None else next(e for e in found.estimates if e.model == self.estimator)


@dataclass(frozen=True)
class ZayatzUniqueness(PopulationUniqueness):
    """Guarantees the same by Zayatz's estimate alone, which always exists and is too high for small fractions.

    >>> str(ZayatzUniqueness(0.001, 0.05))
    'zayatz-uniques=(0.001,0.05)'
    """

    name: ClassVar[str] = "zayatz-uniques"
    title: ClassVar[str] = "population uniqueness by Zayatz"
    meaning: ClassVar[str] = "at most a share of the population is unique in it by Zayatz's estimate"
    estimator: ClassVar[str | None] = "zayatz"


@dataclass(frozen=True)
class PitmanUniqueness(PopulationUniqueness):
    """Guarantees the same by Pitman's estimate alone, which is for small fractions.

    >>> str(PitmanUniqueness(0.001, 0.05))
    'pitman-uniques=(0.001,0.05)'
    """

    name: ClassVar[str] = "pitman-uniques"
    title: ClassVar[str] = "population uniqueness by Pitman"
    meaning: ClassVar[str] = "at most a share of the population is unique in it by Pitman's estimate"
    estimator: ClassVar[str | None] = "pitman"


@dataclass(frozen=True)
class SlideNegativeBinomialUniqueness(PopulationUniqueness):
    """Guarantees the same by the slide negative binomial's estimate alone, which often does not exist.

    >>> str(SlideNegativeBinomialUniqueness(0.001, 0.5))
    'snb-uniques=(0.001,0.5)'
    """

    name: ClassVar[str] = "snb-uniques"
    title: ClassVar[str] = "population uniqueness by the slide negative binomial"
    meaning: ClassVar[str] = (
        "at most a share of the population is unique in it by the slide negative binomial's estimate"
    )
    estimator: ClassVar[str | None] = "snb"
