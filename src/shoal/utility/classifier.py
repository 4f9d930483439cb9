"""What can still be learnt: classifiers trained on the release against the same trained on the original.

The rows are cut into parts (folds). Each part is held out once: a classifier learns to tell the target from the
quasi-identifiers, once from the other rows as they were and once as they are published; both are asked about the
original rows held out. A cell that covers several values enters with the share of each. A target with many values is
put into four parts, cut at the quartiles. Between the share of the commonest target and the accuracy of the classifier
that learnt from the original lies what there was to learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import ParameterError, RoleError, Unsupported, nearest
from shoal.core.parameters import Number
from shoal.release.release_view import Shown
from shoal.utility.features import original_features, published_features, widths
from shoal.utility.guesses import Quality, quality
from shoal.utility.naive_bayes import NaiveBayes
from shoal.utility.spreads import Spread

ROWS = 9_000
"""Rows used at most."""
VALUES = 20
"""A target with more values is cut into four parts."""
FEWEST = 12
"""Rows below which nothing is learnt."""
TREES = 100
FOLDS = Number("folds", "parts of the rows, each of which is held out once", 2, whole=True)


@dataclass(frozen=True)
class Classifier:
    """How good a classifier is about rows that it has not seen, by what it learnt from."""

    target: str
    model: str
    original: Quality
    """Trained on the original."""
    release: Quality
    """Trained on the release."""
    commonest: float
    """The accuracy of always guessing the commonest value."""
    tested: int
    """Rows that were held out, each once."""
    folds: int


def _logistic_regression(widths: Sequence[int], seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression  # of the extra `ml`

    return LogisticRegression(max_iter=300, tol=1e-3)


def _naive_bayes(widths: Sequence[int], seed: int) -> Any:
    return NaiveBayes(widths)


def _random_forest(widths: Sequence[int], seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier  # of the extra `ml`

    return RandomForestClassifier(n_estimators=TREES, min_samples_leaf=3, random_state=seed, n_jobs=1)


MODELS: Mapping[str, Callable[[Sequence[int], int], Any]] = {
    "logistic-regression": _logistic_regression,
    "naive-bayes": _naive_bayes,
    "random-forest": _random_forest,
}
"""From the number of features of each column and a seed to what has `fit` and `predict_proba`."""
BINNED = ("naive-bayes",)
"""The models that take numbers in bins."""


def known_models(names: Sequence[str] | str) -> tuple[str, ...]:
    """Return the classifiers asked for, or say which is unknown."""
    asked = (names,) if isinstance(names, str) else tuple(names)
    for name in asked:
        if name not in MODELS:
            raise ParameterError(f"no classifier is called {name!r}", hint=nearest(name, MODELS))
    return tuple(dict.fromkeys(asked))


def classifier(
    shown: Shown, columns: Mapping[str, Spread], target: str, model: str, *, folds: int = 3, seed: int = 0
) -> Classifier:
    """Train twice for each part held out, and test on the same original rows; most models need the extra `ml`."""
    if target not in shown.sensitive:
        raise RoleError(f"{target!r} is not a sensitive column of the release", hint=nearest(target, shown.sensitive))
    if shown.rows is None:
        raise Unsupported(
            "it is unknown which published row stands for which original row, so none can be held out",
            hint="give the release with its internal part",
        )
    labels, parts = _labels(columns[target]), int(FOLDS.read(folds, "utility"))
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(_by_contents(columns, shown.real(len(labels)), shown.rows))[:ROWS]
    truth = labels[shown.rows[drawn]]
    if len(drawn) < max(FEWEST, parts) or len(np.unique(truth)) < 2:
        raise Unsupported(f"{target!r} cannot be learnt: too few rows, or only one value")
    made = partial(MODELS[model], widths(columns, shown.quasi, binned=model in BINNED), seed)
    before, after = np.zeros((2, len(drawn), int(labels.max()) + 1))
    commonest = np.zeros(len(drawn), dtype=bool)
    for held in np.array_split(np.arange(len(drawn)), parts):
        rest = np.setdiff1d(np.arange(len(drawn)), held)
        asked = original_features(columns, shown.quasi, shown.rows[drawn[held]], binned=model in BINNED)
        sides = _sides(shown, columns, target, labels, drawn[rest], model)
        for chances, side in zip((before, after), sides, strict=True):
            chances[held] = _chances(made, *side, asked, chances.shape[1])
        commonest[held] = truth[held] == np.bincount(truth[rest]).argmax()
    return Classifier(
        target, model, quality(before, truth), quality(after, truth), float(commonest.mean()), len(drawn), parts
    )


def _sides(
    shown: Shown, columns: Mapping[str, Spread], target: str, labels: Ints, train: Ints, model: str
) -> Iterator[tuple[Floats, Ints, Floats | None]]:
    """Return features, targets and weights of the training rows as they were, and as they are published."""
    assert shown.rows is not None
    rows, binned = shown.rows[train], model in BINNED
    yield original_features(columns, shown.quasi, rows, binned=binned), labels[rows], None
    (row, label), weights = _published_labels(columns[target], labels, train)
    yield published_features(columns, shown.quasi, train[row], binned=binned), label, weights


def _chances(
    made: Callable[[], Any], features: Floats, labels: Ints, weights: Floats | None, asked: Floats, targets: int
) -> Floats:
    """Train a classifier, and return the chance of each target for the rows asked about."""
    chances = np.zeros((len(asked), targets))
    known = np.unique(labels)
    if len(known) < 2:
        chances[:, known] = 1.0
        return chances
    try:
        trained = made()
    except ImportError:
        raise Unsupported("this classifier needs scikit-learn", hint="pip install 'shoal[ml]'") from None
    with catch_warnings():
        simplefilter("ignore")  # that it has not converged: a little further changes few guesses
        trained.fit(features, labels, sample_weight=weights)
    chances[:, trained.classes_] = trained.predict_proba(asked)
    return chances


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
