"""Anatomy: groups of different values; what they cost, exhaustively; who is served and who is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import case_of
from tests.thorough import examples

import shoal
from shoal.core.errors import Infeasible, ParameterError, Unsupported
from shoal.methods.auto import choose
from shoal.methods.base import Deadline, silent
from shoal.methods.general.repair import repair
from shoal.methods.l_diversity.anatomy import Anatomy
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.release.release import Release
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def people(counts: Sequence[int]) -> dict[str, list[Any]]:
    """So many rows of each illness, each row with an age of its own."""
    illnesses = [f"illness {value}" for value, count in enumerate(counts) for _ in range(count)]
    return {"age": list(range(len(illnesses))), "illness": illnesses}


def released(counts: Sequence[int], require: str, **more: Any) -> Release:
    given = {"quasi": ["age"], "sensitive": ["illness"], "require": require, "method": "anatomy", **more}
    return shoal.anonymize(people(counts), **given)


def groups(release: Release) -> list[list[int]]:
    """The counts of each group's values, read from the second table."""
    counted = release.tables["sensitive"].group_by("group", maintain_order=True).agg("count")["count"]
    return [sorted(counts) for counts in counted.to_list()]


# --- worked examples -------------------------------------------------------------------------------------------------


def test_three_of_one_value_two_of_another_and_one_make_three_pairs() -> None:
    release = released([3, 2, 1], "l(illness)=2")
    assert groups(release) == [[1, 1]] * 3
    assert (release.certificate.status, float(release.certificate.cost)) == ("optimal", 0.5)


def test_three_rows_of_one_value_among_five_are_refused() -> None:
    with pytest.raises(Infeasible, match=r"l\(illness\)=2"):
        released([3, 1, 1], "l(illness)=2")


def test_a_row_may_be_dropped_where_that_helps() -> None:
    release = released([3, 1, 1], "l(illness)=2", max_dropped=0.2)
    assert (groups(release), release.certificate.dropped) == ([[1, 1]] * 2, 1)
    assert float(release.certificate.cost) == pytest.approx((2 * 1 + 1) / 5)


def test_rows_left_over_join_groups_that_lack_their_value() -> None:
    release = released([2, 2, 2, 2], "l(illness)=3")  # 8 = 2 * 3 + 2
    assert groups(release) == [[1] * 4] * 2
    assert (release.certificate.lower_bound, float(release.certificate.cost)) == (6 / 8, 6 / 8)


