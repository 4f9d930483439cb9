"""Offsets on sensitive values that no admitted class can earn (compiled): what share sets say about gains.

Rows have an offset that depends on their sensitive value alone. Where the offsets of no admitted class add up to more
than 0, a class gains no more than it does after them, so that v(p) may be worked out from gains after offsets; those
for several attributes add up. Offsets are found in floating point: those that suit a class of so many rows, for a
number of rows that is narrowed down. They are then lowered, all by the same, until they earn nothing, with a margin for
rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit
from shoal.patterns.kernels import largest, rising

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

CAPPED, SPREAD, ENTROPY = 0, 1, 2
"""Kinds of share sets: caps with a pool, a distance to the table, entropy."""
PASSES = 12
"""Numbers of rows that are tried at most."""
MARGIN = 1e-9
"""Offsets are lowered by this part of the largest, for rounding."""
NEVER = -1e300


class Shares(NamedTuple):
    """The share sets of a problem, as loops read them; shares are rounded up, distances and levels down."""

    kinds: Ints
    """Set by (kind, attribute)."""
    base: Floats
    """Set by value: the share up to which nothing is taken from the pool; for a distance, the table's share."""
    hard: Floats
    """Set by value: no share is above."""
    limit: Floats
    """Of each set: the pool, the distance, or the exponential of the entropy."""
    distances: Floats
    """Set by value by value."""


class Group(NamedTuple):
    """The members of a group, dearest first: rows, what one of them gains, and its value, numbered from 0."""

    rows: Floats
    gain: Floats
    value: Ints
    known: Ints
    """The attribute's value of each number."""


class Offer(NamedTuple):
    """Offsets by value, the rows of each member in the class that they suit, and whether there are too few rows."""

    offsets: Floats
    taken: Floats
    short: bool


@njit(cache=True)
def offset_gain(mine, cost, types, best):
    """Return the least of `best` and what a class gains after offsets, and how many rows of each member that takes."""
    counts, prices, demands, seen, _ = types
    shares = demands.shares
    gain, place = prices[mine] - cost, np.arange(len(mine))
    rows, taken = counts[mine].astype(np.float64), np.zeros(len(mine))
    for turn in range(2 * len(shares.kinds) if len(shares.kinds) > 1 else 1):
        s = turn % len(shares.kinds)
        group = _group(mine[place], rows[place], gain[place], demands.codes[shares.kinds[s, 1]], seen)
        offer = _best_offer(group, shares, s, float(demands.rows))
        highest = 4 * max(abs(group.gain[0]), abs(group.gain[-1]), 1.0)
        for i in range(len(place)):
            gain[place[i]] -= np.int64(np.floor(min(offer.offsets[group.value[i]], highest)))
        before = place
        place = rising(-gain)
        found = _filled_up(gain, place, counts[mine], demands.rows)
        if found < best:
            best = found
            for i in range(len(before)):
                taken[before[i]] = offer.taken[i]
        if best <= 0:
            return np.int64(0), taken
    return best, taken


@njit(cache=True)
def _filled_up(gain, place, counts, least):
    """All members that gain, filled up with the dearest others to the least number of rows."""
    total, took = np.int64(0), np.int64(0)
    for i in place:
        number = counts[i] if gain[i] > 0 else min(counts[i], least - took)
        if number <= 0:
            break
        total += number * gain[i]
        took += number
    return total if took >= least else np.int64(0)


@njit(cache=True)
def _group(types, rows, gain, codes, seen):
    """Number the values of a group in order of appearance."""
    value, known, different = np.empty(len(types), np.int64), np.empty(len(types), np.int64), 0
    for i in range(len(types)):
        code = codes[types[i]]
        if seen[code] == 0:
            known[different] = code
            different += 1
            seen[code] = different
        value[i] = seen[code] - 1
    for v in range(different):
        seen[known[v]] = 0
    return Group(rows, gain.astype(np.float64), value, known[:different])


@njit(cache=True)
def _best_offer(group, shares, s, least):
    """Return the best offsets found for a set."""
    kind, limit = shares.kinds[s, 0], shares.limit[s]
    best, left = Offer(np.zeros(len(group.known)), np.zeros(len(group.rows)), False), np.inf
    shapes = 1 if kind == CAPPED else 5
    base, hard = np.empty(len(group.known)), np.empty(len(group.known))
    apart = np.zeros((len(group.known), shares.distances.shape[2]))
    table = shares.base[s, : shares.distances.shape[2]]
    for v in range(len(group.known)):
        base[v], hard[v] = shares.base[s, group.known[v]], shares.hard[s, group.known[v]]
        if kind == SPREAD:
            apart[v] = shares.distances[s, group.known[v]]
    if kind == SPREAD:
        base = _nearest(apart, table)
    for shape in range(shapes):
        rule = Rule(kind, base, hard, limit, _steepness(group, kind, shape), apart, table)
        found, remains = _narrowed(group, rule, least)
        if remains < left:
            best, left = found, remains
    return best


