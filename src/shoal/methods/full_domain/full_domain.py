"""The best full-domain recoding: one level for every column, found by a search over the lattice of levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import ClassVar

import numpy as np

from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.full_domain.lattice import Ground, Lattice, LatticeSearch, Seen, Verdicts, measure_of
from shoal.methods.full_domain.lattice.levels import MOST_NODES
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.models import Model
from shoal.problem import Problem, Solution, infeasible, short_number


class FullDomain(Method):
    """Guarantees `cost = optimum` over full-domain recodings, if the search ends in time.

    Such a recoding publishes every column at one level of its hierarchy. The rows of classes that fail the models are
    published as stars, no more than `may_suppress` of the problem: as a class like any other, which must meet the
    models itself. If it does not, its rows are dropped, where `max_dropped` allows it and the rest then meets the
    models; else the levels will not do.

    The lattice of levels is searched as its file says; every model, monotone or not, and every cost. For a cost that
    each row pays for its own cells few of the nodes are looked at; for another, all that can be admitted.
    """

    name: ClassVar[str] = "full-domain"
    title: ClassVar[str] = "optimal full-domain recoding"
    guarantee: ClassVar[str | None] = "cost = optimum (over full-domain recodings)"
    condition: ClassVar[str] = f"if searched to the end in time (up to {MOST_NODES:,} nodes)"
    running_time: ClassVar[str] = "O(d m) for each node looked at, d distinct tuples; exponential in m at worst"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = (
        "after LeFevre, DeWitt, Ramakrishnan: Incognito: efficient full-domain k-anonymity, SIGMOD 2005; "
        "Kohlmayer, Prasser, Eckert, Kemper, Kuhn: Flash: efficient, stable and optimal k-anonymity, PASSAT 2012"
    )
    models: ClassVar[str] = "any model and conjunction"
    anytime: ClassVar[bool] = True
    recoding: ClassVar[str | None] = "full-domain"

    def accepts(self, problem: Problem) -> list[str]:
        """Require full-domain recoding and a lattice that can be laid out."""
        return lattice_refusals(problem) or Lattice.of(problem.microdata).refusals

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Look at nodes until none may be better than the best; out of time, take the best so far."""
        ground, lattice = Ground(problem), Lattice.of(problem.microdata)
        search = LatticeSearch(lattice, ground, measure_of(ground, lattice))
        search.look(len(lattice) - 1)
        return searched(self, search, deadline, progress)


def searched(
    method: Method, search: LatticeSearch, deadline: Deadline, progress: Progress, notes: tuple[str, ...] = ()
) -> Solution:
    """Run a search to its end, or to that of the time, and return what it found."""
    problem = search.problem
    search.run(deadline, progress)
    if search.best is None:
        raise refusal(problem)
    looked = f"{search.looked:,} of {len(search.lattice):,} nodes of the lattice were looked at"
    notes = (looked, *notes, *said(problem, search.best))
    if len(search.live):
        return method.solution(problem, search.partition, "feasible", notes=notes)
    found = method.solution(problem, search.partition, "optimal", notes=notes)
    return replace(found, lower_bound=found.cost)


def lattice_refusals(problem: Problem) -> list[str]:
    """Return why a method of one level for every column cannot take a problem; none if it can."""
    return [] if problem.recoding_kind.one_level else ["it is for the recoding 'full-domain'"]


def unreached(problem: Problem) -> list[str]:
    """Return why a method that ends at the top of the lattice may find nothing: its classes fail a model."""
    if not problem.microdata.level_ranges:
        return problem.refused_as_one()
    top = Verdicts(Ground(problem)).at(Lattice.of(problem.microdata).heights)
    short = f"the highest of the levels asked for do not meet {problem.required}; full-domain looks at all of them"
    return [] if top.admitted else [short]


def refusal(problem: Problem) -> Exception:
    """Return the refusal of a problem that no full-domain recoding solves; so the highest levels fail a model.

    Without levels that is the whole table as one class. Where the model is another than was asked for, it is not
    proved that there is no release.
    """
    asked = [model for model in problem.models if model in set(problem.required)]
    whole = problem.classes(Partition.whole(problem.rows))
    if problem.microdata.level_ranges:
        refused = _short_of(problem, [model for model in asked if not model.needs_cells])
    else:
        refused = (infeasible(m, whole) for m in asked if not m.needs_cells and not m.admits(whole)[0])
    return next(
        chain(refused, (_unmet(model, whole) for model in asked if model.needs_cells)),
        Unsupported(
            f"no full-domain recoding was found that meets {problem.required}",
            hint="ask for less, or allow more rows to be suppressed with --max-suppressed",
        ),
    )


def _unmet(model: Model, whole: Classes) -> Infeasible:
    """Refuse a model of the cells, which higher levels do not help: some classes fail it at all levels."""
    reached, rows = short_number(model.reading(model.reached(whole))), range(len(whole.class_of_row))
    hint = "ask for less, or let rows of failing classes be left out with --max-suppressed and --max-dropped"
    return Infeasible(str(model), reached=reached, rows=rows, hint=hint)


def _short_of(problem: Problem, models: Iterable[Model]) -> Iterator[Infeasible]:
    """Refuse a problem for each of the models that classes fail at the highest levels asked for."""
    verdicts = Verdicts(Ground(problem))
    top = verdicts.at(Lattice.of(problem.microdata).heights)
    partition = verdicts.partition(replace(top, failing=np.zeros_like(top.failing), fate="kept"))
    classes = problem.classes(partition)
    said = ", ".join(f"{name} {levels}" for name, levels in problem.microdata.level_ranges.items())
    hint = "allow higher levels, or more rows to be suppressed with --max-suppressed"
    for model in models:
        failing = ~model.admits(classes)
        if failing.any():
            rows = np.flatnonzero(failing[partition.class_of_row]).tolist()
            level = short_number(model.reading(model.reached(classes)))
            yield Infeasible(str(model), reached=level, rows=rows, hint=hint, what=f"the highest levels of {said}")


def said(problem: Problem, seen: Seen) -> list[str]:
    """Say at which levels the columns are published, and what became of the rows of failing classes."""
    pairs = zip(problem.microdata.roles.quasi, seen.grouping.levels, strict=True)
    return ["levels: " + ", ".join(f"{name} {level}" for name, level in pairs), *seen.said]
