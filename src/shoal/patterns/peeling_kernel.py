"""Peeling the cube: covering rows by patterns, small regret first (compiled; see `peeling`).

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

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.compiler import njit
from shoal.patterns.admit import meets, shrink
from shoal.patterns.checks import Rules
from shoal.patterns.grid import Grid, Numbering, number_blocks, numbering, paid_by
from shoal.patterns.kernels import copy_into, gather, rising, with_room

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

COUNTED = 8
"""How many looks at a type it takes, about, to count its values for the models."""


class Uncovered(NamedTuple):
    """The types that have uncovered rows, in the first places; as they leave, the others move up."""

    grid: Grid
    rules: Rules
    left: Ints
    """How many rows of each are uncovered."""
    prices: Ints
    origin: Codes
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
    example: Codes
    members: Ints

    @classmethod
    def of(cls, types: int) -> Groups:
        """Return memory for so many types."""
        rows, members = np.empty(types, np.int64), np.empty(types, np.int64)
        return cls(numbering(types), rows, np.empty(types), np.empty(types, np.int32), members)


class Regret(NamedTuple):
    """Limits of regret: they rise from `step` on by as much, so often as `steps` says; the last limit is none."""

    step: float
    steps: int


class Walk(NamedTuple):
    """Where the walk over the nodes stands."""

    now: int
    """How many limits of regret were used up."""
    active: int
    """How many types have uncovered rows."""
    remaining: int
    """How many rows those are."""
    made: int
    """How many pieces there are."""
    classes: int
    """How many classes there are."""
    looks: int
    """How often types may still be looked at, each at each node that is walked; where none is left, it ends."""


class Pieces(NamedTuple):
    """What was taken, with room for more."""

    lines: Codes
    """Type, class and copies of each piece."""
    nodes: Codes
    """The node of each class."""

    @classmethod
    def of(cls, types: int) -> Pieces:
        """Return room for the pieces of so many types, if none is cut."""
        return cls(np.empty((types + 16, 3), np.int32), np.empty(types // 4 + 16, np.int32))


@njit(cache=True, nogil=True)
def walk_nodes(rows, levels, regret, tally, groups, walk, pieces, due, stop):
    """Cover rows, limit by limit of regret and node by node; return where it stands then, and the pieces.

    `levels` are those of the nodes, the cheapest first. `due` says at which limit each is looked at next. `stop[0]` is
    set from outside to end early.
    """
    for now in range(walk.now, regret.steps + 1):
        limit = limit_at(regret, now)
        for node in range(len(levels)):
            if due[node] > now:
                continue
            if walk.active == 0 or walk.looks <= 0 or stop[0]:
                return walk, pieces
            walk = _looked(walk)
            found, least = choose(rows, walk.active, levels[node], limit, groups)
            due[node] = max(now + 1, first_limit(regret, least))
            if found:
                walk, pieces = take_groups(rows, node, found, tally, groups, walk, pieces)
    return walk, pieces


@njit(cache=True)
def _looked(walk):
    """Return where the walk stands once the active types were looked at."""
    return Walk(walk.now, walk.active, walk.remaining, walk.made, walk.classes, walk.looks - walk.active)


@njit(cache=True)
def limit_at(regret, now):
    """Return a limit of regret; infinite where there is none."""
    return (now + 1) * regret.step if now < regret.steps else np.inf


@njit(cache=True)
def first_limit(regret, least):
    """Return which limit is the first that a regret is not above."""
    return int(min(max(np.ceil(least / regret.step) - 1, 0), regret.steps))


@njit(cache=True, nogil=True)
def take_groups(rows, node, found, tally, groups, walk, pieces):
    """Make classes of the groups chosen at a node, as far as they may go; covered types leave."""
    lines, nodes = pieces
    now, active, remaining, made, classes, looks = walk
    starts, before = gather(groups.numbering.group[:active], found, groups.members), classes
    values = 0 if tally is None else tally.rest.size // COUNTED
    for g in range(found):
        mine = groups.members[starts[g] : starts[g + 1]]
        taken = rows.left[mine]
        looks -= COUNTED * len(mine) + values
        if len(mine) == 0 or not _may_go(mine, taken, remaining, rows, tally):
            continue
        remaining -= taken.sum()
        lines, nodes = with_room(lines, made + len(mine)), with_room(nodes, classes + 1)
        made = _take(mine, taken, classes, rows, lines, made)
        nodes[classes] = node
        classes += 1
    if classes > before:
        active = _moved_up(rows, active)
    return Walk(now, active, remaining, made, classes, looks), Pieces(lines, nodes)


@njit(cache=True, nogil=True)
def choose(rows, active, levels, limit, groups):
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
    if not reduce_class(mine, taken, rows.prices, rows.rules, tally):
        return False
    if not leaves_admitted(mine, taken, remaining - taken.sum(), rows.rules, tally):
        return False
    copy_into(tally.rest, tally.wanted)
    return True


@njit(cache=True)
def leaves_admitted(mine, taken, remaining, rules, tally):
    """Whether nothing remains once these rows are taken, or what remains (now wanted) would be admitted as a class."""
    rest, counted, wanted = tally
    _count(mine, taken, rules.codes, counted)
    for a in range(len(rest)):
        for v in range(rest.shape[1]):
            wanted[a, v] = rest[a, v] - counted[a, v]
    return remaining == 0 or (remaining >= rules.rows and meets(rules, wanted))


@njit(cache=True)
def reduce_class(mine, taken, prices, rules, tally):
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
