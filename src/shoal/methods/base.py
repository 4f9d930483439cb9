"""The contract of a method: an algorithm that turns a problem into a solution.

A method declares its guarantee as an inequality, its running time and its paper; it says which problems it can take
(`accepts`) and solves them (`solve`). `run` adds what is the same for all: refusing what cannot be met, dropping rows
where that is allowed and nothing else helps, measuring the cost, and the best lower bound known.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import ClassVar, TypeAlias

from shoal.arrays import Ints
from shoal.bounds.base import best_bound
from shoal.errors import Unsupported
from shoal.methods.dropping import rows_to_keep
from shoal.partition import Partition
from shoal.problem import Problem, Solution, Status

Progress: TypeAlias = Callable[[float, str], None]
"""Called now and then with the share done (0 to 1) and what is being done."""


class Standing(str):
    """What is being done, as text that knows the cost of the best so far and the bound proved so far.

    >>> doing = Standing("windows", cost=12, bound=10)
    >>> doing, doing.cost, doing.bound
    ('windows', 12, 10)
    """

    cost: float
    bound: float | None

    def __new__(cls, doing: str, cost: float, bound: float | None) -> Standing:
        """Return the text with its numbers."""
        made = super().__new__(cls, doing)
        made.cost, made.bound = cost, bound
        return made

    def __reduce__(self) -> tuple[type[Standing], tuple[str, float, float | None]]:  # it is sent between processes
        return Standing, (str(self), self.cost, self.bound)


def silent(share: float, doing: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Deadline:
    """A moment, or an event, after which a method returns the best it has.

    >>> Deadline.after(None).passed, Deadline.after(0).passed
    (False, True)
    """

    moment: float | None = None
    stop: Event | None = None
    began: float = field(default_factory=time.monotonic)

    @classmethod
    def after(cls, seconds: float | None, stop: Event | None = None) -> Deadline:
        """Return the deadline that many seconds from now, or when `stop` is set; None never comes."""
        return cls(None if seconds is None else time.monotonic() + seconds, stop)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where no limit is set."""
        return None if self.moment is None else max(self.moment - time.monotonic(), 0.0)

    @property
    def share(self) -> float:
        """The share of the time that is over; 0 where no limit is set."""
        if self.moment is None:
            return 0.0
        return min((time.monotonic() - self.began) / max(self.moment - self.began, 1e-9), 1.0)

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        over = self.moment is not None and time.monotonic() >= self.moment
        return over or (self.stop is not None and self.stop.is_set())


class Method(ABC):
    """An algorithm. Subclasses are found by discovery."""

    name: ClassVar[str]
    title: ClassVar[str]
    guarantee: ClassVar[str | None]
    """What is proved of its result, as an inequality; None for a heuristic."""
    condition: ClassVar[str] = ""
    """When the guarantee holds: limits of time and size, and what else it asks for; empty where it always holds."""
    cost: ClassVar[str]
    """Its running time."""
    paper: ClassVar[str]
    models: ClassVar[str]
    """Which models it can meet, in words."""
    recoding: ClassVar[str | None] = None
    """The recoding it is for, which is taken where none is named; None where it is for several."""
    drops_rows: ClassVar[bool] = False
    """Whether `solve` itself decides which rows to drop."""

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

    @abstractmethod
    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Solve a feasible problem that it accepts."""

    def run(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        deadline: Deadline | None = None,
        progress: Progress = silent,
    ) -> Solution:
        """Solve a problem, or raise `Unsupported` or `Infeasible`."""
        reasons = self.accepts(problem)
        if reasons:
            raise Unsupported(f"method {self.name!r} cannot take this: {'; '.join(reasons)}", hint="try --method auto")
        deadline = deadline or Deadline()
        if self.drops_rows:
            return self._bounded(problem, self.solve(problem, seed=seed, deadline=deadline, progress=progress))
        kept = rows_to_keep(problem)
        part = problem if len(kept) == problem.rows else problem.of_rows(kept)
        told = progress if part is problem else _words_of(progress)
        found = self.solve(part, seed=seed, deadline=deadline, progress=told)
        if part is not problem:
            found = _lifted(problem, found, kept)
        return self._bounded(problem, found)

    def _bounded(self, problem: Problem, found: Solution) -> Solution:
        """Return the solution with the best lower bound known; one that costs no more than a bound is optimal."""
        value, prices = best_bound(problem) if found.prices is None else (found.prices.bound, found.prices)
        known = [found.lower_bound, value, 0.0 if found.cost == 0 else None]
        bound = max((value for value in known if value is not None), default=None)
        status: Status = "optimal" if bound is not None and found.cost <= bound else found.status
        guarantee = found.guarantee or (self.promise(problem) if status == "optimal" else None)
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
        return Solution(partition, problem.cost_of(partition), status, self.name, bound, guarantee, notes)


def _words_of(progress: Progress) -> Progress:
    """Return the progress without cost and bound, which speak of a part of the rows."""
    return lambda share, doing: progress(share, str(doing))


def _lifted(problem: Problem, found: Solution, kept: Ints) -> Solution:
    """Return the solution of some rows as one of all, the others dropped; what was proved of the part is not kept."""
    partition = found.partition.among(kept, problem.rows)
    notes = (
        *found.notes,
        f"{problem.rows - len(kept):,} rows dropped: with them no release meets the models",
    )
    return Solution(partition, problem.cost_of(partition), "feasible", found.method, notes=notes)
