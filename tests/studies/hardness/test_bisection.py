"""Minimum bisection, for k of half of the rows and of a smaller share."""

from fractions import Fraction

import pytest
from tests.studies.hardness.solved import graphs, least_width, solved

from shoal.core.errors import ParameterError
from shoal.studies.hardness.minimum_bisection import MinimumBisection
from shoal.studies.hardness.share_anonymity import ShareAnonymity
from shoal.studies.hardness.sources import Graph


@pytest.mark.parametrize("vertices", [4, 6, 8])
def test_the_optimum_is_that_of_the_least_cut(vertices: int) -> None:
    for graph in graphs(vertices, 12):
        reduction = MinimumBisection(graph)
        cost, half = solved(reduction)
        assert cost == reduction.cost_for(least_width(graph))
        assert len(half) == vertices // 2
        assert graph.cut(half) == least_width(graph)


@pytest.mark.parametrize("share", ["1/3", "1/4", "2/7"])
def test_new_rows_and_columns_change_nothing(share: str) -> None:
    for graph in graphs(4, 5):
        base = MinimumBisection(graph)
        reduction = ShareAnonymity(base, Fraction(share))
        cost, half = solved(reduction)
        assert reduction.frame.height * Fraction(share) == 2
        assert cost == base.cost_for(least_width(graph)) == solved(base)[0]
        assert graph.cut(half) == least_width(graph)


@pytest.mark.parametrize(("half", "crossing"), [(2, 2), (3, 4), (4, 0), (4, 6), (5, 3)])
def test_the_planted_cut_is_least(half: int, crossing: int) -> None:
    reduction = MinimumBisection.seeded(1, half=half, crossing=crossing)
    assert reduction.width == least_width(reduction.graph) == crossing
    assert solved(reduction)[0] == reduction.optimum


def test_the_planted_cut_is_least_for_a_share() -> None:
    reduction = ShareAnonymity.seeded(1, half=3, crossing=2)
    cost, half = solved(reduction)
    assert cost == reduction.optimum
    assert reduction.base.graph.cut(half) == 2


def test_one_class_is_read_as_some_halves_and_a_mixed_one_as_none() -> None:
    base = MinimumBisection.seeded(1, half=2, crossing=1)
    assert len(base.answer([0] * 4)) == 2
    assert ShareAnonymity(base).answer([0] * 6) is None


def test_what_has_no_halves_is_refused() -> None:
    with pytest.raises(ParameterError, match="even"):
        MinimumBisection(Graph.complete(5))
    with pytest.raises(ParameterError, match="at most 2"):
        MinimumBisection.seeded(half=2, crossing=3)
    with pytest.raises(ParameterError, match="without rest"):
        ShareAnonymity(MinimumBisection(Graph.complete(4)), Fraction(3, 10))
    with pytest.raises(ParameterError, match="1/3"):
        ShareAnonymity.seeded(share="0.4")
    with pytest.raises(ParameterError, match="do not meet k=2"):
        MinimumBisection(Graph.complete(4)).answer([0, 0, 0, 1])
    with pytest.raises(ParameterError, match="every one of 4 rows"):
        MinimumBisection(Graph.complete(4)).answer([0, 0, 1, 1, -1])
