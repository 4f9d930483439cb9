"""The forest approximation: parts of trees, worked examples, the guarantee against every release."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.strategies import QUASI, Case, case_of

import shoal
from shoal.bounds.nearest_neighbour import NearestNeighbour
from shoal.checking.audit import audit
from shoal.core.arrays import Floats, Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.base import Deadline, silent
from shoal.methods.k_anonymity import forest
from shoal.methods.k_anonymity.forest import Forest, Neighbours, decompose, most_rows
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.recoding.recode import recode
from shoal.studies.synth import census, census_hierarchies

NEVER = Deadline()


# --- decomposition ---------------------------------------------------------------------------------------------------


def sizes(above: list[int], k: int) -> list[int]:
    return sorted(np.bincount(decompose(np.array(above), k)).tolist())


def spider(legs: list[int]) -> list[int]:
    """Paths of these lengths that meet in vertex 0."""
    above = [-1]
    for leg in legs:
        above += [0, *range(len(above), len(above) + leg - 1)]
    return above


def random_tree(rng: np.random.Generator, vertices: int) -> list[int]:
    """A tree between a star and a path, its vertices numbered anyhow."""
    back = int(rng.integers(1, vertices + 1))
    above = [-1, *(int(rng.integers(max(0, vertex - back), vertex)) for vertex in range(1, vertices))]
    names = rng.permutation(vertices)
    renamed = np.empty(vertices, dtype=np.int64)
    renamed[names] = [-1 if vertex < 0 else names[vertex] for vertex in above]
    return [int(vertex) for vertex in renamed]


def edges_of_parts(above: list[int], labels: Ints) -> list[tuple[int, int]]:
    """The edges that the parts need to be connected, part by part."""
    edges = [(vertex, parent) for vertex, parent in enumerate(above) if parent >= 0]
    parts = [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    return [edge for inside in parts for edge in least_tree(inside, edges)]


def least_tree(inside: set[int], edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges of the least subtree that holds some vertices: leaves that are none of them are taken away."""
    while True:
        degree = Counter(vertex for edge in edges for vertex in edge)
        left = [edge for edge in edges if all(degree[vertex] > 1 or vertex in inside for vertex in edge)]
        if len(left) == len(edges):
            return left
        edges = left


def test_a_star_of_five_leaves_is_cut_into_pairs() -> None:
    assert sizes([-1, 0, 0, 0, 0, 0], 2) == [2, 2, 2]


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("legs", range(2, 9))
def test_a_spider_with_legs_of_one_less_than_k_is_cut_within_the_limits(k: int, legs: int) -> None:
    found = sizes(spider([k - 1] * legs), k)
    assert sum(found) == legs * (k - 1) + 1
    assert k <= found[0] <= found[-1] <= most_rows(k)


def test_a_spider_may_need_the_largest_part() -> None:
    assert sizes(spider([3, 3, 3]), 5) == [10]
    assert sizes(spider([4, 4, 4]), 5) == [5, 8]


def test_parts_are_within_the_limits_and_share_no_edge() -> None:
    rng = np.random.default_rng(0)
    for _ in range(1500):
        k, vertices = int(rng.integers(1, 8)), int(rng.integers(1, 45))
        above = random_tree(rng, vertices) if rng.random() < 0.7 else spider(rng.integers(1, k + 1, 6).tolist())
        labels = decompose(np.array(above), k)
        found = np.bincount(labels)
        if len(above) < k:
            assert found.tolist() == [len(above)]
            continue
        assert k <= found.min() <= found.max() <= most_rows(k)
        used = edges_of_parts(above, labels)
        assert len(used) == len(set(used))


def test_a_long_path_is_cut_into_parts_of_k() -> None:
    assert set(sizes(list(range(-1, 9999)), 4)) == {4}


def test_several_trees_are_cut_apart() -> None:
    labels = decompose(np.array([-1, 0, -1, 2, 1, 3]), 3)
    assert len(set(labels.tolist())) == 2
    assert labels[0] == labels[1] == labels[4]


# --- worked examples -------------------------------------------------------------------------------------------------


def bits(rows: list[str]) -> dict[str, list[int]]:
    return {f"bit {place}": [int(row[place]) for row in rows] for place in range(len(rows[0]))}


def run(rows: list[str], k: int, **more: Any) -> Any:
    people = bits(rows)
    return shoal.anonymize(people, quasi=list(people), require=f"k={k}", method="forest", **more)


@pytest.mark.parametrize(("k", "first", "second"), [(3, 18, 18), (4, 64, 56), (5, 200, 150)])
def test_graphs_with_equal_distances_may_cost_differently(k: int, first: int, second: int) -> None:
    length = 2 ** (k - 2)
    blocks = ["".join(("1" if place == row else "0") * length for place in range(k)) for row in range(k)]
    halves = [("1" * 2 ** (k - row) + "0" * 2 ** (k - row)) * 2 ** (row - 1) for row in range(1, k + 1)]
    for rows, cost in [(blocks, first), (halves, second)]:
        assert {sum(a != b for a, b in zip(*pair, strict=True)) for pair in combinations(rows, 2)} == {2 ** (k - 1)}
        assert float(run(rows, k).certificate.cost) == cost


