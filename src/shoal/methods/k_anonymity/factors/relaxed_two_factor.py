"""The relaxed 2-factor: edges may be used by a part. A linear program, solved over few edges and priced over all."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.solver import new_solver

NEAR = 8
"""How many of the nearest vertices each is joined to at first."""
MORE = 5
"""How many edges are added at a time, for each vertex."""


def relaxed_two_factor(apart: Ints) -> tuple[Ints, Bools]:
    """Return prices of the vertices, in halves of a unit, and which edges a least relaxed 2-factor uses.

    At the optimum prices are halves: they are rounded to such, so that nothing is left of the solver's tolerance.

    >>> prices, used = relaxed_two_factor(np.ones((3, 3), dtype=np.int64))
    >>> len(prices), used.tolist()
    (3, [[False, True, True], [False, False, True], [False, False, False]])
    """
    program = Program(apart)
    while True:
        prices, part = program.solve()
        new = program.missing(prices)
        if not len(new):
            used = np.zeros(apart.shape, dtype=bool)
            used[tuple(program.ends[part > 1e-6].T)] = True
            return np.rint(2 * program.scale * prices).astype(np.int64), used
        program.add(new)


class Program:
    """The linear program: of all edges those known so far, each vertex on two of them; weights scaled to at most 1."""

    def __init__(self, apart: Ints) -> None:
        self.scale = max(int(apart.max()), 1)
        self.weights: Floats = apart / self.scale
        self.known = np.tril(np.ones(apart.shape, dtype=bool))
        self.ends: Ints = np.empty((0, 2), dtype=np.int64)
        self.solver: Any = new_solver()
        twice, none = np.full(len(apart), 2.0), np.zeros(len(apart), dtype=np.int32)
        self.solver.addRows(len(apart), twice, twice, 0, none, none[:0], twice[:0])
        self.add(_first_edges(apart))

    def add(self, ends: Ints) -> None:
        """Let the program use these edges as well."""
        number, zeros = len(ends), np.zeros(len(ends))
        starts = np.arange(0, 2 * number, 2, dtype=np.int32)
        weights = self.weights[tuple(ends.T)]
        rows, ones = ends.astype(np.int32).ravel(), np.ones(2 * number)
        self.solver.addCols(number, weights, zeros, zeros + 1, 2 * number, starts, rows, ones)
        self.known[tuple(ends.T)] = True
        self.ends = np.concatenate([self.ends, ends])

    def solve(self) -> tuple[Floats, Floats]:
        """Return the prices of the vertices, and how much each edge is used."""
        self.solver.run()
        answer = self.solver.getSolution()
        return np.array(answer.row_dual), np.array(answer.col_value)

    def missing(self, prices: Floats) -> Ints:
        """Return edges that would make it cheaper, those first that promise most."""
        regrets = self.weights - prices[:, None] - prices
        regrets[self.known] = 0
        ends = np.argwhere(regrets < -1e-7)
        order = np.argsort(regrets[tuple(ends.T)], kind="stable")
        return ends[order[: MORE * len(prices)]]


def _first_edges(apart: Ints) -> Ints:
    """Return the edges to the nearest vertices, and a cycle through all, so that there is a 2-factor."""
    number = len(apart)
    others = apart.copy()
    np.fill_diagonal(others, np.iinfo(np.int64).max)
    near = np.argsort(others, axis=1, kind="stable")[:, : min(NEAR, number - 1)]
    everyone = np.arange(number)
    pairs = np.stack([np.repeat(everyone, near.shape[1]), near.ravel()], axis=1)
    cycle = np.stack([everyone, np.roll(everyone, -1)], axis=1)
    return np.unique(np.sort(np.concatenate([pairs, cycle]), axis=1), axis=0)
