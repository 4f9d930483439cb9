"""Half clique: the threshold is reached exactly where half of the vertices are a clique."""

from itertools import combinations
from math import comb

import pytest
from tests.studies.hardness.solved import graphs, solved

from shoal.core.errors import ParameterError
from shoal.studies.hardness.half_clique import HalfClique
from shoal.studies.hardness.sources import Graph


def has_half(graph: Graph) -> bool:
    half = graph.vertices // 2
    return any(graph.within(part) == comb(half, 2) for part in combinations(range(graph.vertices), half))


@pytest.mark.parametrize(("vertices", "new"), [(6, 1), (6, 2), (8, 1), (8, 3)])
def test_the_threshold_is_reached_exactly_with_a_clique(vertices: int, new: int) -> None:
    answers = set()
    for graph in graphs(vertices, 10, seed=vertices):
        reduction = HalfClique(graph, new)
        cost, clique = solved(reduction)
        assert cost >= reduction.threshold
        assert (cost == reduction.threshold) == (clique is not None) == has_half(graph)
        answers.add(clique is not None)
    assert answers == {True, False}


@pytest.mark.parametrize("seed", range(3))
def test_the_planted_clique_is_found(seed: int) -> None:
    reduction = HalfClique.seeded(seed, half=4, edges=8, new=2)
    cost, clique = solved(reduction)
    assert cost == reduction.optimum
    assert reduction.graph.within(clique) == 6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="fewer new rows"):
        HalfClique(Graph.complete(6), new=3)
    with pytest.raises(ParameterError, match="no clique"):
        HalfClique(Graph(4, ((0, 1),)), 1, frozenset({1, 2}))
    with pytest.raises(ParameterError, match="at most"):
        HalfClique.seeded(half=2, edges=6, new=1)
