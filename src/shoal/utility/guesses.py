"""How good guesses with chances are: accuracy, Brier score, and the ROC curve with the area under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints

STEPS = 51
"""Points of a curve, evenly over the share of false alarms."""


@dataclass(frozen=True)
class Quality:
    """How good a classifier's guesses are about rows that it has not seen."""

    accuracy: float
    """The share of the rows whose likeliest target is the true one."""
    brier: float
    """The mean over rows of the sum over targets of (chance - 1 if true, else 0) squared: 0 is best, 2 worst."""
    auc: float
    """The area under the ROC curve: each target against the others, weighted by its rows. 0.5 is guessing."""
    roc: tuple[tuple[float, float], ...]
    """The curve: shares of false alarms, and of the rows found, averaged over the targets as in `auc`."""


def quality(chances: Floats, truth: Ints) -> Quality:
    """Measure the chances given to each target, by row, against the true targets.

    >>> found = quality(np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]), np.array([0, 0, 1, 1]))
    >>> found.accuracy, round(found.brier, 3), found.auc
    (0.75, 0.35, 0.75)
    """
    targets = np.flatnonzero(np.bincount(truth, minlength=chances.shape[1]))
    right = np.zeros_like(chances)
    right[np.arange(len(truth)), truth] = 1.0
    held = [float((truth == target).sum()) for target in targets]
    curves = [roc(chances[:, target], truth == target) for target in targets] if len(targets) > 1 else []
    return Quality(
        accuracy=float((chances.argmax(axis=1) == truth).mean()),
        brier=float(((chances - right) ** 2).sum(axis=1).mean()),
        auc=float(np.average([area(*curve) for curve in curves], weights=held)) if curves else 0.5,
        roc=_mean_curve(curves, held) if curves else (),
    )


def roc(scores: Floats, positive: Bools) -> tuple[Floats, Floats]:
    """Return the curve of one target: false alarms and rows found, as shares, for every threshold from above.

    >>> [one.tolist() for one in roc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))]
    [[0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0]]
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    found = np.cumsum(positive[order])[last]
    alarms = np.cumsum(~positive[order])[last]
    return np.append(0.0, alarms / alarms[-1]), np.append(0.0, found / found[-1])


def area(alarms: Floats, found: Floats) -> float:
    """Return the area under a curve: the chance that a row with the target is given more than one without; ties half.

    >>> area(np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0, 1.0]))
    0.875
    """
    return float((np.diff(alarms) * (found[1:] + found[:-1]) / 2).sum())


def _mean_curve(curves: Sequence[tuple[Floats, Floats]], weights: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Return the mean height of some curves, step by step."""
    at = np.linspace(0, 1, STEPS)
    heights = np.average([_reached(*one, at) for one in curves], axis=0, weights=weights)
    return ((0.0, 0.0), *zip(at.tolist(), heights.tolist(), strict=True))


def _reached(alarms: Floats, found: Floats, at: Floats) -> Floats:
    """Return the height of a curve at some shares of false alarms; where it rises straight up, the top."""
    last = np.append(np.diff(alarms) != 0, True)
    reached: Floats = np.interp(at, alarms[last], found[last])
    return reached
