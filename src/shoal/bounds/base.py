"""The contract of a lower bound: a number that no release of a problem can go below, with the argument why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import ClassVar

import shoal.bounds
from shoal.core.arrays import Ints
from shoal.core.discovery import discover
from shoal.costs import CellCost
from shoal.microdata.prices import Prices
from shoal.patterns import Cube
from shoal.patterns.demands import left_out
from shoal.problem import Problem


class Bound(ABC):
    """A lower bound. Subclasses state the argument in their docstring and are found by discovery.

    What holds for `generalize` holds for `single-dimensional` and `full-domain`: with one cut or one level for all rows
    of a column, and stars for some rows, a release is still a choice of a block of the hierarchies for every cell, the
    rows of equal cells a class.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]

    @abstractmethod
    def accepts(self, problem: Problem) -> list[str]:
        """Return the reasons why it says nothing of this problem; none if it does."""

    @abstractmethod
    def of(self, problem: Problem) -> float:
        """Return the bound."""

    def in_passing(self, problem: Problem) -> bool:
        """Whether it is computed so quickly that every release gets it; the others are for those who ask."""
        return True

    def prices(self, problem: Problem) -> Prices | None:
        """Return prices that prove it; None where it rests on another argument."""
        return None


def bounds() -> dict[str, type[Bound]]:
    """Return every known bound by its name."""
    return discover(shoal.bounds, Bound)


def best_bound(problem: Problem) -> tuple[float | None, Prices | None]:
    """Return the largest of the bounds that come in passing, None if there is none, and the best prices among them."""
    known = [
        bound for kind in bounds().values() if not (bound := kind()).accepts(problem) and bound.in_passing(problem)
    ]
    proofs = [prices for bound in known if (prices := bound.prices(problem)) is not None]
    values = [bound.of(problem) for bound in known]
    best = max(proofs, key=lambda prices: prices.bound, default=None)
    return max(values, default=None), best


PROVABLE = ("stars", "height", "ncp", "precision")
"""Costs for which the checker of prices can work out anew what a pattern costs."""


def is_provable(problem: Problem) -> bool:
    """Whether the checker of prices can speak of the problem."""
    population = problem.recoding_kind.along_hierarchies and problem.microdata.population is not None
    return problem.cost.name in PROVABLE and not population


def as_prices(problem: Problem, cube: Cube, of_type: Ints, units: int) -> Prices | None:
    """Return prices of row types as prices of rows with what they prove; None where they could not be checked."""
    if not is_provable(problem):
        return None
    bound = in_measure(problem, Fraction(units, cube.denominator))
    return Prices(of_type[cube.type_of_row], cube.denominator, bound, tuple(_remarks(problem, cube)))


def _remarks(problem: Problem, cube: Cube) -> Iterator[str]:
    """Say what the bound does not look at."""
    if cube.priced < cube.lattice:
        yield f"the bound rests on {cube.priced:,} of the lattice's {cube.lattice:,} nodes, and holds for all of them"
    unread = left_out(problem.bounding, cube.values, may_drop=problem.may_drop > 0)
    if unread:
        yield f"the bound leaves out {', '.join(unread)}: with them it could only be higher"


def in_measure(problem: Problem, bound: Fraction) -> float:
    """Return a bound on the sum over all rows in the measure of the cost, never above it."""
    cost = problem.cost
    assert isinstance(cost, CellCost)
    if cost.name == "stars":
        return float(max(0, ceil(bound)))
    return max(0.0, float(bound / Fraction(cost.per(problem.rows))) * (1 - 2.0**-50))
