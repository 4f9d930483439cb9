"""The lattice: every node compared with the definitions, applied, narrowed, bounded and drawn."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from tests import oracle
from tests.oracle import Asked, Group
from tests.strategies import COSTS, KNOWN_MODELS, Case, cases
from tests.thorough import examples

import shoal
from shoal.core.errors import Infeasible, ParameterError, RoleError, Unsupported
from shoal.methods.auto import methods
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.problem import Problem, make_problem
from shoal.studies.lattice import Evaluation, LatticeView, Node

CELLS = ("zyxcanary", "gout-7")
ASKED: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": ["illness"],
    "hierarchies": {"age": "intervals:width=10,20"},
}
PLAIN = [name for name in oracle.COSTS if name != "average-class-size"]  # which the oracle measures by k alone
ANY_COST = [name for name in PLAIN if "full-domain" in COSTS[name].recodings()]
FULL_DOMAIN = [name for name, kind in methods().items() if kind.recoding == "full-domain"]


def people(rows: int = 40) -> pl.DataFrame:
    draw = random.Random(3)
    return pl.DataFrame(
        {
            "age": [draw.randrange(20, 60, 4) for _ in range(rows)],
            "town": [draw.choice(["Oslo", "Rome", CELLS[0]]) for _ in range(rows)],
            "illness": [draw.choice(["flu", "cold", CELLS[1]]) for _ in range(rows)],
        }
    )


# --- every node against the definitions ------------------------------------------------------------------------------


def grouped(case: Case, levels: tuple[int, ...]) -> list[Group]:
    """The rows by what they show at some levels, worked out value by value."""
    shown: dict[Any, list[int]] = defaultdict(list)
    for place, row in enumerate(case.rows):
        pairs = zip(case.oracle.quasi, levels, strict=True)
        shown[tuple(column.path(row[column.name])[level:] for column, level in pairs)].append(place)
    return [tuple(rows) for rows in shown.values()]


def check_node(case: Case, node: Node, cost: str) -> None:
    """Guarantees that verdicts, suppressed rows, outcome and cost of a node are those of the definitions."""
    levels, asked = tuple(node.levels.values()), case.oracle
    groups = grouped(case, levels)

    def meets(one: Asked, group: Group) -> bool:
        return oracle.admits(one, [case.rows[row] for row in group], case.rows)

    failing = [sum(len(group) for group in groups if not meets(one, group)) for one in asked.asked]
    assert [one.failing_rows for one in node.models] == failing
    assert [one.holds for one in node.models] == [not rows for rows in failing]
    held = [group for group in groups if all(meets(one, group) for one in asked.asked)]
    gone = tuple(sorted(set(range(len(case.rows))) - {row for group in held for row in group}))
    assert (node.suppressed, node.classes) == (len(gone), len(groups))
    starred = not gone or (len(gone) <= asked.may_suppress and all(meets(one, gone) for one in asked.asked))
    assert node.outcome == ("kept" if not gone else "starred" if starred else "refused")
    assert (node.reason is None) == node.released == starred
    shown = replace(asked, levels=levels, starred=gone, _cells={})
    assert node.cost == pytest.approx(shown.cost(cost, [*held, *([gone] if gone else [])]), rel=1e-9, abs=1e-12)


def all_nodes(problem: Problem) -> list[Node]:
    evaluation = Evaluation(problem)
    return [evaluation.node(evaluation.lattice.at(number)) for number in evaluation.order.tolist()]


@settings(max_examples=examples(60))
@given(case=cases(9, ["full-domain"], list(KNOWN_MODELS), ANY_COST, [0]))  # type: ignore[list-item]
def test_every_node_is_what_the_definitions_say(case: Case) -> None:
    nodes = all_nodes(case.problem)
    heights = [tree.height for tree in case.problem.microdata.hierarchies]
    every = set(product(*(range(height + 1) for height in heights)))
    assert {tuple(node.levels.values()) for node in nodes} == every
    for node in nodes:
        check_node(case, node, case.problem.cost.name)


# --- a node applied --------------------------------------------------------------------------------------------------


def applied(table: pl.DataFrame, node: Node, **asked: Any) -> shoal.Release | None:
    """The release of a node; None where there is none."""
    try:
        return shoal.anonymize(table, recoding="full-domain", levels=node.levels, **asked)
    except (Infeasible, Unsupported):
        return None


@pytest.mark.parametrize(
    "more",
    [
        {"require": "k=3"},
        {"require": "k=3 l(illness)=2", "max_suppressed": 0.3},
        {"require": "t(illness)=0.4", "max_suppressed": 0.5, "max_dropped": 0.1, "cost": "discernibility"},
        {"require": "k=2", "max_suppressed": 0.2, "cost": "height"},
        {"require": "k=2", "max_suppressed": 0.2, "cost": "geometric-loss"},
    ],
)
def test_a_node_gives_a_release_exactly_where_the_listing_says_so(more: dict[str, Any]) -> None:
    table = people()
    found = shoal.lattice(table, **ASKED, **more)
    assert found.size == found.evaluated == len(found.nodes) == 8
    assert found.released == sum(node.released for node in found.nodes) > 0
    for node in found.nodes:
        release = applied(table, node, **ASKED, **more)
        assert (release is not None) == node.released
        if release is not None:
            assert float(release.certificate.cost) == pytest.approx(node.cost, rel=1e-9)
            assert release.config["levels"] == {name: str(level) for name, level in sorted(node.levels.items())}
            assert any("at the levels asked for" in remark for remark in release.certificate.remarks)
            assert release.audit.holds


def test_a_level_is_kept_where_a_lower_one_has_the_same_classes() -> None:
    few = {"age": [20, 20, 40, 40]}
    asked: dict[str, Any] = {"quasi": ["age"], "require": "k=2", "hierarchies": {"age": "intervals:width=10"}}
    assert set(shoal.anonymize(few, recoding="full-domain", **asked).table["age"]) == {20, 40}
    release = shoal.anonymize(few, recoding="full-domain", levels={"age": 1}, **asked)
    assert set(release.table["age"]) == {"[20, 30)", "[40, 50)"}


@pytest.mark.parametrize(
    "more",
    [
        {"require": "average-risk=0.2", "max_suppressed": 0.2},
        {"require": "k=2 average-t(illness)=0.2"},
        {"require": "nt(illness)=(10,0.3)"},
        {"require": "k=2", "person": ["name"], "max_suppressed": 0.3},
    ],
)
def test_models_of_people_and_of_a_whole_release_are_decided_as_asked(more: dict[str, Any]) -> None:
    table = people().with_columns(pl.Series("name", [f"p{row % 25}" for row in range(40)]))
    found = shoal.lattice(table, **ASKED, **more)
    assert found.released > 0
    for node in found.nodes:
        release = applied(table, node, leave_out="rest", **ASKED, **more)
        assert (release is not None) == node.released
        assert node.released or not all(one.holds for one in node.models)
        if release is not None:
            assert float(release.certificate.cost) == pytest.approx(node.cost, rel=1e-9)


# --- least and most levels -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", FULL_DOMAIN)
@pytest.mark.parametrize("levels", [{"age": "1..2"}, {"age": 2, "town": "..0"}, {"town": "1.."}])
@pytest.mark.parametrize("require", ["k=3", "k=3 t(illness)=0.7"])
def test_every_method_keeps_to_the_levels(method: str, levels: dict[str, object], require: str) -> None:
    if method == "t-incognito" and "t(" not in require:
        return
    table, asked = people(), {**ASKED, "require": require, "levels": levels}
    listed = shoal.lattice(table, **asked)
    if listed.best is None:
        with pytest.raises((Infeasible, Unsupported)):
            shoal.anonymize(table, method=method, recoding="full-domain", **asked)
        return
    release = shoal.anonymize(table, method=method, recoding="full-domain", **asked)
    for name, (least, most) in listed.levels.items():
        assert all(least <= level <= most for level in _levels(release, name))
    cost = float(release.certificate.cost)
    assert cost >= listed.best.cost - 1e-9
    if release.certificate.status == "optimal":
        assert cost == pytest.approx(listed.best.cost, rel=1e-9)


def _levels(release: shoal.Release, name: str) -> list[int]:
    """The levels of a column's cells, read from what is published."""
    cells = set(release.table[name].cast(pl.String))
    if name == "town":
        return [1 if cell == "*" else 0 for cell in cells]
    widths = {10: 1, 20: 2}
    ends = [cell.strip("[)").split(", ") for cell in cells]
    return [3 if end == ["*"] else 0 if len(end) == 1 else widths[int(end[1]) - int(end[0])] for end in ends]