CYCLE = ["0000", "0001", "0011", "0111", "1111", "1110", "1100", "1000"]


def test_the_cycle_stays_within_the_guarantee_and_above_its_forest() -> None:
    found = run(CYCLE, 3).certificate
    best = shoal.anonymize(
        bits(CYCLE), quasi=list(bits(CYCLE)), require="k=3", recoding="suppress", method="subset-dp"
    ).certificate
    assert float(best.cost) == 24
    assert 24 <= float(found.cost) <= 5 * 24
    assert found.guarantee == "cost <= 5 * optimum"
    assert 8 <= found.lower_bound <= 24


def test_equal_rows_are_published_as_they_are() -> None:
    found = run(["00", "00", "00", "11", "11", "11"], 3).certificate
    assert (float(found.cost), found.status) == (0, "optimal")


def test_a_large_tuple_lends_only_the_rows_that_are_needed() -> None:
    found = run(["00"] * 20 + ["01"], 3)
    assert float(found.certificate.cost) == 3
    assert found.certificate.status == "optimal"


# --- the forest ------------------------------------------------------------------------------------------------------


def random_case(rng: np.random.Generator, rows: int, k: int, **more: Any) -> Case:
    names = list(rng.choice(["number", "text", "category", "truth", "decimal"], 3, replace=False))
    pools = {str(name): QUASI[str(name)].pool for name in names}
    columns = {name: [pool[int(rng.integers(len(pool)))] for _ in range(rows)] for name, pool in pools.items()}
    return case_of(columns, f"k={k}", **more)


def pair_distances(problem: Problem) -> Floats:
    """What every two distinct tuples would pay as a class, a row: from the cells they are published with."""
    tuples = problem.microdata.tuples
    some = np.array([np.flatnonzero(problem.microdata.tuple_of_row == tuple_)[0] for tuple_ in range(len(tuples))])
    apart = np.zeros((len(tuples), len(tuples)))
    for one, other in combinations(range(len(tuples)), 2):
        labels = np.full(problem.rows, -1)
        labels[some[[one, other]]] = 0
        published = recode(problem.microdata, Partition(labels), problem.recoding)
        apart[one, other] = apart[other, one] = problem.cost.row_losses(published.cells)[0]  # type: ignore[attr-defined]
    return apart


WAYS = [("suppress", "stars"), ("suppress", "height"), ("generalize", "height"), ("generalize", "ncp")]


