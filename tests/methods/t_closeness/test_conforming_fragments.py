"""The thesis' procedure as printed: its figures by number, its bounds by exact arithmetic, every fragmentation tried.

The matrices of Figures 8, 12 to 14 and 16 are pictures and not in its text; what the text says of them is tested on
tables that have it. Figures 18 and 19 for `fragments` are in `fragmentation/test_sizing.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import pytest
from benchmarks.conformance import fragmentations
from tests.methods.t_closeness.fragmentation.test_fragmentation import aggregate
from tests.thorough import many

import shoal
from shoal.core.arrays import Ints
from shoal.core.errors import Unsupported
from shoal.methods.base import Deadline, silent
from shoal.methods.t_closeness.conforming_fragments import Box, ConformingFragments, aggregate_bounds, find_boxes
from shoal.models.emd import Line
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table


def box(matrix: Sequence[Sequence[int]] | Ints) -> Box:
    return Box((0, 0), np.array(matrix))


def exact(matrix: Ints, boxes: Sequence[Box]) -> list[Fraction]:
    """The aggregate bounds from their definition, each box on its own scale."""
    places = [
        (one.corner[0], one.corner[0] + one.counts.shape[0], one.corner[1], one.corner[1] + one.counts.shape[1])
        for one in boxes
    ]
    return list(aggregate(matrix.tolist(), places, by_domain=False))


# --- the figures -----------------------------------------------------------------------------------------------------


def test_section_3_2_2_distances_of_three_distributions() -> None:
    ground, p, q, r = Line((1, 1)), [3, 1, 6], [4, 0, 6], [1, 7, 2]
    found = [ground.one(dict(enumerate(one)), np.array(other)) for one, other in ((p, q), (p, r), (q, r))]
    assert found == [Fraction(1, 20), Fraction(3, 10), Fraction(7, 20)]


def test_figure_15_a_cut_between_columns_raises_the_bound_of_the_rows() -> None:
    whole = box([[1, 4], [2, 3]])
    assert aggregate_bounds([whole]) == pytest.approx([0.5, 0.7])
    assert aggregate_bounds(whole.cut(1, 1)) == pytest.approx([0.6, 0])


def test_figure_16_one_path_ends_a_layer_above_another() -> None:
    """At (0.5, 0.6) a cut between columns will do, one between rows needs another cut: F of two boxes, H of three."""
    whole, limits = box([[3, 7], [3, 7]]), [0.5, 0.6]
    assert aggregate_bounds([whole]) == pytest.approx([0.5, 0.7])
    f, g = whole.cut(1, 1), whole.cut(0, 1)
    assert aggregate_bounds(f) == pytest.approx([0.5, 0])
    assert aggregate_bounds(g) == pytest.approx([0, 0.7])
    h = [*g[0].cut(1, 1), g[1]]
    assert aggregate_bounds(h) == pytest.approx([0, 0.35])
    assert len(find_boxes(whole, limits) or []) == 2


def check_regions(matrix: Ints, limits: Sequence[float]) -> tuple[int, int]:
    """Guarantees that the search ends in the lower region; returns its boxes, and the fewest that do."""
    every = list(fragmentations(box(matrix)))
    accepted = [boxes for boxes in every if _is_within(exact(matrix, boxes), limits)]
    single = max(every, key=len)
    assert len(single) == matrix.size
    assert exact(matrix, single) == [0, 0]  # the bottom is always accepted
    found = find_boxes(box(matrix), limits)
    assert found is not None
    assert _is_within(exact(matrix, found), limits)
    return len(found), min(map(len, accepted))


def _is_within(bounds: Sequence[Fraction], limits: Sequence[float]) -> bool:
    return all(bound <= limit + 1e-9 for bound, limit in zip(bounds, limits, strict=True))


def test_figure_17_the_search_ends_among_what_is_accepted() -> None:
    rng = np.random.default_rng(17)
    found = [check_regions(rng.integers(0, 6, (3, 2)) + np.eye(3, 2, dtype=int), [t, t]) for t in (0.1, 0.3, 0.5) * 6]
    assert all(boxes >= fewest for boxes, fewest in found)
    assert sum(boxes == fewest for boxes, fewest in found) >= len(found) * 2 // 3


@pytest.mark.slow
def test_figure_17_the_search_ends_among_what_is_accepted_in_many_more() -> None:
    rng = np.random.default_rng(18)
    for _ in range(many(150)):
        matrix = rng.integers(0, 9, (3, 3)) + np.eye(3, dtype=int)
        check_regions(matrix, rng.uniform(0.05, 0.7, 2).round(3).tolist())


def in_quarters(*records: int) -> Problem:
    """A table of two sensitive attributes with two values each, so many records of each combination."""
    pairs = np.repeat(np.arange(4), records)
    table = {"age": np.arange(len(pairs)) % 90, "x": pairs // 2, "y": pairs % 2}
    request = Request(["age"], "t(x)=0 t(y)=0", sensitive=["x", "y"], recoding="range")
    return prepare(Table.of({name: column.tolist() for name, column in table.items()}), request).problem


@pytest.mark.parametrize(("last", "classes"), [(300, 50), (301, 1)])
def test_figures_18_and_19_as_many_classes_as_the_divisor(last: int, classes: int) -> None:
    problem = in_quarters(250, 100, 350, last)
    found = ConformingFragments().run(problem)
    assert gcd(250, 100, 350, last) == classes
    assert found.notes[0] == f"4 boxes with records; {classes} classes conform to them"
    assert found.partition.sizes.tolist() == [(700 + last) // classes] * classes
    assert found.promised == {"t(x)": 0, "t(y)": 0}


# --- the bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_bounds_and_cuts_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 5, rng.integers(1, 6, 2))
    matrix[0, 0] += 1
    boxes = [box(matrix)]
    for _ in range(4):
        place = int(rng.integers(len(boxes)))
        cuts = boxes[place].cuts
        for along, after, moved in zip(cuts.along.tolist(), cuts.after.tolist(), cuts.moved, strict=True):
            finer = [*boxes[:place], *boxes[place].cut(along, after), *boxes[place + 1 :]]
            assert aggregate_bounds(finer) == pytest.approx([float(bound) for bound in exact(matrix, finer)])
            assert sum(one.moved for one in boxes[place].cut(along, after)) == pytest.approx(moved)
        if len(cuts.along):
            chosen = int(rng.integers(len(cuts.along)))
            boxes[place : place + 1] = boxes[place].cut(int(cuts.along[chosen]), int(cuts.after[chosen]))


def three(rows: int, t: str) -> dict[str, Any]:
    """A request for three sensitive attributes, four copies of each record: the divisor is at least four."""
    columns = ["age", "education", "hours", "income", "rank"]
    people = census(rows, seed=2).select("age", "education", "income")
    rng = np.random.default_rng(3)
    drawn = {"hours": rng.integers(0, 4, rows).tolist(), "rank": rng.integers(0, 3, rows).tolist()}
    table = {name: (drawn.get(name) or people[name].to_list()) * 4 for name in columns}
    table["age"] = [age + copy for copy in range(4) for age in people["age"].to_list()]
    asked = {"quasi": columns[:2], "sensitive": columns[2:], "require": f"t(hours)={t} t(income)={t} t(rank)={t}"}
    return {"data": table, **asked, "recoding": "range"}


@pytest.mark.parametrize("t", ["0.15", "0.4"])
def test_every_class_is_within_the_bound_that_was_promised(t: str) -> None:
    release = shoal.anonymize(**three(150, t), method="conforming-fragments")
    assert len(release.classes) >= 4
    assert release.audit.holds
    promised = release.certificate.a_priori
    for model in release.certificate.models:
        assert model["reached"] <= promised[f"t({model['attribute']})"] + 1e-12 <= float(t) + 1e-9


def test_k_anonymity_takes_the_most_classes_that_divide() -> None:
    request = three(150, "0.3") | {"require": "k=20 t(hours)=0.3"}
    release = shoal.anonymize(**request, method="conforming-fragments")
    sizes = {len(rows) for rows in release.classes}
    assert len(sizes) == 1
    assert min(sizes) >= 20


# --- what it does not take -------------------------------------------------------------------------------------------


def test_only_ranks_and_few_values() -> None:
    table = {"age": [1, 2, 3, 4], "illness": ["flu", "gout", "cold", "flu"], "salary": [10, 20, 50, 10]}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness", "salary"], "method": "conforming-fragments"}
    with pytest.raises(Unsupported, match="illness are not equally far apart on a line"):
        shoal.anonymize(table, require="t(illness:equal)=0.5", **asked)
    with pytest.raises(Unsupported, match="salary are not equally far apart"):
        shoal.anonymize(table, require="t(salary:numeric)=0.5", **asked)
    with pytest.raises(Unsupported, match="there is no t-closeness"):
        shoal.anonymize(table, require="k=2", **asked)


def test_without_time_all_rows_are_one_class() -> None:
    found = ConformingFragments().attempt(in_quarters(5, 5, 5, 5), seed=0, deadline=Deadline.after(0), progress=silent)
    assert len(found.partition) == 1
    assert found.notes == ("time ran out before the matrix was cut",)
