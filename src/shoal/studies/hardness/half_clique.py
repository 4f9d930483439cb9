"""Half clique, as k-anonymity where k is between a third and a half of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import KAnonymity, Model
from shoal.studies.hardness.base import Question, Size, Sizes
from shoal.studies.hardness.minimum_bisection import incidence
from shoal.studies.hardness.sources import Graph


@dataclass(frozen=True)
class HalfClique(Question):
    """The table of a bisection, and some rows that agree with nothing; k is half of the vertices.

    Fewer than k rows are new, so two classes are all there can be, and one with a new row keeps nothing. The other has
    x >= n/2 vertices and keeps, in each row, the columns of the edges among the n - x others. x times those edges is
    largest, and then (n/2) C(n/2, 2), only where n/2 others are a clique.
    """

    name: ClassVar[str] = "half-clique"
    source: ClassVar[str] = "a clique that holds half of a graph's vertices"
    target: ClassVar[str] = "k-anonymity, k = c n', 1/3 < c < 1/2"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 5"
    )
    sizes: ClassVar[tuple[Size, ...]] = (
        Size("half", "vertices of the clique, half of all", 2, whole=True, default=5),
        Size("edges", "further edges", 0, whole=True, default=10),
        Size("new", "rows that agree with nothing, fewer than the clique has vertices", 1, whole=True, default=2),
    )

    graph: Graph
    new: int = 2
    solution: frozenset[int] | None = None

    def __post_init__(self) -> None:
        vertices = self.graph.vertices
        if vertices < 4 or vertices % 2 or not self.graph.edges or not 1 <= self.new < vertices // 2:
            raise ParameterError(
                f"{self.name}: {vertices} vertices, {len(self.graph.edges)} edges, {self.new} new rows",
                expected="an even number of at least 4 vertices, an edge, and fewer new rows than half of them",
            )
        if self.solution is not None:
            self._check(self.solution)

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Put a clique onto half of the vertices, and further edges anywhere."""
        half, more, new = (int(sizes[name]) for name in ("half", "edges", "new"))
        clique = sorted(rng.permutation(2 * half)[:half].tolist())
        edges = list(combinations(clique, 2))
        others = [edge for edge in combinations(range(2 * half), 2) if edge not in set(edges)]
        if more > len(others):
            raise ParameterError(f"{cls.name}: edges is {more}", expected=f"at most {len(others)}: there are no more")
        edges += [others[index] for index in rng.permutation(len(others))[:more].tolist()]
        order = rng.permutation(len(edges)).tolist()
        return cls(Graph(2 * half, tuple(edges[index] for index in order)), new, frozenset(clique))

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every edge; a new row has a number of its own in all of them."""
        own = self.graph.vertices + 1 + np.arange(self.new)
        cells = np.vstack([incidence(self.graph), np.tile(own[:, None], len(self.graph.edges))])
        return pl.DataFrame(cells, schema=[f"e{a}_{b}" for a, b in self.graph.edges], orient="row")

    @property
    def require(self) -> Model:
        """Half of the vertices."""
        return KAnonymity(self.graph.vertices // 2)

    @property
    def threshold(self) -> int:
        """All cells but those that a clique's complement keeps."""
        half = self.graph.vertices // 2
        return (self.graph.vertices + self.new) * len(self.graph.edges) - half * comb(half, 2)

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> frozenset[int]:
        """Return the clique: the vertices outside the class of old rows alone."""
        old = next(rows for rows in classes if max(rows) < self.graph.vertices)
        found = frozenset(range(self.graph.vertices)).difference(old)
        self._check(found)
        return found

    def _check(self, clique: frozenset[int]) -> None:
        if len(clique) != self.graph.vertices // 2 or self.graph.within(clique) != comb(len(clique), 2):
            raise ParameterError(f"{self.name}: {len(clique)} vertices that are no clique of half of all")
