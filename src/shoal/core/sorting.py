"""Sorting and numbering rows by whole numbers from 0, packed into one word, which processors sort fastest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def distinct_rows(columns: Sequence[AnyInts], sizes: Sequence[int]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of some code columns in their lexicographic order.

    Returns the number of each row, the position of one row of each number, and how many rows have each number.
    Codes are packed into one integer; before that would overflow, what is packed so far is made dense again.

    >>> labels, first, counts = distinct_rows([np.array([1, 0, 1]), np.array([2, 5, 2])], [2, 6])
    >>> labels.tolist(), first.tolist(), counts.tolist()
    ([1, 0, 1], [1, 0], [1, 2])
    """
    return numbered_runs(packed(zip(columns, sizes, strict=True)))


def numbered_runs(key: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the distinct numbers of a key in order: that of each place, one place of each, and how many have it."""
    order, starts = runs(key)
    return _labels(order, starts), order[starts], np.diff(starts, append=len(key))


def packed(columns: Iterable[tuple[AnyInts, int]]) -> Ints:
    """Return one number for each row, in the lexicographic order of the rows of some code columns and their sizes.

    >>> packed([(np.array([1, 0, 1]), 2), (np.array([2, 5, 2]), 6)]).tolist()
    [8, 5, 8]
    """
    columns = iter(columns)  # one at a time is in memory
    first, span = next(columns)
    key = first.astype(np.int64)
    for codes, size in columns:
        if span * size >= 2**62:
            order, starts = runs(key)
            key, span = _labels(order, starts), len(starts)
        key *= size
        key += codes
        span *= size
    return key


def _labels(order: Ints, starts: Ints) -> Ints:
    """Return the number of the run that each place is in."""
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return labels
