"""Merging by distance: a class that fails the models takes in the class whose mean is nearest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.methods.base import Deadline, Progress
from shoal.methods.microaggregation.clusters import Clusters
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.problem import Problem

Urgency: TypeAlias = Callable[[Classes], Floats]
"""How urgent it is to merge each of some classes."""


def smallest_first(classes: Classes) -> Floats:
    """Let the class with the fewest rows be merged first."""
    return -classes.sizes.astype(np.float64)


def merge_nearest(
    problem: Problem, partition: Partition, urgency: Urgency, *, deadline: Deadline, progress: Progress
) -> Partition:
    """Return a coarser partition whose published classes are all admitted.

    Of the classes that fail the most urgent one takes in the one whose mean is nearest, until none fails, at the latest
    with all rows as one class. When time is over all classes that still fail become one, or all rows do. Classes must
    be numbered by their contents; then what comes out does not depend on the order of rows.

    Raises `Infeasible` where not even all rows as one class meet a monotone model, `Unsupported` where merging ended
    there and another model refuses it.
    """
    problem.check_feasible()
    partition = problem.publish(partition).partition
    while len(partition) > 1 and not problem.deciding.admits(problem.classes(partition)).all():
        partition = problem.publish(_merged(problem, partition, urgency, deadline, progress)).partition
    if not problem.deciding.admits(problem.classes(partition)).all():
        raise Unsupported(
            f"merging classes does not make them meet {problem.required}", hint="ask for less, or use another method"
        )
    return partition


def _merged(
    problem: Problem, partition: Partition, urgency: Urgency, deadline: Deadline, progress: Progress
) -> Partition:
    """Merge until every class is admitted by itself; equal cells may then bring some together that are not."""
    clusters, classes = Clusters(problem, partition), problem.classes(partition)
    failing, urgent = ~problem.deciding.admits(classes), urgency(classes)
    begun = int(failing.sum())
    while failing.any() and len(clusters.alive) > 1:
        if deadline.passed:
            return _merged_at_once(problem, clusters, failing)
        progress(max(1 - int(failing.sum()) / begun, 0.0), "merging classes that fail")
        one = int(np.argmax(np.where(failing, urgent, -np.inf)))
        other = clusters.nearest(one)
        clusters.merge(one, other)
        failing[other] = False
        alone = _alone(problem, clusters.rows(one))
        failing[one], urgent[one] = not problem.deciding.admits(alone)[0], urgency(alone)[0]
    return clusters.partition


def _merged_at_once(problem: Problem, clusters: Clusters, failing: Bools) -> Partition:
    """Make one class of all that fail; of all rows, if the models refuse that."""
    labels = clusters.partition.class_of_row
    rows = np.concatenate([clusters.rows(one) for one in np.flatnonzero(failing).tolist()])
    if not problem.deciding.admits(_alone(problem, rows))[0]:
        return Partition.whole(problem.rows)
    together = labels.copy()
    together[rows] = labels.max() + 1
    return Partition.of(together)


def _alone(problem: Problem, rows: Ints) -> Classes:
    """Return what models see of some rows as one class."""
    return problem.candidates(rows, np.zeros(len(rows), dtype=np.int64), 1)
