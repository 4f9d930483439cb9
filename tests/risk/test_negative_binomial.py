"""The parameters of the slide negative binomial, against a solver of two equations by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from shoal.core.arrays import Floats
from shoal.microdata.uniqueness.negative_binomial import CLOSE, _expected, _solved

STARTS = ((0.05, 0.05), (0.2, 0.2), (1.0, 0.5), (0.2, 0.8), (5.0, 0.9), (0.02, 0.005))


def by_scipy(wanted: Floats, fraction: float) -> tuple[float, float] | None:
    """Alpha and beta by Powell's hybrid method, from one start after the other."""

    def missed(point: Floats) -> Floats:
        beta = float(np.clip(special.expit(point[1]), 1e-300, 1 - 1e-12))
        return _expected(float(np.exp(np.clip(point[0], -40, 25))), beta, fraction) - wanted

    for alpha, beta in STARTS:
        found = optimize.root(missed, [np.log(alpha), special.logit(beta)], method="hybr").x
        if np.isfinite(found).all() and np.abs(missed(found)).max() < CLOSE:
            return float(np.exp(np.clip(found[0], -40, 25))), float(special.expit(found[1]))
    return None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_wherever_scipy_finds_parameters_so_does_the_equation_in_beta(fraction: float) -> None:
    draw, solved = np.random.default_rng(int(100 * fraction)), 0
    for _ in range(60):
        wanted = np.array([draw.uniform(0.05, 0.9) * fraction, 0.0])
        wanted[1] = wanted[0] * draw.uniform(0.05, 0.9)
        found, other = _solved(wanted, fraction), by_scipy(wanted, fraction)
        assert found is not None or other is None
        if found is not None and other is not None:
            solved += 1
            assert found[1] ** found[0] == pytest.approx(other[1] ** other[0], abs=1e-4)
    assert solved > 10


def test_the_parameters_that_gave_the_counts_are_found() -> None:
    draw = np.random.default_rng(5)
    for _ in range(300):
        alpha, beta, fraction = draw.uniform(0.05, 5), draw.uniform(0.01, 0.95), draw.uniform(0.05, 1)
        found = _solved(_expected(alpha, beta, fraction), fraction)
        assert found is not None
        assert found == pytest.approx((alpha, beta), rel=1e-6)
