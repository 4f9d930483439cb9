"""The ways to hand out the values of a class to its parts, and what they tell who knows when parts are joined.

A class of several parts, the people with equal quasi-identifiers, shows how often each value occurs in it, not in which
part. If parts are joined only where one of them, alone, would not be diverse enough, joining tells something: the ways
in which all parts are diverse enough are ruled out. If they are joined at random in some of those ways, too, it tells
less.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TypeAlias

Counts: TypeAlias = tuple[int, ...]


@lru_cache(maxsize=100_000)
def surer_than(sizes: Counts, counts: Counts, promised: Fraction) -> frozenset[tuple[int, int]]:
    """Return in parts of which size values of which count are more probable than 1 / `promised`.

    `sizes` are those of the parts of a class, `counts` say how often each of its values occurs. Of all ways to hand out
    the values to the people, those in which no part has a value in more than 1 / `promised` of its rows are left out.

    >>> sorted(surer_than((2, 5), (1, 1, 1, 1, 1, 2), Fraction(2)))
    [(2, 2)]
    """
    total, kept = _ways(counts, sizes), _kept(sizes, _caps(sizes, promised), counts)
    if kept == total:
        return frozenset()
    return frozenset(
        (size, count)
        for size, count, all_ways, diverse in _dealt_to_parts(sizes, counts, promised)
        if (all_ways - diverse) * promised > total - kept
    )


@lru_cache(maxsize=100_000)
def least_chance(sizes: Counts, counts: Counts, promised: Fraction) -> Fraction:
    """Return the least chance q of joining parts without need that leaves nobody surer than 1 / `promised`.

    With T ways in all, K of them diverse in every part, and a person who has a value in X of all ways and in D of the
    diverse ones, who sees the parts joined is sure by (X - D + q D) / (T - K + q K). That is at most 1 / promised from
    some q on: K >= promised * D, as a diverse part has no value more often, and at q = 1 it is the value's share of the
    class.

    >>> least_chance((2, 5), (1, 1, 1, 1, 1, 2), Fraction(2))
    Fraction(1, 10)
    """
    total, kept = _ways(counts, sizes), _kept(sizes, _caps(sizes, promised), counts)
    least = Fraction(0)
    for _, _, all_ways, diverse in _dealt_to_parts(sizes, counts, promised) if kept < total else ():
        short = (all_ways - diverse) * promised - (total - kept)
        if short > 0:
            least = max(least, short / (kept - diverse * promised))
    return least


def _caps(sizes: Counts, promised: Fraction) -> Counts:
    """Return how often a value may occur in each part."""
    return tuple(int(size / promised) for size in sizes)


def _dealt_to_parts(sizes: Counts, counts: Counts, promised: Fraction) -> Iterator[tuple[int, int, Fraction, Fraction]]:
    """Yield, part by part and value by value: size, count, and in how many ways a person of the part has the value.

    In how many of all ways, and in how many of those in which every part is diverse.
    """
    total, rows, caps = _ways(counts, sizes), sum(sizes), _caps(sizes, promised)
    for part, size in enumerate(sizes):
        rest = sizes[:part] + sizes[part + 1 :], caps[:part] + caps[part + 1 :]
        for value, count in enumerate(counts):
            dealt = _dealt(size, caps[part], counts, *rest, value)
            yield size, count, Fraction(count, rows) * total, Fraction(dealt, size)


def _ways(counts: Counts, sizes: Counts) -> int:
    """Return in how many ways values can be handed out to people."""
    left, ways = sum(sizes), 1
    for count in counts:
        ways, left = ways * comb(left, count), left - count
    return ways


def _draws(size: int, cap: int, counts: Counts) -> Iterator[tuple[Counts, int]]:
    """Return what one part may be dealt, no value more than `cap` times, and in how many ways among its people."""
    if not counts:
        if size == 0:
            yield (), 1
        return
    for taken in range(min(size, cap, counts[0]) + 1):
        for rest, ways in _draws(size - taken, cap, counts[1:]):
            yield (taken, *rest), ways * comb(size, taken)


@lru_cache(maxsize=200_000)
def _kept(sizes: Counts, caps: Counts, counts: Counts) -> int:
    """Return in how many ways values can be handed out to parts so that no part has one more often than its cap."""
    if not sizes:
        return 1
    drawn = _draws(sizes[0], caps[0], counts)
    return sum(ways * _kept(sizes[1:], caps[1:], _less(counts, taken)) for taken, ways in drawn)


def _dealt(size: int, cap: int, counts: Counts, sizes: Counts, caps: Counts, value: int) -> int:
    """Return how often a part is dealt a value, over all the ways that `_kept` counts."""
    drawn = _draws(size, cap, counts)
    return sum(taken[value] * ways * _kept(sizes, caps, _less(counts, taken)) for taken, ways in drawn)


def _less(counts: Counts, taken: Counts) -> Counts:
    return tuple(count - gone for count, gone in zip(counts, taken, strict=True))
