"""The least perfect matching by pairs and triples: prices from a linear program, then moves or a mixed-integer program.

1. Prices: a price for each row such that no pair costs less than its rows' prices, the sum of all as large as can be.
   By the simplex condition no triple costs less either: `optimum >= sum of all prices`. Pairs are brought in as they
   are found too cheap.
2. Matching: let the reserve of a pair or triple be what it costs above its rows' prices. A matching costs the sum of
   all prices plus its reserves. So those with a reserve of more than (best known - sum of prices) are in no better
   matching. Where few triples are left, moves find the least matching in polynomial time (`moves`): their number is
   known beforehand. Else the program over all others has the optimum, which takes less time than many moves do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending
from shoal.core.solver import Constraints, model_of, new_solver, run_solver, start_from
from shoal.methods.k_anonymity.factors import heaviest_matching
from shoal.methods.k_anonymity.simplex.moves import Rows, Sets, better_matching, number_of_moves
from shoal.methods.k_anonymity.simplex.points import Points

SCALE = 1 << 10
"""Prices are whole numbers: so many are one unit of cost."""
NEAREST = 12
"""How many partners of each type the linear program knows from the start."""
NEW = 4
"""How many partners a type gets at most when pairs are found too cheap."""
MOST_SETS = 400_000
"""Pairs and triples beyond which the program is not tried."""
MOST_OPERATIONS = 13
"""Triples to dissolve or to form up to which moves are tried: 92 moves, less than a tenth of a second. The program
takes 0.1 to 0.3 seconds for tens of rows, the thousands of moves that more triples mean take ten."""
MOST_EDGES = 500_000
"""Pairs of rows that a matching by pairs alone is made from: some seconds, which nothing ends."""


FoundBy: TypeAlias = Literal["pairs", "moves", "program"]
"""An ordinary matching by pairs, which the prices prove the best or not; moves in polynomial time; a program."""


@dataclass(frozen=True, eq=False)
class Matching:
    """Pairs and triples of types, how many of each, and what is known of their cost."""

    sets: Ints
    """Three types each, in order; -1 first where there are two, or one that is dropped."""
    copies: Ints
    prices: Ints
    """For a row of each type, in units / SCALE, at least 0."""
    cost: int
    bound: int
    """What every matching costs at least, in units."""
    found_by: FoundBy = "pairs"
    """What found it, or proved that there is no better one."""

    @property
    def optimal(self) -> bool:
        """Whether no matching costs less."""
        return self.cost <= self.bound


def match(points: Points, deadline: Ending, *, dropped: Ints | None = None) -> Matching:
    """Return a perfect matching: the least one, unless time is over or the program too large.

    Where the rows cannot be matched unless some are dropped, `dropped` says how many of each type may be for a start.
    """
    sets, copies = first_matching(points, np.zeros(len(points), np.int64) if dropped is None else dropped)
    prices = price_rows(points, sets, deadline)
    worth = int(prices @ points.counts)
    reserve = 2 * _finest(points) * SCALE
    known = Matching(sets, copies, prices, _cost(points, sets, copies), -(-worth // SCALE))
    known = known if known.optimal or deadline.passed else _by_pairs(points, known, reserve)
    known = known if known.optimal or deadline.passed else _by_moves(points, known, reserve, deadline)
    while not known.optimal and not deadline.passed:
        offered = within(points, prices, reserve, deadline)
        if offered is None:
            break
        known, solved = _least(points, replace(known, found_by="program"), offered, deadline)
        gap = known.cost * SCALE - worth
        if not solved:
            break
        if gap <= reserve:
            known = replace(known, bound=known.cost)
        reserve = gap
    return known


def first_matching(points: Points, dropped: Ints) -> tuple[Ints, Ints]:
    """Return some perfect matching: sets and how many of each.

    With rows in the order of their sensitive values, a row and the one half a table further on differ, as no value has
    more than half of the rows; of three rows, so do the first, the middle and the last.
    """
    rows = np.repeat(np.arange(len(points)), points.counts - dropped)
    pairs, left = _side_by_side(points, rows)
    sets = np.column_stack([rows[pairs], np.full(len(pairs), -1)])
    if len(left):
        sets[0, 2] = rows[left[0]]
    return np.unique(np.sort(np.concatenate([sets, _singles(dropped)])), axis=0, return_counts=True)


def _side_by_side(points: Points, rows: Ints) -> tuple[Ints, Ints]:
    """Return pairs of some rows, given their types, that may be classes, as places among them; and who is left over."""
    half = len(rows) // 2
    if points.kinds is None:
        return np.arange(2 * half).reshape(half, 2), np.arange(2 * half, len(rows))
    order = np.argsort(points.kinds[rows], kind="stable")
    return order[: 2 * half].reshape(2, half).T, order[2 * half :]


def _singles(copies: Ints) -> Ints:
    """Return a set of one for each row that is dropped."""
    types = np.repeat(np.arange(len(copies)), copies)
    return np.column_stack([np.full((len(types), 2), -1), types])


def _cost(points: Points, sets: Ints, copies: Ints) -> int:
    return int(costs(points, sets) @ copies)


def costs(points: Points, sets: Ints) -> Ints:
    """Return what each pair or triple costs, all its rows together, and each dropped row."""
    total = np.where(sets[:, 1] < 0, points.full, 2 * points.pairs[sets[:, 1], sets[:, 2]])
    triple = sets[:, 0] >= 0
    total[triple] = 3 * points.triples(sets[triple])
    return total


def _finest(points: Points) -> int:
    """Return the least that a cell costs which costs anything."""
    return min((finest for hierarchy in points.hierarchies if (finest := hierarchy.finest)), default=1)


def _by_pairs(points: Points, known: Matching, most: int) -> Matching:
    """Return the least matching by pairs of small reserve and those known already; triples and dropped rows stay.

    One matching of an ordinary graph, whose vertices are rows. Rows of one type that may be a pair are pairs already:
    all of them, or all but one.
    """
    paired = (known.sets[:, 0] < 0) & (known.sets[:, 1] >= 0)
    rest, left = known.sets[~paired], np.zeros(len(points), np.int64)
    np.add.at(left, known.sets[paired][:, 1:].ravel(), np.repeat(known.copies[paired], 2))
    alike = np.where(np.diag(points.allowed), left // 2, 0)
    rows = np.repeat(np.arange(len(points)), left - 2 * alike)
    edges = _edges(points, known, rows, most)
    spared = points.pairs.max() + 1 - points.pairs[tuple(rows[edges].T)]
    ends = heaviest_matching(len(rows), edges, spared, largest=True)
    if 2 * len(ends) < len(rows):
        return known
    pairs = np.sort(rows[ends])
    same = np.repeat(np.arange(len(points)), alike)
    pairs = np.concatenate([pairs, np.column_stack([same, same])])
    sets = np.concatenate(
        [np.column_stack([np.full(len(pairs), -1), pairs]), np.repeat(rest, known.copies[~paired], 0)]
    )
    sets, copies = np.unique(sets, axis=0, return_counts=True)
    found = replace(known, sets=sets, copies=copies, cost=_cost(points, sets, copies))
    return found if found.cost < known.cost else known


def _by_moves(points: Points, known: Matching, most: int, deadline: Ending) -> Matching:
    """Return the least matching, where sets of so small a reserve may be in one and moves are few; else what is known.

    A cheaper matching costs a unit less at least: so much its sets have less in reserve than what is known.
    """
    saved = known.cost * SCALE - int(known.prices @ points.counts) - SCALE
    if points.may_drop or saved > most:
        return known
    offered = within(points, known.prices, saved, deadline)
    if offered is None or (offered[:, 0] >= 0).sum() > MOST_OPERATIONS:
        return known
    offered = np.unique(np.concatenate([known.sets, offered]), axis=0)
    priced = zip(map(_members_of, offered.tolist()), costs(points, offered).tolist(), strict=True)
    sets = Sets(np.repeat(np.arange(len(points)), points.counts), dict(priced))
    matching = _rows_of(points, known)
    if number_of_moves(matching, sets) > MOST_OPERATIONS**2 // 2 + MOST_OPERATIONS:
        return known
    paid = known.cost
    while (better := better_matching(matching, sets, paid, deadline)) is not None:
        matching, paid = better, sum(sets.cost(group) or 0 for group in better)
    if deadline.passed:
        return known
    types = [sorted([-1] * (3 - len(group)) + sets.types[list(group)].tolist()) for group in matching]
    found, copies = np.unique(np.array(types), axis=0, return_counts=True)
    least = replace(known, sets=found, copies=copies, cost=paid, bound=paid, found_by="moves")
    return least if _is_perfect(points, least) and _cost(points, found, copies) == paid else known


def _members_of(group: list[int]) -> Rows:
    """Return the types of a pair or triple, rising."""
    return tuple(sorted(one for one in group if one >= 0))


def _rows_of(points: Points, matching: Matching) -> list[Rows]:
    """Return the matching by rows, those of a type numbered one after the other."""
    free = np.cumsum(points.counts) - points.counts
    found = []
    for group in np.repeat(matching.sets, matching.copies, axis=0).tolist():
        rows = []
        for one in _members_of(group):
            rows.append(int(free[one]))
            free[one] += 1
        found.append(tuple(sorted(rows)))
    return found


def _edges(points: Points, known: Matching, rows: Ints, most: int) -> Ints:
    """Return pairs of rows of small reserve, those of least reserve where they are many, and a perfect matching."""
    reserve = 2 * SCALE * points.pairs - known.prices[:, None] - known.prices
    near = np.argwhere(np.triu((points.allowed & (reserve <= most))[np.ix_(rows, rows)], 1))
    if len(near) > MOST_EDGES:
        least = np.argsort(reserve[tuple(rows[near].T)], kind="stable")[:MOST_EDGES]
        near = near[least]
    pairs, _ = _side_by_side(points, rows)
    return np.unique(np.concatenate([near, np.sort(pairs)]), axis=0)


# --- prices ----------------------------------------------------------------------------------------------------------


def price_rows(points: Points, start: Ints, deadline: Ending) -> Ints:
    """Return prices of at least 0 that no pair undercuts, their sum as large as it can be unless time is over."""
    known = points.allowed & False
    near = np.argsort(np.where(points.allowed, points.pairs, np.iinfo(np.int64).max), axis=1, kind="stable")
    one, other = np.repeat(np.arange(len(points)), min(NEAREST, len(points))), near[:, :NEAREST].ravel()
    known[one, other] = points.allowed[one, other]
    known |= known.T
    drops = _singles(np.ones(len(points), np.int64) if points.may_drop else np.zeros(len(points), np.int64))
    solver = _cover(points, np.concatenate([start, drops]))
    _bring(solver, points, np.argwhere(np.triu(known)))
    while True:
        solver.run()
        duals = np.array(solver.getSolution().row_dual)
        cheap = _cheap(points, duals, known)
        if not len(cheap) or deadline.passed:
            return _whole(points, duals)
        known[cheap[:, 0], cheap[:, 1]] = known[cheap[:, 1], cheap[:, 0]] = True
        _bring(solver, points, cheap)


def _cover(points: Points, start: Ints) -> Any:
    """Return the program that covers every row, with some sets to begin with."""
    rows = Constraints()
    rows.add(len(points), points.counts.astype(np.float64), np.inf)
    _members(rows, start, 0)
    solver = new_solver()
    solver.passModel(model_of(rows, costs(points, start).astype(np.float64), np.full(len(start), np.inf)))
    solver.setOptionValue("simplex_strategy", 4)  # primal: new pairs leave the last solution a solution
    return solver


def _members(rows: Constraints, sets: Ints, first: int) -> None:
    """Put the types of each set into its column, as often as the set has them."""
    column = np.repeat(first + np.arange(len(sets)), 3)
    keys, times = np.unique(np.column_stack([sets.ravel(), column])[sets.ravel() >= 0], axis=0, return_counts=True)
    rows.put(keys[:, 0], keys[:, 1], times.astype(np.float64))


def _bring(solver: Any, points: Points, pairs: Ints) -> None:
    """Add columns for pairs; one of two equal types covers it twice."""
    same = pairs[:, 0] == pairs[:, 1]
    entries = [[i] if i == j else [i, j] for i, j in pairs.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(entry) for entry in entries])[:-1]]).astype(np.int32)
    index = np.array([i for entry in entries for i in entry], dtype=np.int32)
    value = np.repeat(np.where(same, 2.0, 1.0), np.where(same, 1, 2))
    cost = 2.0 * points.pairs[pairs[:, 0], pairs[:, 1]]
    zero, most = np.zeros(len(pairs)), np.full(len(pairs), np.inf)
    solver.addCols(len(pairs), cost, zero, most, len(index), starts, index, value)


def _cheap(points: Points, duals: Floats, known: Bools) -> Ints:
    """Return pairs that cost less than their rows' prices, for each type the cheapest few."""
    reserve = 2.0 * points.pairs - duals[:, None] - duals
    reserve[known | ~points.allowed] = 0.0
    few = min(NEW, len(points))
    best = np.argpartition(reserve, few - 1, axis=1)[:, :few]
    one, other = np.repeat(np.arange(len(points)), few), best.ravel()
    cheap = reserve[one, other] < -1e-7 * (1 + 2 * points.pairs.max())
    return np.unique(np.sort(np.column_stack([one[cheap], other[cheap]])), axis=0)


