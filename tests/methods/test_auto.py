"""The automatic choice: what it tries, what it says about it, and what the cheapest release inherits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.bounds.test_prices import one_thread  # noqa: F401
from tests.methods.general.test_peel import audited, larger
from tests.strategies import Case

import shoal
from shoal.core.errors import ParameterError
from shoal.methods import auto
from shoal.methods.auto import choose
from shoal.methods.base import Deadline, silent
from shoal.methods.general.cube import CubeSearch
from shoal.methods.general.mondrian import Mondrian
from shoal.patterns import cube
from shoal.problem import Solution
from shoal.release.certificate import Certificate
from shoal.request import EFFORTS


def chosen(case: Case, seconds: float | None = None) -> Solution:
    return choose(case.problem, "auto", seed=0, deadline=Deadline.after(seconds), progress=silent)


def by_name(case: Case, name: str, seconds: float | None = None) -> Solution:
    return choose(case.problem, name, seed=0, deadline=Deadline.after(seconds), progress=silent)


def tried(found: Solution) -> str:
    [note] = [note for note in found.notes if note.startswith("auto tried ")]
    return note


def why_not(found: Solution) -> list[str]:
    return [note for note in found.notes if note.startswith("auto did not use ")]


def test_the_notes_say_what_was_tried_at_what_cost() -> None:
    found = chosen(larger("k=3"))
    assert "mondrian (cost " in tried(found)
    assert f"(cost {found.cost:.6g})" in tried(found)


def test_what_was_tried_is_what_is_certified() -> None:
    """In the notes, and in the certificate, with the reasons; a method that was named has nothing to say."""
    found = chosen(larger("k=3"))
    assert found.chosen == tuple(note for note in found.notes if note.startswith("auto "))
    assert found.chosen[0].endswith(f" and took the cheapest, {found.method}")
    assert by_name(larger("k=3"), "mondrian").chosen == ()
    people = {"age": [20, 21, 22, 40, 41, 42] * 5, "illness": ["flu", "gout", "flu"] * 10}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=3 t(illness)=0.3"}
    certificate = shoal.anonymize(people, recoding="range", **asked).certificate
    assert certificate.chosen[0].startswith("auto tried mondrian (cost ")
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert shoal.anonymize(people, method="mondrian", **asked).certificate.chosen == ()


@pytest.mark.parametrize(
    ("recoding", "why"),
    [("range", "where cells are not blocks"), ("suppress", "which is cheaper depends on the table")],
)
def test_closeness_is_tried_by_fragments(recoding: str, why: str) -> None:
    """Whatever is published; by patterns, too, where there are some."""
    case = replace(larger("k=3 t(illness:equal)=0.3", rows=60, quasi=("number", "text")), recoding=recoding)
    found = chosen(case)
    assert "fragments (cost " in tried(found)
    assert ("cube (cost " in tried(found)) == (recoding == "suppress")
    assert [why in note for note in found.chosen].count(True) == 1
    assert audited(case, found)


def test_closeness_of_blocks_whose_patterns_are_not_searched_is_tried_by_fragments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cube, "MOST_NODES", 1)
    found = chosen(larger("k=3 t(illness:equal)=0.3", rows=60, quasi=("number", "text")))
    assert "where the patterns of blocks are not searched" in found.chosen[1]


def test_groups_with_closeness_first_are_tried_where_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(larger("k=3 t(salary:ordered)=0.2", rows=60), recoding="range")
    found = chosen(case)
    assert "microaggregation-tfirst (cost " in tried(found)
    assert "which is cheaper depends on the table" in found.chosen[1]
    assert audited(case, found)
    monkeypatch.setattr(auto, "CLOSE_GROUPS_UP_TO", 59)
    assert "microaggregation-tfirst" not in tried(chosen(case))


@pytest.mark.parametrize("seconds", [None, 60])
def test_tables_of_every_size_are_searched_by_patterns(seconds: float | None) -> None:
    found = chosen(larger("k=3"), seconds)
    assert "cube (cost " in tried(found)
    assert why_not(found) == []


def test_a_large_lattice_is_peeled_without_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PRICED_UP_TO", {"normal": 100, "best": 100})
    found = chosen(larger("k=3"))
    assert "peel (cost " in tried(found)
    assert "cube (cost " not in tried(found)
    assert why_not(found) == []


def test_equal_rows_do_not_make_a_search_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is the number of distinct tuples."""
    people = {"age": [20, 21, 22, 40, 41, 42] * 500}
    monkeypatch.setattr(auto, "PRICED_UP_TO", {"normal": 100, "best": 100})
    certificate = shoal.anonymize(people, quasi=["age"], require="k=3", recoding="generalize").certificate
    assert any("cube (cost " in note for note in certificate.chosen)


@pytest.mark.parametrize("require", ["k=3", "k=2 l(illness)=2", "t(illness:equal)=0.3"])
@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
def test_more_effort_tries_all_that_less_effort_does_and_is_never_dearer(require: str, recoding: str) -> None:
    case = replace(larger(require, rows=60), recoding=recoding)
    quick, normal, best = (
        choose(case.problem, "auto", seed=0, deadline=Deadline(), progress=silent, effort=effort) for effort in EFFORTS
    )
    assert quick.cost >= normal.cost >= best.cost
    names = [tried(found).split(" and took")[0] for found in (quick, normal, best)]
    assert all(part in names[1] for part in names[0].removeprefix("auto tried ").split(", "))
    assert all(part in names[2] for part in names[1].removeprefix("auto tried ").split(", "))