@pytest.mark.parametrize(("recoding", "cost"), WAYS)
def test_neighbours_are_the_nearest_tuples_and_trees_have_k_rows(recoding: str, cost: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(15):
        k = int(rng.integers(2, 6))
        problem = random_case(rng, 25, k, recoding=recoding, cost=cost).problem
        counts, apart = problem.microdata.counts, pair_distances(problem)
        found = Neighbours.of(problem, NEVER, silent)
        for one, near, far in zip(found.some.tolist(), found.near, found.far, strict=True):
            order = sorted(set(range(len(counts))) - {one}, key=lambda other: (round(apart[one, other], 9), other))
            rows = int(counts[one])
            expected: list[int] = []
            while rows < k:
                expected.append(order[len(expected)])
                rows += int(counts[expected[-1]])
            assert apart[one, near[near >= 0]] == pytest.approx(apart[one, expected])
            assert far[near >= 0] == pytest.approx(apart[one, expected])
        check_forest(problem, found, apart, k)


def check_forest(problem: Problem, found: Neighbours, apart: Floats, k: int) -> None:
    """Guarantees trees of k rows or more whose weight is at most the bound, each edge at most what its row pays."""
    counts = problem.microdata.counts
    joined = found.forest(counts, k)
    tree = np.arange(len(counts))
    for _ in counts:
        tree = np.where(joined[tree] >= 0, joined[tree], tree)
    assert (joined[tree] < 0).all()
    assert np.bincount(tree, weights=counts)[np.unique(tree)].min() >= k
    edges = np.flatnonzero(joined >= 0)
    weight = apart[edges, joined[edges]].sum() / problem.cost.per(problem.rows)  # type: ignore[attr-defined]
    assert weight <= found.bound(problem) + 1e-9
    assert found.bound(problem) == pytest.approx(NearestNeighbour().of(problem))


# --- the guarantee ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("recoding", "cost"), [*WAYS, ("generalize", "stars"), ("suppress", "ncp")])
@pytest.mark.parametrize("dropped", [Fraction(0), Fraction(1, 3)])
def test_no_release_is_cheaper_by_more_than_the_guarantee(recoding: str, cost: str, dropped: Fraction) -> None:
    rng = np.random.default_rng(2)
    for _ in range(25):
        k = int(rng.integers(1, 4))
        case = random_case(rng, int(rng.integers(k, 8)), k, recoding=recoding, cost=cost, max_dropped=dropped)
        if cost in ("height", "ncp"):
            weights = {name: Fraction(int(rng.integers(1, 5)), 2) for name in case.quasi}
            case = Case(case.kinds, case.columns, case.models, recoding, cost, weights, dropped)
        found = Forest().run(case.problem)
        best = case.oracle.optimum(cost)
        assert found.guarantee == f"cost <= {most_rows(k)} * optimum"
        assert found.status in ("within_bound", "optimal")
        assert found.lower_bound is not None
        assert found.lower_bound - 1e-9 <= best <= found.cost + 1e-9
        assert found.cost <= most_rows(k) * best + 1e-9
        assert k <= found.partition.sizes.min()


def test_parts_before_they_are_published_are_within_the_limits() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        k = int(rng.integers(2, 8))
        problem = random_case(rng, int(rng.integers(k, 80)), k).problem
        found = Forest().solve(problem, seed=0, deadline=NEVER, progress=silent).partition.sizes
        assert k <= found.min() <= found.max() <= most_rows(k)


# --- what it takes, and time -----------------------------------------------------------------------------------------


def people(rows: int) -> dict[str, Any]:
    quasi = ["age", "gender", "race", "marital", "birthplace"]
    trees = {name: builder for name, builder in census_hierarchies().items() if name in quasi}
    return {"data": census(rows, seed=3).select(quasi), "quasi": quasi, "hierarchies": trees}


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
def test_a_time_limit_that_has_passed_still_leaves_a_release(recoding: str) -> None:
    found = shoal.anonymize(
        **people(3000), require="k=5", recoding=recoding, cost="height", method="forest", time_limit=0
    )
    assert (found.certificate.status, found.certificate.guarantee) == ("feasible", None)
    assert audit(found.table, quasi=found.table.columns, require="k=5").holds
    assert any("time ran out" in decision for decision in found.decisions)


def test_neighbours_found_before_time_was_over_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, "STEP", 1)
    looks = iter([False] * 5)

    class Ends:
        """A deadline that passes after a few looks."""

        left, share = None, 0.0

        @property
        def passed(self) -> bool:
            return next(looks, True)

    case = random_case(np.random.default_rng(4), 60, 4)
    found = Forest().solve(case.problem, seed=0, deadline=Ends(), progress=silent)  # type: ignore[arg-type]
    assert found.status == "feasible"
    assert 4 <= found.partition.sizes.min() <= found.partition.sizes.max() <= most_rows(4)


def test_the_steps_between_looks_at_the_clock_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_case(np.random.default_rng(5), 60, 4).problem
    found = Forest().run(problem)
    monkeypatch.setattr(forest, "STEP", 1)
    assert Forest().run(problem).partition.class_of_row.tolist() == found.partition.class_of_row.tolist()


def test_progress_is_told() -> None:
    told: list[float] = []
    problem = random_case(np.random.default_rng(6), 60, 4).problem
    Forest().run(problem, progress=lambda share, _: told.append(share))
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= 1


def refused(**more: Any) -> str:
    data = {"a": [1, 2, 3, 4], "s": [1, 2, 1, 2]}
    with pytest.raises(Unsupported) as refusal:
        shoal.anonymize(data, quasi=["a"], sensitive=["s"], method="forest", **({"require": "k=2"} | more))
    return str(refusal.value)


def test_what_the_proof_does_not_cover_is_refused() -> None:
    assert "is not k-anonymity" in refused(require="k=2 l(s)=2")
    assert "along hierarchies only" in refused(recoding="range")
    assert "does not add over cells" in refused(cost="discernibility")


def test_a_cost_that_falls_along_a_hierarchy_is_refused() -> None:
    columns = {"number": [1, 2, *[4] * 50, 9]}  # 1 or 2 is a bit; most of all values together is less
    problem = case_of(columns, "k=2", recoding="generalize", cost="entropy").problem
    assert Forest().accepts(problem) == ["by cost 'entropy' a block may cost less than one inside it"]
    assert not Forest().accepts(case_of(columns, "k=2", cost="entropy").problem)


def test_fewer_than_k_rows_are_refused() -> None:
    with pytest.raises(Infeasible):
        run(["00", "01"], 3)


def test_missing_values_are_values() -> None:
    frame = pl.DataFrame({"a": [None, None, "x", "x"], "b": [1, 1, 2, None]})
    found = shoal.anonymize(frame, quasi=["a", "b"], require="k=2", method="forest").certificate
    assert float(found.cost) == 2
