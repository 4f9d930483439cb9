"""Edge partition into cliques: a release with so few stars exists exactly where the edges split."""

from itertools import combinations

import pytest
from tests.studies.hardness.solved import solved, splits

from shoal.core.errors import ParameterError
from shoal.studies.hardness.clique_partition import CliquePartition
from shoal.studies.hardness.sources import Graph

STAR = Graph(4, ((0, 1), (0, 2), (0, 3)))
TRIANGLE = Graph.complete(3)
BOW_TIE = Graph(5, ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)))
HEXAGON = Graph(6, tuple((vertex, (vertex + 1) % 6) for vertex in range(6)))
K4 = Graph.complete(4)
TWO_K4 = Graph(7, (*combinations(range(4), 2), *combinations(range(3, 7), 2)))
WHEEL = Graph(7, tuple((0, vertex) for vertex in range(1, 7)))


def test_the_table_is_that_of_the_paper() -> None:
    graph = Graph(4, ((2, 3), (0, 3), (0, 1), (0, 2), (1, 2)))
    rows = ["".join(map(str, row)) for row in CliquePartition(graph).frame.rows()]
    assert rows == ["001200120021", "100220011002", "120021002100", "201010201020", "021001200210"]


@pytest.mark.parametrize(
    ("graph", "size", "copies"),
    [
        (STAR, 3, 1),
        (STAR, 3, 2),
        (TRIANGLE, 3, 1),
        (TRIANGLE, 3, 4),
        (BOW_TIE, 3, 1),
        (BOW_TIE, 3, 2),
        (HEXAGON, 3, 1),
        (HEXAGON, 3, 2),
        (K4, 3, 1),
        (K4, 4, 1),
        (K4, 4, 2),
        (WHEEL, 4, 1),
        (TWO_K4, 4, 1),
        (BOW_TIE, 4, 1),
    ],
)
def test_the_threshold_is_reached_exactly_where_the_edges_split(graph: Graph, size: int, copies: int) -> None:
    reduction = CliquePartition(graph, size, copies)
    cost, cliques = solved(reduction)
    assert cost >= reduction.threshold
    assert (cost == reduction.threshold) == (cliques is not None) == splits(frozenset(graph.edges), size)


def test_every_ninth_graph_of_six_edges_on_five_vertices() -> None:
    answers = set()
    for edges in list(combinations(combinations(range(5), 2), 6))[::9]:
        reduction = CliquePartition(Graph(5, edges))
        cost, cliques = solved(reduction)
        assert (cost <= reduction.threshold) == (cliques is not None) == splits(frozenset(edges), 3)
        answers.add(cliques is not None)
    assert answers == {True, False}


@pytest.mark.parametrize("sizes", [{"cliques": 4}, {"cliques": 2, "size": 4}, {"cliques": 2, "copies": 2}])
def test_what_is_planted_is_the_optimum(sizes: dict[str, int]) -> None:
    reduction = CliquePartition.seeded(3, **sizes)
    cost, cliques = solved(reduction)
    assert cost == reduction.optimum
    assert splits(frozenset(reduction.graph.edges), reduction.size)
    assert len(cliques) == sizes["cliques"]


def test_what_does_not_split_is_refused() -> None:
    with pytest.raises(ParameterError):
        CliquePartition(K4, solution=(frozenset({0, 1, 2}),))
    with pytest.raises(ParameterError):
        CliquePartition(K4, size=2)
