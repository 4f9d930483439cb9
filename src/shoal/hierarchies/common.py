"""Common values by themselves, the rare ones together: `other: 38 values`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import ClassVar, TypeAlias

import polars as pl

import shoal.hierarchies
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.core.number_format import percents
from shoal.core.parameters import Number
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import cell_text

SHARE = Number("shares", "share of the rows from which on a value stays", 0, 1, above=True)
OTHERS = Number("others", "values that are joined", 2, whole=True)
SHARES = (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20), Fraction(1, 5))
LEAST = Fraction(1, 1000)
"""The share of rows that values must have together to be worth a level."""

Kept: TypeAlias = tuple[tuple[str, ...], ...]
"""What stays by itself, level by level."""


@dataclass(frozen=True, init=False)
class Common(Builder):
    """Guarantees levels at which values with at least a share of the rows stay, and all others are one block.

    `shares` are those shares, the smallest first. A level is left out where fewer than two values would be joined, or
    where they have less than one row in a thousand. Which values stay is read from the column, unless `keep` says it,
    level by level, with `others`, the number of values joined.

    >>> import numpy as np
    >>> Common("0.2").build(pl.Series(["a", "b", "c"]), np.array([8, 1, 1])).labels[1]
    ('a', 'other: 2 values')
    """

    name: ClassVar[str] = "common"
    meaning: ClassVar[str] = "common values stay, rare ones are joined"

    shares: tuple[Fraction, ...] = SHARES
    keep: Kept = ()
    others: tuple[int, ...] = ()

    def __init__(self, shares: object = SHARES, keep: object = (), others: object = ()) -> None:
        for field, value in read_levels(shares, keep, others, self.name).items():
            object.__setattr__(self, field, value)

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit any column of which some values are rare."""
        return cls() if cls().resolved(values, counts) != shoal.hierarchies.StarsOnly() else None

    @property
    def description(self) -> str:
        """How many values stay on each level, or from which shares on."""
        if self.keep:
            return f"{commonest_said(self.keep)}, the others together"
        return f"values of at least {' or '.join(percents(*self.shares))} of the rows, the others together"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with what stays said; stars only where nothing is joined."""
        if self.keep:
            return self
        keep, others = commonest(cell_text(values.drop_nulls()).to_list(), counts, self.shares)
        return Common(self.shares, keep, others) if keep else shoal.hierarchies.StarsOnly()

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to any column."""
        if not self.keep:
            return self.resolved(values, counts).build(values, counts)
        texts = cell_text(values.drop_nulls()).to_list()
        return hierarchy_from_labels(values, joined(texts, self.keep, self.others))


def commonest(labels: Sequence[str], counts: Ints | None, shares: Sequence[Fraction]) -> tuple[Kept, tuple[int, ...]]:
    """Return, level by level, the labels that stay, and how many values have another.

    There is a label for each value; `counts` are the rows of each value, one each where they are not known.
    """
    values, rows = Counter(labels), Counter(labels)
    if counts is not None:
        rows = Counter()
        for label, count in zip(labels, counts.tolist(), strict=False):
            rows[label] += count
    total, found = rows.total(), dict[tuple[str, ...], int]()
    for share in shares:
        least = ceil(share * total)
        kept = tuple(sorted(label for label, count in rows.items() if count >= least))
        rest = total - sum(rows[label] for label in kept)
        if kept and len(rows) - len(kept) > 1 and rest >= LEAST * total:
            found.setdefault(kept, len(labels) - sum(values[label] for label in kept))
    return tuple(found), tuple(found.values())


def commonest_said(keep: Kept) -> str:
    """Say how many values stay on each level.

    >>> commonest_said((("a", "b"), ("a",)))
    'the 2 or 1 commonest values'
    """
    numbers = " or ".join(str(len(kept)) for kept in keep)
    return f"the {numbers} commonest value{'' if numbers == '1' else 's'}"


def joined(labels: Sequence[str], keep: Kept, others: Sequence[int]) -> list[list[str]]:
    """Return, level by level, each label that stays, and one label for all others."""
    levels = [(frozenset(kept), f"other: {number:,} values") for kept, number in zip(keep, others, strict=True)]
    return [[label if label in kept else other for label in labels] for kept, other in levels]


def read_levels(shares: object, keep: object, others: object, owner: str) -> dict[str, tuple[object, ...]]:
    """Return what says which values stay, by the names of its fields, or raise `ParameterError`."""
    kept, numbers = _read_kept(keep), tuple(int(OTHERS.read(one, owner)) for one in listed(others))
    _check_kept(kept, numbers, owner)
    return {"shares": _read_shares(shares, owner), "keep": kept, "others": numbers}


def _read_shares(given: object, owner: str) -> tuple[Fraction, ...]:
    """Return rising shares, or raise `ParameterError`."""
    shares = tuple(SHARE.read(share, owner) for share in listed(given))
    if not shares or any(after <= before for before, after in pairwise(shares)):
        raise ParameterError(f"{owner}: the shares do not increase", expected="the smallest first, such as 0.01,0.05")
    return shares


def _read_kept(given: object) -> Kept:
    """Return what stays, level by level: `a,b/a`, or lists."""
    levels = given.split("/") if isinstance(given, str) and given else listed(given)
    return tuple(tuple(map(str, listed(level))) for level in levels)


def _check_kept(keep: Kept, others: Sequence[int], owner: str) -> None:
    """Guarantees that each level keeps some of what the level before keeps, and joins more."""
    if len(keep) != len(others) or not all(keep):
        raise ParameterError(
            f"{owner}: keep has {len(keep)} levels and others has {len(others)} numbers",
            expected="the same number of both, no level empty",
        )
    falls = all(set(after) < set(before) for before, after in pairwise(keep))
    if not falls or any(after <= before for before, after in pairwise(others)):
        raise ParameterError(
            f"{owner}: the levels are not ordered",
            expected="fewer values in keep and a larger number in others on each level",
        )
