"""t-Mondrian (Li, Li and Venkatasubramanian 2010): Mondrian for t-closeness and (n,t)-closeness."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.cuts import Open
from shoal.methods.general.mondrian import Mondrian, all_of, split
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.models import AverageTCloseness, Models, NTCloseness
from shoal.models.emd import ground_distance
from shoal.models.nt_closeness import dense
from shoal.problem import Problem, Solution


class TMondrian(Mondrian):
    """A heuristic. Mondrian that looks for a cut beside the median where the median's is not allowed.

    A cut that leaves both parts near the table's distribution is seldom the median's: up to seven places are tried for
    each attribute, the most even first.

    Under (n,t)-closeness a part need not be near the table: it may be near any class of at least n rows that it was cut
    from, or have n rows itself. Other methods work with t-closeness instead, which implies it. Published cells may show
    other supersets than those larger classes, so a class whose cells do not meet (n,t) is put back into the one that it
    was cut from, until all do. That of t-closeness is taken if it is cheaper.

    Under average t-closeness cuts are allowed as long as the average over all rows stays at most t, those first that
    raise it least.
    """

    name: ClassVar[str] = "t-mondrian"
    title: ClassVar[str] = "Mondrian for closeness"
    running_time: ClassVar[str] = "as Mondrian, up to seven times"
    paper: ClassVar[str] = "Li, Li, Venkatasubramanian: Closeness: a new privacy measure for data publishing, TKDE 2010"
    always_finishes: ClassVar[bool] = False
    shares: ClassVar[tuple[Fraction, ...]] = tuple(Fraction(eighths, 8) for eighths in (4, 3, 5, 2, 6, 1, 7))

    @staticmethod
    def is_native(problem: Problem) -> bool:
        """Whether it decides a model that other methods replace by a stricter one."""
        return any(isinstance(model, NTCloseness | AverageTCloseness) for model in problem.required)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cut for t-closeness, and where (n,t) or an average is asked, for that; take the cheaper."""
        found = super().solve(problem, seed=seed, deadline=deadline, progress=progress)
        if any(isinstance(model, NTCloseness) for model in problem.required):
            rule = Ancestors.of(problem)
            self.cut(problem, rule, deadline, progress)
            other = self.solution(problem, rule.put_back(), "feasible", notes=("classes are near larger ones",))
            return min(found, other, key=lambda solution: solution.cost)
        if not self.is_native(problem):
            return found
        cut, _ = self.cut(problem, Allowance.of(problem), deadline, progress)
        other = self.solution(problem, cut, "feasible", notes=("classes are near the table on average",))
        return other if other.cost < found.cost and problem.meets(cut) else found


