from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from shoal.core.errors import ParameterError
from shoal.studies.synth import ATTRIBUTES, QUASI, SENSITIVE, Attribute, census, census_hierarchies

ROWS, SEED = 100_000, 7
SIZES = {
    "age": 79,
    "gender": 2,
    "race": 9,
    "marital": 6,
    "birthplace": 56,
    "education": 17,
    "workclass": 9,
    "income": 50,
    "occupation": 50,
}

by_attribute = pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda attribute: attribute.name)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return census(ROWS, seed=SEED)


def codes(attribute: Attribute, column: pl.Series) -> pl.Series:
    return column.replace_strict(list(attribute.values), range(len(attribute.values)), return_dtype=pl.Int32)


def rank_correlation(left: pl.Series, right: pl.Series) -> float:
    return float(np.corrcoef(left.rank().to_numpy(), right.rank().to_numpy())[0, 1])


def test_columns_come_in_the_declared_order(people: pl.DataFrame) -> None:
    assert tuple(people.columns) == QUASI + SENSITIVE == tuple(SIZES)
    assert people.height == ROWS
    assert people.null_count().sum_horizontal().item() == 0


@by_attribute
def test_every_declared_value_and_no_other_occurs_in_a_large_sample(attribute: Attribute, people: pl.DataFrame) -> None:
    assert len(attribute.values) == len(set(attribute.values)) == SIZES[attribute.name]
    assert set(people[attribute.name]) == set(attribute.values)


def test_age_and_income_are_numbers_the_rest_is_text(people: pl.DataFrame) -> None:
    assert people["age"].unique().sort().to_list() == list(range(17, 96))
    assert people["income"].unique().sort().to_list() == list(range(0, 250, 5))
    assert set(people.drop("age", "income").dtypes) == {pl.String()}


def test_same_seed_same_table_other_seed_other_table(people: pl.DataFrame) -> None:
    assert census(ROWS, seed=SEED).equals(people)
    assert not census(ROWS, seed=SEED + 1).equals(people)
    assert census(500).equals(census(500, seed=0))


@by_attribute
def test_shares_are_those_declared(attribute: Attribute, people: pl.DataFrame) -> None:
    expected = attribute.shares()
    seen = np.bincount(codes(attribute, people[attribute.name]), minlength=len(expected)) / ROWS
    assert expected.sum() == pytest.approx(1)
    assert np.abs(seen - expected).max() < 0.01


@by_attribute
def test_the_common_value_is_the_most_frequent_and_more_so_with_more_skew(
    attribute: Attribute, people: pl.DataFrame
) -> None:
    size, frequent = len(attribute.values), people[attribute.name].value_counts(sort=True)
    share = frequent["count"][0] / ROWS
    assert share == pytest.approx(size ** (-1 / attribute.skew), abs=0.01)
    if attribute.skew > 1:
        assert frequent[attribute.name][0] == (attribute.common or attribute.values[0])
        assert share > 1.5 / size


@by_attribute
def test_every_column_follows_the_latent(attribute: Attribute, people: pl.DataFrame) -> None:
    latent = pl.Series(np.random.default_rng(SEED).standard_normal(ROWS, dtype=np.float32))
    correlation = rank_correlation(codes(attribute, people[attribute.name]), latent)
    assert attribute.correlation - 0.2 < correlation < attribute.correlation + 0.02
    if attribute.name in SENSITIVE:
        assert correlation > 0.5


@by_attribute
def test_weights_keep_the_declared_variance_and_correlation(attribute: Attribute) -> None:
    draw = np.random.default_rng(3)
    latent = draw.standard_normal(ROWS, dtype=np.float32)
    age = ATTRIBUTES[0].score(latent, None, draw)
    score = attribute.score(latent, age, draw)
    assert score.std() == pytest.approx(1, abs=0.02)
    assert np.corrcoef(score, latent)[0, 1] == pytest.approx(attribute.correlation, abs=0.02)


def share(people: pl.DataFrame, status: str) -> float:
    return people.filter(marital=status).height / people.height


def test_the_young_are_single_and_the_old_widowed_and_better_paid(people: pl.DataFrame) -> None:
    young, old = people.filter(pl.col("age") < 25), people.filter(pl.col("age") > 75)
    assert share(young, "Never married") > 3 * share(old, "Never married")
    assert share(old, "Widowed") > 3 * share(young, "Widowed")
    assert np.median(old["income"]) > np.median(young["income"])


@pytest.mark.parametrize("rows", [0, -1, 2.5, "many", None, True, float("nan")])
def test_bad_rows_are_refused(rows: object) -> None:
    with pytest.raises(ParameterError, match=r"rows is .* expected a whole number of at least 1"):
        census(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_bad_seeds_are_refused(seed: object) -> None:
    with pytest.raises(ParameterError, match=r"seed is .* expected a whole number of at least 0"):
        census(5, seed=seed)  # type: ignore[arg-type]


def test_one_row_is_a_census() -> None:
    assert census(1).shape == (1, 9)


def distinct(values: Sequence[object]) -> pl.Series:
    return pl.Series(values).unique().sort()


def test_every_column_has_a_hierarchy() -> None:
    assert set(census_hierarchies()) == set(QUASI + SENSITIVE)


@by_attribute
def test_hierarchies_cover_every_declared_value(attribute: Attribute) -> None:
    values = distinct(attribute.values)
    hierarchy = census_hierarchies()[attribute.name].build(values)
    assert hierarchy.up.shape[1] == len(values)
    assert hierarchy.labels[0] == tuple(values.cast(pl.String))
    blocks = [len(labels) for labels in hierarchy.labels]
    assert blocks == sorted(set(blocks), reverse=True)
    assert blocks[-1] == 1
    assert hierarchy.height >= (1 if attribute.name == "gender" else 2)


@by_attribute
def test_hierarchies_build_on_a_small_sample(attribute: Attribute) -> None:
    values = distinct(census(30, seed=1)[attribute.name].to_list())
    assert census_hierarchies()[attribute.name].build(values).up.shape[1] == len(values)


def test_occupations_have_two_levels_of_groups() -> None:
    hierarchy = census_hierarchies()["occupation"].build(distinct(ATTRIBUTES[-1].values))
    assert [len(labels) for labels in hierarchy.labels] == [50, 11, 3, 1]


@pytest.mark.slow
def test_ten_million_people_fit() -> None:
    people = census(10_000_000)
    assert people.height == 10_000_000
    assert people.estimated_size("gb") < 4
