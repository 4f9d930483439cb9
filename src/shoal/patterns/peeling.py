"""Peeling the cube: covering rows by patterns, small regret first (compiled).

The regret of a pattern is what it costs a row minus the mean price of the uncovered rows that match it. Limits of
regret rise step by step; at each, nodes are walked from the cheapest, and every pattern of small enough regret takes a
large part of its uncovered rows that the requirements admit, provided that the rows still uncovered would be admitted
as a class, too: so at any moment those can be published as the all-star class, and nothing has to be repaired.

It is a lazy greedy choice: a node is walked again only when the least regret that was seen there comes up. Rows that
are covered leave the arrays, so that most walks are short.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit
from shoal.patterns.admit import meets, shrink
from shoal.patterns.checks import Rules
from shoal.patterns.grid import Grid, Numbering, number_blocks, numbering, paid_by
from shoal.patterns.kernels import copy_into, gather, rising, with_room

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class Uncovered(NamedTuple):
    """The types that have uncovered rows, in the first places; as they leave, the others move up."""

    grid: Grid
    rules: Rules
    left: Ints
    """How many rows of each are uncovered."""
    prices: Ints
    origin: Ints
    """Which type of the table each is."""


class Tally(NamedTuple):
    """Rows by attribute and value: those uncovered, and as working memory those of a class and those wanted of it."""

    rest: Ints
    counted: Ints
    wanted: Ints

    @classmethod
    def of(cls, counts: Ints, rules: Rules) -> Tally | None:
        """Return the tally of all rows; None where no model reads values: then nothing about them is compiled."""
        if not len(rules.lines):
            return None
        rest = np.zeros(rules.shares.shape, np.int64)
        for line, codes in zip(rest, rules.codes, strict=True):
            np.add.at(line, codes, counts)
        return cls(rest, np.zeros_like(rest), np.zeros_like(rest))


class Groups(NamedTuple):
    """Working memory for the groups at a node."""

    numbering: Numbering
    rows: Ints
    worth: Floats
    example: Ints
    members: Ints


@njit(cache=True, nogil=True)
def peel_types(grid, levels, counts, prices, step, steps, rules, tally, stop):
    """Return the pieces of all classes, (type, class, copies); each class's node; and what is left of each type.

    `levels` are those of the nodes, the cheapest first. The limit of regret rises from `step` on by as much, so often
    as `steps` says; the last limit is none. `stop[0]` is set from outside to end early.
    """
    number = len(counts)
    rows = _uncovered(grid, counts, prices, rules)
    groups = Groups(
        numbering(number),
        np.empty(number, np.int64),
        np.empty(number),
        np.empty(number, np.int64),
        np.empty(number, np.int64),
    )
    pieces, node_of = np.empty((2 * number + 16, 3), np.int64), np.empty(number + 16, np.int64)
    made, classes, active, remaining = 0, 0, number, counts.sum()
    due = np.zeros(len(levels), np.int64)
    for now in range(steps + 1):
        limit = (now + 1) * step if now < steps else np.inf
        for node in range(len(levels)):
            if due[node] > now:
                continue
            if active == 0 or stop[0]:
                return pieces[:made], node_of[:classes], _left(rows, active, number)
            found, least = _choose(rows, active, levels[node], limit, groups)
            due[node] = max(now + 1, int(min(least / step, steps)))
            if found == 0:
                continue
            starts, before = gather(groups.numbering.group[:active], found, groups.members), classes
            for g in range(found):
                mine = groups.members[starts[g] : starts[g + 1]]
                taken = rows.left[mine]
                if len(mine) == 0 or not _may_go(mine, taken, remaining, rows, tally):
                    continue
                remaining -= taken.sum()
                pieces, node_of = with_room(pieces, made + len(mine)), with_room(node_of, classes + 1)
                made = _take(mine, taken, classes, rows, pieces, made)
                node_of[classes] = node
                classes += 1
            if classes > before:
                active = _moved_up(rows, active)
    return pieces[:made], node_of[:classes], _left(rows, active, number)


@njit(cache=True)
def _uncovered(grid, counts, prices, rules):
    """Return all types, none of them covered, in arrays of their own."""
    own = Grid(grid.codes.copy(), grid.starts, grid.blocks, grid.losses, grid.widths)
    read = Rules(rules.rows, rules.codes.copy(), rules.shares, rules.lines, rules.edges, rules.weights)
    return Uncovered(own, read, counts.copy(), prices.copy(), np.arange(len(counts)))


@njit(cache=True)
def _left(rows, active, number):
    """Return how many rows of each type of the table are uncovered."""
    left = np.zeros(number, np.int64)
    for t in range(active):
        left[rows.origin[t]] = rows.left[t]
    return left


@njit(cache=True)
def _choose(rows, active, levels, limit, groups):
    """Group the types at a node; those in groups of too few rows or too much regret get the group -1.

    Returns how many groups there are, 0 where none is chosen; and the least regret of those with enough rows that are
    not, infinite where there is none.
    """
    number = number_blocks(rows.grid, levels, active, groups.numbering)
    group, size, worth, example = groups.numbering.group, groups.rows, groups.worth, groups.example
    left, prices = rows.left, rows.prices
    size[:number] = 0
    worth[:number] = 0
    for t in range(active):
        g = group[t]
        size[g] += left[t]
        worth[g] += left[t] * prices[t]
        example[g] = t
    some, least = False, np.inf
    for g in range(number):
        if size[g] < rows.rules.rows:
            size[g] = -1
            continue
        regret = paid_by(rows.grid, levels, example[g]) - worth[g] / size[g]
        if regret <= limit:
            some = True
        else:
            least, size[g] = min(least, regret), -1
    for t in range(active if some else 0):
        if size[group[t]] < 0:
            group[t] = -1
    return number if some else 0, least


@njit(cache=True)
def _take(mine, taken, c, rows, pieces, made):
    """Give the rows taken to a class; return how many pieces there are then."""
    for i in range(len(mine)):
        if taken[i]:
            rows.left[mine[i]] -= taken[i]
            pieces[made, 0], pieces[made, 1], pieces[made, 2] = rows.origin[mine[i]], c, taken[i]
            made += 1
    return made


@njit(cache=True)
def _moved_up(rows, active):
    """Let types that are covered leave, and the others move up; return how many there are then."""
    codes, read, left, prices, origin = rows.grid.codes, rows.rules.codes, rows.left, rows.prices, rows.origin
    kept = 0
    for t in range(active):
        if left[t] == 0:
            continue
        if kept < t:
            left[kept], prices[kept], origin[kept] = left[t], prices[t], origin[t]
            for j in range(len(codes)):
                codes[j, kept] = codes[j, t]
            for a in range(len(read)):
                read[a, kept] = read[a, t]
        kept += 1
    return kept


@njit(cache=True)
def _may_go(mine, taken, remaining, rows, tally):
    """Cut a group to a part that is admitted, and take note of it if the rows that remain would be admitted, too."""
    if tally is None:  # the compiler leaves out the rest
        after = remaining - taken.sum()
        return after == 0 or after >= rows.rules.rows
    if not _reduce(mine, taken, rows.prices, rows.rules, tally):
        return False
    if not _leaves(mine, taken, remaining - taken.sum(), rows.rules, tally):
        return False
    copy_into(tally.rest, tally.wanted)
    return True


@njit(cache=True)
def _leaves(mine, taken, remaining, rules, tally):
    """Whether nothing remains once these rows are taken, or what remains (now wanted) would be admitted as a class."""
    rest, counted, wanted = tally
    _count(mine, taken, rules.codes, counted)
    for a in range(len(rest)):
        for v in range(rest.shape[1]):
            wanted[a, v] = rest[a, v] - counted[a, v]
    return remaining == 0 or (remaining >= rules.rows and meets(rules, wanted))


@njit(cache=True)
def _reduce(mine, taken, prices, rules, tally):
    """Cut a group to a part that meets every check, in turn until nothing changes; False where that fails."""
    for _ in range(4):
        clean = True
        for d in range(len(rules.lines)):
            a = int(rules.lines[d, 1])
            _count(mine, taken, rules.codes, tally.counted)
            counted, wanted = tally.counted[a], tally.wanted[a]
            copy_into(wanted, counted)
            if not shrink(rules, d, wanted, tally.rest[a]):
                return False
            if wanted.sum() < counted.sum():
                clean = False
                _cut(mine, taken, prices, rules.codes[a], counted, wanted)
        if taken.sum() < rules.rows:
            return False
        if clean:
            return True
    _count(mine, taken, rules.codes, tally.counted)
    return meets(rules, tally.counted)


@njit(cache=True)
def _count(mine, taken, codes, counted):
    """Count the rows taken, by attribute and value."""
    counted[:] = 0
    for a in range(len(codes)):
        for i in range(len(mine)):
            counted[a, codes[a, mine[i]]] += taken[i]


@njit(cache=True)
def _cut(mine, taken, prices, codes, counted, wanted):
    """Give back rows of the values of which there are too many, the cheapest first."""
    order = rising(prices[mine])
    for i in order:
        v = codes[mine[i]]
        spare = min(taken[i], counted[v] - wanted[v])
        if spare > 0:
            taken[i] -= spare
            counted[v] -= spare