def test_values_in_order_are_spread_over_every_group() -> None:
    salaries = {"age": list(range(30)), "salary": [10 * number for number in range(30)]}
    release = shoal.anonymize(
        salaries, quasi=["age"], sensitive=["salary"], allow=["salary"], require="l(salary)=3", method="anatomy"
    )
    thirds = release.tables["sensitive"].with_columns(third=pl.col("salary") // 100)
    assert thirds.group_by("group").agg(pl.col("third").sort())["third"].to_list() == [[0, 1, 2]] * 10


# --- exhaustively ----------------------------------------------------------------------------------------------------


def multisets(rows: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to give so many rows to values, the commonest first."""
    if rows == 0:
        yield ()
    for first in range(min(rows, most), 0, -1):
        yield from ((first, *rest) for rest in multisets(rows - first, first))


def solved(counts: Sequence[int], require: str, seed: int = 0) -> tuple[Solution, list[list[str]]]:
    """The solution of a table with so many rows of each value, and the values of each group."""
    table = Table.of(pl.DataFrame(people(counts)))
    microdata = encode(table, Roles.of(table.columns, quasi=["age"], sensitive=["illness"]))
    found = Anatomy().run(make_problem(microdata, parse_requirement(require), recoding="anatomy"), seed=seed)
    return found, [table.frame["illness"].gather(rows).to_list() for rows in found.partition]


@pytest.mark.parametrize("l", [1, 2, 3, 4, 5])
def test_every_table_of_up_to_twelve_rows_costs_what_the_theorem_says(l: int) -> None:  # noqa: E741
    for rows in range(1, 13):
        for counts in multisets(rows, rows // l):
            found, values = solved(counts, f"l(illness)={l}")
            assert all(len(set(group)) == len(group) >= l for group in values)
            assert len(values) == rows // l
            assert (found.status, found.guarantee) == ("optimal", Anatomy.guarantee)
            assert found.cost == found.lower_bound == (rows - rows // l) / rows


@pytest.mark.parametrize("require", ["l(illness)=2", "l(illness)=3", "l(illness)=3/2", "distinct-l(illness)=2"])
def test_no_groups_at_all_cost_less(require: str) -> None:
    for rows in range(2, 7):
        for counts in (some for some in multisets(rows, rows) if len(some) <= len(POOL)):
            case = case_of({"number": [1] * rows, "illness": _named(counts)}, require, recoding="anatomy")
            if case.oracle.is_hopeless or Anatomy().accepts(case.problem):
                continue
            found = Anatomy().run(case.problem)
            optimum = case.oracle.optimum("reconstruction")
            assert (found.lower_bound or 0) <= optimum + 1e-12
            assert found.cost >= optimum - 1e-12
            if found.status == "optimal":
                assert found.cost == pytest.approx(optimum)


POOL = ["asthma", "cold", "gout", "wart", None]


def _named(counts: Sequence[int]) -> list[Any]:
    return [POOL[value] for value, count in enumerate(counts) for _ in range(count)]


@settings(max_examples=examples(60))
@given(
    counts=st.lists(st.integers(1, 30), min_size=2, max_size=12),
    l=st.fractions(1, 6, max_denominator=3),
    seed=st.integers(0, 3),
)
def test_groups_have_different_values_whatever_l_is(counts: list[int], l: Any, seed: int) -> None:  # noqa: E741
    try:
        found, values = solved(counts, f"l(illness)={l}", seed)
    except (Infeasible, Unsupported):
        assert ceil(l) * max(counts) > sum(counts)
        return
    assert all(len(set(group)) == len(group) >= l for group in values)
    assert l.denominator > 1 or found.status == "optimal"


# --- chance ----------------------------------------------------------------------------------------------------------


def test_a_seed_decides_and_the_order_of_rows_does_not() -> None:
    table = pl.DataFrame(people([20, 20, 20]))
    shuffled = table.sample(fraction=1, shuffle=True, seed=1)
    made = [
        shoal.anonymize(
            frame, quasi=["age"], sensitive=["illness"], require="l(illness)=3", method="anatomy", seed=seed
        )
        for frame, seed in ((table, 0), (shuffled, 0), (table, 1))
    ]
    ordered = [release.table.sort("age") for release in made]
    assert ordered[0].equals(ordered[1])
    assert not ordered[0].equals(ordered[2])


def test_every_person_is_as_likely_as_any_to_be_with_any_other() -> None:
    """Over many seeds the row with the least age meets each of the other value's rows about as often."""
    met: Counter[int] = Counter()
    for seed in range(200):
        pairs = [rows.tolist() for rows in solved([4, 4], "l(illness)=2", seed)[0].partition]
        met[next(pair[1] for pair in pairs if pair[0] == 0)] += 1
    assert set(met) == {4, 5, 6, 7}
    assert max(met.values()) < 80


# --- what is served --------------------------------------------------------------------------------------------------


def problem(require: str, counts: Sequence[int] = (4, 4, 4), **more: Any) -> Problem:
    columns = {"number": [1] * sum(counts), "illness": _named(counts)}
    return case_of(columns, require, **{"recoding": "anatomy", **more}).problem


@pytest.mark.parametrize(
    "require",
    [
        "l(illness)=2",
        "l(illness)=5/2",
        "alpha(illness)=1/3",
        "distinct-l(illness)=3",
        "entropy-l(illness)=2.5",
        "l(illness)=2 distinct-l(illness)=3 entropy-l(illness)=2",
    ],
)
def test_models_that_different_values_meet_are_served(require: str) -> None:
    found = Anatomy().run(problem(require))
    assert all(len(rows) >= problem(require).models.least_rows for rows in found.partition)


@pytest.mark.parametrize(
    ("require", "reason"),
    [
        ("t(illness:equal)=0.5", "is not met by any rows of different values"),
        ("recursive-l(illness)=(2,2)", "is not met by any rows of different values"),
        ("m(illness)=3", "is not met by any rows of different values"),
    ],
)
def test_other_models_are_refused(require: str, reason: str) -> None:
    assert any(reason in why for why in Anatomy().accepts(problem(require)))


def test_another_recoding_is_refused_by_name() -> None:
    [why] = Anatomy().accepts(problem("l(illness)=2", recoding="suppress"))
    assert why == "it makes two tables, not one: that is the recoding 'anatomy'"


def test_several_attributes_are_refused_and_one_of_several_columns_is_not() -> None:
    columns: dict[str, list[Any]] = {"number": [1] * 4, "illness": ["asthma"] * 2 + ["cold"] * 2, "salary": [1, 2] * 2}
    both = case_of(columns, "l(illness)=2 l(salary)=2", recoding="anatomy").problem
    assert any("one sensitive attribute" in why for why in Anatomy().accepts(both))
    for require in ("l(salary)=2", "l(illness+salary)=2"):
        assert Anatomy().run(case_of(columns, require, recoding="anatomy").problem).cost == 0.5
    known = case_of(columns, "distinct-l(illness|salary)=2", recoding="anatomy").problem
    assert Anatomy().accepts(known)


def test_an_l_that_is_rounded_up_beyond_the_table_is_refused_and_not_called_infeasible() -> None:
    lopsided = problem("l(illness)=3/2", (4, 2))
    assert Anatomy().accepts(lopsided) == [
        "one value fills more than 1/2 of the rows, so groups of 2 different values are too few"
    ]
    found = choose(lopsided, "auto", seed=0, deadline=Deadline(), progress=silent)
    assert (found.method, found.status) == ("subset-dp", "optimal")


def test_auto_takes_anatomy_where_it_can_and_another_method_where_it_cannot() -> None:
    def chosen(require: str, counts: Sequence[int]) -> str:
        return choose(problem(require, counts), "auto", seed=0, deadline=Deadline(), progress=silent).method

    assert chosen("l(illness)=2", (4, 4, 4)) == "anatomy"
    assert chosen("t(illness:equal)=0.5", (4, 4, 4)) == "subset-dp"
    assert chosen("t(illness:equal)=0.5", (5, 5, 5)) == "mondrian"


@pytest.mark.parametrize("method", ["m-approx", "forest", "peel", "cube", "optimal", "two-diversity", "bipartite"])
def test_methods_of_one_table_say_why_they_make_no_two(method: str) -> None:
    with pytest.raises(Unsupported, match=f"method '{method}' cannot do this: "):
        released([2, 2], "l(illness)=2", method=method, recoding="anatomy")


def test_a_method_brings_the_recoding_it_is_for() -> None:
    assert released([2, 2], "l(illness)=2").certificate.recoding == "anatomy"
    with pytest.raises(Unsupported, match="it makes two tables"):
        released([2, 2], "l(illness)=2", recoding="suppress")


@pytest.mark.parametrize("require", ["k=2", "k=2 l(illness)=2", "nt(illness)=(2,0.5)"])
def test_models_that_two_tables_cannot_meet_are_refused(require: str) -> None:
    with pytest.raises(Unsupported, match="quasi-identifiers are published as they are, so everybody can see who"):
        released([2, 2], require)


@pytest.mark.parametrize("require", ["kmap=2", "presence=(0,0.5)"])
def test_models_of_a_population_are_refused(require: str) -> None:
    with pytest.raises(Unsupported, match="everybody can see who is in the table"):
        released([2, 2], require, population=people([4, 4]))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"cost": "stars"}, "cost 'stars' is not defined for the recoding 'anatomy'; expected suppress"),
        ({"attribute_weights": {"age": 2}}, "takes no attribute weights; leave them out"),
        ({"recoding": "suppress", "method": "auto", "cost": "reconstruction"}, "expected anatomy"),
    ],
)
def test_other_costs_and_weights_are_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        released([2, 2], "l(illness)=2", **more)


def test_groups_of_two_tables_are_not_repaired() -> None:
    with pytest.raises(Unsupported, match="anatomy groups cannot be repaired by merging"):
        repair(problem("l(illness)=2"), Partition(np.arange(12)), deadline=Deadline(), progress=silent)
