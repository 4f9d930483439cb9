"""The class around a row that gains most at given prices, by branch and bound over near rows (compiled).

A class gains the prices of its rows less what they pay for its box. Boxes are grown from one row, the *first*, by near
kinds of rows. What kinds cost to take in rises as a box grows; so a sweep over them, in the order of what they cost
now, says what a class can gain at most that ends at any cost: it has the dearest rows within reach. Kinds that cost
nothing more are inside. The dearest kind where a class could gain most is taken in, or it is left out of what follows:
then a box that holds it was looked at before.

A search that has looked at as many kinds as it may says what the boxes that it left open can gain at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.bounds.boxes_kernel import clear, join, joined_cost, least_distance
from shoal.bounds.kd_tree_kernel import Nodes
from shoal.core.arrays import Codes, Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

NEVER = -(1 << 62)
"""The gain of what is no class."""
GROWN = 48
"""Kinds that a box is grown by, one after the other, at most."""
MANY = 1 << 10
"""So many kinds within reach take twice as long to look at as their number says, where a class may have them all."""
ROOM = 1 << 18
"""Kinds in the lists of all boxes on the way together, at least."""


class Kinds(NamedTuple):
    """Kinds of rows, equal in tuple and in the values that are asked for; tuples lie in the order of a kd tree."""

    points: Ints
    """The tuples as boxes."""
    tuple_of: Codes
    first: Codes
    """The first kind of each tuple, and the end."""
    rows: Ints
    """How many rows are of a kind."""
    codes: Codes
    """Kind by attribute: the value."""


class Tree(NamedTuple):
    """The kd tree of the tuples, and the boxes of its nodes."""

    nodes: Nodes
    boxes: Ints
    head: Ints
    pieces: Ints
    numbers: Ints


class Asked(NamedTuple):
    """What every class must have: rows, rows beyond which it could be cut in two (0 if never), values by attribute."""

    least: int
    most: int
    values: Codes


class Pool(NamedTuple):
    """Classes that were found: what rows of each pay together, and their kinds with how many rows of each."""

    ends: Ints
    """For each class the end of its kinds; the first number is 0."""
    costs: Ints
    kinds: Codes
    rows: Codes
    filled: Ints
    """How many classes there are."""

    @classmethod
    def empty(cls, classes: int, kinds: int) -> Pool:
        """Return room for so many classes and kinds in them."""
        return cls(
            np.zeros(classes + 1, np.int64),
            np.zeros(classes, np.int64),
            np.zeros(kinds, np.int32),
            np.zeros(kinds, np.int32),
            np.zeros(1, np.int64),
        )


class Work(NamedTuple):
    """Working memory of a search."""

    kinds: Codes
    """Kinds that boxes may take in, the lists of all boxes on the way one after the other."""
    costs: Ints
    boxes: Ints
    frames: Ints
    """For each box on the way: where its list begins, the next to take in, its end; kinds inside; cost; free room."""
    inside: Codes
    top: Ints
    """(price, kind, rows) of what is within reach, dearest first."""
    seen: Ints
    """For each value the last list that it was seen in, and in the end how many lists there were."""
    waiting: Ints

    @classmethod
    def of(cls, kinds: Kinds, tree: Tree) -> Work:
        """Return working memory."""
        number = len(kinds.rows)
        room = max(number + 1, ROOM)
        return cls(
            np.zeros(room, np.int32),
            np.zeros(room, np.int64),
            np.zeros((GROWN + 2, kinds.points.shape[1]), np.int64),
            np.zeros((GROWN + 2, 6), np.int64),
            np.zeros(number + 1, np.int32),
            np.zeros((number + 2, 3), np.int64),
            np.zeros(int(kinds.codes.max(initial=0)) + 2, np.int64),
            np.zeros(len(tree.nodes.child) + 2, np.int64),
        )


@njit(cache=True, makes_arrays=False)
def _put(top, kept, price, kind, rows, room):
    """Put rows among those within reach, dearest first, the dearest `room` of them alone unless that is 0."""
    if rows <= 0:
        return kept
    at = kept
    while at > 0 and top[at - 1, 0] < price:
        top[at, 0], top[at, 1], top[at, 2] = top[at - 1, 0], top[at - 1, 1], top[at - 1, 2]
        at -= 1
    top[at, 0], top[at, 1], top[at, 2] = price, kind, rows
    kept += 1
    if room > 0:
        held = 0
        for place in range(kept):
            held += top[place, 2]
            if held >= room:
                top[place, 2] -= held - room
                return place + 1
    return kept


@njit(cache=True, makes_arrays=False)
def _gain_of_rows(top, kept, price, cost, asked):
    """Return what the first row, of this price, and the dearest rows within reach gain where rows pay a cost."""
    gain, taken = price - cost, 1
    for place in range(kept):
        worth, rows = top[place, 0] - cost, top[place, 2]
        if worth <= 0:
            rows = min(rows, asked.least - taken)
            if rows <= 0:
                break
        gain, taken = gain + rows * worth, taken + rows
    return gain if taken >= asked.least else NEVER


@njit(cache=True, makes_arrays=False)
def _new_list(seen):
    """Return the number of a list in which no value was seen yet."""
    seen[-1] += 1
    return seen[-1]


@njit(cache=True, makes_arrays=False)
def _gain_of_values(top, kept, first, price, cost, codes, attribute, least, seen):
    """The same for a class that has so many different values of an attribute."""
    gain, different, own = price - cost, 1, _new_list(seen)
    seen[codes[first, attribute]] = own
    for place in range(kept):
        worth, value = top[place, 0] - cost, codes[top[place, 1], attribute]
        is_new = different < least and seen[value] != own
        if is_new:
            seen[value] = own
            different += 1
        if worth > 0:
            gain += top[place, 2] * worth
        elif is_new:
            gain += worth
        elif different >= least:
            break
    return gain if different >= least else NEVER


@njit(cache=True, makes_arrays=False)
def _gain(top, kept, first, price, cost, kinds, asked, seen):
    """Return a number that no class of the first row and of rows within reach gains more than.

    A price below 0 stands for no prices: what counts then is the cost alone, below minus the price.
    """
    if price < 0:
        gain = -price - cost
        if _gain_of_rows(top, kept, 0, 0, asked) == NEVER:
            return NEVER
        for attribute in range(len(asked.values)):
            least = asked.values[attribute]
            if _gain_of_values(top, kept, first, 0, 0, kinds.codes, attribute, least, seen) == NEVER:
                return NEVER
        return gain
    gain = _gain_of_rows(top, kept, price, cost, asked)
    for attribute in range(len(asked.values)):
        if gain > 0:
            least = asked.values[attribute]
            gain = min(gain, _gain_of_values(top, kept, first, price, cost, kinds.codes, attribute, least, seen))
    return gain


@njit(cache=True, makes_arrays=False)
def _sorted(names, costs, start, end):
    """Sort a list by costs (Shell 1959)."""
    step = 1
    while 3 * step + 1 < end - start:
        step = 3 * step + 1
    while step > 0:
        for place in range(start + step, end):
            name, cost, at = names[place], costs[place], place
            while at >= start + step and costs[at - step] > cost:
                names[at], costs[at] = names[at - step], costs[at - step]
                at -= step
            names[at], costs[at] = name, cost
        step //= 3


@njit(cache=True, makes_arrays=False)
def _rotated(names, costs, at, chosen):
    """Let one of a list come first, and keep the order of the others."""
    name, cost = names[chosen], costs[chosen]
    for place in range(chosen, at, -1):
        names[place], costs[place] = names[place - 1], costs[place - 1]
    names[at], costs[at] = name, cost


@njit(cache=True, makes_arrays=False)
def _gathered(first, limit, prices, flat, kinds, tree, work):
    """List the kinds that are nearer to a kind than a limit, and no dearer than it; return how many there are.

    Of kinds of one price those that come first are the less dear. Returns -1 where there is no room.
    """
    nodes, boxes, head, pieces, numbers = tree
    own, many, number = kinds.tuple_of[first], 1, 0
    work.waiting[0] = 0
    while many:
        many -= 1
        node = work.waiting[many]
        if least_distance(kinds.points, own, boxes, node, head, pieces, numbers) >= limit:
            continue
        child = nodes.child[node]
        if child >= 0:
            work.waiting[many], work.waiting[many + 1] = child, child + 1
            many += 2
            continue
        for j in range(nodes.begin[node], nodes.end[node]):
            cost = joined_cost(kinds.points, own, kinds.points, j, head, pieces, numbers)
            if cost >= limit:
                continue
            for kind in range(kinds.first[j], kinds.first[j + 1]):
                if not flat and (prices[kind] > prices[first] or (prices[kind] == prices[first] and kind > first)):
                    continue
                if number == len(work.kinds):
                    return -1
                work.kinds[number], work.costs[number] = kind, cost
                number += kind != first
    return number


@njit(cache=True, makes_arrays=False)
def _inside(frame, first, flat, prices, kinds, room, work):
    """Lay out the rows inside a box, dearest first; return of how many kinds they are."""
    kept = 0
    for place in range(work.frames[frame, 3]):
        kind = work.inside[place]
        rows = kinds.rows[kind] - (kind == first)
        kept = _put(work.top, kept, np.int64(0) if flat else prices[kind], kind, rows, room)
    return kept


@njit(cache=True, makes_arrays=False)
def _swept(frame, first, price, best, prices, kinds, asked, work):
    """Return what the box gains, what a box that grows from it can gain at most, and the end of what is of use to it.

    A class that has a kind pays at least what it costs to take in.
    """
    room, flat = asked.most - 1 if asked.most else 0, price < 0
    kept = _inside(frame, first, flat, prices, kinds, room, work)
    begin, end = work.frames[frame, 1], work.frames[frame, 2]
    own = _gain(work.top, kept, first, price, work.frames[frame, 4], kinds, asked, work.seen)
    most, useful, dearest, chosen = np.int64(NEVER), begin, begin, begin
    for place in range(begin, end):
        kind, cost = work.kinds[place], work.costs[place]
        if not flat and prices[kind] > prices[work.kinds[dearest]]:
            dearest = place
        kept = _put(work.top, kept, np.int64(0) if flat else prices[kind], kind, kinds.rows[kind], room)
        if place + 1 < end and work.costs[place + 1] == cost:
            continue
        gain = _gain(work.top, kept, first, price, cost, kinds, asked, work.seen)
        if gain > best:
            useful = place + 1
            if gain > most:
                most, chosen = gain, dearest
            if flat:
                return own, most, end, begin
    return own, most, useful, chosen


@njit(cache=True, makes_arrays=False)
def _grown(frame, limit, kinds, tree, work):
    """Make the box of the next kind as the next frame; return whether it is to be looked at.

    It is not where a kind that was left out is inside it, or where there is no room.
    """
    _, _, head, pieces, numbers = tree
    at, end, start, box = work.frames[frame, 1], work.frames[frame, 2], work.frames[frame, 5], frame + 1
    clear(work.boxes, box, head)
    join(work.boxes, box, work.boxes, frame, head)
    join(work.boxes, box, kinds.points, kinds.tuple_of[work.kinds[at]], head)
    cost = work.costs[at]
    for before in range(frame + 1):
        for place in range(work.frames[before, 0], work.frames[before, 1]):
            kind = work.kinds[place]
            if joined_cost(work.boxes, box, kinds.points, kinds.tuple_of[kind], head, pieces, numbers) == cost:
                return False
    inside, number = work.frames[frame, 3], start
    work.inside[inside] = work.kinds[at]
    inside += 1
    for place in range(at + 1, end):
        kind = work.kinds[place]
        joined = joined_cost(work.boxes, box, kinds.points, kinds.tuple_of[kind], head, pieces, numbers)
        if joined == cost:
            work.inside[inside] = kind
            inside += 1
        elif joined < limit:
            work.kinds[number], work.costs[number] = kind, joined
            number += 1
    _sorted(work.kinds, work.costs, start, number)
    work.frames[box, 0], work.frames[box, 1], work.frames[box, 2] = start, start, number
    work.frames[box, 3], work.frames[box, 4], work.frames[box, 5] = inside, cost, number
    return True


@njit(cache=True, makes_arrays=False)
def _completed(top, kept, first, cost, kinds, asked, taken, seen):
    """Take the rows that gain, then the dearest others until there are enough values and rows."""
    rows = 1
    for place in range(kept):
        taken[place] = top[place, 2] if top[place, 0] > cost else 0
        rows += taken[place]
    for attribute in range(len(asked.values)):
        different, least, own = 1, asked.values[attribute], _new_list(seen)
        seen[kinds.codes[first, attribute]] = own
        for wanted in range(2):  # those that are taken first
            for place in range(kept):
                if different >= least or (taken[place] > 0) == (wanted == 1):
                    continue
                value = kinds.codes[top[place, 1], attribute]
                if seen[value] != own:
                    seen[value] = own
                    different += 1
                    rows += wanted
                    taken[place] += wanted
    for place in range(kept):
        more = min(top[place, 2] - taken[place], max(asked.least - rows, 0))
        taken[place] += more
        rows += more
    return rows


@njit(cache=True, makes_arrays=False)
def _kept(frame, first, price, prices, kinds, asked, work, pool):
    """Add the class of a box that gains most to the pool, if there is room."""
    flat, number = price < 0, pool.filled[0]
    kept = _inside(frame, first, flat, prices, kinds, asked.most - 1 if asked.most else 0, work)
    end, cost = pool.ends[number], work.frames[frame, 4]
    if number == len(pool.costs) or end + kept + 1 > len(pool.kinds):
        return
    taken = pool.rows[end + 1 :]
    rows = _completed(work.top, kept, first, np.int64(0) if flat else cost, kinds, asked, taken, work.seen)
    pool.kinds[end], pool.rows[end] = first, 1
    begin, end = end, end + 1
    for place in range(kept):
        if work.top[place, 1] == first:
            pool.rows[begin] += taken[place]
        elif taken[place] > 0:
            pool.kinds[end], pool.rows[end] = work.top[place, 1], taken[place]
            end += 1
    pool.costs[number], pool.ends[number + 1], pool.filled[0] = rows * cost, end, number + 1


@njit(cache=True, makes_arrays=False)
def _rooted(first, limit, prices, flat, kinds, tree, work):
    """Make the box of the first row alone; return whether there was room for what is near it."""
    number = _gathered(first, limit, prices, flat, kinds, tree, work)
    if number < 0:
        return False
    _sorted(work.kinds, work.costs, 0, number)
    clear(work.boxes, 0, tree.head)
    join(work.boxes, 0, kinds.points, kinds.tuple_of[first], tree.head)
    work.inside[0] = first
    inside = 1
    while inside <= number and work.costs[inside - 1] == 0:
        work.inside[inside] = work.kinds[inside - 1]
        inside += 1
    work.frames[0, 0], work.frames[0, 1], work.frames[0, 2] = inside - 1, inside - 1, number
    work.frames[0, 3], work.frames[0, 4], work.frames[0, 5] = inside, 0, number
    return True


@njit(cache=True, makes_arrays=False)
def most_gain(first, price, prices, kinds, tree, asked, work, pool, most_seen):
    """Return the most that a class gains whose dearest row is of the kind `first`, whether that is known to be reached,
    and how many kinds were looked at.

    A price below 0 asks for the least cost of any class with such a row, if it is below minus the price: then the gain
    is how much it is below. Each class that gains more than those before is added to the pool.
    """
    flat, limit = price < 0, abs(price)
    if not _rooted(first, limit, prices, flat, kinds, tree, work):
        return limit if flat else limit * (asked.most if asked.most else kinds.rows.sum()), False, np.int64(0)
    best, left_open, frame, seen, is_new = np.int64(0), np.int64(0), 0, work.frames[0, 2], True
    while frame >= 0:
        own, most, end, chosen = _swept(frame, first, price, best, prices, kinds, asked, work)
        places = work.frames[frame, 2] - work.frames[frame, 1]
        seen += 1 + places + (0 if asked.most else places * places // MANY)
        if is_new and own > best:
            best = own
            _kept(frame, first, price, prices, kinds, asked, work, pool)
        is_full = work.frames[frame, 5] + end - work.frames[frame, 1] > len(work.kinds) or frame == GROWN
        if most > best and (seen > most_seen or is_full):
            left_open = max(left_open, most)
            most = best
        if most <= best:
            frame -= 1
            is_new = False
            if frame >= 0:
                work.frames[frame, 1] += 1
            continue
        work.frames[frame, 2] = end
        _rotated(work.kinds, work.costs, work.frames[frame, 1], chosen)
        is_new = _grown(frame, limit - best if flat else limit, kinds, tree, work)
        if is_new:
            frame += 1
        else:
            work.frames[frame, 1] += 1
    return max(best, left_open), left_open <= best, seen


@njit(cache=True, nogil=True)
def all_gains(starts, prices, kinds, tree, asked, work, pool, most_seen, stop):
    """Return for every kind what `most_gain` says, whether the search ended, and how many kinds it looked at.

    `starts` has the price of the first row of each, or one below 0; nothing is asked of those with 0.
    """
    gains, ended, seen = np.zeros(len(starts), np.int64), np.ones(len(starts), np.bool_), np.int64(0)
    for first in range(len(starts)):
        if stop[0]:
            break
        if starts[first] != 0:
            found = most_gain(first, starts[first], prices, kinds, tree, asked, work, pool, most_seen)
            gains[first], ended[first] = found[0], found[1]
            seen += found[2]
    return gains, ended, seen


@njit(cache=True, nogil=True)
def near_boxes(near, kinds, tree, asked, work, most, stop):
    """Return for every kind the cost of a class of it and of near tuples, the cheapest taken in each time.

    `near` has the nearest tuples of each. Where they have too few rows or values, `most` is returned.
    """
    _, _, head, pieces, numbers = tree
    found, boxes, left, top = np.full(len(kinds.rows), most), work.boxes, near[0].copy(), work.top
    for first in range(len(kinds.rows)):
        if stop[0]:
            break
        own, cost, kept, taken = kinds.tuple_of[first], np.int64(0), 0, kinds.tuple_of[first]
        boxes[0], left[:] = kinds.points[own], near[own]
        for _ in range(len(left) + 1):
            for kind in range(kinds.first[taken], kinds.first[taken + 1]):
                kept = _put(top, kept, np.int64(0), kind, kinds.rows[kind] - (kind == first), 0)
            if _gain(top, kept, first, -most, cost, kinds, asked, work.seen) != NEVER:
                found[first] = min(cost, most)
                break
            place, cost = -1, np.int64(1) << 60
            for at in range(len(left)):
                if left[at] >= 0:
                    joined = joined_cost(boxes, 0, kinds.points, left[at], head, pieces, numbers)
                    if joined < cost:
                        place, cost = at, joined
            if place < 0:
                break
            taken, left[place] = left[place], -1
            join(boxes, 0, kinds.points, taken, head)
    return found
