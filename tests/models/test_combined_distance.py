"""Distances between combinations of several attributes' values: the definition, what they lie between, and releases."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests import oracle
from tests.strategies import SENSITIVE, case_of
from tests.thorough import many

import shoal
from shoal.core.errors import ParameterError, Unsupported
from shoal.methods.general.subset_dp import SubsetDP
from shoal.methods.t_closeness.fragments import Fragments
from shoal.models import TCloseness
from shoal.models import emd as emd_module

DISTANCES = [
    "sum",
    "maximum",
    "sum:hierarchy:numeric",
    "maximum:equal:ordered",
    "sum:equal:equal",
    "maximum:auto:numeric",
]
PAIN: dict[str, list[Any]] = {
    "ward": [1, 1, 1, 2, 2, 2],
    "pain": [1, 2, 3, 1, 2, 3],
    "drug": ["A", "B", "A", "B", "A", "B"],
}


def test_the_worked_example() -> None:
    """Ward 1 has (1,A), (2,B), (3,A), a third each, where the table has all six combinations.

    A sixth goes from (1,A) to (2,A), one from (2,B) to (1,B) or (3,B), both half a way in pain; one changes the drug.
    """
    reached = {
        distance: measured(PAIN, f"t(pain+drug{distance})=1")[0]
        for distance in ("", ":sum", ":maximum", ":sum:equal:equal")
    }
    expected = {"": 1 / 2, ":sum": (1 / 4 + 1 / 4 + 1 / 2) / 6, ":maximum": (1 / 2 + 1 / 2 + 1) / 6}
    assert reached == pytest.approx(expected | {":sum:equal:equal": 1 / 4})
    assert measured(PAIN, "t(pain)=1 t(drug)=1") == [0, pytest.approx(1 / 6)]


def measured(table: dict[str, list[Any]], require: str, **more: Any) -> list[Any]:
    found = shoal.audit(table, quasi=["ward"], sensitive=["pain", "drug"], require=require, **more)
    return [finding.reached for finding in found.findings]


def compared_with_the_definition(rng: np.random.Generator, tables: int) -> None:
    for _ in range(tables):
        rows, distance = int(rng.integers(2, 9)), DISTANCES[int(rng.integers(len(DISTANCES)))]
        columns = {
            name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), rows)]
            for name, kind in SENSITIVE.items()
        }
        case = case_of({"number": [1] * rows, **columns}, f"t(illness+salary:{distance})=1/2")
        model = case.models[0]
        assert isinstance(model, TCloseness)
        values = case.problem.values[model.attributes]
        ground = model.ground(values)
        combinations = list(zip(*columns.values(), strict=True))
        chosen = rng.permutation(rows)[: int(rng.integers(1, rows + 1))].tolist()
        inside: oracle.Counts = Counter(combinations[row] for row in chosen)
        table: oracle.Counts = Counter(combinations)
        asked = case.asked(model)
        assert isinstance(asked.distance, str)
        apart = oracle.combined(list(table), asked.distance, asked.trees)
        expected = oracle.transport(inside, table, apart)
        found = ground.one(Counter(values.codes[chosen].tolist()), values.totals)
        assert found == expected
        alone = [_alone(case, place, chosen) for place in range(2)]
        lower = max(alone) if distance.startswith("maximum") else sum(alone) / 2
        assert lower <= found <= oracle.emd(inside, table, "equal")


def _alone(case, place: int, chosen: list[int]) -> Fraction:  # type: ignore[no-untyped-def]
    """The distance of one attribute by itself, under its part of the combined distance."""
    model = case.models[0]
    asked, name = case.asked(model), model.attributes[place]
    column = case.columns[name]
    word = asked.distance.split(":")[1:][place]
    return oracle.emd(Counter(column[row] for row in chosen), Counter(column), word, asked.trees[place])


def test_it_is_the_definition_and_lies_between_the_single_distances_and_the_equal_one() -> None:
    compared_with_the_definition(np.random.default_rng(1), 50)


@pytest.mark.slow
def test_it_is_the_definition_on_thousands_of_tables() -> None:
    compared_with_the_definition(np.random.default_rng(2), many(5_000))


@pytest.mark.parametrize("distance", DISTANCES)
def test_what_fragments_promise_is_kept_and_no_bound_is_above_the_optimum(distance: str) -> None:
    kept(np.random.default_rng(3), distance, 2)


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
def test_promises_and_bounds_hold_on_many_tables(distance: str) -> None:
    kept(np.random.default_rng(4), distance, many(200))


def kept(rng: np.random.Generator, distance: str, tables: int) -> None:
    """The audit and the oracle confirm what fragments make; the optimum is not below any bound."""
    for _ in range(tables):
        rows = int(rng.integers(4, 8))
        columns = {
            name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), rows)]
            for name, kind in SENSITIVE.items()
        }
        t = ["1/4", "1/3", "1/2"][int(rng.integers(3))]
        quasi = {"number": rng.choice([1, 2, 4, 9], rows).tolist(), "text": rng.choice(["e", "f", "v"], rows).tolist()}
        case = case_of({**quasi, **columns}, f"t(illness+salary:{distance})={t}")
        found, best = Fragments().run(case.problem), SubsetDP().run(case.problem)
        assert case.problem.models.admits(case.problem.classes(found.partition)).all()
        table = case.rows
        for members in found.partition:
            assert oracle.admits(case.asked(case.models[0]), [table[row] for row in members.tolist()], table)
        for solution in (found, best):
            assert solution.lower_bound is None or solution.lower_bound <= best.cost + 1e-9
        assert best.cost <= found.cost + 1e-9


def test_the_distances_of_the_attributes_are_stated_for_all_or_none() -> None:
    for wrong in ("sum:equal", "maximum:equal:equal:equal", "sum:equal:far", "ordered"):
        with pytest.raises(ParameterError, match="jointly has no distance"):
            TCloseness(0.5, ("a", "b"), distance=wrong)
    with pytest.raises(ParameterError, match="t-closeness of one attribute has no distance 'sum'"):
        TCloseness(0.5, "a", distance="sum")


def test_too_many_combinations_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emd_module, "MOST_COMBINATIONS", 5)
    with pytest.raises(Unsupported, match="there are 6, more than 5"):
        measured(PAIN, "t(pain+drug:sum)=1")


def test_words_in_a_combined_distance_are_ordered_as_stated() -> None:
    table: dict[str, list[Any]] = {
        "ward": [1, 1, 2, 2],
        "pain": ["low", "high", "mid", "low"],
        "drug": ["A", "B", "A", "B"],
    }
    found = measured(table, "t(pain+drug:sum:ordered:equal)=1", order={"pain": ["low", "mid", "high"]})
    assert found == [pytest.approx(oracle_reached(table))]


def oracle_reached(table: dict[str, list[Any]]) -> float:
    ranks = {"low": 1, "mid": 2, "high": 3}
    pairs = [(ranks[str(pain)], str(drug)) for pain, drug in zip(table["pain"], table["drug"], strict=True)]
    apart = oracle.combined(pairs, "sum:ordered:equal", (None, None))
    classes = [[pair for pair, ward in zip(pairs, table["ward"], strict=True) if ward == one] for one in (1, 2)]
    return float(max(oracle.transport(Counter(one), Counter(pairs), apart) for one in classes))
