"""The best levels that ARX states for the Adult table, found by shoal's search over the lattice.

What is asked and what is lost is read and measured as in `test_arx_expected`; here the levels are searched for. ARX
takes suppressed rows out of the check, so the search is asked to do the same. ARX compares some losses column by
column, the largest first; then the search takes the largest as the cost and the others to decide between equals.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import pytest
from tests.costs.test_arx_expected import COLUMNS, LEAST_ROWS, OPTIMA, Case, by_models, microdata, requirement

from shoal.core.arrays import Bools, Floats
from shoal.core.errors import Infeasible
from shoal.methods.base import Deadline, silent
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.methods.full_domain.lattice import Additive, Ground, Grouping, Lattice, LatticeSearch, Measure, Seen, Tables
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem

pytestmark = pytest.mark.skipif(not OPTIMA.is_file(), reason="there is no ../shared/data/adult beside the repository")


def weighed(whole: Floats, dropped: Floats, suppressed: float, leaves: int, emphasis: float) -> Floats:
    """The loss of a column under an emphasis, at many nodes, as in `test_arx_expected`."""
    if emphasis <= 0.5:
        return whole + 2 * emphasis * (dropped - whole)
    factor = 2 - 2 * emphasis
    covered = dropped * (1 - 1 / leaves) - suppressed
    return np.maximum((factor * covered + suppressed) / (1 - factor / leaves), 0.0)


def problem_of(case: Case) -> Problem:
    """The case as shoal is asked it."""
    asked, rows = requirement(case.models)
    parsed = parse_requirement(asked)
    return make_problem(
        microdata(rows, case.quasi, parsed.needs_population),
        parsed,
        recoding="full-domain",
        cost="non-uniform-entropy" if "Entropy" in case.metric else "ncp",
        max_suppressed=case.limit,
        suppressed="arx",
    )


class ArxLoss(Measure):
    """What ARX says a node loses: one number, or one for every column in falling order."""

    def __init__(self, ground: Ground, lattice: Lattice, case: Case) -> None:
        tables = Tables.of(ground.problem)
        assert tables is not None
        self.ground, self.lattice, self.metric, self.tables = ground, lattice, case.metric, tables
        self.weights = [(COLUMNS.index(name) + 1) / len(COLUMNS) if case.weighted else 1.0 for name in case.quasi]
        self.columns = Additive(ground, lattice, tables).columns
        emphasis = re.match(r"LossMetric\(([\d.]+)", case.metric)
        self.emphasis = float(emphasis[1]) if emphasis else 0.5
        parts = [column[lattice.levels[:, j]] * self.scale for j, column in enumerate(self.columns)]
        self.whole = np.column_stack(parts)

    @cached_property
    def scale(self) -> float:
        """What the columns' shares are multiplied with: NCP by the columns, entropy by the bits of the table."""
        data = self.ground.problem.microdata
        if "Entropy" not in self.metric:
            return float(len(data.quasi))
        counts = [np.bincount(column.codes).astype(float) for column in data.quasi]
        return float(sum(_bits(count) for count in counts))

    @cached_property
    def leaves(self) -> list[int]:
        """The leaves of every hierarchy."""
        return [int(tree.leaves[-1][0]) for tree in self.ground.problem.microdata.hierarchies]

    @cached_property
    def floor(self) -> Floats:
        """What nodes lose at least; where nothing is known, a trifle that rises along the lattice."""
        if "Loss" in self.metric:
            return np.asarray(self.combined(self.whole, self.whole, 0.0)[:, 0])
        known = "Entropy" in self.metric
        return np.asarray(self.whole.sum(axis=1) if known else self.lattice.levels.sum(axis=1) * 1e-6)

    def combined(self, whole: Floats, dropped: Floats, share: float) -> Floats:
        """The losses of many nodes from those of their columns, without suppression and with it."""
        columns = zip(whole.T, dropped.T, self.leaves, strict=True)
        losses = np.column_stack([weighed(all_, kept, share, leaves, self.emphasis) for all_, kept, leaves in columns])
        if "RANK" in self.metric:
            return np.asarray(-np.sort(-losses * self.weights, axis=1))
        return np.asarray(np.prod(losses + 1, axis=1, keepdims=True) ** (1 / losses.shape[1]) - 1)

    def suppressed(self, grouping: Grouping, failing: Bools) -> Floats:
        """What every column loses more by suppression."""
        codes, gone = self.ground.codes[:, grouping.first[failing]], grouping.sizes[failing]
        gaps = zip(self.tables.gaps, grouping.levels, codes, strict=True)
        return np.array([float(gap[level][values] @ gone) for gap, level, values in gaps]) * self.scale

    def extra(self, grouping: Grouping, failing: Bools) -> float:
        """The bits of the suppressed cells: more rows and finer cells have more."""
        if "Entropy" not in self.metric or self.metric.endswith("true)"):
            return 0.0
        codes, gone = self.ground.codes[:, grouping.first[failing]], grouping.sizes[failing]
        trees = zip(self.ground.problem.microdata.hierarchies, grouping.levels, codes, strict=True)
        counts = [np.bincount(tree.up[level][values], weights=gone).astype(float) for tree, level, values in trees]
        return float(sum(map(_bits, counts)))

    def losses(self, grouping: Grouping, failing: Bools) -> list[float]:
        """What a node loses whose failing classes are suppressed."""
        node, rows = self.lattice.number(grouping.levels), self.ground.problem.rows
        if "AECS" in self.metric:
            return [rows / (int((~failing).sum()) + bool(failing.any()))]
        if "Discernability" in self.metric:
            return [float((grouping.sizes.astype(float) ** 2).sum())]
        whole = self.whole[node : node + 1]
        if "Entropy" in self.metric:
            return [float(whole.sum()) + self.extra(grouping, failing)]
        share = float(grouping.sizes[failing].sum()) / rows
        found: list[float] = self.combined(whole, whole + self.suppressed(grouping, failing), share)[0].tolist()
        return found

    def of(self, seen: Seen) -> float:
        """The first of the losses."""
        return self.losses(seen.grouping, seen.failing)[0]


