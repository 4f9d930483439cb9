"""Population uniques: how many people are likely to be unique in the population that the table is a sample of.

Three estimates from the numbers of classes of each size, and the rule which of them to trust: Pitman's for sampling
fractions up to 0.1, above that the lower one of the slide negative binomial's and Zayatz's; Zayatz's where the others
do not exist (Dankar, El Emam, Neisa and Roffey, Estimating the re-identification risk of clinical data sets, 2012).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.core.arrays import Ints
from shoal.microdata.uniqueness.negative_binomial import slide_negative_binomial
from shoal.microdata.uniqueness.pitman import pitman
from shoal.microdata.uniqueness.zayatz import zayatz

MODELS: Mapping[str, Callable[[Ints, Ints, float], float | str]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "snb": slide_negative_binomial,
}
"""From sizes, how many classes have each, and people, to how many of these are unique, or why nobody can say."""
SMALL_FRACTION = 0.1
"""Up to this sampling fraction Pitman's estimate is taken."""


@dataclass(frozen=True)
class Estimate:
    """How many people one model finds unique in the population; None where it cannot say, and why."""

    model: str
    people: float | None
    share: float | None
    """Of the population."""
    reason: str | None = None


@dataclass(frozen=True)
class PopulationUniques:
    """The estimates, and the one that Dankar's rule takes."""

    fraction: float
    """Rows / people."""
    population: float
    chosen: Estimate
    estimates: tuple[Estimate, ...]


class Sized(Protocol):
    """Classes whose sizes are known."""

    @property
    def sizes(self) -> Ints:
        """The number of rows in each class."""


def population_uniques(sample: Sized, population: float) -> PopulationUniques:
    """Estimate from the class sizes of a sample how many people of so large a population are unique in it.

    >>> from types import SimpleNamespace
    >>> found = population_uniques(SimpleNamespace(sizes=np.array([1, 1, 1, 1, 1, 2, 2, 2, 4])), 50.0)
    >>> found.chosen.model, round(found.chosen.people, 1)
    ('snb', 2.1)
    """
    fraction = int(sample.sizes.sum()) / population
    if not (sample.sizes == 1).any():
        none = tuple(Estimate(model, 0.0, 0.0, "no row is unique in the sample") for model in MODELS)
        return PopulationUniques(fraction, population, none[0], none)
    sizes, classes = np.unique(sample.sizes, return_counts=True)
    estimates = {name: _estimate(name, model(sizes, classes, population), population) for name, model in MODELS.items()}
    return PopulationUniques(fraction, population, _chosen(estimates, fraction), tuple(estimates.values()))


def _estimate(model: str, found: float | str, population: float) -> Estimate:
    return Estimate(model, None, None, found) if isinstance(found, str) else Estimate(model, found, found / population)


def _chosen(estimates: dict[str, Estimate], fraction: float) -> Estimate:
    """Return the estimate that the rule takes."""
    other = estimates["pitman" if fraction <= SMALL_FRACTION else "snb"]
    sure = estimates["zayatz"]
    if other.people is None or sure.people is None:
        return sure
    return other if fraction <= SMALL_FRACTION or other.people <= sure.people else sure
