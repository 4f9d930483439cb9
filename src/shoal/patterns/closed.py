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
from shoal.patterns.charges import NEVER, SPREAD, Rule, earned_at_most
from shoal.patterns.cube import Cube
from shoal.patterns.demands import Demands
from shoal.patterns.gains import MUCH, PricedTypes, gain_of_group
from shoal.patterns.kernels import copy_into, enough, gather, group_table, number_groups, paid_at, with_room

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
        costs, sums, starts, members, over = list_patterns(cube.layout, cube.counts, demands, marks, MOST_LISTED)
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

    def gained(self, prices: Ints, order: Ints, counts: Ints, demands: Demands) -> list[tuple[int, Floats]]:
        """Return what classes gain, lane by lane, and the rows taken of each type in `order`, the dearest first."""
        rise = int((prices - self.valued).max(initial=0))
        self.lacking[:] -= max(rise, 0)
        self.valued[:] = prices
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        listed = self.costs, self.starts, self.members, self.lacking
        steps = len(self.members)
        return in_lanes(lane_listed_gains, *listed, place, counts, prices[order], demands, steps=steps)


@njit(cache=True)
def list_patterns(layout, counts, demands, marks, most):
    """Return cost and sum of marks of patterns that could hold a class, where their members start, and the members."""
    number = len(counts)
    types, table, places = np.arange(number), group_table(number, number), np.empty(number, np.int64)
    costs, sums, starts = np.empty(1024, np.int64), np.empty(1024, np.int64), np.zeros(1025, np.int64)
    members, found = np.empty(4096, np.int32), 0
    for node in range(len(layout.nodes)):
        groups = number_groups(layout, node, types, table)
        paid = paid_at(layout, node)
        possible = enough(table.group, groups, counts, demands)
        for t in range(number):
            if not possible[table.group[t]]:
                table.group[t] = -1
        first = gather(table.group, groups, places)
        begin, filled = starts[found], starts[found] + first[groups]
        if filled > most:
            return costs[:found], sums[:found], starts[: found + 1], members[:begin], True
        members = with_room(members, filled)
        for i in range(first[groups]):
            members[begin + i] = places[i]
        for g in range(groups):
            mine = places[first[g] : first[g + 1]]
            if len(mine):
                costs, sums, starts = (
                    with_room(costs, found + 1),
                    with_room(sums, found + 1),
                    with_room(starts, found + 2),
                )
                costs[found], sums[found] = paid[mine[0]], marks[mine].sum()
                starts[found + 1] = starts[found] + len(mine)
                found += 1
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
    """Return the sum of v(p) over the patterns p listed, and how often each type was taken.

    `place` says where each type stands in the order of prices. Of the patterns every `lanes`-th is looked at.
    """
    seen = np.zeros(demands.totals.shape[1] + 1, np.int64)
    types = PricedTypes(counts, prices, demands, seen, np.zeros(len(counts)))
    worth = np.empty(demands.totals.shape[1], np.float64)
    gained = np.int64(0)
    for p in range(lane, len(costs), lanes):
        if lacking[p] > 0:
            continue
        mine = place[members[starts[p] : starts[p + 1]]]
        lacking[p] = costs[p] - _rate(mine, types, worth)
        if lacking[p] <= 0:
            mine.sort()
            gained = min(gained + gain_of_group(mine, costs[p], types), MUCH)
    return gained, types.taken


@njit(cache=True)
def _rate(mine, types, worth):
    """Return the most that a row earns on average in a class whose shares are in every set, rounded up.

    Of distances it is only known that no row earns more than the dearest.
    """
    _, prices, demands, _, _ = types
    shares = demands.shares
    best = float(prices[mine.min()])
    for s in range(len(shares.kinds)):
        if shares.kinds[s, 0] != SPREAD:
            codes = demands.codes[shares.kinds[s, 1]]
            worth[:] = NEVER
            for t in mine:
                worth[codes[t]] = max(worth[codes[t]], float(prices[t]))
            here = np.flatnonzero(worth > NEVER)
            rule = Rule(shares.kinds[s, 0], shares.base[s][here], shares.hard[s][here], shares.limit[s], 1.0, NO, NONE)
            best = min(best, earned_at_most(rule, worth[here]))
    return np.int64(np.ceil(max(best, -1e18)))
