"""TP: l-diversity with few starred rows, in three phases (Xiao, Yi and Tao 2010).

Phase one is `phase_one` of `bounds/residue.py`: what it takes out of the classes is a lower bound, too. Phases two and
three are `phase_two` and `phase_three` of `tp_kernel.py`, compiled. `three_phases` here calls them in order.
"""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.bounds.residue import altered_rows, diversity, least_altered, phase_one
from shoal.core.arrays import Ints
from shoal.core.interruptible import watched
from shoal.core.sorting import order_by
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.l_diversity.tp_kernel import lay_out, phase_three, phase_two
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.microdata.partition import Partition
from shoal.models import Model, Rule
from shoal.problem import Problem, Solution, Status

SAYS_AS_MUCH = (Rule.ROWS, Rule.SHARE, Rule.VALUES, Rule.ENTROPY)
"""Rules that an l-eligible class meets if their own number is no larger than l."""


class TP(Method):
    """Guarantees `starred rows <= l * optimum`, so `stars <= l m * optimum` for m quasi-identifiers; mostly far better.

    Rows with equal quasi-identifiers are a class to begin with. Rows that it cannot keep go to the residue R, which is
    one class, the only one that is altered.

    1. Each class gives away the rows above the height at which no value fills more than 1/l of it; every release must.
       If R is l-diverse, `starred rows = optimum`.
    2. R takes rows of its rarest values, as long as its commonest value grows no more. If it becomes l-diverse,
       `starred rows <= optimum + l - 1`: every release alters l rows for each of the commonest value in R.
    3. In rounds, classes give away a row of each of their commonest values, chosen so that each of R's commonest values
       is spared by one. Then R is l-diverse in the end, of fewer than `l * optimum` rows. l = 2 never comes to this.

    The note says which phase was the last. Rows that may be dropped, other costs and other recodings are served
    without a promise.
    """

    name: ClassVar[str] = "tp"
    title: ClassVar[str] = "three phases"
    guarantee: ClassVar[str | None] = "starred rows <= l * optimum; stars <= l * m * optimum (m quasi-identifiers)"
    condition: ClassVar[str] = "by suppression, where no row may be dropped, if phase three ends in time"
    running_time: ClassVar[str] = "O(n) for the first two phases, O(n d) at worst for d distinct tuples"
    paper: ClassVar[str] = "Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT 2010"
    models: ClassVar[str] = "l-diversity by frequency of one attribute, l a whole number, and what it implies"
    about_stars: ClassVar[bool] = True

    def promise(self, problem: Problem) -> str | None:
        """Return what holds of the problem's cost whichever phase is the last."""
        return promised(problem, 3)

    def accepts(self, problem: Problem) -> list[str]:
        """Require l-diversity by frequency with a whole l, and no model that it does not imply."""
        return refused(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Run the phases, and publish R as one class."""
        progress(0.0, "three phases (compiled at the first use)")
        split = three_phases(problem, deadline)
        return concluded(self, problem, split, Partition(split.labels), split.cost(problem))


def asked_of(problem: Problem) -> tuple[Model, Fraction] | None:
    """Return the strictest model that caps the share of one value of an attribute, and its l; None without one."""
    capping = [(model, diversity(model)) for model in problem.models if not model.given]
    return max(((model, l) for model, l in capping if l is not None), key=lambda pair: pair[1], default=None)


def diversity_of(problem: Problem) -> tuple[Attributes, int]:
    """Return the attribute and the l of a problem that is not refused."""
    asked = asked_of(problem)
    assert asked is not None
    return asked[0].attributes, int(asked[1])


def refused(problem: Problem) -> list[str]:
    """Return why the three phases cannot take a problem."""
    if problem.global_recoding_refusal:
        return [problem.global_recoding_refusal]
    if problem.recoding_kind.two_tables:
        return ["two tables alter no quasi-identifiers, so there is no residue to keep small"]
    asked = asked_of(problem)
    if asked is None:
        return ["no model caps the share of one sensitive value"]
    model, l = asked
    if l.denominator > 1:
        return [f"{model} asks for no whole number of values"]
    return [f"{other} does not follow from {model}" for other in problem.models if not _follows(other, model, l)]


def _follows(model: Model, asked: Model, l: Fraction) -> bool:
    """Whether every class meets a model in which no value of the attribute asked for fills more than 1/l."""
    same = model.attributes in ((), asked.attributes) and not model.given
    return model.rule in SAYS_AS_MUCH and same and model.least_rows <= l


def promises(problem: Problem) -> bool:
    """Whether the theorem speaks of the problem: suppression, no rows dropped, stars or starred rows."""
    return problem.counts_stars and not problem.may_drop


def promised(problem: Problem, phase: int) -> str | None:
    """Return what is proved of the problem's cost if a phase was the last."""
    _, l = diversity_of(problem)
    m = len(problem.microdata.quasi)
    of_rows = ["starred rows = optimum", f"starred rows <= optimum + {l - 1}", f"starred rows <= {l} * optimum"]
    of_stars = [f"stars <= {m} * optimum", f"stars <= {m} * optimum + {m * (l - 1)}", f"stars <= {l * m} * optimum"]
    return (of_rows if problem.cost.name == "starred-rows" else of_stars)[phase - 1]


def concluded(
    method: Method, problem: Problem, split: Split, partition: Partition, cost: float, *said: str
) -> Solution:
    """Return a partition that costs no more than the residue as one class, with what is proved of that."""
    if not promises(problem):
        return Solution(partition, cost, "feasible", method.name, notes=(split.said, *said))
    status: Status = "feasible" if split.late else "within_bound"
    guarantee = None if split.late else promised(problem, split.proved)
    return Solution(partition, cost, status, method.name, float(split.bound), guarantee, (split.said, *said))


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows stay in the class of their tuple, and which are the residue R."""

    order: Ints
    """All rows by tuple, value and all other cells."""
    histogram: Histogram
    """How often each tuple has each value."""
    stay: Ints
    """How many rows of each entry stay: the first ones in order."""
    phase: int
    bound: int
    """How many rows every release alters, where none may be dropped."""
    late: bool = False
    """Whether time was over in the third phase, and classes were given up whole."""

    @cached_property
    def kept(self) -> Ints:
        """How many rows of each tuple stay."""
        return np.add.reduceat(self.stay, self.histogram.starts[:-1])

    @cached_property
    def home(self) -> Ints:
        """The class of the rows of each tuple that stay, if any do."""
        return np.cumsum(self.kept > 0) - 1

    @cached_property
    def rows(self) -> int:
        """|R|."""
        return len(self.order) - int(self.kept.sum())

    @cached_property
    def entries(self) -> Ints:
        """Which entry of the histogram each row of R is of."""
        return np.repeat(np.arange(len(self.stay)), self.histogram.counts - self.stay)

    @property
    def tuples(self) -> Ints:
        """The tuple of each row of R."""
        return self.histogram.slice_of_entry[self.entries]

    @property
    def values(self) -> Values:
        """The sensitive value of each row of R."""
        return replace(self.histogram.values, codes=self.histogram.codes[self.entries])

    @cached_property
    def residue(self) -> Ints:
        """The rows of R, in order."""
        staying = np.cumsum(self.stay)[self.entries]  # of each entry the last rows leave, after those that stay
        rows: Ints = self.order[staying + np.arange(self.rows)]
        return rows

    @cached_property
    def labels(self) -> Ints:
        """The class of each row; R is the last one."""
        labels = np.empty(len(self.order), dtype=np.int64)
        labels[self.order] = np.repeat(self.home, self.histogram.sizes)
        labels[self.residue] = self.home[-1] + 1
        return labels

    def with_residue(self, partition: Partition) -> Ints:
        """Return the class of each row where the rows of R are in the classes of a partition of them."""
        labels = self.labels.copy()
        labels[self.residue] += partition.class_of_row
        return labels

    @property
    def proved(self) -> int:
        """The phase whose promise holds: that of the first if no release alters fewer rows."""
        return 1 if self.rows == self.bound else self.phase

    @property
    def said(self) -> str:
        """What happened, for the log."""
        if self.late:
            return f"time ran out in phase 3: classes were given up whole; {self.rows:,} rows are the residue"
        return f"diverse after phase {self.phase}: {self.rows:,} rows altered, {self.bound:,} or more in any release"

    def cost(self, problem: Problem) -> float:
        """Return what the classes cost: without publishing them where only R has stars."""
        if not problem.counts_stars:
            return problem.cost_of(Partition(self.labels))
        tuples = problem.microdata.tuples[self.kept < self.histogram.sizes]
        starred = int((tuples != tuples[:1]).any(axis=0).sum())
        return float(self.rows * (starred if problem.cost.name == "stars" else min(starred, 1)))


def three_phases(problem: Problem, deadline: Deadline) -> Split:
    """Return which rows stay and which are the residue, in a table that meets the models as one class."""
    attributes, l = diversity_of(problem)
    order, histogram = counted(problem, attributes)
    stay, residue = phase_one(histogram, Fraction(l))
    bound, phase, late = least_altered(residue, Fraction(l), 0), 1, False
    asked = asked_of(problem)
    if asked is not None:
        altered_rows(problem, *asked, residue)  # the bound need not count them again
    if residue.sum() < l * residue.max():
        phase, late = _later_phases(histogram, stay, residue, l, deadline)
    return Split(order, histogram, stay, phase, bound, late)


def counted(problem: Problem, attributes: Attributes) -> tuple[Ints, Histogram]:
    """Return the rows sorted by tuple, value and all other cells, and how often each tuple has each value."""
    microdata, values = problem.microdata, problem.values[attributes]
    number, order = len(microdata.counts), _by_contents(problem, attributes)
    code_at = values.codes[order]
    begins = np.diff(code_at, prepend=-1) != 0
    begins[np.cumsum(microdata.counts)[:-1]] = True
    places = np.flatnonzero(begins)
    starts = np.searchsorted(places, np.cumsum(microdata.counts) - microdata.counts)
    counts = np.diff(places, append=len(order))
    return order, Histogram(
        np.append(starts, len(places)), code_at[places].astype(np.int64), counts, np.arange(number), values
    )


def _by_contents(problem: Problem, attributes: Attributes) -> Ints:
    """Return the rows sorted by tuple, value and all other cells: the order of identity, if the value comes first."""
    microdata = problem.microdata
    if attributes == microdata.roles.sensitive[:1]:
        return order_by(microdata.identity)
    return order_by(microdata.identity, problem.values[attributes].codes, microdata.tuple_of_row)


def _later_phases(histogram: Histogram, stay: Ints, residue: Ints, l: int, deadline: Deadline) -> tuple[int, bool]:
    """Run phases two and three on what stays; return the phase in which they end, and whether time was over."""
    inside = np.flatnonzero(stay)
    starts = np.flatnonzero(np.diff(histogram.slice_of_entry[inside], prepend=-1, append=-1))
    counts = stay[inside]
    classes = lay_out(starts, histogram.codes[inside], counts, residue)
    phase, late = 2, False
    if not phase_two(classes, l):
        phase, late = 3, not watched(phase_three, classes, l, deadline=deadline)
    stay[inside] = counts
    return phase, late