@dataclass(eq=False)
class Ancestors:
    """A class may be cut if every part is near one of the large classes that it was cut from, or is large itself."""

    problem: Problem
    asked: tuple[NTCloseness, ...]
    others: Models
    """What else is asked."""
    class_of_row: Ints
    """The last class that each row was in."""
    parents: Ints
    """The class that each class was cut from; the table from itself."""
    above: list[list[Floats]]
    """For each model: the counts of the large classes that each class was cut from, one array a generation."""
    first: int = 0
    """The first class of the last generation."""

    @classmethod
    def of(cls, problem: Problem) -> Ancestors:
        """Begin above the whole table."""
        asked = tuple(model for model in problem.required if isinstance(model, NTCloseness))
        others = Models(tuple(model for model in problem.required if not isinstance(model, NTCloseness)))
        table = np.zeros(problem.rows, dtype=np.int64)
        return cls(problem, asked, others.surrogates(problem.rows), table, np.zeros(1, np.int64), [[] for _ in asked])

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return self.others.least_rows

    def enter(self, classes: Open) -> None:
        """Take note of the classes that are cut next, where they are large."""
        parent = self.class_of_row[classes.rows[classes.starts]]
        made = self.problem.candidates(classes.rows, classes.class_of_row, classes.number)
        for place, model in enumerate(self.asked):
            counts = dense(made.histogram(model.attributes))
            self.above[place] = [generation[parent - self.first] for generation in self.above[place]]
            if (counts.sum(axis=1) >= model.asked[0]).any():
                self.above[place].append(counts)
        self.first = len(self.parents)
        self.class_of_row[classes.rows] = self.first + classes.class_of_row
        self.parents = np.append(self.parents, parent)

    def allows(self, classes: Open, parts: Ints, numbers: Ints) -> Bools:
        """Return which classes fall into several parts, each of them near enough to a large class above it."""
        label, owner = split(classes, parts)
        made = self.problem.candidates(classes.rows, label, len(owner))
        admitted = self.others.admits(made)
        for place, model in enumerate(self.asked):
            admitted &= self._near(model, made, [generation[numbers[owner]] for generation in self.above[place]])
        return all_of(owner, admitted, classes.number)

    def _near(self, model: NTCloseness, made: Classes, above: list[Floats]) -> Bools:
        histogram = made.histogram(model.attributes)
        ground = ground_distance(model.distance, histogram.values, "+".join(model.attributes))
        counts = dense(histogram)
        near: Bools = counts.sum(axis=1) >= model.asked[0]
        for generation in above:
            large = generation.sum(axis=1) >= model.asked[0]
            near |= large & model.near(ground, counts, generation)
        return near

    def put_back(self) -> Partition:
        """Return the classes, those whose cells fail put back into the class that they were cut from."""
        labels = self.class_of_row
        while True:
            published = self.problem.publish(Partition.of(labels))
            failing = ~self.problem.admitted(published)[published.partition.class_of_row]
            if not failing.any() or len(published.partition) == 1:
                return published.partition
            labels = self._within(labels, np.unique(self.parents[labels[failing]]))

    def _within(self, labels: Ints, whole: Ints) -> Ints:
        """Return the labels where some classes are not cut any more."""
        top = np.arange(len(self.parents))
        for number in range(1, len(top)):  # a class comes after the one that it was cut from
            above = top[self.parents[number]]
            top[number] = above if _is_in(above, whole) else number
        return top[labels]


@dataclass(eq=False)
class Allowance:
    """A class may be cut as long as the distances of all rows to the table add up to no more than is allowed.

    A cut is never taken back. Of the cuts that are proposed at the same time those that add least are allowed first.
    """

    problem: Problem
    asked: tuple[AverageTCloseness, ...]
    others: Models
    """What else is asked."""
    left: list[float]
    """For each model: how much distance may still be added, over all rows."""

    @classmethod
    def of(cls, problem: Problem) -> Allowance:
        """Begin with the whole table, at distance 0."""
        asked = tuple(model for model in problem.required if isinstance(model, AverageTCloseness))
        others = Models(tuple(model for model in problem.required if not isinstance(model, AverageTCloseness)))
        left = [float(model.limit) * problem.rows for model in asked]
        return cls(problem, asked, others.surrogates(problem.rows), left)

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return self.others.least_rows

    def enter(self, classes: Open) -> None:
        """What was allowed before is all there is to note."""

    def allows(self, classes: Open, parts: Ints, numbers: Ints) -> Bools:
        """Return which classes fall into several admitted parts, as far as what they add is left."""
        label, owner = split(classes, parts)
        made = self.problem.candidates(classes.rows, label, len(owner))
        allowed = all_of(owner, self.others.admits(made), classes.number)
        added = np.array([self._added(model, classes, made, owner) for model in self.asked])
        for one in np.argsort(added.sum(axis=0), kind="stable").tolist():
            allowed[one] &= bool((added[:, one] <= self.left).all())
            if allowed[one]:
                self.left = [have - more for have, more in zip(self.left, added[:, one].tolist(), strict=True)]
        return allowed

    def _added(self, model: AverageTCloseness, classes: Open, made: Classes, owner: Ints) -> Floats:
        """Return by how much cutting each class adds to the distances of its rows; never below 0."""
        whole = self.problem.candidates(classes.rows, classes.class_of_row, classes.number)
        before, after = (one.histogram(model.attributes) for one in (whole, made))
        parts = np.bincount(owner, after.sizes * model.measure(after), classes.number)
        added: Floats = np.round(np.maximum(parts - before.sizes * model.measure(before), 0.0), 9).astype(np.float64)
        return added


def _is_in(number: int, some: Ints) -> bool:
    """Whether a number is among some that rise."""
    place = int(np.searchsorted(some, number))
    return place < len(some) and int(some[place]) == number
