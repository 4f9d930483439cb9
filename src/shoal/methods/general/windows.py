"""Large neighbourhood search: windows of rows that are published anew, as well as a mixed-integer program can.

A window is a set of classes near a row that pays much more than its price. Their rows are freed; patterns that lose
little to the prices, and the classes outside that are open already, may take them. The program keeps what it is given
where it finds nothing better, so the cost never rises.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program

MOST_MEMBERS = 40_000
"""Entries of a window's program beyond which it is not tried."""
ABREAST = 2
"""How many windows are solved at the same time."""


@dataclass(frozen=True)
class Size:
    """How large a window is, and how well its program is solved."""

    rows: int
    """Rows that are freed."""
    choice: float
    """How many patterns a freed type should have to choose from, on average."""
    nodes: int
    gap: float
    """Branching nodes and relative gap at which the solver may stop."""
    cuts: int = 8
    """How often cuts are added at most, where models are not linear in counts."""


LARGE = Size(rows=450, choice=1.6, nodes=5, gap=2e-3)
"""Windows to begin with: many patterns are open for the first time, and most windows save."""
SMALL = Size(rows=200, choice=3, nodes=50, gap=1e-4)
"""Windows once large ones find little: on Adult with 8 columns 38 in 188 save then, where 38 in 634 large ones did."""
CURVED, CURVED_MEMBERS = Size(rows=60, choice=2, nodes=5, gap=2e-3), 300
"""Windows where models are not linear in counts, and entries of their programs: each is solved several times."""
SMALL_AFTER = 40
"""Large windows in a row without a better release after which small ones follow."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A window: the classes that are freed, what may take their rows, and the program that decides."""

    chosen: Ints
    pool: Pool
    program: Program
    start: Ints
    before: int
    """What the freed rows pay, in units."""
    outlets: Ints | None
    """For each freed type the node of the class outside that it may join."""
    size: Size

    def solved(self, seconds: float | None) -> tuple[Ints, Ints] | None:
        """Return cheaper classes as (type, class, copies) and their nodes; None if the solver finds none."""
        size = self.size
        answer = self.program.solve(start=self.start, nodes=size.nodes, gap=size.gap, cuts=size.cuts, seconds=seconds)
        if answer.copies is None or self._paid(answer.copies) >= self.before:
            return None
        pool, (inside, outside) = self.pool, np.split(answer.copies, [len(self.pool.members)])
        gone = np.flatnonzero(outside)
        away = np.column_stack([pool.types[gone], len(pool) + np.arange(len(gone)), outside[gone]])
        nodes = pool.nodes if self.outlets is None else np.concatenate([pool.nodes, self.outlets[gone]])
        return np.concatenate([pool.pieces(inside), away]), nodes

    def _paid(self, copies: Ints) -> int:
        inside, outside = np.split(copies, [len(self.pool.members)])
        paid = int(self.pool.costs[self.pool.pattern_of_member] @ inside)
        return paid + (0 if self.program.outlets is None else int(self.program.outlets @ outside))


