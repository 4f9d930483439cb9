"""The contract of a method: an algorithm that turns a problem into a solution.

A method declares its guarantee as an inequality, its running time and its paper; it says which problems it can take
(`accepts`) and solves them (`solve`). `run` adds what is the same for all: refusing what cannot be met, dropping rows
where that is allowed and nothing else helps, measuring the cost, and the best lower bound known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import ClassVar, Literal, TypeAlias

from shoal.bounds.base import best_bound
from shoal.core.arrays import Ints
from shoal.core.clock import working_seconds
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.general.dropped_rows import rows_to_keep
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution, Status
from shoal.request import SUPPRESSED

Progress: TypeAlias = Callable[[float, str], None]
"""Called now and then with the share done (0 to 1) and what is being done."""
Growth: TypeAlias = Literal["linear", "quadratic", "exponential"]


class ProgressMessage(str):
    """What is being done, as text that knows the cost of the best so far and the bound proved so far.

    >>> doing = ProgressMessage("windows", cost=12, bound=10)
    >>> doing, doing.cost, doing.bound
    ('windows', 12, 10)
    """

    cost: float
    bound: float | None

    def __new__(cls, doing: str, cost: float, bound: float | None) -> ProgressMessage:
        """Return the text with its numbers."""
        made = super().__new__(cls, doing)
        made.cost, made.bound = cost, bound
        return made

    def __reduce__(
        self,
    ) -> tuple[type[ProgressMessage], tuple[str, float, float | None]]:  # it is sent between processes
        return ProgressMessage, (str(self), self.cost, self.bound)


@dataclass
class Standing:
    """The least cost and the best bound of the messages so far, whichever method sent them.

    >>> now = Standing()
    >>> for message in (ProgressMessage("peeling", 12, None), ProgressMessage("prices rise", 13, 10), "writing"):
    ...     now.note(message)
    >>> now.said
    'cost 12, bound 10, gap 20 %'
    """

    cost: float | None = None
    bound: float | None = None

    def note(self, doing: str) -> None:
        """Take note of a message, if it knows a cost."""
        if isinstance(doing, ProgressMessage):
            self.cost = float(doing.cost if self.cost is None else min(self.cost, doing.cost))
            if doing.bound is not None:
                self.bound = float(doing.bound if self.bound is None else max(self.bound, doing.bound))

    @property
    def said(self) -> str:
        """Cost, bound and gap in words; empty where no cost is known."""
        if self.cost is None:
            return ""
        if not self.bound:
            return f"cost {self.cost:.4g}"
        return f"cost {self.cost:.4g}, bound {self.bound:.4g}, gap {100 * (self.cost / self.bound - 1):.3g} %"


def silent(share: float, doing: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Deadline:
    """A moment, or an event, after which a method returns the best it has.

    Whoever looks at `passed` and finds it over changes course: so `cut` says afterwards whether time ended anything.

    >>> Deadline.after(None).passed, Deadline.after(0).passed
    (False, True)
    >>> short = Deadline.after(0)
    >>> short.cut, short.passed, short.cut
    (False, True, True)
    """

    moment: float | None = None
    stop: Event | None = None
    clock: Callable[[], float] = working_seconds
    pause: float | None = 0.1
    """Seconds between two looks while a compiled loop or the solver works; None: it is left to end."""
    began: float = field(default_factory=working_seconds)
    _noticed: Event = field(default_factory=Event, repr=False, compare=False)

    @classmethod
    def after(cls, seconds: float | None, stop: Event | None = None) -> Deadline:
        """Return the deadline that many seconds from now, or when `stop` is set; None never comes."""
        return cls(None if seconds is None else working_seconds() + seconds, stop)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where no limit is set."""
        return None if self.moment is None else max(self.moment - self.clock(), 0.0)

    @property
    def share(self) -> float:
        """The share of the time that is over; 0 where no limit is set. For progress alone: it decides nothing."""
        if self.moment is None:
            return 0.0
        return min((self.clock() - self.began) / max(self.moment - self.began, 1e-9), 1.0)

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        over = self.stopped or (self.moment is not None and self.clock() >= self.moment)
        if over:
            self._noticed.set()
        return over

    def check(self) -> None:
        """Raise `OutOfTime` if it is over; for work before a method has anything to return.

        Only where Mondrian takes the problem as well, or Datafly.
        """
        if self.passed:
            raise OutOfTime

    @property
    def stopped(self) -> bool:
        """Whether the event is set."""
        return self.stop is not None and self.stop.is_set()

    @property
    def cut(self) -> bool:
        """Whether somebody found it over, and so did less than without it."""
        return self._noticed.is_set()


class OutOfTime(Exception):
    """Time was over before a method had anything to return: the quick release stands in for it."""