def _whole(points: Points, duals: Floats) -> Ints:
    """Return prices in whole numbers; where a pair undercuts them, both its rows give way."""
    prices = np.floor(np.maximum(duals, 0.0) * SCALE + 1e-4).astype(np.int64)
    reserve = np.where(points.allowed, 2 * SCALE * points.pairs - prices[:, None] - prices, 0)
    prices += np.minimum(reserve.min(axis=1) // 2, 0)
    return np.clip(prices, 0, points.full * SCALE if points.may_drop else None)


# --- matching --------------------------------------------------------------------------------------------------------


def within(points: Points, prices: Ints, most: int, deadline: Ending | None = None) -> Ints | None:
    """Return every pair, triple and dropped row whose reserve is at most so large.

    None where they are too many, or time is over.

    The reserve of a triple is at least half of its pairs' together.
    """
    drops = _singles((points.full * SCALE - prices <= most).astype(np.int64) if points.may_drop else 0 * prices)
    reserve = np.where(points.allowed, 2 * SCALE * points.pairs - prices[:, None] - prices, 2 * most + 1)
    near = reserve <= 2 * most
    pairs = np.argwhere(np.triu(reserve <= most))
    found, number = [drops, np.column_stack([np.full(len(pairs), -1), pairs])], len(pairs)
    for i in range(len(points)):
        other = i + np.flatnonzero(near[i, i:])
        half = reserve[np.ix_(other, other)] + reserve[i, other][:, None] + reserve[i, other]
        j, k = np.nonzero(np.triu(half <= 2 * most))
        triples = np.column_stack([np.full(len(j), i), other[j], other[k]])
        dear = 3 * SCALE * points.triples(triples) - prices[triples].sum(axis=1) > most
        thrice = (triples[:, 0] == triples[:, 2]) & (points.counts[i] < 3)
        found.append(triples[~(dear | thrice)])
        number += len(found[-1])
        if number > MOST_SETS or (deadline is not None and deadline.passed):
            return None
    return np.concatenate(found)


def _least(points: Points, known: Matching, offered: Ints, deadline: Ending) -> tuple[Matching, bool]:
    """Return the least matching by what is offered and what is known, and whether the program was solved."""
    sets, place = np.unique(np.concatenate([known.sets, offered]), axis=0, return_inverse=True)
    drops = np.flatnonzero(sets[:, 1] < 0)
    rows = Constraints()
    rows.add(len(points), points.counts.astype(np.float64), points.counts.astype(np.float64))
    _members(rows, sets, 0)
    rows.put(np.full(len(drops), rows.add(1, 0.0, float(points.may_drop))), drops, 1.0)
    most = points.counts[sets[:, 2]].astype(np.float64)
    solver = new_solver()
    solver.passModel(model_of(rows, costs(points, sets).astype(np.float64), most, np.ones(len(sets), dtype=bool)))
    began = np.zeros(len(sets))
    began[place[: len(known.sets)]] = known.copies
    start_from(solver, began)
    found, solved = run_solver(solver, deadline)
    if not found:
        return known, False
    copies = np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
    used = copies > 0
    better = replace(known, sets=sets[used], copies=copies[used], cost=_cost(points, sets[used], copies[used]))
    return (better, solved) if _is_perfect(points, better) and better.cost <= known.cost else (known, False)


def _is_perfect(points: Points, matching: Matching) -> bool:
    """Whether every row is in exactly one pair or triple."""
    covered = np.zeros(len(points) + 1, dtype=np.int64)
    np.add.at(covered, matching.sets.ravel(), np.repeat(matching.copies, 3))
    return bool((covered[:-1] == points.counts).all())
