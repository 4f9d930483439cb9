"""Annealing: classes of any recoding, improved row by row by a search that also takes dearer steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.bounds.range_prices import RangePrices
from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.interruptible import watched
from shoal.costs import CellCost
from shoal.methods.base import Deadline, Method, Progress, cheapest
from shoal.methods.effort import BEST, NORMAL, QUICK
from shoal.methods.general.anneal_kernel import LARGE, cut_up, laid_out, sweep, total_cost
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.general.moves import improved
from shoal.methods.general.near_rows import Ordered
from shoal.methods.general.peel import Peel, decided, unmet
from shoal.methods.general.requirements import Requirements, is_close, requirements, unknown
from shoal.methods.microaggregation.microaggregation import GROUPS_UP_TO, Microaggregation
from shoal.methods.microaggregation.microaggregation_tfirst import CLOSE_GROUPS_UP_TO, MicroaggregationTFirst
from shoal.methods.t_closeness.fragments import Fragments
from shoal.methods.t_closeness.t_mondrian import TMondrian
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.patterns.cube import refusals
from shoal.problem import Problem, Solution

NEIGHBOURS = 16
"""Near tuples of each tuple."""
LOOKED = 500
"""Tuples that are compared with each to find them, at most: in many columns all are far."""
WORK = {QUICK: 60_000_000, NORMAL: 900_000_000, BEST: 9_000_000_000}
"""Rows of classes times columns that are looked at: a second for quick on one core, about ten for normal."""
SWEEPS = {QUICK: (6, 60), NORMAL: (24, 6_000), BEST: (100, 20_000)}
"""The fewest and the most times that every row is looked at."""
SETTLED = {QUICK: 60, NORMAL: 10, BEST: 60}
"""Sweeps for each row beyond which a small table does not change any more."""
HOT, COLD = 0.2, 0.01
"""The first and the last temperature, as shares of what a class pays on average at first."""
AGAIN, DIVERSE_AGAIN, CLOSE_AGAIN = 4.0, 2.0, 0.7
"""How much higher temperatures are where classes are annealed again, for longer: classes pay about half by then, and a
longer search can begin hotter; where values are asked for, and more so where closeness is, larger classes pay more. On
5,000 people of NHANES with 2 different values 2 instead of 4 saves 5 %."""
SOONER = 3
"""How many times less work there is with normal effort where cells are blocks, closeness left aside: on Adult 60 sweeps
reach what 300 do, but for 0.4 %. With the best effort, 2,700 instead of 900 sweeps before the windows save 0.2 % in the
same two minutes."""
LONGER = 6
"""How many times more work there is with normal effort where closeness is asked for and cells are no blocks: on 10,000
people of Adult twice as many sweeps as three times the work allows save 5 %."""
PATIENCE = {QUICK: 100, NORMAL: 100, BEST: 33}
"""How many times more than an effort allows the fewest sweeps over blocks may take; else there are none: a million rows
in classes of hundreds would take minutes, and have the linear program."""
POLISH = {QUICK: 0.5, NORMAL: 0.5, BEST: 2.0}
"""The same where cells are blocks: there the search begins with a good release, which it must not lose. With the best
effort there are sweeps enough to begin hotter: on Adult with 8 columns that saves 0.8 % more."""
DIVERSE_POLISH = 1.0
"""The same at most where values are asked for: on Adult with 3 different values it saves 0.3 % more than 2.0."""
STARRED = 0.2
"""The same where cells are values or stars, with any effort: what a step adds is a whole star or more. On three tables
0.2 saves 0.1 to 0.5 % more than 0.5, and 1.0 saves nothing."""
PAID_BY = 3
"""The same where closeness is asked for, as well: what so many rows of a class pay, as classes are large then, and what
one pays is many times what a step adds."""
LARGE_CLASSES = 4
"""How many times the fewest rows classes have that are taken to be large."""
LARGE_UP_TO, LARGE_GROUPS_UP_TO = 100_000, 5_000
"""Rows up to which more methods are tried to begin with where classes are large, and groups of near rows."""
QUICKLY = 20
"""Limits of regret of a quick peeling."""
DOWNHILL = 2
"""Sweeps in the end in which no step may add to the cost."""
QUANTILES = np.round(-np.log((np.arange(1024) + 0.5) / 1024), 9)
"""Quantiles of the exponential distribution: what a step may add, in temperatures."""


class State(NamedTuple):
    """Which class each row is in, the classes, and working memory; see `anneal_kernel`."""

    class_of_row: Codes
    links: Codes
    classes: Ints
    free: Codes
    free_classes: Ints
    working: Ints
    listed: Ints
    copies: Ints
    costs: Ints
    journal: Ints
    random: Ints

    @classmethod
    def of(cls, labels: Codes, rules: Requirements, width: int, seed: int) -> State:
        """Return room for the classes that rows are in, and for as many as there can be; the labels are taken over."""
        rows, most = len(labels), max(int(labels.max()) + 1, len(labels) // rules.rows) + 1
        return cls(
            labels,
            np.zeros((rows, 2), np.int32),
            np.zeros((most, width + 3), np.int64),
            np.zeros(most, np.int32),
            np.zeros(1, np.int64),
            np.zeros((LARGE + 2, width), np.int64),
            np.zeros(max(LARGE, rules.pool), np.int64),
            np.zeros(LARGE, np.int64),
            np.zeros(LARGE, np.int64),
            np.zeros((rules.pool + 1, 2), np.int64),
            np.array([seed % 2**63], np.uint64),
        )


class Anneal(Method):
    """A heuristic with a proof: no bound on the cost in general, but a lower bound that can be re-checked.

    Every class is a union of its rows: a range of each number and a set of each other column, a block of each
    hierarchy, or a centroid. Rows are visited in the order of a kd tree. A row, or all rows of its class that are equal
    to it, move to the class of a near row, or change places with rows of it; or a row moves there and another one is
    ejected to a third class. Now and then a class is dissolved among its neighbours, or a new one is opened. A step is
    taken if every class it touches stays admitted and it adds no more than a random amount, which shrinks from sweep to
    sweep: so the search leaves classes that only several steps together improve. The best of all sweeps is kept, and
    decided by the models themselves. Where cells are blocks and closeness is asked for, rows also move to any class
    whose blocks cover them, before and after all sweeps. What it began with is returned if it is cheaper, and
    Mondrian's release if that is.

    The steps and their order depend on the table, the request and the random seed alone. What is kept small is NCP for
    ranges and sets, a cost that adds over cells for blocks, squared distances and values other than the commonest for
    centroids, with the weights of the cost; another cost is measured in the end.
    """

    name: ClassVar[str] = "anneal"
    title: ClassVar[str] = "annealed classes"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n k d) for each of 24 to 6,000 sweeps, after O(d m log m) for m distinct tuples"
    paper: ClassVar[str] = (
        "after Kirkpatrick, Gelatt, Vecchi: Optimization by simulated annealing, Science 1983, and Byun, Kamra, "
        "Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007"
    )
    models: ClassVar[str] = "any conjunction of k, l of every kind, alpha and t that the whole table meets"
    recoding: ClassVar[str | None] = "range"
    anytime: ClassVar[bool] = True

    def __init__(
        self,
        *,
        effort: str = NORMAL,
        start: Partition | None = None,
        again: bool = False,
        of_last: bool = False,
        passing: int = 0,
        pays: float = 0.0,
        turn: int = 0,
    ) -> None:
        """`start`: classes to begin with, instead of quick ones; `again`: they were annealed before.

        `of_last`: of releases that were found before, go on from the last one, not from the cheapest; `passing`: from
        the cheapest, but for so many of the last. `pays`: the share of the cost that the last of them must have saved
        for another to be worth its time. `turn`: how often such classes were annealed before; each turn draws other
        random numbers.
        """
        self._effort, self._start, self._again, self._pays, self._turn = effort, start, again, pays, turn
        self._of_last, self._passing = of_last, passing

    def is_worthwhile(self, found: Sequence[Solution]) -> bool:
        """Whether to go on from what was found: none of it is optimal, and the last release saved enough."""
        if any(solution.status == "optimal" for solution in found):
            return False
        return self._pays == 0 or found[-1].cost <= (1 - self._pays) * min(one.cost for one in found[:-1])

    def accepts(self, problem: Problem) -> list[str]:
        """Require models that counting rows and values decides, and for blocks a cost that adds over cells."""
        return [*unmet(problem), *self.undecided(problem)]

    def undecided(self, problem: Problem) -> list[str]:
        """Name the models and the cost that it does not know."""
        reasons = [f"it does not decide {model} row by row" for model in unknown(problem)]
        if problem.cells_are_blocks and not isinstance(problem.cost, CellCost):
            reasons.append(f"cost {problem.cost.name!r} does not add over cells")
        return reasons

    def begun(self, found: Sequence[Solution]) -> Anneal:
        """Return the same search, beginning with classes that were found before."""
        first = found[-1] if self._of_last else cheapest(found[: len(found) - self._passing] or found)
        again = first.method == self.name
        return Anneal(effort=self._effort, start=first.partition, again=again, turn=self._turn)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Order the rows, anneal, decide, prove."""
        start = self._start
        if start is None or start.dropped or len(start.class_of_row) != problem.rows:
            start = _first(problem, seed, deadline, progress)
        elif not self._again:
            start = _cheapest_start(problem, [start], _for_large_classes(problem, start), seed, deadline, progress)
        progress(0.0, "finding near rows (compiled at the first use)")
        ordered = Ordered.kept(problem, NEIGHBOURS, LOOKED, deadline)
        start = _moved(problem, start, deadline)
        before = problem.cost_of(start)
        start.forget()
        found = _moved(problem, self._annealed(problem, ordered, start, seed, deadline, progress), deadline)
        if (deadline.cut and not ordered.exact) or before <= problem.cost_of(found):
            found = start  # what the search lowers may not be the cost, and more time must not raise that
        solution = decided(self, problem, found, deadline, progress)
        bound = RangePrices(effort=self._effort, deadline=deadline)
        if bound.accepts(problem):
            return solution
        progress(0.99, "raising prices, which prove a lower bound")
        prices = bound.prices(problem)
        return replace(solution, lower_bound=prices.bound, prices=prices)

    def _annealed(
        self, problem: Problem, ordered: Ordered, start: Partition, seed: int, deadline: Deadline, progress: Progress
    ) -> Partition:
        """Return the cheapest classes that the start or any sweep ends with."""
        rows, space = _settled(ordered.rows, problem.microdata.identity, start.class_of_row), ordered.space
        rules = requirements(problem, rows, problem.rows // len(start))
        labels = start.class_of_row.astype(np.int32)[rows]
        if problem.cells_are_blocks and problem.models.count_rows_alone:
            cut_up(labels, np.bincount(labels), rules.rows)
        number = int(labels.max()) + 1
        state = State.of(labels, rules, space.points.shape[1], seed + self._turn)
        laid_out(space, state)
        best, least = state.class_of_row.copy(), int(total_cost(state.classes))
        temperatures = self._temperatures(problem, least / number, problem.rows // len(start))
        rounding = problem.rows * len(problem.microdata.quasi)
        for place, temperature in enumerate(temperatures.tolist()):
            progress(place / len(temperatures), "annealing")
            watched(sweep, space, rules, state, temperature, QUANTILES, deadline=deadline)
            if deadline.passed:  # where a sweep ends early depends on the machine
                break
            paid = int(total_cost(state.classes))
            if least - paid > rounding + (least >> 20):
                best, least = state.class_of_row.copy(), paid
        del state  # of 5 million rows it takes 140 MB
        found = np.empty(problem.rows, np.int64)
        found[rows] = best
        return Partition.of(found)

    def _temperatures(self, problem: Problem, mean: float, usual: int) -> Floats:
        """Return the temperature of each sweep, as many as the effort allows; none where even a few take too long.

        At first a class pays the mean, and has as many rows as usual; where closeness is asked for, that is many more
        than any class must have, and a sweep takes so much longer.
        """
        checked = sum(model.rule is not Rule.ROWS for model in problem.models)
        members = max(problem.models.least_rows, usual if is_close(problem) else 0)
        row = problem.rows * (len(problem.microdata.quasi) + 3) * (1 + 2 * checked)
        work = row * (members + 5)
        fewest, most = SWEEPS[QUICK if is_close(problem) else self._effort][0], SWEEPS[self._effort][1]
        most = min(most, max(SETTLED[self._effort] * problem.rows, fewest))
        allowed = WORK[self._effort]
        if self._effort == NORMAL and problem.cells_are_blocks != is_close(problem):
            allowed = allowed // SOONER if problem.cells_are_blocks else allowed * LONGER
        if problem.cells_are_blocks and checked and fewest * row * usual > PATIENCE[self._effort] * allowed:
            return np.empty(0)
        sweeps = int(np.clip(allowed // work, fewest, most))
        falling = HOT * (COLD / HOT) ** (np.arange(sweeps) / max(sweeps - 1, 1))
        diverse = AGAIN if problem.models.count_rows_alone else DIVERSE_AGAIN
        again = (CLOSE_AGAIN if is_close(problem) else diverse) if self._again else 1.0
        if not is_close(problem) and usual >= LARGE_CLASSES * members:
            again *= 2 * members / usual  # what a class would pay that is not large
        polish = min(POLISH[QUICK], PAID_BY / usual) if is_close(problem) else self._polish(problem)
        warmth = polish if problem.cells_are_blocks else again
        return np.append(warmth * mean * falling, np.zeros(DOWNHILL))

    def _polish(self, problem: Problem) -> float:
        """Return how much less hot a search for blocks begins, closeness left aside."""
        if problem.counts_stars:
            return STARRED
        return POLISH[self._effort] if problem.models.count_rows_alone else min(POLISH[self._effort], DIVERSE_POLISH)


def _moved(problem: Problem, partition: Partition, deadline: Deadline) -> Partition:
    """Return classes of blocks, where closeness is asked for, after rows moved to any class whose blocks cover them.

    Such classes are large, and a row's near rows are in few of them; on Adult it saves a quarter in a second. Where
    closeness is not asked for it saves less than annealing does in that time.
    """
    if deadline.passed or not (problem.cells_are_blocks and is_close(problem)) or refusals(problem):
        return partition
    return improved(problem, partition, deadline)


def _first(problem: Problem, seed: int, deadline: Deadline, progress: Progress) -> Partition:
    """Return the classes to begin with: the cheapest that quick methods find."""
    found = Mondrian().solve(problem, seed=seed, deadline=Deadline(), progress=progress).partition
    methods = [*_beginners(problem), *_for_large_classes(problem, found)]
    return _cheapest_start(problem, [found], methods, seed, deadline, progress)


def _cheapest_start(
    problem: Problem,
    found: list[Partition],
    methods: Sequence[Method],
    seed: int,
    deadline: Deadline,
    progress: Progress,
) -> Partition:
    """Return the cheapest of some classes and those that methods find."""
    for method in methods:
        if not method.accepts(problem):
            solution = method.solve(problem, seed=seed, deadline=deadline, progress=progress)
            if not deadline.cut or method.anytime:
                found.append(solution.partition)
    return min(found, key=problem.cost_of) if len(found) > 1 else found[0]


def _for_large_classes(problem: Problem, found: Partition) -> list[Method]:
    """Return methods for classes of ranges that are large because a value is rare, closeness left aside.

    Rows that move one by one change little there: of two tables in which one row in a hundred has the rare value, what
    these begin with saves 11 and 18 % in the end.
    """
    if problem.cells_are_blocks or not problem.recoding_kind.covers or is_close(problem):
        return []
    if problem.rows > LARGE_UP_TO or problem.rows < LARGE_CLASSES * problem.models.least_rows * len(found):
        return []
    return [TMondrian(), Fragments(), *([Microaggregation()] if problem.rows <= LARGE_GROUPS_UP_TO else [])]


def _beginners(problem: Problem) -> list[Method]:
    """Return the methods, beside Mondrian, that give classes to begin with."""
    if problem.recoding_kind.covers:
        first: list[Method] = [Peel(limits=QUICKLY)] if problem.cells_are_blocks else []
        return [*first, Fragments()] if is_close(problem) else first
    groups: list[Method] = [Microaggregation()] if problem.rows <= GROUPS_UP_TO else []
    if not is_close(problem):
        return groups
    close = [MicroaggregationTFirst()] if problem.rows <= CLOSE_GROUPS_UP_TO else []
    return [*groups, *close, Fragments()]


def _settled(rows: Ints, identity: Ints, class_of_row: Ints) -> Ints:
    """Return the rows in their order, equal ones by the contents of their classes, whatever order they had."""
    place = np.cumsum(np.diff(identity[rows], prepend=-1) != 0).astype(np.uint64)
    mixed = (place * np.uint64(0x9E3779B97F4A7C15)) ^ (place * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(29))
    contents = np.zeros(int(class_of_row.max()) + 1, np.uint64)
    np.add.at(contents, class_of_row[rows], mixed)
    return rows[np.lexsort((contents[class_of_row[rows]], place))]
