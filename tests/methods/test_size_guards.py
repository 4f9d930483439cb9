"""Sizes: guards count what takes the memory or the time, in words; what is large is looked at piece by piece."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment
from tests.methods.test_time_limits import Steps, after

import shoal
from shoal.bounds import support
from shoal.bounds.hierarchy_losses import WholeLosses, hierarchy_losses
from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.methods.auto import choose
from shoal.methods.base import Deadline, silent
from shoal.methods.full_domain.incognito import Incognito, Walk
from shoal.methods.full_domain.lattice import Ground, Lattice
from shoal.methods.full_domain.top_down_greedy import TopDownGreedy
from shoal.methods.general import moves
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.k_anonymity import forest
from shoal.methods.k_anonymity.forest import Forest, Neighbours
from shoal.methods.k_anonymity.forest_kernel import SORTED_FROM
from shoal.methods.k_anonymity.set_cover import Waiting
from shoal.methods.k_anonymity.simplex import Points, match, matching
from shoal.methods.k_anonymity.simplex_matching import SimplexMatching
from shoal.methods.l_diversity.assignment_kernel import least_assignment
from shoal.methods.l_diversity.bipartite import Bipartite
from shoal.methods.l_diversity.tds import Cuts, _entropies, _entropies_of_pairs
from shoal.methods.microaggregation.clusters.swapping import swap
from shoal.methods.t_closeness import pca_order, point_assignment
from shoal.methods.t_closeness.fragmentation.buckets import ROUNDS, balanced, in_order
from shoal.methods.t_closeness.pca_order import PcaOrder
from shoal.methods.t_closeness.point_assignment import PointAssignment
from shoal.microdata.partition import Partition
from shoal.patterns import Cube
from shoal.patterns.checks import Checks, is_complete
from shoal.patterns.covering import Covering
from shoal.patterns.demands import Demands
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table


def posed(columns: dict[str, Any], require: str, **more: Any) -> Problem:
    quasi = [name for name in columns if name.startswith("q")]
    request = Request(
        quasi, require, [name for name in columns if name not in quasi], **{"recoding": "suppress"} | more
    )
    return prepare(Table.of(pl.DataFrame(columns)), request).problem


def bits(rows: int, columns: int) -> dict[str, Any]:
    drawn = np.random.default_rng(1).integers(0, 2, (columns, rows))
    return {f"q{number}": column for number, column in enumerate(drawn)}


# Lattices of levels


def test_a_lattice_of_many_columns_is_counted_and_refused_in_words() -> None:
    table = pl.DataFrame(bits(60, 70))
    asked: dict[str, Any] = {"quasi": table.columns, "require": "k=5", "recoding": "full-domain"}
    with pytest.raises(Unsupported, match=f"the lattice has {2**70:,} nodes, more than 4,000,000"):
        shoal.anonymize(table, method="full-domain", **asked)
    release = shoal.anonymize(table, **asked)
    assert release.certificate.method == "top-down-greedy"
    assert any(f"of {2**70:,} nodes" in note for note in release.decisions)


def test_levels_beyond_127_are_levels() -> None:
    assert Lattice((200, 1)).levels.max(axis=0).tolist() == [200, 1]
    assert (np.diff(Lattice((300,)).levels.astype(int), axis=0) == 1).all()


def test_hierarchies_of_more_than_127_levels_are_searched_to_the_end() -> None:
    """The least level at which two rows share every prefix is the 139th of 140."""
    words = [("a" * long + "b" * 140)[:140] for long in (0, 0, 1, 1, 1)] + ["aab" * 40 + "b" * 20]
    asked: dict[str, Any] = {"quasi": ["q"], "require": "k=2", "recoding": "full-domain"}
    for method in ("full-domain", "samarati", "incognito"):
        release = shoal.anonymize({"q": words}, method=method, hierarchies={"q": "prefixes"}, **asked)
        assert any(note == "levels: q 139" for note in release.decisions)


def test_top_down_greedy_looks_at_the_time_between_two_columns() -> None:
    problem = posed(bits(40, 30), "k=3", recoding="full-domain")
    clock = Steps()
    TopDownGreedy().attempt(problem, seed=0, deadline=Deadline(moment=5.0, clock=clock, pause=None), progress=silent)
    assert clock.looks <= 7


def test_incognito_goes_through_no_more_sets_of_columns_once_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, asked = posed(bits(40, 14), "k=3", recoding="full-domain"), []
    candidates = Walk._candidates

    def counted(walk: Walk, columns: Any, known: Any) -> Bools:
        asked.append(columns)
        return candidates(walk, columns, known)

    monkeypatch.setattr(Walk, "_candidates", counted)
    walk = Walk(Ground(problem), Lattice.of(problem.microdata))
    assert walk.all_columns(after(10), silent).all()
    assert not walk.finished
    assert len(asked) <= 10
    assert Incognito().run(problem, deadline=after(10)).cut


# Matchings, covers, forests


def test_a_part_of_a_table_of_many_values_is_matched_by_its_own_values() -> None:
    """A table by values would have 1.6 thousand million entries."""
    problem = posed({"q0": np.arange(40_000), "q1": np.arange(40_000)[::-1]}, "k=2", recoding="generalize")
    points = Points.of(problem.of_rows(np.arange(50)))
    assert points.pairs.shape == (50, 50)


@pytest.mark.parametrize("spec", ["stars", "intervals:width=2,4,8"])
def test_costs_of_two_values_are_those_of_the_lowest_block_that_holds_both(spec: str) -> None:
    problem = posed({"q0": [0, 1, 2, 3, 5, 9, 9, 12]}, "k=2", recoding="generalize", hierarchies={"q0": spec})
    (hierarchy,), _ = hierarchy_losses(problem)
    whole = WholeLosses(hierarchy.up, np.rint(1000 * hierarchy.losses).astype(np.int64))
    values = np.arange(hierarchy.up.shape[1])
    table = [[min(level for level in range(len(hierarchy.up)) if hierarchy.up[level, a] == hierarchy.up[level, b])
              for b in values] for a in values]  # fmt: skip
    expected = whole.losses[np.array(table), values[:, None]]
    assert (whole.between(values[:, None], values) == expected).all()
    assert whole.finest == expected[expected > 0].min()


def test_patterns_wait_as_in_one_heap() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 9, 200) / 4
    heap, waiting = [(float(weight), place) for place, weight in enumerate(weights)], Waiting(np.arange(200), weights)
    heapify(heap)
    while heap:
        first = waiting.pop()
        assert first == heap[0]
        if rng.random() < 0.2:
            heappop(heap)
        else:
            later = first[0] + float(rng.integers(0, 3)) / 4
            heapreplace(heap, (later, first[1]))
            waiting.push(later, first[1])


def test_the_forest_counts_the_neighbours_that_it_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed({"q0": np.arange(50)}, "k=20")
    assert Forest().accepts(problem) == []
    monkeypatch.setattr(forest, "MOST_NEAR", 900)
    assert Forest().accepts(problem) == ["950 nearest rows of distinct tuples are more than 900"]


def test_many_neighbours_are_the_nearest_tuples_too() -> None:
    columns = {f"q{number}": np.random.default_rng(number).integers(0, 4, 300) for number in range(3)}
    problem = posed(columns, f"k={SORTED_FROM + 6}")
    found = Neighbours.of(problem, Deadline(), silent)
    tuples, counts = problem.microdata.tuples, problem.microdata.counts
    for one, near, far in zip(found.some.tolist(), found.near, found.far, strict=True):
        apart = (tuples != tuples[one]).sum(axis=1)
        others = sorted((int(apart[other]), other) for other in range(len(counts)) if other != one)
        rows = counts[one] + np.cumsum([counts[other] for _, other in others])
        needed = others[: int(np.argmax(rows >= SORTED_FROM + 6)) + 1]
        assert near[near >= 0].tolist() == [other for _, other in needed]
        assert far[: len(needed)].tolist() == [distance for distance, _ in needed]


@pytest.mark.parametrize("most", [2, 5, 1_000])
def test_the_assignment_that_can_be_ended_is_that_of_scipy(most: int) -> None:
    rng = np.random.default_rng(most)
    for number in range(1, 30):
        costs = rng.integers(0, most, (number, number))
        assert least_assignment(costs, np.zeros(1, np.bool_)).tolist() == linear_sum_assignment(costs)[1].tolist()
        assert (least_assignment(costs, np.ones(1, np.bool_)) == -1).all()


def test_rows_that_are_not_matched_in_time_are_paired_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed({"q0": [*range(20), *range(1, 21)], "s": ["a"] * 20 + ["b"] * 20}, "l(s)=2")
    whole = Bipartite().run(problem)
    assert (whole.cost, whole.status) == (2, "optimal")
    monkeypatch.setattr("shoal.methods.l_diversity.bipartite.WATCHED_FROM", 10)
    monkeypatch.setattr("shoal.methods.l_diversity.bipartite.watched", lambda *given, deadline: np.full(20, -1))
    found = Bipartite().attempt(problem, seed=0, deadline=Deadline(), progress=silent)
    assert (found.cost, found.status, found.guarantee) == (40, "feasible", None)
    assert problem.models.admits(problem.classes(found.partition)).all()


def test_pairs_of_one_matching_are_no_more_than_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    points = Points.of(posed({f"q{n}": np.random.default_rng(n).integers(0, 4, 60) for n in range(4)}, "k=2"))
    best = match(points, Deadline())
    monkeypatch.setattr(matching, "MOST_EDGES", 30)
    assert len(matching._edges(points, best, np.arange(len(points)), 10**9)) <= 30 + len(points)
    assert match(points, Deadline()).cost == best.cost


def test_blocks_are_matched_in_their_order_once_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.methods.k_anonymity.simplex_matching.MOST_TYPES", 10)
    problem = posed({"q0": np.arange(701)}, "k=2")
    found = SimplexMatching().attempt(problem, seed=0, deadline=after(0), progress=silent)
    assert sorted(set(found.partition.sizes.tolist())) == [2, 3]


# Many sensitive values


def test_combinations_that_are_too_many_to_be_clustered_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed({"q0": [1, 2] * 40, "s": [f"w{number}" for number in range(80)]}, "t(s:equal)=0.9")
    assert PointAssignment().accepts(problem) == PcaOrder().accepts(problem) == []
    monkeypatch.setattr(point_assignment, "MOST_PAIRS", 390)
    said = "80 combinations of sensitive values in 5 clusters are too many to be compared"
    assert PointAssignment().accepts(problem) == [said]
    monkeypatch.setattr(point_assignment, "MOST_COORDINATES", 1_000)
    (said,) = PcaOrder().accepts(problem)
    assert said.startswith("80 combinations of sensitive values in 80 coordinates are too many")
    monkeypatch.setattr(pca_order, "MOST_PRODUCTS", 1_000)
    (said,) = PcaOrder().accepts(problem)
    assert (
        said == "the principal components of 80 combinations of sensitive values in 80 coordinates would take minutes"
    )


def balanced_plainly(points: Floats, counts: Ints, buckets: int, rng: np.random.Generator) -> Ints:
    """All distances at once, and all pairs of point and centre in turn."""
    centres = points[[rng.choice(len(points), p=counts / counts.sum())]]
    while len(centres) < buckets:
        apart = ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1) * counts
        chance = apart / apart.sum() if apart.sum() > 0 else counts / counts.sum()
        centres = np.vstack([centres, points[[rng.choice(len(points), p=chance)]]])
    for _ in range(ROUNDS):
        nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        rows = np.bincount(nearest, weights=counts, minlength=buckets)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, points * counts[:, None])
        centres = np.where(rows[:, None] > 0, sums / np.maximum(rows, 1)[:, None], centres)
    apart = ((points[:, None] - centres) ** 2).sum(axis=2)
    left, room = counts.copy(), np.bincount(in_order(np.arange(int(counts.sum())), buckets), minlength=buckets)
    share = np.zeros(apart.shape, dtype=np.int64)
    for pair in np.argsort(apart, axis=None, kind="stable").tolist():
        point, bucket = divmod(pair, buckets)
        taken = share[point, bucket] = min(left[point], room[bucket])
        left[point] -= taken
        room[bucket] -= taken
    return share


@pytest.mark.parametrize("wide", [1, 2, 9])
def test_clusters_made_piece_by_piece_are_those_made_at_once(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.methods.t_closeness.fragmentation.buckets.CHUNK", 50)
    rng = np.random.default_rng(wide)
    for seed in range(20):
        points, counts = rng.random((60, wide)).round(1), rng.integers(1, 5, 60)
        found = balanced(points, counts, 7, np.random.default_rng(seed))
        assert (found == balanced_plainly(points, counts, 7, np.random.default_rng(seed))).all()


def test_a_model_of_too_many_values_adds_nothing_to_what_compiled_loops_count() -> None:
    """Counts by class and value are as wide as the attributes that the loops read, not as all that are asked of."""
    columns = {"q0": [1, 2] * 300, "few": list("abcd") * 150, "many": [f"w{row % 500}" for row in range(600)]}
    problem = posed(columns, "l(few)=2 l(many)=2")
    checks = Checks.of(Cube.of(problem), problem.models)
    assert (checks.codes.shape[0], checks.totals.tolist()) == (1, [[150] * 4])
    assert not checks.complete
    assert not is_complete(problem.models, problem.values)
    assert is_complete(posed(columns, "l(few)=2").models, problem.values)


def test_there_is_no_local_search_where_counts_by_class_and_value_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed({"q0": [1, 2, 3, 4] * 15, "s": list("abc") * 20}, "l(s)=2")
    cube = Cube.of(problem)
    covering = Covering.shown(problem, cube, Partition.whole(60))
    monkeypatch.setattr(moves, "MOST_COUNTED", 10)
    assert moves.moved(covering, Checks.of(cube, problem.models), Deadline()) is covering


@pytest.mark.parametrize("method", ["auto", "cube", "peel", "optimal", "set-cover"])
def test_time_that_is_over_while_the_cube_is_laid_out_gives_the_quick_release(method: str) -> None:
    problem = posed(bits(30, 8), "k=3")
    found = choose(problem, method, seed=0, deadline=after(20), progress=silent)
    assert found.cut
    assert found.cost <= Mondrian().run(problem).cost
    assert method == "auto" or found.method == "mondrian"


def test_groups_have_enough_values_however_many_there_are() -> None:
    """The compiled bound is that of the arrays, where every row has a tuple and a value of its own."""
    rng = np.random.default_rng(7)
    problem = posed({"q0": rng.integers(0, 9, 300), "q1": rng.integers(0, 9, 300), "s": np.arange(300) // 2}, "l(s)=3")
    cube = Cube.of(problem)
    demands = Demands.of(cube, problem.required, may_drop=False)
    assert (support._compiled(cube, demands) == support._by_arrays(cube, demands)).all()


def test_information_is_the_same_without_a_table_of_parts_by_values() -> None:
    rng = np.random.default_rng(5)
    parts, values = np.append(np.arange(6), rng.integers(0, 6, 200)), rng.integers(0, 11, 206)
    table = np.zeros((6, 11))
    np.add.at(table, (parts, values), 1)
    assert _entropies_of_pairs(parts, values, 11) == pytest.approx(_entropies(table))


def test_specializing_looks_at_the_time_between_two_blocks() -> None:
    cuts = Cuts.of(posed(bits(60, 20), "k=2"))
    assert cuts.best(after(0)) is None
    clock = Steps()
    assert cuts.best(Deadline(moment=5.0, clock=clock, pause=None)) is None
    assert clock.looks == 5


def test_no_rows_are_exchanged_once_time_is_over() -> None:
    codes, table = np.arange(6), np.arange(1, 6) / 6
    width, area = np.arange(6.0), np.concatenate([[0.0], np.cumsum(table)])
    members, others = np.array([0, 1, 2]), np.array([3, 4, 5])
    exchanged = swap(codes, table, width, area, members, others, 0.0, np.zeros(1, np.bool_))
    assert sorted(exchanged.tolist()) != [0, 1, 2]
    assert swap(codes, table, width, area, members, others, 0.0, np.ones(1, np.bool_)).tolist() == [0, 1, 2]
