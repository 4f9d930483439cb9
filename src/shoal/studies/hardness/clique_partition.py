"""Edge partition into triangles and larger cliques, as k-anonymity over an alphabet of three symbols."""

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
from shoal.studies.hardness.sources import Edge, Graph

Cliques = tuple[frozenset[int], ...]


@dataclass(frozen=True)
class CliquePartition(Question):
    """A row for every edge; k is the number of edges of a clique, times the copies of every row.

    Rows have a block of columns, one per vertex, for every binary digit of the edges' ranks: 0 but at the ends of the
    edge, where 1 and 2 stand in the order that the digit says. So many edges as k asks for touch at least `size`
    vertices, and exactly so many only if they are a clique; a vertex that all of them share counts too, because two of
    three edges at it differ in some block. So every row has at least `size` stars in every block, and all rows have
    no more if and only if the classes are cliques. With `copies`, every row comes so many times.
    """

    name: ClassVar[str] = "clique-partition"
    source: ClassVar[str] = "split the edges of a graph into cliques of a given size (3: into triangles)"
    target: ClassVar[str] = "k-anonymity, k = copies * size * (size - 1) / 2, three symbols"
    paper: ClassVar[str] = "Aggarwal et al.: Approximation algorithms for k-anonymity, 2005, Theorem 1"
    sizes: ClassVar[tuple[Size, ...]] = (
        Size("cliques", "how many cliques the edges split into", 1, whole=True, default=5),
        Size("size", "vertices of a clique", 3, whole=True, default=3),
        Size("copies", "how often every row comes", 1, whole=True, default=1),
    )

    graph: Graph
    size: int = 3
    copies: int = 1
    solution: Cliques | None = None

    def __post_init__(self) -> None:
        if self.size < 3 or self.copies < 1 or not self.graph.edges:
            raise ParameterError(
                f"{self.name}: cliques of {self.size} vertices, {self.copies} copies, {len(self.graph.edges)} edges",
                expected="cliques of at least 3 vertices, a copy and an edge",
            )
        if self.solution is not None:
            self._check(self.solution)

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Put cliques that share no edge onto random vertices; take more vertices whenever no place is left."""
        count, size, copies = (int(sizes[name]) for name in ("cliques", "size", "copies"))
        vertices, taken = size + 1, set[Edge]()
        cliques: list[frozenset[int]] = []
        while len(cliques) < count:
            for _ in range(20):
                ends = sorted(rng.permutation(vertices)[:size].tolist())
                if not taken.intersection(combinations(ends, 2)):
                    cliques.append(frozenset(ends))
                    taken.update(combinations(ends, 2))
                    break
            else:
                vertices += 1
        edges = sorted(taken)
        order = rng.permutation(len(edges)).tolist()
        return cls(Graph(vertices, tuple(edges[index] for index in order)), size, copies, tuple(cliques))

    @property
    def blocks(self) -> int:
        """How many blocks of columns there are: the binary digits of the largest rank."""
        return len(self.graph.edges).bit_length()

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every vertex in every block."""
        edges = len(self.graph.edges)
        cells = np.zeros((edges, self.blocks, self.graph.vertices), dtype=np.int64)
        for row, (a, b) in enumerate(self.graph.edges):
            for block in range(self.blocks):
                turned = (row + 1) >> (self.blocks - 1 - block) & 1
                cells[row, block, a], cells[row, block, b] = (2, 1) if turned else (1, 2)
        names = [f"v{vertex}_{block}" for block in range(self.blocks) for vertex in range(self.graph.vertices)]
        return pl.DataFrame(np.repeat(cells.reshape(edges, -1), self.copies, axis=0), schema=names, orient="row")

    @property
    def require(self) -> Model:
        """The edges of a clique, so often as every row comes."""
        return KAnonymity(self.copies * comb(self.size, 2))

    @property
    def threshold(self) -> int:
        """So many stars in a row and block as a clique has vertices; no release has fewer."""
        return self.copies * len(self.graph.edges) * self.size * self.blocks

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> Cliques:
        """Return the vertices of the cliques that the classes are."""
        edges = ([self.graph.edges[row // self.copies] for row in rows] for rows in classes)
        found = tuple(frozenset(end for edge in held for end in edge) for held in edges)
        self._check(found)
        return found

    def _check(self, cliques: Cliques) -> None:
        held = sorted(edge for clique in cliques for edge in combinations(sorted(clique), 2))
        if held != sorted(self.graph.edges) or any(len(clique) != self.size for clique in cliques):
            raise ParameterError(f"{self.name}: these cliques do not split the edges")
