"""The propensity score: can the release be distinguishable from the original?

Rows of the original and of the release, each cell replaced by one of the values that it covers, drawn at random, are
put on one heap. A logistic regression on all columns, their squares and products where they are numbers, guesses for
each row how likely it comes from the release. pMSE is the mean squared distance of the guesses from the release's share
c of the heap: 0 where nothing tells them apart, at most c (1 - c) (Woo, Reiter, Oganian and Karr, Global measures of
data utility for microdata masked for disclosure limitation, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.utility.features import drawn_features, original_features, widths
from shoal.utility.spreads import Spread

ROWS = 10_000
"""Rows taken of each side, at most."""
ROUNDS = 50
CLOSE = 1e-6
RIDGE = 1e-4
"""How much the squares of the coefficients count: enough to keep them finite where a column tells everything."""


@dataclass(frozen=True)
class Propensity:
    """How well release and original can be told apart."""

    pmse: float
    share: float
    """Of the most that it can be: 0 to 1."""
    rows: int
    """On the heap."""


def propensity(columns: Mapping[str, Spread], *, seed: int = 0) -> Propensity:
    """Fit the regression and return how far its guesses are from knowing nothing.

    >>> import polars as pl, shoal
    >>> from shoal.release.release_view import Shown
    >>> from shoal.utility.spreads import spreads
    >>> people = {"age": [20, 30, 40, 50] * 5, "town": ["a", "a", "b", "b"] * 5}
    >>> made = shoal.anonymize(people, quasi=["age", "town"], require="k=5", method="mondrian")
    >>> round(propensity(spreads(Shown.of(made), pl.DataFrame(people))).pmse, 6)
    0.0
    """
    rng, names = np.random.default_rng(seed), list(columns)
    before = original_features(columns, names, _sample([one.codes for one in columns.values()], rng))
    after = drawn_features(columns, names, _sample([one.of_row for one in columns.values()], rng), rng)
    heap = np.concatenate([before, after])
    heap = np.column_stack([np.ones(len(heap)), heap, _products(heap, _numbers(columns))])
    released = np.repeat([0.0, 1.0], [len(before), len(after)])
    share = released.mean()
    guessed = _logistic(heap, released)
    pmse = float(((guessed - share) ** 2).mean())
    return Propensity(pmse, min(pmse / float(share * (1 - share)), 1.0), len(heap))


def _sample(columns: Sequence[Ints], rng: np.random.Generator) -> Ints:
    """Return the rows that are taken, sorted by what they hold, so that the order of the table changes nothing."""
    rows = np.lexsort(columns)
    return rows if len(rows) <= ROWS else rows[np.sort(rng.choice(len(rows), ROWS, replace=False))]


def _numbers(columns: Mapping[str, Spread]) -> list[int]:
    """Return where the features of columns of numbers are."""
    starts = np.cumsum([0, *widths(columns, list(columns))])
    return [int(start) for start, one in zip(starts, columns.values(), strict=False) if one.is_number]


def _products(features: Floats, numbers: Sequence[int]) -> Floats:
    """Return squares and products of the columns of numbers."""
    pairs = list(combinations_with_replacement(numbers, 2))
    return np.column_stack([features[:, a] * features[:, b] for a, b in pairs]) if pairs else features[:, :0]


def _logistic(features: Floats, target: Floats) -> Floats:
    """Fit a logistic regression by Newton's method, and return its guesses."""
    coefficients = np.zeros(features.shape[1])
    penalty = RIDGE * len(features) * np.eye(len(coefficients))
    penalty[0, 0] = 0.0
    for _ in range(ROUNDS):
        guessed = 1 / (1 + np.exp(-np.clip(features @ coefficients, -30, 30)))
        slope = features.T @ (target - guessed) - penalty @ coefficients
        bend = (features.T * (guessed * (1 - guessed))) @ features + penalty
        step = np.linalg.solve(bend, slope)
        coefficients = coefficients + step
        if np.abs(step).max() < CLOSE:
            break
    return 1 / (1 + np.exp(-np.clip(features @ coefficients, -30, 30)))
