"""Local search on a covering: patterns opened for the rows of the dearest class, rows moved to cheaper classes."""

from __future__ import annotations

import numpy as np

from shoal.bounds.prices import Pricing
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline
from shoal.microdata.partition import Partition
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.moving import move_rows
from shoal.patterns.opening import open_patterns
from shoal.problem import Problem

ROUNDS = 3
"""How often every row is looked at."""
MOST_COUNTED = 200_000_000
"""Classes times values of which counts are kept meanwhile (8 bytes each); beyond, there is no local search."""

MOST_OPENED = 50_000_000
"""Nodes times values beyond which no patterns are opened: with 49 sensitive columns that took many minutes."""


def moved(covering: Covering, checks: Checks, deadline: Deadline) -> Covering:
    """Return the covering after a local search, or as it is where that saves nothing or has too much to count."""
    most = len(covering.nodes) + int(covering.copies.sum()) // max(checks.rows, 1) + 1
    if not len(checks.lines) or most * checks.totals.size > MOST_COUNTED:
        return covering
    layout, rules = covering.cube.every_layout, checks.rules
    (types, classes), nodes = covering.rows, covering.nodes
    if not checks.close and covering.cube.walked * checks.totals.size <= MOST_OPENED:
        dearest = np.array([covering.classes[np.argmax(covering.costs)]])
        walked = covering.cube.numbers_of(np.arange(covering.cube.walked))
        _, opened = watched(open_patterns, layout, walked, types, classes, nodes, dearest, rules, deadline=deadline)
        nodes = np.concatenate([nodes, opened])
    watched(move_rows, layout, types, classes, nodes, rules, ROUNDS, deadline=deadline)
    found = Covering.of_rows(covering.cube, types, classes, nodes)
    return min(covering, found, key=lambda one: one.cost)


def improved(problem: Problem, partition: Partition, deadline: Deadline) -> Partition:
    """Return the classes after a local search over the cube, as they are if a model refuses what it makes of them."""
    cube = Pricing.kept(problem, deadline.check).cube
    covering = Covering.shown(problem, cube, partition)
    found = moved(covering, Checks.of(cube, problem.models), deadline)
    if found is covering:
        return partition
    better = problem.publish(found.partition(problem)).partition
    return better if problem.models.admits(problem.classes(better)).all() else partition
