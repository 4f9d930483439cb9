"""Pools: every pattern that a cheap release could use is in it, and of equal ones the cheapest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import cases
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.patterns import Cube
from shoal.patterns.pool import Pool

BLOCKS = ["suppress", "generalize"]
ADDING = ["stars", "height", "ncp"]


@dataclass(frozen=True, eq=False)
class Asked:
    """What a pool is collected for."""

    cube: Cube
    types: Ints
    counts: Ints
    prices: Ints
    rows: int
    slack: int

    def pool(self, most: int = 10**6) -> Pool | None:
        return Pool.of(self.cube, self.types, self.counts, self.prices, rows=self.rows, slack=self.slack, most=most)

    @property
    def whole(self) -> Pool:
        found = self.pool()
        assert found is not None
        return found

    def expected(self) -> dict[frozenset[int], int]:
        """The cheapest cost of each set of types that some pattern may take, by trying every class of few rows."""
        found: dict[frozenset[int], int] = {}
        for a, b in self.cube.nodes.tolist():
            groups: dict[tuple[int, int], list[int]] = {}
            for place, t in enumerate(self.types.tolist()):
                groups.setdefault((int(self.cube.first.groups[a, t]), int(self.cube.second.groups[b, t])), []).append(
                    place
                )
            for places in groups.values():
                cost = int(
                    self.cube.first.losses[a, self.types[places[0]]] + self.cube.second.losses[b, self.types[places[0]]]
                )
                taken = frozenset(
                    int(self.types[place]) for place in places if self._loses(places, cost, place) <= self.slack
                )
                if taken:
                    found[taken] = min(cost, found.get(taken, cost))
        return found

    def _loses(self, places: list[int], cost: int, must: int) -> float:
        """The least that a class of enough rows with this type loses to the prices; infinite if there is none."""
        extras = [
            cost - int(self.prices[self.types[place]]) for place in places for _ in range(int(self.counts[place]))
        ]
        own = cost - int(self.prices[self.types[must]])
        if len(extras) < self.rows:
            return float("inf")
        extras.remove(own)
        extras.sort()
        return own + sum(extras[: self.rows - 1]) + sum(min(extra, 0) for extra in extras[self.rows - 1 :])


@st.composite
def asked(draw: st.DrawFn, rows: int) -> Asked:
    """A cube, some of its types with some of their copies, prices, k and a slack."""
    cube = Cube.of(draw(cases(rows, BLOCKS, costs=ADDING)).problem)
    some = draw(st.lists(st.sampled_from(range(cube.types)), min_size=1, max_size=cube.types, unique=True))
    types = np.array(sorted(some), np.int64)
    counts = np.array([draw(st.integers(1, int(cube.counts[t]))) for t in types], np.int64)
    share = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 1.3])
    prices = np.array([int(draw(share) * cube.full) for _ in range(cube.types)], np.int64)
    slack = int(draw(st.sampled_from([0.0, 0.2, 0.5, 1.0, 3.0])) * cube.full)
    return Asked(cube, types, counts, prices, draw(st.integers(1, 4)), slack)


def members_of(pool: Pool) -> list[frozenset[int]]:
    return [
        frozenset(pool.types[pool.members[start:end]].tolist())
        for start, end in zip(pool.starts[:-1], pool.starts[1:], strict=True)
    ]


def check(wanted: Asked) -> None:
    pool = wanted.whole
    assert dict(zip(members_of(pool), pool.costs.tolist(), strict=True)) == wanted.expected()


@settings(max_examples=examples(60))
@given(wanted=asked(12))
def test_a_pool_has_every_pattern_and_type_that_loses_at_most_the_slack(wanted: Asked) -> None:
    check(wanted)


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(wanted=asked(25))
def test_a_pool_has_every_pattern_and_type_that_loses_at_most_the_slack_in_many_more(wanted: Asked) -> None:
    check(wanted)


@settings(max_examples=examples(60))
@given(wanted=asked(12))
def test_no_two_patterns_of_a_pool_have_equal_members(wanted: Asked) -> None:
    found = members_of(wanted.whole)
    assert len(found) == len(set(found))


@settings(max_examples=examples(60))
@given(wanted=asked(12))
def test_the_node_and_cost_of_a_pattern_are_those_of_its_members(wanted: Asked) -> None:
    pool, cube = wanted.whole, wanted.cube
    pairs = cube.nodes[pool.nodes[pool.pattern_of_member]]
    types = pool.types[pool.members]
    paid = cube.first.losses[pairs[:, 0], types] + cube.second.losses[pairs[:, 1], types]
    assert paid.tolist() == pool.costs[pool.pattern_of_member].tolist()


@settings(max_examples=examples(60))
@given(wanted=asked(12))
def test_the_types_of_a_pool_come_dearest_first_with_their_counts(wanted: Asked) -> None:
    pool = wanted.whole
    dear = wanted.prices[pool.types].tolist()
    assert dear == sorted(dear, reverse=True)
    assert dict(zip(pool.types.tolist(), pool.counts.tolist(), strict=True)) == dict(
        zip(wanted.types.tolist(), wanted.counts.tolist(), strict=True)
    )


@settings(max_examples=examples(40))
@given(wanted=asked(12))
def test_more_members_than_allowed_give_no_pool(wanted: Asked) -> None:
    assert wanted.pool(most=wanted.cube.number * len(wanted.types)) is not None
    size = len(wanted.whole.members)
    assert size == 0 or wanted.pool(most=size - 1) is None


@settings(max_examples=examples(40))
@given(wanted=asked(12), data=st.data())
def test_some_patterns_of_a_pool_keep_their_members(wanted: Asked, data: st.DataObject) -> None:
    pool = wanted.whole
    chosen = data.draw(st.lists(st.sampled_from(range(len(pool))), unique=True)) if len(pool) else []
    part = pool.take(np.array(chosen, np.int64))
    assert members_of(part) == [members_of(pool)[p] for p in chosen]


def test_patterns_joined_to_a_pool_come_last() -> None:
    pool = Pool(*(np.array(numbers, np.int64) for numbers in ([4, 7], [1, 2], [0], [5], [0, 2], [0, 1])))
    more = pool.joined(*(np.array(numbers, np.int64) for numbers in ([3, 1], [9, 8], [0, 1, 1], [1, 0, 1])))
    assert members_of(more) == [{4, 7}, {7}, {4, 7}]
    assert (more.nodes.tolist(), more.costs.tolist()) == ([0, 3, 1], [5, 9, 8])
