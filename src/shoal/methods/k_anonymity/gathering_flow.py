"""A flow that gives every centre as many rows as a cluster must have, or the knowledge that there is none.

Shortest augmenting paths (Ford and Fulkerson 1956; Edmonds and Karp 1972), one centre after the other. A centre takes
free rows of points near it, first of those points that are near the fewest centres. Where these do not suffice, a
centre near the same point gives up rows of it and takes others instead, and so on along a shortest such path to a free
row. If no path leads to a free row, the centres reached already have all rows that are near any of them, which are
fewer than they need together: then no flow exists (Hall 1935).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.core.arrays import Bools, Ints


def gathering_flow(near: Bools, counts: Ints, r: int) -> Ints | None:
    """Return how many rows of each point go to each centre near it, r to every centre; None if that is impossible.

    >>> near = np.array([[True, False], [True, True], [True, True]])
    >>> gathering_flow(near, np.array([1, 1, 2]), 2).tolist()
    [[1, 0], [1, 0], [0, 2]]
    >>> gathering_flow(near, np.array([2, 1, 0]), 2) is None
    True
    """
    given, free = np.zeros(near.shape, dtype=np.int64), counts.copy()
    fewest_first = np.argsort(near.sum(axis=1), kind="stable")
    for centre in range(near.shape[1]):
        needed = r - _take_free(near, given, free, centre, r, fewest_first)
        while needed:
            path = _path_to_free(near, given, free, centre)
            if path is None:
                return None
            needed -= _shift(given, free, path, needed)
    return given


def _take_free(near: Bools, given: Ints, free: Ints, centre: int, r: int, order: Ints) -> int:
    """Give a centre up to r free rows of the points near it, in an order of points; return how many."""
    points = order[near[order, centre]]
    taken = np.diff(np.minimum(np.cumsum(free[points]), r), prepend=0)
    given[points, centre] += taken
    free[points] -= taken
    return int(taken.sum())


def _path_to_free(near: Bools, given: Ints, free: Ints, centre: int) -> list[tuple[int, int]] | None:
    """Return the pairs (point, centre that gets rows of it) of a shortest path from a point with free rows to a centre.

    Points and centres are reached in turn: a point by a centre near it, a centre by a point whose rows it has.
    """
    to_centre = np.full(near.shape[0], -1, dtype=np.int64)
    by_point = np.full(near.shape[1], -1, dtype=np.int64)
    reached, latest = np.zeros(near.shape[1], dtype=bool), np.array([centre])
    reached[centre] = True
    while len(latest):
        points = np.flatnonzero((to_centre < 0) & near[:, latest].any(axis=1))
        if not len(points):
            break
        to_centre[points] = latest[np.argmax(near[np.ix_(points, latest)], axis=1)]
        with_free = points[free[points] > 0]
        if len(with_free):
            return _traced(int(with_free[0]), to_centre, by_point)
        holds = given[points] > 0
        latest = np.flatnonzero(holds.any(axis=0) & ~reached)
        by_point[latest] = points[np.argmax(holds[:, latest], axis=0)]
        reached[latest] = True
    return None


def _traced(point: int, to_centre: Ints, by_point: Ints) -> list[tuple[int, int]]:
    """Return the path from a point with free rows back to the centre that needs some."""
    path = [(point, int(to_centre[point]))]
    while by_point[path[-1][1]] >= 0:
        point = int(by_point[path[-1][1]])
        path.append((point, int(to_centre[point])))
    return path


def _shift(given: Ints, free: Ints, path: list[tuple[int, int]], needed: int) -> int:
    """Move as many rows as can go along a path; return how many.

    The first centre takes free rows of the first point; in return it gives up rows of the next point, and so on.
    """
    passed_on = [(point, giver) for (_, giver), (point, _) in pairwise(path)]
    rows = min(needed, int(free[path[0][0]]), *(int(given[place]) for place in passed_on))
    free[path[0][0]] -= rows
    for place in path:
        given[place] += rows
    for place in passed_on:
        given[place] -= rows
    return rows
