"""The compiled checks of classes: they decide as the models do, and cut groups down to parts that are admitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.strategies import SENSITIVE, Case, case_of
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.patterns import Cube
from shoal.patterns.admit import admits, shrink
from shoal.patterns.checks import Checks

KINDS = [
    "distinct-l({})=2",
    "distinct-l({})=3",
    "l({})=2",
    "l({})=5/2",
    "alpha({})=0.4",
    "entropy-l({})=3/2",
    "entropy-l({})=2",
    "recursive-l({})=(1,2)",
    "recursive-l({})=(2,3)",
    "t({}:equal)=0",
    "t({}:equal)=1/4",
    "t({}:ordered)=1/5",
    "t({}:equal)=1/2",
]
CASES = [(require, name) for require in KINDS for name in SENSITIVE] + [
    ("t({}:hierarchy)=1/4", "illness"),
    ("t({}:hierarchy)=1/2", "illness"),
    ("t({}:numeric)=1/5", "salary"),
    ("t({}:nearness)=1/8", "illness"),
    ("t({}:nearness)=1/3", "illness"),
]
every_check = pytest.mark.parametrize(("require", "name"), CASES, ids=str)


@dataclass(frozen=True, eq=False)
class Line:
    """One check as the compiled loops take it, and some rows of the table as a group."""

    case: Case
    checks: Checks
    totals: Ints
    counts: Ints
    rows: list[int]

    @classmethod
    def of(cls, require: str, name: str, values: list[int], group: list[int]) -> Line:
        pool = sorted(SENSITIVE[name].pool, key=str) if name == "illness" else list(SENSITIVE[name].pool)
        columns: dict[str, Any] = {
            "decimal": [float(row) for row in range(len(values))],
            name: [pool[value] for value in values],
        }
        case = case_of(columns, require.format(name))
        cube = Cube.of(case.problem)
        checks = Checks.of(cube, case.problem.models)
        codes = cube.values[(name,)].codes[cube.type_of_row]
        counts = np.bincount(codes[group], minlength=checks.totals.shape[1]).astype(np.int64)
        return cls(case, checks, checks.totals[0], counts, group)

    def admits(self, counts: Ints) -> bool:
        return bool(admits(self.checks.rules, 0, counts))

    def cut(self, counts: Ints) -> bool:
        """Cut the counts to an admitted part; whether that succeeded."""
        return bool(shrink(self.checks.rules, 0, counts, self.totals - self.counts))

    def oracle(self, counts: Ints) -> bool:
        """Whether the definition admits a class with these counts."""
        [asked] = self.case.oracle.asked
        [name] = asked.attributes
        values = oracle.in_order(self.case.columns[name])
        rows = [{name: value} for value, count in zip(values, counts, strict=True) for _ in range(count)]
        if asked.name == "alpha":
            return all(count <= asked.numbers[0] * len(rows) for count in counts.tolist())
        return oracle.admits(asked, rows, self.case.rows)  # type: ignore[arg-type]


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """The values of a table, and which rows are a group."""
    values = draw(st.lists(st.integers(0, 2), min_size=2, max_size=14))
    return values, draw(st.lists(st.sampled_from(range(len(values))), min_size=1, unique=True))


@every_check
@settings(max_examples=examples(8))
@given(table=drawn())
def test_the_compiled_check_decides_as_the_definition_does(
    require: str, name: str, table: tuple[list[int], list[int]]
) -> None:
    line = Line.of(require, name, *table)
    assert line.admits(line.counts) == line.oracle(line.counts)


@every_check
@settings(max_examples=examples(8))
@given(table=drawn())
def test_a_group_is_cut_to_a_part_that_is_admitted(require: str, name: str, table: tuple[list[int], list[int]]) -> None:
    line = Line.of(require, name, *table)
    kept = line.counts.copy()
    found = line.cut(kept)
    assert (kept <= line.counts).all()
    assert (kept >= 0).all()
    assert not found or line.oracle(kept)


@every_check
@settings(max_examples=examples(8))
@given(table=drawn())
def test_a_group_is_kept_as_it_is_if_it_is_admitted(
    require: str, name: str, table: tuple[list[int], list[int]]
) -> None:
    line = Line.of(require, name, *table)
    kept = line.counts.copy()
    found = line.cut(kept)
    assert (found and kept.tolist() == line.counts.tolist()) == line.oracle(line.counts)


@pytest.mark.parametrize("require", ["distinct-l({})=2", "l({})=2", "l({})=3", "entropy-l({})=2"])
@settings(max_examples=examples(15))
@given(table=drawn())
def test_of_a_group_with_an_admitted_part_the_largest_is_kept(require: str, table: tuple[list[int], list[int]]) -> None:
    line = Line.of(require, "salary", *table)
    kept = line.counts.copy()
    found = line.cut(kept)
    parts = np.array(list(np.ndindex(*(line.counts + 1))), np.int64)
    largest = max((int(part.sum()) for part in parts if part.sum() and line.oracle(part)), default=0)
    assert (int(kept.sum()) if found else 0) == largest


def test_models_that_loops_do_not_know_make_the_checks_incomplete() -> None:
    case = case_of({"number": [1, 2], "illness": ["gout", "cold"]}, "k=2 beta(illness)=1")
    assert not Checks.of(Cube.of(case.problem), case.problem.models).complete
    known = case_of({"number": [1, 2], "illness": ["gout", "cold"]}, "k=2 l(illness)=2 t(illness)=1/2")
    assert Checks.of(Cube.of(known.problem), known.problem.models).complete
