"""Rounding the linear program: where rows per type are many it costs little more than its duals prove."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.bounds.test_prices import one_thread  # noqa: F401
from tests.methods.general.test_peel import audited, checked
from tests.patterns.test_peeling import admitted, check_covering, random_case
from tests.strategies import Case, case_of
from tests.thorough import many

from shoal.bounds.prices import Ascent, Pricing
from shoal.methods.base import Deadline, silent
from shoal.methods.general import program_rounding
from shoal.methods.general.cube import CoveringSearch, CubeSearch
from shoal.methods.general.program_rounding import is_worthwhile, round_program
from shoal.patterns.checks import Checks

REQUIRE = [
    "k=5 l(illness)=2",
    "k=5 t(illness:equal)=0.2",
    "k=5 l(illness)=2 t(salary:ordered)=0.2",
    "k=5 entropy-l(illness)=2",
    "recursive-l(illness)=(2,2)",
]


def skewed(require: str, *, recoding: str = "suppress", rows: int = 600) -> Case:
    """A table of few row types where one illness is nearly half of all rows, and common among high numbers alone."""
    rng = np.random.default_rng(5)
    number, text = rng.integers(0, 4, rows), rng.integers(0, 3, rows)
    ill = np.where(rng.random(rows) < number / 4, "cold", np.where(rng.random(rows) < 0.5, "gout", "asthma"))
    columns: dict[str, Any] = {
        "number": np.array([1, 2, 4, 9])[number].tolist(),
        "text": np.array(["e", "f", "v"])[text].tolist(),
        "illness": ill.tolist(),
        "salary": [1 if kind == "cold" else 2 for kind in ill],
    }
    return case_of(columns, require, recoding=recoding)


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
@pytest.mark.parametrize("require", REQUIRE)
def test_every_row_is_covered_once_in_admitted_classes(require: str, recoding: str) -> None:
    case = skewed(require, recoding=recoding)
    ascent = Ascent.of(Pricing.of(case.problem))
    before, checks = ascent.best.bound, Checks.of(ascent.pricing.cube, case.problem.models)
    assert is_worthwhile(checks, case.problem.rows, ascent.pricing.cube.types, 10_000)
    found = round_program(checks, ascent, Deadline())
    assert found is not None
    check_covering(ascent.pricing.cube, found)
    assert admitted(case, found)
    assert before <= ascent.best.bound <= found.cost


def test_the_search_rounds_to_nearly_the_bound() -> None:
    case = skewed("k=5 l(illness)=2", rows=2_000)
    found = CubeSearch(effort="normal").run(case.problem)
    assert audited(case, found)
    assert found.lower_bound is not None
    assert found.cost <= 1.05 * found.lower_bound
    assert checked(case, found) >= found.lower_bound * (1 - 1e-9)


FEW_ROWS = [
    "k=3 l(illness)=2",
    "t(illness:equal)=0.3",
    "k=2 t(salary:ordered)=0.2",
    "distinct-l(illness)=2 l(salary)=2",
]


def check_few_rows(require: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guarantees that the audit confirms a release although types have few rows, so that much is left over."""
    monkeypatch.setattr(program_rounding, "ROWS_PER_TYPE", 0)
    case = random_case(seed, require, 30 + seed % 40, ("suppress", "generalize")[seed % 2])
    if not CubeSearch().accepts(case.problem):
        found = CubeSearch(effort="normal").run(case.problem)
        assert audited(case, found)
        assert found.lower_bound is not None
        assert found.lower_bound <= found.cost + 1e-9


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("require", FEW_ROWS)
def test_releases_are_admitted_where_types_have_few_rows(
    require: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_few_rows(require, seed, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 3 + many(30)))
@pytest.mark.parametrize("require", FEW_ROWS)
def test_many_more_releases_are_admitted_where_types_have_few_rows(
    require: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_few_rows(require, seed, monkeypatch)


def test_rows_of_many_types_are_not_rounded() -> None:
    case = skewed("k=5 l(illness)=2")
    search = CoveringSearch.of(case.problem, 0, Deadline(), silent)
    assert search.is_rounded
    assert not is_worthwhile(search.checks, case.problem.rows, case.problem.rows // 2, 10_000)
    assert not is_worthwhile(search.checks, case.problem.rows, search.covering.cube.types, 10)


def test_without_time_or_room_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    case = skewed("k=5 l(illness)=2")
    ascent = Ascent.of(Pricing.of(case.problem))
    checks = Checks.of(ascent.pricing.cube, case.problem.models)
    assert round_program(checks, ascent, Deadline.after(0)) is None
    monkeypatch.setattr(program_rounding, "MOST_LISTED", 3)
    assert round_program(checks, ascent, Deadline()) is None