def _bits(counts: Floats) -> float:
    """The entropy of some rows together."""
    some = counts[counts > 0]
    return float(some.sum() * np.log2(some.sum()) - (some * np.log2(some)).sum()) if len(some) else 0.0


class ArxSearch(LatticeSearch):
    """The search, by ARX's losses and by what ARX calls a solution."""

    def __init__(self, case: Case) -> None:
        ground, lattice = Ground(problem_of(case)), Lattice.of(problem_of(case).microdata)
        self.loss, self.losses = ArxLoss(ground, lattice, case), [float("inf")]
        super().__init__(lattice, ground, self.loss)
        people = ground.problem.microdata.population
        strict = re.search(r"DPresence\((?!0\.0,)", case.models) and not LEAST_ROWS.search(case.models)
        self.everybody = int(people.counts.sum()) if people is not None and strict else None

    def worth(self, bounds: Floats) -> Bools:
        """Nodes that may lose as little in the first column may still be better in another."""
        return np.asarray(bounds <= self.losses[0] + 1e-9, dtype=bool)

    def _keep(self, seen: Seen) -> None:
        if not self._fits_everybody(seen.grouping):
            return
        losses = self.loss.losses(seen.grouping, seen.failing)
        if np.round(losses, 9).tolist() < np.round(self.losses, 9).tolist():
            self.losses, self.best, self.order = losses, seen, tuple(losses)

    def _fits_everybody(self, grouping: Grouping) -> bool:
        """With delta-presence above 0 ARX asks that everybody of the population fits a class."""
        if self.everybody is None:
            return True
        people = self.ground.classes(grouping, np.ones(len(grouping), dtype=bool)).population
        return people is not None and int(people().sum()) == self.everybody

    def _lift(self, node: int, seen: Seen) -> None:
        """The rows of hopeless classes are suppressed in finer nodes, too, and lose no less by it."""
        super()._lift(node, seen)
        grouping, hopeless = seen.grouping, seen.hopeless
        if "Loss" in self.loss.metric:
            below = self.live[(self.lattice.levels[self.live] <= self.lattice.levels[node]).all(axis=1)]
            whole, share = self.loss.whole[below], float(grouping.sizes[hopeless].sum()) / self.problem.rows
            lifted = self.loss.combined(whole, whole + self.loss.suppressed(grouping, hopeless), share)[:, 0]
            self.bound[below] = np.maximum(self.bound[below], lifted)

    def learn(self, node: int, seen: Seen) -> None:
        """Where classes only merge, no node above loses less than this one without suppression."""
        super().learn(node, seen)
        if self.loss.metric.startswith(("AECS", "Discernability")):
            grouping = seen.grouping
            above = self.bound.reshape(self.lattice.shape)[self.lattice.above(node)]
            np.maximum(above, self.loss.losses(grouping, np.zeros(len(grouping), dtype=bool))[0], out=above)


