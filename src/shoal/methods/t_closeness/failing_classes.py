"""Classes that fail are joined with their neighbours: in pairs while they are many, then each with the best one."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.repair import repair
from shoal.microdata.partition import Partition
from shoal.problem import Problem

MOST = 200
"""Failing classes up to which the best neighbour is looked for."""


def mended(problem: Problem, labels: Ints, deadline: Deadline, progress: Progress) -> Partition:
    """Return classes that all meet the models, given some whose numbers say who is near whom."""
    partition = problem.publish(Partition.of(join_failing(problem, labels))).partition
    if problem.models.admits(problem.classes(partition)).all():
        return partition
    return repair(problem, partition, deadline=deadline, progress=progress)


def join_failing(problem: Problem, labels: Ints) -> Ints:
    """Join classes that fail with the one beside them, in pairs, until few fail."""
    while labels.max() > 0:
        partition = Partition.of(labels)
        failing = ~problem.models.admits(problem.classes(partition))
        if int(failing.sum()) <= MOST:
            break
        first = np.arange(len(failing)) // 2 * 2
        failing = failing | failing[np.minimum(first + 1, len(failing) - 1)] | failing[first]
        labels = np.where(failing, first, np.arange(len(failing)))[partition.class_of_row]
    return labels