@dataclass
class Windows:
    """The search: windows apart from each other, as many at a time as there are threads, and so on."""

    covering: Covering
    checks: Checks
    random: np.random.Generator
    most: int = MOST_MEMBERS
    """Entries of a window's program beyond which it is not tried."""
    tried: int = 0
    idle: int = 0
    """Windows in a row that found nothing."""
    size: Size = LARGE

    def __post_init__(self) -> None:
        self.slack = self.covering.cube.full // 25
        if len(self.checks.curved) and self.size is LARGE:
            self.size, self.most = CURVED, min(self.most, CURVED_MEMBERS)

    def step(self, prices: Ints, seconds: float | None = None) -> None:
        """Free some windows and publish their rows anew."""
        free = np.ones(len(self.covering.nodes), dtype=bool)
        windows = []
        for _ in range(ABREAST):
            chosen = self._window(prices, free)
            free[chosen] = False
            windows.append(chosen)
        plans = [plan for chosen in windows if len(chosen) and (plan := self._plan(chosen, free, prices))]
        with ThreadPoolExecutor(ABREAST) as threads:
            found = list(threads.map(lambda plan: plan.solved(seconds), plans))
        better = [(plan.chosen, *pieces) for plan, pieces in zip(plans, found, strict=True) if pieces is not None]
        if better:
            self.covering = self.covering.replaced(better)
        self.tried += ABREAST
        self.idle = 0 if better else self.idle + ABREAST
        if self.idle >= SMALL_AFTER and self.size is LARGE:
            self.idle, self.size = 0, SMALL

    def _window(self, prices: Ints, free: Bools) -> Ints:
        """Return free classes near a row that pays more than its price, the more the likelier; none if no row does."""
        covering = self.covering
        excess = np.maximum(covering.costs - prices[covering.types], 0) * covering.copies * free[covering.classes]
        if not excess.any():
            return np.empty(0, dtype=np.int64)
        seed = self.random.choice(len(excess), p=excess / excess.sum())
        far = covering.cube.distances(int(covering.types[seed]))[covering.types]
        number = len(covering.nodes)
        near = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(near, covering.classes, far)
        order = np.argsort(near * (1 + 0.3 * self.random.random(number)), kind="stable")
        order = order[free[order]]
        rows = np.cumsum(np.bincount(covering.classes, weights=covering.copies, minlength=number)[order])
        return order[: max(1, int(np.searchsorted(rows, self.size.rows)))]

    def _plan(self, chosen: Ints, free: Bools, prices: Ints) -> Plan | None:
        """Gather the patterns that lose little to the prices, the classes as they are, and those outside."""
        covering, cube = self.covering, self.covering.cube
        types, counts = covering.without(chosen)
        pool = Pool.of(cube, types, counts, prices, rows=self.checks.rows, slack=self.slack, most=self.most)
        if pool is None:
            self.slack //= 2
            return None
        self._adapt(pool)
        pool, start = _with_present(covering, pool, chosen)
        costs, outlets = None, None
        if not len(self.checks.lines):
            costs, outlets = _outlets(covering, np.flatnonzero(free), pool.types)
            start = np.concatenate([start, np.zeros(len(pool.types), np.int64)])
        before = int((covering.costs * covering.copies)[np.isin(covering.classes, chosen)].sum())
        program = Program(pool, self.checks, cube.denominator, costs)
        return Plan(chosen, pool, program, start, before, outlets, self.size)

    def _adapt(self, pool: Pool) -> None:
        """Look at more patterns where there was little choice, at fewer where there was much."""
        choice = len(pool.members) / max(len(pool.types), 1)
        if choice > 1.5 * self.size.choice:
            self.slack = int(self.slack * 0.85)
        elif choice < self.size.choice / 1.5:
            self.slack = min(int(self.slack * 1.15) + 1, 4 * self.covering.cube.full)


def _with_present(covering: Covering, pool: Pool, chosen: Ints) -> tuple[Pool, Ints]:
    """Add the chosen classes as they are to the pool; return it, and how many copies of each member that means."""
    cube, inside = covering.cube, np.isin(covering.classes, chosen)
    place = np.zeros(cube.types, dtype=np.int64)
    place[pool.types] = np.arange(len(pool.types))
    keys = covering.classes[inside] * len(pool.types) + place[covering.types[inside]]
    entries, own = np.unique(keys, return_inverse=True)
    copies = np.bincount(own.reshape(-1), weights=covering.copies[inside]).astype(np.int64)
    owner, members = np.divmod(entries, len(pool.types))
    classes, first, patterns = np.unique(owner, return_index=True, return_inverse=True)
    nodes = covering.nodes[classes]
    costs = cube.grid.paid_at(cube.levels[nodes], pool.types[members[first]])
    joined = pool.joined(nodes, costs, patterns.reshape(-1), members)
    return joined, np.concatenate([np.zeros(len(pool.members), np.int64), copies])


def _outlets(covering: Covering, fixed: Ints, types: Ints) -> tuple[Ints, Ints]:
    """Return for each type the cheapest of the fixed classes that it matches: what it pays there, and its node."""
    cube = covering.cube
    example = np.zeros(len(covering.nodes), dtype=np.int64)
    example[covering.classes] = covering.types
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