class Rule(NamedTuple):
    """What the offsets of a group must meet: a share set, for the values of the group."""

    kind: int
    base: Floats
    hard: Floats
    limit: float
    steepness: float
    """What moving a row across distance 1 costs; or how much an offset raises a share by e times."""
    apart: Floats
    """For distances: value of the group by value of the table."""
    table: Floats
    """For distances: the table's shares."""


@njit(cache=True)
def _steepness(group, kind, shape):
    """Return the steepness of the shapes that are tried."""
    top = max(group.gain[0], 1.0)
    if kind == ENTROPY:
        return top / 2.0 ** (shape - 1)
    return (top - min(group.gain[-1], 0.0)) * 2.0 ** (shape - 3)


@njit(cache=True)
def _narrowed(group, rule, least):
    """Return the best offsets met while the number of rows is narrowed down, and what they leave.

    What a class of N rows gains is concave in N, and its slope is what the offsets that suit it earn: above 0, more
    rows gain more. The next number is where the tangents at both ends meet.
    """
    low, high = least, max(group.rows.sum(), least)
    offer = _suited(group, rule, low)
    down, total = _earned(rule, offer.offsets), _total(group, offer)
    if offer.short:  # then there are too few rows for any larger class, too
        return Offer(np.full(len(rule.base), 4 * max(group.gain[0], 1.0)), offer.taken, True), 0.0
    below = _lowered(offer.offsets, down)
    best, left = Offer(below, offer.taken, False), _left(group, below)
    if down <= 0:
        return best, left
    offer = _suited(group, rule, high)
    up, upper, short = _earned(rule, offer.offsets), _total(group, offer), offer.short
    above = _lowered(offer.offsets, up)
    remains = _left(group, above)
    if remains < left:
        best, left = Offer(above, offer.taken, short), remains
    if up >= 0 and not short:
        return best, left
    up = min(up, 0.0)
    for _ in range(PASSES):
        middle = (low + high) / 2
        if not short:
            meet = (upper - total + down * low - up * high) / (down - up)
            middle = min(max(meet, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        offer = _suited(group, rule, middle)
        earned, gained = _earned(rule, offer.offsets), _total(group, offer)
        if earned > 0 and not offer.short:
            low, down, total = middle, earned, gained
            below = _lowered(offer.offsets, earned)
        else:
            high, up, upper, short = middle, min(earned, 0.0), gained, offer.short
            above = _lowered(offer.offsets, earned)
        weight = down / (down - up)
        mean = below * (1 - weight) + above * weight
        for offsets in (_lowered(mean, _earned(rule, mean)), _lowered(offer.offsets, earned)):
            remains = _left(group, offsets)
            if remains < left:
                best, left = Offer(offsets, offer.taken, False), remains
        if left - (total if short else max(total, upper)) <= 1e-3 * left or high - low < 1e-3 * high:
            break
    return best, left


@njit(cache=True)
def _total(group, offer):
    """Return what the class that offsets suit gains."""
    total = 0.0
    for i in range(len(offer.taken)):
        total += group.gain[i] * offer.taken[i]
    return total


@njit(cache=True)
def _lowered(offsets, by):
    """Return offsets that are all lower by the same."""
    return offsets - by


@njit(cache=True)
def _left(group, offsets):
    """Return what the rows that still gain after offsets gain together."""
    left = 0.0
    for i in range(len(group.rows)):
        left += group.rows[i] * max(0.0, group.gain[i] - offsets[group.value[i]])
    return left


@njit(cache=True)
def _suited(group, rule, rows):
    """Return offsets that suit a class of so many rows, and the class; nobody has looked at what they earn."""
    if rule.kind == CAPPED:
        return _filled(group, rule, rows)
    if rule.kind == ENTROPY:
        return _tilted(group, rule, rows)
    return _proportional(group, rule, rows)


@njit(cache=True)
def earned_at_most(rule, worth):
    """Return what shares in a set without distances earn at most, at the best of some steepnesses."""
    if rule.kind == CAPPED:
        return _earned(rule, worth)
    best = largest(worth)
    spread = best + largest(-worth) + 1.0
    for shape in range(5):
        steep = Rule(rule.kind, rule.base, rule.hard, rule.limit, spread / 2.0**shape, rule.apart, rule.table)
        best = min(best, _earned(steep, worth))
    return best


@njit(cache=True)
def _earned(rule, offsets):
    """Return what offsets earn at most per row, with a margin for rounding."""
    if rule.kind == CAPPED:
        earned = _earned_capped(rule, offsets)
    elif rule.kind == ENTROPY:
        earned = _earned_tilted(rule, offsets)
    else:
        earned = _earned_apart(rule, offsets)
    return earned + MARGIN * largest(np.abs(offsets)) + 1.0


# Caps and a pool


@njit(cache=True)
def _filled(group, rule, rows):
    """Fill a class, dearest first: every value up to its base, then from the pool up to its cap.

    The offset of a value is what the first row gains that its cap leaves out; or the first that the empty pool leaves
    out, of any value, but no more than its own first row above the base; and no less than the last row taken. Where
    there are not so many rows, values that are used up get the offset at which the others earn nothing.
    """
    used, above, first = np.zeros(len(rule.base)), np.full(len(rule.base), NEVER), np.full(len(rule.base), NEVER)
    taken, left, pool, last = np.zeros(len(group.rows)), rows, rule.limit * rows, group.gain[0]
    empty = NEVER
    for i in range(len(group.rows)):
        v, count = group.value[i], group.rows[i]
        base = min(count, max(rule.base[v] * rows - used[v], 0.0))
        room = max(rule.hard[v] * rows - max(used[v], rule.base[v] * rows), 0.0)
        over = min(count - base, room, pool)
        take = min(base + over, left)
        taken[i], last = take, group.gain[i] if take > 0 else last
        pool, left, used[v] = pool - over, left - take, used[v] + take
        if base < count and above[v] == NEVER:
            above[v] = group.gain[i]
        if over < count - base:
            if over < room and empty == NEVER:
                empty = group.gain[i]
            elif over == room and first[v] == NEVER:
                first[v] = group.gain[i]
        if left <= 0:
            break
    for v in range(len(first)):
        first[v] = max(first[v], min(above[v], empty))
    if left > 1e-9 * rows:
        earned, mass = 0.0, 0.0
        for v in range(len(used)):
            if first[v] > NEVER:
                earned, mass = earned + used[v] / rows * first[v], mass + used[v] / rows
        last = -earned / max(1 - mass, 1e-9)
    highest = max(abs(group.gain[0]), abs(group.gain[-1]))
    return Offer(np.maximum(first, max(last, -2 * highest)), taken, left > 1e-9 * rows)


@njit(cache=True)
def _earned_capped(rule, offsets):
    """Fill values in falling order of offsets; where no shares fit there is no class, and offsets earn nothing."""
    mass, pool, earned = 1.0, rule.limit, 0.0
    for v in rising(-offsets):
        over = min(rule.hard[v] - rule.base[v], pool)
        share = min(rule.base[v] + over, mass)
        pool, mass, earned = pool - over, mass - share, earned + share * offsets[v]
        if mass <= 0:
            return earned
    return NEVER / 1e200 if mass > 1e-9 else earned + mass * largest(np.abs(offsets))


# Entropy


@njit(cache=True)
def _tilted(group, rule, rows):
    """Of value v as many rows as exp(offset / steepness) times the rows of one of `limit` equal shares."""
    offsets, used = np.full(len(rule.base), NEVER), np.zeros(len(rule.base))
    due = rows / rule.limit
    for i in range(len(group.rows)):
        v = group.value[i]
        used[v] += group.rows[i]
        offsets[v] = max(offsets[v], min(group.gain[i], np.log(used[v] / due) * rule.steepness))
    taken = np.zeros(len(group.rows))
    used[:] = 0
    for i in range(len(group.rows)):
        v = group.value[i]
        taken[i] = min(max(due * np.exp(min(offsets[v] / rule.steepness, 300.0)) - used[v], 0.0), group.rows[i])
        used[v] += group.rows[i]
    return Offer(np.maximum(offsets, -4 * max(abs(group.gain[0]), abs(group.gain[-1]))), taken, False)


@njit(cache=True)
def _earned_tilted(rule, offsets):
    """Return the logarithm of the sum of exponentials, less that of the level: no shares in the set earn more."""
    top = largest(offsets)
    powers = np.exp((offsets - top) / rule.steepness).sum()
    return top + (np.log(powers) - np.log(rule.limit)) * rule.steepness


# Distances


@njit(cache=True)
def _nearest(apart, table):
    """Return the share of the table whose nearest value in the group each is."""
    found = np.zeros(len(apart))
    for u in range(len(table)):
        nearest = 0
        for v in range(1, len(apart)):
            if apart[v, u] < apart[nearest, u]:
                nearest = v
        found[nearest] += table[u]
    return found


@njit(cache=True)
def _proportional(group, rule, rows):
    """Of every value the dearest rows, its share of them; offsets are raised to what neighbours' cost to be moved."""
    offsets, used, taken = np.full(len(rule.base), NEVER), np.zeros(len(rule.base)), np.zeros(len(group.rows))
    lowest = -2 * max(abs(group.gain[0]), abs(group.gain[-1]))
    for i in range(len(group.rows)):
        v = group.value[i]
        taken[i] = min(max(rule.base[v] * rows - used[v], 0.0), group.rows[i])
        used[v] += group.rows[i]
        if used[v] > rule.base[v] * rows and offsets[v] == NEVER:
            offsets[v] = group.gain[i]
    offsets = np.maximum(offsets, lowest)
    raised = offsets.copy()
    for v in range(len(offsets)):
        for w in range(len(offsets)):
            moved = offsets[w] - rule.steepness * rule.apart[v, group.known[w]]
            raised[v] = max(raised[v], moved)
    return Offer(raised, taken, False)


@njit(cache=True)
def _earned_apart(rule, offsets):
    """Return what transport duality allows: every value of the table goes to the best of the group."""
    earned = rule.steepness * rule.limit
    for u in range(len(rule.table)):
        best = NEVER
        for v in range(len(offsets)):
            best = max(best, offsets[v] - rule.steepness * rule.apart[v, u])
        earned += rule.table[u] * best
    return earned
