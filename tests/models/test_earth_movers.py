"""The Earth Mover's Distance: the papers' numbers, and the closed forms against the transportation problem."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.oracle import Key, Matrix, Tree
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.hierarchies import Taxonomy
from shoal.microdata.histogram import Classes, Values
from shoal.models import TCloseness
from shoal.models.emd import GroundDistance, Line, ground_distance
from shoal.models.emd import Matrix as Transport
from shoal.models.emd import Tree as Blocks
from shoal.models.metric import Metric

ORDERED = Line((1, 1))
EQUAL = Blocks(np.arange(3)[None, :])
P, Q, R = [3, 1, 6], [4, 0, 6], [1, 7, 2]

# Liang and Yuan 2013, Theorem 7: three points in a triangle of sides 1, the fourth half-way between them.
HALF = Fraction(1, 2)
FOUR = Metric.of(["1", "2", "3", "4"], [[0, 1, 1, HALF], [1, 0, 1, HALF], [1, 1, 0, HALF], [HALF, HALF, HALF, 0]])

some_counts = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)
all_counts = st.lists(st.integers(1, 6), min_size=4, max_size=4)


def counted(counts: list[int]) -> dict[int, int]:
    return {value: count for value, count in enumerate(counts) if count}


def totals(counts: list[int]) -> Ints:
    return np.array(counts, dtype=np.int64)


def keyed(counts: list[int]) -> dict[Key, int]:
    return dict(enumerate(counts))


@pytest.mark.parametrize(
    ("one", "other", "ground", "distance"),
    [
        (P, Q, ORDERED, "1/20"),
        (P, R, ORDERED, "3/10"),
        (Q, R, ORDERED, "7/20"),
        ([1, 1, 0], [3, 3, 4], EQUAL, "2/5"),
        ([1, 1, 1], [3, 3, 4], EQUAL, "1/15"),
        ([1, 1, 2], [3, 3, 4], EQUAL, "1/10"),
    ],
)
def test_printed_distances(one: list[int], other: list[int], ground: GroundDistance, distance: str) -> None:
    assert ground.one(counted(one), totals(other)) == Fraction(distance)
    assert ground.one(counted(other), totals(one)) == Fraction(distance)


@pytest.mark.parametrize(("salaries", "distance"), [([3, 4, 5], "3/8"), ([6, 8, 11], "1/6")])
@pytest.mark.parametrize("word", ["ordered", "numeric"])
def test_salaries_against_nine_equally_common_ones(salaries: list[int], distance: str, word: str) -> None:
    values = Values(np.array([salary - 3 for salary in salaries]), np.ones(9, dtype=np.int64), pl.Series(range(3, 12)))
    classes = Classes(np.zeros(3, dtype=np.int64), 1, {("salary",): values})
    model = TCloseness(distance, "salary", distance=word)
    assert model.exact(model.slices(classes), 0) == Fraction(distance)
    assert model.level(classes)[0] == pytest.approx(float(Fraction(distance)))
    assert model.admits(classes)[0]


@settings(max_examples=examples(80))
@given(a=some_counts, b=all_counts)
def test_the_four_point_metric_has_its_closed_form(a: list[int], b: list[int]) -> None:
    share = [Fraction(x, sum(a)) - Fraction(y, sum(b)) for x, y in zip(a, b, strict=True)]
    if share[3] < 0:
        share = [-extra for extra in share]
    expected = share[3] / 2 + sum(extra for extra in share[:3] if extra >= 0)
    assert Transport(FOUR).one(counted(a), totals(b)) == expected


@pytest.mark.parametrize("rows", range(1, 8))
def test_a_class_of_r_of_n_all_different_values_is_at_one_less_r_nths(rows: int) -> None:
    ground = Blocks(np.arange(rows)[None, :])
    for size in range(1, rows + 1):
        counts = dict.fromkeys(range(size), 1)
        assert ground.one(counts, np.ones(rows, dtype=np.int64)) == 1 - Fraction(size, rows)


@pytest.mark.parametrize("value", range(3))
def test_the_distance_to_one_value_is_the_mean_distance_from_it(value: int) -> None:
    total = totals([2, 3, 5])
    expected = sum(Fraction(int(total[u]), 10) * Fraction(abs(u - value), 2) for u in range(3))
    assert ORDERED.one({value: 7}, total) == expected


# --- closed forms against the transportation problem -----------------------------------------------------------------

PLACES = [Fraction(0), Fraction(1), Fraction(5, 2), Fraction(6)]
TREE: Tree = {0: ("left", "west"), 1: ("left", "west"), 2: ("middle", "west"), 3: ("right", "east")}
BLOCKS = np.array([[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1]])


def levels_apart(one: int, other: int) -> Fraction:
    """The height of the lowest common block, as a share of the tree's."""
    paths = [(value, *TREE[value], "root") for value in (one, other)]
    return Fraction(next(h for h in range(4) if paths[0][h] == paths[1][h]), 3)


