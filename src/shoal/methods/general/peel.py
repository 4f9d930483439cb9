"""Peeling the cube: the three-phase algorithm of Xiao, Yi and Tao (2010), carried over to every pattern and model."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import ClassVar

import numpy as np

from shoal.bounds.prices import Ascent, Pricing
from shoal.core.arrays import Ints
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline, Method, Progress, ProgressMessage
from shoal.methods.effort import BEST, NORMAL
from shoal.methods.general.repair import repair
from shoal.microdata.partition import Partition
from shoal.models.base import Models
from shoal.models.k_anonymity import KAnonymity
from shoal.patterns import Cube, pattern_hierarchies, refusals
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.peeling import Peeling
from shoal.patterns.peeling_kernel import Regret
from shoal.problem import Problem, Solution

LIMITS = 300
"""Limits of regret, where the cube is not large."""
MOST_STEPS = 400_000_000_000
"""Limits times nodes times types: of a larger cube there are fewer limits."""
FEWEST = 10
"""But never fewer limits than these."""
MOST_PEELED = 20_000_000_000
"""Nodes times types that peeling starts with; where there are more, what is left is peeled again over more nodes."""
LOOKED = {NORMAL: 250_000_000, BEST: 8_000_000_000}
"""How often types are looked at while prices rise, with an effort: a second for every 100 million, about."""
MOST_LOOKED = 2_500_000_000
"""The same where normal effort has more than 30,000 rows to look at: there is more for each, up to this."""
RISES = {NORMAL: 2e-3, BEST: 0.0}
"""The share by which ten steps must raise the bound for the next one to be made, with an effort."""
FEW_NODES = 1_000
"""Of so few nodes the walk is short, whatever happens."""
LOOKS, LOOKS_AT_SHARES = 1, 6
"""How often every type is looked at at every node, on average at most; the second where models limit shares, so that
groups are cut and looked at again. Where that is not enough for all rows, values that a class must have are so rare
that peeling wastes them."""
MOST_CLOSE = 1_000_000_000
"""How often types are looked at at most where closeness is asked for, or a model that loops do not know: a look takes
longer then, or classes are merged in the end. On 11 columns with a million nodes more looks made the release dearer."""
GUIDE = 0.6
"""The share of its price that a row is expected to pay: less than all of it, and cheap patterns come before those that
only dear rows need."""
REACH = 0.5
"""The last limit of regret, as a share of what a row of stars costs; beyond it, there is none."""


class Peel(Method):
    """A heuristic with a proof: no bound on the cost in general, but a lower bound that can be re-checked.

    Walk the patterns from the cheapest to the all-star one. Of the uncovered rows that match a pattern, take the
    largest part that meets the models, and pass the rest on to coarser patterns; but only if what remains uncovered
    would itself be admitted: so it can always be published as the all-star class. A pattern waits as long as it costs
    its rows more than a share of what they are charged (the support bound) by some limit, which rises. Classes that a
    model refuses after all, where the compiled loops do not know it, are merged into their best neighbours. Mondrian's
    release is returned if it is cheaper.
    """

    name: ClassVar[str] = "peel"
    title: ClassVar[str] = "peeling the cube"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(N d) for each of 300 limits at worst, N nodes of the lattice, d distinct tuples"
    paper: ClassVar[str] = "after Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT 2010"
    models: ClassVar[str] = "any conjunction that the whole table meets"
    anytime: ClassVar[bool] = True

    def __init__(self, *, limits: int | None = None, effort: str | None = None, by_rows: bool = False) -> None:
        """`limits`: peel quickly, with so few limits of regret, without prices; `effort`: let prices rise after it.

        `by_rows`: peel quickly as if rows alone were counted, and merge the classes that other models refuse.
        """
        self._limits, self._effort, self._by_rows = limits, effort, by_rows

    def accepts(self, problem: Problem) -> list[str]:
        """Require patterns, and that the table as one class meets the models."""
        return [*refusals(problem, in_halves=False), *unmet(problem)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Charge the rows, unless it is to be quick; peel, repair."""
        if self._by_rows:
            rows = Models((KAnonymity(problem.models.least_rows),))
            quick = Peel(limits=self._limits).solve(
                replace(problem, models=rows, asked=None), seed=seed, deadline=deadline, progress=progress
            )
            return decided(self, problem, quick.partition, deadline, progress)
        cube = Cube.of(problem, deadline.check)
        checks = Checks.of(cube, problem.models)
        if self._limits:
            progress(0.1, "peeling (compiled at the first use)")
            found = peeled(cube, checks, np.zeros(cube.types, np.int64), deadline, self._limits)
            return concluded(self, problem, found, None, deadline, progress)
        progress(0.0, "bounding the cost of each row (compiled at the first use)")
        ascent = Ascent.of(Pricing.of(problem, cube))
        progress(0.3, "peeling")
        found = peeled(cube, checks, _guide(problem, ascent), deadline)
        if self._effort:
            ascent.price_values()
            _raise_prices(ascent, found, self._effort, deadline, progress)
        return concluded(self, problem, found, ascent, deadline, progress)


def _guide(problem: Problem, ascent: Ascent) -> Ints:
    """Return what rows are expected to pay: nothing where sensitive values are asked for, of which charges know little.

    On a census of 600,000 people with 6 different values charges made the release five times as dear.
    """
    prices = ascent.best.prices
    return prices if problem.models.count_rows_alone else np.zeros_like(prices)


