"""Flows that give every centre its rows, against the maximum flow of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

from shoal.core.arrays import Bools, Ints
from shoal.methods.k_anonymity.gathering_flow import gathering_flow


def exists(near: Bools, counts: Ints, r: int) -> bool:
    """Whether the largest flow from a source over centres and points to a sink fills every centre."""
    points, centres = near.shape
    room = np.zeros((points + centres + 2, points + centres + 2), dtype=np.int32)
    room[-2, points : points + centres] = r
    room[points : points + centres, :points] = near.T * r
    room[:points, -1] = counts
    return bool(csgraph.maximum_flow(csr_array(room), points + centres, points + centres + 1).flow_value == r * centres)


@pytest.mark.parametrize("seed", range(40))
def test_there_is_a_flow_wherever_the_largest_one_fills_all_centres(seed: int) -> None:
    draw, both = np.random.default_rng(seed), set()
    for _ in range(15):
        points, centres, r = int(draw.integers(1, 25)), int(draw.integers(1, 9)), int(draw.integers(1, 6))
        near = draw.random((points, centres)) < draw.choice([0.15, 0.3, 0.6])
        counts = draw.integers(1, 4, points)
        found = gathering_flow(near, counts, r)
        both.add(found is None)
        assert (found is not None) == exists(near, counts, r)
        if found is not None:
            assert (found >= 0).all()
            assert not found[~near].any()
            assert (found.sum(axis=0) == r).all()
            assert (found.sum(axis=1) <= counts).all()
    assert both == {True, False}
