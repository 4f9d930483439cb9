"""r-gather: the largest radius is at most twice the least of all clusterings, by brute force."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from tests.contracts.test_guarantees import random_tables
from tests.oracle import partitions
from tests.strategies import Case, case_of
from tests.thorough import many

from shoal.methods.base import Deadline, silent
from shoal.methods.k_anonymity.r_gather import Gathering, RGather, distances


def apart(case: Case, one: int, other: int) -> Fraction:
    """The distance of two rows: levels of the lowest common block as shares of the height; 0 or 1 by suppression."""
    total = Fraction(0)
    for column in case.oracle.quasi:
        a, b = case.rows[one][column.name], case.rows[other][column.name]
        if case.recoding == "suppress":
            total += a != b
        else:
            paths = zip(column.path(a), column.path(b), strict=True)
            total += Fraction(sum(x != y for x, y in paths), column.height)
    return total


def least_radius(table: Sequence[Sequence[Fraction]], k: int) -> Fraction:
    """The least largest radius of all clusterings with k rows or more in each cluster."""
    found = []
    for groups in partitions(range(len(table))):
        if min(map(len, groups)) >= k:
            found.append(max(min(max(table[a][b] for b in group) for a in group) for group in groups))
    return min(found)


def check(number: int, seed: int) -> tuple[int, float]:
    """Compare so many tables; return how many, and the worst ratio."""
    looked, worst = 0, 1.0
    for case in islice(random_tables(seed), 12 * number):
        k = case.problem.models.least_rows
        if looked == number or case.recoding not in ("suppress", "generalize") or not 2 <= k <= len(case.rows) <= 8:
            continue
        looked += 1
        problem, rows = case.problem, range(len(case.rows))
        gathering = Gathering(distances(problem), problem.microdata.counts, k)
        shares, bound = gathering.gathered(Deadline(), silent)
        assert shares.sum(axis=1).tolist() == problem.microdata.counts.tolist()
        assert (shares.sum(axis=0)[shares.any(axis=0)] >= k).all()
        least = least_radius([[apart(case, one, other) for other in rows] for one in rows], k)
        assert bound <= least + 1e-9
        assert gathering.radius(shares) <= 2 * least + 1e-9
        worst = max(worst, gathering.radius(shares) / float(least) if least else 1.0)
    return looked, worst


def test_the_radius_is_at_most_twice_the_least() -> None:
    assert check(many(12), seed=1)[0] >= 10


@pytest.mark.slow
def test_the_radius_is_at_most_twice_the_least_in_many_tables() -> None:
    looked, worst = check(many(1200), seed=2)
    assert looked >= 1000
    assert worst > 1.5  # the factor is not far from what happens


def test_a_missing_value_is_as_far_as_can_be() -> None:
    case = case_of({"number": [1, 2, 9, None], "illness": ["asthma"] * 4}, "k=2", recoding="range")
    np.testing.assert_allclose(distances(case.problem)[0], [0, 1 / 8, 1, 1])


def test_it_says_what_radius_it_reached() -> None:
    case = case_of({"number": [1, 1, 9, 9], "illness": ["asthma"] * 4}, "k=2", recoding="range")
    found = RGather().run(case.problem)
    assert found.notes == ("2 clusters, largest radius 0; no clustering has one below 0",)
    assert found.cost == 0
