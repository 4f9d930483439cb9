"""Tables and checks that the tests of both factor methods share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.strategies import QUASI, Case, case_of

import shoal
from shoal.checking.audit import audit
from shoal.core.errors import Unsupported
from shoal.methods.base import Method
from shoal.studies.synth import census, census_hierarchies

WAYS = [("suppress", "stars"), ("suppress", "height"), ("generalize", "height"), ("generalize", "ncp")]


def run(rows: Sequence[Sequence[str]], k: int, method: str, **more: Any) -> Any:
    people = {f"column {place}": list(column) for place, column in enumerate(zip(*rows, strict=True))}
    return shoal.anonymize(people, quasi=list(people), require=f"k={k}", method=method, **more)


def census_run(method: str, k: int, **more: Any) -> Any:
    """A release of 200 people by hierarchies; its table is audited."""
    quasi = ["age", "gender", "race", "marital"]
    trees = {name: builder for name, builder in census_hierarchies().items() if name in quasi}
    people = census(200, seed=3).select(quasi)
    found = shoal.anonymize(
        people, quasi=quasi, hierarchies=trees, require=f"k={k}", recoding="generalize", method=method, **more
    )
    assert audit(found.table, quasi=quasi, require=f"k={k}").holds
    return found


def refused(method: str, **more: Any) -> str:
    data = {"a": [1, 2, 3, 4], "s": [1, 2, 1, 2]}
    with pytest.raises(Unsupported) as refusal:
        shoal.anonymize(data, quasi=["a"], sensitive=["s"], method=method, **more)
    return str(refusal.value)


def table_of(rng: np.random.Generator, names: Sequence[str], rows: int, values: int) -> dict[str, list[Any]]:
    pools = {name: QUASI[name].pool[:values] for name in names}
    return {name: [pool[int(rng.integers(len(pool)))] for _ in range(rows)] for name, pool in pools.items()}


def binary_case(rng: np.random.Generator, k: int, rows: int = 0) -> Case:
    """A table whose columns have two values, by suppression."""
    names = ["number", "text", "category", "truth", "decimal"][: int(rng.integers(2, 6))]
    return case_of(table_of(rng, names, rows or int(rng.integers(k, 8)), 2), f"k={k}")


def weighted_case(rng: np.random.Generator, k: int, recoding: str, cost: str, dropped: Fraction) -> Case:
    """A table of three columns, one of which surely has three values; with weights where the cost takes them."""
    columns = table_of(rng, ["text", "number", "category"], int(rng.integers(k, 5)), 4)
    columns = {name: [*column, *QUASI[name].pool[:3]] for name, column in columns.items()}
    case = case_of(columns, f"k={k}", recoding=recoding, cost=cost, max_dropped=dropped)
    if cost == "stars":
        return case
    weights = {name: Fraction(int(rng.integers(1, 5)), 2) for name in case.quasi}
    return Case(case.kinds, case.columns, case.models, recoding, cost, weights, dropped)


@dataclass
class Worst:
    """The worst ratio of cost and optimum seen."""

    ratio: float = 1.0

    def check(self, method: Method, case: Case, factor: float) -> None:
        """Guarantees that bound, optimum and cost are in order, the cost within the factor, the factor stated."""
        found, best = method.run(case.problem), case.oracle.optimum(str(case.problem.cost.name))
        assert found.status in ("within_bound", "optimal")
        assert found.guarantee is not None
        assert float(found.guarantee.split()[2]) <= factor
        assert found.lower_bound is not None
        assert found.lower_bound - 1e-9 <= best <= found.cost + 1e-9
        assert found.cost <= float(found.guarantee.split()[2]) * best + 1e-9
        if best:
            self.ratio = max(self.ratio, found.cost / best)
