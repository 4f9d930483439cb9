"""Classes of one record from every bucket: buckets of equal size are dealt out."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.t_closeness.fragmentation.distance_bound import Sizes

ROUNDS = 12
"""How often centres are moved at most."""
CHUNK = 1_000_000
"""Numbers that are worked out at a time."""


def dealt(bucket_of_row: Ints, classes: int) -> Sizes:
    """Return sizes of so many classes: from every bucket one record each; the first ones take what is left over.

    >>> sizes = dealt(np.array([0, 0, 0, 1, 1]), 2)
    >>> sizes.rows.tolist(), sizes.counts.tolist()
    ([3, 2], [2, 1, 1, 1])
    """
    rows = np.bincount(bucket_of_row)
    each = rows[None, :] // classes + (np.arange(classes)[:, None] < rows % classes)
    owner, bucket = np.indices(each.shape)
    return Sizes.of(owner.ravel(), bucket.ravel(), each.ravel(), classes)


def in_order(order: Ints, buckets: int) -> Ints:
    """Return the bucket of each row where rows are cut, in an order, into buckets of equal size.

    >>> in_order(np.array([3, 1, 0, 2]), 2).tolist()
    [1, 0, 1, 0]
    """
    bucket = np.empty(len(order), dtype=np.int64)
    bucket[order] = np.arange(len(order)) * buckets // len(order)
    return bucket


def balanced(points: Floats, counts: Ints, buckets: int, rng: np.random.Generator) -> Ints:
    """Return how many of each point's records go to each bucket: near its centre, the buckets of equal size.

    Centres are those of k-means, started far apart. Then the nearest pairs of point and centre are served first.
    """
    apart = _apart(points, _means(points, counts, buckets, rng))
    left, room = counts.copy(), np.bincount(in_order(np.arange(int(counts.sum())), buckets), minlength=buckets)
    share = np.zeros(apart.shape, dtype=np.int64)
    nearest = np.argsort(apart, axis=None, kind="stable")
    for start in range(0, len(nearest), CHUNK):
        point, bucket = np.divmod(nearest[start : start + CHUNK], buckets)
        open_ = (left[point] > 0) & (room[bucket] > 0)
        for one, other in zip(point[open_].tolist(), bucket[open_].tolist(), strict=True):
            taken = min(int(left[one]), int(room[other]))
            share[one, other] = taken
            left[one] -= taken
            room[other] -= taken
    return share


def _apart(points: Floats, centres: Floats) -> Floats:
    """Return the squared distance of each point from each centre; few points at a time, to hold no more than that."""
    apart = np.empty((len(points), len(centres)))
    step = max(CHUNK // max(centres.size, 1), 1)
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        apart[part] = ((points[part, None] - centres) ** 2).sum(axis=2)
    return apart


def _means(points: Floats, counts: Ints, buckets: int, rng: np.random.Generator) -> Floats:
    """Return the centres of k-means, each first one chosen far from those before."""
    centres = points[[rng.choice(len(points), p=counts / counts.sum())]]
    least = np.full(len(points), np.inf)
    while len(centres) < buckets:
        least = np.minimum(least, _apart(points, centres[-1:])[:, 0])
        apart = least * counts
        chance = apart / apart.sum() if apart.sum() > 0 else counts / counts.sum()
        centres = np.vstack([centres, points[[rng.choice(len(points), p=chance)]]])
    for _ in range(ROUNDS):
        nearest = _apart(points, centres).argmin(axis=1)
        rows = np.bincount(nearest, weights=counts, minlength=buckets)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, points * counts[:, None])
        centres = np.where(rows[:, None] > 0, sums / np.maximum(rows, 1)[:, None], centres)
    return centres