def test_where_a_value_is_rare_no_method_for_large_classes_is_cheaper() -> None:
    """A row in a hundred has the value: classes are large, and rows that move one by one change little."""
    rows = range(600)
    people: dict[str, list[Any]] = {
        "age": [row * 7 % 89 for row in rows],
        "smoker": [row * row % 2 for row in rows],
        "insured": [("Y", "N", "?")[row * row % 7 % 3] for row in rows],
        "hiv": ["positive" if row % 101 == 5 else "negative" for row in rows],
    }
    asked: dict[str, Any] = {
        "quasi": ["age", "smoker", "insured"], "sensitive": ["hiv"], "require": "k=5 distinct-l(hiv)=2",
        "recoding": "range",
    }  # fmt: skip
    least = shoal.anonymize(people, effort="quick", **asked).certificate.cost
    for method in ("mondrian", "t-mondrian", "fragments", "microaggregation"):
        assert float(least) <= float(shoal.anonymize(people, method=method, **asked).certificate.cost)
    turned = {name: values[::-1] for name, values in people.items()}
    assert shoal.anonymize(turned, effort="quick", **asked).certificate.cost == least, "the order of rows is nothing"


@pytest.mark.parametrize("recoding", ["range", "generalize", "suppress", "centroid"])
def test_where_closeness_leaves_no_choice_all_rows_are_one_class_and_that_is_optimal(recoding: str) -> None:
    """Of 40 values that are all different, a class within 0.3 has 28 rows or more: two classes would have 56."""
    people = {"age": list(range(20, 60)), "town": ["Oslo", "Bergen"] * 20, "claim": [f"c{row}" for row in range(40)]}
    asked: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["claim"], "recoding": recoding}
    found = shoal.anonymize(people, require="k=5 t(claim)=0.3", allow=["claim"], **asked).certificate
    assert (found.classes, found.status, found.lower_bound) == (1, "optimal", float(found.cost))
    assert "every class must have at least 28 of the 40 rows, so there is only one" in found.remarks
    free = shoal.anonymize(people, require="k=5 t(claim)=0.5", allow=["claim"], **asked).certificate
    assert not any("there is only one" in remark for remark in free.remarks)


@pytest.mark.parametrize(("method", "effort", "why"), [("auto", "bset", "best"), ("mondrian", "best", "method auto")])
def test_an_effort_that_cannot_be_is_refused(method: str, effort: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        choose(larger("k=3").problem, method, seed=0, deadline=Deadline(), progress=silent, effort=effort)


@pytest.mark.parametrize("seconds", [None, 30])
def test_where_there_is_no_cube_the_notes_give_the_reason(seconds: float | None) -> None:
    found = chosen(replace(larger("k=3"), recoding="range"), seconds)
    [why] = why_not(found)
    assert "ranges and sets are not patterns of a hierarchy" in why


def test_a_table_solved_exactly_needs_no_proof() -> None:
    found = chosen(larger("k=2", rows=8))
    assert found.method == "subset-dp"
    assert why_not(found) == []


@pytest.mark.parametrize("require", ["k=3", "k=2 l(illness)=2", "entropy-l(illness)=2", "t(illness:equal)=0.3"])
@pytest.mark.parametrize("seconds", [None, 12])
def test_the_cheapest_inherits_the_best_bound_and_prices(
    require: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Solution] = []

    def said(found: list[Solution]) -> str:
        made.extend(found)
        return "auto tried these"

    monkeypatch.setattr(auto, "_said", said)
    case = larger(require, rows=60, quasi=("number", "text"))
    found = chosen(case, seconds)
    assert len(made) >= 2
    assert found.cost == min(one.cost for one in made)
    assert found.lower_bound == max(one.lower_bound for one in made if one.lower_bound is not None)
    assert found.prices is not None
    assert found.prices.bound == max(one.prices.bound for one in made if one.prices is not None)
    assert audited(case, found)


def test_a_release_that_costs_no_more_than_the_inherited_bound_is_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever proved the bound: the release that reaches it is called optimal."""
    case = larger("k=3", rows=60, quasi=("number", "text"))
    best = by_name(case, "optimal")
    assert best.status == "optimal"
    cheap = replace(best, method="mondrian", lower_bound=0.0, status="feasible", prices=None)
    monkeypatch.setattr(Mondrian, "attempt", lambda *_, **__: cheap)
    monkeypatch.setattr(CubeSearch, "attempt", lambda *_, **__: replace(best, method="cube"))
    found = chosen(case)
    assert found.lower_bound == found.cost
    assert found.status == "optimal"


def test_prices_are_inherited_with_the_bound_that_they_prove(monkeypatch: pytest.MonkeyPatch) -> None:
    case = larger("k=3", rows=60, quasi=("number", "text"))
    peeled = by_name(case, "peel")
    cheap = replace(peeled, method="mondrian", cost=peeled.cost - 1, lower_bound=0.0, prices=None)
    monkeypatch.setattr(Mondrian, "attempt", lambda *_, **__: cheap)
    monkeypatch.setattr(CubeSearch, "attempt", lambda *_, **__: peeled)
    found = chosen(case)
    assert found.method == "mondrian"
    assert found.lower_bound == peeled.lower_bound
    assert found.prices is not None
    assert found.prices.bound == found.lower_bound


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("require", ["k=3", "k=3 distinct-l(illness)=2", "k=3 t(illness)=0.5"])
def test_saving_memory_changes_no_release(require: str, effort: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables have their methods in another order, and give memory back between them."""

    def found() -> tuple[object, ...]:
        problem = larger(require).problem
        solution = choose(problem, "auto", seed=0, deadline=Deadline(), progress=silent, effort=effort)
        return solution.partition.class_of_row.tolist(), solution.cost, solution.lower_bound

    kept = found()
    monkeypatch.setattr(auto, "MANY_ROWS", 0)
    assert found() == kept