@settings(max_examples=examples(25))
@given(case=cases(9, ["full-domain"], list(KNOWN_MODELS), ANY_COST, [0]))  # type: ignore[list-item]
def test_the_best_of_some_levels_is_the_best_node_listed(case: Case) -> None:
    heights = [tree.height for tree in case.problem.microdata.hierarchies]
    name, most = case.quasi[0], heights[0]
    for least, upto in ((1, most), (0, most - 1), (1, max(most - 1, 1))):
        problem = make_problem(
            case.microdata,
            case.problem.required,
            recoding="full-domain",
            cost=case.problem.cost.name,
            max_suppressed=case.max_suppressed,
            levels={name: f"{least}..{upto}"},
        )
        inside = [node for node in all_nodes(problem) if node.released]
        try:
            found = FullDomain().run(problem)
        except Infeasible:
            assert not inside
            continue
        assert found.cost <= min(node.cost for node in inside) + 1e-9
        if case.problem.cost.name in ("ncp", "height", "stars"):
            assert found.cost == pytest.approx(min(node.cost for node in inside), rel=1e-9)


def test_levels_that_no_release_has_are_refused_in_words() -> None:
    with pytest.raises(Infeasible, match="the highest levels of age 0, town 0 reach 1 ") as refused:
        shoal.anonymize(people(), recoding="full-domain", levels={"age": 0, "town": 0}, require="k=3", **ASKED)
    assert len(refused.value.rows) > 0


