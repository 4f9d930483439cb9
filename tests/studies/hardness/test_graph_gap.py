"""The gap of the graph representation: equal distances, unequal costs."""

import pytest
from tests.studies.hardness.solved import solved

from shoal.studies.hardness.graph_gap import GraphGap


@pytest.mark.parametrize(("k", "dear", "cheap"), [(2, 4, 4), (3, 18, 18), (4, 64, 56), (5, 200, 150)])
def test_the_costs_differ_and_the_distances_do_not(k: int, dear: int, cheap: int) -> None:
    for reduction, expected in ((GraphGap(k), dear), (GraphGap(k, spread=False), cheap)):
        assert solved(reduction) == (expected, 2 ** (k - 1))
        assert reduction.optimum == expected
