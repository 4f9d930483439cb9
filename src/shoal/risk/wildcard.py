"""The wildcard count: how many rows a row matches when a suppressed cell matches anything, as sdcMicro counts.

An extra beside the strict count, in which a star equals only a star: a table can look safe by wildcards although an
attacker who knows more narrows the crowd down.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import ParameterError
from shoal.core.sorting import distinct_rows
from shoal.tables.star_marks import STAR

WILD = ("star", "missing", "both")


def wildcard_summary(quasi: pl.DataFrame, wild: str) -> dict[str, int]:
    """Return the smallest wildcard count of a row, and how many rows match nobody but themselves."""
    counts = wildcard_counts(quasi, wild)
    return {"smallest": int(counts.min()), "unique_rows": int((counts == 1).sum())}


def wildcard_counts(quasi: pl.DataFrame, wild: str = "star") -> Ints:
    """Return for each row how many rows match it, itself included; a wild cell, on either side, matches anything.

    >>> wildcard_counts(pl.DataFrame({"age": ["20", "*", "30"], "sex": ["f", "f", "f"]})).tolist()
    [2, 3, 2]
    """
    return wildcard_sums(quasi, np.ones(quasi.height), wild).astype(np.int64)


def wildcard_sums(quasi: pl.DataFrame, weights: Floats, wild: str = "star") -> Floats:
    """Return for each row what the rows that match it weigh, itself included.

    >>> wildcard_sums(pl.DataFrame({"age": ["20", "*", "30"]}), np.array([1.5, 2.0, 4.0])).tolist()
    [3.5, 7.5, 6.0]
    """
    if wild not in WILD:
        raise ParameterError(f"wildcard is {wild!r}", expected=" or ".join(WILD))
    columns = [_coded(quasi[name]) for name in quasi.columns]
    is_wild = np.column_stack([_wild(quasi[name], wild) for name in quasi.columns])
    row, first, _ = distinct_rows(columns, [int(codes.max()) + 1 for codes in columns])
    codes = np.column_stack(columns)[first]
    return _matches(codes, is_wild[first], np.bincount(row, weights=weights).astype(np.float64))[row]


def _matches(codes: Ints, wild: Bools, weights: Floats) -> Floats:
    """Weigh matches between groups of distinct tuples that have the same cells wild, pair by pair of groups."""
    mask, example, _ = distinct_rows([column.astype(np.int64) for column in wild.T], [2] * wild.shape[1])
    groups = [np.flatnonzero(mask == number) for number in range(len(example))]
    total = np.zeros(len(codes))
    for ours, some in zip(groups, example, strict=True):
        for theirs, other in zip(groups, example, strict=True):
            shared = np.flatnonzero(~(wild[some] | wild[other]))
            total[ours] += _equal_on(codes[np.ix_(ours, shared)], codes[np.ix_(theirs, shared)], weights[theirs])
    return total


def _equal_on(ours: Ints, theirs: Ints, weights: Floats) -> Floats:
    """Return the weight of the tuples of theirs that equal each of ours."""
    if ours.shape[1] == 0:
        return np.full(len(ours), weights.sum())
    both = np.concatenate([ours, theirs])
    key, _, _ = distinct_rows(list(both.T), [int(column.max()) + 1 for column in both.T])
    held = np.bincount(key[len(ours) :], weights=weights, minlength=int(key.max()) + 1).astype(np.float64)
    return held[key[: len(ours)]]


def _coded(column: pl.Series) -> Ints:
    return column.rank("dense").cast(pl.Int64).fill_null(0).to_numpy()


def _wild(column: pl.Series, wild: str) -> Bools:
    missing = column.is_null().to_numpy()
    starred = (column.cast(pl.String) == STAR).fill_null(False).to_numpy()
    found: Bools = (missing & (wild != "star")) | (starred & (wild != "missing"))
    return found
