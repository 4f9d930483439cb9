"""Bound (A), support: what a row pays at least, wherever it is published."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.bounds.base import Bound
from shoal.costs import CellCost
from shoal.cube import Cube, refuses
from shoal.problem import Problem

LANES = 2
"""How many nodes are looked at at the same time."""


class Support(Bound):
    """A row pays at least the least cost of a pattern whose matching rows can contain an admitted class with it.

    In any release the class of a row consists of rows that match its pattern, so the rows that match are at least as
    many as any admitted class has, and show at least as many different sensitive values. Adding the least cost of
    such a pattern over all rows bounds the cost of every release. Where rows may be dropped, dropping costs a row no
    less than the all-star pattern. It dominates the distance to the (k-1)-th nearest neighbour, and small classes.
    """

    name: ClassVar[str] = "support"
    title: ClassVar[str] = "support"
    meaning: ClassVar[str] = "each row pays at least the cheapest pattern that matches enough rows and enough values"

    def accepts(self, problem: Problem) -> list[str]:
        """Require cells that are blocks of hierarchies and a cost that adds over them."""
        return refuses(problem)

    def of(self, problem: Problem) -> float:
        """Return the sum over all rows."""
        assert isinstance(problem.cost, CellCost)
        cube = Cube.of(problem)
        return float(charges(problem, cube) @ cube.counts) / problem.cost.per(problem.rows)


def charges(problem: Problem, cube: Cube) -> Floats:
    """Return for each row type the least that one of its rows pays."""
    from shoal.kernels import support_charges

    read = sorted({name for model in problem.models for name in model.attributes if len(model.attributes) == 1})
    columns = [problem.microdata.attribute(name).codes[cube.example] for name in read]
    values = np.array(columns, dtype=np.int64).reshape(len(read), len(cube.counts))
    needed = [max(m.least_values for m in problem.models if m.attributes == (name,)) for name in read]
    found: Floats = support_charges(
        cube.blocks,
        cube.losses,
        cube.nodes,
        cube.counts,
        values,
        problem.models.least_rows,
        np.array(needed, dtype=np.int64),
        LANES,
    )
    return found
