"""Phases two and three of TP (Xiao, Yi and Tao 2010, section 5), compiled; what the paper leaves open is decided here.

A class Q is what is left of the rows of one tuple; R is the residue. h is the count of the commonest value, a *pillar*
a value with this count. Q is *thin* if |Q| = l h(Q), *conflicting* if it shares a pillar with R, and *dead* if it is
empty, or thin and conflicting. Every class stays l-eligible: |Q| >= l h(Q). R only grows.

The paper leaves open that a class can be empty, that a class can die because another one gave R a pillar, and that R
may be eligible in the middle of a round: classes are looked at when they are about to be used, and R after every class.
"""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.compiler import njit
from shoal.patterns.kernels import gather

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class Standing(NamedTuple):
    """The classes and R. Entry e is one value of one class; the entries of class i stand in `at`, commonest first."""

    starts: Ints
    """Where the entries of each class begin, and the end."""
    codes: Ints
    """The value of each entry."""
    counts: Ints
    """How many rows of the class have it."""
    owner: Ints
    """The class of each entry."""
    at: Ints
    """The entry at each place."""
    place: Ints
    """The place of each entry."""
    base: Ints
    """Where the steps of each class begin, and the end."""
    steps: Ints
    """`steps[base[i] + c]`: how many values of class i have a count of c or more (the paper's buckets, added up)."""
    sizes: Ints
    """|Q| of each class."""
    heights: Ints
    """h(Q) of each class."""
    residue: Ints
    """How many rows of R have each value."""
    total: Ints
    """|R| and h(R)."""


@njit(cache=True, nogil=True)
def lay_out(starts, codes, counts, residue):
    """Return how classes stand, given their values, counts and the counts of R; `counts` is worked on."""
    number, entries = len(starts) - 1, len(codes)
    owner, at, place = np.empty(entries, np.int64), np.empty(entries, np.int64), np.empty(entries, np.int64)
    sizes, heights = np.zeros(number, np.int64), np.zeros(number, np.int64)
    base = np.zeros(number + 1, np.int64)
    for i in range(number):
        for e in range(starts[i], starts[i + 1]):
            owner[e] = i
            sizes[i] += counts[e]
            heights[i] = max(heights[i], counts[e])
        base[i + 1] = base[i] + heights[i] + 1
    steps = np.zeros(base[number], np.int64)
    for e in range(entries):
        steps[base[owner[e]] + counts[e]] += 1
    for i in range(number):
        for c in range(heights[i] - 1, -1, -1):
            steps[base[i] + c] += steps[base[i] + c + 1]
    filled = steps.copy()
    for e in range(entries):
        i = owner[e]
        filled[base[i] + counts[e]] -= 1
        place[e] = starts[i] + filled[base[i] + counts[e]]
        at[place[e]] = e
    total = np.array([residue.sum(), residue.max()])
    return Standing(starts, codes, counts, owner, at, place, base, steps, sizes, heights, residue, total)


@njit(cache=True, nogil=True)
def move(s, e):
    """Move one row of an entry to R."""
    i, v, c = s.owner[e], s.codes[e], s.counts[e]
    step = s.base[i] + c
    last = s.starts[i] + s.steps[step] - 1
    other = s.at[last]
    s.at[s.place[e]], s.place[other] = other, s.place[e]
    s.at[last], s.place[e] = e, last
    s.steps[step] -= 1
    s.counts[e] -= 1
    s.sizes[i] -= 1
    if s.steps[step] == 0:
        s.heights[i] -= 1
    s.residue[v] += 1
    s.total[0] += 1
    s.total[1] = max(s.total[1], s.residue[v])


@njit(cache=True, nogil=True)
def pillars(s, i):
    """Return how many pillars a class has: they stand first."""
    return s.steps[s.base[i] + s.heights[i]]


@njit(cache=True, nogil=True)
def lower(s, i):
    """Move one row of each pillar of a class to R."""
    for _ in range(pillars(s, i)):
        move(s, s.at[s.starts[i] + pillars(s, i) - 1])


@njit(cache=True, nogil=True)
def is_eligible(s, l):
    """Whether R is l-eligible."""
    return s.total[0] >= l * s.total[1]


@njit(cache=True, nogil=True)
def is_dead(s, i, l):
    """Whether a class is empty, or thin and conflicting."""
    if s.sizes[i] > l * s.heights[i]:
        return False
    for place in range(s.starts[i], s.starts[i] + pillars(s, i)):
        if s.residue[s.codes[s.at[place]]] == s.total[1]:
            return True
    return s.sizes[i] == 0


@njit(cache=True, nogil=True)
def by_value(s):
    """Return the entries value by value, and where each value begins."""
    entries = np.empty(len(s.codes), np.int64)
    return entries, gather(s.codes, len(s.residue), entries)


