"""The greedy set cover: sets made disjoint, the greedy choice, the guarantee against every release."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from tests.contracts.test_worked_examples import A
from tests.strategies import QUASI, Case, case_of
from tests.thorough import many

import shoal
from shoal.core.errors import Unsupported
from shoal.methods.base import Deadline, OutOfTime, silent
from shoal.methods.general.subset_dp import SubsetDP
from shoal.methods.k_anonymity.set_cover import Apart, Patterns, SetCover, factor
from shoal.patterns import Cube

Seen = Callable[[str, object], None]


def random_case(rng: np.random.Generator, rows: int, k: int, recoding: str) -> Case:
    columns = {
        name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), rows)]
        for name, kind in list(QUASI.items())[:3]
    }
    return case_of(columns, f"k={k}", recoding=recoding)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_sets_become_disjoint_with_k_to_2k_less_1_rows_and_no_more_weight(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(200):
        rows = int(rng.integers(2 * k, 25))
        sets = [set(rng.choice(rows, int(rng.integers(k, 2 * k)), replace=False).tolist()) for _ in range(rows)]
        sets += [set(range(start, start + k)) for start in range(0, rows - k + 1)]
        weights = rng.integers(0, 9, len(sets)).tolist()
        apart = Apart([set(one) for one in sets], list(weights), k)
        labels = apart.labels(rows)
        sizes = np.bincount(labels)
        assert k <= sizes[sizes > 0].min() <= sizes.max() <= 2 * k - 1
        assert sum(apart.weights[label] for label in set(labels)) <= sum(weights)


@pytest.mark.parametrize("k", [2, 3])
def test_the_first_set_has_the_least_weight_for_each_row_of_all_sets(k: int) -> None:
    rng = np.random.default_rng(10 + k)
    for _ in range(40):
        case = random_case(rng, int(rng.integers(2 * k, 9)), k, "suppress")
        cube = Cube.of(case.problem)
        patterns = Patterns.of(cube, k, Deadline())
        costs = patterns.costs / cube.denominator
        sets, chosen = patterns.cover(Deadline(), silent)
        codes = case.problem.microdata.codes
        best = min(
            float((codes[list(rows)] != codes[rows[0]]).any(axis=0).sum()) / len(rows)
            for size in range(k, 2 * k)
            for rows in combinations(range(len(codes)), size)
        )
        assert costs[chosen[0]] / len(sets[0]) == pytest.approx(best)


def test_table_a_is_within_the_guarantee() -> None:
    found = SetCover().run(A.problem("k=3"))
    assert found.status == "within_bound"
    assert 54 <= found.cost <= factor(3) * 54


def ratio(case: Case) -> float:
    found, best = SetCover().run(case.problem), SubsetDP().run(case.problem)
    assert found.cost <= factor(case.problem.models.least_rows) * best.cost + 1e-9
    assert found.status in ("within_bound", "optimal")
    return found.cost / best.cost if best.cost else 1.0


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_guarantee_holds_against_the_optimum(k: int, recoding: str) -> None:
    rng = np.random.default_rng(20 + k)
    for _ in range(30):
        ratio(random_case(rng, int(rng.integers(k, 10)), k, recoding))


@pytest.mark.slow
@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_guarantee_holds_on_many_tables(k: int, recoding: str, record_property: Seen) -> None:
    rng = np.random.default_rng(30 + k)
    worst = max(ratio(random_case(rng, int(rng.integers(k, 11)), k, recoding)) for _ in range(many(100)))
    said = f"set-cover, k={k}, {recoding}: at most {worst:.3f} of {many(100):,}, proved {factor(k):.3f}"
    record_property("seen", said)


def test_without_time_a_quick_release_is_taken() -> None:
    case = random_case(np.random.default_rng(1), 12, 2, "suppress")
    with pytest.raises(OutOfTime):
        SetCover().attempt(case.problem, seed=0, deadline=Deadline.after(0), progress=silent)
    found = SetCover().run(case.problem, deadline=Deadline.after(0))
    assert found.cut
    assert case.problem.meets(found.partition)


def test_other_models_are_refused_in_words() -> None:
    people = {"age": [1, 1, 2, 2], "illness": ["a", "b", "a", "b"]}
    with pytest.raises(Unsupported, match="is not k-anonymity"):
        shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="l(illness)=2", method="set-cover")
