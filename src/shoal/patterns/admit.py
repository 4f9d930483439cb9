"""Whether counts of sensitive values would be admitted, and the largest part of them that would be (compiled).

These loops propose classes; the models themselves decide, exactly, before anything is published. The Earth Mover's
Distance in its edge form serves every tree and every line: `sum_e weight_e |sum_v member_ev (X_v - P_v)|`. In any other
metric it takes optimal transport, whose potentials say which values to give up: `sum_v phi_v (X_v - P_v)` is the
distance, and a lower bound of it after a row was taken off.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.models.transport import moved
from shoal.patterns.checks import CLOSE, DISTINCT, ENTROPY, EQUAL, METRIC, RECURSIVE, SHARE
from shoal.patterns.kernels import largest, rising

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

TINY = 1e-12
AT_ONCE = 32
"""Of a class of so many rows, one is given up at a time before the distance is measured again; of larger ones more."""


@njit(cache=True)
def meets(rules, counts):
    """Whether a class with these counts, by attribute and value, meets every requirement but that of its rows."""
    good = True
    for d in range(len(rules.lines)):
        good = good and admits(rules, d, counts[int(rules.lines[d, 1])])
    return good


@njit(cache=True)
def admits(rules, d, counts):
    """Decide one requirement of a class with these counts of values."""
    kind, number, other, rows = int(rules.lines[d, 0]), rules.lines[d, 2], rules.lines[d, 3], counts.sum()
    shares = rules.shares[int(rules.lines[d, 1])]
    if rows == 0:
        return False
    if kind == DISTINCT:
        return _different(counts) >= number
    if kind == SHARE:
        return number * largest(counts) <= rows * (1 + TINY)
    if kind == ENTROPY:
        entropy = 0.0
        for count in counts:
            if count > 0:
                entropy -= count / rows * np.log(count / rows)
        return entropy >= np.log(number) - TINY
    if kind == RECURSIVE:
        falling = counts[rising(-counts)]
        return falling[0] < number * falling[int(other) - 1 :].sum()
    if kind == EQUAL:
        return variation(counts, rows, shares) <= number + TINY
    if kind == METRIC:
        totals = rules.totals[int(rules.lines[d, 1])]
        return transported(counts, totals, rules.apart[d], np.zeros(len(counts))) <= number + TINY
    return distance(counts, rows, shares, rules.edges[d], rules.weights[d]) <= number + TINY


@njit(cache=True)
def _different(counts):
    """Return how many values there are."""
    different = 0
    for count in counts:
        different += count > 0
    return different


@njit(cache=True)
def variation(counts, rows, shares):
    """Return the total variation between the counts and the table's shares: the distance where all are equally far."""
    extra = 0.0
    for v in range(len(counts)):
        extra += max(0.0, counts[v] / rows - shares[v])
    return extra


@njit(cache=True)
def distance(counts, rows, shares, edges, weights):
    """Return the Earth Mover's Distance of the counts to the table's shares, edge by edge."""
    moved = 0.0
    for e in range(len(weights)):
        extra = 0.0
        for v in range(len(counts)):
            if edges[e, v]:
                extra += counts[v] / rows - shares[v]
        moved += weights[e] * abs(extra)
    return moved


@njit(cache=True)
def transported(counts, totals, apart, potentials):
    """Return the Earth Mover's Distance of the counts to the table by optimal transport, and the potentials of values.

    A potential is what a row of the value adds: no two differ by more than the distance of their values.
    """
    rows, total = counts.sum(), totals.sum()
    extra = counts * total - totals * rows
    sources, sinks = np.flatnonzero(extra > 0), np.flatnonzero(extra < 0)
    if len(sinks) == 0:
        potentials[:] = 0.0
        return 0.0
    costs = np.empty((len(sources), len(sinks)))
    for i in range(len(sources)):
        for j in range(len(sinks)):
            costs[i, j] = apart[sources[i], sinks[j]]
    plan, price = moved(extra[sources], -extra[sinks], costs)
    for v in range(len(apart)):
        potentials[v] = np.inf
        for j in range(len(sinks)):
            potentials[v] = min(potentials[v], apart[v, sinks[j]] - price[len(sources) + j])
    return (plan * costs).sum() / (float(rows) * float(total))


