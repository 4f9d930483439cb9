"""A genetic search over cuts of whole columns (Iyengar 2002), as a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.cut_points import CutPoints, single_dimensional_refusals
from shoal.problem import Problem, Solution

POPULATION = 20
"""Individuals that live at the same time."""
CHILDREN = 300
"""Children that are made, one after the other."""
FRUITLESS = 60
"""Children in a row that take nobody's place, after which no more are made."""


class Genetic(Method):
    """A heuristic, to compare with: no bound on the cost, but never above all rows as one class.

    An individual says, bit by bit, which cut points of the columns are chosen. A child takes each bit from either of
    two parents, then each bit changes with probability 1 / bits. Of a child that is refused, the longest admitted part
    of its cut points in a random order is kept: fewer cut points merge classes, so it is found by halving. It takes the
    place of the dearest individual if it is cheaper. The cheapest one in the end is published. The seed decides what is
    drawn.
    """

    name: ClassVar[str] = "genetic"
    title: ClassVar[str] = "genetic search"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = f"O(n m log b) for each of {POPULATION + CHILDREN:,} individuals of b bits"
    paper: ClassVar[str] = "Iyengar: Transforming data to satisfy privacy constraints, KDD 2002"
    models: ClassVar[str] = "any monotone model and conjunction"

    def accepts(self, problem: Problem) -> list[str]:
        """Require models that merging cannot break, and cells that are chosen class by class."""
        return single_dimensional_refusals(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Make children until they are all made, or time is over."""
        points, draw = CutPoints.of(problem), np.random.default_rng(seed)
        living = [Individual.of(points, np.zeros(len(points), dtype=bool))]
        children = fruitless = 0
        while len(points) and children < CHILDREN and fruitless < FRUITLESS and not deadline.passed:
            progress(children / CHILDREN, "making children")
            if len(living) < POPULATION:
                living.append(Individual.of(points, _admitted(points, draw.random(len(points)) < draw.random(), draw)))
                continue
            fitter = _takes_place(living, Individual.of(points, _admitted(points, _child(living, draw), draw)))
            children, fruitless = children + 1, 0 if fitter else fruitless + 1
        best = min(living, key=lambda one: one.cost)
        return self.solution(problem, points.partition(best.bits), "feasible", notes=(f"{children:,} children",))


@dataclass(frozen=True, eq=False)
class Individual:
    """A set of cut points and what its release costs."""

    bits: Bools
    cost: float

    @classmethod
    def of(cls, points: CutPoints, bits: Bools) -> Individual:
        """Return the individual of an admitted set."""
        return cls(bits, points.cost(bits))


def _child(living: list[Individual], draw: np.random.Generator) -> Bools:
    """Return the bits of a child of two parents, each the fitter of two."""
    drawn = draw.integers(len(living), size=(2, 2)).tolist()
    one, other = (min((living[place] for place in pair), key=lambda individual: individual.cost) for pair in drawn)
    size = len(one.bits)
    bits = np.where(draw.random(size) < 0.5, one.bits, other.bits)
    child: Bools = bits ^ (draw.random(size) < 1 / size)
    return child


def _admitted(points: CutPoints, bits: Bools, draw: np.random.Generator) -> Bools:
    """Return the bits, or the longest part of them in a random order that is admitted."""
    order = draw.permutation(np.flatnonzero(bits))
    low, high = 0, len(order)
    while low < high:
        middle = high if low == 0 and high == len(order) else (low + high + 1) // 2
        if points.admits(_only(len(points), order[:middle])):
            low = middle
        else:
            high = middle - 1
    return _only(len(points), order[:low])


def _only(size: int, chosen: Ints) -> Bools:
    """Return a set of so many bits, of which some are chosen."""
    bits = np.zeros(size, dtype=bool)
    bits[chosen] = True
    return bits


def _takes_place(living: list[Individual], child: Individual) -> bool:
    """Let a child take the place of the dearest individual, if it is cheaper; return whether it did."""
    dearest = max(range(len(living)), key=lambda place: living[place].cost)
    if child.cost >= living[dearest].cost:
        return False
    living[dearest] = child
    return True
