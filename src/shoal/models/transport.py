"""Optimal transport: the cheapest way to move one pile of units into another, in whole units (compiled).

Successive shortest paths with potentials (Tomizawa 1971; Edmonds and Karp 1972): again and again units of a source that
has some left go the cheapest way to a sink that needs some; on the way others may be sent elsewhere. No plan of the
same amounts is cheaper than one found so.
"""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


def cheapest_plan(supply: Ints, demand: Ints, costs: Floats) -> Ints:
    """Return how many units go from each source to each sink; supply and demand have the same sum, costs are >= 0.

    The units are whole, whatever the costs; these are compared in floating point.

    >>> cheapest_plan(np.array([3, 1]), np.array([2, 2]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [[2, 1], [0, 1]]
    """
    plan: Ints = moved(supply.astype(np.int64), demand.astype(np.int64), np.ascontiguousarray(costs, np.float64))[0]
    return plan


@njit(cache=True)
def moved(left, due, costs):
    """Send units along shortest paths until none is left; `left` and `due` are used up. Returns plan and potentials.

    Nodes are the sources, then the sinks. `price` are the potentials: no arc costs less than 0 once they are added.
    """
    plan, price = np.zeros((len(left), len(due)), np.int64), np.zeros(len(left) + len(due))
    while left.sum() > 0:
        last, before = _shortest_path(left, due, costs, plan, price)
        _send(left, due, plan, last, before)
    return plan, price


@njit(cache=True)
def _shortest_path(left, due, costs, moved, price):
    """Find the nearest sink that needs units (Dijkstra), and the node before each on the way; raise the potentials."""
    sources, nodes = len(left), len(price)
    far, seen, before = np.full(nodes, np.inf), np.zeros(nodes, np.bool_), np.full(nodes, -1)
    for i in range(sources):
        if left[i] > 0:
            far[i] = 0.0
    while True:
        here = -1
        for node in range(nodes):
            if not seen[node] and (here < 0 or far[node] < far[here]):
                here = node
        seen[here] = True
        if here >= sources and due[here - sources] > 0:
            break
        _relax(here, far, before, costs, moved, price)
    for node in range(nodes):
        price[node] += min(far[node], far[here])
    return here, before


@njit(cache=True)
def _relax(here, far, before, costs, moved, price):
    """Shorten the ways over a node: from a source to every sink; from a sink back to where its units came from."""
    sources = len(moved)
    if here < sources:
        for j in range(sources, len(far)):
            way = far[here] + max(costs[here, j - sources] + price[here] - price[j], 0.0)
            if way < far[j]:
                far[j], before[j] = way, here
    else:
        for i in range(sources):  # on arcs in use the cost and the potentials add up to 0
            if moved[i, here - sources] > 0 and far[here] < far[i]:
                far[i], before[i] = far[here], here


@njit(cache=True)
def _send(left, due, moved, last, before):
    """Send as many units as can go to the last node along the way."""
    sources = len(left)
    units, node = due[last - sources], last
    while before[node] >= 0:
        if node < sources:
            units = min(units, moved[node, before[node] - sources])
        node = before[node]
    units = min(units, left[node])
    left[node] -= units
    due[last - sources] -= units
    node = last
    while before[node] >= 0:
        if node < sources:
            moved[node, before[node] - sources] -= units
        else:
            moved[before[node], node - sources] += units
        node = before[node]