@njit(cache=True)
def shrink(rules, d, counts, rest):
    """Cut the counts to a large admitted part; False, and counts in any state, where none was found.

    `rest` says how many rows of each value remain elsewhere: of values that abound there more is kept.
    """
    if admits(rules, d, counts):
        return True
    kind, number, shares = int(rules.lines[d, 0]), rules.lines[d, 2], rules.shares[int(rules.lines[d, 1])]
    if kind == DISTINCT:
        return False
    if kind == EQUAL:
        return _shrink_equal(counts, number, shares, rest)
    if kind == METRIC:
        return _shrink_transported(counts, number, rules.totals[int(rules.lines[d, 1])], rules.apart[d], rest)
    if kind == CLOSE:
        return _shrink_close(counts, number, shares, rules.edges[d], rules.weights[d], rest)
    low, high = np.int64(0), largest(counts)
    while low < high:
        middle = (low + high + 1) // 2
        if admits(rules, d, np.minimum(counts, middle)):
            low = middle
        else:
            high = middle - 1
    for v in range(len(counts)):
        counts[v] = min(counts[v], low)
    return low > 0


@njit(cache=True)
def _shrink_close(counts, limit, shares, edges, weights, rest):
    """Take off the row whose value moves the distance down most, one after the other."""
    rows = counts.sum()
    extra, share = np.zeros(len(weights)), np.zeros(len(weights))
    for e in range(len(weights)):
        for v in range(len(counts)):
            if edges[e, v]:
                extra[e] += counts[v] - rows * shares[v]
                share[e] += shares[v]
    least = rows // 3
    remains = max(1, rest.sum())
    while rows > least and rows > 1:
        best, which = np.inf, -1
        for v in range(len(counts)):
            if counts[v] == 0:
                continue
            moved = 0.0
            for e in range(len(weights)):
                moved += weights[e] * abs(extra[e] + share[e] - edges[e, v])
            moved += 1e-9 * (rest[v] / remains - shares[v])
            if moved < best:
                best, which = moved, v
        counts[which] -= 1
        rows -= 1
        for e in range(len(weights)):
            extra[e] += share[e] - edges[e, which]
        if distance(counts, rows, shares, edges, weights) <= limit + TINY:
            return True
    return False


@njit(cache=True)
def _shrink_transported(counts, limit, totals, apart, rest):
    """Take off rows of the value with the largest potential, and measure again."""
    rows, potentials = counts.sum(), np.zeros(len(counts))
    least, remains, total = rows // 3, max(1, rest.sum()), totals.sum()
    transported(counts, totals, apart, potentials)
    while rows > least and rows > 1:
        best, which = -np.inf, -1
        for v in range(len(counts)):
            worth = potentials[v] - 1e-9 * (rest[v] / remains - totals[v] / total)
            if counts[v] > 0 and worth > best:
                best, which = worth, v
        taken = min(counts[which], max(1, rows // AT_ONCE), rows - 1)
        counts[which] -= taken
        rows -= taken
        if transported(counts, totals, apart, potentials) <= limit + TINY:
            return True
    return False


@njit(cache=True)
def _shrink_equal(counts, limit, shares, rest):
    """Keep g rows, g the largest with `sum_v min(c_v, g P_v) >= (1 - t) g`, rounded down until it holds in integers."""
    low, high = 0.0, float(counts.sum())
    for _ in range(30):
        middle = (low + high) / 2
        inside = 0.0
        for v in range(len(counts)):
            inside += min(float(counts[v]), middle * shares[v])
        if inside >= (1 - limit) * middle - TINY:
            low = middle
        else:
            high = middle
    original = counts.copy()
    size = int(low + 1e-6)
    least = size - size // 4 - 2
    while size > max(least, 0):
        kept = _filled(original, size, shares, rest)
        for v in range(len(counts)):
            counts[v] = kept[v]
        if counts.sum() == size and variation(counts, size, shares) <= limit + TINY:
            return True
        size -= 1
    return False


@njit(cache=True)
def _filled(counts, size, shares, rest):
    """Fill a class of that size: every value up to its share first, then the values that abound in the rest."""
    remains = max(1, rest.sum())
    kept = np.zeros(len(counts), np.int64)
    for v in range(len(counts)):
        kept[v] = min(counts[v], int(size * shares[v]))
    total = kept.sum()
    while total < size:
        best, which = -np.inf, -1
        for v in range(len(counts)):
            if kept[v] < counts[v]:
                over = max(0.0, kept[v] + 1 - size * shares[v])
                worth = (1 - min(over, 1.0)) + 0.5 * (rest[v] / remains / shares[v] if shares[v] > 0 else 0.0)
                if worth > best:
                    best, which = worth, v
        if which < 0:
            break
        kept[which] += 1
        total += 1
    return kept
