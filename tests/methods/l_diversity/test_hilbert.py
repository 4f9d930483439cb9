"""Along the Hilbert curve: sweeps give eligible classes, runs are the cheapest, other models by joining neighbours."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from tests.strategies import QUASI, Case, case_of
from tests.thorough import many

from shoal.core import loops
from shoal.core.arrays import Ints
from shoal.core.loops import fitting
from shoal.methods.base import Deadline, silent
from shoal.methods.l_diversity.hilbert import Hilbert, _by_cells, _losses, line_of
from shoal.methods.l_diversity.hilbert_runs import sweep
from shoal.microdata.partition import Partition


def eligible_line(rng: np.random.Generator, l: int) -> Ints:
    """The sensitive values of a line of rows, none in more than one row of l; often exactly so many."""
    rows = int(rng.integers(l, 12 * l))
    most, tall = rows // l, int(rng.integers(0, l + 1))
    values = [value for value in range(tall) for _ in range(most)]
    extra = rng.integers(tall, tall + rows, rows - len(values)).tolist()
    values += [value if count <= most else 10_000 + place for place, (value, count) in enumerate(_running(extra))]
    return np.unique(rng.permutation(values), return_inverse=True)[1].astype(np.int64)


def _running(values: list[int]) -> list[tuple[int, int]]:
    seen: Counter[int] = Counter()
    found = []
    for value in values:
        seen[value] += 1
        found.append((value, seen[value]))
    return found


def check_sweep(values: Ints, l: int) -> None:
    classes = sweep(values, np.bincount(values), l)
    assert sorted(set(classes.tolist())) == list(range(classes.max() + 1))
    for one in range(classes.max() + 1):
        inside = np.bincount(values[classes == one])
        assert l * inside.max() <= inside.sum()
        assert inside.max() == 1


@pytest.mark.parametrize("l", range(2, 9))
def test_every_class_of_a_sweep_has_different_values_at_least_l(l: int) -> None:
    for seed in range(40):
        check_sweep(eligible_line(np.random.default_rng([l, seed]), l), l)


@pytest.mark.slow
@pytest.mark.parametrize("l", range(2, 16))
def test_every_class_of_many_more_sweeps_is_eligible(l: int) -> None:
    for seed in range(many(200)):
        check_sweep(eligible_line(np.random.default_rng([7, l, seed]), l), l)


def test_the_sweep_takes_the_foremost_rows_of_values_that_can_wait() -> None:
    values = np.array([0, 0, 1, 2, 1, 2, 3, 3])
    assert sweep(values, np.bincount(values), 2).tolist() == [0, 1, 0, 1, 2, 3, 2, 3]


def test_a_value_that_cannot_wait_is_taken_first() -> None:
    values = np.array([0, 1, 2, 3, 3, 3])
    assert sweep(values, np.bincount(values), 2).tolist() == [0, 1, 2, 0, 1, 2]


def test_compiled_or_not_the_classes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        l = 2 + seed % 4
        values = eligible_line(np.random.default_rng(seed), l)
        counts = np.bincount(values)
        monkeypatch.setattr(loops, "COMPILED_FROM", 0)
        assert (fitting(sweep, len(values))(values, counts, l) == sweep(values, counts, l)).all()


def solved(case: Case) -> Partition:
    return Hilbert().run(case.problem, deadline=Deadline(), progress=silent).partition


def random_case(seed: int, rows: int, require: str, **more: object) -> Case:
    rng = np.random.default_rng(seed)
    columns = {
        "number": [QUASI["number"].pool[code] for code in rng.integers(0, len(QUASI["number"].pool), rows)],
        "text": [QUASI["text"].pool[code] for code in rng.integers(0, len(QUASI["text"].pool), rows)],
        "illness": rng.permutation(["asthma", "cold", "gout"] * rows)[:rows].tolist(),
    }
    return case_of(columns, require, **more)


def cheapest_cut(case: Case, k: int) -> float:
    """What the cheapest cut of the line into runs of k rows or more costs, all cuts tried."""
    problem, line = case.problem, line_of(case.problem)
    rows = len(line)
    costs = []
    for cuts in range(1 << (rows - 1)):
        ends = [0, *(place + 1 for place in range(rows - 1) if cuts >> place & 1), rows]
        if min(b - a for a, b in pairwise(ends)) >= k:
            labels = np.empty(rows, dtype=np.int64)
            labels[line] = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            costs.append(problem.cost_of(Partition(labels)))
    return min(costs)


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_cut_into_runs_is_cheaper(k: int, recoding: str) -> None:
    for seed in range(6):
        case = random_case(seed, 8 + seed % 3, f"k={k}", recoding=recoding)
        found = case.problem.cost_of(solved(case))
        assert found <= cheapest_cut(case, k) + 1e-9


@pytest.mark.parametrize("options", [{}, {"recoding": "generalize"}, {"recoding": "generalize", "cost": "height"}])
@pytest.mark.parametrize("steps", [0, 10**9])
def test_runs_cost_along_hierarchies_what_their_cells_cost(
    steps: int, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "COMPILED_FROM", steps)
    for k in (1, 2, 5):
        problem = random_case(k, 20, f"k={k}", **options).problem
        line = line_of(problem)
        [(first, losses)] = _losses(problem, line, Deadline())
        assert losses == pytest.approx(_by_cells(problem, line, first, losses.shape[1]))


@pytest.mark.parametrize("cost", ["discernibility", "starred-rows", "kl-divergence"])
def test_any_cost_will_do(cost: str) -> None:
    assert solved(random_case(3, 12, "k=3", cost=cost)).sizes.min() >= 3


@pytest.mark.parametrize("require", ["k=5 l(illness)=2", "k=2 l(illness)=2", "l(illness)=3/2", "t(illness)=1/4"])
def test_other_models_are_met_by_joining_neighbours(require: str) -> None:
    case = random_case(5, 120, require)
    partition = solved(case)
    assert case.problem.models.admits(case.problem.classes(partition)).all()
    assert len(partition) > 1


def test_when_time_is_over_the_classes_are_valid_all_the_same() -> None:
    case = random_case(1, 30, "k=4")
    found = Hilbert().run(case.problem, deadline=Deadline.after(0), progress=silent)
    assert found.status == "feasible"
    assert found.partition.sizes.min() >= 4
    assert "time ran out" in found.notes[0]
