"""t-closeness by microaggregation: the bounds by enumeration, the sizes by hand, every law on tables it can take."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.test_method_laws import EXHAUSTIVE, LAWS, Run, check_refusal
from tests.oracle import Value
from tests.strategies import COSTS, ONE_TABLE, QUASI, SENSITIVE, Case, case_of, tables
from tests.thorough import examples

import shoal
from shoal.methods.auto import methods
from shoal.methods.base import Deadline
from shoal.methods.microaggregation.microaggregation_tfirst import group_size, part_sizes
from shoal.models import KAnonymity, TCloseness
from shoal.models.emd import Line
from shoal.release.release import Release

THREE = ["microaggregation-merge", "microaggregation-swap", "microaggregation-tfirst"]
every_one = pytest.mark.parametrize("method", THREE)


def released(table: dict[str, Any], require: str, method: str, **given: Any) -> Release:
    options = {"recoding": "centroid", "allow": ["s"], **given}
    return shoal.anonymize(table, quasi=["x"], sensitive=["s"], require=require, method=method, **options)


def people(rows: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.integers(0, 1000, rows).tolist(), "s": rng.permutation(rows).tolist()}


# --- the bounds of the paper, by enumeration -------------------------------------------------------------------------


def distances(rows: int, chosen: Any) -> list[Fraction]:
    """The distance of each group of rows with different values to the table of all, exactly."""
    line, totals = Line((1,) * (rows - 1)), np.ones(rows, dtype=np.int64)
    return [line.one(dict.fromkeys(group, 1), totals) for group in chosen]


@pytest.mark.parametrize(
    ("rows", "size", "most", "least"),
    [
        (12, 3, Fraction(3, 22), Fraction(1, 11)),
        (9, 3, Fraction(1, 8), Fraction(1, 12)),
        (15, 5, Fraction(1, 14), Fraction(1, 21)),
    ],
)
def test_groups_of_one_row_of_each_part_are_within_the_bounds(
    rows: int, size: int, most: Fraction, least: Fraction
) -> None:
    parts = np.arange(rows).reshape(size, -1).tolist()
    found = distances(rows, product(*parts))
    assert (max(found), min(found)) == (most, least)
    assert most == Fraction(rows - size, 2 * (rows - 1) * size)
    bound = Fraction((rows + size) * (rows - size), 4 * rows * (rows - 1) * size)
    assert min(distances(rows, combinations(range(rows), size))) >= bound


@pytest.mark.parametrize(("t", "size", "most"), [("0.15", 3, Fraction(3, 22)), ("0.1", 4, Fraction(1, 11))])
def test_twelve_rows(t: str, size: int, most: Fraction) -> None:
    for seed in range(20):
        release = released(people(12, seed), f"t(s)={t}", "microaggregation-tfirst", cost="discernibility")
        assert group_size(12, 1, Fraction(t)) == size
        assert all(len(rows) % size == 0 for rows in release.classes)
        assert release.certificate.models[0]["reached"] <= float(most)


@given(rows=st.integers(1, 200), k=st.integers(1, 20), t=st.fractions(0, 1, max_denominator=50))
def test_the_parts_leave_no_group_more_than_one_row_too_many(rows: int, k: int, t: Fraction) -> None:
    size = group_size(rows, min(k, rows), t)
    sizes = part_sizes(rows, size)
    assert min(k, rows) <= size <= rows
    assert (len(sizes), sizes.sum()) == (size, rows)
    assert rows - size * (rows // size) < rows // size or rows == size
    if rows % size == 0 and rows > 1:
        assert Fraction(rows - size, 2 * (rows - 1) * size) <= t


@settings(max_examples=examples(25), deadline=None)
@given(rows=st.integers(2, 40), t=st.sampled_from(["0.05", "0.1", "0.2", "0.4"]), seed=st.integers(0, 99))
def test_where_the_size_divides_the_rows_no_group_is_merged(rows: int, t: str, seed: int) -> None:
    size = group_size(rows, 2, Fraction(t))
    if rows % size == 0:
        release = released(people(rows, seed), f"k=2 t(s)={t}", "microaggregation-tfirst", recoding="range")
        assert sum(len(group) for group in release.classes) == rows
        assert any(f"{rows // size:,} groups were formed" in note for note in release.decisions)
        assert release.certificate.models[1]["reached"] <= (rows - size) / (2 * (rows - 1) * size) + 1e-12


# --- laws, on the problems that they take ----------------------------------------------------------------------------


@st.composite
def closeness(draw: st.DrawFn, rows: int) -> Case:
    """Any table with a salary, t-closeness of it, and k."""
    columns = draw(tables(rows))
    columns.setdefault("salary", [10] * len(columns[next(iter(columns))]))
    complete = None not in columns["salary"]
    word = draw(st.sampled_from(["auto", "ordered", *(["numeric"] if complete else [])]))
    t = draw(st.sampled_from(["0", "1/10", "1/4", "1/2"]))
    recoding = draw(st.sampled_from(ONE_TABLE))
    return Case(
        kinds={name: (QUASI | SENSITIVE)[name] for name in columns},
        columns=columns,
        models=(TCloseness(t, "salary", distance=word), KAnonymity(draw(st.integers(1, 3)))),
        recoding=recoding,
        cost=draw(st.sampled_from([None, *(n for n in ("discernibility",) if recoding in COSTS[n].recodings())])),
        max_dropped=draw(st.sampled_from([Fraction(0), Fraction(1, 4)])),
    )


@every_one
@settings(max_examples=examples(40), deadline=None)
@given(case=closeness(12))
def test_every_law_holds(method: str, case: Case) -> None:
    run = Run.of(case, method)
    for law in LAWS if run.solution else []:
        law(run)


@every_one
@settings(max_examples=examples(15), deadline=None)
@given(case=closeness(4))
def test_every_exhaustive_law_holds(method: str, case: Case) -> None:
    run = Run.of(case, method)
    check_refusal(run)
    for law in EXHAUSTIVE if run.solution else []:
        law(run)


@every_one
@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_neither_order_nor_names_matter(method: str, data: st.DataObject) -> None:
    case = data.draw(closeness(16))
    order = data.draw(st.permutations(range(len(case.rows))))
    one, other, renamed = Run.of(case, method), Run.of(case.taken(order), method), Run.of(case.renamed(), method)
    if one.solution:
        assert one.frame.sort(one.frame.columns).equals(other.frame.sort(one.frame.columns))
        assert renamed.solved.partition.class_of_row.tolist() == one.solved.partition.class_of_row.tolist()


@every_one
@settings(max_examples=examples(15), deadline=None)
@given(case=closeness(12))
def test_out_of_time_every_law_holds(method: str, case: Case) -> None:
    run = Run.of(case, method, deadline=Deadline.after(0))
    for law in LAWS if run.solution else []:
        law(run)


# --- what each is good for -------------------------------------------------------------------------------------------


@every_one
def test_what_they_cannot_take(method: str) -> None:
    def refused(require: str) -> list[str]:
        columns: dict[str, list[Value]] = {"number": [1, 2, 4], "illness": ["cold"] * 3, "salary": [1, 2, 5]}
        return methods()[method]().accepts(case_of(columns, require).problem)

    assert not refused("t(salary)=0.2 k=2 l(illness)=1")
    for require in ("k=2", "t(illness)=0.2", "t(salary:equal)=0.2", "t(salary|illness)=0.2", "t(salary+illness)=0.2"):
        assert "ordered or numeric distance" in refused(require)[0]
    assert "not monotone" in refused("t(salary)=0.2 m(illness)=2")[0]


def test_swaps_make_smaller_classes_than_merging_alone() -> None:
    table = people(200, seed=4)
    order = np.argsort(table["x"])
    table["s"] = np.argsort(order).tolist()  # near rows have near values: worst for merging
    sizes = {method: max(len(rows) for rows in released(table, "k=5 t(s)=0.15", method).classes) for method in THREE}
    assert sizes["microaggregation-swap"] < sizes["microaggregation-merge"]
    assert sizes["microaggregation-tfirst"] <= 6


@every_one
@pytest.mark.parametrize("values", [[7] * 6, [1, 1, 1, 2, 2, 2], [1, None, None, 2, 3, None]])
def test_repeated_and_missing_sensitive_values(method: str, values: list[int | None]) -> None:
    table = pl.DataFrame({"x": [1, 2, 3, 4, 5, 6], "s": pl.Series(values, dtype=pl.Int64)})
    release = shoal.anonymize(table, quasi=["x"], sensitive=["s"], require="k=2 t(s:ordered)=0.3", method=method)
    assert release.certificate.models[1]["reached"] <= 0.3
