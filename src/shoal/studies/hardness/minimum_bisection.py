"""Minimum bisection, as k-anonymity where k is half of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.models import KAnonymity, Model
from shoal.studies.hardness.base import Reduction, Size, Sizes
from shoal.studies.hardness.sources import Graph

HALF = Size("half", "vertices of a half", 2, whole=True, default=5)
CROSSING = Size("crossing", "edges between the halves", 0, whole=True, default=3)


def incidence(graph: Graph) -> Ints:
    """Return a row per vertex and a column per edge: the vertex, from 1, where it is an end; 0 elsewhere."""
    cells = np.zeros((graph.vertices, len(graph.edges)), dtype=np.int64)
    for column, ends in enumerate(graph.edges):
        for end in ends:
            cells[end, column] = end + 1
    return cells


@dataclass(frozen=True)
class MinimumBisection(Reduction):
    """A row per vertex, a column per edge: a class keeps the columns of the edges that do not touch it.

    A half pays its rows times the edges that touch it. Both halves together pay n/2 for every edge, and n/2 once more
    for every edge that both touch.
    """

    name: ClassVar[str] = "minimum-bisection"
    source: ClassVar[str] = "two halves of a graph's vertices with the fewest edges between them"
    target: ClassVar[str] = "k-anonymity, k = n/2"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 3"
    )
    sizes: ClassVar[tuple[Size, ...]] = (HALF, CROSSING)

    graph: Graph
    width: int | None = None
    """The fewest edges between two halves, where that is known."""

    def __post_init__(self) -> None:
        if self.graph.vertices < 4 or self.graph.vertices % 2 or not self.graph.edges:
            raise ParameterError(
                f"{self.name}: {self.graph.vertices} vertices, {len(self.graph.edges)} edges",
                expected="an even number of at least 4 vertices, and an edge",
            )

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Join two complete halves: any other two halves cut at least 2 (half - 1) of their edges."""
        half, crossing = int(sizes["half"]), int(sizes["crossing"])
        if crossing > 2 * (half - 1):
            raise ParameterError(
                f"{cls.name}: crossing is {crossing}",
                expected=f"at most {2 * (half - 1)}, so that no other halves are better",
            )
        across = rng.permutation(half * half)[:crossing].tolist()
        edges = [*combinations(range(half), 2), *combinations(range(half, 2 * half), 2)]
        edges += [(one // half, half + one % half) for one in across]
        return cls(Graph(2 * half, tuple(edges)).renamed(rng.permutation(2 * half).tolist()), crossing)

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every edge."""
        return pl.DataFrame(incidence(self.graph), schema=[f"e{a}_{b}" for a, b in self.graph.edges], orient="row")

    @property
    def require(self) -> Model:
        """Half of the rows."""
        return KAnonymity(self.graph.vertices // 2)

    def cost_for(self, width: int) -> int:
        """Return the least cost if so many edges lie between the best halves."""
        return self.graph.vertices * (len(self.graph.edges) + width) // 2

    @property
    def optimum(self) -> int | None:
        """The cost for the best halves."""
        return None if self.width is None else self.cost_for(self.width)

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> frozenset[int]:
        """Return a half; where all rows are one class, any half does: no cut costs more."""
        half = frozenset(classes[0][: self.graph.vertices // 2])
        if self.cost_for(self.graph.cut(half)) > cost:
            raise ParameterError(
                f"{self.name}: the halves cut {self.graph.cut(half)} edges, more than the classes cost"
            )
        return half