def _raise_prices(ascent: Ascent, found: Covering, effort: str, deadline: Deadline, progress: Progress) -> None:
    """Let the prices rise as long as the effort and the time allow, and it pays."""
    most = looked(effort, ascent.pricing.problem.rows)
    while not deadline.passed and ascent.may_rise(found.cost, most, RISES[effort]):
        progress(0.6, standing("raising prices, which prove a lower bound", ascent, found))
        ascent.step(found.cost)


def looked(effort: str, rows: int) -> int:
    """Return how often types are looked at while prices rise, with an effort, for so many rows."""
    return max(LOOKED[effort], min(LOOKED[effort] // 30_000 * rows, MOST_LOOKED))


def standing(doing: str, ascent: Ascent, covering: Covering) -> ProgressMessage:
    """Say what is done, with cost and bound."""
    cost, bound = ascent.pricing.measured(covering.cost), ascent.pricing.stated(ascent.best)
    return ProgressMessage(doing, cost, bound)


def walked(problem: Problem, tuples: int | None = None) -> int:
    """Return the nodes of the lattice times the distinct tuples, or so many tuples: what one walk over all takes."""
    number = len(problem.microdata.counts) if tuples is None else tuples
    return number * prod(hierarchy.height + 1 for hierarchy in pattern_hierarchies(problem))


def unmet(problem: Problem) -> list[str]:
    """Return why merging classes may not end well: models that the whole table does not meet, two tables, one level."""
    if problem.global_recoding_refusal:
        return [problem.global_recoding_refusal]
    if problem.recoding_kind.two_tables:
        return ["it merges classes where it must, and anatomy groups cannot be merged"]
    return problem.refused_as_one()


def peeled(
    cube: Cube,
    checks: Checks,
    prices: Ints,
    deadline: Deadline,
    limits: int = LIMITS,
    *,
    left: Ints | None = None,
    guide: float | None = None,
) -> Covering:
    """Cover all rows by patterns, small regret to the prices first; what is left becomes the all-star class.

    `left`: only so many rows of each type are to be covered. `guide`: the share of its price that a row is expected to
    pay; unless it is said, nothing where closeness is asked for, as charges know little of it.

    Where there are too many nodes for so many types, the cheapest are walked, and what is left of the rows is peeled by
    itself over more of them, until all were walked or nothing more is covered. It ends early where types were looked
    at often enough.
    """
    share = (0.0 if checks.close else GUIDE) if guide is None else guide
    expected = (share * prices).astype(np.int64)
    rows = cube.counts if left is None else left
    types, covered, nodes = np.flatnonzero(rows), [np.empty((0, 3), np.int64)], [np.empty(0, np.int64)]
    left = rows[types]
    while len(types):
        walked = min(cube.number, max(MOST_PEELED // len(types), 2))
        places = np.append(np.arange(walked - 1), cube.number - 1)
        number = int(np.clip(MOST_STEPS // (walked * len(types)), min(FEWEST, limits), limits))
        pieces, at, rest = _peeled(cube, checks, types, places, left, expected, deadline, number)
        before = sum(map(len, nodes))
        covered.append(np.column_stack([types[pieces[:, 0]], pieces[:, 1] + before, pieces[:, 2]]))
        nodes.append(places[at])
        uncovered = np.flatnonzero(rest)
        types, left = types[uncovered], rest[uncovered]
        if walked == cube.number or not len(at):
            break
    classes = np.concatenate([*nodes, [cube.number - 1]])
    others = np.column_stack([types, np.full(len(types), len(classes) - 1), left])
    return Covering.of(cube, np.concatenate([*covered, others]), classes)


def _peeled(
    cube: Cube, checks: Checks, types: Ints, nodes: Ints, left: Ints, prices: Ints, deadline: Deadline, limits: int
) -> tuple[Ints, Ints, Ints]:
    """Peel some types over some nodes: pieces as (place in types, class, copies), places of nodes, and what is left."""
    rules = checks.rules._replace(codes=np.ascontiguousarray(checks.codes[:, types]))
    regret = Regret(max(REACH * cube.full / limits, 1.0), limits)
    looks = (LOOKS_AT_SHARES if checks.limits_shares else LOOKS) * len(types) * (len(nodes) + FEW_NODES)
    looks = min(looks, MOST_CLOSE) if checks.close or not checks.complete else looks
    peeling = Peeling.of(cube.grid.take(types), cube.levels[nodes], left, prices[types], regret, rules, looks)
    found: tuple[Ints, Ints, Ints] = watched(peeling.peel, deadline=deadline)
    return found


def concluded(
    method: Method, problem: Problem, found: Covering, ascent: Ascent | None, deadline: Deadline, progress: Progress
) -> Solution:
    """Return a covering as a solution, with what the prices prove."""
    solution = decided(method, problem, found.partition(problem), deadline, progress)
    if ascent is None:
        return solution
    bound, prices = ascent.pricing.stated(ascent.best), ascent.pricing.proof(ascent.best)
    return replace(solution, lower_bound=bound, prices=prices)


def decided(method: Method, problem: Problem, partition: Partition, deadline: Deadline, progress: Progress) -> Solution:
    """Return classes as a solution: decided by the models themselves, merged where they refuse one."""
    partition = problem.publish(partition).partition
    notes: tuple[str, ...] = ()
    refused = int((~problem.models.admits(problem.classes(partition))).sum())
    if refused:
        partition = repair(problem, partition, deadline=deadline, progress=progress)
        notes = (f"{refused:,} classes were merged into their best neighbours",)
    return replace(method.solution(problem, partition, "feasible", notes=notes), merged=refused > 0)
