"""Peeling rows that lie sorted: the rows of a group are neighbours, so a pattern is one look at each row (compiled).

A row is one word: what tells groups apart, the sensitive value (`width` bits), and the row's place (`low` bits).
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# ruff: noqa: E741 - l is the papers' name
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def next_group(words, begin, low, width, starts):
    """Find the group that begins at a place: return its end and its number of values, which begin at `starts`."""
    key, value, many, at = words[begin] >> (low + width), np.int64(-1), 0, begin
    while at < len(words) and words[at] >> (low + width) == key:
        if words[at] >> low != value:
            value = words[at] >> low
            starts[many] = at
            many += 1
        at += 1
    starts[many] = at
    return at, many


@njit(cache=True, nogil=True)
def height(starts, many, l):
    """Return the largest h with `sum min(count, h) >= l h`, of counts between `starts`; 0 for fewer than l values."""
    if many < l:
        return 0
    tall = 0
    for v in range(many):
        tall = max(tall, starts[v + 1] - starts[v])
    if l * tall <= starts[many] - starts[0]:
        return tall
    least, most = 1, tall - 1
    while least < most:
        middle = (least + most + 1) // 2
        if below(starts, many, middle) >= l * middle:
            least = middle
        else:
            most = middle - 1
    return least


@njit(cache=True, nogil=True)
def below(starts, many, h):
    """Return how many rows there are if no value has more than h."""
    rows = 0
    for v in range(many):
        rows += min(starts[v + 1] - starts[v], h)
    return rows


@njit(cache=True, nogil=True)
def take_groups(words, low, width, l, rest, class_of_row, classes):
    """Make an l-eligible class of every group of sorted rows that has one; return the number of classes then.

    `rest` counts the values of all rows without a class, which stay l-eligible themselves: a class takes no more than
    that allows. `class_of_row` and `rest` are changed.
    """
    starts, values = np.empty((1 << width) + 1, np.int64), np.empty(1 << width, np.int64)
    taken = np.zeros(len(rest), np.int64)
    places, left, begin = (1 << low) - 1, rest.sum(), 0
    while begin < len(words):
        begin, many = next_group(words, begin, low, width, starts)
        h = height(starts, many, l)
        if h == 0:
            continue
        for v in range(many):
            values[v] = (words[starts[v]] >> low) & ((1 << width) - 1)
            taken[values[v]] = min(starts[v + 1] - starts[v], h)
        size = spare(taken, values[:many], rest, left, l)
        for v in range(many):
            for at in range(starts[v], starts[v] + taken[values[v]] if size else 0):
                class_of_row[words[at] & places] = classes
            rest[values[v]] -= taken[values[v]] if size else 0
            taken[values[v]] = 0
        left -= size
        classes += size > 0
    return classes


@njit(cache=True, nogil=True)
def spare(taken, values, rest, left, l):
    """Lower what a class takes of its values until the rows left stay l-eligible; return its size, 0 if that fails.

    A class of T rows may take T if `T <= left - l (rest_v - taken_v)` for every value v, and must have T >= l taken_v.
    """
    while True:
        size, tall, most = 0, 0, left
        for v in values:
            size += taken[v]
            tall = max(tall, taken[v])
        for v in range(len(rest)):
            most = min(most, left - l * (rest[v] - taken[v]))
        if size <= most:
            return size if size >= l * tall else 0
        if most < l:
            return 0
        if most >= l * tall:
            break
        for v in values:
            taken[v] = min(taken[v], most // l)
    for v in values:
        room = (left - l * (rest[v] - taken[v]) - most) // l
        back = min(room, taken[v], size - most)
        taken[v] -= back
        size -= back
    return size if size <= most else 0


@njit(cache=True, nogil=True)
def without_class(words, low, class_of_row):
    """Return the words of rows that have no class; the others are overwritten."""
    kept, places = 0, (1 << low) - 1
    for word in words:
        if class_of_row[word & places] < 0:
            words[kept] = word
            kept += 1
    return words[:kept]
