"""Estimates of population uniques: against a known population, against the equations, and where there are none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.core.arrays import AnyInts
from shoal.microdata.uniqueness.negative_binomial import _expected, shlosser, slide_negative_binomial
from shoal.microdata.uniqueness.pitman import pitman
from shoal.microdata.uniqueness.population_uniques import population_uniques
from shoal.microdata.uniqueness.zayatz import zayatz
from shoal.risk.crowds import Crowds


def crowds(values: AnyInts) -> Crowds:
    return Crowds.of(pl.DataFrame({"a": values}))


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.8])
def test_a_known_population_is_estimated_within_a_third(fraction: float) -> None:
    draw = np.random.default_rng(3)
    people = draw.zipf(1.4, 60_000) % 1_000_003
    uniques = int((np.unique(people, return_counts=True)[1] == 1).sum())
    sample = draw.choice(people, int(len(people) * fraction), replace=False)
    found = population_uniques(crowds(sample), float(len(people)))
    assert found.fraction == pytest.approx(fraction)
    for estimate in found.estimates:
        assert estimate.people == pytest.approx(uniques, rel=1 / 3), estimate


def test_with_everybody_in_the_table_the_uniques_are_counted() -> None:
    values = np.array([1, 2, 3, 3, 4, 4, 5, 5, 5])
    found = population_uniques(crowds(values), 9.0)
    assert found.chosen.people == pytest.approx(2, abs=1e-6)
    assert found.chosen.share == pytest.approx(2 / 9, abs=1e-6)


def test_pitman_is_at_the_top_of_the_likelihood() -> None:
    """The estimate by the likeliest of a fine grid of alpha and theta is no more than the grid apart."""
    from scipy.special import gammaln

    sizes, classes = np.array([1, 2, 3, 8, 30]), np.array([60, 12, 5, 2, 1])
    alpha, theta = np.meshgrid(np.linspace(0.3, 0.8, 501), np.linspace(5, 40, 701), indexing="ij")
    rows, number = (sizes * classes).sum(), classes.sum()
    likelihood = (number - 1) * np.log(alpha) + gammaln(theta / alpha + number) - gammaln(theta / alpha + 1)
    likelihood -= gammaln(theta + rows) - gammaln(theta + 1)
    for size, times in zip(sizes, classes, strict=True):
        likelihood += times * (gammaln(size - alpha) - gammaln(1 - alpha))
    best = np.unravel_index(likelihood.argmax(), likelihood.shape)
    a, t = alpha[best], theta[best]
    expected = np.exp(gammaln(t + 1) - gammaln(t + a)) * 10_000**a
    assert pitman(sizes, classes, 10_000.0) == pytest.approx(expected, rel=0.01)


def test_the_negative_binomial_meets_both_counts() -> None:
    """Classes drawn from the model itself: shares of the sample's classes of one and two rows are those expected."""
    draw = np.random.default_rng(1)
    alpha, beta, fraction = 0.8, 0.4, 0.3
    sizes = draw.negative_binomial(alpha, beta, 400_000) + 1
    held = draw.binomial(sizes, fraction)
    one, two = _expected(alpha, beta, fraction)
    assert one == pytest.approx((held == 1).mean(), abs=0.003)
    assert two == pytest.approx((held == 2).mean(), abs=0.003)


def test_arxs_form_of_the_second_equation_does_not_hold() -> None:
    """ARX, as its source reads, multiplies by `(1 - s)**(alpha + 2)`, and gets a fifth of the pairs drawn."""
    draw = np.random.default_rng(1)
    alpha, beta, fraction = 0.8, 0.4, 0.3
    s = (1 - fraction) * (1 - beta)
    arx = alpha * (1 - beta) * beta**alpha * fraction**2 / 2 * (1 - s) ** (alpha + 2) * (2 - (1 - alpha) * s)
    held = draw.binomial(draw.negative_binomial(alpha, beta, 400_000) + 1, fraction)
    assert arx < (held == 2).mean() / 4


def test_shlossers_estimator_finds_the_classes_of_a_known_population() -> None:
    """ARX, as its source reads, takes a 1 from each term of a sum and not from each power; then it misses."""
    draw = np.random.default_rng(4)
    held = draw.binomial(draw.geometric(0.3, 5_000), 0.3)
    sizes, classes = np.unique(held[held > 0], return_counts=True)
    assert shlosser(sizes, classes, 0.3) == pytest.approx(5_000, rel=0.05)
    q = 0.3
    first = (sizes * q**2 * (1 - q**2) ** (sizes - 1) * classes).sum()
    wrong = ((1 - q) ** sizes * classes * (1 + q) ** sizes - 1).sum()
    second = ((1 - q) ** sizes * classes).sum() / (sizes * q * (1 - q) ** (sizes - 1) * classes).sum()
    arx = classes.sum() + classes[0] * first / wrong * second**2
    assert abs(arx - 5_000) > 3 * abs(shlosser(sizes, classes, q) - 5_000)


