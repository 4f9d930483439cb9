"""Uniques: rows that no other row is like.

A sample unique has quasi-identifiers that nobody else in the table has. By the strict count a star equals only a star;
by the wildcard count a wild cell matches anything, so that fewer rows are unique. The strict count is the one to
trust: an attacker who knows what a star hides is not misled by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.core.arrays import Ints
from shoal.risk.crowds import Crowds
from shoal.risk.wildcard import wildcard_counts

SMALL = (2, 3, 5)
"""Crowds smaller than these are counted."""


@dataclass(frozen=True)
class Small:
    """How many rows, and how many classes, match fewer rows than this."""

    below: int
    rows: int
    classes: int


@dataclass(frozen=True)
class Uniques:
    """Unique rows and classes, and those of small size."""

    rows: int
    """Rows that match nobody but themselves; each is a class of its own."""
    share: float
    smallest: int
    """The fewest rows that a row matches, itself included."""
    small: tuple[Small, ...]
    """Crowds below 2, 3 and 5."""


def uniques(sizes: Ints, crowds: Ints) -> Uniques:
    """Count uniques, where each class of so many rows matches as many rows as `crowds` says.

    >>> import numpy as np
    >>> found = uniques(np.array([1, 2, 7]), np.array([1, 2, 7]))
    >>> found.rows, found.share, found.smallest, found.small[1]
    (1, 0.1, 1, Small(below=3, rows=3, classes=2))
    """
    alone = int(sizes[crowds == 1].sum())
    small = tuple(Small(size, int(sizes[crowds < size].sum()), int((crowds < size).sum())) for size in SMALL)
    return Uniques(alone, alone / int(sizes.sum()), int(crowds.min()), small)


def wildcard_crowds(crowds: Crowds, wild: str) -> Ints:
    """Return for each class how many rows it matches when a wild cell, on either side, matches anything.

    >>> import polars as pl
    >>> table = Crowds.of(pl.DataFrame({"age": ["20", "*", "30"]}))
    >>> wildcard_crowds(table, "star")[table.class_of_row].tolist()
    [2, 3, 2]
    """
    return wildcard_counts(crowds.frame, wild)[crowds.first]
