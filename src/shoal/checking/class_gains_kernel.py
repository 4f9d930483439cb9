"""The checker's own search for the class that gains most around a row, in whole numbers (compiled).

A box is a line of whole numbers: the least and the greatest place of each number, whether a missing one is among them,
the sets of other values as bits, and what these sets cost. Costs are rounded down: a class is taken to pay no more than
it does. The state of the search is a box, the kinds of rows inside it, and a list of kinds that may join; the others
are left out for good. `most_gain` has the argument.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

NONE = -(1 << 62)
DEEPEST = 60
"""Boxes inside each other, at most."""


class Table(NamedTuple):
    """Kinds of rows: places of numbers (-1: missing), word and bit of other values, price, rows, sensitive values."""

    places: Ints
    words: Ints
    bits: Ints
    prices: Ints
    rows: Ints
    values: Ints


class Costs(NamedTuple):
    """What cells cost: of numbers the missing value besides, and at most; of another column one value more."""

    missing: Ints
    most: Ints
    steps: Ints


class Branches(NamedTuple):
    """A tree over the kinds: where those of a branch begin and end, its first part (-1: none), its box."""

    begin: Ints
    end: Ints
    part: Ints
    boxes: Ints


class Needs(NamedTuple):
    """Rows of any class, rows of the largest class that need be looked at (0: any), values by attribute."""

    rows: int
    most: int
    values: Ints


class Memory(NamedTuple):
    """Working memory: lists of kinds with what each costs to join, boxes, and for each box where its list lies."""

    kinds: Ints
    costs: Ints
    boxes: Ints
    lists: Ints
    inside: Ints
    reached: Ints
    values: Ints
    open: Ints

    @classmethod
    def of(cls, table: Table, width: int, needs: Needs, branches: int) -> Memory:
        """Return memory for a table."""
        number = len(table.rows)
        room = max(number + 1, 1 << 18)
        return cls(
            *(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros((DEEPEST + 2, width), np.int64)),
            *(np.zeros((DEEPEST + 2, 5), np.int64), np.zeros(number + 1, np.int64), np.zeros(number + 2, np.int64)),
            *(np.zeros(int(needs.values.max(initial=0)) + 2, np.int64), np.zeros(branches + 2, np.int64)),
        )


@njit(cache=True, makes_arrays=False)
def joining(box, kind, table, costs):
    """Return what a row pays for a box with a kind of row in it."""
    numbers = table.places.shape[1]
    total = box[len(box) - 1]
    for c in range(table.bits.shape[1]):
        if not box[3 * numbers + table.words[kind, c]] & table.bits[kind, c]:
            total += costs.steps[c]
    for q in range(numbers):
        place, low, high, gone = table.places[kind, q], box[3 * q], box[3 * q + 1], box[3 * q + 2]
        if place < 0:
            gone = 1
        else:
            low, high = min(low, place), max(high, place)
        if low <= high:
            total += min(max(high - low - 1, 0) + gone * costs.missing[q], costs.most[q])
    return total


@njit(cache=True, makes_arrays=False)
def holds(box, kind, table):
    """Whether a kind of row is inside a box."""
    numbers = table.places.shape[1]
    for q in range(numbers):
        place = table.places[kind, q]
        if box[3 * q + 2] == 0 if place < 0 else not box[3 * q] <= place <= box[3 * q + 1]:
            return False
    held = True
    for c in range(table.bits.shape[1]):
        held &= (box[3 * numbers + table.words[kind, c]] & table.bits[kind, c]) != 0
    return held


@njit(cache=True, makes_arrays=False)
def take_in(box, kind, table, costs):
    """Let a box hold a kind of row."""
    numbers = table.places.shape[1]
    for q in range(numbers):
        place = table.places[kind, q]
        if place < 0:
            box[3 * q + 2] = 1
        else:
            box[3 * q], box[3 * q + 1] = min(box[3 * q], place), max(box[3 * q + 1], place)
    for c in range(table.bits.shape[1]):
        word = 3 * numbers + table.words[kind, c]
        if not box[word] & table.bits[kind, c]:
            box[word] |= table.bits[kind, c]
            box[len(box) - 1] += costs.steps[c]


@njit(cache=True, makes_arrays=False)
def empty_box(box, table, costs):
    """Make a box that holds nothing; the first value of each column will cost nothing."""
    numbers = table.places.shape[1]
    box[:] = 0
    for q in range(numbers):
        box[3 * q], box[3 * q + 1] = 1 << 60, -1
    box[len(box) - 1] = -costs.steps.sum()


@njit(cache=True)
def boxes_of(order, begin, end, table, costs, width):
    """Return the box of every branch."""
    boxes = np.zeros((len(begin), width), np.int64)
    for branch in range(len(begin)):
        empty_box(boxes[branch], table, costs)
        for i in range(begin[branch], end[branch]):
            take_in(boxes[branch], order[i], table, costs)
    return boxes


@njit(cache=True, makes_arrays=False)
def _apart(kind, box, table, costs):
    """Return a number that no kind of row in a box is nearer than to a kind of row."""
    numbers, total = table.places.shape[1], np.int64(0)
    for c in range(table.bits.shape[1]):
        if not box[3 * numbers + table.words[kind, c]] & table.bits[kind, c]:
            total += costs.steps[c]
    for q in range(numbers):
        place = table.places[kind, q]
        if place >= 0:
            apart = max(box[3 * q] - place - 1, place - box[3 * q + 1] - 1, 0)
            if box[3 * q + 2]:
                apart = min(apart, costs.missing[q])
            total += min(apart, costs.most[q])
    return total


@njit(cache=True, makes_arrays=False)
def _listed(first, order, tree, table, costs, memory):
    """List the kinds that come before `first` in rank and are nearer than its price; return how many, -1: no room.

    A kind of higher price has the higher rank, of equal price the one of higher number.
    """
    limit, waiting, number = table.prices[first], 1, 0
    memory.open[0] = 0
    while waiting:
        waiting -= 1
        branch = memory.open[waiting]
        if _apart(first, tree.boxes[branch], table, costs) >= limit:
            continue
        if tree.part[branch] >= 0:
            memory.open[waiting], memory.open[waiting + 1] = tree.part[branch], tree.part[branch] + 1
            waiting += 2
            continue
        for i in range(tree.begin[branch], tree.end[branch]):
            kind = order[i]
            is_before = table.prices[kind] < limit or (table.prices[kind] == limit and kind < first)
            if is_before and joining(memory.boxes[0], kind, table, costs) < limit:
                if number == len(memory.kinds):
                    return -1
                memory.kinds[number] = kind
                number += 1
    return number


@njit(cache=True, makes_arrays=False)
def _by_cost(kinds, costs, begin, end):
    """Sort a list by what its kinds cost, by heaps."""
    number = end - begin
    for stage in range(number // 2 - 1, -number, -1):
        root, size = (stage, number) if stage >= 0 else (0, number + stage)
        if stage < 0:
            last = begin + size
            kinds[begin], kinds[last] = kinds[last], kinds[begin]
            costs[begin], costs[last] = costs[last], costs[begin]
        while 2 * root + 1 < size:
            child = 2 * root + 1
            if child + 1 < size and costs[begin + child + 1] > costs[begin + child]:
                child += 1
            if costs[begin + root] >= costs[begin + child]:
                break
            a, b = begin + root, begin + child
            kinds[a], kinds[b], costs[a], costs[b] = kinds[b], kinds[a], costs[b], costs[a]
            root = child


@njit(cache=True, makes_arrays=False)
def _reach(reached, number, kind, prices):
    """Add a kind to those within reach, which are in falling order of their prices."""
    at = number
    while at > 0 and prices[reached[at - 1]] < prices[kind]:
        reached[at] = reached[at - 1]
        at -= 1
    reached[at] = kind
    return number + 1


@njit(cache=True, makes_arrays=False)
def _at_most(first, number, cost, table, needs, memory):
    """Return what a class of `first` and of kinds within reach gains at most if its rows pay a cost.

    By rows: those that gain, as many as may count, and the dearest of the others until there are enough. By values:
    those that gain, and the dearest row of values that are still missing.
    """
    own = table.prices[first] - cost
    gain, rows = own, 1
    for at in range(number):
        kind = memory.reached[at]
        worth, most = table.prices[kind] - cost, table.rows[kind] - (kind == first)
        room = needs.most - rows if needs.most else most
        many = min(most, room if worth > 0 else needs.rows - rows)
        if worth <= 0 and many <= 0:
            break
        gain, rows = gain + many * worth, rows + many
    if rows < needs.rows:
        return NONE
    for attribute in range(len(needs.values)):
        by_values, different, seen = own, 1, memory.values
        seen[0] = table.values[first, attribute]
        for at in range(number):
            kind = memory.reached[at]
            worth, value, known = table.prices[kind] - cost, table.values[kind, attribute], False
            for other in range(different):
                known |= seen[other] == value
            if not known and different < needs.values[attribute]:
                seen[different] = value
                different += 1
                by_values += min(worth, 0)
            elif worth <= 0 and different >= needs.values[attribute]:
                break
            if worth > 0:
                by_values += worth * (table.rows[kind] - (kind == first))
        if different < needs.values[attribute]:
            return NONE
        gain = min(gain, by_values)
    return gain


@njit(cache=True, makes_arrays=False)
def _surveyed(depth, first, table, needs, memory):
    """Return what the box gains, what a box around it can gain, where its list may end, and the dearest kind in it.

    A class with a kind pays what it costs to join, at least. So for every cost the kinds that cost no more are within
    reach of a class that pays it, and a class pays no less than the cost where its last kind comes within reach.
    """
    number = 0
    for place in range(memory.lists[depth, 2]):
        number = _reach(memory.reached, number, memory.inside[place], table.prices)
    begin, end = memory.lists[depth, 0], memory.lists[depth, 1]
    own = _at_most(first, number, memory.lists[depth, 3], table, needs, memory)
    most, last, dearest, chosen = np.int64(0), begin, begin, begin
    for place in range(begin, end):
        number = _reach(memory.reached, number, memory.kinds[place], table.prices)
        if table.prices[memory.kinds[place]] > table.prices[memory.kinds[dearest]]:
            dearest = place
        if place + 1 == end or memory.costs[place + 1] > memory.costs[place]:
            gain = _at_most(first, number, memory.costs[place], table, needs, memory)
            if gain > 0:
                last = place + 1
                if gain > most:
                    most, chosen = gain, dearest
    return own, most, last, chosen


@njit(cache=True, makes_arrays=False)
def _entered(depth, table, costs, memory):
    """Take the first kind of a list into a box of its own; return whether that box was not looked at before.

    It was if it holds a kind that was left out on the way.
    """
    begin, end, limit = memory.lists[depth, 0], memory.lists[depth, 1], table.prices[memory.inside[0]]
    box = memory.boxes[depth + 1]
    for place in range(len(box)):
        box[place] = memory.boxes[depth, place]
    take_in(box, memory.kinds[begin], table, costs)
    for above in range(depth + 1):
        for place in range(memory.lists[above, 4], memory.lists[above, 0]):
            if holds(box, memory.kinds[place], table):
                return False
    inside, number, start = memory.lists[depth, 2], end, end
    for place in range(begin, end):
        kind = memory.kinds[place]
        if holds(box, kind, table):
            memory.inside[inside] = kind
            inside += 1
            continue
        cost = joining(box, kind, table, costs)
        if cost < limit:
            memory.kinds[number], memory.costs[number] = kind, cost
            number += 1
    _by_cost(memory.kinds, memory.costs, start, number)
    below = memory.lists[depth + 1]
    below[0], below[1], below[2], below[3], below[4] = start, number, inside, memory.costs[begin], start
    return True


@njit(cache=True, makes_arrays=False)
def _begun(first, order, tree, table, costs, memory):
    """Begin with the box of one row; return whether there was room for what is near it."""
    empty_box(memory.boxes[0], table, costs)
    take_in(memory.boxes[0], first, table, costs)
    number, inside, begin = _listed(first, order, tree, table, costs, memory), 1, 0
    memory.inside[0] = first
    for place in range(number):
        kind = memory.kinds[place]
        if holds(memory.boxes[0], kind, table):
            memory.inside[inside] = kind
            inside += 1
        else:
            memory.kinds[begin], memory.costs[begin] = kind, joining(memory.boxes[0], kind, table, costs)
            begin += 1
    _by_cost(memory.kinds, memory.costs, 0, begin)
    top = memory.lists[0]
    top[0], top[1], top[2], top[3], top[4] = 0, begin, inside, 0, 0
    return number >= 0


@njit(cache=True, makes_arrays=False)
def _first_put(memory, begin, chosen):
    """Put a kind first in its list; the others keep their order."""
    kind, cost = memory.kinds[chosen], memory.costs[chosen]
    for place in range(chosen, begin, -1):
        memory.kinds[place], memory.costs[place] = memory.kinds[place - 1], memory.costs[place - 1]
    memory.kinds[begin], memory.costs[begin] = kind, cost


@njit(cache=True, makes_arrays=False)
def most_gain(first, order, tree, table, costs, needs, memory, patience):
    """Return a number that no class gains more than whose row of highest rank is of the kind `first`, and the steps.

    A class that gains pays less than the price of that row, so it lies nearer to it than that. Its box is reached from
    the row alone by taking in kinds of the class: the dearest that counts most is taken in, or left out for good. If a
    box can gain nothing, whatever it takes in of its list, it is left. After so many steps what is open counts.
    """
    if not _begun(first, order, tree, table, costs, memory):
        return table.prices[first] * (needs.most if needs.most else table.rows.sum()), np.int64(0)
    found, depth, steps, is_new = np.int64(0), 0, memory.lists[0, 1] + 1, True
    while depth >= 0:
        here = memory.lists[depth]
        own, most, last, chosen = _surveyed(depth, first, table, needs, memory)
        steps += here[1] - here[0] + 1
        if is_new:
            found = max(found, own)
        is_ended = steps > patience or depth == DEEPEST or 2 * last - here[0] > len(memory.kinds)
        if most <= found or is_ended:
            found, is_new = max(found, most), False
            depth -= 1
            if depth >= 0:
                memory.lists[depth, 0] += 1
            continue
        here[1] = last
        _first_put(memory, here[0], chosen)
        is_new = _entered(depth, table, costs, memory)
        if is_new:
            depth += 1
        else:
            here[0] += 1
    return found, steps


@njit(cache=True, nogil=True)
def gains_of(order, tree, table, costs, needs, memory, patience, total):
    """Return what `most_gain` says for every kind of a price above 0; each may take so many steps, and all a total."""
    gains, left = np.zeros(len(table.rows), np.int64), total
    for first in order:
        if table.prices[first] > 0:
            found = most_gain(first, order, tree, table, costs, needs, memory, min(patience, max(left, 0)))
            gains[first] = found[0]
            left -= found[1]
    return gains
