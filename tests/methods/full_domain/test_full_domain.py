"""The best full-domain recoding: worked examples, every vector of levels tried, suppressed rows, time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, prod
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import COSTS, MODELS, Case, case_of, cases
from tests.thorough import examples

import shoal
from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, ParameterError, Unsupported
from shoal.core.sorting import distinct_rows
from shoal.costs.arx_loss import ArxLoss
from shoal.hierarchies import Taxonomy
from shoal.methods.auto import methods
from shoal.methods.base import Deadline, silent
from shoal.methods.full_domain.datafly import Datafly
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.methods.full_domain.lattice import search
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.microdata import encode
from shoal.microdata.partition import DROPPED, Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.star_marks import text_of
from shoal.tables.table import Table

TAB_D = {"first": ["x", "z", "y", "z"], "second": ["a", "c", "a", "c"], "third": ["b", "d", "b", "e"]}
PEOPLE = {"age": [20, 21, 30, 31, 50], "town": ["Oslo", "Oslo", "Oslo", "Bergen", "Bergen"]}
TREES = {
    "age": Taxonomy([("20", "20s"), ("21", "20s"), ("30", "30s"), ("31", "30s"), ("50", "50s")]),
    "town": "stars",
}


def problem_of(columns: Mapping[str, Any], require: str, **more: Any) -> Problem:
    """A problem of full-domain recoding; every column is a quasi-identifier, but those called s."""
    frame = pl.DataFrame(columns)
    quasi = [name for name in columns if name != "s"]
    trees = more.pop("hierarchies", dict.fromkeys(quasi, "stars"))
    trees = {name: shoal.hierarchies.as_builder(tree) for name, tree in trees.items()}
    data = encode(Table.of(frame), Roles.of(frame.columns, quasi=quasi, sensitive=[*columns.keys() - quasi]), trees)
    return make_problem(data, parse_requirement(require), recoding="full-domain", **more)


# --- ranked losses ---------------------------------------------------------------------------------------------------


def ranked(problem: Problem, partition: Partition, gs: Fraction) -> list[float]:
    """The columns' losses in falling order, from the cells as they are published: ARX's rank."""
    published = problem.publish(partition)
    shown = pl.DataFrame([text_of(column) for column in published.frame().select(problem.microdata.roles.quasi)])
    gone = partition.dropped + sum(set(row) == {"*"} for row in shown.rows())
    return sorted((_charged(problem, name, shown[name].to_list(), gone, gs) for name in shown.columns), reverse=True)


def _charged(problem: Problem, name: str, cells: list[str], gone: int, gs: Fraction) -> float:
    """The loss of one column, `gone` of whose rows show nothing or are dropped."""
    place = problem.microdata.roles.quasi.index(name)
    tree, column, rows = problem.microdata.hierarchies[place], problem.microdata.quasi[place], problem.rows
    most, labels = int(tree.leaves[-1][0]), {cell for cell in cells if cell != "*"}
    level = next(number for number, names in enumerate(tree.labels) if labels <= set(names)) if labels else tree.height
    pairs = zip(tree.labels[level], tree.leaves[level].tolist(), strict=True)
    lost = {label: Fraction(n - 1, max(most - 1, 1)) for label, n in pairs}
    whole = sum(lost[tree.labels[level][tree.up[level][code]]] for code in column.codes.tolist()) / rows
    if not labels:
        whole = Fraction(1)
    kept = (sum(lost[cell] if cell != "*" else 1 for cell in cells) + rows - len(cells)) / Fraction(rows)
    if gs <= Fraction(1, 2):
        return round(float(whole + 2 * gs * (kept - whole)), 10)
    if most == 1:
        return round(gone / rows, 10)
    factor, covered = 2 - 2 * gs, kept * (1 - Fraction(1, most)) - Fraction(gone, rows)
    charged = (factor * covered + Fraction(gone, rows)) / (1 - factor / most)
    return round(max(float(charged), 0.0), 10)


@settings(max_examples=examples(80))
@given(
    case=cases(9, ["full-domain"], list(MODELS.values()), ["ncp"]),
    gs=st.sampled_from([Fraction(n, 4) for n in range(5)]),
)
def test_the_ranked_losses_of_the_node_found_are_the_least_of_all(case: Case, gs: Fraction) -> None:
    problem = replace(case.problem, cost=ArxLoss(gs=gs, aggregate="rank"))
    asked = [one for one in releases(problem) if not problem.uses_surrogates or problem.meets(one)]
    try:
        found = FullDomain().run(problem)
    except (Infeasible, Unsupported):
        return  # `check` says where there is no release
    assert list(found.order) == pytest.approx(ranked(problem, found.partition, gs), abs=1e-9)
    if asked:  # else rows were dropped without which nothing can be published
        least = min(ranked(problem, one, gs) for one in asked)
        assert found.order == pytest.approx(least, abs=2e-10)


def test_ranked_losses_decide_between_nodes_whose_largest_loss_is_the_same() -> None:
    columns = {"a": ["x", "y", "x", "y"], "b": ["p", "p", "q", "q"]}
    asked: dict[str, Any] = {"quasi": ["a", "b"], "require": "k=2", "hierarchies": {"a": "stars", "b": "stars"}}
    largest = shoal.anonymize(columns, cost="arx-loss:aggregate=maximum", recoding="full-domain", **asked)
    by_rank = shoal.anonymize(columns, cost="arx-loss:aggregate=rank", recoding="full-domain", **asked)
    assert float(by_rank.certificate.cost) == float(largest.certificate.cost) == 1
    assert sorted(by_rank.table[name].n_unique() for name in columns) == [1, 2]
    nodes = shoal.lattice(columns, cost="arx-loss:aggregate=rank", **asked).nodes
    assert [(node.cost, *node.tie_break) for node in nodes if node.released] == [(1, 0), (1, 0), (1, 1)]


# --- every vector of levels ------------------------------------------------------------------------------------------


def releases(problem: Problem) -> Iterator[Partition]:
    """The release of every vector of levels that there is, by the definition."""
    data = problem.microdata
    for levels in product(*(range(tree.height + 1) for tree in data.hierarchies)):
        columns = zip(data.hierarchies, levels, data.quasi, strict=True)
        blocks = [tree.up[level].astype(np.int64)[column.codes] for tree, level, column in columns]
        labels, _, _ = distinct_rows(blocks, [int(block.max()) + 1 for block in blocks])
        failing = ~problem.models.admits(problem.classes(Partition(labels)))[labels]
        if not failing.any():
            yield Partition(labels)
        elif failing.sum() <= problem.may_suppress:
            yield from _without(problem, labels, failing)


def _without(problem: Problem, labels: Any, failing: Any) -> Iterator[Partition]:
    """The rows of failing classes as a class of stars; else dropped, where that may be."""
    top = int(labels.max()) + 1
    starred = Partition.of(np.where(failing, top, labels))
    starred = Partition(starred.class_of_row, len(starred) - 1)
    if problem.suppressed == "arx" or problem.models.admits(problem.classes(starred))[-1]:
        yield starred
    elif failing.sum() <= problem.may_drop and not failing.all():
        dropped = Partition.of(np.where(failing, DROPPED, labels))
        part = problem.of_rows(dropped.kept)
        if part.models.admits(part.classes(Partition(dropped.class_of_row[dropped.kept]))).all():
            yield dropped


def best(problem: Problem) -> float:
    asked = [one for one in releases(problem) if not problem.uses_surrogates or problem.meets(one)]
    return min(map(problem.cost_of, asked), default=inf)


def check(problem: Problem) -> None:
    """Guarantees the cost of the best of all vectors, or a refusal where there is none."""
    expected = best(problem)
    try:
        found = FullDomain().run(problem)
    except Infeasible:
        assert expected == inf or problem.suppressed == "arx"  # which would let every row go
        return
    except Unsupported:  # rows must be dropped, and there are too many choices of them to try
        assert problem.may_drop
        assert expected == inf
        return
    if found.partition.dropped and expected == inf:  # rows were dropped without which nothing can be published
        return
    assert found.status == "optimal" or problem.uses_surrogates
    assert found.cost == pytest.approx(expected, rel=1e-9, abs=1e-9)


ANY_COST = [name for name, cost in COSTS.items() if "full-domain" in cost.recodings()]


@settings(max_examples=examples(60))
@given(case=cases(9, ["full-domain"], list(MODELS.values()), ANY_COST))
def test_it_is_the_best_of_all_levels_for_every_model_and_cost(case: Case) -> None:
    check(case.problem)


@settings(max_examples=examples(40))
@given(
    case=cases(14, ["full-domain"], [MODELS["k"], MODELS["distinct-l"]], ["ncp"]), share=st.sampled_from([0, 1, 2, 4])
)
def test_it_is_the_best_of_all_levels_where_rows_are_counted(case: Case, share: int) -> None:
    asked = {"recoding": "full-domain", "max_suppressed": Fraction(share, 4), "suppressed": "arx"}
    check(make_problem(case.microdata, case.problem.models, **asked))  # type: ignore[arg-type]


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(case=cases(12, ["full-domain"], list(MODELS.values()), ANY_COST))
def test_it_is_the_best_of_all_levels_in_many_more(case: Case) -> None:
    check(case.problem)


@pytest.mark.parametrize("require", ["kmap=3", "presence=(0.2,0.6)", "k=2 presence=(0,0.5)"])
@pytest.mark.parametrize("share", ["0", "0.4"])
def test_it_counts_people_of_a_population(require: str, share: str) -> None:
    frame = pl.DataFrame(PEOPLE)
    people = Table.of(pl.concat([frame, frame.head(3), frame.tail(2), frame.tail(1)]))
    trees = {name: shoal.hierarchies.as_builder(tree) for name, tree in TREES.items()}
    data = encode(Table.of(frame), Roles.of(frame.columns, quasi=list(PEOPLE)), trees, people)
    check(make_problem(data, parse_requirement(require), recoding="full-domain", max_suppressed=share))


@pytest.mark.parametrize(
    ("require", "share"),
    [("k=4", 0), ("k=4", 0.1), ("distinct-l(income)=3", 0.1), ("t(income:equal)=0.3", 0.2), ("l(income)=2", 0)],
)
def test_it_is_the_best_of_all_levels_of_a_census(require: str, share: float) -> None:
    quasi = ["age", "gender", "marital", "workclass"]
    roles = Roles.of([*quasi, "income"], quasi=quasi, sensitive=["income"])
    trees = {name: census_hierarchies()[name] for name in quasi}
    data = encode(Table.of(census(400, 1).select(*quasi, "income")), roles, trees)
    check(make_problem(data, parse_requirement(require), recoding="full-domain", max_suppressed=share))


def test_many_columns_are_packed_into_several_numbers() -> None:
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.integers(0, 200, 12) // 60 + 1_000 * np.arange(12) for j in range(12)}
    problem = problem_of({name: column.tolist() for name, column in columns.items()}, "k=3")
    found = FullDomain().run(problem)
    assert (found.status, found.cost) == ("optimal", 1.0)


# --- worked examples -------------------------------------------------------------------------------------------------


def test_one_level_for_a_column_costs_more_than_cells_class_by_class() -> None:
    """Columns one and three must be starred for all rows: 8 stars; class by class 4 are enough."""
    problem = problem_of(TAB_D, "k=2", cost="stars")
    found = FullDomain().run(problem)
    assert (found.status, found.cost, found.guarantee) == ("optimal", 8, "cost = optimum (over full-domain recodings)")
    frame = problem.publish(found.partition).frame()
    assert frame["second"].to_list() == ["a", "c", "a", "c"]
    assert set(frame["first"]) == set(frame["third"]) == {"*"}
    feasible = {
        tuple(bool(cells.levels[0]) for cells in problem.publish(partition).cells)  # type: ignore[attr-defined]
        for partition in releases(problem)
    }
    assert feasible == {(True, False, True), (True, True, True)}


def test_failing_rows_become_a_class_of_stars() -> None:
    columns = {"age": [1, 1, 1, 1, 2, 2, 3, 4], "s": list("abababab")}
    release = shoal.anonymize(
        columns,
        quasi=["age"],
        sensitive=["s"],
        require="k=2 l(s)=2",
        method="full-domain",
        max_suppressed=0.25,
        hierarchies={"age": "stars"},
    )
    assert release.table["age"].to_list().count("*") == 2
    assert release.certificate.status == "optimal"
    assert release.config["max_suppressed"] == "1/4"
    assert "2 rows of 2 classes that fail the models are starred" in release.decisions


def test_a_class_of_stars_that_fails_will_not_do() -> None:
    columns = {"age": [1, 1, 1, 2, 2, 2, 3]}
    starred = problem_of(columns, "k=2", max_suppressed=0.5)
    assert FullDomain().run(starred).cost == 1
    dropping = problem_of(columns, "k=2", max_suppressed=0.5, max_dropped=0.2)
    found = FullDomain().run(dropping)
    assert found.partition.dropped == 1
    assert found.cost == pytest.approx(1 / 7)


def test_suppressed_rows_are_unchecked_as_arx_does_it_and_are_not_released() -> None:
    columns = {"age": [1, 1, 1, 2, 2, 2, 3]}
    problem = problem_of(columns, "k=2", max_suppressed=0.5, suppressed="arx")
    assert FullDomain().run(problem).cost == pytest.approx(1 / 7)
    asked = {"quasi": ["age"], "require": "k=2", "recoding": "full-domain", "max_suppressed": 0.5, "suppressed": "arx"}
    with pytest.raises(Unsupported, match=r"suppressed rows need not meet the models, and the audit .* refuses k=2"):
        shoal.anonymize(columns, **asked)  # type: ignore[arg-type]
    outcome = shoal.compare(columns, methods=["full-domain"], **asked)["full-domain"]  # type: ignore[arg-type]
    assert outcome.status == "unconfirmed"
    assert outcome.cost == pytest.approx(1 / 7)
    two = {"age": [1, 1, 1, 2, 2, 2, 3, 4]}
    assert shoal.anonymize(two, **asked).certificate.status == "optimal"  # type: ignore[arg-type]


# --- releases --------------------------------------------------------------------------------------------------------


def test_a_release_is_saved_and_verified(tmp_path: Path) -> None:
    table = census(2_000, 3)
    release = shoal.anonymize(
        table,
        quasi=QUASI,
        sensitive=["income", "occupation"],
        require="k=5",
        hierarchies=census_hierarchies(),
        recoding="full-domain",
        max_suppressed=0.1,
    )
    release.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", original=table).failures == []
    assert audit(release.table, quasi=QUASI, require="k=5").holds
    levels = {name: release.table[name].n_unique() for name in QUASI}
    assert all(number > 0 for number in levels.values())


def test_each_column_has_one_level_but_for_stars() -> None:
    table = census(3_000, 0)
    release = shoal.anonymize(
        table,
        quasi=QUASI,
        sensitive=["income", "occupation"],
        require="k=10",
        hierarchies=census_hierarchies(),
        method="full-domain",
        max_suppressed=0.05,
    )
    for name, builder in census_hierarchies().items():
        labels = builder.build(table[name].unique().sort()).labels
        shown = set(release.table[name].cast(pl.String)) - {"*"}
        assert any(shown <= set(level) for level in labels[:-1]) or not shown


def test_the_levels_and_the_nodes_are_noted() -> None:
    found = FullDomain().run(problem_of(PEOPLE, "k=2", hierarchies=TREES))
    assert found.notes[1] == "levels: age 2, town 0"
    assert found.notes[0].endswith("of 6 nodes of the lattice were looked at")


def test_out_of_time_it_takes_the_best_so_far() -> None:
    table = census(2_000, 3)
    asked = {"quasi": QUASI, "sensitive": ["income", "occupation"], "hierarchies": census_hierarchies()}
    release = shoal.anonymize(table, require="k=5", recoding="full-domain", time_limit=0, **asked)  # type: ignore[arg-type]
    assert (release.certificate.status, release.certificate.guarantee) == ("feasible", None)
    assert release.decisions[-2].startswith("levels: ") or release.decisions[-3].startswith("levels: ")
    problem = problem_of(PEOPLE, "k=2", hierarchies=TREES)
    assert FullDomain().attempt(problem, seed=0, deadline=Deadline.after(0), progress=silent).cost == 1
    assert FullDomain().run(problem, deadline=Deadline.after(0)).cost == Datafly().run(problem).cost


# --- refusals --------------------------------------------------------------------------------------------------------


def test_every_other_method_refuses_in_words() -> None:
    problem = case_of({"number": [1, 2, 4, 9], "illness": ["cold"] * 4}, "k=2", recoding="full-domain").problem
    taking = [name for name, kind in methods().items() if not kind().accepts(problem)]
    assert "mondrian" not in taking
    assert Mondrian().accepts(problem) == [
        "it chooses cells class by class, full-domain recoding one level for a whole column"
    ]


def test_it_takes_no_other_recoding() -> None:
    problem = case_of({"number": [1, 2], "illness": ["cold"] * 2}, "k=2").problem
    assert FullDomain().accepts(problem) == ["it is for the recoding 'full-domain'"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"max_suppressed": 2}, "max_suppressed is 2; expected a number from 0 to 1"),
        ({"suppressed": "no"}, "suppressed is 'no'; expected 'checked' or 'arx'"),
        ({"recoding": "suppress", "max_suppressed": 0.1}, "max_suppressed or suppressed is given, but the recoding is"),
        ({"recoding": "range", "suppressed": "arx"}, "but the recoding is 'range'"),
    ],
)
def test_wrong_options_are_refused_in_words(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        shoal.anonymize(PEOPLE, quasi=["age", "town"], require="k=2", **{"recoding": "full-domain", **asked})
    assert words in str(refused.value)


def test_a_lattice_that_is_too_large_is_refused() -> None:
    columns = {f"c{j}": [1, 2] for j in range(23)}
    (reason,) = FullDomain().accepts(problem_of(columns, "k=2"))
    assert reason.startswith(f"the lattice has {prod([2] * 23):,} nodes")


def test_what_no_levels_meet_is_infeasible() -> None:
    columns = {"age": [1, 2, 3], "s": ["a", "a", "a"]}
    with pytest.raises(Infeasible):
        FullDomain().run(problem_of(columns, "m(s)=2"))


# --- two cores -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("require", ["k=3", "distinct-l(s)=2", "k=2 t(s:equal)=0.4"])
@pytest.mark.parametrize("limit", ["0", "0.2", "1"])
def test_threads_change_nothing(require: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = census(400, 3).select("age", "gender", "education", "birthplace", pl.col("occupation").alias("s"))
    trees = {name: census_hierarchies()[name] for name in table.columns if name != "s"}
    problem = problem_of(table.to_dict(as_series=False), require, hierarchies=trees, max_suppressed=limit)
    found = []
    for least in (10**9, 0):
        monkeypatch.setattr(search, "WORTH_A_THREAD", least)
        found.append(FullDomain().run(problem))
    alone, abreast = found
    assert (alone.cost, alone.notes) == (abreast.cost, abreast.notes)
    assert alone.partition.class_of_row.tolist() == abreast.partition.class_of_row.tolist()
