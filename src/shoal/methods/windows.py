"""Large neighbourhood search: windows of rows that are published anew, as well as a mixed-integer program can.

A window is a set of classes near a row that pays much more than its price. Their rows are freed; patterns that lose
little to the prices, and the classes outside that are open already, may take them. The program keeps what it is given
where it finds nothing better, so the cost never rises.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Ints
from shoal.cube import Cube
from shoal.cube.checks import Checks
from shoal.cube.covering import Covering
from shoal.cube.pool import Pool
from shoal.cube.program import Program

ROWS = 900
"""Rows freed in one window."""
MEMBERS_PER_TYPE = 3
"""How many patterns a freed type should have to choose from, on average."""
MOST_MEMBERS = 40_000
"""Entries of a window's program beyond which it is not tried."""


@dataclass
class Windows:
    """The search, window by window."""

    covering: Covering
    checks: Checks
    random: np.random.Generator
    rows: int
    """k; 1 where no model asks for a number of rows by itself."""
    slack: int = field(init=False)
    tried: int = 0
    idle: int = 0
    """Windows in a row that found nothing."""

    def __post_init__(self) -> None:
        self.slack = self.covering.cube.full // 25

    def step(self, prices: Ints, seconds: float | None = None) -> None:
        """Free one window and publish its rows anew."""
        self.tried += 1
        self.idle += 1
        covering = self.covering
        chosen = self._window(prices)
        if chosen is None:
            return
        types, counts = covering.without(chosen)
        pool = Pool.of(covering.cube, types, counts, prices, rows=self.checks.rows, slack=self.slack, most=MOST_MEMBERS)
        if pool is None:
            self.slack = self.slack // 2
            return
        self._adapt(pool)
        pool, start = _with_present(covering, pool, chosen)
        outlets = _outlets(covering, chosen, pool.types) if not len(self.checks.lines) else None
        costs, nodes = outlets if outlets is not None else (None, None)
        program = Program(pool, self.checks, self.rows, covering.cube.denominator, costs)
        if costs is not None:
            start = np.concatenate([start, np.zeros(len(pool.types), np.int64)])
        answer = program.solve(start=start, nodes=20, gap=2e-3, seconds=seconds)
        if answer.copies is not None:
            self._take(chosen, pool, answer.copies, costs, nodes)

    def _take(self, chosen: Ints, pool: Pool, copies: Ints, costs: Ints | None, outlets: Ints | None) -> None:
        """Put the solver's classes in place of the chosen ones, if they cost less."""
        inside, outside = np.split(copies, [len(pool.members)])
        before = int(self.covering.costs[np.isin(self.covering.classes, chosen)].sum())
        after = int(pool.costs[pool.pattern_of_member] @ inside) + (0 if costs is None else int(costs @ outside))
        if after >= before:
            return
        used = np.flatnonzero(inside)
        pieces = [np.column_stack([pool.types[pool.members[used]], pool.pattern_of_member[used], inside[used]])]
        nodes = [pool.nodes]
        if outlets is not None:
            gone = np.flatnonzero(outside)
            pieces.append(np.column_stack([pool.types[gone], len(pool) + np.arange(len(gone)), outside[gone]]))
            nodes.append(outlets[gone])
        self.covering = self.covering.replaced(chosen, np.concatenate(pieces), np.concatenate(nodes))
        self.idle = 0

    def _window(self, prices: Ints) -> Ints | None:
        """Return classes near a row that pays more than its price, the more the likelier; None if no row does."""
        covering = self.covering
        excess = np.maximum(covering.costs - prices[covering.types], 0).astype(np.float64)
        if not excess.any():
            return None
        seed = self.random.choice(len(excess), p=excess / excess.sum())
        far = covering.cube.distances(int(covering.types[seed]))[covering.types]
        number = len(covering.nodes)
        near = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(near, covering.classes, far)
        order = np.argsort(near * (1 + 0.3 * self.random.random(number)), kind="stable")
        rows = np.cumsum(np.bincount(covering.classes, minlength=number)[order])
        return order[: max(1, int(np.searchsorted(rows, ROWS)))]

    def _adapt(self, pool: Pool) -> None:
        """Look at more patterns where there was little choice, at fewer where there was much."""
        choice = len(pool.members) / max(len(pool.types), 1)
        if choice > 1.5 * MEMBERS_PER_TYPE:
            self.slack = int(self.slack * 0.85)
        elif choice < MEMBERS_PER_TYPE / 1.5:
            self.slack = min(int(self.slack * 1.15) + 1, 4 * self.covering.cube.full)


def _with_present(covering: Covering, pool: Pool, chosen: Ints) -> tuple[Pool, Ints]:
    """Add the chosen classes as they are to the pool; return it, and how many copies of each member that means."""
    cube, inside = covering.cube, np.isin(covering.classes, chosen)
    place = np.zeros(cube.types, dtype=np.int64)
    place[pool.types] = np.arange(len(pool.types))
    keys = covering.classes[inside] * len(pool.types) + place[covering.types[inside]]
    entries, copies = np.unique(keys, return_counts=True)
    owner, members = np.divmod(entries, len(pool.types))
    classes, first, patterns = np.unique(owner, return_index=True, return_inverse=True)
    nodes = covering.nodes[classes]
    costs = _cost_at(cube, nodes, pool.types[members[first]])
    joined = pool.joined(nodes, costs, patterns.reshape(-1), members)
    return joined, np.concatenate([np.zeros(len(pool.members), np.int64), copies])


def _cost_at(cube: Cube, nodes: Ints, types: Ints) -> Ints:
    pairs = cube.nodes[nodes]
    paid: Ints = cube.first.losses[pairs[:, 0], types] + cube.second.losses[pairs[:, 1], types]
    return paid


def _outlets(covering: Covering, chosen: Ints, types: Ints) -> tuple[Ints, Ints]:
    """Return for each type the cheapest class outside the window that it matches: what it pays there, and its node."""
    cube = covering.cube
    example = np.zeros(len(covering.nodes), dtype=np.int64)
    example[covering.classes] = covering.types
    fixed = np.setdiff1d(np.arange(len(covering.nodes)), chosen)
    fixed = fixed[np.argsort(covering.nodes[fixed], kind="stable")]
    best, where = np.full(len(types), -1, np.int64), np.full(len(types), -1, np.int64)
    for group in np.split(fixed, np.flatnonzero(np.diff(covering.nodes[fixed])) + 1) if len(fixed) else []:
        node = int(covering.nodes[group[0]])
        a, b = cube.nodes[node]
        keys = cube.first.groups[a].astype(np.int64) * cube.second.widths[b] + cube.second.groups[b]
        paid = cube.first.losses[a, types] + cube.second.losses[b, types]
        better = np.isin(keys[types], keys[example[group]]) & ((best < 0) | (paid < best))
        best[better], where[better] = paid[better], node
    return best, where
