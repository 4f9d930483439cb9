"""Reductions solved exactly, and the combinatorial problems by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from shoal.methods.base import Deadline, Method, silent
from shoal.methods.general.subset_dp import SubsetDP
from shoal.studies.hardness.base import Reduction
from shoal.studies.hardness.sources import Graph, Tuples


def solved(reduction: Reduction, method: type[Method] = SubsetDP) -> tuple[int, Any]:
    """The least number of stars, found and proved by shoal, and the answer read off those classes."""
    found = method().solve(reduction.problem, seed=0, deadline=Deadline.after(None), progress=silent)
    assert found.status == "optimal"
    assert round(found.cost) == reduction.cost(found.partition)
    return round(found.cost), reduction.answer(found.partition)


def graphs(vertices: int, number: int, seed: int = 0) -> Iterator[Graph]:
    """Some random graphs, from sparse to dense."""
    rng = np.random.default_rng(seed)
    every = list(combinations(range(vertices), 2))
    for index in range(number):
        edges = max(1, len(every) * (index + 1) // (number + 1))
        yield Graph(vertices, tuple(every[one] for one in sorted(rng.permutation(len(every))[:edges].tolist())))


def random_tuples(sides: int, count: int, number: int, rng: np.random.Generator) -> Tuples:
    """So many different tuples."""
    codes = rng.permutation(count**sides)[:number].tolist()
    return Tuples(sides, count, tuple(tuple(code // count**side % count for side in range(sides)) for code in codes))


def smallest_cover(graph: Graph) -> int:
    """The size of a smallest vertex cover, by trying every set."""
    every = range(graph.vertices)
    return next(
        size
        for size in every
        if any(all(a in part or b in part for a, b in graph.edges) for part in combinations(every, size))
    )


def least_width(graph: Graph) -> int:
    """The fewest edges between two halves, by trying all."""
    return min(graph.cut(half) for half in combinations(range(graph.vertices), graph.vertices // 2))


def has_matching(tuples: Tuples) -> bool:
    """Whether some tuples hold every element once, by trying all."""
    return any(tuples.matches(some) for some in combinations(range(len(tuples.tuples)), tuples.count))


def splits(edges: frozenset[tuple[int, int]], size: int) -> bool:
    """Whether edges split into cliques of a size, by trying all for the first edge."""
    if not edges:
        return True
    a, b = min(edges)
    others = sorted({end for edge in edges for end in edge} - {a, b})
    cliques = (frozenset(combinations(sorted((a, b, *more)), 2)) for more in combinations(others, size - 2))
    return any(clique <= edges and splits(edges - clique, size) for clique in cliques)
