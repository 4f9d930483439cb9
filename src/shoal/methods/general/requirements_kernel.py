"""What a class lacks of its requirements, from the sensitive values of its rows one by one (compiled).

Counts are made and unmade row by row, so that a class costs its rows whatever the number of values; only distances
along a line or a tree go through the domain. These loops propose classes; the models themselves decide, exactly.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.admit import TINY
from shoal.patterns.checks import DISTINCT, ENTROPY, EQUAL, RECURSIVE, SHARE

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

LINE, TREE = 6, 7
"""Closeness along a line of values, and up a tree."""
SPARSE = 4
"""How many times the square of its rows the values must be for a class to be measured by those that occur."""


@njit(cache=True, makes_arrays=False)
def shortfall(rows, many, rules):
    """Return how far the first `many` of some rows are from meeting all requirements of values; 0 if they do."""
    lacking = 0.0
    for d in range(len(rules.lines)):
        codes = rules.codes[int(rules.lines[d, 1])]
        for i in range(many):
            rules.counts[codes[rows[i]]] += 1
        lacking += _lacking(rows, many, codes, d, rules)
        for i in range(many):
            rules.counts[codes[rows[i]]] = 0
    return lacking


@njit(cache=True, makes_arrays=False)
def _lacking(rows, many, codes, d, rules):
    """Return how far counted values are from meeting one requirement."""
    kind, number, counts = int(rules.lines[d, 0]), rules.lines[d, 2], rules.counts
    shares = rules.shares[int(rules.lines[d, 1])]
    if kind == LINE and many * many > SPARSE * rules.lengths[d]:
        lacking = _along_line(counts, many, rules.along[d, :, : rules.lengths[d]]) - number
    elif kind == LINE:
        along = rules.along[d, :, : rules.lengths[d]]
        lacking = _between_values(rows, many, codes, along, rules.sorted) - number
    elif kind == TREE:
        levels = int(rules.lines[d, 3])
        lacking = _up_tree(counts, many, shares, rules.up[d], levels, rules.extra) - number
    elif kind == RECURSIVE:
        return _lacking_recursive(rows, many, codes, counts, number, int(rules.lines[d, 3]))
    else:
        lacking = _lacking_once(rows, many, codes, kind, number, counts, shares)
    return lacking if lacking > TINY else 0.0


@njit(cache=True, makes_arrays=False)
def _lacking_once(rows, many, codes, kind, number, counts, shares):
    """Return the same for what looks at each value that occurs once; counts are used up."""
    distinct, tallest, entropy, extra = 0, 0, 0.0, 0.0
    for i in range(many):
        value = codes[rows[i]]
        count = counts[value]
        if count == 0:
            continue
        counts[value] = 0
        distinct += 1
        tallest = max(tallest, count)
        if kind == ENTROPY:
            entropy -= count / many * np.log(count / many)
        elif kind == EQUAL:
            extra += max(0.0, count / many - shares[value])
    if kind == DISTINCT:
        return number - distinct
    if kind == SHARE:
        return number * tallest - many * (1 + TINY)
    return np.log(number) - entropy if kind == ENTROPY else extra - number


@njit(cache=True, makes_arrays=False)
def _lacking_recursive(rows, many, codes, counts, number, other):
    """Return the same for (c,l)-diversity: the commonest value beside the rest without the l - 1 commonest."""
    tallest, rest = 0, many
    for place in range(other - 1):
        value, most = codes[rows[0]], 0
        for i in range(many):
            if counts[codes[rows[i]]] > most:
                value, most = codes[rows[i]], counts[codes[rows[i]]]
        tallest = most if place == 0 else tallest
        rest -= most
        counts[value] = 0
    if other == 1:
        for i in range(many):
            tallest = max(tallest, counts[codes[rows[i]]])
    return 0.0 if tallest < number * rest else tallest - number * rest + 1.0


@njit(cache=True, makes_arrays=False)
def _along_line(counts, many, line):
    """Return the Earth Mover's Distance along a line, value by value; `line` has three rows, see `Requirements`."""
    rows, moved = 0, 0.0
    for v in range(line.shape[1] - 1):
        rows += counts[v]
        moved += (line[1, v + 1] - line[1, v]) * abs(rows / many - line[0, v])
    return moved


@njit(cache=True, makes_arrays=False)
def _between_values(rows, many, codes, line, values):
    """Return the same from one value that occurs to the next: there the table's share rises, and crosses once."""
    for i in range(many):
        value, at = codes[rows[i]], i
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value
    moved, start = 0.0, 0
    for i in range(many + 1):
        end = values[i] if i < many else line.shape[1] - 1
        low, high, share = start, end, i / many
        while low < high:
            middle = (low + high) // 2
            if line[0, middle] < share:
                low = middle + 1
            else:
                high = middle
        moved += share * (line[1, low] - line[1, start]) - (line[2, low] - line[2, start])
        moved += line[2, end] - line[2, low] - share * (line[1, end] - line[1, low])
        start = end
    return moved


@njit(cache=True, makes_arrays=False)
def _up_tree(counts, many, shares, up, levels, extra):
    """Return the Earth Mover's Distance up a tree."""
    moved = 0.0
    for level in range(levels):
        for v in range(len(shares)):
            extra[up[level, v]] += counts[v] / many - shares[v]
        for v in range(len(shares)):
            moved += abs(extra[v])
            extra[v] = 0.0
    return 0.5 * moved / levels
