"""The closed patterns of a cube, listed once, so that valuing prices again and again takes less than a walk (compiled).

Only patterns whose rows could contain an admitted class are listed, and of those that the same rows match the cheapest:
where models are closed under union, a release needs no other. Most of them gain nothing, and stay so for long: a row of
a class at pattern p gains at most, on average, the *rate* of p: the most that shares of its dearest rows earn. Prices
that rise by at most r raise it by at most r. So p is not looked at before prices have risen by what it lacked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit
from shoal.core.loops import in_lanes
from shoal.patterns.charging import enough
from shoal.patterns.cube import Cube
from shoal.patterns.demands import Demands
from shoal.patterns.descent import begin, keep, next_level, split
from shoal.patterns.gains import MUCH, PricedTypes, gain_of_group
from shoal.patterns.kernels import copy_into, gather, largest, rising, with_room
from shoal.patterns.offsets import NEVER, SPREAD, Rule, earned_at_most

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

MOST_LISTED = 80_000_000
"""Members in all, 4 bytes each, beyond which patterns are not listed."""
NO, NONE = np.zeros((1, 1)), np.zeros(1)
"""Distances, of sets that have none."""


@dataclass(frozen=True, eq=False)
class ClosedPatterns:
    """The closed patterns, what each lacks to gain anything at the prices that were valued last, and these prices."""

    costs: Ints
    starts: Ints
    members: Any
    """Types, 32 bits each; those of pattern p begin at `starts[p]`."""
    lacking: Ints
    valued: Ints

    @classmethod
    def of(cls, cube: Cube, demands: Demands) -> ClosedPatterns | None:
        """Walk the nodes once; None where there are too many members."""
        marks = np.random.default_rng(0).integers(1, 2**62 // max(cube.types, 1), cube.types)
        grid, heights = cube.descent(np.arange(cube.types))
        listed = list_patterns(grid, heights, cube.counts, demands, marks, cube.cap, MOST_LISTED)
        costs, sums, starts, members, over = listed
        if over:
            return None
        order = np.lexsort((costs, sums))
        first = np.ones(len(order), dtype=bool)
        first[1:] = sums[order][1:] != sums[order][:-1]
        kept = np.sort(order[first])
        sizes = np.diff(starts)[kept]
        begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        own = pack(starts, members, kept, begins)
        return cls(costs[kept], begins, own, np.zeros(len(kept), np.int64), np.zeros(cube.types, np.int64))

    def gained(self, prices: Ints, order: Ints, counts: Ints, demands: Demands) -> list[tuple[int, Floats, int]]:
        """Return what classes gain, lane by lane, the rows taken of each type, and how often types were looked at.

        Types come in `order`, the dearest first.
        """
        rise = int((prices - self.valued).max(initial=0))
        self.lacking[:] -= max(rise, 0)
        self.valued[:] = prices
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        listed = self.costs, self.starts, self.members, self.lacking
        steps = len(self.members)
        return in_lanes(lane_listed_gains, *listed, place, counts, prices[order], demands, steps=steps)


@njit(cache=True)
def list_patterns(grid, heights, counts, demands, marks, cap, most):
    """Return cost and sum of marks of patterns that could hold a class, where their members start, and the members.

    Patterns that cost as much as no price is above, `cap`, are left out.
    """
    number, depth, found = len(counts), 0, 0
    walk, places, kept = begin(grid, heights, number), np.empty(number, np.int64), np.empty(number, np.int64)
    costs, sums, starts = np.empty(1024, np.int64), np.empty(1024, np.int64), np.zeros(1025, np.int64)
    members = np.empty(4096, np.int32)
    while depth >= 0:
        if depth == len(heights):
            groups, mine, paid = walk.groups[depth], walk.types[depth], walk.paid[depth]
            group = walk.group[depth][: walk.number[depth]]
            possible = enough(mine, group, groups, demands, places)
            first = gather(group, groups, places)
            members = with_room(members, starts[found] + first[groups])
            costs, sums = with_room(costs, found + groups), with_room(sums, found + groups)
            starts = with_room(starts, found + groups + 1)
            for g in range(groups):
                if possible[g]:
                    filled, mark = starts[found], np.int64(0)
                    for place in places[first[g] : first[g + 1]]:
                        members[filled] = mine[place]
                        mark += marks[mine[place]]
                        filled += 1
                    costs[found], sums[found], starts[found + 1] = paid[g], mark, filled
                    found += 1
            if starts[found] > most:
                return costs[:found], sums[:found], starts[: found + 1], members[: starts[found]], True
            depth -= 1
            continue
        level = next_level(walk, depth, 0, 1)
        if level < 0:
            depth -= 1
            continue
        groups = split(walk, depth, level)
        kept[:groups] = 0
        for i in range(walk.number[depth]):
            kept[walk.below.group[i]] += counts[walk.types[depth, i]]
        for g in range(groups):
            if kept[g] < demands.rows or walk.below_paid[g] >= cap:
                kept[g] = 0
        if keep(walk, depth, groups, kept):
            depth += 1
    return costs[:found], sums[:found], starts[: found + 1], members[: starts[found]], False


@njit(cache=True)
def pack(starts, members, kept, begins):
    """Return the members of some patterns end to end."""
    own = np.empty(begins[-1], np.int32)
    for i in range(len(kept)):
        copy_into(own[begins[i] : begins[i + 1]], members[starts[kept[i]] : starts[kept[i] + 1]])
    return own


@njit(cache=True, nogil=True)
def lane_listed_gains(costs, starts, members, lacking, place, counts, prices, demands, lane, lanes):
    """Return the sum of v(p) over the patterns p listed, how often each type was taken, and how often looked at.

    `place` says where each type stands in the order of prices. Of the patterns every `lanes`-th is looked at.
    """
    seen = np.zeros(demands.totals.shape[1] + 1, np.int64)
    types = PricedTypes(counts, prices, demands, seen, np.zeros(len(counts)))
    worth = np.empty(demands.totals.shape[1], np.float64)
    gained, looked = np.int64(0), np.int64(0)
    for p in range(lane, len(costs), lanes):
        if lacking[p] > 0:
            continue
        mine = place[members[starts[p] : starts[p + 1]]]
        looked += len(mine)
        lacking[p] = costs[p] - _rate(mine, types, worth)
        if lacking[p] <= 0:
            ranked = mine[rising(mine)]
            gained = min(gained + gain_of_group(ranked, costs[p], types, True, True), MUCH)
    return gained, types.taken, looked


@njit(cache=True)
def _rate(mine, types, worth):
    """Return the most that a row earns on average in a class whose shares are in every set, rounded up.

    Of distances it is only known that no row earns more than the dearest.
    """
    _, prices, demands, _, _ = types
    shares = demands.shares
    best = float(prices[-largest(-mine)])
    for s in range(len(shares.kinds)):
        if shares.kinds[s, 0] != SPREAD:
            codes = demands.codes[shares.kinds[s, 1]]
            worth[:] = NEVER
            for t in mine:
                worth[codes[t]] = max(worth[codes[t]], float(prices[t]))
            here = _found(worth)
            rule = Rule(shares.kinds[s, 0], shares.base[s][here], shares.hard[s][here], shares.limit[s], 1.0, NO, NONE)
            best = min(best, earned_at_most(rule, worth[here]))
    return np.int64(np.ceil(max(best, -1e18)))


@njit(cache=True)
def _found(worth):
    """Return the values that some row has."""
    found, many = np.empty(len(worth), np.int64), 0
    for v in range(len(worth)):
        if worth[v] > NEVER:
            found[many] = v
            many += 1
    return found[:many]
