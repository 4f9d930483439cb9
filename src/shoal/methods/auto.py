"""Choosing a method: by name, or the best of those that can take the problem."""

from __future__ import annotations

from dataclasses import replace
from logging import getLogger

import numpy as np

import shoal.costs
import shoal.methods
from shoal.bounds.class_gains import demands
from shoal.core.discovery import discover, lookup
from shoal.core.errors import Unsupported
from shoal.core.memory import give_back
from shoal.costs import Cost
from shoal.methods.base import Deadline, Method, OutOfTime, Progress, ProgressMessage, cheapest
from shoal.methods.effort import BEST, NORMAL, QUICK, checked_effort
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.methods.full_domain.top_down_greedy import TopDownGreedy
from shoal.methods.general.anneal import QUICKLY, Anneal
from shoal.methods.general.cube import CubeSearch
from shoal.methods.general.m_approx import MApprox
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.general.peel import Peel, walked
from shoal.methods.general.subset_dp import SubsetDP
from shoal.methods.l_diversity.anatomy import Anatomy
from shoal.methods.l_diversity.tds import TopDownSpecialization
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.methods.microaggregation.microaggregation import GROUPS_UP_TO, Microaggregation
from shoal.methods.microaggregation.microaggregation_tfirst import CLOSE_GROUPS_UP_TO, MicroaggregationTFirst
from shoal.methods.t_closeness.fragmentation.axes import closeness
from shoal.methods.t_closeness.fragments import Fragments
from shoal.methods.t_closeness.t_mondrian import TMondrian
from shoal.microdata.partition import Partition
from shoal.problem import STAR_COSTS, Problem, Solution
from shoal.recoding.generalize import Generalize
from shoal.recoding.range import Range
from shoal.recoding.suppress import Suppress
from shoal.request import EFFORTS, Choices
from shoal.tables.star_marks import STAR

LOG = getLogger(__name__)
EXACT_UP_TO = 12
"""Rows up to which the exact optimum is found at once."""
MANY_ROWS = 100_000
"""Rows from which memory is given back to the system between two methods."""
NO_ROWS = Partition(np.empty(0, np.int64))
"""What stands for classes that were let go of."""
MERGED_UP_TO = 100_000
"""Rows up to which classes of rows alone are tried where a model asks for values: merging them takes long with more."""
TURNS, PAYS = (1, 2, 3), 0.02
"""Turns in which classes that are close are annealed again with normal effort, as long as it saves such a share."""
FEW_ROWS, FEW_TURNS = 1_000, (1, 2)
"""Rows up to which classes are annealed in more turns with normal effort, and these: which random numbers are drawn
changes the loss of a few hundred rows by up to 6 %."""
PRICED_UP_TO = {NORMAL: 400_000_000, BEST: 4_000_000_000}
"""Distinct tuples times nodes of the lattice up to which prices lead the search; beyond, they prove the bound alone."""


def methods() -> dict[str, type[Method]]:
    """Return every known method by its name."""
    return discover(shoal.methods, Method)


def requested_recoding(asked: Choices, *, grouped: bool, method: str | None = None) -> str:
    """Return the recoding of a request, or of another `method` with it: the one that is named, or ranges.

    Where none is named, a method may be for one recoding alone; where it, or the cost, is about stars, or stars are to
    be missing values, that is suppression. Groups are published where something speaks of them: a method is named, a
    quasi-identifier has a hierarchy (`grouped`), columns are raised or recoded by themselves, the cost measures no
    ranges, or a population is given, whose people may lie outside every range. Otherwise ranges and sets lose least.

    >>> [requested_recoding(Choices(method=name), grouped=False) for name in ("auto", "peel", "tp", "anatomy")]
    ['range', 'generalize', 'suppress', 'anatomy']
    >>> requested_recoding(Choices(), grouped=True), requested_recoding(Choices(cost="stars"), grouped=False)
    ('generalize', 'suppress')
    """
    kind = methods().get(method or asked.method)
    if named := asked.recoding or (None if kind is None else kind.recoding):
        return named
    if asked.cost in STAR_COSTS or asked.star != STAR or (kind is not None and kind.about_stars):
        return Suppress.name
    of_groups = (grouped, kind, asked.coarsen, asked.column_recodings, asked.levels, asked.population is not None)
    return Generalize.name if any(of_groups) or not _measures_ranges(asked.cost) else Range.name


def _measures_ranges(cost: str | None) -> bool:
    """Whether a cost is defined for ranges; one that is not known is refused later."""
    kind = discover(shoal.costs, Cost).get((cost or "").partition(":")[0])
    return kind is None or kind.measures(Range)


