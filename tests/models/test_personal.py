"""Personalised privacy: guarding nodes, by the definition and by methods that meet it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.contracts.test_method_laws import EXHAUSTIVE, LAWS, Run
from tests.oracle import Value
from tests.strategies import ORGANS, Case, case_of
from tests.thorough import many

import shoal
from shoal.core.errors import Infeasible, ParameterError
from shoal.hierarchies import Taxonomy
from shoal.microdata.histogram import Attributes, Classes, Values
from shoal.models.requirement import parse_requirement
from shoal.tables.encoded_column import Coded

TREE = {"lung": ["asthma", "cold"], "foot": ["gout"]}


def reached(illness: list[str], guard: list[str | None], p: str = "1/2") -> tuple[object, bool | None]:
    table = {"town": ["x"] * 2 + ["y"] * (len(illness) - 2), "illness": illness, "guard": guard}
    found = shoal.audit(
        table,
        quasi=["town"],
        sensitive=["illness", "guard"],
        require=f"personal(illness|guard)={p}",
        hierarchies={"illness": TREE},
    )
    return found.findings[0].reached, found.holds


def test_values_under_a_guarding_node_are_counted() -> None:
    assert reached(["asthma", "gout", "cold", "gout"], ["lung", None, None, "gout"]) == (0.5, True)
    assert reached(["asthma", "cold", "cold", "gout"], ["lung", None, None, None]) == (1.0, False)
    assert reached(["asthma", "cold", "cold", "gout"], ["asthma", None, None, None]) == (0.5, True)
    assert reached(["asthma", "cold", "cold", "gout"], [None] * 4, "0") == (0.0, True)
    assert reached(["asthma", "cold", "cold", "gout"], ["*", None, None, None], "1") == (1.0, True)


def test_what_is_read_without_a_guard_is_said() -> None:
    with pytest.raises(ParameterError, match="personal reads illness guarded by no column"):
        parse_requirement("personal(illness)=0.5")
    with pytest.raises(ParameterError, match=r"personal reads illness\+drug guarded by guard"):
        parse_requirement("personal(illness+drug|guard)=0.5")


def test_the_level_of_a_class_is_the_largest_share_of_its_people() -> None:
    """In the first class a person guards lung, under which two of three rows lie, in the second one of two a value."""
    ill, guard = ["asthma", "cold", "gout", "cold", "gout"], ["lung", None, "gout", "cold", None]
    columns = (pl.Series("ill", ill), pl.Series("guard", guard))
    values: dict[Attributes, Values] = {(one.name,): Values.of(Coded.of(one)) for one in columns}
    tree = Taxonomy.from_tree(TREE).build(values["ill",].domain)
    values["ill",] = replace(values["ill",], tree=tree)
    classes = Classes(np.array([0, 0, 0, 1, 1]), 2, values)
    (model,) = parse_requirement("personal(ill|guard)=0.6")
    assert model.level(classes).tolist() == [2 / 3, 1 / 2]
    assert model.admits(classes).tolist() == [False, True]


def test_a_node_that_does_not_hold_the_own_value_is_refused_without_a_cell() -> None:
    with pytest.raises(ParameterError, match="the guarding nodes of 2 rows do not hold") as found:
        reached(["asthma", "cold", "cold", "gout"], ["foot", None, None, "goat"])
    assert "goat" not in str(found.value)


def test_a_column_of_nodes_is_asked_for() -> None:
    for require in (f"personal({read})=0.5" for read in ("illness", "illness+drug|guard", "illness|guard|drug")):
        with pytest.raises(ParameterError, match="the column of guarding nodes"):
            shoal.audit({"town": ["x"], "illness": ["a"]}, quasi="town", sensitive="illness", require=require)


def cases(number: int, seed: int) -> list[Case]:
    """Small tables in which people guard a block above their value, the value, or nothing."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        rows = int(rng.integers(2, 6))
        illness = rng.choice(["asthma", "cold", "gout"], rows).tolist()
        nodes = [(None, value, *ORGANS[value]) for value in illness]
        columns: dict[str, list[Value]] = {
            "number": rng.choice([1, 2, 4, 9], rows).tolist(),
            "text": rng.choice(["e", "f", "v"], rows).tolist(),
            "illness": illness,
            "guard": [some[int(rng.integers(len(some)))] for some in nodes],
        }
        recoding = str(rng.choice(["suppress", "generalize", "full-domain"]))
        require = f"personal(illness|guard)={rng.choice(['0.5', '2/3', '1/3', '1'])}"
        found.append(case_of(columns, require, recoding=recoding))
    return found


def check(number: int, seed: int) -> dict[str, int]:
    """Run methods on so many tables under every law; return how many each solved."""
    solved: dict[str, int] = {}
    for case in cases(number, seed):
        for method in ("mondrian", "full-domain", "auto"):
            run = Run.of(case, method)
            if isinstance(run.refusal, Infeasible):
                assert run.optimum == float("inf")
            for law in [*LAWS, *EXHAUSTIVE] if run.solution else []:
                law(run)
            solved[method] = solved.get(method, 0) + bool(run.solution)
    return solved


def test_methods_meet_it_or_say_that_they_cannot() -> None:
    solved = check(many(6), seed=1)
    assert all(solved.values())


@pytest.mark.slow
def test_methods_meet_it_or_say_that_they_cannot_in_many_tables() -> None:
    check(many(400), seed=2)
