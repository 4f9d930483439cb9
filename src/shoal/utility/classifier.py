"""What can still be learnt: a classifier trained on the release against one trained on the original.

A third of the rows is held out. A logistic regression learns to tell the target from the quasi-identifiers, once from
the other rows as they were and once as they are published; both are asked about the original rows held out. A cell that
covers several values enters with the share of each. A target with many values is put into four parts, cut at the
quartiles. Between the share of the commonest target and the accuracy of the classifier that learnt from the original
lies what there was to learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import RoleError, Unsupported, nearest
from shoal.release.release_view import Shown
from shoal.utility.features import original_features, published_features
from shoal.utility.spreads import Spread

HELD_OUT = 1 / 3
ROWS = 15_000
"""Rows used at most."""
VALUES = 20
"""A target with more values is cut into four parts."""
FEWEST = 12
"""Rows below which nothing is learnt."""


@dataclass(frozen=True)
class Classifier:
    """How often a classifier is right about rows that it has not seen."""

    target: str
    original: float
    """Trained on the original."""
    release: float
    """Trained on the release."""
    commonest: float
    """Always guessing the commonest value."""
    tested: int
    """Rows held out."""


def classifier(shown: Shown, columns: Mapping[str, Spread], target: str, *, seed: int = 0) -> Classifier:
    """Train twice and test on the same original rows; needs the extra `ml`."""
    if target not in shown.sensitive:
        raise RoleError(f"{target!r} is not a sensitive column of the release", hint=nearest(target, shown.sensitive))
    if shown.rows is None:
        raise Unsupported("it is unknown which published row stands for which original row, so none can be held out")
    labels, kept = _labels(columns[target]), shown.rows
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(_by_contents(columns, shown.real(len(labels)), kept))[:ROWS]
    cut = round(len(drawn) * HELD_OUT)
    test, train = drawn[:cut], drawn[cut:]
    if len(drawn) < FEWEST or len(np.unique(labels[kept[train]])) < 2:
        raise Unsupported(f"{target!r} cannot be learnt: too few rows, or one value only")
    names = list(shown.quasi)
    asked, truth = original_features(columns, names, kept[test]), labels[kept[test]]
    after, weights = _published_labels(columns[target], labels, train)
    learnt = [
        _fitted(original_features(columns, names, kept[train]), labels[kept[train]], None),
        _fitted(published_features(columns, names, train[after[0]]), after[1], weights),
    ]
    right = [float((model.predict(asked) == truth).mean()) for model in learnt]
    commonest = np.bincount(labels[kept[train]]).argmax()
    return Classifier(target, right[0], right[1], float((truth == commonest).mean()), len(test))


def _by_contents(columns: Mapping[str, Spread], published: Ints, kept: Ints) -> Ints:
    """Return published rows sorted by what they hold and held, so that the order of the table changes nothing."""
    held = [one.codes[kept[published]] for one in columns.values()]
    return published[np.lexsort([*held, *(one.of_row[published] for one in columns.values())])]


def _labels(column: Spread) -> Ints:
    """Return the target of each row of the original."""
    if len(column.values) <= VALUES:
        return column.codes
    reached = np.cumsum(column.before) - column.before / 2
    part = np.minimum((reached * 4).astype(np.int64), 3)
    return part[column.codes]


def _published_labels(column: Spread, labels: Ints, train: Ints) -> tuple[tuple[Ints, Ints], Floats]:
    """Return the targets that each training row is published with, as pairs of row and target, and their shares."""
    of_value = np.zeros(len(column.values), dtype=np.int64)
    of_value[column.codes] = labels
    number = int(of_value.max()) + 1
    shares = column.folded(of_value, number)[column.of_row[train]]
    row, label = np.nonzero(shares)
    return (row, label), shares[row, label]


def _fitted(features: Floats, labels: Ints, weights: Floats | None) -> Any:
    try:
        from sklearn.exceptions import ConvergenceWarning  # of the extra `ml`
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise Unsupported("a classifier needs scikit-learn", hint="pip install 'shoal[ml]'") from None
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # a little further changes few guesses
        return LogisticRegression(max_iter=300, tol=1e-3).fit(features, labels, sample_weight=weights)
