"""K-Optimize against every cut of whole columns, and the genetic search beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, product
from math import inf

import numpy as np
import pytest
from tests.contracts.test_guarantees import larger, random_tables
from tests.oracle import Group, in_order
from tests.strategies import Case
from tests.thorough import many

from shoal.methods.base import Deadline
from shoal.methods.general.genetic import Genetic
from shoal.methods.general.k_optimize import KOptimize


def cuts_of_whole_columns(case: Case) -> Iterator[list[Group]]:
    """Every way to cut the columns between neighbouring values, by their own order, as groups of rows."""
    rows, orders = case.rows, [in_order(row[name] for row in case.rows) for name in case.quasi]
    for bits in product(*(product([0, 1], repeat=len(order) - 1) for order in orders)):
        parts = [
            dict(zip(order, np.cumsum([0, *chosen]).tolist(), strict=True))
            for order, chosen in zip(orders, bits, strict=True)
        ]
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            groups[tuple(part[row[name]] for name, part in zip(case.quasi, parts, strict=True))].append(number)
        yield [tuple(group) for group in groups.values()]


def least_of_cuts(case: Case) -> float:
    """The least cost of all cuts whose classes, as published, are admitted before they are joined by equal cells."""
    problem, cost = case.oracle, case.problem.cost.name
    admitted = (groups for groups in cuts_of_whole_columns(case) if problem.admits(groups))
    return min((problem.cost(cost, problem.classes(groups)) for groups in admitted), default=inf)


def check(number: int, seed: int) -> int:
    """Compare so many tables whose columns have an order of their own; return how many were looked at."""
    looked = 0
    for case in islice(random_tables(seed), 4 * number):
        method = KOptimize()
        if method.accepts(case.problem) or case.oracle.is_hopeless or looked == number:
            continue
        looked += 1
        found = method.run(case.problem)
        least = least_of_cuts(case)
        assert "searched to the end" in found.notes[0]
        assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-12), case
        assert Genetic().run(case.problem, seed=seed).cost >= least - 1e-9
    return looked


def test_it_finds_the_best_of_all_cuts_of_whole_columns() -> None:
    assert check(many(15), seed=1) >= 10


@pytest.mark.slow
def test_it_finds_the_best_of_all_cuts_in_many_tables() -> None:
    assert check(many(1500), seed=2) >= 1000


def test_discernibility_is_pruned_and_still_least() -> None:
    case = larger(12, 4, "k=2", recoding="range", cost="discernibility")
    assert KOptimize().run(case.problem).cost == least_of_cuts(case)


def test_out_of_time_it_says_so() -> None:
    case = larger(20, 4, "k=2", recoding="range")
    found = KOptimize().attempt(case.problem, seed=0, deadline=Deadline.after(0), progress=lambda share, doing: None)
    assert "ended early" in found.notes[0]


def test_the_seed_decides_what_the_genetic_search_draws() -> None:
    case = larger(40, 2, "k=4", recoding="range")
    costs = [Genetic().run(case.problem, seed=seed).cost for seed in (1, 1, 2, 3, 4, 5)]
    assert costs[0] == costs[1]
    assert max(costs) <= case.oracle.cost("ncp", [tuple(range(40))])
