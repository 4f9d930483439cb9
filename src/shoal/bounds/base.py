"""The contract of a lower bound: a number that no release of a problem can go below, with the argument why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import shoal.bounds
from shoal.problem import Problem
from shoal.registry import discover


class Bound(ABC):
    """A lower bound. Subclasses state the argument in their docstring and are found by discovery."""

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]

    @abstractmethod
    def accepts(self, problem: Problem) -> list[str]:
        """Return the reasons why it says nothing of this problem; none if it does."""

    @abstractmethod
    def of(self, problem: Problem) -> float:
        """Return the bound."""


def best_bound(problem: Problem) -> float | None:
    """Return the largest of the known bounds that hold for the problem; None if there is none."""
    bounds = [kind() for kind in discover(shoal.bounds, Bound).values()]
    return max((bound.of(problem) for bound in bounds if not bound.accepts(problem)), default=None)
