"""Optimal transport: plans move everything, and no cheaper plan exists."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.arrays import Floats, Ints
from shoal.models.transport import cheapest_plan


def can_be_cheaper(plan: Ints, costs: Floats) -> bool:
    """Whether units can be sent in a circle at a gain: then, and only then, a plan is not the cheapest (Klein 1967)."""
    sources, nodes = plan.shape[0], sum(plan.shape)
    arcs = [(i, sources + j, costs[i, j]) for i, j in np.ndindex(*plan.shape)]
    arcs += [(sources + j, i, -costs[i, j]) for i, j in np.ndindex(*plan.shape) if plan[i, j]]
    far = np.zeros(nodes)
    for _ in range(nodes):
        for start, end, cost in arcs:
            far[end] = min(far[end], far[start] + cost)
    return any(far[start] + cost < far[end] - 1e-9 for start, end, cost in arcs)


def check_plan(supply: Ints, demand: Ints, costs: Floats) -> None:
    plan = cheapest_plan(supply, demand, costs)
    assert plan.min() >= 0
    assert (plan.sum(axis=1).tolist(), plan.sum(axis=0).tolist()) == (supply.tolist(), demand.tolist())
    assert not can_be_cheaper(plan, costs)


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=7), st.integers(0, 2**32 - 1))
def test_everything_is_moved_as_cheaply_as_can_be(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    supply, weights = np.array(counts), rng.integers(1, 30, len(counts))
    supply[0] += 1
    supply, demand = supply * weights.sum(), weights * supply.sum()
    costs = rng.integers(0, 7, (len(counts), len(counts))) / 6
    check_plan(supply, demand, costs)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_single_units_are_moved_as_cheaply_as_can_be(sources: int, sinks: int, units: int, seed: int) -> None:
    """Where a node has one unit, or none, it may have to go another way than it was first sent."""
    rng = np.random.default_rng(seed)
    supply, demand = (np.bincount(rng.integers(0, nodes, units), minlength=nodes) for nodes in (sources, sinks))
    check_plan(supply, demand, rng.integers(0, 7, (sources, sinks)) / 6)