@njit(cache=True, nogil=True)
def sparest(s, entries, first, end, l):
    """Return, of some entries, one of an alive class that gives R the fewest rows at once: a fat one gives one."""
    best, fewest = first, np.iinfo(np.int64).max
    for place in range(first, end):
        e = entries[place]
        i = s.owner[e]
        if s.counts[e] == 0 or is_dead(s, i, l):
            continue
        if s.sizes[i] > l * s.heights[i]:
            return e
        if pillars(s, i) < fewest:
            best, fewest = place, pillars(s, i)
    return entries[best]


@njit(cache=True, nogil=True)
def phase_two(s, l):
    """Feed R, the rarest of its values first, without raising h(R); return whether R is eligible then.

    As long as it is not, an alive class has a value that is no pillar of R: its l values or more cannot all be.
    Values wait in a list for each count in R, and are moved up when they are met. What is dead stays dead: R gains
    pillars only. Less than l rows from the end, classes are preferred that do not give R more than it needs; an
    l-eligible class that is not empty has l rows, so looking at all of them l times takes no longer than the table.
    """
    entries, starts = by_value(s)
    at, ends = starts[:-1].copy(), starts[1:]
    tall, level = s.total[1], 0
    waiting, after = np.full(tall + 1, -1, np.int64), np.full(len(s.residue), -1, np.int64)
    for v in range(len(s.residue) - 1, -1, -1):
        after[v], waiting[s.residue[v]] = waiting[s.residue[v]], v
    while not is_eligible(s, l):
        while level < tall and waiting[level] < 0:
            level += 1
        if level == tall:
            return False
        v = waiting[level]
        waiting[level] = after[v]
        if s.residue[v] == level:
            while at[v] < ends[v] and (s.counts[entries[at[v]]] == 0 or is_dead(s, s.owner[entries[at[v]]], l)):
                at[v] += 1
            if at[v] == ends[v]:
                continue
            e = entries[at[v]]
            if l * tall - s.total[0] < l:
                e = sparest(s, entries, at[v], ends[v], l)
            i = s.owner[e]
            if s.sizes[i] > l * s.heights[i]:
                move(s, e)
            else:
                lower(s, i)
        after[v], waiting[s.residue[v]] = waiting[s.residue[v]], v
    return True


@njit(cache=True, nogil=True)
def conflicts(s, i, wanted, narrow):
    """Count the pillars of a class that are wanted; `narrow` makes them the only ones that are."""
    found = 0
    for place in range(s.starts[i], s.starts[i] + pillars(s, i)):
        v = s.codes[s.at[place]]
        if wanted[v] > 0:
            found += 1
            wanted[v] += narrow
    if narrow:
        for v in range(len(wanted)):
            wanted[v] = max(wanted[v] - 1, 0)
    return found


@njit(cache=True, nogil=True)
def cover_pillars(s):
    """Return classes such that every pillar of R is no pillar of one of them: each time the one with the fewest left.

    This is greedy set cover, the sets being the pillars of R that are *not* pillars of a class.
    """
    wanted = (s.residue == s.total[1]).astype(np.int64)
    left = wanted.sum()
    picked = [0 for _ in range(0)]
    while left > 0:
        best, fewest = -1, left
        for i in range(len(s.sizes)):
            if s.sizes[i] > 0:
                found = conflicts(s, i, wanted, 0)
                if found < fewest:
                    best, fewest = i, found
        left = conflicts(s, best, wanted, 1)
        picked.append(best)
    return picked


@njit(cache=True, nogil=True)
def starve(s, i, l):
    """Move rows of a class to R, none of them a pillar of R, until it is dead or R is eligible; return whether R is."""
    while not is_eligible(s, l):
        if is_dead(s, i, l):
            return False
        if s.sizes[i] == l * s.heights[i]:
            lower(s, i)
            continue
        best = -1
        for e in range(s.starts[i], s.starts[i + 1]):
            if s.counts[e] > 0 and (best < 0 or s.residue[s.codes[e]] < s.residue[s.codes[best]]):
                best = e
        move(s, best)
    return True


@njit(cache=True, nogil=True)
def phase_three(s, l, over):
    """Go round until R is eligible; return whether it is. When time is `over`, classes are given up whole instead."""
    while not over[0]:
        for i in cover_pillars(s):
            lower(s, i)
            if is_eligible(s, l):
                return True
        for i in range(len(s.sizes)):
            if starve(s, i, l):
                return True
    for i in range(len(s.sizes)):
        while s.sizes[i] > 0 and not is_eligible(s, l):
            lower(s, i)
    return False
