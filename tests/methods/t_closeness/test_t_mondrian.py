"""t-Mondrian: cuts beside the median, and (n,t)-closeness by the classes that a class was cut from."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.contracts.test_worked_examples import A

import shoal
from shoal.methods.auto import methods
from shoal.methods.base import Deadline, silent
from shoal.methods.general.cuts import Open
from shoal.methods.general.mondrian import Admitted, Mondrian
from shoal.methods.t_closeness.t_mondrian import Ancestors, TMondrian
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table

AGES = [20, 21, 22, 23, 24, 25, 26, 27]


def test_table_a_allows_a_pair_of_viral_and_cancer_but_not_of_viral_and_heart() -> None:
    problem = A.problem("t(disease:equal)=3/10")
    rule, diseases = Admitted(problem), [row[-1] for row in A.rows]
    for one, other in combinations(range(10), 2):
        rest = [row for row in range(10) if row not in (one, other)]
        classes = Open(np.array([one, other, *rest]), np.zeros(10, dtype=np.int64))
        allowed = rule.allows(classes, np.array([0, 0] + [1] * 8), np.array([0]))[0]
        pair = {diseases[one], diseases[other]}
        assert not (pair == {"Viral", "Heart"} and allowed)
        assert not (pair == {"Viral", "Cancer"} and not allowed)


def test_it_cuts_beside_the_median_where_the_median_is_not_allowed() -> None:
    people = {"age": AGES, "illness": ["flu", "gout", "flu", "flu", "flu", "gout", "flu", "gout"]}
    settings = {"quasi": ["age"], "sensitive": ["illness"], "require": "l(illness)=2", "recoding": "range"}
    with pytest.raises(shoal.Infeasible):
        shoal.anonymize(people, method="t-mondrian", **settings)  # type: ignore[arg-type]
    people["illness"] = ["flu", "gout", "flu", "flu", "flu", "gout", "gout", "gout"]
    plain = shoal.anonymize(people, method="mondrian", **settings)  # type: ignore[arg-type]
    found = shoal.anonymize(people, method="t-mondrian", **settings)  # type: ignore[arg-type]
    assert len(plain.classes) == 1
    assert len(found.classes) == 2


def census_problem(require: str, recoding: str = "range"):  # type: ignore[no-untyped-def]
    request = Request(["age", "gender", "education", "marital"], require, sensitive=["income"], recoding=recoding)
    return prepare(Table.of(census(3_000, seed=2)), request).problem


@pytest.mark.parametrize("recoding", ["range", "generalize", "suppress"])
def test_supersets_of_n_rows_allow_more_classes_than_the_whole_table(recoding: str) -> None:
    found = TMondrian().run(census_problem("nt(income)=(300,0.1)", recoding))
    strict = TMondrian().run(census_problem("t(income)=0.1", recoding))
    assert found.cost <= strict.cost
    if recoding == "range":
        assert len(found.partition) > len(strict.partition)


def test_every_class_is_near_a_large_one_that_it_was_cut_from() -> None:
    problem = census_problem("nt(income)=(300,0.1)")
    rule = Ancestors.of(problem)
    partition, finished = TMondrian().cut(problem, rule, Deadline(), silent)
    assert finished
    codes, ground = problem.values[("income",)].codes, 50
    for rows in partition:
        own = np.bincount(codes[rows], minlength=ground)
        node, near = int(rule.class_of_row[rows[0]]), len(rows) >= 300
        while node > 0 and not near:
            above = np.flatnonzero(descends(rule, node))
            counts = np.bincount(codes[above], minlength=ground)
            apart = np.abs(np.cumsum(own / own.sum() - counts / counts.sum()))[:-1].sum() / (len(own) - 1)
            near = len(above) >= 300 and apart <= 0.1 + 1e-9
            node = int(rule.parents[node])
        assert near


def descends(rule: Ancestors, node: int):  # type: ignore[no-untyped-def]
    """Whether each row was ever in a class."""
    up = rule.class_of_row.copy()
    while (up > node).any():
        up = np.where(up > node, rule.parents[up], up)
    return up == node


def test_the_whole_table_needs_no_cut() -> None:
    problem = census_problem("t(income)=0")
    assert len(TMondrian().run(problem).partition) == len(Mondrian().run(problem).partition) == 1


def test_a_cut_at_exactly_t_is_allowed() -> None:
    """The parts of the six people of town a are at 1/3 from them, which floating point takes for a little more."""
    people = {
        "town": ["a"] * 6 + ["b"] * 6,
        "age": [*range(1, 7), *range(1, 7)],
        "illness": ["gout", "gout", "gout", "flu", "flu", "gout", *["cold"] * 6],
    }
    asked = {"quasi": ["town", "age"], "sensitive": ["illness"], "recoding": "range", "method": "t-mondrian"}
    exact, more = (
        shoal.anonymize(people, require=f"nt(illness:equal)=(6,{t})", **asked)  # type: ignore[arg-type]
        for t in ("1/3", "0.3334")
    )
    assert exact.table.equals(more.table)
    assert len(exact.classes) > 2


HALVES = {"town": ["x"] * 8 + ["y"] * 8, "illness": ["flu"] * 8 + ["gout"] * 8}


def test_auto_tries_it_for_nt() -> None:
    """Each town is its own superset, so 0 stars will do; t-closeness, which other methods work with, needs 16."""
    asked = {"quasi": ["town"], "sensitive": ["illness"], "require": "nt(illness)=(8,0)", "recoding": "suppress"}
    assert float(shoal.anonymize(HALVES, method="mondrian", **asked).certificate.cost) == 16  # type: ignore[arg-type]
    found = shoal.anonymize(HALVES, **asked).certificate  # type: ignore[arg-type]
    assert (float(found.cost), found.method) == (0, "t-mondrian")


@pytest.mark.parametrize("rows", [6, 16])
@pytest.mark.parametrize("method", ["auto", *methods()])
def test_nothing_is_claimed_of_the_optimum_that_holds_for_t_closeness_alone(method: str, rows: int) -> None:
    half = rows // 2
    people = {"town": ["x"] * half + ["y"] * half, "pay": [1] * half + [2] * half}
    asked = {"quasi": ["town"], "sensitive": ["pay"], "require": f"nt(pay)=({half},0)"}
    try:
        found = shoal.anonymize(people, method=method, **asked).certificate  # type: ignore[arg-type]
    except shoal.Unsupported:
        return
    assert float(found.cost) == 0 or (found.status == "feasible" and not found.lower_bound and found.guarantee is None)


def test_stars_written_as_missing_are_refused() -> None:
    with pytest.raises(shoal.Unsupported, match="missing values"):
        shoal.anonymize(HALVES, quasi=["town"], sensitive=["illness"], require="nt(illness)=(8,0)", star="null")
