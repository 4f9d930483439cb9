"""The papers' own tables: what breaks k-anonymity, what breaks l-diversity, and what t-closeness leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

import shoal
from shoal.attacks.background import Background
from shoal.attacks.base import Attack
from shoal.attacks.downcoding import Downcoding
from shoal.attacks.homogeneity import Homogeneity
from shoal.attacks.linkage import Linkage
from shoal.attacks.minimality import Minimality
from shoal.attacks.partial_linkage import PartialLinkage
from shoal.attacks.scene import Scene
from shoal.attacks.similarity import Similarity
from shoal.attacks.skewness import Skewness
from shoal.hierarchies import Taxonomy
from shoal.microdata.dealt_values import surer_than
from shoal.models.requirement import parse_requirement
from shoal.release.release_view import Shown

HOSPITAL = pl.DataFrame(
    {
        "zip": ["13053", "13068", "13068", "13053", "14853", "14853", "14850", "14850", *["13053"] * 2, *["13068"] * 2],
        "age": [28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35],
        "condition": ["heart", "heart", *["viral"] * 2, "cancer", "heart", *["viral"] * 2, *["cancer"] * 4],
    }
)
"""Machanavajjhala et al. 2006, without the nationality, which is a star throughout."""
PAY = pl.DataFrame(
    {
        "zip": ["47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607"],
        "age": [29, 22, 27, 43, 52, 47, 30, 36, 32],
        "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
        "disease": [
            *("gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis", "bronchitis"),
            *("pneumonia", "stomach cancer"),
        ],
    }
)
"""Li et al. 2007."""
STOMACH = {"gastric ulcer": "stomach", "gastritis": "stomach", "stomach cancer": "stomach"}
ORGANS = Taxonomy([(disease, STOMACH.get(disease, "lung")) for disease in sorted(set(PAY["disease"]))])


def scene_of(
    frame: pl.DataFrame, cells: Mapping[str, Sequence[str]], sensitive: Sequence[str], require: str, **trees: Any
) -> Scene:
    """A table published with these cells, which are ranges, prefixes as sets, values or stars."""
    published = frame.with_columns(pl.Series(name, shown) for name, shown in cells.items())
    shown = Shown(
        tables={"table": published},
        codebook={"marks": {"star": "*"}},
        hierarchies=trees,
        quasi=tuple(cells),
        sensitive=tuple(sensitive),
        recoding="range",
        models=parse_requirement(require),
        rows=np.arange(frame.height),
    )
    scene = Scene(shown, frame)
    scene.check()
    return scene


def hits(attack: Attack, scene: Scene) -> dict[str | None, int]:
    return {outcome.attribute: outcome.after for outcome in attack.run(scene)}


def classes(*groups: tuple[Sequence[int], dict[str, str]]) -> dict[str, list[str]]:
    """The cells of each row, from the rows (counted from 1) of each class."""
    shown = {row: cells for rows, cells in groups for row in rows}
    return {name: [shown[row][name] for row in sorted(shown)] for name in groups[0][1]}


def prefix(frame: pl.DataFrame, start: str) -> str:
    return "{" + ", ".join(sorted({zip_ for zip_ in frame["zip"] if zip_.startswith(start)})) + "}"


def test_a_4_anonymous_release_that_homogeneity_breaks() -> None:
    near, far = prefix(HOSPITAL, "130"), prefix(HOSPITAL, "1485")
    cells = classes(
        (range(1, 5), {"zip": near, "age": "[21, 29]"}),
        (range(5, 9), {"zip": far, "age": "[47, 55]"}),
        (range(9, 13), {"zip": near, "age": "[31, 37]"}),
    )
    scene = scene_of(HOSPITAL, cells, ["condition"], "k=4")
    assert hits(Linkage(), scene) == {None: 0}
    assert hits(Homogeneity(), scene) == {"condition": 4}  # the four of the last class have cancer
    assert [outcome.after for outcome in Background(1).run(scene)] == [8]  # who rules out heart knows the first class


def test_a_3_diverse_release_of_the_same_people_that_homogeneity_does_not_break() -> None:
    cells = classes(
        ((1, 4, 9, 10), {"zip": "13053", "age": "[21, 37]"}),
        (range(5, 9), {"zip": prefix(HOSPITAL, "1485"), "age": "[47, 55]"}),
        ((2, 3, 11, 12), {"zip": "13068", "age": "[21, 37]"}),
    )
    scene = scene_of(HOSPITAL, cells, ["condition"], "distinct-l(condition)=3")
    assert hits(Homogeneity(), scene) == {"condition": 0}
    assert [outcome.after for outcome in Background(1).run(scene)] == [0]


def test_a_2_diverse_release_that_skewness_breaks() -> None:
    """One in a hundred has it, and half of one class."""
    frame = pl.DataFrame({"age": [20] * 20 + [60] * 980, "test": ["yes", "no"] * 10 + ["no"] * 980})
    scene = scene_of(frame, {"age": [str(age) for age in frame["age"]]}, ["test"], "k=20")
    (outcome,) = Skewness().run(scene)
    assert outcome.after == 10
    assert outcome.figures["largest_gain"] == 0.49
    assert hits(Homogeneity(), scene) == {"test": 980}  # of the other class it is no news that they have not
    assert [one.after for one in Skewness(factor=100).run(scene)] == [0]


def test_a_3_diverse_release_that_similarity_breaks_and_a_close_one_that_nothing_does() -> None:
    old = ((4, 5, 6), {"zip": prefix(PAY, "4790"), "age": "[43, 52]"})
    three_diverse = classes(
        ((1, 2, 3), {"zip": prefix(PAY, "476"), "age": "[22, 29]"}),
        old,
        ((7, 8, 9), {"zip": prefix(PAY, "476"), "age": "[30, 36]"}),
    )
    close = classes(
        ((1, 3, 8), {"zip": prefix(PAY, "4767"), "age": "[22, 36]"}),
        old,
        ((2, 7, 9), {"zip": prefix(PAY, "4760"), "age": "[22, 36]"}),
    )
    secret = ["salary", "disease"]
    scene = scene_of(PAY, three_diverse, secret, "k=3", disease=ORGANS)
    assert hits(Homogeneity(), scene) == {"salary": 0, "disease": 0}
    assert hits(Similarity(width="0.25"), scene) == {"salary": 3, "disease": 3}
    scene = scene_of(PAY, close, secret, "k=3", disease=ORGANS)
    assert hits(Homogeneity(), scene) == {"salary": 0, "disease": 0}
    assert hits(Similarity(width="0.25"), scene) == {"salary": 0, "disease": 0}
    assert hits(Skewness(difference="0.278"), scene) == {"salary": 0, "disease": 0}
    found = shoal.audit(scene.shown.frame, quasi=["zip", "age"], sensitive=secret, require="t(salary:ordered)=0.167")
    assert found.holds


# Minimality


def test_what_was_generalized_for_two_people_gives_them_away() -> None:
    """Wong et al. 2007: two of one kind both have it, so they were put with five of another kind."""
    frame = pl.DataFrame(
        {"job": ["a"] * 2 + ["b"] * 5, "illness": ["hiv", "hiv", "flu", "cold", "gout", "asthma", "wart"]}
    )
    scene = scene_of(frame, {"job": ["*"] * 7}, ["illness"], "l(illness)=2")
    (outcome,) = Minimality().run(scene)
    assert (outcome.after, outcome.figures["open_classes"]) == (2, 1)
    asked_for_more = scene_of(frame, {"job": ["*"] * 7}, ["illness"], "k=3 l(illness)=2")
    assert [one.after for one in Minimality().run(asked_for_more)] == [0]  # a class of two was too small anyway


@pytest.mark.parametrize(
    ("sizes", "counts", "promised"),
    [
        *(((2, 3), (2, 2, 1), 2), ((2, 2, 2), (2, 2, 1, 1), 2), ((3, 3), (2, 2, 2), 3)),
        *(((2, 5), (2, 1, 1, 1, 1, 1), 2), ((2, 4), (2, 1, 1, 1, 1), 2), ((3, 4), (3, 1, 1, 1, 1), 2)),
    ],
)
def test_probabilities_are_those_of_all_ways_to_hand_out_values(
    sizes: tuple[int, ...], counts: tuple[int, ...], promised: int
) -> None:
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    edges = np.cumsum([0, *sizes]).tolist()
    parts = list(pairwise(edges))
    left = [
        way
        for way in set(permutations(values))
        if any(way[a:b].count(value) * promised > b - a for a, b in parts for value in set(values))
    ]
    expected = {
        (b - a, count)
        for a, b in parts
        for value, count in enumerate(counts)
        if Fraction(sum(way[a] == value for way in left), len(left)) > Fraction(1, promised)
    }
    assert surer_than(sizes, counts, Fraction(promised)) == expected


# Downcoding


def test_two_rows_that_share_a_block_of_two_parts_have_one_each() -> None:
    frame = pl.DataFrame({"town": ["Oslo", "Bergen", "Rome", "Rome"], "illness": ["flu", "gout", "flu", "gout"]})
    places = {"Norway": ["Oslo", "Bergen"], "Italy": ["Rome"]}
    release = shoal.anonymize(
        frame,
        quasi=["town"],
        sensitive=["illness"],
        require="k=2",
        hierarchies={"town": places},
        recoding="generalize",
    )
    (outcome,) = Downcoding().run(Scene.of(release, frame))
    assert (outcome.after, dict(outcome.figures)) == (2, {"split": 2, "taken": 0, "wrong": 0})


@settings(max_examples=examples(15))
@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=4, max_size=9),
    st.sampled_from(["suppress", "generalize"]),
)
def test_of_the_cheapest_release_every_finer_cell_is_true(rows: list[tuple[str, ...]], recoding: str) -> None:
    frame = pl.DataFrame(rows, schema=["x", "y", "z"], orient="row")
    release = shoal.anonymize(frame, quasi=["x", "y", "z"], require="k=2", recoding=recoding, method="subset-dp")
    for outcome in Downcoding().run(Scene.of(release, frame)):
        assert outcome.figures["wrong"] == 0


def test_a_release_whose_method_leaves_rows_behind_makes_the_attacker_wrong() -> None:
    frame = pl.DataFrame({"x": ["a"] * 3 + ["b"] * 2 + ["c"]})
    shown = ["a"] * 2 + ["*"] * 4
    scene = Scene.of(shoal.anonymize(frame, quasi=["x"], require="k=1", recoding="suppress"), frame)
    made = scene_of(frame, {"x": shown}, [], "k=2")
    made = Scene(type(made.shown)(**{**vars(made.shown), "recoding": "suppress"}), frame)
    (outcome,) = Downcoding().run(made)
    assert dict(outcome.figures) == {"split": 0, "taken": 4, "wrong": 1}
    assert outcome.after == 3
    assert [one.after for one in Downcoding().run(scene)] == [0]


# Centroids


@settings(max_examples=examples(20))
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 5), st.sampled_from("pq"), st.sampled_from("uvw")),
        min_size=4,
        max_size=12,
    )
)
def test_of_centroids_the_candidates_are_the_rows_with_the_nearest(rows: list[tuple[int, int, str, str]]) -> None:
    frame = pl.DataFrame(rows, schema=["x", "y", "z", "secret"], orient="row")
    release = shoal.anonymize(
        frame,
        quasi=["x", "y", "z"],
        sensitive=["secret"],
        require="k=2",
        recoding="centroid",
        method="microaggregation",
    )
    spans = {name: max(frame[name]) - min(frame[name]) or 1 for name in ("x", "y")}
    shown, found = release.table.to_dicts(), 0
    for person in frame.to_dicts():
        away = [
            sum(((row[name] - person[name]) / spans[name]) ** 2 for name in ("x", "y")) + (row["z"] != person["z"])
            for row in shown
        ]
        near = [row["secret"] for row, far in zip(shown, away, strict=True) if far <= min(away) * (1 + 1e-9) + 1e-15]
        found += set(near) == {person["secret"]}
    (outcome,) = shoal.attack(release, frame, attacks=["homogeneity"]).outcomes
    assert (outcome.after, outcome.candidates) == (found, "nearest")


def test_of_centroids_only_right_candidates_are_counted_however_much_is_known() -> None:
    ages = [0, 0, 7, 10, 10, 10, 30, 30, 31]
    frame = pl.DataFrame({"x": ages, "y": ages})
    release = shoal.anonymize(frame, quasi=["x", "y"], require="k=1", recoding="centroid", method="mondrian")
    scene = Scene(replace(Shown.of(release), tables={"table": frame.with_columns(x=SWAPPED, y=SWAPPED)}), frame)
    (whole,), (part,) = Linkage().run(scene), PartialLinkage().run(scene)
    assert whole.after == part.after == 0


SWAPPED = pl.Series([0.0, 0.0, 12.0, 9.0, 10.0, 10.0, 30.0, 30.0, 32.0])
"""Centroids of which each that stands alone is nearest to somebody else's row, or to rows of others too."""
