"""What `verify` works out of a release whose rows were drawn at random: tails by exact sums, each claim by itself."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from math import comb, log
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.release.certificate import canonical, seal
from shoal.release.files import file_hash
from shoal.release.sampled_verification import (
    _chance,
    _class_problem,
    _largest_tail,
    _parameter_problem,
    _search_problem,
    sampled_problems,
)
from shoal.steps.sampled_release import sample


def tail(rows: int, above: Fraction, beta: Fraction) -> Fraction:
    """The probability that more than a share of so many rows are drawn."""
    return sum(
        (comb(rows, j) * beta**j * (1 - beta) ** (rows - j) for j in range(rows + 1) if j > above * rows), Fraction(0)
    )


@pytest.mark.parametrize(("drawn", "rows", "beta"), [(0, 5, "1/3"), (5, 5, "1/3"), (3, 7, "1/4"), (20, 60, "3/8")])
def test_the_chance_of_a_number_of_drawn_rows_is_binomial(drawn: int, rows: int, beta: str) -> None:
    p = Fraction(beta)
    exact = comb(rows, drawn) * p**drawn * (1 - p) ** (rows - drawn)
    assert _chance(drawn, rows, float(p)) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("k", "gamma", "beta"),
    [
        (5, "3/4", "13/20"),
        (1, "3/4", "1/2"),
        (2, "3/4", "1/2"),
        (5, "5/8", "1/4"),
        (9, "3/4", "1/2"),
        (12, "1/2", "1/4"),
    ],
)
def test_the_largest_tail_is_that_of_the_worst_number_of_rows(k: int, gamma: str, beta: str) -> None:
    """From k / gamma - 1 rows on, rounded up: of fewer none can have k drawn rows of which too many are drawn."""
    g, b = Fraction(gamma), Fraction(beta)
    least = max(-((g - k) // g), 1)
    worst = max(tail(rows, g, b) for rows in range(least, least + 60))
    assert _largest_tail(k, float(g), float(b)) == pytest.approx(float(worst), rel=1e-9)


def stated(**more: Any) -> dict[str, Any]:
    """A claim with beta = 1/2: epsilon is ln 2 at least, and gamma, 1 - (1 - beta) / e^epsilon, is 3/4."""
    k = 6
    worst = max(tail(rows, Fraction(3, 4), Fraction(1, 2)) for rows in range(7, 70))
    known = {"epsilon": str(Fraction(log(2)) * (1 + Fraction(1, 10**9))), "delta": str(worst), "beta": "1/2", "k": k}
    return known | {"levels": {"age": 1, "town": 0}, "rows": 7, "classes": 1} | more


def test_epsilon_and_delta_bound_how_rows_are_drawn() -> None:
    assert _parameter_problem(stated()) == ""
    too_large = "rows were drawn with too large a probability for epsilon"
    wrong: list[dict[str, Any]] = [{"beta": beta} for beta in ("0", "1", "-1/2", "3/2", "0.51")]
    for claim in (*wrong, {"epsilon": "0.69"}):
        assert _parameter_problem(stated(**claim)) == too_large
    smaller = str(Fraction(stated()["delta"]) * 999 / 1000)
    wrong = [{"delta": smaller}, {"k": 5}]
    for claim in wrong:
        assert _parameter_problem(stated(**claim)).startswith("k gives a delta of ")
    assert _parameter_problem(stated(k=7)) == ""


def test_a_search_takes_its_part_of_epsilon() -> None:
    more = str(Fraction(stated()["epsilon"]) + Fraction(1, 4))
    assert _parameter_problem(stated(epsilon=more, search={"epsilon": "1/4"})) == ""
    assert "too large" in _parameter_problem(stated(epsilon=more, search={"epsilon": "1/3"}))
    assert "too large" in _parameter_problem(stated(search={"epsilon": "1/4"}))


def search(**more: Any) -> dict[str, Any]:
    known = {"levels": {"age": "0..2", "town": "0..1"}, "nodes": 6, "crowd": 12, "epsilon": "1/4"}
    return stated(search=known | more)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({}, ""),
        ({"levels": {"age": "1..1", "town": "0..1"}, "nodes": 2}, ""),
        ({"levels": {"town": "0..1", "age": "0..2"}}, "other columns were searched"),
        ({"levels": {"age": "0..2"}, "nodes": 3}, "other columns were searched"),
        ({"levels": {"age": "2..3", "town": "0..1"}, "nodes": 4}, "a level is published that was not searched"),
        ({"levels": {"age": "0..0", "town": "0..1"}, "nodes": 2}, "a level is published that was not searched"),
        ({"nodes": 5}, "the number of choices differs"),
        ({"nodes": 7}, "the number of choices differs"),
        ({"crowd": 11}, "the crowd does not follow from k"),
        ({"crowd": 13}, "the crowd does not follow from k"),
        ({"epsilon": "0"}, "the crowd does not follow from k"),
        ({"epsilon": "-1/4"}, "the crowd does not follow from k"),
        ({"epsilon": "1/1000"}, ""),
    ],
)
def test_what_is_said_of_a_search_has_to_agree(more: dict[str, Any], problem: str) -> None:
    """A crowd is k / beta rows, rounded up: 6 / (1/2)."""
    assert _search_problem(search(**more)) == problem


def test_a_crowd_is_rounded_up() -> None:
    claim = search(crowd=17) | {"beta": "3/8"}
    assert _search_problem(claim | {"search": claim["search"] | {"crowd": 16}}) == ""
    assert _search_problem(claim) == "the crowd does not follow from k"


ROWS = "age,town\n" + "20s,Oslo\n" * 7


@pytest.mark.parametrize(
    ("text", "more", "problem"),
    [
        (ROWS, {}, ""),
        (ROWS, {"k": 7}, ""),
        (ROWS, {"k": 8}, "a class has 7 rows"),
        (ROWS, {"rows": 8}, "the table has other columns or another number of rows"),
        (ROWS, {"levels": {"town": 0, "age": 1}}, "the table has other columns or another number of rows"),
        (ROWS, {"classes": 2}, "the table has another number of classes"),
        (ROWS + "20s,\n" * 6, {"rows": 13, "classes": 2}, ""),
        (ROWS + "20s,\n" * 5, {"rows": 12, "classes": 2}, "a class has 5 rows"),
        ("age,town\n" + "1,x\n" * 7 + "01,x\n" * 4, {"rows": 11, "classes": 2}, "a class has 4 rows"),
        ("age,town\n", {"rows": 0, "classes": 0}, ""),
        (ROWS, {"rows": 0, "classes": 0}, "the table has rows, and none is stated"),
        ("age,town\n\n", {"rows": 0, "classes": 0}, "the table has rows, and none is stated"),
    ],
)
def test_the_rows_are_counted_again(text: str, more: dict[str, Any], problem: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(text)
    assert _class_problem(tmp_path / "table.csv", stated(**more)) == problem


def test_every_part_is_looked_at_where_the_seals_are_whole(tmp_path: Path) -> None:
    table = tmp_path / "public" / "table.csv"
    table.parent.mkdir()
    table.write_text(ROWS)

    def problems(claim: dict[str, Any], **more: Any) -> list[str]:
        claim = claim | {"hashes": {"table": file_hash(table)}}
        return list(sampled_problems(tmp_path, claim | {"seal": seal(claim)} | more).values())

    more = str(Fraction(stated()["epsilon"]) + Fraction(1, 4))
    assert problems(stated()) == [""] * 3
    assert problems(search() | {"epsilon": more}) == [""] * 4
    assert problems(stated(), seal="0") == ["a seal or a hash differs"]
    assert problems(stated(), rows=7.0) == ["a seal or a hash differs"]
    assert problems(stated(), hashes={"table": "0"}) == ["a seal or a hash differs"]
    assert [bool(one) for one in problems(search(nodes=5) | {"epsilon": more, "classes": 2})] == [
        False,
        False,
        True,
        True,
    ]
    assert [bool(one) for one in problems(stated(k=5))] == [False, True, False]


# --- the whole folder ------------------------------------------------------------------------------------------------

WHATS = [
    "the table and the certificate are the sealed ones",
    "epsilon and delta follow from beta and k",
    "every published row is one of at least k that are alike",
]


def test_a_sampled_release_is_looked_at_as_such(tmp_path: Path) -> None:
    people = {"age": ["20", "21"] * 200, "town": ["Oslo", "Rome"] * 200}
    folder = sample(people, levels={"town": 0}, epsilon=1, delta="1e-3").save(tmp_path / "out")
    found, path = shoal.verify(folder), folder / "public" / "certificate.json"
    assert [(check.what, check.passed, check.detail) for check in found.checks] == [(what, True, "") for what in WHATS]
    rests_on = json.loads(path.read_text())["rests_on"]
    assert list(found.not_checked) == [f"{one}: only the owner knows" for one in rests_on]
    for false, failure in (
        ({"k": "x"}, "the files can be read: could not be checked (ValueError)"),
        ({"delta": "1e-30"}, f"{WHATS[1]}: k gives a delta of "),
        ({"classes": 7}, f"{WHATS[2]}: the table has another number of classes"),
    ):
        content = {k: v for k, v in (json.loads(path.read_text()) | false).items() if k != "seal"}
        forged = tmp_path / f"forged-{next(iter(false))}"
        shutil.copytree(folder, forged)
        (forged / "public" / "certificate.json").write_text(canonical({**content, "seal": seal(content)}))
        assert shoal.verify(forged).failures[0].startswith(failure)
        assert not shoal.verify(forged).passed


@pytest.mark.parametrize("text", ["[]", "{", '{"kind": "something else"}', '"sampled release"'])
def test_what_is_no_certificate_of_a_sampled_release_is_read_as_any_other(text: str, tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "table.csv").write_text(ROWS)
    (tmp_path / "public" / "certificate.json").write_text(text)
    (failure,) = shoal.verify(tmp_path).failures
    assert failure.startswith("the files can be read and the seals are intact: ")
