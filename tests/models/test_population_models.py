"""k-map, delta-presence and (n,t)-closeness: what is measured on cells, against counting by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.thorough import examples

import shoal
import shoal.models.nt_closeness
from shoal.checking.audit import audit
from shoal.core.arrays import Floats, Ints
from shoal.hierarchies.containment import ShownCells
from shoal.models.presence import DeltaPresence, PresenceByClass
from shoal.release.verification import verify

POPULATION = pl.DataFrame({"age": [20, 21, 25, 30, 31, 39, 40, 40], "sex": ["f", "m", "f", "f", "m", "m", "f", "m"]})


def test_k_map_counts_the_people_that_the_cells_fit() -> None:
    released = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "*"], "sex": ["f", "f", "m"]})
    found = audit(released, quasi=["age", "sex"], require="kmap=2", population=POPULATION)
    assert found.holds
    assert found.findings[0].reached == 2  # [20, 29] f: 20 and 25; * m: four people


@pytest.mark.parametrize(("cells", "fits"), [("{20, 21}", 2), ("20", 1), ("[30, 40]", 5), ("*", 8), ("[41, 50]", 0)])
def test_cells_fit_people_as_they_read(cells: str, fits: int) -> None:
    released = pl.DataFrame({"age": [cells]})
    found = audit(released, quasi=["age"], require="kmap=1", population=POPULATION.select("age"))
    assert found.findings[0].reached == fits


def test_hierarchy_labels_fit_the_people_below_them() -> None:
    released = pl.DataFrame({"age": ["[20, 30)", "[30, 40)"]})
    found = audit(
        released, quasi=["age"], require="kmap=3", population=POPULATION, hierarchies={"age": "intervals:width=10,20"}
    )
    assert found.findings[0].reached == 3


@pytest.mark.parametrize(
    ("require", "holds"),
    [
        ("presence=(0,1)", True),
        ("presence=(1/4,1/2)", True),
        ("presence=(0.26,0.5)", False),
        ("presence=(0.1,0.49)", False),
    ],
)
def test_presence_compares_rows_with_people(require: str, holds: bool) -> None:
    """Two rows of four people (1/2) and one row of four (1/4)."""
    released = pl.DataFrame({"sex": ["f", "f", "m"]})
    assert audit(released, quasi=["sex"], require=require, population=POPULATION).holds is holds


@settings(max_examples=examples(60))
@given(
    rows=st.lists(st.tuples(st.integers(20, 26), st.sampled_from("fm")), min_size=2, max_size=9),
    others=st.lists(st.tuples(st.integers(19, 27), st.sampled_from("fm")), max_size=12),
    recoding=st.sampled_from(["suppress", "generalize", "range"]),
    require=st.sampled_from(["kmap=3", "k=2 kmap=4", "presence=(0,0.8)", "kmap=2 presence=(0.1,0.9)"]),
)
def test_a_release_is_confirmed_or_refused(
    rows: list[tuple[int, str]], others: list[tuple[int, str]], recoding: str, require: str
) -> None:
    table = pl.DataFrame(rows, schema=["age", "sex"], orient="row")
    population = pl.DataFrame(rows + others, schema=["age", "sex"], orient="row")
    words = {"age": "intervals:width=2,4"}
    try:
        release = shoal.anonymize(
            table,
            quasi=["age", "sex"],
            require=require,
            recoding=recoding,
            population=population,
            hierarchies=words,
        )
    except (shoal.Infeasible, shoal.Unsupported):
        return
    found = audit(release.table, quasi=["age", "sex"], require=require, population=population, hierarchies=words)
    assert found.holds


def test_a_release_compared_with_a_population_verifies(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    table = POPULATION.head(6)
    shoal.anonymize(table, quasi=["age", "sex"], require="kmap=3", recoding="generalize", population=POPULATION).save(
        folder
    )
    assert verify(folder, original=table, population=POPULATION).passed
    without = verify(folder, original=table)
    assert without.passed
    assert any("kmap=3" in note for note in without.not_checked)


@pytest.mark.parametrize("require", ["kmap=2", "presence=(0,1)"])
def test_a_population_is_needed_and_only_then_accepted(require: str) -> None:
    with pytest.raises(shoal.ShoalError, match="population"):
        shoal.anonymize(POPULATION, quasi=["age"], leave_out="rest", require=require)
    with pytest.raises(shoal.ShoalError, match="population"):
        shoal.anonymize(POPULATION, quasi=["age"], leave_out="rest", require="k=2", population=POPULATION)


def total_variation(one: list[int], other: list[int]) -> Fraction:
    values = set(one) | set(other)
    return (
        sum((abs(Fraction(one.count(v), len(one)) - Fraction(other.count(v), len(other))) for v in values), Fraction(0))
        / 2
    )


@given(
    rows=st.lists(
        st.tuples(st.sampled_from("ab*"), st.sampled_from("xy*"), st.integers(0, 2)), min_size=1, max_size=12
    ),
    n=st.integers(1, 8),
)
def test_nt_is_the_smallest_distance_to_a_large_superset(rows: list[tuple[str, str, int]], n: int) -> None:
    frame = pl.DataFrame(rows, schema=["p", "q", "s"], orient="row").with_columns(pl.col("s").cast(pl.String))
    worst: Fraction | None = Fraction(0)
    for cells in {row[:2] for row in rows}:
        own = [s for *other, s in rows if tuple(other) == cells]
        found = []
        for size in range(3):
            for known in combinations(range(2), size):
                superset = [row[2] for row in rows if all(cells[i] in (row[i], "*") for i in known)]
                found += [total_variation(own, superset)] if len(superset) >= n else []
        worst = None if worst is None or not found else max(worst, min(found))
    reached = audit(frame, quasi=["p", "q"], sensitive=["s"], require=f"nt(s:equal)=({n},0.2)").findings[0].reached
    if worst is None:
        assert reached is None
    else:
        assert reached == [n, pytest.approx(float(worst))]


def test_rows_that_share_a_star_are_no_superset() -> None:
    """Five people, all with HIV, in a table of 100 of whom ten have it; five others show the same star."""
    cells = [("p", "*")] * 5 + [("q", "*")] * 5 + [("r", "s")] * 90
    frame = pl.DataFrame(cells, schema=["a", "b"], orient="row").with_columns(
        illness=pl.Series(["HIV"] * 10 + ["none"] * 90)
    )
    found = audit(frame, quasi=["a", "b"], sensitive=["illness"], require="nt(illness:equal)=(10,0.1)")
    assert not found.holds
    assert found.findings[0].reached == [10, 0.9]


def test_rows_within_a_range_belong_to_its_superset() -> None:
    """The cells [20, 29], * also cover the ten rows of [20, 24], m: 15 rows in all, a third of them with flu."""
    cells = [("[20, 29]", "*")] * 5 + [("[20, 24]", "m")] * 10 + [("[30, 39]", "m")] * 15
    frame = pl.DataFrame(cells, schema=["age", "sex"], orient="row").with_columns(
        illness=pl.Series(["flu"] * 5 + ["gout"] * 25)
    )
    found = audit(frame, quasi=["age", "sex"], sensitive=["illness"], require="nt(illness:equal)=(5,0.1)")
    assert found.findings[0].reached == [5, pytest.approx(2 / 3)]


OVERLAPPING = {
    "table": pl.DataFrame({"a": list("xvvv"), "b": list("yyzz")}),
    "population": pl.DataFrame({"a": list("xxvxvv"), "b": list("yzzyzy")}),
}


def test_presence_counts_the_rows_of_all_classes_that_fit_a_person() -> None:
    """Three people have a = v, and three rows say so: each of them is in the table for certain."""
    released = pl.DataFrame({"a": list("vvvx"), "b": ["*", "*", "z", "y"]})
    people = OVERLAPPING["population"]
    found = audit(released, quasi=["a", "b"], require="presence=(0,0.7)", population=people)
    assert not found.holds
    assert found.findings[0].reached == [0, 1]
    assert found.findings[0].failing_rows == 3


@pytest.mark.parametrize("method", ["fragments", "mondrian", "auto", "cube"])
def test_no_method_publishes_classes_that_together_tell_who_is_in_the_table(method: str) -> None:
    asked = {"quasi": ["a", "b"], "require": "presence=(0,0.7)", "method": method}
    release = shoal.anonymize(OVERLAPPING["table"], population=OVERLAPPING["population"], **asked)  # type: ignore[arg-type]
    classes = release.table.group_by("a", "b").len().rows()
    fits = [
        [all(cell in ("*", value) for cell, value in zip(cells, person, strict=True)) for *cells, _ in classes]
        for person in OVERLAPPING["population"].rows()
    ]
    chances = oracle.chances(fits, [rows for *_, rows in classes])
    assert chances is not None
    assert max(chances) <= Fraction(7, 10)


def test_people_who_fit_no_class_fail_a_lower_limit() -> None:
    released = pl.DataFrame({"sex": ["f", "f"]})
    for require, holds in (("presence=(0,0.5)", True), ("presence=(0.1,0.5)", False)):
        assert audit(released, quasi=["sex"], require=require, population=POPULATION).holds is holds


@pytest.mark.parametrize("require", ["presence=(0,0.6)", "presence=(0.7,1)"])
def test_a_mean_chance_outside_the_limits_is_infeasible(require: str) -> None:
    with pytest.raises(shoal.Infeasible, match="4 rows of 6 people"):
        shoal.anonymize(OVERLAPPING["table"], quasi=["a", "b"], require=require, population=OVERLAPPING["population"])


def test_verify_refuses_a_release_that_was_decided_class_by_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, people = OVERLAPPING["table"], OVERLAPPING["population"]
    with monkeypatch.context() as before:
        for name in ("admits", "level", "surrogate"):
            before.setattr(DeltaPresence, name, getattr(PresenceByClass, name))
        shoal.anonymize(
            table, quasi=["a", "b"], require="presence=(0,0.7)", method="fragments", population=people
        ).save(tmp_path / "out")
    found = verify(tmp_path / "out", original=table, population=people)
    assert not found.passed
    assert any("presence=(0,0.7) fails in 2 classes" in str(check) for check in found.checks)


def equal_cells(columns: Sequence[ShownCells], counts: Floats) -> Iterator[tuple[Ints, Floats]]:
    """What was once taken for the supersets of a class: the rows that show the same cells in some columns."""
    for size in range(len(columns) + 1):
        for chosen in combinations(columns, size):
            cells = np.column_stack([np.zeros(len(counts), dtype=np.int64), *(one.of_class for one in chosen)])
            same = (cells[:, None, :] == cells[None, :, :]).all(axis=2)
            yield np.arange(len(counts)), same @ counts


def test_verify_refuses_a_release_whose_supersets_were_rows_of_equal_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = {
        "a": ["x", "x", "x", "y", "x", "z", "z", "y"],
        "b": ["q", "r", "p", "r", "p", "r", "r", "p"],
        "s": ["gout", "gout", "gout", "gout", "gout", "flu", "flu", "gout"],
    }
    asked = {"quasi": ["a", "b"], "sensitive": ["s"], "require": "k=2 nt(s:equal)=(4,0.1)", "method": "t-mondrian"}
    with monkeypatch.context() as before:
        before.setattr(shoal.models.nt_closeness, "supersets", equal_cells)
        shoal.anonymize(people, **asked).save(tmp_path / "out")  # type: ignore[arg-type]
    found = verify(tmp_path / "out", original=people)
    assert not found.passed
    assert any("nt(s:equal)=(4,0.1) fails in 1 classes" in str(check) for check in found.checks)


def test_nt_with_all_rows_is_t_closeness_and_methods_meet_it() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8], "s": ["u", "v"] * 4})
    release = shoal.anonymize(frame, quasi=["a"], sensitive=["s"], require="nt(s)=(8,0.1)", recoding="range")
    assert release.certificate.models[0]["reached"] == [8, 0.0]
    with pytest.raises(shoal.Infeasible):
        shoal.anonymize(frame, quasi=["a"], sensitive=["s"], require="nt(s)=(9,0.1)")


def test_no_method_claims_to_make_m_invariance_groups() -> None:
    with pytest.raises(shoal.Unsupported):
        shoal.anonymize({"a": [1, 2, 3, 4], "s": [1, 2, 1, 2]}, quasi=["a"], sensitive=["s"], require="m(s)=2")


@pytest.mark.parametrize(("n", "reached"), [(2, 0.0), (6, 0.5)])
def test_a_class_of_dates_is_no_part_of_a_class_of_numbers(n: int, reached: float) -> None:
    """Two rows of numbers are distributed as the six of dates, but lie with them in no cell but the star."""
    shown = {
        "age": [">= 5"] * 2 + ["2020-01-01"] * 6 + ["no answer"] * 8,
        "illness": ["flu", "gout"] * 4 + ["cold"] * 8,
    }
    found = audit(shown, quasi="age", sensitive="illness", require=f"nt(illness:equal)=({n},0.1)")
    assert found.findings[0].reached == [n, reached]
    assert found.holds is (reached == 0)
