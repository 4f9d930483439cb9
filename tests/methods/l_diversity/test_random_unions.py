"""Random unions: the minimality attack loses, by all ways to hand out values and by drawing them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from tests.thorough import many

import shoal
from shoal.methods.l_diversity.random_unions import RandomUnions, chance
from shoal.microdata.dealt_values import least_chance, surer_than
from shoal.microdata.microdata import encode
from shoal.models.requirement import as_models
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

CASES = [
    *(((2, 3), (2, 2, 1), 2), ((2, 2, 2), (2, 2, 1, 1), 2), ((3, 3), (2, 2, 2), 3), ((2, 2), (1, 1, 2), 2)),
    *(((2, 5), (2, 1, 1, 1, 1, 1), 2), ((2, 4), (2, 1, 1, 1, 1), 2), ((3, 4), (3, 1, 1, 1, 1), 2), ((4, 4), (4, 4), 2)),
]


def surest(sizes: tuple[int, ...], counts: tuple[int, ...], promised: int, needless: Fraction) -> Fraction:
    """How sure an attacker is who sees the parts joined, by all ways to hand out the values."""
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    edges = np.cumsum([0, *sizes]).tolist()
    seen, weight = Counter[tuple[int, int]](), Fraction(0)
    for way in set(permutations(values)):
        parts = [way[start:end] for start, end in pairwise(edges)]
        diverse = all(promised * max(Counter(part).values()) <= len(part) for part in parts)
        likely = needless if diverse else Fraction(1)
        weight += likely
        for person, value in enumerate(way):
            seen[person, value] += likely  # type: ignore[assignment]
    return max(Fraction(number) for number in seen.values()) / weight if weight else Fraction(0)


@pytest.mark.parametrize(("sizes", "counts", "promised"), CASES)
def test_the_chance_is_the_least_that_leaves_nobody_surer(
    sizes: tuple[int, ...], counts: tuple[int, ...], promised: int
) -> None:
    found = least_chance(sizes, tuple(sorted(counts)), Fraction(promised))
    assert 0 <= found <= 1
    assert surest(sizes, counts, promised, found) <= Fraction(1, promised)
    if found:
        assert surest(sizes, counts, promised, found - Fraction(1, 10**9)) > Fraction(1, promised)
    assert bool(found) == bool(surer_than(sizes, tuple(sorted(counts)), Fraction(promised)))


def problem_of(jobs: list[str], illnesses: list[str]) -> Problem:
    frame = pl.DataFrame({"job": jobs, "illness": illnesses})
    roles = Roles.of(frame.columns, quasi=["job"], sensitive=["illness"])
    return make_problem(encode(Table.of(frame), roles), as_models("l(illness)=2"))


def guesses(number: int, *, needed_only: bool) -> tuple[int, int]:
    """Draw illnesses again and again; return how often the attack names a value of somebody, and how often rightly.

    Two people of one job and five of another are joined; two of the seven have hiv. The attack says that it is the two.
    """
    assert surer_than((2, 5), (1, 1, 1, 1, 1, 2), Fraction(2)) == {(2, 2)}
    rng, named, right = np.random.default_rng(5), 0, 0
    jobs, pool = ["a"] * 2 + ["b"] * 5, ["hiv", "hiv", "flu", "cold", "gout", "asthma", "wart"]
    for seed in range(number):
        illnesses = rng.permutation(pool).tolist()
        with patch("shoal.methods.l_diversity.random_unions.chance", never if needed_only else chance):
            found = RandomUnions().run(problem_of(jobs, illnesses), seed=seed)
        if len(found.partition) == 1:
            named, right = named + 2, right + (illnesses[0] == "hiv") + (illnesses[1] == "hiv")
    return named, right


def never(*_: object) -> Fraction:
    return Fraction(0)


def check_guesses(number: int, most: float) -> None:
    named, right = guesses(number, needed_only=True)
    assert named == right > 0  # who is joined only where it must be is given away
    named, right = guesses(number, needed_only=False)
    assert named > 0
    assert right / named < most  # half of them, as l-diversity promises, but for chance


def test_the_minimality_attack_is_right_no_more_often_than_l_diversity_promises() -> None:
    check_guesses(many(100), most=0.8)


@pytest.mark.slow
def test_the_minimality_attack_is_right_no_more_often_in_many_draws() -> None:
    check_guesses(many(1500), most=0.6)


def test_the_audit_confirms_the_release_and_the_seed_decides() -> None:
    rng = np.random.default_rng(1)
    frame = {
        "age": rng.integers(0, 12, 300).tolist(),
        "sex": rng.choice(["f", "m"], 300).tolist(),
        "illness": rng.choice(["flu", "gout", "asthma"], 300).tolist(),
    }
    asked = {"quasi": ["age", "sex"], "sensitive": ["illness"], "require": "k=3 l(illness)=2"}
    tables = [shoal.anonymize(frame, **asked, method="random-unions", seed=seed).table for seed in (1, 1, 2)]  # type: ignore[arg-type]
    assert tables[0].equals(tables[1])
    assert all(shoal.audit(table, **asked).holds for table in tables)  # type: ignore[arg-type]


def test_the_attack_is_not_tried_on_a_release_whose_method_excludes_it() -> None:
    people = {"job": ["a"] * 2 + ["b"] * 5, "illness": ["hiv", "hiv", "flu", "cold", "gout", "asthma", "wart"]}
    asked: dict[str, Any] = {
        "quasi": ["job"],
        "sensitive": ["illness"],
        "require": "l(illness)=2",
        "recoding": "suppress",
    }
    for method, tried in (("random-unions", False), ("tp", True)):
        found = shoal.attack(shoal.anonymize(people, method=method, **asked), people, attacks=["minimality"])
        assert bool(found.outcomes) == tried
        assert any("random-unions also joins" in one.reason for one in found.untried) != tried