def metric_of(distance: Mapping[tuple[int, int], Fraction]) -> Matrix:
    return {(a, b): apart for (a, b), apart in distance.items()}


PAIRS = [(a, b) for a in range(4) for b in range(4)]
GROUNDS: dict[str, tuple[GroundDistance, Matrix]] = {
    "equal": (Blocks(np.arange(4)[None, :]), metric_of({(a, b): Fraction(a != b) for a, b in PAIRS})),
    "ordered": (Line((1, 1, 1)), metric_of({(a, b): Fraction(abs(a - b), 3) for a, b in PAIRS})),
    "numeric": (
        Line(tuple(after - before for before, after in pairwise(PLACES))),
        metric_of({(a, b): abs(PLACES[a] - PLACES[b]) / 6 for a, b in PAIRS}),
    ),
    "hierarchy": (Blocks(BLOCKS), metric_of({(a, b): levels_apart(a, b) for a, b in PAIRS})),
    "four points": (Transport(FOUR), metric_of({(a, b): FOUR.distances[a][b] for a, b in PAIRS})),
}


@pytest.mark.parametrize("name", GROUNDS)
@settings(max_examples=examples(40))
@given(a=some_counts, b=all_counts)
def test_a_closed_form_is_the_cost_of_the_cheapest_transport(name: str, a: list[int], b: list[int]) -> None:
    ground, distance = GROUNDS[name]
    assert ground.one(counted(a), totals(b)) == oracle.transport(keyed(a), keyed(b), distance)


@pytest.mark.parametrize("name", GROUNDS)
@settings(max_examples=examples(40))
@given(classes=st.lists(some_counts, min_size=1, max_size=4), b=all_counts)
def test_many_classes_measure_what_each_does_alone(name: str, classes: list[list[int]], b: list[int]) -> None:
    ground, _ = GROUNDS[name]
    codes = np.concatenate([np.repeat(np.arange(4), counts) for counts in classes])
    owner = np.repeat(np.arange(len(classes)), [sum(counts) for counts in classes])
    values = Values(codes, totals(b), pl.Series(["a", "b", "c", "d"]))
    histogram = Classes(owner, len(classes), {("s",): values}).histogram(("s",))
    alone = [float(ground.one(counted(counts), totals(b))) for counts in classes]
    np.testing.assert_allclose(ground.many(histogram), alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GROUNDS)
@settings(max_examples=examples(40))
@given(a=some_counts, b=all_counts, c=some_counts)
def test_rows_of_two_arrays_are_as_far_apart_as_two_classes(
    name: str, a: list[int], b: list[int], c: list[int]
) -> None:
    ground, _ = GROUNDS[name]
    found = ground.between(np.array([a, c], dtype=np.float64), np.array([b, b], dtype=np.float64))
    alone = [float(ground.one(counted(counts), totals(b))) for counts in (a, c)]
    np.testing.assert_allclose(found, alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GROUNDS)
