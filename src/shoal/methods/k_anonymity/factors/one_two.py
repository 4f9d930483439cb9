"""The least [1,2]-factor of a metric: the cheapest edges that give every vertex one or two."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.k_anonymity.factors.matching import heaviest_matching


def least_one_two_factor(apart: Ints) -> tuple[int, list[list[int]]]:
    """Return the weight of a least [1,2]-factor, and its parts: pairs, and paths of three, the middle one first.

    Guarantees the least weight where `apart` is a metric, that is `apart[a, c] <= apart[a, b] + apart[b, c]`.

    No gadget is needed then. A least edge cover is never heavier, having one condition less, and its components are
    stars. Two edges of a star of three leaves or more can be given up for the one between their leaves, which is no
    longer than both, until there are one or two leaves. In a cover, pairs of a matching pay their edge and everybody
    else the way to the nearest vertex: so the least cover is that of the matching which saves most, an edge saving
    what its ends would have paid above its own weight. Edges that save nothing are left out.

    >>> line = np.array([0, 1, 10, 12, 13])
    >>> least_one_two_factor(abs(line[:, None] - line))
    (4, [[0, 1], [3, 4, 2]])
    """
    nearest, least = _nearest(apart)
    ends = _saving(apart, least)
    saved = least[ends].sum(axis=1) - apart[ends[:, 0], ends[:, 1]]
    joined = nearest.copy()
    pairs = heaviest_matching(len(apart), ends, saved)
    joined[pairs[:, 0]], joined[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    parts = [part for star in _stars(apart, joined) for part in _split(apart, star)]
    return sum(int(apart[one, other]) for one, *others in parts for other in others), parts


def _nearest(apart: Ints) -> tuple[Ints, Ints]:
    """Return the nearest other vertex of each, the first of those equally near, and how far it is."""
    others = apart.copy()
    np.fill_diagonal(others, np.iinfo(np.int64).max)
    nearest = others.argmin(axis=1)
    return nearest, others[np.arange(len(apart)), nearest]


def _saving(apart: Ints, least: Ints) -> Ints:
    """Return the ends of the edges that cost less than their ends would pay apart."""
    saves = np.triu(apart < least[:, None] + least, 1)
    ends: Ints = np.argwhere(saves)
    return ends


def _stars(apart: Ints, joined: Ints) -> list[list[int]]:
    """Return the stars, centre first, that are left of a cover when every edge between two others' ends is given up.

    Each vertex is joined to one; that are all edges, the longest looked at first.
    """
    edges = {(min(pair), max(pair)) for pair in enumerate(joined.tolist())}
    degree = np.bincount(np.array(sorted(edges)).ravel(), minlength=len(joined)).tolist()
    leaves: dict[int, list[int]] = {}
    for one, other in sorted(edges, key=lambda edge: (-int(apart[edge]), edge)):
        if degree[one] > 1 and degree[other] > 1:
            degree[one], degree[other] = degree[one] - 1, degree[other] - 1
        else:
            centre, leaf = (one, other) if degree[other] == 1 else (other, one)
            leaves.setdefault(centre, []).append(leaf)
    return [[centre, *leaves[centre]] for centre in sorted(leaves)]


def _split(apart: Ints, star: list[int]) -> list[list[int]]:
    """Return a star as pairs and at most one path of three: of three leaves the farthest is paired with the nearest.

    Leaves equal to the centre are nearest, so a vertex that has copies shares a part with one of them only.
    """
    centre, *leaves = star
    leaves.sort(key=lambda leaf: (int(apart[centre, leaf]), leaf))
    outside = (len(leaves) - 1) // 2
    pairs = [[leaves[place], leaves[-1 - place]] for place in range(outside)]
    return [[centre, *leaves[outside : len(leaves) - outside]], *pairs]
