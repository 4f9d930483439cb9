"""Distances of rows and means: by definition, compiled or not."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.strategies import Case, case_of

from shoal.methods.base import Deadline
from shoal.methods.microaggregation.clusters import Closeness, Clusters, Points
from shoal.methods.microaggregation.clusters import points as module
from shoal.microdata.partition import Partition
from shoal.models import TCloseness

PEOPLE = case_of(
    {
        "number": [1, 2, 4, 9, None, 2],
        "text": ["e", "f", "v", "v", "e", "f"],
        "truth": [True, None, False, False, True, True],
        "salary": [1, 2, 5, 10, 1, 2],
    },
    "k=2",
    recoding="range",
)
GENERALIZED = Case(PEOPLE.kinds, PEOPLE.columns, PEOPLE.models, "generalize")


def corners(points: Points) -> np.ndarray:
    """The points with a coordinate for every value, so that squared distances are plain."""
    parts = [points.numbers]
    for level, weight in enumerate(points.weights):
        codes = points.codes[:, level]
        parts.append(np.sqrt(weight / 2) * (codes[:, None] == np.arange(codes.max() + 1)))
    return np.hstack(parts)


@pytest.mark.parametrize("case", [PEOPLE, GENERALIZED], ids=["range", "generalize"])
@pytest.mark.parametrize("from_rows", [1, 10**9], ids=["compiled", "plain"])
def test_distances_are_those_between_corners(case: Case, from_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPILE_FROM", from_rows)
    points, everyone = Points.of(case.problem), np.arange(len(case.problem.microdata.counts))
    plain, counts = corners(points), case.problem.microdata.counts
    for one in everyone.tolist():
        expected = ((plain - plain[one]) ** 2).sum(axis=1)
        assert points.from_point(one, everyone) == pytest.approx(expected, rel=1e-8, abs=1e-12)
    expected = ((plain - counts @ plain / counts.sum()) ** 2).sum(axis=1)
    found = points.from_mean(everyone, counts, everyone)
    assert found - found[0] == pytest.approx(expected - expected[0], rel=1e-8, abs=1e-9)


def test_a_hierarchy_counts_the_levels_that_differ() -> None:
    towns = case_of({"text": ["e", "f", "v"], "salary": [1, 1, 1]}, "k=2", recoding="generalize")
    points = Points.of(towns.problem)
    assert [points.from_point(0, np.arange(3))[place] for place in range(3)] == [0, 0.5, 1]
    starred = Points.of(case_of(towns.columns, "k=2").problem)
    assert starred.from_point(0, np.arange(3)).tolist() == [0, 1, 1]


def test_numbers_are_standardized_and_a_missing_one_lies_at_the_mean() -> None:
    points = Points.of(case_of({"number": [1, 9, None], "salary": [1, 1, 1]}, "k=2").problem)
    assert points.numbers[:, 0].tolist() == [-1, 1, 0]
    constant = Points.of(case_of({"decimal": [0.25] * 3, "salary": [1, 1, 1]}, "k=2").problem)
    assert constant.numbers.tolist() == [[0.0]]


def test_means_of_clusters_are_as_far_apart_as_their_corners() -> None:
    problem = GENERALIZED.problem
    labels = np.array([0, 1, 1, 2, 2, 0])
    clusters = Clusters(problem, Partition(labels))
    plain = corners(Points.of(problem).at(problem.microdata.tuple_of_row))
    for _ in range(2):
        of_row = clusters.partition.class_of_row
        alive = clusters.alive.tolist()
        means = {number: plain[of_row == place].mean(axis=0) for place, number in enumerate(alive)}
        for one, other in product(alive, alive):
            assert clusters.away(one)[other] == pytest.approx(((means[one] - means[other]) ** 2).sum(), abs=1e-9)
        clusters.merge(alive[0], clusters.nearest(alive[0]))


def test_the_closeness_of_a_class_is_what_the_model_says() -> None:
    problem, rng = PEOPLE.problem, np.random.default_rng(1)
    for word in ("ordered", "numeric"):
        model = TCloseness("0.2", "salary", distance=word)
        closeness = Closeness.of(problem, model, np.arange(problem.rows))
        for _ in range(20):
            rows = rng.permutation(problem.rows)[: rng.integers(1, 6)]
            level = model.level(problem.candidates(rows, np.zeros(len(rows), dtype=np.int64), 1))[0]
            assert closeness.distance(rows) == pytest.approx(level, abs=1e-12)


def test_swapping_takes_the_best_exchange_of_each_candidate() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        salaries = rng.choice([1, 2, 5, 10], 12).tolist()
        problem = case_of({"number": [1] * 12, "salary": salaries}, "k=2").problem
        model = TCloseness("0.1", "salary", distance="numeric")
        closeness = Closeness.of(problem, model, np.arange(12))
        members, candidates = np.arange(3), np.arange(3, 12)
        found = closeness.swapped(members, candidates, Deadline())
        assert sorted(salaries[row] for row in found) == swapped_plainly(closeness, members, candidates, 0.1, salaries)


def test_a_class_near_the_limit_is_decided_exactly() -> None:
    """Three rows are at 1/2 from the table: within 1/2, and not within a millionth of a millionth less."""
    problem = case_of({"number": [1] * 12, "salary": [1, 1, 1, 2, 2, 2, 5, 5, 5, 10, 10, 10]}, "k=2").problem
    members, candidates = np.arange(3), np.arange(3, 12)
    at = Fraction(1, 2)
    for limit, holds in ((at, True), (at - Fraction(1, 10**12), False), (at + Fraction(1, 10**12), True)):
        closeness = Closeness.of(problem, TCloseness(limit, "salary", distance="ordered"), np.arange(12))
        assert closeness.distance(members) == pytest.approx(1 / 2)
        assert closeness.within(members) is holds
        swapped = closeness.swapped(members, candidates, Deadline())
        assert (sorted(swapped.tolist()) == [0, 1, 2]) is holds
        assert closeness.within(swapped)


def swapped_plainly(closeness: Closeness, members, candidates, limit: float, salaries: list[int]) -> list[int]:  # type: ignore[no-untyped-def]
    held = members.tolist()
    for candidate in candidates.tolist():
        now = closeness.distance(np.array(held))
        if now <= limit + 1e-9:
            break
        tried = [[*(row for row in held if row != gone), candidate] for gone in sorted(held, key=lambda r: salaries[r])]
        best = min(tried, key=lambda rows: round(closeness.distance(np.array(rows)), 9))
        held = best if closeness.distance(np.array(best)) < now - 2e-9 else held
    return sorted(salaries[row] for row in held)