def test_values_are_as_far_apart_as_stated(name: str) -> None:
    ground, distance = GROUNDS[name]
    assert {pair: ground.distance(*pair) for pair in PAIRS} == distance
    np.testing.assert_allclose(ground.array, [[float(distance[a, b]) for b in range(4)] for a in range(4)], rtol=1e-15)
    assert ground.is_equal is (name == "equal")


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("table", [[1, 1, 1, 1], [5, 1, 3, 2], [2, 7, 1, 1]])
def test_no_class_of_so_many_rows_is_nearer_to_the_table_than_stated(name: str, table: list[int]) -> None:
    """The closed forms of the equal distance and of lines are reached; the others are below."""
    ground, _ = GROUNDS[name]
    for rows in range(1, 6):
        classes = [counts for counts in product(range(rows + 1), repeat=4) if sum(counts) == rows]
        nearest = min(ground.one(counted(list(counts)), totals(table)) for counts in classes)
        least = ground.least(rows, table)
        assert least == nearest if name in ("equal", "ordered", "numeric") else 0 <= least <= nearest


def test_the_least_distances_of_trees_and_metrics_by_hand() -> None:
    """One row of four equally common values: 3/4 of the shares differ on level 0; 1/2 and 1/4 on the levels above.

    Two values of the metric are at least 1/2 apart, so shares that differ by 3/4 are 3/8 apart, but for a rounding.
    """
    assert GROUNDS["hierarchy"][0].least(1, [1, 1, 1, 1]) == (Fraction(3, 4) + Fraction(1, 2) + Fraction(1, 4)) / 3
    metric = GROUNDS["four points"][0].least(1, [1, 1, 1, 1])
    assert 0 < Fraction(3, 8) - metric < Fraction(1, 10**11)
    far = Metric.of(["a", "b", "c"], [[0, "1/4", 1], ["1/4", 0, 1], [1, 1, 0]])
    assert 0 < Fraction(1, 4) * Fraction(2, 3) - Transport(far).least(1, [1, 1, 1]) < Fraction(1, 10**11)
    assert Transport(Metric.of(["a"], [[0]])).least(3, [2]) == 0


def test_one_value_or_two_have_the_distances_of_their_range() -> None:
    one, two = Line(()), Line((7,))
    assert (one.is_equal, two.is_equal, Line((1, 1)).is_equal) == (False, True, False)
    assert one.least(3, [2]) == one.distance(0, 0) == 0
    assert one.array.tolist() == [[0.0]]
    assert one.between(np.ones((2, 1)), np.ones((2, 1))).tolist() == [0.0, 0.0]
    assert two.distance(0, 1) == 1
    assert two.array.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert two.one({0: 1}, totals([1, 1])) == HALF


