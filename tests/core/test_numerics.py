"""Special functions and roots, against those of scipy."""

from __future__ import annotations

from math import cos, exp, log

import numpy as np
import pytest
from scipy import optimize, special

from shoal.core.numerics.brent import root
from shoal.core.numerics.digamma import digamma
from shoal.core.numerics.log_gamma import log_gamma
from shoal.core.numerics.normal_quantile import normal_quantile
from shoal.core.numerics.poisson_tail import log_poisson_tail, poisson_mean

DRAWS = np.random.default_rng(7)


def test_normal_quantiles_from_the_middle_to_the_last_numbers_of_the_tails() -> None:
    tails = 10.0 ** -DRAWS.uniform(0, 300, 2_000)
    p = np.concatenate([DRAWS.random(5_000), tails, 1 - 10.0 ** -DRAWS.uniform(0, 15, 2_000), [0.5, 0.075, 0.925]])
    np.testing.assert_allclose(normal_quantile(p), special.ndtri(p), rtol=3e-15, atol=1e-16)
    assert normal_quantile(np.array([0.0, 1.0])).tolist() == [-np.inf, np.inf]
    assert np.isnan(normal_quantile(np.array([np.nan, -0.1, 1.1]))).all()
    assert (np.diff(normal_quantile(np.linspace(0, 1, 100_001))) > 0).all()


def test_digamma_of_small_and_large_numbers() -> None:
    x = np.concatenate([10.0 ** DRAWS.uniform(-8, 12, 5_000), np.arange(1.0, 100)])
    np.testing.assert_allclose(digamma(x), special.digamma(x), rtol=1e-13, atol=1e-14)
    assert float(digamma(1.0)) == pytest.approx(-0.5772156649015329, rel=1e-14)


def test_log_gamma_of_arrays() -> None:
    x = 10.0 ** DRAWS.uniform(-8, 12, 1_000)
    np.testing.assert_allclose(log_gamma(x), special.gammaln(x), rtol=1e-13, atol=1e-14)


def test_poisson_tails_of_few_and_of_many() -> None:
    for _ in range(1_500):
        number = int(10 ** DRAWS.uniform(0, 5))  # beyond, scipy leaves terms out
        mean = max(number + DRAWS.normal() * 3 * number**0.5, 0.01) * DRAWS.choice([1, 1, 0.1, 10])
        wanted = special.gammainc(number, mean)
        if wanted > 1e-290:
            assert exp(log_poisson_tail(number, mean)) == pytest.approx(wanted, rel=1e-11)
    assert log_poisson_tail(3, 0.0) == -np.inf
    assert log_poisson_tail(10, 1e-40) == pytest.approx(10 * log(1e-40) - special.gammaln(11))


def test_the_mean_of_a_poisson_tail() -> None:
    for _ in range(300):
        number, probability = int(10 ** DRAWS.uniform(0, 5)), float(10 ** -DRAWS.uniform(0, 12))
        assert poisson_mean(number, probability) == pytest.approx(special.gammaincinv(number, probability), rel=1e-10)
    assert poisson_mean(5, 0.999999) == pytest.approx(special.gammaincinv(5, 0.999999), rel=1e-9)


def test_roots_are_those_of_brentq() -> None:
    for _ in range(300):
        a, b, c = DRAWS.normal(size=3)

        def cubic(x: float, a: float = a, b: float = b, c: float = c) -> float:
            return float(x**3 + a * x**2 + b * x + c)

        assert root(cubic, -20, 20) == pytest.approx(optimize.brentq(cubic, -20, 20), abs=1e-9)
    assert root(lambda x: cos(x) - x, 0, 1) == pytest.approx(0.7390851332151607, abs=1e-12)
    assert root(lambda x: exp(x) - 1e-30, -700, 30) == pytest.approx(log(1e-30), rel=1e-12)
    assert root(lambda x: x, 0, 1) == 0
    assert root(lambda x: x - 1, 0, 1) == 1


def test_few_steps_lead_to_a_root() -> None:
    asked: list[float] = []

    def function(x: float) -> float:
        asked.append(x)
        return x**9 - 0.5

    root(function, 0, 10)
    assert len(asked) < 40


def test_a_root_needs_two_signs() -> None:
    with pytest.raises(ValueError, match="same sign"):
        root(lambda x: x**2 + 1, -1, 1)
