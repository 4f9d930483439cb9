"""Least factors: against every factor of small graphs, and against what no factor goes below."""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from tests.thorough import many

from shoal.core.arrays import Ints
from shoal.methods.k_anonymity.factors import cycles_of, heaviest_matching, least_one_two_factor, least_two_factor
from shoal.methods.k_anonymity.factors.two import FactorSearch


def every_two_factor(apart: Ints) -> int:
    """The least weight of edges that give every vertex two, by trying all."""
    best = [np.inf]

    def fill(vertex: int, left: list[int], after: int, weight: int) -> None:
        while vertex < len(left) and not left[vertex]:
            vertex, after = vertex + 1, vertex + 1
        if weight >= best[0] or vertex == len(left):
            best[0] = min(best[0], weight)
            return
        for other in range(max(after, vertex) + 1, len(left)):
            if left[other]:
                left[vertex], left[other] = left[vertex] - 1, left[other] - 1
                fill(vertex, left, other, weight + int(apart[vertex, other]))
                left[vertex], left[other] = left[vertex] + 1, left[other] + 1

    fill(0, [2] * len(apart), 0, 0)
    return int(best[0])


def every_one_two_factor(apart: Ints) -> int:
    """The least weight of pairs and paths of three: a longer path or a cycle has an edge that can be given up."""

    @cache
    def least(left: frozenset[int]) -> float:
        if not left:
            return 0.0
        first, *others = sorted(left)
        ways = [(first, other) for other in others] + [(first, *two) for two in combinations(others, 2)]
        return min((_path(apart, way) + least(left - set(way)) for way in ways), default=np.inf)

    return int(least(frozenset(range(len(apart)))))


def _path(apart: Ints, way: tuple[int, ...]) -> int:
    return sum(sorted(int(apart[pair]) for pair in combinations(way, 2))[: len(way) - 1])


def symmetric(rng: np.random.Generator, vertices: int, most: int) -> Ints:
    weights = np.triu(rng.integers(0, most, (vertices, vertices)), 1)
    return weights + weights.T


def hamming(rows: Ints) -> Ints:
    apart: Ints = (rows[:, None] != rows).sum(axis=2)
    return apart


def check_two(apart: Ints) -> None:
    weight, edges = least_two_factor(apart)
    assert weight == every_two_factor(apart) == apart[edges[:, 0], edges[:, 1]].sum()
    assert (edges[:, 0] < edges[:, 1]).all()
    assert len(np.unique(edges, axis=0)) == len(apart)
    assert np.bincount(edges.ravel()).tolist() == [2] * len(apart)
    cycles = cycles_of(edges)
    assert sorted(vertex for cycle in cycles for vertex in cycle) == list(range(len(apart)))
    around = {tuple(sorted(pair)) for cycle in cycles for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True)}
    assert around == {tuple(edge) for edge in edges.tolist()}


def check_one_two(apart: Ints) -> None:
    weight, parts = least_one_two_factor(apart)
    assert weight == every_one_two_factor(apart)
    assert weight == sum(int(apart[middle, other]) for middle, *others in parts for other in others)
    assert sorted(vertex for part in parts for vertex in part) == list(range(len(apart)))
    assert {len(part) for part in parts} <= {2, 3}


def test_two_factors_of_all_graphs_of_four_vertices_and_weights_up_to_two() -> None:
    for weights in product(range(3), repeat=6):
        apart = np.zeros((4, 4), dtype=np.int64)
        apart[np.triu_indices(4, 1)] = weights
        check_two(apart + apart.T)


@pytest.mark.parametrize("most", [2, 10, 10**9])
def test_two_factors_of_random_graphs(most: int) -> None:
    rng = np.random.default_rng(most)
    for _ in range(60):
        check_two(symmetric(rng, int(rng.integers(3, 9)), most))


def test_both_factors_of_all_tables_of_four_rows_of_three_bits() -> None:
    for rows in combinations_with_replacement(product(range(2), repeat=3), 4):
        apart = hamming(np.array(rows))
        check_one_two(apart)
        check_two(apart)


def test_both_factors_of_random_tables() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        rows, columns, values = int(rng.integers(3, 9)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
        apart = hamming(rng.integers(0, values, (rows, columns)))
        check_one_two(apart)
        check_two(apart)


@pytest.mark.slow
def test_both_factors_of_many_graphs() -> None:
    rng = np.random.default_rng(2)
    gaps = 0
    for _ in range(many(300)):
        rows, columns, values = int(rng.integers(3, 10)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
        weights = rng.integers(1, 9, columns)
        table = rng.integers(0, values, (rows, columns))
        apart: Ints = ((table[:, None] != table) * weights).sum(axis=2)
        check_one_two(apart)
        check_two(apart)
        check_two(symmetric(rng, rows, int(rng.integers(2, 1000))))
        gaps += FactorSearch.of(apart).paid(FactorSearch.of(apart).within(10**12)) > 0  # type: ignore[arg-type]
    print(f"{many(300):,} tables, two graphs each: all least; the relaxed 2-factor was lighter for {gaps} tables")


def test_two_rows_are_a_pair_and_three_a_path() -> None:
    assert least_one_two_factor(np.array([[0, 7], [7, 0]])) == (7, [[0, 1]])
    assert least_one_two_factor(np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]]))[0] == 3


def test_edges_of_no_weight_leave_pairs_and_paths_only() -> None:
    for rows in range(2, 30):
        weight, parts = least_one_two_factor(np.zeros((rows, rows), dtype=np.int64))
        assert weight == 0
        assert {len(part) for part in parts} <= {2, 3}
        assert sorted(vertex for part in parts for vertex in part) == list(range(rows))


def test_a_vertex_with_copies_needs_one_of_them_only() -> None:
    _, parts = least_one_two_factor(hamming(np.array([[0], [0], [0], [1]])))
    assert sorted(map(len, parts)) == [2, 2]


def test_no_edge_is_used_twice_where_pairs_are_much_nearer_than_all_others() -> None:
    places = np.array([0, 1, 100, 101, 200, 201])
    weight, edges = least_two_factor(abs(places[:, None] - places))
    assert weight == 400
    assert len(np.unique(edges, axis=0)) == 6


@pytest.mark.parametrize(("rows", "columns", "values"), [(150, 6, 5), (200, 4, 3), (150, 8, 10)])
def test_a_larger_two_factor_pays_no_more_than_is_searched(rows: int, columns: int, values: int) -> None:
    apart = hamming(np.random.default_rng(rows).integers(0, values, (rows, columns)))
    weight, edges = least_two_factor(apart)
    assert np.bincount(edges.ravel()).tolist() == [2] * rows
    search = FactorSearch.of(apart)
    wide = search.within(3)
    assert wide is not None
    assert apart[tuple(search.ends[wide].T)].sum() == weight


def test_a_matching_of_no_edges_is_empty() -> None:
    none = np.empty((0, 2), dtype=np.int64)
    assert heaviest_matching(3, none, none[:, 0]).shape == (0, 2)