@pytest.mark.parametrize("levels", [[[0, 1, 2]], [[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [0, 0, 1]], [[0, 0, 1]]])
def test_a_tree_is_the_equal_distance_if_all_its_levels_tell_all_values_apart(levels: list[list[int]]) -> None:
    assert Blocks(np.array(levels)).is_equal is all(len(set(level)) == 3 for level in levels)


@settings(max_examples=examples(40))
@given(a=some_counts, b=all_counts)
def test_the_oracle_agrees_with_its_own_transport(a: list[int], b: list[int]) -> None:
    one, other = keyed(a), keyed(b)
    assert oracle.emd(one, other, "equal") == oracle.transport(one, other, GROUNDS["equal"][1])
    assert oracle.emd(one, other, "ordered") == oracle.transport(one, other, GROUNDS["ordered"][1])
    assert oracle.emd(one, other, "hierarchy", TREE) == oracle.transport(one, other, GROUNDS["hierarchy"][1])


# --- trees whose leaves lie at different depths -----------------------------------------------------------------------

RAGGED = {"north": {"Norway": {"coast": ["a", "b"]}}, "south": ["c", "d"]}
LEAVES = ("a", "b", "c", "d", None)
TOGETHER = {frozenset("ab"): 1, frozenset("cd"): 1}
"""Pairs with a common ancestor below the root, which has height 4, and its height."""


def test_a_ragged_tree_is_measured_by_the_height_of_the_common_ancestor() -> None:
    """South is one step above its leaves, though the file repeats them on three levels."""
    values = pl.Series(LEAVES, dtype=pl.String)
    tree = Taxonomy.from_tree(RAGGED).build(values)
    assert tree.height == 4
    whole = Values(np.arange(5), totals([1] * 5), values, tree=tree)
    ground = ground_distance("hierarchy", whole, "s")
    for one, other in product(range(5), repeat=2):
        height = 4 * (one != other)
        pair = frozenset(str(LEAVES[place]) for place in (one, other))
        apart = ground.one({one: 1}, np.bincount([other], minlength=5))
        assert apart == Fraction(TOGETHER.get(pair, height), 4)


@settings(max_examples=examples(30))
@given(
    a=st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(any),
    b=st.lists(st.integers(1, 3), min_size=5, max_size=5),
)
def test_distances_along_a_ragged_tree_are_those_of_the_oracle(a: list[int], b: list[int]) -> None:
    values = pl.Series(LEAVES, dtype=pl.String)
    labels: Tree = {
        **dict.fromkeys("ab", ("coast", "Norway", "north")),
        **{leaf: (leaf, leaf, "south") for leaf in "cd"},
    }
    apart: dict[tuple[Key, Key], Fraction] = {
        (one, other): Fraction(TOGETHER.get(frozenset((str(one), str(other))), 4 * (one != other)), 4)
        for one, other in product(LEAVES, repeat=2)
    }
    ones: dict[Key, int] = dict(zip(LEAVES, a, strict=True))
    others: dict[Key, int] = dict(zip(LEAVES, b, strict=True))
    whole = Values(np.arange(5), totals(b), values, tree=Taxonomy.from_tree(RAGGED).build(values))
    exact = oracle.transport(ones, others, apart)
    assert oracle.emd(ones, others, "hierarchy", labels) == exact
    assert ground_distance("hierarchy", whole, "s").one(counted(a), totals(b)) == exact


# --- edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["equal", "ordered", "numeric"])
def test_a_column_of_one_value_is_at_no_distance(word: str) -> None:
    values = Values(np.zeros(3, dtype=np.int64), np.array([3]), pl.Series([7]))
    classes = Classes(np.array([0, 0, 1]), 2, {("s",): values})
    model = TCloseness(0, "s", distance=word)
    assert model.level(classes).tolist() == [0.0, 0.0]
    assert model.admits(classes).all()


@pytest.mark.parametrize(
    ("domain", "word"),
    [
        ([1, 2], "ordered"),
        ([0.5, 1.5], "ordered"),
        (["a", "b"], "equal"),
        ([False, True], "equal"),
        ([None, "a"], "equal"),
    ],
)
def test_the_distance_that_is_taken_where_none_is_named(domain: list[object], word: str) -> None:
    values = Values(np.array([0, 1]), np.array([1, 1]), pl.Series(domain))
    assert type(ground_distance("auto", values, "s")) is type(ground_distance(word, values, "s"))


@pytest.mark.parametrize(
    ("domain", "word"), [(["a", "b"], "numeric"), ([1, None], "numeric"), (["a", "b"], "hierarchy")]
)
def test_a_distance_that_the_values_do_not_have_is_refused(domain: list[object], word: str) -> None:
    values = Values(np.array([0, 1]), np.array([1, 1]), pl.Series(domain))
    with pytest.raises(ParameterError):
        ground_distance(word, values, "s")


def test_a_value_written_with_decimals_lies_where_it_is_written() -> None:
    values = Values(np.array([0]), np.array([1, 1, 1]), pl.Series([0.1, 0.2, 0.3]))
    assert ground_distance("numeric", values, "s").one({0: 1}, values.totals) == Fraction(1, 2)
