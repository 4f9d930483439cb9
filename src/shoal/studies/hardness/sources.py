"""The combinatorial instances that tables are made from: graphs, and tuples to be matched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.core.errors import ParameterError

Edge = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """An undirected graph on the vertices 0, 1, ...: no loops, no edge twice.

    >>> Graph(3, ((0, 1), (2, 1))).edges
    ((0, 1), (1, 2))
    """

    vertices: int
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        edges = tuple((min(edge), max(edge)) for edge in self.edges)
        wrong = [edge for edge in edges if edge[0] == edge[1] or not 0 <= edge[0] < edge[1] < self.vertices]
        if wrong or len(set(edges)) < len(edges):
            raise ParameterError(
                f"a graph on {self.vertices} vertices with an edge that is a loop, leads outside or comes twice",
                expected="pairs of different vertices, each once",
            )
        object.__setattr__(self, "edges", edges)

    @classmethod
    def complete(cls, vertices: int) -> Graph:
        """Return the graph with every edge."""
        return cls(vertices, tuple(combinations(range(vertices), 2)))

    @property
    def degrees(self) -> list[int]:
        """How many edges every vertex has."""
        ends = [end for edge in self.edges for end in edge]
        return [ends.count(vertex) for vertex in range(self.vertices)]

    def within(self, part: Iterable[int]) -> int:
        """Count the edges with both ends in a part."""
        inside = set(part)
        return sum(a in inside and b in inside for a, b in self.edges)

    def cut(self, part: Iterable[int]) -> int:
        """Count the edges with one end in a part."""
        inside = set(part)
        return sum((a in inside) != (b in inside) for a, b in self.edges)

    def renamed(self, order: Sequence[int]) -> Graph:
        """Return the same graph with vertex v called order[v]."""
        return Graph(self.vertices, tuple((int(order[a]), int(order[b])) for a, b in self.edges))


@dataclass(frozen=True)
class Tuples:
    """Tuples with one element of each side; every side has the elements 0, 1, ..., count - 1.

    >>> Tuples(2, 2, ((0, 1), (1, 0))).matches([0, 1])
    True
    """

    sides: int
    count: int
    tuples: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        wrong = [one for one in self.tuples if len(one) != self.sides or not set(one) <= set(range(self.count))]
        if wrong or len(set(self.tuples)) < len(self.tuples) or not self.tuples:
            raise ParameterError(
                f"{len(self.tuples)} tuples; {len(wrong)} do not fit {self.sides} sides of {self.count} elements",
                expected="at least one tuple, none twice, each with one element of every side",
            )

    @property
    def elements(self) -> Iterator[tuple[int, int]]:
        """Every (side, element), a row of the table each: side by side."""
        return ((side, one) for side in range(self.sides) for one in range(self.count))

    def matches(self, chosen: Sequence[int]) -> bool:
        """Whether some tuples hold every element of every side exactly once."""
        held = sorted((side, one) for index in chosen for side, one in enumerate(self.tuples[index]))
        return held == list(self.elements)

    def named_by(self, rows: Sequence[int]) -> int | None:
        """Return which tuple has exactly the elements of these rows."""
        held = [divmod(row, self.count) for row in sorted(rows)]
        one = tuple(element for _, element in held)
        return (
            self.tuples.index(one)
            if [side for side, _ in held] == [*range(self.sides)] and one in self.tuples
            else None
        )


def planted_tuples(sides: int, count: int, decoys: int, rng: np.random.Generator) -> tuple[Tuples, tuple[int, ...]]:
    """Return tuples that hold a matching among others, in random order, and which ones match."""
    most = count**sides - count
    if decoys > most:
        raise ParameterError(f"{decoys} further tuples", expected=f"at most {most}: there are no more")
    columns = [range(count), *(rng.permutation(count).tolist() for _ in range(1, sides))]
    found = {tuple(one): True for one in zip(*columns, strict=True)}
    while len(found) < count + decoys:
        found.setdefault(tuple(rng.integers(count, size=sides).tolist()), False)
    order = rng.permutation(len(found)).tolist()
    tuples = [list(found)[index] for index in order]
    return Tuples(sides, count, tuple(tuples)), tuple(index for index, one in enumerate(tuples) if found[one])
