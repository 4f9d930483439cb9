"""What patterns could gain at given prices: the inner loop of the price bound (compiled).

Types come sorted by price, dearest first, so the members of every group are met dearest first, and the most that an
admitted class of a pattern could gain is found in one scan per model. All in integers; what is rounded is rounded up.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit, prange
from shoal.patterns.demands import EQUAL, SCALE, SHARE, VALUES
from shoal.patterns.kernels import find_slot, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

NOTHING = np.int64(-(2**62))
MUCH = np.int64(2**61)
"""Gains beyond this are not added up: they are more than all prices together, and prove nothing."""


@njit(cache=True, parallel=True)
def pattern_gains(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    counts,
    prices,
    codes,
    totals,
    demands,
    distances,
    rows,
    lanes,
):
    """Return what `lane_gains` does, for all nodes, several lanes at the same time."""
    taken = np.zeros((lanes, len(counts)))
    gained = np.zeros(lanes, np.int64)
    for lane in prange(lanes):
        gained[lane], taken[lane] = lane_gains(
            lefts,
            rights,
            widths,
            left_losses,
            right_losses,
            nodes,
            counts,
            prices,
            codes,
            totals,
            demands,
            distances,
            rows,
            lane,
            lanes,
        )
    return gained, taken.sum(axis=0)


@njit(cache=True)
def lane_gains(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    counts,
    prices,
    codes,
    totals,
    demands,
    distances,
    rows,
    lane,
    lanes,
):
    """Return the sum over all patterns of the most an admitted class could gain, and how often each type was taken.

    Of the nodes every `lanes`-th is looked at, from `lane` on. `demands[d]` is (kind, attribute, number, over): l, or
    t = number / over.
    """
    number = len(counts)
    size = slots_for(number)
    keys = np.empty(size, np.int64)
    ids = np.empty(size, np.int64)
    group = np.empty(number, np.int64)
    members = np.empty(number, np.int64)
    seen = np.zeros(totals.shape[1] + 1, np.int64)
    taken = np.zeros(number)
    gained = np.int64(0)
    for index in range(lane, len(nodes), lanes):
        a, b = nodes[index]
        groups, start = _dear_groups(
            lefts[a], rights[b], widths[b], left_losses[a], right_losses[b], prices, keys, ids, group, members
        )
        for g in range(groups):
            mine = members[start[g] : start[g + 1]]
            cost = left_losses[a, mine[0]] + right_losses[b, mine[0]]
            more = _gain(mine, cost, counts, prices, codes, totals, demands, distances, rows, seen, taken)
            gained = min(gained + more, MUCH)
    return gained, taken


@njit(cache=True)
def _dear_groups(left, right, width, left_loss, right_loss, prices, keys, ids, group, members):
    """Gather the groups in which some type's price is above what the pattern costs; members stay dearest first."""
    mask = np.uint64(len(keys) - 1)
    number = len(prices)
    groups = 0
    for t in range(number):
        if prices[t] > left_loss[t] + right_loss[t]:
            if groups == 0:
                keys[:] = -1
            key = left[t] * width + right[t]
            slot = find_slot(key, keys, mask)
            if keys[slot] < 0:
                keys[slot] = key
                ids[slot] = groups
                groups += 1
    start = np.zeros(groups + 1, np.int64)
    if groups == 0:
        return 0, start
    for t in range(number):
        slot = find_slot(left[t] * width + right[t], keys, mask)
        group[t] = ids[slot] if keys[slot] >= 0 else -1
        if group[t] >= 0:
            start[group[t] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    fill = start[:-1].copy()
    for t in range(number):
        if group[t] >= 0:
            members[fill[group[t]]] = t
            fill[group[t]] += 1
    return groups, start


@njit(cache=True)
def _gain(mine, cost, counts, prices, codes, totals, demands, distances, rows, seen, taken):
    """Return the smallest of what the models allow a class of these members to gain, and note whom it takes."""
    best, which, detail = _gain_rows(mine, cost, counts, prices, rows), -1, 0
    for d in range(len(demands)):
        if best <= 0:
            return np.int64(0)
        kind, attribute, number, over = demands[d]
        height = 0
        if kind == VALUES:
            value = _gain_values(mine, cost, counts, prices, codes[attribute], number, seen)
        elif kind == SHARE:
            value, height = _gain_share(mine, cost, counts, prices, codes[attribute], number, seen)
        elif kind == EQUAL:
            value = _gain_equal(mine, cost, counts, prices, codes[attribute], totals[attribute], number, over, seen)
        else:
            value = _gain_metric(
                mine, cost, counts, prices, codes[attribute], totals[attribute], distances[d], number, over, seen
            )
        if value < best:
            best, which, detail = value, d, height
    if best <= 0:
        return np.int64(0)
    if which < 0:
        _take_rows(mine, cost, counts, prices, rows, taken)
    elif demands[which, 0] == VALUES:
        _take_values(mine, cost, counts, prices, codes[demands[which, 1]], demands[which, 2], seen, taken)
    elif demands[which, 0] == SHARE:
        _take_share(mine, cost, counts, prices, codes[demands[which, 1]], demands[which, 2], detail, seen, taken)
    else:
        _take_close(mine, counts, codes[demands[which, 1]], totals[demands[which, 1]], seen, taken)
    return best


@njit(cache=True)
def _gain_rows(mine, cost, counts, prices, rows):
    """All members dearer than the pattern, filled up with the dearest others to the least number of rows."""
    gain, took = np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        if extra > 0:
            gain += counts[t] * extra
            took += counts[t]
        elif took < rows:
            number = min(counts[t], rows - took)
            gain += number * extra
            took += number
        else:
            break
    return gain if took >= rows else np.int64(0)


@njit(cache=True)
def _take_rows(mine, cost, counts, prices, rows, taken):
    took = np.int64(0)
    for t in mine:
        if prices[t] > cost:
            number = counts[t]
        elif took < rows:
            number = min(counts[t], rows - took)
        else:
            break
        taken[t] += number
        took += number


@njit(cache=True)
def _gain_values(mine, cost, counts, prices, codes, least, seen):
    """All members dearer than the pattern, and the dearest one of each of the `least` dearest values."""
    gain, different = np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        new = seen[codes[t]] == 0
        if new:
            seen[codes[t]] = 1
            different += 1
        if extra > 0:
            gain += counts[t] * extra
        elif new and different <= least:
            gain += extra
        elif different >= least:
            break
    for t in mine:
        seen[codes[t]] = 0
    return gain if different >= least else np.int64(0)


@njit(cache=True)
def _take_values(mine, cost, counts, prices, codes, least, seen, taken):
    different = np.int64(0)
    for t in mine:
        new = seen[codes[t]] == 0
        if new:
            seen[codes[t]] = 1
            different += 1
        if prices[t] > cost:
            taken[t] += counts[t]
        elif new and different <= least:
            taken[t] += 1
    for t in mine:
        seen[codes[t]] = 0


@njit(cache=True)
def _at_height(mine, cost, counts, prices, codes, least, height, seen):
    """At most `height` members of each value, and at least `least * height` in all; NOTHING where there are too few."""
    gain, took = np.int64(0), np.int64(0)
    for t in mine:
        extra = prices[t] - cost
        number = min(counts[t], height - seen[codes[t]])
        if extra <= 0:
            number = min(number, least * height - took)
            if took >= least * height:
                break
        if number > 0:
            seen[codes[t]] += number
            gain += number * extra
            took += number
    for t in mine:
        seen[codes[t]] = 0
    return gain if took >= least * height else NOTHING


@njit(cache=True)
def _gain_share(mine, cost, counts, prices, codes, least, seen):
    """The best over all heights of the commonest value; it is concave in the height."""
    low, high = np.int64(1), np.int64(1)
    for t in mine:
        high += counts[t]
    high = high // least + 1
    while low < high:
        middle = (low + high) // 2
        here = _at_height(mine, cost, counts, prices, codes, least, middle, seen)
        if here > NOTHING and _at_height(mine, cost, counts, prices, codes, least, middle + 1, seen) > here:
            low = middle + 1
        else:
            high = middle
    best = _at_height(mine, cost, counts, prices, codes, least, low, seen)
    return max(best, np.int64(0)), low


@njit(cache=True)
def _take_share(mine, cost, counts, prices, codes, least, height, seen, taken):
    took = np.int64(0)
    for t in mine:
        number = min(counts[t], height - seen[codes[t]])
        if prices[t] <= cost:
            number = min(number, least * height - took)
        if number > 0:
            seen[codes[t]] += number
            taken[t] += number
            took += number
    for t in mine:
        seen[codes[t]] = 0


@njit(cache=True)
def _gain_equal(mine, cost, counts, prices, codes, totals, number, over, seen):
    """Rows times the gain of one: absent values' mass goes to the dearest value, then the cheapest values' up to t."""
    total = totals.sum()
    order = np.empty(len(totals), np.int64)
    worth = np.empty(len(totals), np.int64)
    different, size, present, everything = 0, np.int64(0), np.int64(0), np.int64(0)
    for t in mine:
        size += counts[t]
        if prices[t] > cost:
            everything += counts[t] * (prices[t] - cost)
        if seen[codes[t]] == 0:
            seen[codes[t]] = 1
            order[different] = codes[t]
            worth[different] = prices[t] - cost
            present += totals[codes[t]]
            different += 1
    for t in mine:
        seen[codes[t]] = 0
    left = number * total - over * (total - present)
    if left < 0:
        return np.int64(0)
    gain = over * (total - present) * worth[0]
    for i in range(different):
        gain += over * totals[order[i]] * worth[i]
    for i in range(different - 1, 0, -1):
        moved = min(left, over * totals[order[i]])
        gain += moved * (worth[0] - worth[i])
        left -= moved
    each = -((-gain) // (over * total))
    return min(max(each, 0) * size, everything)


@njit(cache=True)
def _gain_metric(mine, cost, counts, prices, codes, totals, distance, number, over, seen):
    """Rows times the gain of one, by transport duality at some multipliers; any of them bounds it.

    Multipliers that 64 bits would not hold are left out.
    """
    width = min(len(totals), len(distance))
    total = totals.sum()
    worth = np.full(width, NOTHING)
    size, everything = np.int64(0), np.int64(0)
    highest, lowest = NOTHING, -NOTHING
    for t in mine:
        size += counts[t]
        if prices[t] > cost:
            everything += counts[t] * (prices[t] - cost)
        if seen[codes[t]] == 0:
            seen[codes[t]] = 1
            worth[codes[t]] = prices[t] - cost
            highest = max(highest, worth[codes[t]])
            lowest = min(lowest, worth[codes[t]])
    for t in mine:
        seen[codes[t]] = 0
    spread = highest - lowest
    best = highest
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
def _take_close(mine, counts, codes, totals, seen, taken):
    """The dearest member of each value stands for the value's mass."""
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
