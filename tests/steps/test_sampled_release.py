"""Differential privacy by sampling: k and beta by the definition, draws by simulation, the release and its check."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import comb, exp
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from tests.cli.command import shoal as command
from tests.thorough import many

import shoal
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError, RoleError, Unsupported
from shoal.hierarchies.level_range import LevelRange
from shoal.microdata.private_choice import choose, probabilities
from shoal.microdata.sampled_privacy import GRAINS, _gamma, _tail, sampling, worst_tail
from shoal.release.certificate import canonical, seal
from shoal.steps.sampled_release import SampledRelease, _searched, _Tree, drawn_sample, sample

PEOPLE = pl.DataFrame({"age": ["20", "21", "35", "36"] * 150, "town": ["Oslo", "Rome", "Oslo", "Rome"] * 150})
AGES = {"young": ["20", "21"], "old": ["35"]}


def shown(rows: int, k: int, beta: Fraction) -> dict[int, float]:
    """How likely each number of rows of a cell is to be published, from the definition."""
    p = float(beta)
    drawn = {j: comb(rows, j) * p**j * (1 - p) ** (rows - j) for j in range(rows + 1)}
    return {0: sum(chance for j, chance in drawn.items() if j < k)} | {j: c for j, c in drawn.items() if j >= k}


def excess(one: dict[int, float], other: dict[int, float], epsilon: float) -> float:
    """By how much the probability of some set exceeds e^epsilon times the other: delta of the definition."""
    return sum(max(chance - exp(epsilon) * other.get(j, 0.0), 0.0) for j, chance in one.items())


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [("1", "0.01", None), ("0.5", "0.001", "0.2"), ("2", "1e-4", None)]
)
def test_a_row_more_or_less_changes_no_probability_by_more_than_stated(
    epsilon: str, delta: str, beta: str | None
) -> None:
    found = sampling(epsilon, delta, beta)
    for rows in range(3 * found.k):
        without, within = shown(rows, found.k, found.beta), shown(rows + 1, found.k, found.beta)
        assert excess(within, without, float(epsilon)) <= found.reached + 1e-12
        assert excess(without, within, float(epsilon)) <= 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-4"), ("2", "1e-9")])
def test_k_is_the_smallest_that_suffices(epsilon: str, delta: str) -> None:
    found = sampling(epsilon, delta)
    gamma = _gamma(found.epsilon, found.beta)
    assert (
        float(worst_tail(found.k, gamma, found.beta))
        <= float(delta)
        < float(worst_tail(found.k - 1, gamma, found.beta))
    )
    assert 0 <= 1 - exp(-float(epsilon)) - float(found.beta) < 2 / GRAINS


def test_the_tail_is_the_exact_sum() -> None:
    beta = Fraction(3, 8)
    for rows, least in ((1, 1), (7, 3), (40, 30), (60, 25)):
        exact = sum(comb(rows, j) * beta**j * (1 - beta) ** (rows - j) for j in range(least, rows + 1))
        assert float(_tail(rows, least, beta)) == pytest.approx(float(exact), rel=1e-14)


def test_the_tail_is_that_of_draws() -> None:
    found = sampling("1", "0.01")
    rows = 40
    drawn = np.random.default_rng(4).binomial(rows, float(found.beta), 200_000)
    share = float((drawn >= 30).mean())
    assert share == pytest.approx(float(_tail(rows, 30, found.beta)), abs=4 * np.sqrt(share / 200_000))


def test_rows_are_drawn_with_the_stated_probability_and_others_each_time() -> None:
    table = pl.DataFrame({"a": ["x"] * 20_000})
    made = [sample(table, levels={"a": 0}, epsilon="0.5", delta="1e-6").table.height for _ in range(20)]
    beta = float(sampling("0.5", "1e-6").beta)
    assert np.mean(made) == pytest.approx(20_000 * beta, abs=5 * np.sqrt(20_000 * beta * (1 - beta) / 20))
    assert len(set(made)) > 5


def everybody(rows: int) -> Ints:
    return np.zeros(rows, dtype=np.int64)


def test_cells_follow_from_levels_and_small_classes_are_not_published() -> None:
    made = drawn_sample(PEOPLE, {"age": 1, "town": 0}, 1, "1e-6", hierarchies={"age": AGES}, draw=everybody)
    assert made.sampling.k == 74
    assert made.table.group_by("age", "town").len().sort("age", "town").rows() == [
        ("*", "Rome", 150),
        ("old", "Oslo", 150),
        ("young", "Oslo", 150),
        ("young", "Rome", 150),
    ]
    rarer = pl.concat([PEOPLE, pl.DataFrame({"age": ["20"] * 73, "town": ["Bonn"] * 73})])
    again = drawn_sample(rarer, {"town": 0}, 1, "1e-6", draw=everybody)
    assert again.table["town"].unique().sort().to_list() == ["Oslo", "Rome"]


def test_a_row_more_changes_the_cell_of_no_other() -> None:
    odd = pl.concat([PEOPLE, pl.DataFrame({"age": ["a word"], "town": [None]}, schema=PEOPLE.schema)])
    asked = {"levels": {"age": 1, "town": 0}, "epsilon": 1, "delta": "1e-6", "hierarchies": {"age": AGES}}
    before, after = (drawn_sample(one, draw=everybody, **asked) for one in (PEOPLE, odd))  # type: ignore[arg-type]
    assert before.table.equals(after.table)


def test_the_certificate_says_what_is_random_and_nothing_of_the_table(tmp_path: Path) -> None:
    folder = sample(PEOPLE, levels={"town": 0}, epsilon=1, delta="1e-6").save(tmp_path / "out")
    assert sorted(path.name for path in folder.rglob("*")) == ["certificate.json", "public", "table.csv"]
    stated = json.loads((folder / "public" / "certificate.json").read_text())
    assert "600" not in canonical({name: value for name, value in stated.items() if name not in ("seal", "hashes")})
    assert any("secret" in said for said in stated["random"])
    assert any("one row" in said for said in stated["rests_on"])
    found = shoal.verify(folder)
    assert found.passed
    assert len(found.checks) == 3
    assert len(found.not_checked) == len(stated["rests_on"])


@pytest.mark.parametrize(
    "false",
    [{"epsilon": "0.5"}, {"delta": "1e-9"}, {"k": 20}, {"beta": "3/4"}, {"rows": 5}, {"classes": 9}, {"k": "x"}],
)
def test_a_false_claim_under_a_whole_seal_is_refused(false: dict[str, object], tmp_path: Path) -> None:
    folder = sample(PEOPLE, levels={"town": 0}, epsilon=1, delta="1e-6").save(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    content = {k: v for k, v in (json.loads(path.read_text()) | false).items() if k != "seal"}
    path.write_text(canonical({**content, "seal": seal(content)}))
    assert not shoal.verify(folder).passed


def test_a_changed_table_is_refused_and_an_empty_one_is_a_release(tmp_path: Path) -> None:
    folder = sample(PEOPLE, levels={"town": 0}, epsilon=1, delta="1e-6").save(tmp_path / "out")
    table = folder / "public" / "table.csv"
    table.write_text(table.read_text() + "Oslo\n")
    assert not shoal.verify(folder).passed
    few = sample(PEOPLE.head(5), levels={"town": 0}, epsilon=1, delta="1e-6").save(tmp_path / "few")
    assert shoal.verify(few).passed


def test_what_looks_at_the_table_is_refused() -> None:
    asked = {"epsilon": 1, "delta": "1e-6"}
    with pytest.raises(Unsupported, match="is built from the values of the table"):
        sample(PEOPLE, levels={"age": 1}, hierarchies={"age": "intervals:width=10"}, **asked)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no hierarchy"):
        sample(PEOPLE, levels={"age": 1}, **asked)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at most 2"):
        sample(PEOPLE, levels={"age": 3}, hierarchies={"age": AGES}, **asked)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no levels"):
        sample(PEOPLE, levels={}, **asked)  # type: ignore[arg-type]
    with pytest.raises(RoleError, match="no column"):
        sample(PEOPLE, levels={"aeg": 0}, **asked)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="beta"):
        sampling(1, "1e-6", "0.7")


# Levels that are searched for


RANGES = {"age": "0..2", "town": "0..2"}
TREES = {"age": AGES, "town": {"north": ["Oslo"], "south": ["Rome", "Bonn"]}}


def level_chances(rows: list[tuple[str, str]], *, crowd: int, epsilon: Fraction) -> list[Decimal]:
    """How likely each choice of levels is, read off the draws: the random bits at which the choice changes."""
    people = pl.DataFrame(rows, schema=["age", "town"], orient="row")
    trees = {name: _Tree.of(name, LevelRange.of(RANGES[name], name), TREES[name]) for name in RANGES}
    drawn = replace(sampling(1, "0.01"), k=crowd, beta=Fraction(1))
    with patch("shoal.steps.sampled_release.choose") as chosen:
        chosen.return_value = 0
        _searched(people, trees, drawn, epsilon, lambda _: 0)
    scores, sensitivity, spent, _ = chosen.call_args.args
    assert (sensitivity, spent) == (crowd, epsilon)
    return probabilities(scores, sensitivity, spent)


@pytest.mark.parametrize("crowd", [1, 2, 3, 5])
def test_a_row_more_or_less_makes_no_choice_of_levels_likelier_than_stated(crowd: int) -> None:
    random, epsilon = Random(crowd), Fraction(1, 2)
    kinds = [(age, town) for age in ("20", "21", "35", "40") for town in ("Oslo", "Rome", "Bonn")]
    farthest = Decimal(0)
    for _ in range(many(4)):
        rows = random.choices(kinds[: random.randint(1, len(kinds))], k=random.randint(1, 4 * crowd))
        before = level_chances(rows, crowd=crowd, epsilon=epsilon)
        for more in kinds:
            after = level_chances([*rows, more], crowd=crowd, epsilon=epsilon)
            ratios = [max(one / other, other / one) for one, other in zip(before, after, strict=True)]
            farthest = max(farthest, *ratios)
    assert farthest <= Decimal("0.5").exp()


def test_levels_are_drawn_as_likely_as_they_should_be() -> None:
    scores, epsilon = [Fraction(3), Fraction(0), Fraction(9, 2)], Fraction(2)
    expected, random, number = probabilities(scores, 3, epsilon), Random(7), many(4_000)
    found = Counter(choose(scores, 3, epsilon, random.getrandbits) for _ in range(number))
    for option, chance in enumerate(map(float, expected)):
        assert found[option] / number == pytest.approx(chance, abs=4 * (chance * (1 - chance) / number) ** 0.5)
    assert sum(expected) == pytest.approx(1)


def searched(**more: Any) -> SampledRelease:
    asked = {"levels": RANGES, "epsilon": 2, "delta": "1e-6", "search_epsilon": "1", "hierarchies": TREES}
    return sample(PEOPLE, **{**asked, **more})


def test_a_search_takes_its_part_of_epsilon_and_says_so(tmp_path: Path) -> None:
    made = searched()
    assert made.search is not None
    assert [made.epsilon, made.sampling.epsilon, made.search.epsilon] == [Fraction(2), Fraction(1), Fraction(1)]
    assert made.sampling.k == sampling(1, "1e-6").k
    folder = made.save(tmp_path / "out")
    stated = json.loads((folder / "public" / "certificate.json").read_text())
    assert (stated["epsilon"], stated["search"]["epsilon"], stated["search"]["nodes"]) == ("2", "1", 9)
    assert any("exponential mechanism" in said for said in stated["random"])
    assert any(said.startswith("the ranges of levels, hierarchies") for said in stated["rests_on"])
    assert shoal.verify(folder).passed


@pytest.mark.parametrize(
    "false",
    [
        {"search": {"epsilon": "1.4"}},
        {"search": {"crowd": 5}},
        {"search": {"nodes": 4}},
        {"search": {"levels": {"age": "0..2", "town": "3..3"}}},
        {"search": {"levels": {"age": "0..2"}}},
    ],
)
def test_a_false_claim_about_the_search_is_refused(false: dict[str, Any], tmp_path: Path) -> None:
    folder = searched(epsilon="1.5", search_epsilon="1").save(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    content = json.loads(path.read_text())
    content = {name: value for name, value in content.items() if name != "seal"}
    content["search"] |= false["search"]
    path.write_text(canonical({**content, "seal": seal(content)}))
    assert not shoal.verify(folder).passed


def test_a_search_without_a_part_of_epsilon_is_refused_and_one_without_a_range_too() -> None:
    with pytest.raises(ParameterError, match="search_epsilon is not given"):
        searched(search_epsilon=None)
    with pytest.raises(ParameterError, match="every column has one level"):
        searched(levels={"age": 1})
    with pytest.raises(ParameterError, match="well below 2"):
        searched(search_epsilon=2)
    with pytest.raises(ParameterError, match="at most 2"):
        searched(levels={"age": "0..3"})


def test_the_command_searches_for_levels(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young;*\n35;old;*\n36;old;*\n")
    asked = ["--level", "age=0..2", "--hierarchy", f"age={tmp_path / 'ages.csv'}", "--search-epsilon", "0.2"]
    out = tmp_path / "out"
    done = command("sample", tmp_path / "people.csv", *asked, "--epsilon", "1", "--delta", "1e-6", "-o", out)
    assert done.code == 0, done.err
    assert "levels chosen out of 3" in done.out + done.err
    assert command("verify", out).code == 0


def test_the_command_writes_a_release_that_verifies(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young;*\n35;old;*\n36;old;*\n")
    asked = ["--level", "age=1", "--level", "town=0", "--hierarchy", f"age={tmp_path / 'ages.csv'}"]
    out = tmp_path / "out"
    done = command("sample", tmp_path / "people.csv", *asked, "--epsilon", "1", "--delta", "1e-6", "-o", out)
    assert done.code == 0, done.err
    assert "differential privacy" in done.out + done.err
    assert command("verify", out).code == 0


def test_the_command_says_that_no_class_is_large_enough(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("town\nOslo\nRome\n")
    asked = ["--level", "town=0", "--epsilon", "1", "--delta", "1e-6", "-o", tmp_path / "out"]
    done = command("sample", tmp_path / "few.csv", *asked)
    assert done.code == 0, done.err
    assert "another sample adds its epsilon" in " ".join((done.out + done.err).split())
