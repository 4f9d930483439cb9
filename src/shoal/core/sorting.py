"""Sorting rows by whole numbers from 0: numbers and places packed into one word, which processors sort fastest."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import AnyInts, Ints

WORD = 62
"""Bits of a word that may be filled."""


def order_by(*keys: AnyInts) -> Ints:
    """Return the places sorted by some keys, the last one first in importance; equal ones in the order they have.

    The same as `np.lexsort`, and three times as fast where keys and places fit into one word.

    >>> order_by(np.array([1, 0, 0, 1]), np.array([0, 1, 0, 0])).tolist()
    [2, 0, 3, 1]
    """
    places = len(keys[0])
    low = max(places - 1, 1).bit_length()
    bits = [int(key.max(initial=0)).bit_length() for key in keys]
    if sum(bits) + low > WORD or any(key.min(initial=0) < 0 for key in keys):
        return np.lexsort(keys)
    word = keys[-1].astype(np.int64)
    for key, width in zip(keys[-2::-1], bits[-2::-1], strict=True):
        word <<= width
        word |= key
    word <<= low
    word |= np.arange(places)
    word.sort()
    word &= (1 << low) - 1
    return word


def runs(key: Ints) -> tuple[Ints, Ints]:
    """Return the places that sort a key, and where each distinct number begins among them.

    >>> [found.tolist() for found in runs(np.array([7, 3, 7]))]
    [[1, 0, 2], [0, 1]]
    """
    order = order_by(key)
    return order, np.flatnonzero(np.diff(key[order], prepend=-1))
