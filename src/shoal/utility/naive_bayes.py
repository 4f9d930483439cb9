"""Naive Bayes: each column reveals the target by itself.

Every column is put into bins: categories by the commonest values, numbers by tenths of the rows. The chance of a bin
given a target is the share of the target's rows in it, with one row more in each bin, so that no chance is 0. A cell
that covers several bins counts in each with its share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.arrays import Floats, Ints


class NaiveBayes:
    """The classifier over columns whose bins stand side by side, so many for each column.

    >>> found = NaiveBayes([2]).fit(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 0, 1]))
    >>> found.predict_proba(np.array([[1.0, 0.0]])).round(3).tolist()
    [[0.818, 0.182]]
    """

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = widths
        self.classes_: Ints = np.zeros(0, dtype=np.int64)

    def fit(self, features: Floats, labels: Ints, sample_weight: Floats | None = None) -> NaiveBayes:
        """Count the rows of each target, and of each target and bin."""
        weight = np.ones(len(labels)) if sample_weight is None else sample_weight
        self.classes_, place = np.unique(labels, return_inverse=True)
        owner = np.zeros((len(self.classes_), len(labels)))
        owner[place, np.arange(len(labels))] = weight
        counts = owner @ features + 1.0
        starts = np.concatenate([[0], np.cumsum(self.widths)[:-1]])
        whole = np.repeat(np.add.reduceat(counts, starts, axis=1), self.widths, axis=1)
        rows = owner.sum(axis=1)
        self._bins, self._targets = np.log(counts / whole), np.log(rows / rows.sum())
        return self

    def predict_proba(self, features: Floats) -> Floats:
        """Return the chance of each target for some rows."""
        joint = self._targets + features @ self._bins.T
        chances: Floats = np.exp(joint - joint.max(axis=1, keepdims=True))
        whole: Floats = chances.sum(axis=1, keepdims=True)
        return chances / whole
