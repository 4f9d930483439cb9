"""Linear conditions on classes that entropy or recursive l-diversity admits: caps, and cuts that given counts break.

Both models admit convex sets of shares, so that some linear condition parts every refused class from all admitted ones:

    sum_v x_v (ln q_v + ln l) <= 0                  entropy: -sum x ln q >= H(x) >= N ln l, for every distribution q
    x_v - c sum_{u not in S} x_u <= 0               recursive (c,l): for every value v and every set S of l - 1 values

The entropy's is tangent at q, the distribution of entropy ln l between that of the class and equal shares. The
recursive condition is the conjunction of all of them, with `<` in place of `<=`: it compares the commonest value with
what the commonest l - 1 leave over. For whole numbers of rows and c = a/b, `<` is `<= -1/b`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.patterns.checks import ENTROPY, RECURSIVE, SHARE, Checks
from shoal.patterns.pool import Pool

TAKEN = 1e-7
"""A pattern has a class if a member has more rows than this in it."""
LARGEST_DENOMINATOR = 10_000
"""Of a number that recursive l-diversity is asked for with."""
HALVINGS = 40
"""Steps of a search by halves."""
BROKEN = 1e-6
"""How much of the rows of a class a cut must take off to be worth it."""


def largest_share(line: Floats, values: Floats) -> Floats:
    """Return the most that one of so many values can have of a class that a line of `Checks` admits.

    With entropy, the other values then have equal shares; 0 where there are too few values.
    """
    kind, _, number, other = line
    if kind == SHARE:
        return np.full(len(values), 1 / number)
    if kind == RECURSIVE:
        return np.full(len(values), number / (1 + number) if other > 1 else min(number, 1.0))
    low, high = 1 / np.maximum(values, 1.0), np.ones(len(values))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        others = np.maximum(values - 1, 1.0)
        entropy = -_times_log(middle) - (1 - middle) * np.log(np.maximum(1 - middle, 1e-300) / others)
        enough = entropy >= np.log(number)
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.where(values >= number * (1 - 1e-9), high, 0.0)


def strictness(line: Floats, rows: int) -> float:
    """Return by how much of its rows a class of whole numbers, of so many rows at most, keeps below a line's cuts."""
    if line[0] != RECURSIVE:
        return 0.0
    return 1.0 / (Fraction(float(line[2])).limit_denominator(LARGEST_DENOMINATOR).denominator * max(rows, 1))


def broken_cuts(
    line: Floats, pool: Pool, checks: Checks, rows: Floats, *, whole: bool = False
) -> tuple[Ints, Ints, Floats, int]:
    """Return a cut for every pattern whose class breaks a line, `rows` of each member of the pool being taken.

    As triples (cut, member, coefficient), and how many cuts there are. `whole`: classes have whole numbers of rows.
    """
    width = checks.totals.shape[1]
    codes, owners = checks.codes[int(line[1])][pool.types[pool.members]], pool.pattern_of_member
    used = np.unique(owners[rows > TAKEN])
    inside = np.flatnonzero(np.isin(owners, used))
    own, values = np.searchsorted(used, owners[inside]), codes[inside]
    counts, present = np.zeros((len(used), width)), np.zeros((len(used), width))
    np.add.at(counts, (own, values), rows[inside])
    present[own, values] = 1.0
    found = cuts(line, counts, present, strictness(line, int(pool.counts.sum())) if whole else 0.0)
    broken: Bools = np.any(found != 0, axis=1).reshape(-1)
    number, weights = np.cumsum(broken) - 1, found[own, values]
    of = np.flatnonzero(weights)
    return number[own[of]], inside[of], weights[of], int(broken.sum())


def cuts(line: Floats, counts: Floats, present: Floats, strict: float = 0.0) -> Floats:
    """Return for each class (a row of counts by value) the coefficients of a cut; all 0 where none is broken.

    `present` says which values the pattern of the class has, `strict` what is added to every coefficient.
    """
    kind, _, number, other = line
    rows = np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    found = _tangents(number, counts / rows, present) if kind == ENTROPY else _recursive(number, int(other), counts)
    found = found + strict
    broken = (found * counts).sum(axis=1) > BROKEN * rows[:, 0]
    kept: Floats = found * (broken & (rows[:, 0] > BROKEN))[:, None]
    return kept


def _times_log(shares: Floats) -> Floats:
    """Return x ln x, 0 for 0."""
    found: Floats = shares * np.log(np.maximum(shares, 1e-300))
    return found


def _tangents(level: float, shares: Floats, present: Floats) -> Floats:
    """Return the tangents where the entropy is that of the level, on the way to equal shares of the values present."""
    even = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    low, high = np.zeros((len(shares), 1)), np.ones((len(shares), 1))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        entropy = -_times_log((1 - middle) * shares + middle * even).sum(axis=1, keepdims=True)
        enough = entropy >= np.log(level)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    at = (1 - high) * shares + high * even
    at /= np.maximum(at.sum(axis=1, keepdims=True), 1e-300)
    return np.where(present > 0, np.log(np.maximum(at, 1e-300)) + np.log(level), 0.0)


def _recursive(c: float, l: int, counts: Floats) -> Floats:  # noqa: E741 - the paper's names
    """Return the condition of the commonest value and the commonest l - 1 values."""
    order, every = np.argsort(-counts, axis=1, kind="stable"), np.arange(len(counts))
    found = np.full(counts.shape, -c)
    np.put_along_axis(found, order[:, : l - 1], 0.0, axis=1)
    found[every, order[:, 0]] += 1.0
    return found
