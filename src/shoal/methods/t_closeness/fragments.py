"""Fragments: t-closeness for any number of sensitive attributes (after a thesis on two numerical ones, extended)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.peel import unmet
from shoal.methods.general.repair import repair
from shoal.methods.t_closeness.failing_classes import join_failing
from shoal.methods.t_closeness.fragmentation import (
    Axis,
    DistanceBound,
    Fragmentation,
    Sizes,
    Tuples,
    axes_of,
    equal_sizes,
    find_fragmentation,
    size,
)
from shoal.methods.t_closeness.fragmentation.axes import closeness
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve, by_nearest, curve_ranks, swapped
from shoal.methods.t_closeness.fragmentation.sizing import Diversity, Sizing
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.methods.t_closeness.splits import Splits, rank_of
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.problem import Problem, Solution

BUDGETS = (1.0, 0.8, 0.6, 0.4, 0.25)
"""Shares of t that fragments may use up; what is left buys sizes that do not conform."""
AT_ONCE, IN_STEPS = (Fraction(1),), (Fraction(9, 10), Fraction(1))
"""Shares of t up to which classes are split, one after the other: who goes to the limit at once may soon be stuck."""
MOST_FRAGMENTS = 1_000
FOLLOWED = 64
"""Classes that are followed to estimate how many a fragmentation gives."""
NEAREST_UP_TO = 2_000
"""Rows up to which classes are also filled by nearest neighbours."""
EVERY_WAY_UP_TO = 20_000
"""Rows up to which classes are split along every sensitive attribute and in both schedules, not the likeliest alone."""
HOPELESS = 1.5
"""Classes of a large table that, freshly filled, cost so many times what is known are given up."""
MOST_VALUES = 2_000
"""Values up to which sizes promise diversity; beyond, only the classes filled are measured."""

Schedule: TypeAlias = tuple[Fraction, ...]
Found: TypeAlias = tuple[float, str, Partition]
"""What classes cost, where they come from, and the classes."""


class Fragments(Method):
    """A heuristic in cost; but `distance <= bound` for every class and attribute before a record is chosen.

    - Fragments: the sensitive values, all attributes at once, are cut into boxes until the worst moves inside them
      add up to a share of every t. The bound is on the table's scale, so wide domains need few boxes.
    - Sizes: classes take from every fragment about its share, halved again and again as long as the bound holds:
      `distance <= EMD(table, mixture of fragments) + mean worst move`, whichever records are taken.
    - Filling: along the Hilbert curve, or by nearest neighbours; then swaps inside fragments, which the bound allows.
    - Splitting: classes whose true distance leaves room are halved on, decided by the models in exact arithmetic. The
      table itself, as the one class whose bound needs no fragments, is split so as well; the cheaper release is taken.

    The bound of the classes published is stated in the certificate. Where it is above t, the class was measured.
    """

    name: ClassVar[str] = "fragments"
    title: ClassVar[str] = "fragments"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n log n) for each of about log2(n/k) halvings, times the ways that are tried"
    paper: ClassVar[str] = "after a thesis on t-closeness for multiple numerical sensitive attributes; bounds corrected"
    models: ClassVar[str] = "any conjunction that the whole table meets; made for t-closeness of several attributes"

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models: splitting starts there."""
        return unmet(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Split the table; size, fill and split classes of fragments; keep the cheaper."""
        work = Work(problem, deadline, progress)
        found = work.split_whole(work.schedules)
        for name, labels in work.filled(min(cost for cost, _, _ in found)):
            found.append(work.finished(name, labels, AT_ONCE))
        _, name, partition = min(found, key=lambda one: one[0])
        notes = (*work.notes, f"the cheapest of {len(found)} releases: {name}")
        solution = self.solution(problem, partition, "feasible", notes=notes)
        return replace(solution, promised=work.promised(partition))


@dataclass(frozen=True, eq=False)
class Work:
    """One problem on its way: its axes, its curve, its fragments."""

    problem: Problem
    deadline: Deadline
    progress: Progress

    @cached_property
    def _read(self) -> tuple[tuple[Axis, ...], Tuples]:
        return axes_of(self.problem)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The distances."""
        return self._read[0]

    @property
    def tuples(self) -> Tuples:
        """The combinations of the values that they compare."""
        return self._read[1]

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each row along the curve."""
        return curve_ranks(self.problem.microdata)

    @cached_property
    def widths(self) -> Widths:
        """What classes cost, for swaps."""
        return Widths.of(self.problem)

    @cached_property
    def sizing(self) -> Sizing:
        """The fragmentation that gives the most classes."""
        cut, best, most = Fragmentation.whole(self.axes, self.tuples), None, -1.0
        for budget in BUDGETS if self.axes else (1.0,):
            self.progress(0.5, "cutting sensitive values into fragments")
            targets = [budget * axis.t for axis in self.axes]
            cut = find_fragmentation(cut, targets, MOST_FRAGMENTS, self._over)
            sizing = Sizing(DistanceBound(cut), self.problem.models.least_rows, self._diversities(cut))
            number = size(sizing, FOLLOWED, self._over)[1]
            if number > most:
                best, most = sizing, number
        assert best is not None
        return best

    @property
    def fragment_of_row(self) -> Ints:
        """The fragment of each row."""
        return self.sizing.distance.cut.of_tuple[self.tuples.of_row]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was cut and sized, in words."""
        cut = self.sizing.distance.cut
        bounds = ", ".join(f"{axis.name} {bound:.4g}" for axis, bound in zip(self.axes, cut.bounds, strict=True))
        said = f"{len(cut):,} fragments; sizes that conform to them would be within {bounds}"
        return (said, f"{len(self._sizes):,} classes were sized before records were chosen") if self.axes else ()

    @cached_property
    def _sizes(self) -> Sizes:
        """The sizes of classes: halved, or all equal where that gives more."""
        self.progress(0.6, "sizing classes")
        halved, equal = size(self.sizing, stop=self._over)[0], equal_sizes(self.sizing)
        return equal if len(equal) > len(halved) else halved

    def filled(self, known: float) -> list[tuple[str, Ints]]:
        """Return classes of those sizes, in one way or two, if there is time; none that cost far more than is known."""
        if self.deadline.passed or len(self._sizes) == 1:
            return []
        self.progress(0.7, "filling classes")
        fragments = self.fragment_of_row
        found = [("classes along the curve", along_the_curve(self._sizes, fragments, self.ranks))]
        if self.problem.rows <= NEAREST_UP_TO:
            near = by_nearest(self._sizes, fragments, self.ranks, self.widths)
            found.append(("classes of nearest neighbours", near))
        return [
            (name, self._swapped(labels, fragments))
            for name, labels in found
            if self.problem.rows <= EVERY_WAY_UP_TO or self.problem.cost_of(Partition.of(labels)) <= HOPELESS * known
        ]

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """The shares of t to split by: ranges gain by every split, other cells by those that go far."""
        usual = IN_STEPS if self.problem.recoding_kind.spans else AT_ONCE
        both = self.axes and self.problem.rows <= EVERY_WAY_UP_TO
        return (AT_ONCE, IN_STEPS) if both else (usual if self.axes else AT_ONCE,)

    def split_whole(self, schedules: tuple[Schedule, ...]) -> list[Found]:
        """Return what comes of the table as one class."""
        whole = np.zeros(self.problem.rows, dtype=np.int64)
        names = [f"the table split {'at once' if one == AT_ONCE else 'in steps'}" for one in schedules]
        return [self.finished(name, whole, one) for name, one in zip(names, schedules, strict=True)]

    def finished(self, name: str, labels: Ints, schedule: Schedule) -> Found:
        """Return classes split as far as the models admit, swapped where they cannot tell, and repaired if need be."""
        problem = self.problem
        labels = join_failing(problem, labels)
        for share in schedule:
            labels = self._splits.further(labels, share, self.deadline, self.progress)
        if not problem.models.needs_population:
            labels = self._swapped(labels, self._same)
        partition = problem.publish(Partition.of(labels)).partition
        if not problem.models.admits(problem.classes(partition)).all():
            partition = repair(problem, partition, deadline=self.deadline, progress=self.progress)
        return problem.cost_of(partition), name, partition

    def promised(self, partition: Partition) -> dict[str, float]:
        """Return the bounds of the classes published, as they follow from what they take of each fragment."""
        sizes = Sizes.counted(partition.class_of_row, self.fragment_of_row)
        bounds = self.sizing.distance.bounds(sizes).max(axis=0).tolist()
        models = closeness(self.problem.models)
        return {str(model).rpartition("=")[0]: bound for model, bound in zip(models, bounds, strict=True)}

    def _swapped(self, labels: Ints, fragments: Ints) -> Ints:
        return swapped(labels, fragments, self.ranks, self.widths, self._over)

    def _over(self) -> bool:
        return self.deadline.passed

    def _diversities(self, cut: Fragmentation) -> tuple[Diversity, ...]:
        """Return the frequency l-diversity models, as sizes can promise them; rare values break none."""
        fragments, found = cut.of_tuple[self.tuples.of_row], []
        for model in self.problem.models:
            if model.rule is Rule.SHARE and model.larger_is_stricter and not model.given:
                values = self.problem.values[model.attributes]
                common = values.totals * float(model.limit) > self.problem.models.least_rows
                if int(common.sum()) <= MOST_VALUES:
                    place, rows = np.cumsum(common) - 1, common[values.codes]
                    counts = np.zeros((len(cut), max(int(common.sum()), 1)), dtype=np.int64)
                    np.add.at(counts, (fragments[rows], place[values.codes[rows]]), 1)
                    found.append(Diversity(model.limit, counts))
        return tuple(found)

    @cached_property
    def _splits(self) -> Splits:
        """Orders by the sensitive attributes: those first of which the least is allowed."""
        whole = Fragmentation.whole(self.axes, self.tuples).bounds
        hard = np.argsort([-bound / max(axis.t, 1e-6) for axis, bound in zip(self.axes, whole, strict=True)])
        chosen = hard[: None if self.problem.rows <= EVERY_WAY_UP_TO else 1].tolist()
        alike, rows = [], self.problem.rows
        for number in chosen:
            codes, weights = self.tuples.codes[:, number], self.tuples.counts
            places = rank_of(self.axes[number].places(codes, weights) * len(codes) + np.arange(len(codes)))
            alike.append(rank_of(places[self.tuples.of_row] * rows + self.ranks))
        return Splits(self.problem, alike or [self.ranks], self.ranks)

    @cached_property
    def _same(self) -> Ints:
        """Numbers of the rows, equal where all that the models read is."""
        read = dict.fromkeys(name for model in self.problem.models for name in (*model.attributes, *model.given))
        columns = [self.problem.microdata.attribute(name) for name in read]
        return Tuples.of(
            [column.codes for column in columns], [column.size for column in columns], self.problem.rows
        ).of_row
