"""Repair: merge the classes that fail the models into their best neighbours until none is left."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import Unsupported
from shoal.costs import CellCost, ClassCost
from shoal.costs.ncp import NCP
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.merging import merge_nearest, smallest_first
from shoal.methods.general.spans import spans_of
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.recoding.recode import Published


def repair(problem: Problem, partition: Partition, *, deadline: Deadline, progress: Progress) -> Partition:
    """Return a coarser partition whose published classes all meet what was asked.

    Every class of the given partition stays whole, and no row is dropped that was not. Of all pairs of a failing class
    and another, the one is merged whose union costs least more, until no class fails: by the problem's cost where it
    adds over classes, else by NCP. Each merge leaves fewer classes, so it ends, at the latest with all rows as one
    class; `cost <= cost of all rows as one class` where a row never pays less for coarser cells. When time is over the
    classes that still fail are merged at once with those that follow in the order of their cells. Classes that are
    published with their centroids are merged with the nearest, small ones first. Models that speak of all classes of a
    release together are decided anew after each round of merges, in which every class that failed takes in another.

    Raises `Infeasible` where not even all rows as one class meet a monotone model, `Unsupported` where merging ended
    there and another model refuses it, and for two tables. What comes out does not depend on the order of rows.
    """
    if problem.recoding_kind.two_tables:
        raise Unsupported("anatomy groups cannot be repaired by merging", hint="use --method anatomy")
    if problem.global_recoding_refusal:
        alike = problem.recoding_kind.alike_in_all
        raise Unsupported(
            f"classes cannot be merged one by one where there is {alike}", hint="use --recoding generalize"
        )
    kept = partition.kept
    if len(kept) < problem.rows:
        part = problem.of_rows(kept)
        found = repair(part, Partition(partition.class_of_row[kept]), deadline=deadline, progress=progress)
        return found.among(kept, problem.rows)
    if not problem.recoding_kind.covers:
        return merge_nearest(problem, partition, smallest_first, deadline=deadline, progress=progress)
    published = problem.publish(partition)
    classes = Merging(problem, published)
    while classes.failing.any():
        problem.check_feasible()
        _merge_cheapest_first(classes, deadline, progress)
        _merge_at_once(classes)
        if classes.failing.any():
            raise Unsupported(
                f"merging classes does not make them meet {problem.required}",
                hint="ask for less, or use another method",
            )
        published = problem.publish(classes.partition)
        if not problem.uses_surrogates:
            break
        classes = Merging(problem, published)
    return published.partition


class Merging:
    """Classes on their way from a partition to a coarser one. No two show the same cells; they die when taken in.

    They are numbered in the order of their cells, which the order of rows does not change.
    """

    def __init__(self, problem: Problem, published: Published) -> None:
        cost, partition = problem.cost, published.partition
        self.problem = problem
        self.cost = cost if isinstance(cost, ClassCost) else NCP(cost.weights, cost.k)
        self.share = self.cost.share(published.cells) if isinstance(self.cost, CellCost) else 1.0
        self.spans = spans_of(published)
        self.rows = list(partition)
        self.sizes = partition.sizes.copy()
        self.losses = self.cost.class_losses(published.cells, self.sizes)
        self.alive = np.ones(len(partition), dtype=bool)
        self.failing = ~problem.deciding.admits(problem.classes(partition))
        if problem.uses_surrogates:
            self.failing = ~problem.admitted(published)

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
        together = self._losses(one, others, self.sizes[others] + self.sizes[one])
        increases: Floats = together - self.losses[others] - self.losses[one]
        return increases

    def _losses(self, one: int, others: Ints, sizes: Ints) -> Floats:
        """Return what the cells around a class and each of the others cost as classes of these sizes."""
        if not isinstance(self.cost, CellCost):
            return self.cost.class_losses([span.joined(one, others) for span in self.spans], sizes)
        of_cells = [span.losses(one, others, self.cost.cell_losses) for span in self.spans]
        losses: Floats = sizes * (np.sum(of_cells, axis=0) / self.share)
        return losses

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
        self.losses[one] = self._losses(one, alone, self.sizes[alone])[0]
        self.failing[one] = not self.admits(alone)

    def admits(self, some: Ints) -> bool:
        """Whether some classes together would be admitted."""
        rows = np.concatenate([self.rows[number] for number in some.tolist()])
        candidate = self.problem.candidates(rows, np.zeros(len(rows), dtype=np.int64), 1)
        return bool(self.problem.deciding.admits(candidate)[0])


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
    """Merge the failing classes in parts; one that is left takes in its neighbours, twice as many each time."""
    taken = 1
    while classes.unfinished:
        failing = np.flatnonzero(classes.failing)
        if len(failing) > 1:
            parts = _halved(classes, failing)
            _merge_parts(
                classes, parts if len(parts) < len(failing) else [failing]
            )  # models of a release may still fail
            continue
        one, others = int(failing[0]), classes.others(int(failing[0]))
        nearest = np.argsort(classes.increases(one, others), kind="stable")[:taken]
        classes.merge(one, others[nearest])
        taken *= 2


def _merge_parts(classes: Merging, parts: list[Ints]) -> None:
    for part in parts:
        left = part[classes.alive[part]]  # the cells of a part before may be those of a class of this one
        if len(left) > 1:
            classes.merge(int(left[0]), left[1:])


def _halved(classes: Merging, some: Ints) -> list[Ints]:
    """Return classes that follow each other in parts, halved as long as both halves are admitted."""
    halves = np.array_split(some, 2)
    if len(some) < 2 or not all(classes.admits(half) for half in halves):
        return [some]
    return [part for half in halves for part in _halved(classes, half)]
