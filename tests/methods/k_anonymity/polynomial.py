"""A second opinion: simplex matching by moves, each one ordinary matching (after Anshelevich and Karagiozova 2011).

From any perfect matching by pairs and triples: choose at most two operations, each of them dissolving an old triple or
forming a new one, and let one minimum-cost perfect matching of an ordinary graph re-arrange everything else. Repeat
while that is cheaper. It shares nothing with `shoal.methods.k_anonymity.simplex`, is polynomial, and fit for about ten
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import rustworkx

Set = tuple[int, ...]
Cost = Callable[[Set], float | None]
"""What a pair or triple costs; None where it is not allowed."""
FAR = 10**6


@dataclass(frozen=True)
class Move:
    """Old triples to dissolve and new ones to form."""

    dissolved: tuple[Set, ...]
    formed: tuple[Set, ...]


def improve(matching: list[Set], cost: Cost) -> list[Set]:
    """Return a perfect matching that no move improves."""
    rows = sorted(row for group in matching for row in group)
    while True:
        better = next(_better(matching, rows, cost), None)
        if better is None:
            return matching
        matching = better


def total(matching: list[Set], cost: Cost) -> float:
    paid = [cost(group) for group in matching]
    assert None not in paid
    return sum(value for value in paid if value is not None)


def _better(matching: list[Set], rows: list[int], cost: Cost) -> Iterator[list[Set]]:
    known = total(matching, cost)
    for move in _moves(matching, rows, cost):
        found = _rearranged(matching, move, cost)
        if found is not None and total(found, cost) < known - 1e-9:
            yield found


def _moves(matching: list[Set], rows: list[int], cost: Cost) -> Iterator[Move]:
    old = [group for group in matching if len(group) == 3]
    new = [triple for triple in combinations(rows, 3) if cost(triple) is not None and triple not in old]
    operations = [*((triple, True) for triple in old), *((triple, False) for triple in new)]
    for number in range(3):
        for chosen in combinations(operations, number):
            formed = tuple(triple for triple, is_old in chosen if not is_old)
            if len({row for triple in formed for row in triple}) == 3 * len(formed):
                yield Move(tuple(triple for triple, is_old in chosen if is_old), formed)


def _rearranged(matching: list[Set], move: Move, cost: Cost) -> list[Set] | None:
    """Return the best matching after a move: old triples that it leaves alone stay, or give one row away."""
    used = {row for triple in move.formed for row in triple}
    kept: list[Set] = [g for g in matching if len(g) == 3 and g not in move.dissolved and not used & set(g)]
    inside = {row for group in kept for row in group}
    plain = [row for group in matching for row in group if row not in used and row not in inside]
    return _matched(plain, kept, list(move.formed), cost)


def _matched(plain: list[int], kept: list[Set], formed: list[Set], cost: Cost) -> list[Set] | None:
    """One node for each plain row, one with a partner of its own for each triple, and one more if the rows are odd."""
    graph: rustworkx.PyGraph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(plain) + 2 * len(kept) + len(plain) % 2))
    results: dict[tuple[int, int], list[Set]] = {}

    def join(one: int, other: int, groups: list[Set]) -> None:
        paid = [cost(tuple(sorted(group))) for group in groups]
        if None not in paid:
            graph.add_edge(one, other, FAR - round(sum(value for value in paid if value is not None)))
            results[one, other] = [tuple(sorted(group)) for group in groups]

    triples = range(len(plain), len(plain) + len(kept))
    spare = range(len(plain) + len(kept), graph.num_nodes())
    for (i, one), (j, other) in combinations(enumerate(plain), 2):
        join(i, j, [(one, other)])
    for node, triple in zip(triples, kept, strict=True):
        join(node, node + len(kept), [triple])
        for i, row in enumerate(plain):
            join(i, node, min(_given(triple, row), key=lambda groups: _paid(groups, cost)))
    for (a, first), (b, second) in combinations(zip(triples, kept, strict=True), 2):
        options = [[(u, v), rest(first, u), rest(second, v)] for u in first for v in second]
        join(a, b, min(options, key=lambda groups: _paid(groups, cost)))
    for a, b in combinations(spare, 2):
        graph.add_edge(a, b, FAR)
        results[a, b] = []
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(pairs) < graph.num_nodes():
        return None
    return [*formed, *(group for pair in pairs for group in results[min(pair), max(pair)])]


def _given(triple: Set, row: int) -> list[list[Set]]:
    return [[(u, row), rest(triple, u)] for u in triple]


def rest(triple: Set, row: int) -> Set:
    return tuple(other for other in triple if other != row)


def _paid(groups: list[Set], cost: Cost) -> float:
    paid = [cost(tuple(sorted(group))) for group in groups]
    return float("inf") if None in paid else sum(value for value in paid if value is not None)
