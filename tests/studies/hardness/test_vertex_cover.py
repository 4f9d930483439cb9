"""Vertex cover: the stars above the base are those of a smallest cover."""

from itertools import combinations

import pytest
from tests.studies.hardness.solved import smallest_cover, solved

import shoal
from shoal.core.errors import ParameterError
from shoal.methods.general.optimal import Optimal
from shoal.studies.hardness.sources import Graph
from shoal.studies.hardness.vertex_cover import VertexCover

K4 = Graph.complete(4)
K33 = Graph(6, tuple((a, b) for a in range(3) for b in range(3, 6)))
PRISM = Graph(6, ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)))
PETERSEN = Graph(10, tuple(edge for v in range(5) for edge in ((v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5))))


def classes_for(reduction: VertexCover, cover: frozenset[int]) -> list[int]:
    """The classes that the paper makes of a minimal cover, by their cells."""
    graph, values = reduction.graph, reduction.frame.rows()
    attached = {edge: edge[0] if edge[0] in cover else edge[1] for edge in graph.edges}
    names: list[str] = []
    sixes: dict[str, int] = {}
    for first, second, third in values:
        inside = {int(cell[1:]) for cell in (second, third) if cell.startswith("v")}
        if len(inside) == 2:
            owner = attached[(min(inside), max(inside))]
            names.append(f"{'A' if second == f'v{owner}' else 'B'}{owner}")
        elif not inside:
            names.append("D1" if third == "Z" else "D2")
        else:
            (u,) = inside
            covered = u in cover
            if first != "0":
                names.append(f"C{u}" if covered or third.startswith("s") else f"P{u}")
            elif second == third:
                sixes[second] = sixes.get(second, 0) + 1
                names.append(f"{'A' if sixes[second] <= 3 else 'B'}{u}" if covered else f"P{u}")
            else:
                names.append(f"{'A' if third == 'Z' else 'B'}{u}" if covered else "D1" if third == "Z" else "D2")
    return [sorted(set(names)).index(name) for name in names]


def covers(graph: Graph, found: frozenset[int]) -> bool:
    return all(a in found or b in found for a, b in graph.edges)


def test_the_smallest_cover_of_the_complete_graph_by_anonymizing_a_table() -> None:
    reduction = VertexCover(K4)
    cost, found = solved(reduction, Optimal)
    assert reduction.frame.shape == (106, 3)
    assert cost == 137 == reduction.cost_for(smallest_cover(K4))
    assert covers(K4, found)
    assert len(found) == smallest_cover(K4)


@pytest.mark.parametrize("graph", [K33, PRISM])
def test_the_smallest_cover_of_six_vertices_by_anonymizing_a_table(graph: Graph) -> None:
    reduction = VertexCover(graph)
    cost, found = solved(reduction, Optimal)
    assert cost == reduction.cost_for(smallest_cover(graph))
    assert covers(graph, found)
    assert len(found) == smallest_cover(graph)


@pytest.mark.parametrize("graph", [K4, K33, PRISM, PETERSEN])
def test_a_cover_gives_classes_of_its_cost_and_they_give_it_back(graph: Graph) -> None:
    reduction = VertexCover(graph)
    size = smallest_cover(graph)
    for some in combinations(range(graph.vertices), size):
        if covers(graph, frozenset(some)):
            classes = classes_for(reduction, frozenset(some))
            assert reduction.cost(classes) == reduction.cost_for(size)
            assert reduction.answer(classes) == frozenset(some)


@pytest.mark.parametrize("graph", [K4, PETERSEN])
@pytest.mark.parametrize("method", ["mondrian", "peel", "m-approx"])
def test_any_release_gives_a_cover_no_larger_than_its_cost_says(graph: Graph, method: str) -> None:
    reduction = VertexCover(graph)
    asked = {"quasi": reduction.quasi, "require": reduction.require, "recoding": "suppress"}
    release = shoal.anonymize(reduction.frame, method=method, **asked)  # type: ignore[arg-type]
    found = reduction.answer(release.classes)
    assert covers(graph, found)
    assert smallest_cover(graph) <= len(found) <= float(release.certificate.cost) - reduction.base


@pytest.mark.parametrize(("side", "cliques"), [(3, 0), (0, 2), (5, 0), (3, 1)])
def test_the_planted_cover_is_smallest(side: int, cliques: int) -> None:
    reduction = VertexCover.seeded(2, side=side, cliques=cliques)
    assert reduction.smallest == smallest_cover(reduction.graph)
    assert reduction.optimum == reduction.cost_for(smallest_cover(reduction.graph))


def test_what_is_not_cubic_is_refused() -> None:
    with pytest.raises(ParameterError, match="cubic"):
        VertexCover(Graph.complete(5))
    with pytest.raises(ParameterError, match="side is 2"):
        VertexCover.seeded(side=2)
