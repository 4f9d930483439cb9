"""What the bounds for NCP of ranges and sets have in common: what they speak of, and prices that are kept."""

from __future__ import annotations

from abc import abstractmethod

from shoal.bounds.base import Bound
from shoal.microdata.prices import Prices
from shoal.problem import Problem


class RangeBound(Bound):
    """A bound that holds for NCP of ranges and sets, by prices of rows; a subclass says which."""

    def accepts(self, problem: Problem) -> list[str]:
        """Require ranges and sets, measured by NCP."""
        reasons = []
        if not problem.recoding_kind.spans:
            reasons.append("it measures ranges and sets only")
        if problem.cost.name != "ncp":
            reasons.append("it measures NCP only")
        if problem.microdata.population is not None:
            reasons.append("the loss is measured over the population too")
        return reasons

    def in_passing(self, problem: Problem) -> bool:
        """It needs compiled loops: `anneal`, which has loaded them, states the best that its effort allows."""
        return False

    def of(self, problem: Problem) -> float:
        """Return what the prices prove."""
        return self.prices(problem).bound

    def prices(self, problem: Problem) -> Prices:
        """Return the prices; they are kept with the problem and go with it."""
        kept: dict[str, Prices] = problem.kept
        key = f"prices of the bound {self.kept_as}"
        if key not in kept:
            kept[key] = self.priced(problem)
        return kept[key]

    @property
    def kept_as(self) -> str:
        """What its prices are known by."""
        return self.name

    @abstractmethod
    def priced(self, problem: Problem) -> Prices:
        """Work out the prices."""
