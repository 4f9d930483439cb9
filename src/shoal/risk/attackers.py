"""Prosecutor, journalist, marketer: the chance of picking the right person out of a crowd.

The prosecutor knows that the person is in the table: of f rows that fit, one is theirs, and the chance is 1/f. The
journalist does not know that, and looks among the F people of a population whom the row fits: 1/F. The marketer links
every row and asks only how many links are right: the mean of 1/F over the rows (El Emam and Dankar, Protecting privacy
using k-anonymity, 2008). Without a population, F = f is all that is known, and the three attackers are equally strong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral, spelled

THRESHOLDS: tuple[Numeral, ...] = ("0.2", "0.09", "0.05")
"""The risks that guidelines for health data call too high: crowds below 5, 12 and 20."""
THRESHOLD = Number("threshold", "a risk that is too high if exceeded", 0, 1, above=True)


@dataclass(frozen=True)
class Exceeding:
    """How many rows, and how many classes, are at a higher risk than a threshold."""

    threshold: str
    """As it was written."""
    rows: int
    classes: int
    share: float
    """Of the rows."""


@dataclass(frozen=True)
class Attacker:
    """The risk that one attacker puts the rows at, in total."""

    highest: float
    """1 / the smallest crowd."""
    rows_at_highest: int
    classes_at_highest: int
    average: float
    """Over the rows: the share of them that the attacker gets right, linking all."""
    exceeding: tuple[Exceeding, ...]


def thresholds(given: Sequence[Numeral] = ()) -> tuple[Fraction, ...]:
    """Return the usual thresholds and those given, highest first, exactly: 0.2 is one fifth.

    >>> [str(one) for one in thresholds(["0.5", 0.2])]
    ['1/2', '1/5', '9/100', '1/20']
    """
    return tuple(sorted({THRESHOLD.read(one, "risk") for one in (*THRESHOLDS, *given)}, reverse=True))


def attacker(sizes: Ints, crowds: Ints, asked: Sequence[Fraction]) -> Attacker:
    """Measure an attacker who finds as many candidates for each class as `crowds` says.

    `sizes` says how many rows each class has. A class that fits nobody hides nobody, and counts as a crowd of one.

    >>> found = attacker(np.array([1, 4, 5]), np.array([1, 4, 5]), thresholds())
    >>> found.highest, found.rows_at_highest, found.average
    (1.0, 1, 0.3)
    >>> [(one.threshold, one.rows, one.classes) for one in found.exceeding]
    [('0.2', 5, 2), ('0.09', 10, 3), ('0.05', 10, 3)]
    """
    crowds = np.maximum(crowds, 1)
    rows = int(sizes.sum())
    worst = crowds == crowds.min()
    return Attacker(
        highest=1 / int(crowds.min()),
        rows_at_highest=int(sizes[worst].sum()),
        classes_at_highest=int(worst.sum()),
        average=float((sizes / crowds).sum() / rows),
        exceeding=tuple(exceeding(sizes, _above(crowds, one), one) for one in asked),
    )


def exceeding(sizes: Ints, above: Bools, threshold: Fraction) -> Exceeding:
    """Count the classes that are at a higher risk than a threshold, and their rows."""
    rows = int(sizes[above].sum())
    return Exceeding(spelled(threshold), rows, int(above.sum()), rows / int(sizes.sum()))


def _above(crowds: Ints, threshold: Fraction) -> Bools:
    """Whether 1 / crowd > threshold, decided in whole numbers."""
    smallest_safe = -(-threshold.denominator // threshold.numerator)
    return np.asarray(crowds < smallest_safe, dtype=bool)


def risks(crowds: Ints) -> Floats:
    """Return 1 / crowd."""
    return 1.0 / np.maximum(crowds, 1)
