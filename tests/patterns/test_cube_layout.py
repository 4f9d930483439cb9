"""The cube: at every node the groups of a plain group-by, and losses that are never above the true ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from tests import oracle
from tests.oracle import Column, Value
from tests.strategies import Case, case_of, cases
from tests.thorough import examples

from shoal.microdata.partition import Partition
from shoal.patterns import Cube, refusals
from shoal.patterns import cube as layout

BLOCKS = ["suppress", "generalize"]
ADDING = ["stars", "height", "ncp"]
ONE_ROW = case_of({"number": [1], "illness": ["gout"]}, "k=1")
CONSTANT = case_of({"number": [1] * 3, "text": ["e", "f", None], "salary": [1, 2, None]}, "l(salary)=2")
GENERAL = case_of(
    {"number": [1, 2, 4, 9, None], "text": ["e", "f", "v", None, "e"], "illness": ["gout"] * 5},
    "k=2",
    recoding="generalize",
)


def levels_of(cube: Cube) -> list[tuple[int, int, list[int]]]:
    """Every node with the level of each attribute."""
    found = []
    for a, b in cube.nodes.tolist():
        level = dict(zip(cube.first.attributes, cube.first.levels[a].tolist(), strict=True))
        level |= dict(zip(cube.second.attributes, cube.second.levels[b].tolist(), strict=True))
        found.append((a, b, [level[j] for j in sorted(level)]))
    return found


def path(column: Column, value: Value, recoding: str) -> tuple[Value, ...]:
    """A value, what it is generalized to level by level, and the star."""
    tree = column.tree if recoding == "generalize" else {}
    height = max((len(labels) for labels in tree.values()), default=0)
    between = tree.get(value, tuple(f"alone: {value}" for _ in range(height)))
    return (value, *between, "the star")


def loss(column: Column, value: Value, level: int, case: Case, cost: str) -> Fraction:
    """What a cell loses at a level, from the definition."""
    whole = path(column, value, case.recoding)
    height, star = len(whole) - 1, level == len(whole) - 1
    if cost == "stars":
        return Fraction(star)
    if cost == "height":
        return column.weight * Fraction(level, height)
    leaves = column.leaves if case.recoding == "generalize" else column.domain
    under = [leaf for leaf in leaves if path(column, leaf, case.recoding)[level:] == whole[level:]]
    share = Fraction(1) if star else Fraction(len(under) - 1, max(len(leaves) - 1, 1))
    return column.weight * share / sum(other.weight for other in case.oracle.quasi)


def check_groups(case: Case) -> None:
    cube = Cube.of(case.problem)
    rows, quasi = case.rows, case.oracle.quasi
    for a, b, levels in levels_of(cube):
        blocks = [
            tuple(
                path(column, row[column.name], case.recoding)[level:]
                for column, level in zip(quasi, levels, strict=True)
            )
            for row in rows
        ]
        groups = [(int(cube.first.groups[a, t]), int(cube.second.groups[b, t])) for t in cube.type_of_row]
        pairs = set(zip(blocks, groups, strict=True))
        assert len(pairs) == len(set(blocks)) == len(set(groups))


@settings(max_examples=examples(80))
@given(case=cases(12, BLOCKS, costs=ADDING))
@example(case=ONE_ROW)
@example(case=CONSTANT)
@example(case=GENERAL)
def test_the_groups_at_every_node_are_those_of_a_plain_group_by(case: Case) -> None:
    check_groups(case)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(case=cases(40, BLOCKS, costs=ADDING))
def test_the_groups_at_every_node_are_those_of_a_plain_group_by_in_many_more(case: Case) -> None:
    check_groups(case)


@settings(max_examples=examples(60))
@given(case=cases(12, BLOCKS, costs=ADDING))
@example(case=ONE_ROW)
def test_there_is_a_node_for_every_choice_of_levels(case: Case) -> None:
    cube = Cube.of(case.problem)
    found = [tuple(levels) for _, _, levels in levels_of(cube)]
    heights = [len(path(column, None, case.recoding)) for column in case.oracle.quasi]
    assert len(found) == len(set(found)) == cube.number == np.prod(heights)


@settings(max_examples=examples(60))
@given(case=cases(12, BLOCKS, costs=ADDING))
def test_nodes_come_cheapest_first_and_the_last_is_all_stars(case: Case) -> None:
    cube = Cube.of(case.problem)
    paid = [int((cube.first.losses[a] + cube.second.losses[b]) @ cube.counts) for a, b, _ in levels_of(cube)]
    assert paid == sorted(paid)
    assert levels_of(cube)[-1][2] == [len(path(column, None, case.recoding)) - 1 for column in case.oracle.quasi]
    assert len(set(cube.first.groups[cube.nodes[-1, 0]])) == len(set(cube.second.groups[cube.nodes[-1, 1]])) == 1


@settings(max_examples=examples(80))
@given(case=cases(12, BLOCKS, costs=ADDING))
@example(case=GENERAL)
def test_losses_in_units_are_at_most_a_unit_per_attribute_below_the_true_ones(case: Case) -> None:
    cube, cost = Cube.of(case.problem), case.problem.cost.name
    for a, b, levels in levels_of(cube):
        paid = (cube.first.losses[a] + cube.second.losses[b])[cube.type_of_row].tolist()
        for row, units in zip(case.rows, paid, strict=True):
            exact = cube.denominator * sum(
                loss(column, row[column.name], level, case, cost)
                for column, level in zip(case.oracle.quasi, levels, strict=True)
            )
            assert 0 <= exact - units <= len(levels)


@settings(max_examples=examples(60))
@given(case=cases(12, BLOCKS, costs=ADDING))
def test_a_row_of_stars_costs_what_the_last_node_costs(case: Case) -> None:
    cube = Cube.of(case.problem)
    a, b = cube.nodes[-1]
    assert set((cube.first.losses[a] + cube.second.losses[b]).tolist()) == {cube.full}


@settings(max_examples=examples(60))
@given(case=cases(12, BLOCKS, costs=ADDING))
@example(case=ONE_ROW)
def test_types_are_the_distinct_rows_as_the_models_read_them(case: Case) -> None:
    cube = Cube.of(case.problem)
    read = [*case.quasi, *sorted({name for model in case.models for name in model.attributes})]
    seen = [tuple(row[name] for name in read) for row in case.rows]
    assert len(set(zip(seen, cube.type_of_row.tolist(), strict=True))) == len(set(seen)) == cube.types
    assert np.bincount(cube.type_of_row).tolist() == cube.counts.tolist()


@settings(max_examples=examples(60))
@given(case=cases(8, BLOCKS, costs=ADDING))
def test_the_distance_of_two_types_is_what_they_pay_as_a_class(case: Case) -> None:
    cube, cost = Cube.of(case.problem), case.problem.cost
    one, other = 0, len(case.rows) - 1
    exact = case.oracle.cost(cost.name, [(one, other)] if one != other else [(one,)])
    dropped = case.oracle.cost(cost.name, []) / len(case.rows)
    pair = {one, other}
    paid = (exact - dropped * (len(case.rows) - len(pair))) / len(pair)
    per = len(case.rows) if cost.name == "ncp" else 1
    found = cube.distances(int(cube.type_of_row[one]))[cube.type_of_row[other]] / cube.denominator
    assert found == pytest.approx(paid * per, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("option", "why"), [({"recoding": "range"}, "ranges"), ({"cost": "discernibility"}, "add")])
def test_what_has_no_cube_is_refused_with_the_reason(option: dict[str, str], why: str) -> None:
    case = case_of({"number": [1, 2], "illness": ["gout", "cold"]}, "k=2", **option)
    assert any(why in reason for reason in refusals(case.problem))


def test_a_lattice_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MOST_NODES", 3)
    assert refusals(CONSTANT.problem) == ["4 nodes of the lattice for 3 rows are too many to be walked"]
    assert refusals(ONE_ROW.problem) == []


def test_the_oracle_and_the_whole_agree_on_a_row_of_stars() -> None:
    whole = Partition.whole(5)
    cube = Cube.of(GENERAL.problem)
    everyone = tuple(range(5))
    assert GENERAL.problem.cost_of(whole) == pytest.approx(float(oracle.COSTS["ncp"](GENERAL.oracle, [everyone])))
    assert cube.full / cube.denominator == pytest.approx(1)
