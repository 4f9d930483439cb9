"""The covering theorem behind simplex matching in polynomial time, on every graph of few nodes.

Nodes are triples of an old (O) and a new (N) matching, each with three edges. A switch set has 0, 1 or 3 edges at an
old node (it stays, gives a row away, is dissolved) and 0, 2 or 3 at a new one (absent, formed as a pair, as a triple).
Fractions of switch sets with at most two nodes of three edges cover every edge exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from shoal.core.arrays import Ints
from shoal.core.solver import Constraints, model_of, new_solver, run_solver

Edges = tuple[tuple[int, int], ...]
DEGREES = {"O": (0, 1, 3), "N": (0, 2, 3)}


def cubic_graphs(nodes: int) -> list[Edges]:
    """Every connected graph with three edges at each node, loops and parallel edges allowed, once up to renaming."""
    found: dict[Edges, None] = {}
    for edges in _completed(nodes, ()):
        if _is_connected(nodes, edges):
            least = min(tuple(sorted(_ordered(p[a], p[b]) for a, b in edges)) for p in permutations(range(nodes)))
            found[least] = None
    return list(found)


def _completed(nodes: int, edges: Edges) -> Iterator[Edges]:
    """Join the first node that lacks edges to itself or a later one, no edge before the last of the same node."""
    degree = [sum((a == node) + (b == node) for a, b in edges) for node in range(nodes)]
    lacking = [node for node in range(nodes) if degree[node] < 3]
    if not lacking:
        yield edges
        return
    first = lacking[0]
    least = edges[-1][1] if edges and edges[-1][0] == first else first
    new = next((node for node in lacking[1:] if degree[node] == 0), nodes)
    for other in lacking:
        if least <= other <= new and (other != first or degree[first] <= 1):
            yield from _completed(nodes, (*edges, (first, other)))


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one <= other else (other, one)


def _is_connected(nodes: int, edges: Edges) -> bool:
    reached = {0}
    for _ in range(nodes):
        reached |= {node for edge in edges if set(edge) & reached for node in edge}
    return len(reached) == nodes


def switch_sets(nodes: int, edges: Edges, colours: tuple[str, ...]) -> Ints:
    """The switch sets with at most two nodes of three edges, as rows of zeros and ones."""
    ends = np.zeros((len(edges), nodes), np.int64)
    for place, (a, b) in enumerate(edges):
        ends[place, a] += 1
        ends[place, b] += 1
    chosen = np.array(list(product((0, 1), repeat=len(edges))))
    degrees = chosen @ ends
    fits = np.all([np.isin(degrees[:, node], DEGREES[colour]) for node, colour in enumerate(colours)], axis=0)
    found: Ints = chosen[fits & ((degrees == 3).sum(axis=1) <= 2)]
    return found


def is_covered(sets: Ints) -> bool:
    """Whether fractions of the sets have every edge once."""
    rows, (edge, column) = Constraints(), np.nonzero(sets.T)
    rows.add(sets.shape[1], 1.0, 1.0)
    rows.put(edge, column, 1.0)
    solver = new_solver()
    solver.passModel(model_of(rows, np.zeros(len(sets)), np.full(len(sets), np.inf)))
    return bool(run_solver(solver, None)[1])


@pytest.mark.parametrize(("nodes", "graphs"), [(2, 2), (4, 5), pytest.param(6, 17, marks=pytest.mark.slow)])
def test_every_colouring_of_every_cubic_graph_is_covered(nodes: int, graphs: int) -> None:
    found = cubic_graphs(nodes)
    assert len(found) == graphs
    for edges in found:
        for colours in product("ON", repeat=nodes):
            assert is_covered(switch_sets(nodes, edges, colours)), (edges, colours)


def test_with_no_node_of_three_edges_not_every_graph_is_covered() -> None:
    loops = ((0, 0), (0, 1), (1, 1))
    sets = switch_sets(2, loops, ("N", "N"))
    assert is_covered(sets)
    ends = sets @ np.array([[2, 0], [1, 1], [0, 2]])
    assert not is_covered(sets[(ends < 3).all(axis=1)])