class Method(ABC):
    """An algorithm. Subclasses are found by discovery."""

    name: ClassVar[str]
    title: ClassVar[str]
    guarantee: ClassVar[str | None]
    """What is proved of its result, as an inequality; None for a heuristic."""
    condition: ClassVar[str] = ""
    """When the guarantee holds: limits of time and size, and what else it asks for; empty where it always holds."""
    running_time: ClassVar[str]
    """Its running time, in words."""
    growth: ClassVar[Growth] = "linear"
    """How its running time grows with the rows, for what people are told to expect."""
    paper: ClassVar[str]
    models: ClassVar[str]
    """Which models it can meet, in words."""
    recoding: ClassVar[str | None] = None
    """The recoding that it is made for, which is taken where none is named; None where it is made for several."""
    about_stars: ClassVar[bool] = False
    """Whether what is proved of it is for stars or for whole costs: suppression is taken where no recoding is named."""
    drops_rows: ClassVar[bool] = False
    """Whether `solve` itself decides which rows to drop."""
    always_finishes: ClassVar[bool] = False
    """Whether it is so quick that nothing cuts it short: its release is what others are measured by."""
    anytime: ClassVar[bool] = False
    """Whether more time never gives a dearer release. Then the quick release is taken wherever it is cheaper."""

    @classmethod
    def stated(cls) -> str | None:
        """Return the guarantee with its condition, as lists of methods state it; None for a heuristic."""
        return f"{cls.guarantee}, {cls.condition}" if cls.guarantee and cls.condition else cls.guarantee

    def promise(self, problem: Problem) -> str | None:
        """Return what is proved of the cost of this problem: the guarantee, or the part of it that speaks of it."""
        return self.guarantee

    @abstractmethod
    def accepts(self, problem: Problem) -> list[str]:
        """Return the reasons why it cannot take this problem; none if it can."""

    def undecided(self, problem: Problem) -> list[str]:
        """Return what of the request it cannot take, whatever the rows are: a part of what `accepts` says."""
        return []

    @abstractmethod
    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Solve a feasible problem that it accepts."""

    def begun(self, found: Sequence[Solution]) -> Method:
        """Return the method as it goes on from releases that were found before, the last one last; most begin anew."""
        return self

    def run(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        deadline: Deadline | None = None,
        progress: Progress = silent,
    ) -> Solution:
        """Solve a problem, or raise `Unsupported` or `Infeasible`.

        Under a time limit a quick release is made first, and finished. If time cuts the method short, the cheaper of
        the two is returned, so nothing that the quick release beats is published for want of time.
        """
        self._check(problem)
        deadline = Deadline() if deadline is None or self.always_finishes else deadline
        timed = deadline.moment is not None
        quick = quick_release(problem, seed, progress) if timed or self.anytime else None
        if quick is not None and deadline.passed:
            return out_of_time(self, [quick])
        try:
            found = [self.attempt(problem, seed=seed, deadline=deadline, progress=progress)]
        except OutOfTime:
            found = []
        if found and not deadline.cut:
            return found[0] if quick is None or not self.anytime else cheapest([*found, quick])
        if quick is None:  # stopped by a person
            quick = quick_release(problem, seed, progress)
        return out_of_time(self, found if quick is None else [*found, quick])

    def attempt(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Solve a problem that the method accepts by itself alone, and add the best lower bound.

        Raises `Unsupported` where rows are dropped and the method does not accept the rest.
        """
        kept = None if self.drops_rows else rows_to_keep(problem)
        if kept is not None and len(kept) < problem.rows:
            return self._of_some(problem, kept, seed, deadline, progress)
        del kept  # it is as long as the table
        found = self.solve(problem, seed=seed, deadline=deadline, progress=progress)
        return self._bounded(problem, self._met(problem, found, deadline, progress))

    def _of_some(self, problem: Problem, kept: Ints, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Solve a problem for the rows that are kept; the others are dropped."""
        part, told = problem.of_rows(kept), _words_of(progress)
        self._check(part)  # a model that merging may break may refuse what is left, as it did not refuse the whole
        found = self._met(part, self.solve(part, seed=seed, deadline=deadline, progress=told), deadline, told)
        return self._bounded(problem, _lifted(problem, found, kept))

    def _check(self, problem: Problem) -> None:
        reasons = self.accepts(problem)
        if reasons:
            raise Unsupported(f"method {self.name!r} cannot do this: {'; '.join(reasons)}", hint="try --method auto")

    def _met(self, problem: Problem, found: Solution, deadline: Deadline, progress: Progress) -> Solution:
        """Return a solution that meets what was asked, where the method worked with other models.

        Nothing that was proved is kept: it speaks of the models worked with. Prices are, which prove bounds of what was
        asked. Where the release as a whole is refused, classes that fail are merged.
        """
        if not problem.uses_surrogates:
            return found
        others = " ".join(str(model) for model in problem.required if model not in set(problem.models))
        notes = (*found.notes, f"classes were formed with another model in place of {others}: no optimum is claimed")
        found = replace(found, status="feasible", lower_bound=None, guarantee=None, notes=notes)
        if problem.suppressed != SUPPRESSED[0] or problem.meets(found.partition):
            return found
        partition = _repaired(problem, found.partition, deadline, progress)
        notes = (*notes, "classes were merged: together they did not meet what was asked")
        return replace(self.solution(problem, partition, "feasible", notes=notes), prices=found.prices, merged=True)

    def _bounded(self, problem: Problem, found: Solution) -> Solution:
        """Return the solution with the best lower bound known; one that costs no more than a bound is optimal."""
        value, prices = best_bound(problem) if found.prices is None else (found.prices.bound, found.prices)
        known = [found.lower_bound, value, 0.0 if found.cost == 0 else None]
        bound = max((value for value in known if value is not None), default=None)
        status: Status = "optimal" if bound is not None and found.cost <= bound else found.status
        promised = status == "optimal" and not problem.uses_surrogates
        guarantee = found.guarantee or (self.promise(problem) if promised else None)
        return replace(found, lower_bound=bound, status=status, guarantee=guarantee, prices=prices)

    def solution(
        self,
        problem: Problem,
        partition: Partition,
        status: Status,
        *,
        bound: float | None = None,
        notes: tuple[str, ...] = (),
    ) -> Solution:
        """Return a partition as a solution of this method, its cost measured as it will be published."""
        guarantee = self.promise(problem) if status != "feasible" else None
        cost, *ties = problem.order_of(partition)
        return Solution(partition, cost, status, self.name, bound, guarantee, notes, tie_break=tuple(ties))


def quick_release(problem: Problem, seed: int, progress: Progress) -> Solution | None:
    """Return the first release of a method that is always finished; None where no such method takes the problem."""
    from shoal.methods.full_domain.datafly import Datafly  # loaded only where time is limited; they import this module
    from shoal.methods.general.mondrian import Mondrian

    quick = (Mondrian(), Datafly())
    fitting = next((method for method in quick if not method.accepts(problem)), None)
    return None if fitting is None else fitting.run(problem, seed=seed, progress=progress)


def out_of_time(method: Method, found: Sequence[Solution]) -> Solution:
    """Return the cheapest of what there was when time was over, and say so."""
    best = cheapest(found)
    note = f"time ran out before {method.name} had ended"
    if best.method != method.name:
        note += f"; the release is that of {best.method}, which is cheaper than what was found until then"
    return replace(best, cut=True, notes=(*best.notes, note))


def cheapest(found: Sequence[Solution]) -> Solution:
    """Return the cheapest solution, with what was proved of the others: it holds for a cheaper release as well."""
    best = min(found, key=lambda solution: solution.order)
    return replace(best, **_inherited(best, found))  # type: ignore[arg-type]


def _inherited(best: Solution, found: Sequence[Solution]) -> dict[str, object]:
    """Return what carries over to the cheapest solution: a guarantee, where it has none, the best bound and prices."""
    inherited: dict[str, object] = {}
    proved = [solution for solution in found if solution.guarantee is not None]
    if best.guarantee is None and proved:
        status = best.status if best.status == "optimal" else "within_bound"
        inherited = {"guarantee": proved[0].guarantee, "status": status}
    bounds = [solution.lower_bound for solution in found if solution.lower_bound is not None]
    priced = [solution.prices for solution in found if solution.prices is not None]
    if bounds:
        inherited["lower_bound"] = max(bounds)
        if best.cost <= max(bounds):
            inherited["status"] = "optimal"
    if priced:
        inherited["prices"] = max(priced, key=lambda prices: prices.bound)
    return inherited


def _words_of(progress: Progress) -> Progress:
    """Return the progress without cost and bound, which speak of a part of the rows."""
    return lambda share, doing: progress(share, str(doing))


def _repaired(problem: Problem, partition: Partition, deadline: Deadline, progress: Progress) -> Partition:
    """Return the classes merged as far as they must; where rows were dropped that the others need, with these rows."""
    from shoal.methods.general.repair import repair  # loaded only where classes are merged; it imports this module

    try:
        return repair(problem, partition, deadline=deadline, progress=progress)
    except Infeasible:
        if not partition.dropped:
            raise
    try:
        return repair(problem, partition.with_dropped(), deadline=deadline, progress=progress)
    except Infeasible as error:
        raise Unsupported(
            "no choice of rows to drop was found with which the others meet what was asked",
            hint="allow more rows to be dropped, or ask for less",
        ) from error


def _lifted(problem: Problem, found: Solution, kept: Ints) -> Solution:
    """Return the solution of some rows as one of all, the others dropped; what was proved of the part is not kept."""
    partition = found.partition.among(kept, problem.rows)
    notes = (
        *found.notes,
        f"{problem.rows - len(kept):,} rows dropped: with them no release meets the models",
    )
    cost, *ties = problem.order_of(partition)
    return Solution(partition, cost, "feasible", found.method, notes=notes, tie_break=tuple(ties))
