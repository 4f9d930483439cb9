"""Every attack against its plainest reading, on small tables of all kinds of columns."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks import reference
from tests.strategies import SENSITIVE, case_of, tables
from tests.thorough import examples

import shoal
from shoal.attacks.base import Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.run import attack
from shoal.attacks.scene import Scene
from shoal.core.errors import ShoalError
from shoal.release.release import Release
from shoal.tables.star_marks import text_of

NAMES = ["linkage", "partial-linkage", "homogeneity", "background", "skewness", "similarity", "background-join"]
ASKED = ["k=1", "k=2", "k=3", "k=2 distinct-l(?)=2", "k=2 t(?:equal)=0.4"]
RECODINGS = ["suppress", "generalize", "full-domain", "range", "anatomy"]
METHODS = {"full-domain": "full-domain", "anatomy": "anatomy"}


@st.composite
def releases(draw: st.DrawFn) -> tuple[pl.DataFrame, Release]:
    """A small table and a release of it, by any recoding whose cells cover values; rows may be dropped."""
    columns = draw(tables(12))
    recoding = draw(st.sampled_from(RECODINGS))
    case = case_of(columns, "k=1")
    name = case.sensitive[0]
    require = f"l({name})={draw(st.sampled_from([1, 2]))}" if recoding == "anatomy" else draw(st.sampled_from(ASKED))
    try:
        release = shoal.anonymize(
            case.frame,
            quasi=list(case.quasi),
            sensitive=list(case.sensitive),
            require=require.replace("?", name),
            hierarchies=case.builders,
            recoding=recoding,
            method=METHODS.get(recoding, "mondrian"),
            max_dropped="1/4",
            star="*" if recoding == "anatomy" else draw(st.sampled_from(["*", "*", "null"])),
        )
    except ShoalError:
        assume(False)
    return case.frame, release


@settings(max_examples=examples(30))
@given(releases())
def test_every_attack_hits_whom_its_definition_says(made: tuple[pl.DataFrame, Release]) -> None:
    frame, release = made
    quasi, sensitive = release.certificate.quasi, release.certificate.sensitive
    sides = (reference.raw(frame, quasi, sensitive), reference.published(release, frame))
    for one in attack(release, frame, attacks=NAMES).outcomes:
        count = _definition(one, quasi)
        assert (one.before, one.after) == tuple(map(count, sides)), one


def _definition(one: Outcome, quasi: tuple[str, ...]) -> Callable[[reference.Plain], int]:
    """What the outcome counts, by the plain reading."""
    learnt, figures = str(one.attribute), dict(one.figures)
    if one.attack == "linkage":
        return lambda plain: reference.linkage(plain, quasi)
    if one.attack == "partial-linkage":
        return lambda plain: reference.partial(plain, quasi, int(str(figures["columns"])))
    if one.attack == "skewness":
        return lambda plain: reference.skewed(plain, quasi, learnt, 2, 0.2)
    if one.attack == "similarity":
        assert figures["by"] in ("range", "hierarchy")
        by = figures["by"]
        return lambda plain: (
            reference.near(plain, quasi, learnt, 0.1)
            if by == "range"
            else reference.few_values(reference.blurred(plain, learnt, SENSITIVE[learnt].tree), quasi, learnt, 1)
        )
    known = [str(figures["known"])] if one.attack == "background-join" else []
    most = int(str(figures.get("excluded", 0))) + 1
    return lambda plain: reference.few_values(plain, quasi, learnt, most, known)


@settings(max_examples=examples(12))
@given(releases(), st.sampled_from(["suppress", "range"]))
def test_two_releases_give_away_the_values_that_fit_both(made: tuple[pl.DataFrame, Release], recoding: str) -> None:
    frame, first = made
    quasi, sensitive = first.certificate.quasi, first.certificate.sensitive
    second = shoal.anonymize(
        frame, quasi=quasi, sensitive=sensitive, require="k=1", recoding=recoding, method="mondrian"
    )
    one, other = reference.published(first, frame), reference.published(second, frame)
    for outcome in attack(first, frame, other=second, attacks=["intersection"]).outcomes:
        assert outcome.after == reference.shared(one, other, quasi, str(outcome.attribute))


@settings(max_examples=examples(12))
@given(releases())
def test_own_classes_have_no_more_rows_than_candidates(made: tuple[pl.DataFrame, Release]) -> None:
    frame, release = made
    scene = Scene.of(release, frame)
    with patch("shoal.attacks.crowds.crowd.VISITS", -1):
        own = Crowd(scene.after)
    assert own.way == "own class"
    assert (own.size <= Crowd(scene.after).size + 1e-9).all()
    if release.certificate.recoding != "anatomy":
        cells = release.table.select(text_of(release.table[name]) for name in release.certificate.quasi)
        sizes = cells.select(pl.len().over(release.certificate.quasi)).to_series().to_numpy()
        assert own.size.tolist() == sizes.tolist()


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(releases())
def test_every_attack_hits_whom_its_definition_says_of_many(made: tuple[pl.DataFrame, Release]) -> None:
    test_every_attack_hits_whom_its_definition_says.hypothesis.inner_test(made)  # type: ignore[attr-defined]


@pytest.mark.parametrize("names", [("a", "b"), ("s?", "b"), ("a", "group?"), ("s?", "as?"), ("group?", "group?#")])
def test_the_names_of_columns_change_nothing(names: tuple[str, str]) -> None:
    first, second = names
    frame = pl.DataFrame({first: list("xyz") * 4, second: [1] * 12, "s": [1] * 6 + [2] * 6, "z": list("uvw") * 4})
    asked = {"suppress": "k=1", "anatomy": "l(s)=2"}
    for recoding, require in asked.items():
        release = shoal.anonymize(frame, quasi=names, sensitive=["s", "z"], require=require, recoding=recoding)
        found = attack(release, frame, attacks=["background-join"]).outcomes
        assert [(one.before, one.after) for one in found] == EXPECTED[recoding]


EXPECTED = {"suppress": [(12, 12), (0, 0)], "anatomy": [(12, 0), (0, 0)]}
"""Who knows s learns z of one table, for the first quasi-identifier tells it; who knows z does not learn s."""
