"""What rows gain after offsets, beside what a class of parts of rows gains at best: never less, and mostly no more.

A class of parts of rows may have any shares that its model allows: a linear program, or for entropy a grid of shares.
No offsets leave less than it gains. Those that leave much more are not false, but prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import log
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.checking.test_offset_parts import PARTS, Group, capped, members_of, random_caps, random_metric

from shoal.checking.gains import FINE
from shoal.checking.offsets import EntropyOffset, Offset

INSTANCES = {"capped": 200, "metric": 120, "entropy": 40}


def random_group(random: Random, values: int) -> Group:
    """Rows of one group; gains are large, so that rounding them is not what is measured."""
    rows = ((random.randrange(values), 1000 * random.randint(-9, 9), random.randint(1, 6)) for _ in range(9))
    return sorted((next(rows) for _ in range(random.randint(3, 9))), key=lambda row: -row[1])


def left_by(offset: Offset, group: Group) -> int:
    """What the rows that still gain after the offsets gain together."""
    after = offset(members_of([group])[0])
    return int((after.count * np.maximum(after.gain, 0)).sum())


def program(group: Group, others: int, above: Sequence[Any], equal: Sequence[Any] = ()) -> float:
    """The most that parts of the rows gain, beside other variables, where some sums are at most 0 and some are 0.

    They are a row or more together; where there is no such class, none gains anything.
    """
    bounds = [*((0, row[2]) for row in group), *[(0, None)] * others]
    fewest = -np.repeat([1.0, 0.0], [len(group), others])
    gains = [*(-row[1] for row in group), *[0] * others]
    exact = (np.array(equal), np.zeros(len(equal))) if len(equal) else (None, None)
    found = linprog(gains, np.array([*above, fewest]), [*[0] * len(above), -1], *exact, bounds)
    return max(float(-found.fun), 0.0) if found.status == 0 else 0.0


def capped_best(group: Group, base: list[int], hard: list[int], pool: int) -> float:
    """The best class whose shares are capped: no value above its hard cap, at most the pool above the base."""
    named, size = sorted({row[0] for row in group}), len(group)
    rows, above = np.repeat([1.0, 0.0], [size, len(named)]), []
    for place, value in enumerate(named):
        own = np.array([*(float(row[0] == value) for row in group), *[0.0] * len(named)])
        over = np.eye(size + len(named))[size + place]
        above += [own - hard[value] / PARTS * rows, own - base[value] / PARTS * rows - over]
    return program(group, len(named), [*above, 1 - rows - pool / PARTS * rows])


def near_best(group: Group, totals: list[int], t: Fraction, apart: list[list[int]]) -> float:
    """The best class to whose shares those of the table can be moved within distance t."""
    size, width = len(group), len(totals)
    rows, way = np.repeat([1.0, 0.0], [size, width**2]), np.eye(size + width**2)
    moved = [[way[size + one * width + other] for other in range(width)] for one in range(width)]
    from_table = [sum(moved[one]) - totals[one] / sum(totals) * rows for one in range(width)]
    held = [np.array([*(float(row[0] == value) for row in group), *[0.0] * width**2]) for value in range(width)]
    into = [sum(moved[one][value] for one in range(width)) - held[value] for value in range(width)]
    far = sum(apart[one][other] / 2**FINE * moved[one][other] for one, other in product(range(width), repeat=2))
    return program(group, width**2, [far - float(t) * rows], [*from_table, *into])


def gain_of(group: Group, shares: Mapping[int, float], rows: float) -> float:
    """What so many rows with these shares of values gain, the dearest of each value; 0 where there are not so many."""
    gained = 0.0
    for value, share in shares.items():
        due = share * rows
        for _, gain, count in (row for row in group if row[0] == value):
            taken = min(due, count)
            gained, due = gained + taken * gain, due - taken
        if due > 1e-9:
            return 0.0
    return gained


def diverse_best(group: Group, level: Fraction) -> float:
    """The best class on a grid of shares whose entropy is high enough; its gain bends where a row is used up."""
    named, best, grid = sorted({row[0] for row in group}), 0.0, 30
    for some in product(range(grid + 1), repeat=len(named)):
        shares = {value: parts / grid for value, parts in zip(named, some, strict=True) if parts}
        if sum(some) == grid and -sum(share * log(share) for share in shares.values()) >= log(level):
            held = ((value, np.cumsum([row[2] for row in group if row[0] == value])) for value in shares)
            ends = {float(rows) / shares[value] for value, counts in held for rows in counts}
            best = max(best, *(gain_of(group, shares, rows) for rows in ends))
    return best


def instance(random: Random, kind: str) -> tuple[int, float]:
    """What the offsets of a random group leave, and what a class gains at best."""
    group = random_group(random, 4 if kind == "metric" else 3)
    values = members_of([group])[1]
    if kind == "capped":
        base, hard, pool = random_caps(random)
        base, pool = random.choice([(base, pool), (hard, 0)])
        return left_by(capped(values, 1, base, hard, pool, np.int64), group), capped_best(group, base, hard, pool)
    if kind == "metric":
        offset, totals, apart = random_metric(random, values, np.int64)
        return left_by(offset, group), near_best(group, totals, offset.spread.t, apart)
    level = Fraction(random.randint(12, 26), 10)
    return left_by(EntropyOffset(values, 1, level), group), diverse_best(group, level)


@pytest.mark.parametrize(
    ("kind", "shares"),
    [
        ("capped", {0.5: 1.0001, 0.8: 1.0005, 0.9: 1.001}),
        ("metric", {0.5: 1.0001, 0.7: 1.001, 0.9: 1.2}),
        ("entropy", {0.25: 1.04, 0.5: 1.08, 0.9: 1.25}),
    ],
)
def test_offsets_leave_no_less_than_the_best_class_and_mostly_hardly_more(
    kind: str, shares: Mapping[float, float]
) -> None:
    random = Random(11)
    found = [instance(random, kind) for _ in range(INSTANCES[kind])]
    assert all(left >= best * (1 - 1e-9) for left, best in found)
    over = sorted(left / best for left, best in found if best > 1)
    assert len(over) > INSTANCES[kind] / 4
    for share, most in shares.items():
        assert over[int(share * len(over))] <= most