@pytest.mark.parametrize(
    ("levels", "kind", "said"),
    [
        ({"age": "9"}, ParameterError, "levels from 0 to 3"),
        ({"age": "2..1"}, ParameterError, "the least level before the most"),
        ({"age": "low"}, ParameterError, "a level such as 2"),
        ({"agee": 1}, RoleError, "did you mean 'age'"),
        ({"illness": 1}, RoleError, "a quasi-identifier"),
    ],
)
def test_levels_that_cannot_be_meant_are_refused(levels: dict[str, object], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        shoal.lattice(people(), require="k=2", levels=levels, **ASKED)


def test_levels_are_for_one_level_in_a_column() -> None:
    with pytest.raises(ParameterError, match="the recoding is 'generalize'; use --recoding full-domain"):
        shoal.anonymize(people(), require="k=2", levels={"age": 1}, **ASKED)


# --- what is listed --------------------------------------------------------------------------------------------------


def listed(**more: Any) -> LatticeView:
    return shoal.lattice(people(), require="k=3", max_suppressed=0.2, **ASKED, **more)


def test_the_cheapest_come_first_and_as_many_as_are_asked_for() -> None:
    found = listed()
    order = [(not node.released, node.cost) for node in found.nodes]
    assert order == sorted(order)
    assert listed(top=3).nodes == found.nodes[:3]
    assert listed(released=True).nodes == tuple(node for node in found.nodes if node.released)
    best = found.best
    assert best is not None
    assert found[best.levels] is found[tuple(best.levels.values())] is best
    with pytest.raises(KeyError, match="no node at"):
        found[{"age": 9, "town": 0}]


def test_a_large_lattice_is_evaluated_in_part_and_says_so() -> None:
    found, some = listed(), listed(most_nodes=3)
    assert (some.size, some.evaluated, some.stopped) == (8, 3, False)
    assert some.partial.startswith("3 of 8 nodes were evaluated, those that cost least before any row is suppressed")
    assert all(found[node.levels] == node for node in some.nodes)
    assert "3 of 8 nodes" in some._repr_html_()
    late = listed(time_limit=0)
    assert (late.evaluated, late.stopped) == (1, True)


def test_a_lattice_that_cannot_be_laid_out_is_refused() -> None:
    columns = {f"c{place}": [0, 1, 2, 3] for place in range(16)}
    trees = dict.fromkeys(columns, "intervals:width=2")
    with pytest.raises(Unsupported, match=r"the lattice has .* nodes, too many to list; narrow the levels"):
        shoal.lattice(columns, quasi=list(columns), require="k=2", hierarchies=trees)
    narrow = dict.fromkeys(list(columns)[2:], 1)
    found = shoal.lattice(columns, quasi=list(columns), require="k=2", hierarchies=trees, levels=narrow)
    assert found.size == 9


def test_it_shows_itself_as_frame_json_html_and_picture_without_a_cell(tmp_path: Path) -> None:
    found = listed()
    frame = found.frame()
    assert frame.columns[:4] == ["level of age", "level of town", "cost", "suppressed"]
    assert frame["rows failing k=3"].to_list() == [node.models[0].failing_rows for node in found.nodes]
    content = json.loads(found.to_json())
    assert found.best is not None
    assert content["best"] == dict(found.best.levels)
    assert [node["released"] for node in content["nodes"]] == [node.released for node in found.nodes]
    html = found._repr_html_()
    assert html.count("<title>") == 8
    for text in (html, found.to_json(), repr(found)):
        assert not any(cell in text for cell in CELLS)
    found.plot(tmp_path / "lattice.svg")
    assert "The lattice of levels" in (tmp_path / "lattice.svg").read_text(encoding="utf-8")


def test_a_large_lattice_is_drawn_as_points() -> None:
    columns = {f"c{place}": list(range(12)) for place in range(4)}
    found = shoal.lattice(
        columns, quasi=list(columns), require="k=2", hierarchies=dict.fromkeys(columns, "intervals:width=2,4,12")
    )
    assert found.size > 150
    html = found._repr_html_()
    assert "rows suppressed by ncp, a point a node" in html
    assert html.count("<title>") == found.size


def test_rows_that_must_be_dropped_first_are_said() -> None:
    table = {"age": [1, 1, 2, 2, 3], "illness": ["flu", "flu", "flu", "flu", "cold"]}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "l(illness)=2"}
    assert shoal.lattice(table, **asked).released == 0
    with pytest.raises(Unsupported, match="some must be dropped before levels are chosen"):
        shoal.lattice(table, max_dropped=0.6, **asked)


def test_every_model_has_a_name() -> None:
    found = shoal.lattice(people(), require="k=2 l(illness)=2", **ASKED)
    assert [one.model for one in found.nodes[0].models] == ["k=2", "l(illness)=2"]