@pytest.mark.parametrize(("classes", "shape", "fraction"), [(2000, 0.5, 0.3), (3000, 0.2, 0.1), (5000, 1.0, 0.3)])
def test_pitman_finds_populations_with_so_many_classes_drawn_alike(classes: int, shape: float, fraction: float) -> None:
    """Alpha below 0: shares of the classes are Dirichlet."""
    draw = np.random.default_rng(0)
    people = draw.choice(classes, 20_000, p=draw.dirichlet(np.full(classes, shape)))
    uniques = int((np.bincount(people) == 1).sum())
    held = np.bincount(draw.choice(people, int(len(people) * fraction), replace=False))
    sizes, number = np.unique(held[held > 0], return_counts=True)
    assert pitman(sizes, number, float(len(people))) == pytest.approx(uniques, rel=0.25)


def test_pitman_with_alpha_below_0_is_at_the_top_of_the_likelihood() -> None:
    """The likelihood is written out as products; the expectation of uniques as one, too."""
    sizes, classes, people = np.array([1, 2, 3, 5, 9]), np.array([20, 14, 10, 6, 2]), 400
    rows, number = int((sizes * classes).sum()), int(classes.sum())
    best, at = -np.inf, (0.0, 0.0)
    for alpha in np.linspace(-2, -0.2, 91):
        theta = -alpha * (number - 1) + np.exp(np.linspace(-3, 8, 401))
        likelihood = np.log(theta[:, None] + alpha * np.arange(1, number)).sum(axis=1)
        likelihood -= np.log(theta[:, None] + np.arange(1, rows)).sum(axis=1)
        likelihood += sum(
            times * np.log(np.arange(1, size) - alpha).sum() for size, times in zip(sizes, classes, strict=True)
        )
        if likelihood.max() > best:
            best, at = likelihood.max(), (alpha, float(theta[likelihood.argmax()]))
    alpha, theta = at
    expected = people * np.prod((theta + alpha + np.arange(people - 1)) / (theta + 1 + np.arange(people - 1)))
    assert alpha < -0.25
    assert pitman(sizes, classes, float(people)) == pytest.approx(expected, rel=0.03)


def test_zayatz_by_hand() -> None:
    """Sample {a, b, b} of 6: P(one of a pair) = 2 * C(4, 2) / C(6, 3) = 3/5, P(one of one) = 1/2."""
    found = zayatz(np.array([1, 2]), np.array([1, 1]), 6.0)
    assert found == pytest.approx((1 / 2) / (1 / 2 + 3 / 5) * 2)


def test_the_rule_takes_pitman_below_a_tenth_and_the_lower_one_above() -> None:
    values = np.random.default_rng(0).zipf(1.5, 5000) % 9973
    small, large = (population_uniques(crowds(values), 5000 / fraction) for fraction in (0.1, 0.3))
    assert small.chosen.model == "pitman"
    named = {one.model: one.people for one in large.estimates}
    assert large.chosen.people == min(named["zayatz"] or 0, named["snb"] or 0)


@pytest.mark.parametrize(
    ("sizes", "classes"),
    [([1], [5]), ([1, 2], [1, 1]), ([1, 5], [1, 1]), ([1, 2, 3], [3, 3, 3]), ([1, 2], [10_000, 3]), ([1, 900], [1, 1])],
)
@pytest.mark.parametrize("fraction", [0.001, 0.1, 0.5, 1.0])
def test_small_and_odd_tables_get_a_number_or_a_reason(sizes: list[int], classes: list[int], fraction: float) -> None:
    size, number = np.array(sizes), np.array(classes)
    population = float((size * number).sum() / fraction)
    assert 0 <= zayatz(size, number, population) <= population * (1 + 1e-9)
    for model in (pitman, slide_negative_binomial):
        found = model(size, number, population)
        assert found if isinstance(found, str) else 0 <= found <= population


def test_no_uniques_no_estimate_needed() -> None:
    found = population_uniques(crowds(np.array([1, 1, 2, 2])), 400.0)
    assert (found.chosen.people, found.chosen.reason) == (0, "no row is unique in the sample")
