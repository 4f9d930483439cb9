"""Repair: merge the classes that fail the models into their best neighbours until none is left."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.costs import ClassCost
from shoal.costs.ncp import NCP
from shoal.errors import Unsupported
from shoal.methods.base import Deadline, Progress
from shoal.methods.spans import spans_of
from shoal.partition import Partition
from shoal.problem import Problem
from shoal.recode import Published


def repair(problem: Problem, partition: Partition, *, deadline: Deadline, progress: Progress) -> Partition:
    """Return a coarser partition whose published classes are all admitted.

    Every class of the given partition stays whole, and no row is dropped that was not. Of all pairs of a failing class
    and another, the one is merged whose union costs least more, until no class fails: by the problem's cost where it
    adds over classes, else by NCP. Each merge leaves fewer classes, so it ends, at the latest with all rows as one
    class; `cost <= cost of all rows as one class` where rows pay for their cells. When time is over the failing
    classes become one at once, which takes in its neighbours, twice as many each time, until it is admitted.

    Raises `Infeasible` where not even all rows as one class meet a monotone model, `Unsupported` where merging ended
    there and another model refuses it. What comes out does not depend on the order of rows.
    """
    kept = partition.kept
    if len(kept) < problem.rows:
        part = problem.of_rows(kept)
        found = repair(part, Partition(partition.class_of_row[kept]), deadline=deadline, progress=progress)
        return found.among(kept, problem.rows)
    published = problem.publish(partition)
    classes = Merging(problem, published)
    if not classes.failing.any():
        return published.partition
    problem.check_feasible()
    _merge_cheapest_first(classes, deadline, progress)
    _merge_at_once(classes)
    if classes.failing.any():
        raise Unsupported(f"merging classes does not make them meet {problem.models}", hint="ask for less")
    return problem.publish(classes.partition).partition


class Merging:
    """Classes on their way from a partition to a coarser one. No two show the same cells; they die when taken in.

    They are numbered in the order of their cells, which the order of rows does not change.
    """

    def __init__(self, problem: Problem, published: Published) -> None:
        cost, partition = problem.cost, published.partition
        self.problem = problem
        self.cost = cost if isinstance(cost, ClassCost) else NCP(cost.weights, cost.k)
        self.spans = spans_of(published)
        self.rows = list(partition)
        self.sizes = partition.sizes.copy()
        self.losses = self.cost.class_losses(published.cells, self.sizes)
        self.alive = np.ones(len(partition), dtype=bool)
        self.failing = ~problem.models.admits(problem.classes(partition))

    @property
    def unfinished(self) -> bool:
        """Whether a class fails and there is another to merge it with."""
        return bool(self.failing.any()) and int(self.alive.sum()) > 1

    @property
    def partition(self) -> Partition:
        """The classes that are left."""
        labels = np.empty(self.problem.rows, dtype=np.int64)
        for number in np.flatnonzero(self.alive).tolist():
            labels[self.rows[number]] = number
        return Partition.of(labels)

    def others(self, one: int) -> Ints:
        """Return the classes that are left, but one."""
        left = self.alive.copy()
        left[one] = False
        return np.flatnonzero(left)

    def increases(self, one: int, others: Ints) -> Floats:
        """Return what the union with each of the others would cost more than the two classes do."""
        cells = [span.joined(one, others) for span in self.spans]
        together = self.cost.class_losses(cells, self.sizes[others] + self.sizes[one])
        increases: Floats = together - self.losses[others] - self.losses[one]
        return increases

    def merge(self, one: int, others: Ints) -> None:
        """Let a class take in the others, and any that its new cells are equal to; see whether it is admitted."""
        for span in self.spans:
            span.grow(one, others)
        self.alive[others] = False
        left = self.others(one)
        same = np.all([span.same(one, left) for span in self.spans], axis=0)
        self._take_in(one, np.concatenate([others, left[same]]))

    def _take_in(self, one: int, others: Ints) -> None:
        self.alive[others] = self.failing[others] = False
        rows = np.concatenate([self.rows[one], *(self.rows[other] for other in others.tolist())])
        self.rows[one], self.sizes[one] = rows, len(rows)
        alone = np.array([one])
        self.losses[one] = self.cost.class_losses([s.joined(one, alone) for s in self.spans], self.sizes[alone])[0]
        candidate = self.problem.candidates(rows, np.zeros(len(rows), dtype=np.int64), 1)
        self.failing[one] = not self.problem.models.admits(candidate)[0]


class Nearest:
    """The best neighbour of every failing class, and what the union costs more.

    An increase that is *stale* is no more than the true one: its neighbour has changed, and no other class costs less.
    It is looked up again only once it is the least of all.
    """

    def __init__(self, classes: Merging) -> None:
        self.classes = classes
        self.increase = np.where(classes.failing, -np.inf, np.inf)
        self.neighbour = np.full(len(classes.failing), -1, dtype=np.int64)
        self.stale = classes.failing.copy()

    def closest(self) -> int:
        """Return the failing class whose increase is the least known."""
        return int(np.argmin(self.increase))

    def look_up(self, one: int) -> None:
        """Find the best neighbour of a class anew."""
        others = self.classes.others(one)
        increases = self.classes.increases(one, others)
        best = int(np.argmin(increases))
        self.increase[one], self.neighbour[one], self.stale[one] = increases[best], others[best], False

    def changed(self, one: int) -> None:
        """Take note that a class has taken in others."""
        classes = self.classes
        self.increase[~classes.failing], self.stale[~classes.failing] = np.inf, False
        others = np.flatnonzero(classes.failing)
        others = others[others != one]
        if len(others):
            self._compare(one, others)
        if classes.failing[one]:
            self.increase[one], self.stale[one] = -np.inf, True

    def _compare(self, one: int, others: Ints) -> None:
        """See for which failing classes the changed one is the best neighbour, and for which it no longer is."""
        increases = self.classes.increases(one, others)
        better = increases <= self.increase[others]
        nearer = others[better]
        self.increase[nearer], self.neighbour[nearer], self.stale[nearer] = increases[better], one, False
        rest = others[~better]
        self.stale[rest] |= (self.neighbour[rest] == one) | ~self.classes.alive[self.neighbour[rest]]


def _merge_cheapest_first(classes: Merging, deadline: Deadline, progress: Progress) -> None:
    """Merge the closest pair again and again, until no class fails, one is left, or time is over."""
    nearest, failing = Nearest(classes), int(classes.failing.sum())
    while classes.unfinished and not deadline.passed:
        one = nearest.closest()
        if nearest.stale[one]:
            nearest.look_up(one)
            continue
        progress(max(1 - int(classes.failing.sum()) / failing, 0.0), "merging classes that fail")
        classes.merge(one, nearest.neighbour[[one]])
        nearest.changed(one)


def _merge_at_once(classes: Merging) -> None:
    """Make the failing classes one, and let it take in its neighbours, twice as many each time."""
    taken = 1
    while classes.unfinished:
        one, *more = np.flatnonzero(classes.failing).tolist()
        if not more:
            others = classes.others(one)
            more = others[np.argsort(classes.increases(one, others), kind="stable")[:taken]].tolist()
            taken *= 2
        classes.merge(one, np.array(more))
