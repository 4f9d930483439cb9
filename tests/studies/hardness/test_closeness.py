"""k-anonymity as t-closeness: the same optimum, and the same answers."""

import pytest
from tests.studies.hardness.solved import graphs, least_width, solved, splits

from shoal.core.errors import ParameterError
from shoal.studies.hardness.clique_partition import CliquePartition
from shoal.studies.hardness.closeness import Closeness
from shoal.studies.hardness.matching_diversity import MatchingDiversity
from shoal.studies.hardness.minimum_bisection import MinimumBisection


@pytest.mark.parametrize("vertices", [4, 5])
def test_cliques(vertices: int) -> None:
    for graph in graphs(vertices, 8):
        if len(graph.edges) >= 3:
            reduction = Closeness(CliquePartition(graph))
            cost, cliques = solved(reduction)
            assert cost == solved(reduction.base)[0]
            assert (cliques is not None) == splits(frozenset(graph.edges), 3)


def test_halves() -> None:
    for graph in graphs(6, 6):
        base = MinimumBisection(graph)
        cost, half = solved(Closeness(base))
        assert cost == base.cost_for(least_width(graph)) == base.cost_for(graph.cut(half))


def test_what_is_planted_is_the_optimum() -> None:
    reduction = Closeness.seeded(5, cliques=3)
    assert str(reduction.require) == "t(own:equal)=2/3"
    assert solved(reduction)[0] == reduction.optimum


def test_another_requirement_is_refused() -> None:
    with pytest.raises(ParameterError, match="k-anonymity"):
        Closeness(MatchingDiversity.seeded())
