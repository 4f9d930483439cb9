"""TP: the paper's examples phase by phase, what stays true in every phase, and its promises against the optimum."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.bounds.residue import phase_one
from shoal.methods.base import Deadline, silent
from shoal.methods.l_diversity import tp
from shoal.methods.l_diversity.fewest_rows import FewestRows
from shoal.methods.l_diversity.tp import TP, counted, diversity_of, three_phases
from shoal.methods.l_diversity.tp_plus import TPPlus
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.studies.synth import census
from shoal.tables.roles import Roles
from shoal.tables.table import Table

Vector = tuple[int, ...]

HOSPITAL = {
    "age": ["<30", "<30", "<30", "30-49", "30-49", "30-49", "30-49", "30-49", ">=50", ">=50"],
    "gender": ["M", "M", "M", "M", "F", "F", "F", "F", "F", "F"],
    "education": ["Master", "Master", *["Bachelor"] * 6, "High Sch.", "High Sch."],
    "disease": [
        *["HIV", "HIV", "pneumonia", "bronchitis", "pneumonia", "bronchitis", "bronchitis", "pneumonia"],
        *["dyspepsia", "pneumonia"],
    ],
}
TWO = [(3, 1, 1, 2, 3), (0, 2, 2, 4, 4), (4, 4, 0, 0, 0)]
THREE = [(3, 1, 2, 3, 3), (1, 3, 2, 3, 3)]


def standing(classes: Sequence[Vector], residue: Vector) -> Any:
    """Classes and R as the loops see them."""
    from shoal.methods.l_diversity.tp_kernel import lay_out

    entries = [[(v, count) for v, count in enumerate(vector) if count] for vector in classes]
    starts = np.concatenate([[0], np.cumsum([len(entry) for entry in entries])]).astype(np.int64)
    codes, counts = np.array([pair for entry in entries for pair in entry], dtype=np.int64).T.copy()
    return lay_out(starts, codes, counts, np.array(residue, dtype=np.int64))


def vectors(s: Any) -> list[Vector]:
    """The classes as counts by value."""
    found = np.zeros((len(s.sizes), len(s.residue)), dtype=np.int64)
    found[s.owner, s.codes] = s.counts
    return [tuple(row) for row in found.tolist()]


def check_standing(s: Any, l: int, table: Vector) -> None:
    """What the loops keep up to date is right, every class is eligible, and no row is lost."""
    classes = np.array(vectors(s))
    assert (classes.sum(axis=0) + s.residue).tolist() == list(table)
    assert s.total.tolist() == [s.residue.sum(), s.residue.max()]
    assert s.sizes.tolist() == classes.sum(axis=1).tolist()
    assert s.heights.tolist() == classes.max(axis=1).tolist()
    assert (s.sizes >= l * s.heights).all()
    for i in range(len(s.sizes)):
        counts = s.counts[s.at[s.starts[i] : s.starts[i + 1]]].tolist()
        assert counts == sorted(counts, reverse=True)
        for height in range(s.heights[i] + 1):
            assert s.steps[s.base[i] + height] == sum(count >= height for count in counts)


def problem(classes: Sequence[Vector], require: str, **options: Any) -> Problem:
    """A table with a tuple for each vector, which has so many rows of each sensitive value."""
    rows = [(q, v) for q, vector in enumerate(classes) for v, count in enumerate(vector) for _ in range(count)]
    frame = pl.DataFrame({"a": [q for q, _ in rows], "s": [f"v{v}" for _, v in rows]})
    roles = Roles.of(["a", "s"], quasi=["a"], sensitive=["s"])
    return make_problem(encode(Table.of(frame), roles), parse_requirement(require), **options)


def hospital(cost: str) -> Problem:
    roles = Roles.of(list(HOSPITAL), quasi=["age", "gender", "education"], sensitive=["disease"])
    return make_problem(encode(Table.of(pl.DataFrame(HOSPITAL)), roles), parse_requirement("l(disease)=2"), cost=cost)


def solved(asked: Problem) -> Solution:
    return TP().run(asked, deadline=Deadline(), progress=silent)


# --- the paper's examples --------------------------------------------------------------------------------------------


def test_the_paper_s_table_is_solved_by_phase_one() -> None:
    asked = hospital("starred-rows")
    _, histogram = counted(asked, diversity_of(asked)[0])
    stay, residue = phase_one(histogram, Fraction(diversity_of(asked)[1]))
    values = asked.values[("disease",)].domain.to_list()
    assert len(histogram.sizes) == 5
    assert dict(zip(values, residue.tolist(), strict=True)) == {
        "HIV": 2,
        "bronchitis": 1,
        "dyspepsia": 0,
        "pneumonia": 1,
    }
    assert np.add.reduceat(stay, histogram.starts[:-1]).tolist().count(0) == 3
    found = solved(asked)
    assert (found.cost, found.status, found.guarantee) == (4, "optimal", "starred rows = optimum")
    assert found.partition.class_of_row[:4].tolist() == [found.partition.class_of_row[0]] * 4


def test_the_paper_s_table_as_one_class_has_eight_stars() -> None:
    found = solved(hospital("stars"))
    assert (found.cost, found.status, found.guarantee) == (8, "within_bound", "stars <= 3 * optimum")
    assert found.lower_bound is not None
    assert found.lower_bound <= 6


def test_the_paper_s_example_of_phase_two() -> None:
    from shoal.methods.l_diversity.tp_kernel import phase_two

    asked = problem(TWO, "l(s)=3", cost="starred-rows")
    _, histogram = counted(asked, diversity_of(asked)[0])
    assert phase_one(histogram, Fraction(diversity_of(asked)[1]))[1].tolist() == [4, 4, 0, 0, 0]
    s = standing(TWO[:2], (4, 4, 0, 0, 0))
    assert phase_two(s, 3)
    check_standing(s, 3, (7, 7, 3, 6, 7))
    assert s.total.tolist() == [12, 4]
    found = solved(asked)
    assert (found.cost, found.status, found.lower_bound) == (12, "optimal", 12)
    assert "phase 2" in found.notes[0]


def test_the_paper_s_example_of_phase_three() -> None:
    from shoal.methods.l_diversity.tp_kernel import cover_pillars, lower, phase_three, phase_two

    table = (8, 8, 8, 6, 6)
    s = standing(THREE, (4, 4, 4, 0, 0))
    assert not phase_two(s, 4)
    assert vectors(s) == THREE
    picked = cover_pillars(s)
    assert picked == [0, 1]
    for i in picked:
        lower(s, i)
        check_standing(s, 4, table)
    assert vectors(s) == [(2, 1, 2, 2, 2), (1, 2, 2, 2, 2)]
    assert s.residue.tolist() == [5, 5, 4, 2, 2]
    s = standing(THREE, (4, 4, 4, 0, 0))
    assert phase_three(s, 4, np.zeros(1, dtype=np.bool_))
    check_standing(s, 4, table)
    assert s.total.tolist() == [20, 5]


def test_a_table_that_comes_to_phase_three() -> None:
    asked = problem([*THREE, (4, 4, 4, 0, 0)], "l(s)=4", cost="starred-rows")
    found = solved(asked)
    assert (found.cost, found.guarantee) == (20, "starred rows <= 4 * optimum")
    assert "phase 3" in found.notes[0]


def test_when_time_is_over_in_phase_three_classes_are_given_up_whole() -> None:
    from shoal.methods.l_diversity.tp_kernel import phase_three

    s = standing(THREE, (4, 4, 4, 0, 0))
    assert not phase_three(s, 4, np.ones(1, dtype=np.bool_))
    check_standing(s, 4, (8, 8, 8, 6, 6))
    assert s.total[0] >= 4 * s.total[1]


@pytest.mark.parametrize("method", [TP, TPPlus, TPPlusRefined, FewestRows])
def test_when_time_is_over_in_phase_three_nothing_is_promised(
    method: type[TP], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(loop: Callable[..., bool], *arguments: object, deadline: Deadline) -> bool:
        return loop(*arguments, np.ones(1, dtype=np.bool_))

    monkeypatch.setattr(tp, "watched", ended)
    asked = problem([*THREE, (4, 4, 4, 0, 0)], "l(s)=4", cost="starred-rows")
    found = method().attempt(asked, seed=0, deadline=Deadline.after(0), progress=silent)
    assert (found.status, found.guarantee) == ("feasible", None)
    assert "time ran out in phase 3" in found.notes[0]


# --- what stays true -------------------------------------------------------------------------------------------------


def random_tables(seed: int, number: int) -> Iterator[tuple[list[Vector], int]]:
    """Eligible tables of a few classes, many of them short of the rare values."""
    rng = np.random.default_rng(seed)
    while number:
        l, values = int(rng.integers(2, 5)), int(rng.integers(3, 7))
        shares = rng.dirichlet(np.full(values, rng.choice([0.5, 2.0, 10.0])))
        classes = [tuple(rng.multinomial(int(rng.integers(1, 12)), shares).tolist()) for _ in range(rng.integers(1, 6))]
        totals = np.sum(classes, axis=0)
        if l * totals.max() <= totals.sum():
            number -= 1
            yield classes, l


def crafted_tables(seed: int, number: int) -> Iterator[tuple[list[Vector], int]]:
    """Tables of thin classes and one that all goes to R: they often come to phase three."""
    rng = np.random.default_rng(seed)
    while number:
        l = int(rng.integers(3, 6))
        values = l + 1
        height = int(rng.integers(2, 5))
        classes = [tuple(rng.integers(max(height - 2, 0), height + 1, values).tolist()) for _ in range(3)]
        classes.append(tuple([height + 1] * (l - 1) + [0] * (values - l + 1)))
        totals = np.sum(classes, axis=0)
        if l * totals.max() <= totals.sum():
            number -= 1
            yield classes, l


def check_phases(classes: list[Vector], l: int) -> int:
    """Guarantees what the paper says of every phase; returns the last one."""
    from shoal.methods.l_diversity.tp_kernel import cover_pillars, is_dead, is_eligible, lower, phase_two, starve

    asked = problem(classes, f"l(s)={l}")
    table = tuple(asked.values[("s",)].totals.tolist())
    _, histogram = counted(asked, diversity_of(asked)[0])
    stay, residue = phase_one(histogram, Fraction(diversity_of(asked)[1]))
    if residue.sum() >= l * residue.max():
        return 1
    kept = np.zeros((len(histogram.sizes), len(table)), dtype=np.int64)
    kept[histogram.slice_of_entry, histogram.codes] = stay
    s = standing([tuple(row) for row in kept.tolist() if any(row)], tuple(residue.tolist()))
    tallest, first, rounds = int(residue.max()), residue.copy(), 0
    done = phase_two(s, l)
    check_standing(s, l, table)
    assert s.total[1] == tallest
    assert (s.residue >= first).all()
    if done:
        assert s.total[0] <= l * s.total[1] + l - 1
        return 2
    assert l > 2
    while not is_eligible(s, l):
        assert all(is_dead(s, i, l) for i in range(len(s.sizes)))
        before, rounds = s.residue.copy(), rounds + 1
        for i in cover_pillars(s):
            if not is_eligible(s, l):
                lower(s, i)
        for i in range(len(s.sizes)):
            starve(s, i, l)
        check_standing(s, l, table)
        assert (s.residue >= before).all()
        assert s.total[1] <= before.max() + l - 2
    assert rounds <= tallest
    assert s.total[0] <= l * s.total[1] + l - 1
    return 3


def least_residue(classes: Sequence[Vector], l: int) -> int:
    """The fewest rows outside eligible parts of the classes that are eligible themselves, all choices tried."""
    reached: dict[Vector, int] = {(0,) * len(classes[0]): 0}
    for vector in classes:
        parts = [
            tuple(count - kept for count, kept in zip(vector, part, strict=True))
            for part in product(*(range(count + 1) for count in vector))
            if l * max(part) <= sum(part)
        ]
        reached = {tuple(map(sum, zip(before, gone, strict=True))): 0 for before in reached for gone in parts}
    return min(sum(gone) for gone in reached if l * max(gone) <= sum(gone))


def check_promise(classes: list[Vector], l: int) -> int:
    """Guarantees the promise of the last phase; returns how many rows more than the fewest are altered."""
    found = three_phases(problem(classes, f"l(s)={l}"), Deadline())
    least = least_residue(classes, l)
    assert found.bound <= least <= found.rows
    assert found.rows <= [least, least + l - 1, l * least][found.phase - 1]
    return found.rows - least


@pytest.mark.parametrize("tables", [random_tables, crafted_tables])
def test_every_phase_keeps_what_it_promises(tables: Any) -> None:
    ended = Counter(check_phases(classes, l) for classes, l in tables(1, 200))
    assert ended[2] + ended[3] > 20


def test_crafted_tables_come_to_every_phase() -> None:
    assert {check_phases(classes, l) for classes, l in crafted_tables(2, 300)} >= {2, 3}


def test_the_residue_is_as_small_as_promised() -> None:
    small = [(classes, l) for classes, l in random_tables(3, 150) if sum(map(sum, classes)) <= 14]
    assert len(small) > 20
    for classes, l in small:
        check_promise(classes, l)


# --- a problem asked -------------------------------------------------------------------------------------------------


def test_other_recodings_and_costs_are_served_without_a_promise() -> None:
    for options in ({"recoding": "range"}, {"recoding": "generalize"}, {"cost": "discernibility"}):
        found = solved(problem(TWO, "l(s)=3", **options))
        assert (found.status, found.guarantee) == ("feasible", None)


def test_where_rows_may_be_dropped_nothing_is_promised() -> None:
    found = solved(problem(TWO, "l(s)=3", max_dropped="1/10"))
    assert (found.status, found.guarantee) == ("feasible", None)


def test_models_that_follow_are_taken() -> None:
    for require in ("k=3 l(s)=3", "alpha(s)=1/3", "l(s)=3 distinct-l(s)=3", "l(s)=3 entropy-l(s)=5/2"):
        assert not TP().accepts(problem(TWO, require))


@pytest.mark.parametrize(
    ("require", "reason"),
    [
        ("k=5 l(s)=3", "k=5 does not follow from l(s)=3"),
        ("l(s)=5/2", "no whole number"),
        ("k=2", "no model caps"),
        ("l(s)=2 t(s)=1/2", "does not follow"),
        ("l(s)=2 distinct-l(s)=3", "does not follow"),
    ],
)
def test_it_says_why_it_cannot(require: str, reason: str) -> None:
    assert any(reason in said for said in TP().accepts(problem(TWO, require)))


@pytest.mark.parametrize("cost", ["stars", "starred-rows", "ncp"])
def test_the_cost_is_that_of_the_published_cells(cost: str) -> None:
    quasi = ["gender", "race", "marital"]
    table = Table.of(census(3_000).select(*quasi, "income"))
    microdata = encode(table, Roles.of(table.columns, quasi=quasi, sensitive=["income"]))
    asked = make_problem(microdata, parse_requirement("l(income)=6"), cost=cost)
    found = solved(asked)
    assert found.cost == asked.cost_of(found.partition) > 0
    assert asked.models.admits(asked.classes(found.partition)).all()