def choose(
    problem: Problem, name: str, *, seed: int, deadline: Deadline, progress: Progress, effort: str = NORMAL
) -> Solution:
    """Solve with the method of that name; `auto` takes the cheapest of what fits, and says what it tried, and why.

    Two tables are made by anatomy, where it can, full-domain recodings by the search of their lattice,
    single-dimensional ones by top-down specialization, and a table of at most 12 rows is solved exactly. Where
    closeness leaves no choice, all rows are one class. Otherwise Mondrian runs, and after it, where they can, the
    m-approximation (microaggregation, where centroids are published), methods that are made for what is asked, and
    peeling of the patterns, for diversity also as rows alone would have it, with refused classes merged; with normal
    effort, where the table is not too large for it, peeling is led by prices, and with the best effort it goes on until
    windows find nothing more. In the end classes are annealed, beginning with the cheapest release so far; with normal
    effort and closeness again as long as that pays, and a small table in more turns; with the best effort and diversity
    also before that, as it saves more in its time. What is proved of a dearer release holds for a cheaper one; one that
    is proved optimal is not annealed.

    What is tried, and in which order, depends on the table and the request alone, and more effort tries all that less
    effort does: so it never gives a dearer release. A time limit ends it earlier: a method that it cuts short counts
    only if more time could not make its release dearer. So a longer limit never gives a dearer release than a shorter
    one, and one that is not reached changes nothing.
    """
    checked_effort(effort, name)
    if name != "auto":
        return lookup(shoal.methods, Method, name, "method")().run(
            problem, seed=seed, deadline=deadline, progress=progress
        )
    exact = _exact(problem)
    if not exact and rows_of_only_class(problem) is not None:
        only = _alone(Mondrian(), problem, seed, deadline, progress)
        return replace(only, status="optimal", lower_bound=only.cost)
    stages, why_not = ([], "") if exact else _stages(problem, effort)
    if not stages:
        return _alone(exact or Mondrian(), problem, seed, deadline, progress)
    found: list[Solution] = []
    for place, method in enumerate(stages):
        if found and deadline.passed:
            break
        if isinstance(method, Anneal) and not method.is_worthwhile(found):
            continue
        part = _part(progress, place, len(stages))
        until = Deadline() if method.always_finishes else deadline
        try:
            begun = method.begun(found) if found else method
            if problem.rows >= MANY_ROWS:
                found = _without_dearer(found, is_last=place == len(stages) - 1)
            solution = begun.attempt(problem, seed=seed, deadline=until, progress=part)
        except OutOfTime:
            break
        except Unsupported:  # rows are dropped, and it does not take the rest
            if not found and method is stages[-1]:
                raise
            continue
        if not found or not deadline.cut or (method.anytime and not solution.merged):
            found.append(solution)
        LOG.info("%s found a release of cost %.6g", solution.method, solution.cost)
        if problem.rows >= MANY_ROWS:
            solution.partition.forget()
            problem.forget()
            give_back()
        part(1.0, _standing(found))
        del begun, solution  # their classes may be let go of
    return _concluded(problem, found, [why_not] if why_not else [], cut=deadline.cut)


def _alone(method: Method, problem: Problem, seed: int, deadline: Deadline, progress: Progress) -> Solution:
    """Solve by a method that needs none beside it."""
    reasons = method.accepts(problem)
    if reasons:
        raise Unsupported(
            f"no method with the recoding {problem.recoding!r} can do this: {'; '.join(reasons)}",
            hint="use another recoding, such as --recoding generalize",
        )
    found = method.run(problem, seed=seed, deadline=deadline, progress=progress)
    chosen = (_said([found]),)
    return replace(found, notes=(*found.notes, *chosen), chosen=chosen)


def _concluded(problem: Problem, found: list[Solution], why_not: list[str], *, cut: bool) -> Solution:
    """Return the cheapest of what was found, with all that was proved, and what was tried."""
    best = cheapest(found)
    late = ["the time limit ended the search before all was tried that auto tries"] if cut else []
    chosen = (_said(found), *_reasons(problem, found), *why_not, *late)
    return replace(best, notes=(*best.notes, *chosen), chosen=chosen, cut=cut)


def _without_dearer(found: list[Solution], *, is_last: bool) -> list[Solution]:
    """Let go of the classes that no later search begins with: those of 5 million rows take 40 MB.

    Searches begin with the last release, or the cheapest: of all, of those before the last one or two, or of those that
    were not annealed. Once the last search has its classes to begin with, the cheapest alone are kept.
    """
    others = [solution for solution in found if solution.method != Anneal.name]
    among = [found] if is_last else [found, found[-1:], found[:-1], found[:-2], others]
    kept = {id(min(some, key=lambda one: one.order)) for some in among if some}
    return [one if id(one) in kept else replace(one, partition=NO_ROWS) for one in found]


def _part(progress: Progress, place: int, number: int) -> Progress:
    """Return the progress of one method as a part of the whole; its share never falls."""
    reached = 0.0

    def rising(share: float, doing: str) -> None:
        nonlocal reached
        reached = min(max(reached, share), 1.0)
        progress((place + reached) / number, doing)

    return rising


def _standing(found: list[Solution]) -> ProgressMessage:
    """Say what the methods that are done reached: the cheapest release, and the best bound."""
    bounds = [solution.lower_bound for solution in found if solution.lower_bound is not None]
    return ProgressMessage(f"{found[-1].method} is done", min(one.cost for one in found), max(bounds, default=None))


