"""The least 2-factor of a complete graph: the cheapest cycles that meet every vertex once.

A linear program gives every vertex a price; an edge is as good as its weight less the prices of its ends. With prices
almost all edges are decided, and a matching on a small graph of gadgets decides the rest. Nothing rests on the
solver's word: whatever the prices, they are whole numbers here, and what they prove is added up over all edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.methods.k_anonymity.factors.matching import heaviest_matching
from shoal.methods.k_anonymity.factors.relaxed_two_factor import relaxed_two_factor


def least_two_factor(apart: Ints) -> tuple[int, Ints]:
    """Return the weight of a least 2-factor of at least three vertices, and the ends of its edges.

    Guarantees the least weight for any weights. Of prices `p`, let an edge's *regret* be `apart - p - p`. A 2-factor
    weighs twice the sum of all prices, plus the regrets of its edges; so, above the sum with all negative regrets, it
    pays each positive regret of an edge it has and each negative one of an edge it lacks. Take a 2-factor that pays r
    above that sum. A lighter one has no edge of regret r or more, and lacks none of -r or less: it is enough to search
    the edges of regrets between. Search those of least regret first, then all within r.

    >>> corners = np.array([[0, 0], [0, 1], [1, 0], [9, 0], [9, 1], [8, 0], [8, 1]])
    >>> weight, edges = least_two_factor(abs(corners[:, None] - corners).sum(axis=2))
    >>> weight, [sorted(cycle) for cycle in cycles_of(edges)]
    (8, [[0, 1, 2], [3, 4, 5, 6]])
    """
    search = FactorSearch.of(apart)
    number = min(2 * len(apart), len(search.regrets))
    step = len(apart) // 50 + 1
    while True:
        limit = int(search.ranked[min(number, len(search.ranked)) - 1])
        chosen = search.within(limit)
        if chosen is None:
            number, step = int(np.searchsorted(search.ranked, limit, side="right")) + step, 2 * step
            continue
        needed = int(np.searchsorted(search.ranked, search.paid(chosen)))
        if not needed or search.ranked[needed - 1] <= limit:
            ends = search.ends[chosen]
            return int(apart[ends[:, 0], ends[:, 1]].sum()), ends
        number = needed


def cycles_of(edges: Ints) -> list[list[int]]:
    """Return the cycles of a 2-factor as vertices in turn, each from its smallest vertex on.

    >>> cycles_of(np.array([[0, 2], [1, 3], [0, 3], [1, 2]]))
    [[0, 2, 1, 3]]
    """
    beside: dict[int, list[int]] = {}
    for one, other in edges.tolist():
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    cycles = []
    for first in sorted(beside):
        cycle, here = [], first
        while here in beside:
            cycle.append(here)
            here = min(beside.pop(here), key=lambda vertex: (vertex not in beside, vertex))
        if cycle:
            cycles.append(cycle)
    return cycles


@dataclass(frozen=True, eq=False)
class FactorSearch:
    """All edges of a complete graph, and their regrets: twice the weight less what the ends were priced at."""

    vertices: int
    ends: Ints
    regrets: Ints
    used: Bools
    """Whether the relaxed 2-factor uses the edge, be it by half."""

    @classmethod
    def of(cls, apart: Ints) -> FactorSearch:
        """Price the vertices."""
        prices, used = relaxed_two_factor(apart)
        ends = np.stack(np.triu_indices(len(apart), 1), axis=1)
        regrets = 2 * apart[ends[:, 0], ends[:, 1]] - prices[ends].sum(axis=1)
        return cls(len(apart), ends, regrets, used[ends[:, 0], ends[:, 1]])

    @cached_property
    def ranked(self) -> Ints:
        """The regrets, least first, whatever their sign."""
        return np.sort(np.abs(self.regrets))

    def paid(self, chosen: Bools) -> int:
        """Return what a 2-factor pays above what no 2-factor goes below."""
        return int(self.regrets[chosen].sum() - self.regrets[self.regrets < 0].sum())

    def within(self, limit: int) -> Bools | None:
        """Return a least 2-factor with no edge above a regret and all below its opposite; None if there is none."""
        chosen = self.regrets < -limit
        slots = 2 - np.bincount(self.ends[chosen].ravel(), minlength=self.vertices)
        if (slots < 0).any():
            return None
        free = np.flatnonzero((np.abs(self.regrets) <= limit) & (slots[self.ends] > 0).all(axis=1))
        found = _least_slots(slots, self.ends[free], self.regrets[free], self.used[free])
        if found is None:
            return None
        chosen[free[found]] = True
        return chosen


def _least_slots(slots: Ints, ends: Ints, weights: Ints, liked: Bools) -> Bools | None:
    """Return the lightest edges that fill every vertex's slots, each used once; None if there are none.

    Of edges equally light, those that are liked come first: then few others are used twice. An edge is a gadget only
    if it might be: those that are liked, those below 0, and those that were.
    """
    weights = weights * (int(slots.sum()) + 1) + ~liked
    guarded = liked | (weights < 0)
    while True:
        copies = _fill(slots, ends, weights, guarded)
        if copies is None or copies.max(initial=0) < 2:
            return None if copies is None else copies > 0
        guarded = guarded | (copies > 1)


def _fill(slots: Ints, ends: Ints, weights: Ints, guarded: Bools) -> Ints | None:
    """Return how often each edge is used where the slots are filled at the least weight; None if they cannot be.

    By a perfect matching. A vertex has a node for each slot. An edge joins all slots of its ends, so it may be used
    twice; one that is guarded has a gadget instead, two nodes joined to each other and each to the slots of one end:
    it is unused if they are matched to each other, used once if not.
    """
    vertex_of_node = np.repeat(np.arange(len(slots)), slots)
    outer, nodes = len(vertex_of_node), len(vertex_of_node) + 2 * int(guarded.sum())
    links, values = _links(slots, ends, weights, guarded)
    top = int(np.abs(values).max(initial=0)) + 1
    pairs = heaviest_matching(nodes, links, top - values, largest=True)
    if 2 * len(pairs) < nodes:
        return None
    copies = guarded.astype(np.int64)
    unused = (pairs[pairs[:, 0] >= outer, 0] - outer) // 2
    copies[np.flatnonzero(guarded)[unused]] = 0
    direct = np.sort(vertex_of_node[pairs[pairs[:, 1] < outer]], axis=1)
    keys = ends @ [len(slots), 1]  # rising: edges are in order
    np.add.at(copies, np.searchsorted(keys, direct @ [len(slots), 1]), 1)
    return copies


def _links(slots: Ints, ends: Ints, weights: Ints, guarded: Bools) -> tuple[Ints, Ints]:
    """Return the links between the nodes of slots and gadgets, and what they weigh: an edge, twice its weight."""
    first = np.cumsum(slots) - slots
    (one, other), weight = ends[guarded].T, weights[guarded]
    inner = int(slots.sum()) + 2 * np.arange(len(one))
    links, values = [np.stack([inner, inner + 1], axis=1)], [np.zeros(len(one), dtype=np.int64)]
    for end, node in ((one, inner), (other, inner + 1)):
        for slot in range(2):
            has = slot < slots[end]
            links.append(np.stack([first[end] + slot, node], axis=1)[has])
            values.append(weight[has])
    (one, other), weight = ends[~guarded].T, weights[~guarded]
    for slot, opposite in ((0, 0), (0, 1), (1, 0), (1, 1)):
        has = (slot < slots[one]) & (opposite < slots[other])
        links.append(np.stack([first[one] + slot, first[other] + opposite], axis=1)[has])
        values.append(2 * weight[has])
    return np.concatenate(links), np.concatenate(values)
