"""Bound (A), support: what a row pays at least, wherever it is published."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np

from shoal.bounds.base import Bound, as_prices, in_measure
from shoal.core.arrays import Bools, Ints
from shoal.core.loops import in_lanes
from shoal.core.sorting import distinct_rows
from shoal.microdata.prices import Prices
from shoal.patterns import Cube, pattern_hierarchies, refusals
from shoal.patterns.charging import lane_charges
from shoal.patterns.demands import Demands
from shoal.problem import Problem

IN_PASSING = 4_000_000
"""Nodes times types up to which it is computed as a release is made; beyond, on request."""
NODES_IN_PASSING = 5_000
"""Nodes up to which that takes a second at most, however few the types are."""
NODES_BY_ARRAYS = 500
"""Nodes up to which arrays do it in no time, and nothing need be compiled."""
CHARGED = "charges of the bound support"
"""What they are kept under."""


class Support(Bound):
    """Holds for costs that add over cells, and for every model.

    A *pattern* keeps every attribute at some level of its hierarchy (with suppression: the value or a star). In any
    release the class of a row consists of rows that match the row's pattern, so at least as many rows match it as any
    admitted class has, they show at least as many different sensitive values, and for t-closeness at equal distance
    values of at least 1 - t of the table. A row therefore pays at least the least cost of such a pattern; add over the
    rows. A dropped row pays what the all-star pattern costs, which is no less. It dominates the distance to the
    (k-1)-th nearest neighbour. The charges are prices at which no pattern gains: the same proof as for prices.
    """

    name: ClassVar[str] = "support"
    title: ClassVar[str] = "support"
    meaning: ClassVar[str] = "each row pays at least the cheapest pattern that matches enough rows and enough values"

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube: cells that are blocks of hierarchies, and a cost that adds over them."""
        return refusals(problem, in_halves=False)

    def in_passing(self, problem: Problem) -> bool:
        """Whether it takes a second at most."""
        nodes = prod(hierarchy.height + 1 for hierarchy in pattern_hierarchies(problem))
        return nodes <= NODES_IN_PASSING and nodes * len(problem.microdata.counts) <= IN_PASSING

    def of(self, problem: Problem) -> float:
        """Return the sum over all rows of what each pays at least."""
        cube, least = _charged(problem)
        return in_measure(problem, Fraction(int(least @ cube.counts), cube.denominator))

    def prices(self, problem: Problem) -> Prices | None:
        """Return the charges."""
        cube, least = _charged(problem)
        return as_prices(problem, cube, least, int(least @ cube.counts))


def _charged(problem: Problem) -> tuple[Cube, Ints]:
    """Return cube and charges, which are kept with the problem and go with it."""
    kept: dict[str, tuple[Cube, Ints]] = problem.kept
    if CHARGED not in kept:
        cube = Cube.of(problem)
        demands = Demands.of(cube, problem.bounding, may_drop=problem.may_drop > 0)
        kept[CHARGED] = cube, charges(cube, demands)
    return kept[CHARGED]


def charges(cube: Cube, demands: Demands) -> Ints:
    """Return for each row type the least that one of its rows pays, in units; where nodes are left out, up to those."""
    small = cube.lattice <= NODES_BY_ARRAYS and cube.lattice * cube.types <= IN_PASSING
    return np.minimum(_by_arrays(cube, demands) if small else _compiled(cube, demands), min(cube.full, cube.cap))


def _by_arrays(cube: Cube, demands: Demands) -> Ints:
    least = np.full(cube.types, cube.full, dtype=np.int64)
    for a, b in cube.layout.nodes.tolist():
        paid = cube.first.losses[a] + cube.second.losses[b]
        if (paid < least).any():
            widths = [int(cube.first.widths[a]), int(cube.second.widths[b])]
            group, first, _ = distinct_rows([cube.first.groups[a], cube.second.groups[b]], widths)
            enough = _enough(cube, demands, group, len(first))[group]
            least = np.where(enough & (paid < least), paid, least)
    return least


def _enough(cube: Cube, demands: Demands, group: Ints, number: int) -> Bools:
    """Return which groups could contain an admitted class."""
    enough = np.bincount(group, weights=cube.counts, minlength=number) >= demands.rows
    for attribute, values, mass in demands.needs.tolist():
        totals = demands.totals[attribute]
        pairs = np.unique(group * len(totals) + demands.codes[attribute])
        owner, value = np.divmod(pairs, len(totals))
        enough &= np.bincount(owner, minlength=number) >= values
        enough &= np.bincount(owner, weights=totals[value], minlength=number) >= mass
    return enough


def _compiled(cube: Cube, demands: Demands) -> Ints:
    (grid, heights), most = cube.descent(), min(cube.full, cube.cap)
    found = in_lanes(lane_charges, grid, heights, cube.counts, most, demands, steps=cube.priced * cube.types)
    least: Ints = np.min(found, axis=0)
    return least