def _exact(problem: Problem) -> Method | None:
    """Return the method that needs none beside it: for two tables, cuts through whole columns, and few rows.

    Where a method works with other models than those asked for, it is not exact.
    """
    if problem.recoding_kind.two_tables and not Anatomy().accepts(problem):
        return Anatomy()
    if problem.recoding_kind.one_level:
        return FullDomain() if not FullDomain().accepts(problem) else TopDownGreedy()
    if problem.global_recoding_refusal:
        return TopDownSpecialization()
    few = problem.rows <= EXACT_UP_TO and not problem.uses_surrogates
    return SubsetDP() if few and not SubsetDP().accepts(problem) else None


def rows_of_only_class(problem: Problem) -> int | None:
    """Return how many rows every class has at least where two classes would have too many; None otherwise.

    Closeness may ask for that: of 4,000 amounts that are all different, and equally far apart, within 0.3. What a
    method would do instead takes long, and finds nothing.
    """
    unsure = problem.may_drop or problem.counts_people or problem.uses_surrogates or problem.global_recoding_refusal
    if unsure or not closeness(problem.models):
        return None
    least = demands(problem)[0]
    return least if 2 * least > problem.rows else None


def _stages(problem: Problem, effort: str) -> tuple[list[Method], str]:
    """Return the methods to try, quick ones first, and why the patterns are not searched, where they are not."""
    by_groups = not problem.recoding_kind.covers and problem.rows <= GROUPS_UP_TO
    stages: list[Method] = [Mondrian(), Microaggregation() if by_groups else MApprox(), TPPlusRefined()]
    if problem.rows <= EXACT_UP_TO:
        stages.append(SubsetDP())
    if TMondrian.is_native(problem):
        stages.append(TMondrian())
    stages.append(Peel(limits=QUICKLY))
    pays = PAYS if closeness(problem.models) else 0.0
    of_values = not problem.models.count_rows_alone and not closeness(problem.models)
    if of_values and problem.rows <= MERGED_UP_TO:
        stages.append(Peel(limits=QUICKLY, by_rows=True))
    if closeness(problem.models):
        stages.append(Fragments())
        if problem.rows <= CLOSE_GROUPS_UP_TO and not problem.cells_are_blocks:
            stages.append(MicroaggregationTFirst())
    for more in EFFORTS[: EFFORTS.index(effort) + 1]:
        patterns = _by_patterns(problem, more)
        if more == BEST and patterns and not (problem.counts_stars or closeness(problem.models)):
            stages += [Anneal(effort=BEST), *patterns, Anneal(effort=BEST, of_last=True)]
        elif more == NORMAL and patterns and closeness(problem.models):
            stages += [*patterns, Anneal(effort=NORMAL)]
            stages += [Anneal(effort=NORMAL, pays=PAYS, turn=turn) for turn in TURNS]
        elif more == NORMAL and patterns and problem.rows >= MANY_ROWS:
            # Near rows take much memory: patterns come first.
            stages[-1:] = [*patterns, Anneal(effort=QUICK, passing=len(patterns)), Anneal(effort=NORMAL)]
        else:
            stages += [*patterns, Anneal(effort=more)]
            if more == NORMAL and problem.rows <= FEW_ROWS:
                stages += [Anneal(effort=NORMAL, pays=pays, turn=turn) for turn in FEW_TURNS]
    reasons = Peel().accepts(problem)
    why_not = f"auto did not use {Peel.name}: {'; '.join(reasons)}" if reasons else ""
    return [method for method in stages if not method.accepts(problem)], why_not


def _by_patterns(problem: Problem, effort: str) -> list[Method]:
    """Return the search of the patterns that an effort adds, if any, and a quick annealing of what it finds."""
    if effort == QUICK or Peel().accepts(problem):
        return []
    steps, polish = walked(problem), Anneal(effort=QUICK, of_last=True)
    if steps <= PRICED_UP_TO[effort]:
        began_annealed = effort == BEST and closeness(problem.models)
        return [CubeSearch(effort=effort), *([] if began_annealed else [polish])]
    return [Peel(effort=NORMAL), polish] if effort == NORMAL else []


def _reasons(problem: Problem, found: list[Solution]) -> list[str]:
    """Say why methods were tried that are made for what is asked: what `benchmarks/tcloseness.py` shows of them."""
    tried = {solution.method for solution in found}
    if Fragments.name not in tried or not closeness(problem.models):
        return []
    if MicroaggregationTFirst.name in tried:
        return ["auto tries fragments and groups with t-closeness first: which is cheaper depends on the table"]
    if not problem.cells_are_blocks:
        return ["auto tries fragments for t-closeness where cells are not blocks of hierarchies, and anneals"]
    if Peel.name in tried:
        return ["auto tries patterns and fragments for t-closeness of blocks: which is cheaper depends on the table"]
    return ["auto tries fragments for t-closeness: mostly the cheapest where the patterns of blocks are not searched"]


def _said(found: list[Solution]) -> str:
    tried = ", ".join(f"{solution.method} (cost {solution.cost:.6g})" for solution in found)
    best = min(found, key=lambda solution: solution.order)
    return f"auto tried {tried}" + (f" and took the cheapest, {best.method}" if len(found) > 1 else "")
