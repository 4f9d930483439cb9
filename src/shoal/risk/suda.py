"""Minimal sample uniques: the smallest sets of columns in which a record is unique.

A set of columns is a minimal sample unique (MSU) of a row if the row is unique in it and in no part of it (Elliot,
Manning and Ford, A computational algorithm for handling the special uniques problem, 2002; SUDA2: Manning, Haglin and
Keane, A recursive search algorithm for statistical disclosure assessment, 2008). The fewer columns an MSU has and the
more MSUs a row has, the more special it is: its score adds (m - size)! for every MSU, of m columns. The DIS score sets
the scores against the chance that a unique of the sample is one of the population (Skinner and Elliot, A measure of
disclosure risk for microdata, 2002), as sdcMicro combines them.

Sets are tried by size, with a group-by each; a row is unique in a set if it is in a part, so that the sets with one
column less tell which uniques are minimal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, factorial

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.risk.crowds import Crowds
from shoal.risk.singling import packed

LARGEST = 4
"""Columns in a set at most."""
FRACTION = "0.01"
"""The sampling fraction of the DIS score where none is given, as in sdcMicro."""
WORK = 60_000_000
"""Rows visited over all sets, at most; sets of the largest sizes are left out before more are."""
SIZE = Number("largest", "columns in a minimal sample unique at most", 1, whole=True)
SHARE = Number("fraction", "sampling fraction", 0, 1, above=True)


@dataclass(frozen=True)
class ColumnShare:
    """How much a column has to do with the minimal sample uniques."""

    column: str
    msus: int
    """Minimal sample uniques that it is part of."""
    contribution: float
    """The share of all scores that comes from them; of all columns together it adds up to more than 1."""


@dataclass(frozen=True)
class Suda:
    """The minimal sample uniques of all rows, in total."""

    largest: int
    """Columns in a set that were looked for, at most."""
    msus: tuple[int, ...]
    """How many there are of one column, of two, and so on."""
    rows: int
    """Rows with a minimal sample unique."""
    highest_score: float
    dis: float | None
    """The chance that a match with a sample unique is right; None where there are neither uniques nor pairs."""
    fraction: float
    highest_dis_score: float
    contributions: tuple[ColumnShare, ...]
    """Of each column, in order."""
    scores: Floats = field(repr=False, compare=False)
    """The score of each row; 0 where it has no minimal sample unique."""
    dis_scores: Floats = field(repr=False, compare=False)


def suda(crowds: Crowds, *, largest: int = LARGEST, fraction: Numeral = FRACTION) -> Suda:
    """Find the minimal sample uniques of up to `largest` columns.

    >>> import polars as pl
    >>> found = suda(Crowds.of(pl.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})))
    >>> found.msus, found.scores.tolist()
    ((3, 2, 0), [2.0, 4.0, 2.0])
    >>> [(one.column, one.contribution) for one in found.contributions]
    [('a', 0.5), ('b', 0.375), ('c', 0.375)]
    """
    m, most = len(crowds.columns), min(int(SIZE.read(largest, "suda")), len(crowds.columns))
    unique = np.flatnonzero(crowds.sizes == 1)
    score = np.zeros(len(unique))
    numbers, involved, worth = np.zeros(most, dtype=np.int64), np.zeros(m, dtype=np.int64), np.zeros(m)
    for some, minimal in _minimal(crowds, unique, most):
        found, weight = int(minimal.sum()), float(factorial(m - len(some)))
        numbers[len(some) - 1] += found
        involved[list(some)] += found
        worth[list(some)] += found * weight
        score += weight * minimal
    share = float(SHARE.read(fraction, "suda"))
    dis, scaled = _dis(crowds.sizes, score, m, share)
    total = score.sum()
    return Suda(
        largest=most,
        msus=tuple(numbers.tolist()),
        rows=int((score > 0).sum()),
        highest_score=float(score.max(initial=0.0)),
        dis=dis,
        fraction=share,
        highest_dis_score=float(scaled.max(initial=0.0)),
        contributions=tuple(
            ColumnShare(column.name, int(involved[place]), float(worth[place] / total) if total else 0.0)
            for place, column in enumerate(crowds.columns)
        ),
        scores=_of_rows(crowds, unique, score),
        dis_scores=_of_rows(crowds, unique, scaled),
    )


def affordable(crowds: Crowds, largest: int = LARGEST) -> int:
    """Return up to which size all sets can be tried in bounded time; 0 if not even the columns can.

    >>> import polars as pl
    >>> affordable(Crowds.of(pl.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0]})))
    2
    """
    m, work = len(crowds.columns), 0
    for size in range(1, min(largest, m) + 1):
        work += comb(m, size) * crowds.classes
        if work > WORK:
            return size - 1
    return min(largest, m)


def _minimal(crowds: Crowds, unique: Ints, largest: int) -> Iterator[tuple[tuple[int, ...], Bools]]:
    """Yield every set of columns, by size, and which of the unique rows have it as minimal sample unique."""
    codes, sizes = crowds.codes(), [column.size for column in crowds.columns]
    smaller: dict[tuple[int, ...], Bools] = {}
    for size in range(1, largest + 1):
        here: dict[tuple[int, ...], Bools] = {}
        for some in combinations(range(len(codes)), size):
            alone = _alone([codes[index] for index in some], [sizes[index] for index in some], crowds.sizes)[unique]
            known = [smaller[some[:place] + some[place + 1 :]] for place in range(size)] if size > 1 else []
            yield some, alone & ~np.logical_or.reduce(known) if known else alone
            here[some] = alone
        smaller = here


def _alone(columns: Sequence[Ints], sizes: Sequence[int], counts: Ints) -> Bools:
    """Return which classes have values that no row of another class has; a class of two rows is never alone."""
    key, span = packed(columns, sizes)
    if span <= 8 * len(key) + 1024:
        return np.asarray(np.bincount(key, weights=counts)[key] == 1, dtype=bool)
    order = np.argsort(key)
    placed = key[order]
    edge = np.concatenate([[True], placed[1:] != placed[:-1], [True]])
    alone = np.empty(len(key), dtype=bool)
    alone[order] = edge[1:] & edge[:-1]
    return np.asarray(alone & (counts == 1), dtype=bool)


def _dis(sizes: Ints, score: Floats, columns: int, fraction: float) -> tuple[float | None, Floats]:
    """Return the DIS measure, and the score of each unique row scaled by it."""
    uniques, paired = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    likely, other = uniques * fraction, paired * (1 - fraction)
    if not likely:
        return (0.0 if other else None), np.zeros(len(score))
    dis = likely / (likely + other)
    power = 1 + (8 - columns) / 20
    held = score > 0
    raised = np.power(score, power, out=np.zeros(len(score)), where=held)
    adjusted = raised * (1 / raised[held]).sum() if held.any() else raised
    return dis, np.divide(adjusted, adjusted + uniques * other / likely, out=np.zeros(len(score)), where=held)


def _of_rows(crowds: Crowds, unique: Ints, values: Floats) -> Floats:
    """Return for each row what its class has, 0 where it is not unique."""
    of_class = np.zeros(crowds.classes)
    of_class[unique] = values
    return of_class[crowds.class_of_row]
