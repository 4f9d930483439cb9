"""A release that carries prices: the folder keeps them inside, and `verify` works out anew what they prove."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.command import shoal as command
from tests.release.test_verification import FILES, reseal

import shoal
from shoal.bounds.support import Support
from shoal.checking.proof import price_bound
from shoal.core.arrays import Ints
from shoal.hierarchies import Builder, as_builder
from shoal.microdata.microdata import encode
from shoal.microdata.prices import Prices
from shoal.models.requirement import parse_requirement
from shoal.problem import make_problem
from shoal.release.certificate import Certificate, Measured, canonical
from shoal.release.files import file_hash, manifest
from shoal.release.release import Release
from shoal.release.verification import verify
from shoal.studies.synth import QUASI, SENSITIVE, census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.table import Table
from shoal.tables.writing import write

ORIGINAL = census(200, seed=2)
QUASIS = list(QUASI[:3])
REQUIRE = "k=4 l(occupation)=2 t(income)=0.5"
UNIT = 2**20
FOLLOWS = "the lower bound follows from the prices"


def with_prices(recoding: str = "generalize", cost: str = "ncp", require: str = REQUIRE, **asked: Any) -> Release:
    """A release with the prices that every row pays at least, wherever it is published."""
    hierarchies: dict[str, Builder] = {name: census_hierarchies()[name] for name in QUASIS}
    given: dict[str, Any] = {"recoding": recoding, "cost": cost, **asked}
    made = shoal.anonymize(
        ORIGINAL,
        quasi=QUASIS,
        sensitive=SENSITIVE,
        leave_out="rest",
        require=require,
        hierarchies=hierarchies,
        method="mondrian",
        **given,
    )
    given["weights"] = given.pop("attribute_weights", {})
    roles = Roles.of(ORIGINAL.columns, quasi=QUASIS, sensitive=SENSITIVE)
    models = parse_requirement(require)
    problem = make_problem(encode(Table.of(ORIGINAL), roles, hierarchies), models, **given)
    found = Support().prices(problem)
    assert found is not None
    prices: Ints = found.of_row * UNIT // found.denominator
    bound = price_bound(
        ORIGINAL,
        quasi=QUASIS,
        models=models,
        hierarchies={name: as_builder(builder) for name, builder in hierarchies.items()},
        recoding=recoding,
        cost=cost,
        weights=given["weights"],
        prices=prices,
        denominator=UNIT,
        may_drop=problem.may_drop,
    )
    return carrying(made, Prices(prices, UNIT, float(bound)))


def carrying(release: Release, prices: Prices, **claims: Any) -> Release:
    certificate = replace(release.certificate, proved=prices.bound, **claims)
    return replace(release, prices=prices, certificate=certificate)


@pytest.fixture(scope="module")
def made() -> Release:
    return with_prices()


@pytest.fixture
def folder(made: Release, tmp_path: Path) -> Path:
    return made.save(tmp_path / "out")


# What is whole


def test_prices_are_kept_inside_one_for_each_row_of_the_original(made: Release, folder: Path) -> None:
    assert made.prices is not None
    prices = pl.read_parquet(folder / "internal" / "prices.parquet")
    assert prices.schema == {"price": pl.Int64}
    assert prices["price"].to_list() == made.prices.of_row.tolist()
    assert json.loads((folder / "internal" / "proof.json").read_text()) == {
        "denominator": UNIT,
        "lower_bound": made.prices.bound,
    }
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {*FILES, "internal/prices.parquet", "internal/proof.json"}


def test_the_certificate_says_how_much_is_proved(made: Release, folder: Path) -> None:
    certificate = Certificate.from_json((folder / "public" / "certificate.json").read_text())
    assert made.prices is not None
    assert certificate.proved == made.prices.bound > 0


def test_the_original_proves_the_bound_anew(made: Release, folder: Path) -> None:
    found = verify(folder, original=ORIGINAL)
    assert found.failures == []
    assert FOLLOWS in [check.what for check in found.checks]
    assert made.prices is not None
    assert found.proved is not None
    assert (found.proved.cost, found.proved.measure) == (float(made.certificate.cost), "ncp")
    assert found.proved.bound == pytest.approx(made.prices.bound)
    assert found.proved.gap == found.proved.cost / found.proved.bound


@pytest.mark.parametrize(
    ("recoding", "cost", "more"),
    [
        ("suppress", "stars", {}),
        ("suppress", "ncp", {"attribute_weights": {"age": 0.1}}),
        ("suppress", "height", {"attribute_weights": {"age": 3}}),
        ("generalize", "height", {"attribute_weights": {"race": 0.3}}),
        ("generalize", "precision", {}),
        ("generalize", "stars", {}),
        ("generalize", "ncp", {"max_dropped": 0.1}),
    ],
    ids=str,
)
def test_every_cost_that_prices_speak_of_is_proved(tmp_path: Path, recoding: str, cost: str, more: Any) -> None:
    found = verify(with_prices(recoding, cost, **more).save(tmp_path / "out"), original=ORIGINAL)
    assert found.failures == []
    assert found.proved is not None


def test_without_the_original_the_proof_is_not_looked_at(folder: Path) -> None:
    found = verify(folder)
    assert found.passed
    assert found.proved is None
    assert found.not_checked == ("whether the lower bound follows from the prices: the original is needed for that",)


def test_what_the_prices_do_not_prove_is_the_word_of_the_method(made: Release, tmp_path: Path) -> None:
    assert made.prices is not None
    more = carrying(made, made.prices, lower_bound=float(made.certificate.cost))
    found = verify(more.save(tmp_path / "out"), original=ORIGINAL)
    assert found.passed
    [note] = found.not_checked
    assert note.startswith("the prices prove 0.")
    assert note.endswith("is stated by the method alone (by a theorem or an exhaustive search)")


def test_a_release_without_prices_says_so(made: Release, tmp_path: Path) -> None:
    bare = replace(made, prices=None, certificate=replace(made.certificate, proved=None, lower_bound=0.01))
    found = verify(bare.save(tmp_path / "out"), original=ORIGINAL)
    assert found.passed
    assert found.proved is None
    assert found.not_checked == (
        "the lower bound is stated by the method alone (by a theorem or an exhaustive search):"
        " there are no prices to prove it",
    )


def test_a_bound_that_is_less_than_proved_is_true_too(made: Release, tmp_path: Path) -> None:
    assert made.prices is not None
    humble = carrying(made, replace(made.prices, bound=made.prices.bound / 2))
    assert verify(humble.save(tmp_path / "out"), original=ORIGINAL).failures == []


# What is not


def test_a_changed_price_is_not_the_file_that_was_written(folder: Path) -> None:
    change_prices(folder, lambda prices: prices + 1)
    [failure] = [failure for failure in verify(folder).failures if "prices.parquet" in failure]
    assert failure == "every file is the one that was written: changed, added or missing: internal/prices.parquet"


def change_prices(folder: Path, change: Callable[[pl.Series], pl.Series]) -> None:
    path = folder / "internal" / "prices.parquet"
    prices = pl.read_parquet(path)["price"]
    change(prices).rename("price").to_frame().write_parquet(path)


CHANGES: dict[str, Callable[[pl.Series], pl.Series]] = {
    "one lowered": lambda prices: prices.scatter(int(prices.arg_max() or 0), 0),
    "one raised beyond all": lambda prices: prices.scatter(0, 2**62),
    "all raised": lambda prices: prices * 100,
    "none": lambda prices: prices * 0,
    "one negative": lambda prices: prices.scatter(0, -1),
    "one missing": lambda prices: prices.scatter(0, None),
    "one too few": lambda prices: prices.head(199),
    "not whole": lambda prices: prices.cast(pl.Float64),
    "text": lambda prices: prices.cast(pl.String),
    "of other rows": lambda prices: prices.reverse(),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changed_prices_under_whole_seals_are_refused(folder: Path, case: str) -> None:
    change_prices(folder, CHANGES[case])
    reseal(folder)
    assert verify(folder).passed
    [failure] = verify(folder, original=ORIGINAL).failures
    assert failure.startswith(FOLLOWS)


def with_a_negative_price(made: Release) -> Release:
    """The first row priced below 0, and what that proves less claimed less, twice over."""
    assert made.prices is not None
    prices = made.prices.of_row.copy()
    prices[0] = -1
    lower = made.prices.bound - 2 * float(made.prices.of_row[0] + 1) / UNIT
    return carrying(made, replace(made.prices, of_row=prices, bound=lower), lower_bound=lower)


@pytest.mark.parametrize("format", [1, 2])
def test_negative_prices_need_a_certificate_of_format_2(made: Release, tmp_path: Path, format: int) -> None:
    free = with_a_negative_price(made)
    folder = replace(free, certificate=replace(free.certificate, format=format)).save(tmp_path / "out")
    refused = f"{FOLLOWS}: a price is negative, and certificates of format 1 have none"
    assert verify(folder, original=ORIGINAL).failures == ([refused] if format == 1 else [])


def test_a_certificate_of_a_format_to_come_is_refused(made: Release, tmp_path: Path) -> None:
    folder = replace(made, certificate=replace(made.certificate, format=4)).save(tmp_path / "out")
    assert any(
        "the certificate has format 4; expected format 1, 2 or 3" in failure for failure in verify(folder).failures
    )


def test_scarce_values_get_prices_below_zero_and_a_certificate_of_format_2(tmp_path: Path) -> None:
    """The five rows of docs/proof.md: prices of at least 0 prove 2 at most."""
    ill = pl.DataFrame(
        {
            "age": [30, 30, 30, 40, 40],
            "town": ["Bergen"] * 3 + ["Oslo"] * 2,
            "illness": ["cold", "cold", "flu", "gout", "flu"],
        }
    )
    made = shoal.anonymize(
        ill, quasi=["age", "town"], sensitive="illness", require="l(illness)=2", recoding="suppress", method="cube"
    )
    assert made.prices is not None
    assert made.prices.any_negative
    assert (made.certificate.format, made.certificate.proved) == (2, 4)
    found = verify(made.save(tmp_path / "out"), original=ill)
    assert found.passed, found.failures
    assert found.proved is not None
    assert found.proved.bound == 4


@pytest.mark.parametrize(
    ("claims", "failure"),
    [
        ({"lower_bound": 0.9, "denominator": UNIT}, "the prices prove no more than 0."),
        ({"lower_bound": None, "denominator": UNIT}, "could not be checked"),
        ({"lower_bound": "0.1", "denominator": UNIT}, "could not be checked"),
        ({"lower_bound": 0.01, "denominator": 1}, "the prices prove no more than -"),
        ({"lower_bound": 0.01, "denominator": 0}, "in units of 1/0"),
        ({"lower_bound": 0.01, "denominator": -UNIT}, "in units of 1/-"),
        ({"lower_bound": 0.01, "denominator": 0.5}, ""),
        ({"lower_bound": 0.01}, "could not be checked"),
    ],
    ids=str,
)
def test_a_false_claim_under_whole_seals_is_refused(folder: Path, claims: dict[str, Any], failure: str) -> None:
    (folder / "internal" / "proof.json").write_text(canonical(claims))
    reseal(folder, proved=claims["lower_bound"], lower_bound=0.01)
    [found] = verify(folder, original=ORIGINAL).failures
    assert found.startswith(FOLLOWS)
    assert failure in found


def test_a_release_that_costs_less_than_it_can_is_refused(made: Release, folder: Path) -> None:
    assert made.prices is not None
    cheap = replace(made.certificate, cost=Measured("ncp", made.prices.bound / 2))
    (folder / "public" / "certificate.json").write_text(cheap.to_json())
    reseal(folder, lower_bound=None)
    assert f"{FOLLOWS}: the release costs less than that" in verify(folder, original=ORIGINAL).failures


def test_the_certificate_claims_no_more_than_the_proof(folder: Path) -> None:
    reseal(folder, proved=0.9)
    assert verify(folder, original=ORIGINAL).failures == [f"{FOLLOWS}: the certificate states another lower bound"]


@pytest.mark.parametrize("name", ["prices.parquet", "proof.json"])
def test_a_proof_that_was_taken_away_is_missed(folder: Path, name: str) -> None:
    (folder / "internal" / name).unlink()
    reseal(folder)
    [failure] = verify(folder, original=ORIGINAL).failures
    assert failure.startswith(FOLLOWS)


def test_prices_never_leave_the_house(made: Release, folder: Path) -> None:
    assert manifest(folder).keys() >= {"internal/prices.parquet", "internal/proof.json"}
    public = replace(made, prices=None).save(folder.parent / "bare") / "public"
    for path in public.iterdir():
        assert file_hash(path) == file_hash(folder / "public" / path.name)


# In a terminal


def test_verify_prints_cost_bound_and_gap(folder: Path, tmp_path: Path) -> None:
    write(ORIGINAL, tmp_path / "census.csv")
    done = command("verify", folder, "--original", tmp_path / "census.csv")
    assert done.code == 0
    assert re.search(r"cost +0\.\d+ \(ncp\)", done.out)
    assert re.search(r"proved +no release costs less than 0\.\d+", done.out)
    assert re.search(r"gap +at most [\d.]+ % more than the best possible", done.out)
    found = json.loads(command("verify", folder, "--original", tmp_path / "census.csv", "--json").out)
    assert set(found["proved"]) == {"cost", "measure", "bound", "gap"}
