"""Simplex matching in polynomial time: moves, each of them one ordinary matching (Anshelevich and Karagiozova 2011).

A move chooses at most two operations, each of them dissolving an old triple or forming a new one, and re-arranges all
else by one least perfect matching of an ordinary graph: rows of pairs and of dissolved triples are vertices; an old
triple is a vertex with a partner of its own, to which it is joined if it stays, and may give one of its rows to another
vertex. A perfect matching by pairs and triples that no move improves is a least one.

Why: lay the matching and a cheaper one over each other. With their triples as nodes and rows (through pairs) as edges,
that is a graph in which every node has three edges. Its edges can be covered, each exactly once in sum, by fractions of
sets that a move makes; by the simplex condition these together change the cost by no more than the cheaper matching
does, so one of them saves. That such a cover exists in every graph with two colours of nodes is their covering theorem;
the tests check it for all graphs of up to six nodes, and tables of up to eleven rows have no others.

With prices that no set undercuts, only sets whose reserve is below what could still be saved are in a cheaper matching:
so few moves are left to try. Their number is known beforehand, and is O(n^6) for n rows; each takes O(n^3), and every
move that is made saves a unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.interruptible import Ending
from shoal.methods.k_anonymity.factors import heaviest_matching

Rows = tuple[int, ...]
"""Rows of a pair or triple, rising."""


@dataclass(frozen=True, eq=False)
class Sets:
    """The pairs and triples of rows that a cheaper matching may have, with their costs."""

    types: Ints
    """The type of each row."""
    costs: Mapping[Rows, int]
    """By types, rising."""

    def cost(self, rows: Rows) -> int | None:
        """Return what a set of rows costs; None where no cheaper matching has it."""
        return self.costs.get(tuple(sorted(self.types[list(rows)].tolist())))

    def triples(self) -> list[Rows]:
        """Return the triples of rows."""
        of_type = [np.flatnonzero(self.types == one).tolist() for one in range(int(self.types.max()) + 1)]
        found = {
            tuple(sorted((a, b, c)))
            for one, two, three in (types for types in self.costs if len(types) == 3)
            for a in of_type[one]
            for b in of_type[two]
            for c in of_type[three]
            if len({a, b, c}) == 3
        }
        return sorted(found)


@dataclass(frozen=True)
class Move:
    """Old triples to dissolve and new ones to form."""

    dissolved: tuple[Rows, ...]
    formed: tuple[Rows, ...]


def number_of_moves(matching: list[Rows], sets: Sets) -> int:
    """Return how many moves there are at most."""
    operations = sum(len(group) == 3 for group in matching) + len(sets.triples())
    return 1 + operations + operations * (operations - 1) // 2


def better_matching(matching: list[Rows], sets: Sets, paid: int, deadline: Ending) -> list[Rows] | None:
    """Return a perfect matching one move away that costs less than was paid; None where none does, or time is over."""
    for move in _moves(matching, sets):
        if deadline.passed:
            return None
        found = _rearranged(matching, move, sets)
        if found is not None and sum(sets.cost(group) or 0 for group in found) < paid:
            return found
    return None


def _moves(matching: list[Rows], sets: Sets) -> Iterator[Move]:
    old = [group for group in matching if len(group) == 3]
    new = [triple for triple in sets.triples() if triple not in old]
    operations = [*((triple, True) for triple in old), *((triple, False) for triple in new)]
    for number in range(3):
        for chosen in combinations(operations, number):
            formed = tuple(triple for triple, is_old in chosen if not is_old)
            if len({row for triple in formed for row in triple}) == 3 * len(formed):
                yield Move(tuple(triple for triple, is_old in chosen if is_old), formed)


def _rearranged(matching: list[Rows], move: Move, sets: Sets) -> list[Rows] | None:
    """Return the least matching after a move: old triples that it leaves alone stay, or give one row away."""
    used = {row for triple in move.formed for row in triple}
    kept = [g for g in matching if len(g) == 3 and g not in move.dissolved and not used & set(g)]
    inside = {row for group in kept for row in group}
    plain = [row for group in matching for row in group if row not in used and row not in inside]
    graph = _Graph(len(plain) + 2 * len(kept) + len(plain) % 2, sets)
    triples = list(zip(range(len(plain), len(plain) + len(kept)), kept, strict=True))
    for (i, one), (j, other) in combinations(enumerate(plain), 2):
        graph.join(i, j, [[_set(one, other)]])
    for node, triple in triples:
        graph.join(node, node + len(kept), [[triple]])
        for i, row in enumerate(plain):
            graph.join(i, node, [[_set(u, row), _rest(triple, u)] for u in triple])
    for (a, first), (b, second) in combinations(triples, 2):
        options = [[_set(u, v), _rest(first, u), _rest(second, v)] for u in first for v in second]
        graph.join(a, b, options)
    for a, b in combinations(range(len(plain) + len(kept), graph.vertices), 2):
        graph.join(a, b, [[]])
    found = graph.matched()
    return None if found is None else [*move.formed, *found]


class _Graph:
    """An ordinary graph whose edges stand for sets of rows."""

    def __init__(self, vertices: int, sets: Sets) -> None:
        self.vertices, self.sets = vertices, sets
        self.edges: dict[tuple[int, int], tuple[int, list[Rows]]] = {}

    def join(self, one: int, other: int, options: list[list[Rows]]) -> None:
        """Join two vertices by the cheapest of several ways to publish their rows, if one may be of use."""
        paid = [(self._paid(groups), groups) for groups in options]
        open_ones = [(cost, groups) for cost, groups in paid if cost is not None]
        if open_ones:
            self.edges[one, other] = min(open_ones)

    def _paid(self, groups: list[Rows]) -> int | None:
        costs = [self.sets.cost(group) for group in groups]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    def matched(self) -> list[Rows] | None:
        """Return the sets of a least perfect matching; None where there is none."""
        if not self.edges:
            return None if self.vertices else []
        ends = np.array(list(self.edges))
        costs = np.array([cost for cost, _ in self.edges.values()])
        pairs = heaviest_matching(self.vertices, ends, costs.max() + 1 - costs, largest=True)
        if 2 * len(pairs) < self.vertices:
            return None
        return [group for one, other in pairs.tolist() for group in self.edges[one, other][1]]


def _set(one: int, other: int) -> Rows:
    return (one, other) if one < other else (other, one)


def _rest(triple: Rows, row: int) -> Rows:
    return tuple(other for other in triple if other != row)
