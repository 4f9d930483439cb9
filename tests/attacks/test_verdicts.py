"""Verdicts of attacks: the number that is compared is the one that is named, and nothing passes that was not shown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given, settings
from tests.attacks.test_attacks_oracle import NAMES, releases
from tests.thorough import examples

import shoal
from shoal.attacks.base import Attack, Outcome
from shoal.attacks.run import attack
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import FailAbove, Limits, Threshold
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.parameters import Numeral
from shoal.release.release import Release

PEOPLE = pl.DataFrame(
    {
        "age": [20, 20, 20, 40, 40, 40, 60, 60, 60, 60],
        "town": ["a", "a", "a", "a", "a", "a", "b", "b", "b", "b"],
        "ill": ["flu", "gout", "flu", "flu", "flu", "flu", "gout", "ache", "flu", "gout"],
        "pay": [10, 11, 12, 30, 50, 70, 90, 20, 40, 100],
    }
)


def made(require: str = "k=3", **more: object) -> Release:
    asked: dict[str, object] = {"quasi": ["age", "town"], "sensitive": ["ill", "pay"], "recoding": "range"}
    asked |= {"method": "mondrian", **more}
    table = PEOPLE.select(*asked["quasi"], *asked["sensitive"])  # type: ignore[misc]
    return shoal.anonymize(table, require=require, **asked)  # type: ignore[arg-type]


# The number compared


def test_the_risk_of_linkage_is_the_highest_chance_and_the_requirement_promises_it() -> None:
    (one,) = attack(made("k=3"), PEOPLE, attacks=["linkage"]).outcomes
    assert (one.risk, one.threshold, one.passed) == (Fraction(1, 3), Threshold(Fraction(1, 3), "k=3"), True)
    assert one.verdict == (
        "An attacker picks the right row of a person with a chance of at most 33.3 %, and finds 0 of 10 rows for"
        " certain, knowing all quasi-identifiers. The risk of 33.3 % is within the threshold of 33.3 % that k=3"
        " promises."
    )


def test_the_risk_of_other_attacks_is_the_share_of_the_people_hit() -> None:
    found = attack(made("k=3 distinct-l(pay)=2"), PEOPLE, attacks=["homogeneity"], fail_above=0.2)
    ill, pay = found.outcomes
    assert (ill.after, ill.risk, ill.passed, pay.passed) == (3, Fraction(3, 10), False, True)
    assert "learns ill of 3 of 10 rows (30 %) for certain" in ill.verdict
    assert ill.verdict.endswith("The risk of 30 % is above the threshold of 20 %.")


def test_a_threshold_is_compared_exactly() -> None:
    (one,) = attack(made("k=3"), PEOPLE, attacks=["linkage"], fail_above="1/3").outcomes
    assert one.passed
    (one,) = attack(made("k=3"), PEOPLE, attacks=["linkage"], fail_above="0.3333333").outcomes
    assert one.passed is False
    assert one.verdict.endswith("The risk of 33.333333 % is above the threshold of 33.33333 %.")


def test_what_was_set_replaces_what_the_requirement_promises() -> None:
    release = made("k=3 l(ill)=1.5")
    plain = attack(release, PEOPLE)
    assert {one.threshold.by for one in plain.outcomes if one.threshold is not None} == {"k=3", "l(ill)=1.5"}
    assert (plain.passed, plain.failures) == (None, ())
    said = attack(release, PEOPLE, fail_above={"linkage": "0.05"})
    assert (said.passed, said.failures) == (False, ("linkage: above",))
    assert [one.threshold for one in said.of("homogeneity")] == [one.threshold for one in plain.of("homogeneity")]


@settings(max_examples=examples(30))
@given(releases())
def test_no_release_is_above_what_its_requirement_promises(drawn: tuple[pl.DataFrame, Release]) -> None:
    frame, release = drawn
    promised = [one for one in attack(release, frame, attacks=NAMES).outcomes if one.threshold is not None]
    assert [one.verdict for one in promised if not one.passed] == []
    limited = attack(release, frame, fail_above=1)
    assert limited.passed
    assert all(
        one["passed"] and one["risk"] <= one["at_most"] <= 1 for one in json.loads(limited.to_json())["outcomes"]
    )


# What `fail_above` may be


@pytest.mark.parametrize(
    ("given_", "every", "named"),
    [
        (0, 0, {}),
        (0.2, "1/5", {}),
        ("1/5", "1/5", {}),
        (" 0.2 ,\nlinkage = 1", "1/5", {"linkage": 1}),
        ({"linkage": 0.5}, None, {"linkage": "1/2"}),
        (None, None, {}),
    ],
)
def test_thresholds_are_read(given_: FailAbove, every: Numeral | None, named: dict[str, Numeral]) -> None:
    limits = Limits.read(given_)
    assert limits.every == (None if every is None else Fraction(every))
    assert limits.named == {name: Fraction(share) for name, share in named.items()}


@pytest.mark.parametrize(
    "wrong",
    [20, "20 %", "-0.1", "1.01", "", "linkage", "linkage=", "linkage=x", "0.1,0.2", "a=0,a=1", "nan"],
)
def test_thresholds_that_cannot_be_meant_are_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="expected a share from 0 to 1"):
        Limits.read(wrong)  # type: ignore[arg-type]


def test_a_threshold_for_an_attack_that_is_not_run_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'linkage'"):
        attack(made(), PEOPLE, fail_above="linkag=0.2")
    with pytest.raises(ParameterError, match="'homogeneity', which is not run"):
        attack(made(), PEOPLE, attacks=["linkage"], fail_above="homogeneity=0")
    with pytest.raises(ParameterError, match="--with DIR"):
        attack(made(), PEOPLE, fail_above="intersection=0")


# What could not be tried


def test_an_attack_that_could_not_be_tried_is_named_and_is_no_pass() -> None:
    release = made(sensitive=[])
    found = attack(release, PEOPLE, fail_above=0.5)
    assert {one.attack for one in found.untried} >= {
        *("homogeneity", "background", "background-join", "skewness", "similarity", "minimality"),
        *("downcoding", "intersection"),
    }
    assert all(one.reason for one in found.untried)
    assert found.passed
    named = attack(release, PEOPLE, fail_above={"homogeneity": 1})
    assert (named.passed, named.failures) == (False, ("homogeneity: not tried",))
    nothing = attack(release, PEOPLE, attacks=["homogeneity"], fail_above=1)
    assert (nothing.passed, nothing.failures) == (False, ("no attack could be tried",))


def test_an_attribute_that_an_attack_does_not_take_is_named() -> None:
    found = attack(made("k=3 l(ill)=1.5"), PEOPLE)
    assert {(one.attack, one.attribute) for one in found.untried} >= {
        ("similarity", "ill"),
        ("minimality", "pay"),
        ("downcoding", None),
        ("intersection", None),
    }
    assert found.to_dict()["not_tried"][0].keys() == {"attack", "attribute", "reason", "applies"}


def test_every_attack_is_either_tried_or_said_not_to_be() -> None:
    for more in ({}, {"recoding": "centroid", "method": "auto"}, {"recoding": "suppress"}, {"quasi": ["age"]}):
        found = attack(made(**more), PEOPLE)
        tried = {one.attack for one in found.outcomes} | {one.attack for one in found.untried}
        assert tried == {one.name for one in shoal.core.discovery.discover(shoal.attacks, Attack).values()}
        assert all(one.verdict.startswith("An attacker ") for one in found.outcomes)


# What was not searched


def test_a_search_in_part_passes_only_by_what_bounds_the_rest() -> None:
    frame = pl.DataFrame({f"c{place}": [row >> place & 1 for row in range(40)] for place in range(6)})
    frame = frame.with_columns(pl.Series("ill", ["xy"[row * row % 11 % 2] for row in range(40)]))
    asked = {"quasi": frame.columns[:6], "sensitive": ["ill"], "method": "mondrian", "recoding": "range"}
    for require, passed in (("k=2", True), ("k=1", None)):
        release = shoal.anonymize(frame, require=require, **asked)  # type: ignore[arg-type]
        whole = attack(release, frame, attacks=["partial-linkage"], fail_above="0.99").outcomes
        with patch("shoal.attacks.partial_linkage.EFFORT", 1):
            found = attack(release, frame, attacks=["partial-linkage"], fail_above="0.99")
        assert [one.figures["of_choices"] for one in found.outcomes] == [6, 15, 20]
        for one, all_ in zip(found.outcomes, whole, strict=True):
            assert one.figures["choices"] == 1
            assert "Searched 1 of " in one.verdict
            assert one.after <= all_.after
            assert one.risk <= all_.risk <= one.bound
            assert one.passed is passed
        assert found.passed == bool(passed)
        assert passed or "Not shown to be within the threshold of 99 %" in found.outcomes[-1].verdict


def test_classes_that_minimality_leaves_out_are_no_pass() -> None:
    frame = pl.DataFrame({"age": [20] * 4 + [30] * 4, "ill": ["a", "a", "a", "b", "b", "c", "d", "e"]})
    asked = {"quasi": ["age"], "sensitive": ["ill"], "require": "l(ill)=2", "recoding": "range", "method": "mondrian"}
    release = shoal.anonymize(frame, **asked)  # type: ignore[arg-type]
    (whole,) = attack(release, frame, attacks=["minimality"]).outcomes
    assert (whole.figures["open_classes"], whole.at_most) == (1, None)
    with patch("shoal.attacks.minimality.DRAWS", 1):
        (one,) = attack(release, frame, attacks=["minimality"], fail_above=0.5).outcomes
    assert one.passed is None
    assert one.bound == 1
    assert one.figures["left_out"] == 1
    assert "Left out: 1 class with 8 rows" in one.verdict


def test_own_classes_decide_what_fewer_candidates_can_only_make_worse() -> None:
    with patch("shoal.attacks.crowds.crowd.VISITS", -1):
        found = attack(made("k=3"), PEOPLE, attacks=["linkage", "homogeneity", "skewness"], fail_above=0.9)
    assert {one.candidates for one in found.outcomes} == {"own class"}
    assert {one.attack: one.passed for one in found.outcomes} == {
        "linkage": True,
        "homogeneity": True,
        "skewness": None,
    }
    assert all("own row alone: " in one.verdict for one in found.outcomes)
    assert found.failures == ("skewness (ill): undecided", "skewness (pay): undecided")


def test_an_attack_that_takes_too_long_is_left_out_and_is_no_pass(tmp_path: Path) -> None:
    folder = made("k=3").save(tmp_path / "out")
    shutil.rmtree(folder / "internal")
    assert attack(folder, PEOPLE, attacks=["linkage"], fail_above="0.9").passed
    with patch("shoal.attacks.crowds.crowd.VISITS", -1):
        found = attack(folder, PEOPLE, attacks=["linkage", "downcoding"], fail_above=0.9)
        named = attack(folder, PEOPLE, attacks=["linkage"], fail_above={"linkage": 0.9})
    assert [(one.attack, one.applies) for one in found.untried] == [("linkage", True), ("downcoding", False)]
    assert found.failures == named.failures == ("linkage: left out",)
    assert "would take too long" in found.untried[0].reason


def test_what_was_found_before_an_attack_took_too_long_is_kept() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Birthday, "run", halfway)
        found = attack(made(), PEOPLE, attacks=[Birthday()], fail_above=0.5)
    assert ([one.after for one in found.outcomes], found.failures) == ([0], ("birthday: left out",))


# Sentences


@dataclass(frozen=True)
class Birthday(Attack):
    """Counts nobody."""

    name: ClassVar[str] = "birthday"
    meaning: ClassVar[str] = "it is their birthday"
    knows: ClassVar[str] = "the calendar"
    excluded_by: ClassVar[str] = "-"

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count nobody."""
        yield self.outcome(scene, 0, 0, "covering")


def halfway(self: Birthday, scene: Scene) -> Iterator[Outcome]:
    """Count nobody, then give up."""
    yield self.outcome(scene, 0, 0, "covering")
    raise Unsupported("the rest takes too long")


def test_an_attack_of_ones_own_has_a_verdict() -> None:
    (one,) = attack(made(), PEOPLE, attacks=[Birthday()], fail_above=0).outcomes
    assert one.verdict == (
        "An attacker hits 0 of 10 rows (0 %): it is their birthday, knowing the calendar."
        " The risk of 0 % is within the threshold of 0 %."
    )


def test_names_of_columns_are_no_part_of_a_template() -> None:
    names = {"ill": "Größe {0} {risk}", "pay": "収入 {people!r}", "age": "{}", "town": "{attribute}"}
    table = PEOPLE.rename(names)
    release = shoal.anonymize(
        table,
        quasi=["{}", "{attribute}"],
        sensitive=["Größe {0} {risk}", "収入 {people!r}"],
        require='k=3 l("Größe {0} {risk}")=1.5',
        method="mondrian",
    )
    for one in attack(release, table).outcomes:
        assert one.attribute is None or one.attribute in one.verdict
