"""Swapping records of one fragment between classes that then are narrower (compiled).

A swap inside a fragment leaves unchanged how many records each class takes from each fragment, so whatever follows
from these numbers holds on. Swapping records with equal sensitive values changes nothing that a model sees.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.methods.t_closeness.fragmentation.width import BLOCKS, RANGE

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

MOST_ROWS = 64
"""Rows above which one row seldom makes a class narrower."""


@njit(cache=True, nogil=True)
def width_of(members, start, end, widths, seen, tick):
    """Return what a row of a class loses: the sum over the attributes of the loss of the cell around its rows."""
    codes, shapes, sizes, starts, blocks, losses = widths
    total = 0.0
    for j in range(len(shapes)):
        first, size, base = codes[members[start], j], sizes[j], starts[j]
        if shapes[j] == BLOCKS:
            level = base
            for at in range(start + 1, end):
                other = codes[members[at], j]
                while blocks[level + other] != blocks[level + first]:
                    level += size
            total += losses[level + first]
        elif shapes[j] == RANGE:
            low, high, missing = np.inf, -np.inf, False
            for at in range(start, end):
                place = losses[base + codes[members[at], j]]
                if np.isnan(place):
                    missing = True
                else:
                    low, high = min(low, place), max(high, place)
            if high >= low:
                total += high - low
                if missing:
                    total += 1.0 / max(size - 1, 1)
        else:
            tick[0] += 1
            different = 0
            for at in range(start, end):
                value = codes[members[at], j]
                if seen[value] != tick[0]:
                    seen[value] = tick[0]
                    different += 1
            total += (different - 1) * losses[base]
    return total


@njit(cache=True, nogil=True)
def swap_rows(order, ends, reach, labels, members, begins, widths):
    """Swap rows with those up to `reach` places on in `order`, up to the end of their fragment, where that pays.

    `members` holds the rows of each class from `begins`; both it and `labels` are changed. Returns how many swaps.
    """
    slots = np.empty(len(members), np.int64)
    for at in range(len(members)):
        slots[members[at]] = at
    codes, seen, tick = widths.codes, np.zeros(widths.sizes.max(), np.int64), np.zeros(1, np.int64)
    wide = np.empty(len(begins) - 1)
    for one in range(len(wide)):
        wide[one] = width_of(members, begins[one], begins[one + 1], widths, seen, tick)
    swaps = 0
    for at in range(len(order)):
        for on in range(at + 1, min(at + 1 + reach, ends[at])):
            i, j = order[at], order[on]
            a, b = labels[i], labels[j]
            many_a, many_b = begins[a + 1] - begins[a], begins[b + 1] - begins[b]
            if a == b or many_a > MOST_ROWS or many_b > MOST_ROWS:
                continue
            equal = True
            for column in range(codes.shape[1]):
                if codes[i, column] != codes[j, column]:
                    equal = False
                    break
            if equal:
                continue
            members[slots[i]], members[slots[j]] = j, i
            wide_a = width_of(members, begins[a], begins[a + 1], widths, seen, tick)
            wide_b = width_of(members, begins[b], begins[b + 1], widths, seen, tick)
            gained = (wide[a] - wide_a) * many_a + (wide[b] - wide_b) * many_b
            if gained > 1e-9:
                slots[i], slots[j] = slots[j], slots[i]
                labels[i], labels[j] = b, a
                wide[a], wide[b] = wide_a, wide_b
                swaps += 1
            else:
                members[slots[i]], members[slots[j]] = i, j
    return swaps
