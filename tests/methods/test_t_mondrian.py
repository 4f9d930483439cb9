"""t-Mondrian: cuts beside the median, and (n,t)-closeness by the classes that a class was cut from."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.test_worked_examples import A

import shoal
from shoal.methods.base import Deadline, silent
from shoal.methods.cuts import Open
from shoal.methods.mondrian import Admitted, Mondrian
from shoal.methods.t_mondrian import Ancestors, TMondrian
from shoal.pipeline import Request, prepare
from shoal.synth import census
from shoal.table import Table

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
