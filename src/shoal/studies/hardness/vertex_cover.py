"""Vertex cover on cubic graphs, as k-anonymity with three columns and k = 7."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import KAnonymity, Model
from shoal.studies.hardness.base import Reduction, Size, Sizes
from shoal.studies.hardness.sources import Edge, Graph


@dataclass(frozen=True)
class VertexCover(Reduction):
    """Twenty rows for a vertex, two for an edge, fourteen more; the stars above a fixed number are those of a cover.

    A row <?, u, ?> has symbols that come once and costs 2; every other row costs at least 1. A vertex is imperfect if
    one of its rows costs more. Of an edge between perfect vertices a row costs more. So the cost above the least
    counts a cover, and a smallest cover gives classes of exactly that cost.
    """

    name: ClassVar[str] = "vertex-cover"
    source: ClassVar[str] = "fewest vertices of a cubic graph that every edge has an end in"
    target: ClassVar[str] = "k-anonymity, k = 7, three columns"
    paper: ClassVar[str] = "Chakaravarthy et al.: On the complexity of the k-anonymization problem, Theorem 3.1"
    sizes: ClassVar[tuple[Size, ...]] = (
        Size("side", "vertices on each side of a bipartite part, 0 or at least 3", 0, whole=True, default=3),
        Size("cliques", "how many complete graphs on four vertices stand beside it", 0, whole=True, default=0),
    )

    graph: Graph
    smallest: int | None = None
    """The size of a smallest cover, where it is known."""

    def __post_init__(self) -> None:
        if not self.graph.edges or set(self.graph.degrees) != {3}:
            raise ParameterError(f"{self.name}: a graph that is not cubic", expected="three edges at every vertex")

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Join three perfect matchings, so that a cover needs a whole side; a complete graph on four needs three."""
        side, cliques = int(sizes["side"]), int(sizes["cliques"])
        if side in (1, 2) or side + cliques == 0:
            raise ParameterError(
                f"{cls.name}: side is {side}, cliques is {cliques}", expected="a side of 0 or at least 3, and one not 0"
            )
        edges = _matchings(side, rng) if side else []
        for start in range(2 * side, 2 * side + 4 * cliques, 4):
            edges += [(start + a, start + b) for a, b in Graph.complete(4).edges]
        vertices = 2 * side + 4 * cliques
        return cls(Graph(vertices, tuple(edges)).renamed(rng.permutation(vertices).tolist()), side + 3 * cliques)

    @property
    def frame(self) -> pl.DataFrame:
        """Three columns; a symbol `s...` comes once."""
        return pl.DataFrame([cells for cells, _ in self._rows()], schema=["first", "second", "third"], orient="row")

    @property
    def require(self) -> Model:
        """Seven rows."""
        return KAnonymity(7)

    @property
    def base(self) -> int:
        """What every release costs, without the cover."""
        return 27 * self.graph.vertices + 2 * len(self.graph.edges) + 14

    def cost_for(self, size: int) -> int:
        """Return the least cost if the smallest cover has so many vertices."""
        return self.base + size

    @property
    def optimum(self) -> int | None:
        """The cost for a smallest cover."""
        return None if self.smallest is None else self.cost_for(self.smallest)

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> frozenset[int]:
        """Return a cover of at most `cost - base` vertices: the imperfect ones, and an end of each edge not covered."""
        values = self.frame.to_numpy()
        owners = [owner for _, owner in self._rows()]
        found = set[int]()
        for rows in classes:
            stars = sum(len(set(values[list(rows), column].tolist())) > 1 for column in range(3))
            for row in rows:
                owner = owners[row]
                if owner is not None and stars > owner[1]:
                    found.add(owner[0])
        for a, b in self.graph.edges:
            if a not in found and b not in found:
                found.add(a)
        if len(found) > cost - self.base:
            raise ParameterError(
                f"{self.name}: the classes give a cover of {len(found)}", expected="no more than they cost"
            )
        return frozenset(found)

    def _rows(self) -> Iterator[tuple[tuple[str, str, str], tuple[int, int] | None]]:
        """Yield every row, and the vertex it corresponds to with the least that it costs."""
        fresh = (f"s{number}" for number in count(1))
        for vertex in range(self.graph.vertices):
            u = f"v{vertex}"
            yield from [(("0", u, u), (vertex, 1))] * 6
            yield (next(fresh), u, u), (vertex, 1)
            for _ in range(7):
                yield (next(fresh), u, next(fresh)), (vertex, 2)
            yield from [(("0", u, "Z"), (vertex, 1))] * 3
            yield from [(("0", "Z", u), (vertex, 1))] * 3
        for a, b in self.graph.edges:
            yield ("0", f"v{a}", f"v{b}"), None
            yield ("0", f"v{b}", f"v{a}"), None
        for _ in range(7):
            yield ("0", next(fresh), "Z"), None
        for _ in range(7):
            yield ("0", "Z", next(fresh)), None


def _matchings(side: int, rng: np.random.Generator) -> list[Edge]:
    """Return three perfect matchings between two sides that share no edge."""
    shift = rng.permutation(side)[:3].tolist()
    order = rng.permutation(side).tolist()
    return [(a, side + order[(a + step) % side]) for step in shift for a in range(side)]
