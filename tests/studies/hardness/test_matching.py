"""Matching: the threshold is reached exactly where some tuples hold every element once."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.studies.hardness.solved import has_matching, random_tuples, solved

from shoal.core.errors import ParameterError
from shoal.studies.hardness.matching_closeness import MatchingCloseness
from shoal.studies.hardness.matching_diversity import MatchingDiversity
from shoal.studies.hardness.sources import Tuples

YES = Tuples(3, 2, ((0, 1, 0), (0, 0, 0), (1, 0, 1)))
NO = Tuples(3, 2, ((0, 1, 0), (0, 0, 0), (1, 1, 1), (1, 0, 0)))
FIGURE_1 = Tuples(3, 4, ((0, 0, 3), (0, 1, 2), (1, 2, 0), (1, 1, 0), (2, 1, 2), (3, 3, 1)))


@pytest.mark.parametrize("t", ["0", "0.3"])
@pytest.mark.parametrize(("count", "tuples"), [(2, 3), (3, 5), (3, 7)])
def test_closeness_below_a_third(t: str, count: int, tuples: int) -> None:
    rng = np.random.default_rng(count)
    answers = set()
    for _ in range(8):
        reduction = MatchingCloseness(random_tuples(3, count, tuples, rng), Fraction(t))
        cost, match = solved(reduction)
        assert cost >= reduction.threshold
        assert (cost == reduction.threshold) == (match is not None) == has_matching(reduction.tuples)
        answers.add(match is not None)
    assert answers == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("tuples", [YES, NO])
def test_closeness_from_a_third_on(tuples: Tuples) -> None:
    reduction = MatchingCloseness(tuples, Fraction(1, 3))
    cost, match = solved(reduction)
    assert (cost == reduction.threshold) == (match is not None) == has_matching(tuples)


@pytest.mark.parametrize("tuples", [YES, NO])
@pytest.mark.parametrize("t", ["1/3", "2/5", "5/12"])
def test_from_a_third_on_only_a_tuple_costs_its_rows_so_little(tuples: Tuples, t: str) -> None:
    """Every class there can be, but for which of the new rows it holds: those are alike."""
    reduction = MatchingCloseness(tuples, Fraction(t))
    old, new = 6, reduction.frame.height - 6
    assert reduction.frame["side"].value_counts().filter(side="none")["count"].item() == 2 * Fraction(t) * (6 + new)
    cells = reduction.frame.drop("side").to_numpy()
    tried = [
        [*some, *range(old, old + more)]
        for size in range(old + 1)
        for some in combinations(range(old), size)
        for more in range(new + 1)
        if size + more
    ]
    rows = np.concatenate(tried)
    owner = np.repeat(np.arange(len(tried)), [len(some) for some in tried])
    admitted = reduction.problem.models.admits(reduction.problem.candidates(rows, owner, len(tried)))
    for some, may in zip(tried, admitted, strict=True):
        kept = int((cells[some] == cells[some[0]]).all(axis=0).sum())
        if may and some != [row for row in some if row >= old][:1]:
            assert kept == (tuples.named_by(some) is not None if max(some) < old else 0)
        if len(some) == 1:
            assert may == (some[0] >= old)
        if max(some) < old and tuples.named_by(some) is not None:
            assert may


def test_from_a_third_on_a_matching_is_read_off_its_classes() -> None:
    reduction = MatchingCloseness(YES, Fraction(1, 3))
    classes = [0, 1, 1, 0, 0, 1, *range(2, 14)]
    assert reduction.cost(classes) == reduction.threshold
    assert reduction.answer(classes) == (0, 2)
    assert reduction.answer([0] * 18) is None


def test_diversity_of_the_figure() -> None:
    reduction = MatchingDiversity(FIGURE_1, values=8)
    rows = reduction.frame.rows()
    assert rows[0] == (0, 0, 1, 1, 1, 1, 1)
    assert rows[4:7] == [(0, 5, 5, 5, 5, 5, 5), (6, 0, 6, 0, 0, 6, 6), (7, 7, 0, 7, 7, 7, 7)]
    assert rows[8] == (8, 8, 0, 0, 8, 8, 8)
    cost, match = solved(reduction)
    assert cost == reduction.threshold == 60
    assert sorted(match) == [0, 2, 4, 5]


@pytest.mark.parametrize(
    ("sides", "count", "tuples", "values"),
    [(3, 2, 3, 0), (3, 3, 6, 9), (3, 3, 7, 4), (4, 2, 5, 0), (4, 2, 6, 6), (5, 2, 5, 10)],
)
def test_diversity(sides: int, count: int, tuples: int, values: int) -> None:
    rng = np.random.default_rng(tuples)
    answers = set()
    for _ in range(8):
        reduction = MatchingDiversity(random_tuples(sides, count, tuples, rng), values)
        assert reduction.frame["value"].n_unique() == (values or sides)
        cost, match = solved(reduction)
        assert cost >= reduction.threshold
        assert (cost == reduction.threshold) == (match is not None) == has_matching(reduction.tuples)
        answers.add(match is not None)
    assert answers == {True, False}


def test_what_is_planted_is_found() -> None:
    close = MatchingCloseness.seeded(4, count=4, decoys=8)
    diverse = MatchingDiversity.seeded(4, l=4, count=3, decoys=5, values=7)
    for reduction in (close, diverse):
        cost, match = solved(reduction)
        assert cost == reduction.optimum
        assert reduction.tuples.matches(match)
    assert MatchingCloseness.seeded(4, count=2, decoys=1, t="0.4").frame.height == 30


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="none twice"):
        Tuples(3, 2, ((0, 1, 0), (0, 1, 0)))
    with pytest.raises(ParameterError, match="every element once"):
        MatchingCloseness(NO, solution=(0, 1))
    with pytest.raises(ParameterError, match="below 1/2"):
        MatchingCloseness.seeded(t="1/2")
    with pytest.raises(ParameterError, match="without rest"):
        MatchingCloseness.seeded(count=2, decoys=1, t="0.37")
    with pytest.raises(ParameterError, match="from 3 to 6 values"):
        MatchingDiversity(YES, values=7)
    with pytest.raises(ParameterError, match="at most 6"):
        MatchingDiversity.seeded(count=2, decoys=7)
