"""Workload-aware Mondrian: cuts tell about the target columns."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.core.arrays import Ints
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.general.workload_mondrian import WorkloadMondrian, _impurities, targets
from shoal.microdata.microdata import encode
from shoal.models.requirement import as_models
from shoal.problem import Problem, make_problem
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def people(rows: int = 400, seed: int = 1) -> pl.DataFrame:
    """The outcome depends on the third column alone; the others are noise."""
    rng = np.random.default_rng(seed)
    noise, told = rng.integers(0, 1000, (2, rows)), rng.integers(0, 3, rows)
    outcome = np.where(told == 1, "yes", "no")
    return pl.DataFrame({"first": noise[0], "second": noise[1], "third": told, "outcome": outcome})


QUASI = ["first", "second", "third"]


def problem_of(frame: pl.DataFrame, **roles: object) -> Problem:
    found = Roles.of(frame.columns, quasi=QUASI, **roles)  # type: ignore[arg-type]
    return make_problem(encode(Table.of(frame), found), as_models("k=100"), recoding="range")


def impurity(problem: Problem, labels: Ints) -> float:
    """The impurity of the first target over all classes, in rows times bits."""
    (target, *_) = targets(problem)
    return float(_impurities(target, np.arange(problem.rows), labels, int(labels.max()) + 1).sum())


def test_its_classes_tell_more_about_the_target_than_those_of_mondrian() -> None:
    problem = problem_of(people(), other=["outcome"])
    informed, plain = (method.run(problem).partition.class_of_row for method in (WorkloadMondrian(), Mondrian()))
    assert impurity(problem, informed) == 0.0  # it cuts the third column first, where the outcome changes
    assert impurity(problem, plain) > 0.0


def test_the_variance_of_numbers_and_the_entropy_of_words_are_lowered() -> None:
    numbers = Coded.of(pl.Series("income", [1, 3, None, 5]))
    words = Coded.of(pl.Series("outcome", ["yes", "no", "no", "yes"]))
    rows, labels = np.arange(4), np.array([0, 0, 0, 1])
    np.testing.assert_allclose(_impurities(numbers, rows, labels, 2), [2.0, 0.0])
    np.testing.assert_allclose(_impurities(words, rows, labels, 2), [3 * 0.9182958, 0.0], rtol=1e-6)


def test_sensitive_columns_are_targets_where_nothing_is_published_as_it_is() -> None:
    problem = problem_of(people(), sensitive=["outcome"])
    assert [target.name for target in targets(problem)] == ["outcome"]
    alone = problem_of(people().select(QUASI))
    assert WorkloadMondrian().accepts(alone) == [
        "there is no target: no column is published as it is, and none is sensitive"
    ]


def test_it_is_found_by_its_name() -> None:
    release = shoal.anonymize(
        people(), quasi=QUASI, other=["outcome"], allow=["outcome"], require="k=20", method="workload-mondrian"
    )
    assert release.certificate.method == "workload-mondrian"