def found_by(case: Case) -> ArxSearch:
    """The search of a case, done."""
    search = ArxSearch(case)
    search.look(len(search.lattice) - 1)
    search.run(Deadline(), silent)
    return search


def check(case: Case) -> None:
    """Guarantees the loss that ARX states; a better one where ARX took a short cut; none where there is none."""
    search = found_by(case)
    if case.levels is None:
        assert search.best is None
    elif case.heuristic:
        assert np.round(search.losses, 8).tolist() <= np.round(case.loss, 8).tolist()
    else:
        assert search.losses == pytest.approx(list(case.loss), rel=1e-9, abs=1e-9), case.place


def searched(models: str) -> bool:
    """Whether classes are decided one by one, by models of shoal's; the others are asked at the stated levels only."""
    if re.match(r"Profitability|EDDifferential|EntropyLDiversity.*GRASSBERGER", models):
        return False
    return not parse_requirement(requirement(models)[0]).of_release


SEARCHED = [models for models in by_models(OPTIMA) if models != "none" and searched(models)]


def quick(case: Case) -> bool:
    """Whether counting rows decides, and what is stated is the best."""
    return re.fullmatch(r"KAnonymity\(\d+\)", case.models) is not None and not case.heuristic


@pytest.mark.parametrize("models", [models for models, group in by_models(OPTIMA).items() if any(map(quick, group))])
def test_the_best_levels_lose_what_arx_states(models: str) -> None:
    for case in filter(quick, by_models(OPTIMA)[models]):
        check(case)


@pytest.mark.slow
@pytest.mark.parametrize("models", SEARCHED)
def test_the_best_levels_lose_what_arx_states_for_every_model(models: str) -> None:
    for case in by_models(OPTIMA)[models]:
        check(case)


@pytest.mark.parametrize(("limit", "expected"), [("0", 0.6355438), ("0.05", 0.2696347), ("1", 0.2277003)])
def test_the_best_levels_of_nine_columns(limit: str, expected: float) -> None:
    problem = make_problem(
        microdata("adult", COLUMNS, False),
        parse_requirement("k=5"),
        recoding="full-domain",
        max_suppressed=limit,
    )
    found = FullDomain().run(problem)
    assert found.status == "optimal"
    assert found.cost == pytest.approx(expected, abs=1e-6)


def test_a_model_that_no_levels_meet_is_infeasible() -> None:
    case = next(case for case in by_models(OPTIMA)["EntropyLDiversity(occupation, 100)"])
    with pytest.raises(Infeasible):
        FullDomain().run(problem_of(case))


@pytest.mark.slow
def test_the_search_finds_the_levels_that_arx_states_for_payouts() -> None:
    case = next(case for case in by_models(OPTIMA)["ProfitabilityJournalist(getConfig2, subset=adult_subset)"])
    asked, rows = requirement(case.models)
    problem = make_problem(
        microdata(rows, case.quasi, True),
        parse_requirement(asked),
        recoding="full-domain",
        cost="geometric-loss",
        max_suppressed=case.limit,
        max_dropped=case.limit,
    )
    found = FullDomain().run(problem)
    assert found.status == "optimal"
    assert found.cost == pytest.approx(case.loss[0], abs=1e-9)
    pairs = zip(case.quasi, case.levels or (), strict=True)
    assert "levels: " + ", ".join(f"{name} {level}" for name, level in pairs) in found.notes
