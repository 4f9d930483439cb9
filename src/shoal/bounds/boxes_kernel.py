"""Boxes of rows: what a union of two boxes costs a row, and how far a row is from a box (compiled).

A box is a line of words: first bits, one for each value of a set and for each missing number, then the least place of
each number, then its greatest place with the sign turned. So a union is OR of the bits and the less of the rest.

`shape` says what boxes cost: (words of bits, words of a box, what no cell costs), the pieces of words that are sets as
(word, mask, cost of a value), and the numbers as (word, mask, cost of the missing value, cost of the whole column).
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, assignment"

NOWHERE = 1 << 50
"""The least and the turned greatest place of no number at all."""


@njit(cache=True, makes_arrays=False)
def bits_in(word):
    """Return how many bits of a word are set."""
    x = np.uint64(word)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, makes_arrays=False)
def joined_cost(ones, i, others, j, head, pieces, numbers):
    """Return what a row pays for the union of box i of some and box j of others."""
    total, i, j = -head[2], np.uintp(i), np.uintp(j)  # numbers without a sign are looked up faster
    for p in range(np.uintp(len(pieces))):
        w = np.uintp(pieces[p, 0])
        total += bits_in((ones[i, w] | others[j, w]) & pieces[p, 1]) * pieces[p, 2]
    for q in range(np.uintp(len(numbers))):
        low = np.uintp(head[0]) + q
        high = low + np.uintp(len(numbers))
        width = -min(ones[i, low], others[j, low]) - min(ones[i, high], others[j, high])
        if width >= 0:
            if numbers[q, 1]:
                w = np.uintp(numbers[q, 0])
                if (ones[i, w] | others[j, w]) & numbers[q, 1]:
                    width += numbers[q, 2]
            total += min(width, numbers[q, 3])
    return total


@njit(cache=True, makes_arrays=False)
def join(boxes, i, others, j, head):
    """Let box i of some take in box j of others."""
    i, j = np.uintp(i), np.uintp(j)
    for w in range(np.uintp(head[0])):
        boxes[i, w] |= others[j, w]
    for w in range(np.uintp(head[0]), np.uintp(head[1])):
        boxes[i, w] = min(boxes[i, w], others[j, w])


@njit(cache=True, makes_arrays=False)
def clear(boxes, i, head):
    """Make a box that holds nothing."""
    i = np.uintp(i)
    for w in range(np.uintp(head[0])):
        boxes[i, w] = 0
    for w in range(np.uintp(head[0]), np.uintp(head[1])):
        boxes[i, w] = NOWHERE


@njit(cache=True, makes_arrays=False, forceinline=True)
def costs_without_each(listed, many, points, of_row, t, working, head, pieces, numbers, costs):
    """Work out what a row pays for the box of some listed rows without each of them, and with point t in its place.

    A bit that two rows have stays whichever of them leaves, and where the row with the least place leaves, the second
    least is the least: so two boxes, the second and the third line of `working`, say all.
    """
    once, twice, t = np.uintp(1), np.uintp(2), np.uintp(t)
    clear(working, once, head)
    clear(working, twice, head)
    for i in range(many):
        u = np.uintp(of_row[np.uintp(listed[i])])
        for w in range(np.uintp(head[0])):
            working[twice, w] |= working[once, w] & points[u, w]
            working[once, w] |= points[u, w]
        for w in range(np.uintp(head[0]), np.uintp(head[1])):
            working[twice, w] = min(working[twice, w], max(working[once, w], points[u, w]))
            working[once, w] = min(working[once, w], points[u, w])
    for i in range(many):
        u, total = np.uintp(of_row[np.uintp(listed[i])]), -head[2]
        for p in range(np.uintp(len(pieces))):
            w = np.uintp(pieces[p, 0])
            word = working[twice, w] | (working[once, w] & ~points[u, w]) | points[t, w]
            total += bits_in(word & pieces[p, 1]) * pieces[p, 2]
        for q in range(np.uintp(len(numbers))):
            low = np.uintp(head[0]) + q
            high = low + np.uintp(len(numbers))
            least = working[twice if points[u, low] == working[once, low] else once, low]
            most = working[twice if points[u, high] == working[once, high] else once, high]
            width = -min(least, points[t, low]) - min(most, points[t, high])
            if width >= 0:
                if numbers[q, 1]:
                    w = np.uintp(numbers[q, 0])
                    if (working[twice, w] | (working[once, w] & ~points[u, w]) | points[t, w]) & numbers[q, 1]:
                        width += numbers[q, 2]
                total += min(width, numbers[q, 3])
        costs[i] = total


@njit(cache=True, makes_arrays=False)
def least_distance(points, i, boxes, j, head, pieces, numbers):
    """Return a number that no point of box j is nearer to point i than."""
    total, low = np.int64(0), head[0]
    for p in range(len(pieces)):
        w = pieces[p, 0]
        own = points[i, w] & pieces[p, 1]
        if own and not own & boxes[j, w]:
            total += pieces[p, 2]
    high = low + len(numbers)
    for q in range(len(numbers)):
        place, extra, cap = points[i, low + q], numbers[q, 2], numbers[q, 3]
        has_gone = (boxes[j, numbers[q, 0]] & numbers[q, 1]) != 0
        if place == NOWHERE:
            total += 0 if has_gone else min(extra, cap)
            continue
        least, most = boxes[j, low + q], -boxes[j, high + q]
        apart = max(least - place, place - most, 0) if least <= most else extra
        total += min(apart, extra, cap) if has_gone else min(apart, cap)
    return total
