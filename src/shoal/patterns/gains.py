"""v(p), the most that an admitted class of each pattern p could gain at given prices (compiled).

The price bound is the prices less the sum of v(p) (docs/proof.md). Types come sorted by price, dearest first, so the
members of every group are met dearest first, and v(p) is found in one scan per model. All in integers; what is rounded
is rounded up. The scan also notes, where it is asked to, how many rows of each type it takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit
from shoal.patterns.demands import EQUAL, SCALE, SHARE, VALUES, Demands
from shoal.patterns.descent import begin, keep, next_level, split
from shoal.patterns.kernels import gather
from shoal.patterns.offsets import offset_gain

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

NOTHING = np.int64(-(2**62))
MUCH = np.int64(2**61)
"""Gains beyond this are not added up: they are more than all prices together, and prove nothing."""


class PricedTypes(NamedTuple):
    """The row types, dearest first, and what the models ask of a class of them."""

    counts: Ints
    prices: Ints
    demands: Demands
    seen: Ints
    """Working memory: by value, 0 between two scans."""
    taken: Floats
    """How many rows of each type the best classes take, added up over the patterns."""


class Read(NamedTuple):
    """What models read beyond rows; what they do not is None, and is not compiled."""

    values: bool | None
    """Sensitive values."""
    shares: bool | None
    """Their shares."""

    @classmethod
    def of(cls, demands: Demands) -> Read:
        """Return what demands read."""
        shares = len(demands.shares.kinds) > 0
        return cls(True if shares or len(demands.gains) else None, True if shares else None)


@njit(cache=True, nogil=True)
def lane_gains(grid, heights, counts, prices, demands, read, lane, lanes):
    """Return the sum of v(p) over all patterns p, how often each type was taken, and how often types were looked at.

    `read` says what models read (see `Read`).
    """
    number, depth, gained, looked = len(counts), 0, np.int64(0), np.int64(0)
    walk, gain = begin(grid, heights, number), np.empty(number, np.int64)
    rows = members = walk.below.key  # not needed once groups are numbered
    seen = np.zeros(demands.totals.shape[1] + 1, np.int64)
    types = PricedTypes(counts, prices, demands, seen, np.zeros(number))
    while depth >= 0:
        if depth == len(heights):
            gained = min(gained + _gained(walk, types, read, members), MUCH)
            depth -= 1
            continue
        level = next_level(walk, depth, lane, lanes)
        if level < 0:
            depth -= 1
            continue
        looked += walk.number[depth]
        groups = split(walk, depth, level)
        _judge(walk, depth, groups, types, rows, gain)
        if keep(walk, depth, groups, gain):
            depth += 1
    return gained, types.taken, looked


@njit(cache=True)
def _judge(walk, depth, groups, types, rows, gain):
    """Keep the groups that gain something by their number of rows: all dearer types, filled up with the dearest others.

    A class of a finer pattern has fewer rows to choose from, and pays more: it gains no more.
    """
    number, mine, group, paid = walk.number[depth], walk.types[depth], walk.below.group, walk.below_paid
    counts, prices, least = types.counts, types.prices, types.demands.rows
    rows[:groups] = 0
    gain[:groups] = 0
    for i in range(number):
        t, g = mine[i], group[i]
        extra = prices[t] - paid[g]
        if extra > 0 or rows[g] < least:
            taken = counts[t] if extra > 0 else min(counts[t], least - rows[g])
            rows[g] += taken
            gain[g] += taken * extra
    for g in range(groups):
        if rows[g] < least or gain[g] < 0:
            gain[g] = 0


@njit(cache=True)
def _gained(walk, types, read, members):
    """Return the sum of v(p) over the patterns of a node."""
    depth, gained = len(walk.heights), np.int64(0)
    number, groups, mine = walk.number[depth], walk.groups[depth], walk.types[depth]
    starts = gather(walk.group[depth][:number], groups, members)
    for place in range(number):
        members[place] = mine[members[place]]
    for g in range(groups):
        own = members[starts[g] : starts[g + 1]]
        gained = min(gained + gain_of_group(own, walk.paid[depth, g], types, read.values, read.shares), MUCH)
    return gained


@njit(cache=True)
def gain_of_group(mine, cost, types, values, shares):
    """Return the smallest of what the models allow a class of these members to gain, and note whom it takes."""
    if values is None:  # the compiler leaves out the rest
        return _gain_rows(mine, cost, types, True)
    best, which, detail = _gain_rows(mine, cost, types, False), -1, 0
    demands = types.demands.gains
    for d in range(len(demands)):
        if best <= 0:
            return np.int64(0)
        height = 0
        if demands[d, 0] == VALUES:
            value = _gain_values(mine, cost, types, d, False)
        elif demands[d, 0] == SHARE:
            value, height = _gain_share(mine, cost, types, d)
        elif demands[d, 0] == EQUAL:
            value = _gain_equal(mine, cost, types, d)
        else:
            value = _gain_metric(mine, cost, types, d)
        if value < best:
            best, which, detail = value, d, height
    if best <= 0:
        return np.int64(0)
    if shares is not None:
        value, taken = offset_gain(mine, cost, types, best)
        if value <= 0:
            return np.int64(0)
        if value < best:
            for i in range(len(mine)):
                types.taken[mine[i]] += taken[i]
            return value
    if which < 0:
        _gain_rows(mine, cost, types, True)
    elif demands[which, 0] == VALUES:
        _gain_values(mine, cost, types, which, True)
    elif demands[which, 0] == SHARE:
        _at_height(mine, cost, types, which, detail, True)
    else:
        _take_close(mine, types, which)
    return best


@njit(cache=True)
def _gain_rows(mine, cost, types, note):
    """All members dearer than the pattern, filled up with the dearest others to the least number of rows."""
    counts, prices, demands, _, taken = types
    gain, took, rows = np.int64(0), np.int64(0), demands.rows
    for t in mine:
        extra = prices[t] - cost
        number = counts[t] if extra > 0 else min(counts[t], rows - took)
        if number <= 0:
            break
        gain += number * extra
        took += number
        if note:
            taken[t] += number
    return gain if took >= rows else np.int64(0)


@njit(cache=True)
def _gain_values(mine, cost, types, d, note):
    """All members dearer than the pattern, and the dearest one of each of the `least` dearest values."""
    counts, prices, demands, seen, taken = types
    codes, least = demands.codes[demands.gains[d, 1]], demands.gains[d, 2]
    gain, different = np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        new = seen[codes[t]] == 0
        if new:
            seen[codes[t]] = 1
            different += 1
        if extra > 0:
            number = counts[t]
        elif new and different <= least:
            number = np.int64(1)
        elif different >= least:
            break
        else:
            continue
        gain += number * extra
        if note:
            taken[t] += number
    _forget(mine, codes, seen)
    return gain if different >= least else np.int64(0)


@njit(cache=True)
def _forget(mine, codes, seen):
    for t in mine:
        seen[codes[t]] = 0


@njit(cache=True)
def _gain_share(mine, cost, types, d):
    """The best over all heights of the commonest value, with the height; it is concave in the height."""
    low = np.int64(1)
    high = (1 + types.counts[mine].sum()) // types.demands.gains[d, 2] + 1
    while low < high:
        middle = (low + high) // 2
        here = _at_height(mine, cost, types, d, middle, False)
        if here > NOTHING and _at_height(mine, cost, types, d, middle + 1, False) > here:
            low = middle + 1
        else:
            high = middle
    return max(_at_height(mine, cost, types, d, low, False), np.int64(0)), low


@njit(cache=True)
def _at_height(mine, cost, types, d, height, note):
    """At most `height` members of each value, and at least `l * height` in all; NOTHING where there are too few."""
    counts, prices, demands, seen, taken = types
    codes, least = demands.codes[demands.gains[d, 1]], demands.gains[d, 2] * height
    gain, took = np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        number = min(counts[t], height - seen[codes[t]])
        if extra <= 0:
            number = min(number, least - took)
            if took >= least:
                break
        if number > 0:
            seen[codes[t]] += number
            gain += number * extra
            took += number
            if note:
                taken[t] += number
    _forget(mine, codes, seen)
    return gain if took >= least else NOTHING


@njit(cache=True)
def _value_worths(mine, cost, types, d, worth, order):
    """Find what the dearest member of each value gains (`worth`) and the values in that `order`, which is falling.

    Returns how many values there are, the rows of all members, and what those dearer than the pattern gain together.
    """
    counts, prices, demands, seen, _ = types
    codes = demands.codes[demands.gains[d, 1]]
    different, size, everything = 0, np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        size += counts[t]
        if extra > 0:
            everything += counts[t] * extra
        if seen[codes[t]] == 0:
            seen[codes[t]] = 1
            order[different] = codes[t]
            worth[codes[t]] = extra
            different += 1
    _forget(mine, codes, seen)
    return different, size, everything


@njit(cache=True)
def _gain_equal(mine, cost, types, d):
    """Rows times the gain of one: absent values' mass goes to the dearest value, then the cheapest values' up to t."""
    _, attribute, number, over = types.demands.gains[d]
    totals = types.demands.totals[attribute]
    total = totals.sum()
    worth, order = np.empty(len(totals), np.int64), np.empty(len(totals), np.int64)
    different, size, everything = _value_worths(mine, cost, types, d, worth, order)
    absent = total - totals[order[:different]].sum()
    left = number * total - over * absent
    if left < 0:
        return np.int64(0)
    highest = worth[order[0]]
    gain = over * absent * highest
    for v in order[:different]:
        gain += over * totals[v] * worth[v]
    for v in order[different - 1 : 0 : -1]:
        moved = min(left, over * totals[v])
        gain += moved * (highest - worth[v])
        left -= moved
    each = -((-gain) // (over * total))
    return min(max(each, 0) * size, everything)


@njit(cache=True)
def _gain_metric(mine, cost, types, d):
    """Rows times the gain of one, by transport duality at some multipliers; any of them bounds it.

    Multipliers that 64 bits would not hold are left out.
    """
    _, attribute, number, over = types.demands.gains[d]
    totals, distance = types.demands.totals[attribute], types.demands.distances[d]
    width = min(len(totals), len(distance))
    total = totals.sum()
    worth, order = np.full(width, NOTHING), np.empty(width, np.int64)
    different, size, everything = _value_worths(mine, cost, types, d, worth, order)
    best = worth[order[0]]
    spread = best - worth[order[different - 1]]
    largest = np.int64(2**60) // max(np.int64(2**SCALE), total, number)
    for step in range(-6, 7):
        if (spread >> (-step) if step < 0 else spread) > (largest if step < 0 else largest >> step):
            break
        factor = spread >> (-step) if step < 0 else spread << step
        gain = np.int64(0)
        for u in range(width):
            top = NOTHING
            for v in range(width):
                if worth[v] > NOTHING:
                    top = max(top, worth[v] - ((factor * distance[u, v]) >> SCALE))
            gain += totals[u] * top
        each = -((-gain) // total) - ((-factor * number) // over)
        best = min(best, each)
        if best <= 0:
            return np.int64(0)
    return min(best * size, everything)


@njit(cache=True)
def _take_close(mine, types, d):
    """The dearest member of each value stands for the value's mass."""
    counts, _, demands, seen, taken = types
    codes, totals = demands.codes[demands.gains[d, 1]], demands.totals[demands.gains[d, 1]]
    size, present = 0.0, 0.0
    for t in mine:
        size += counts[t]
        if seen[codes[t]] == 0:
            seen[codes[t]] = 1
            present += totals[codes[t]]
    for t in mine:
        if seen[codes[t]] == 1:
            seen[codes[t]] = 0
            taken[t] += size * totals[codes[t]] / present
