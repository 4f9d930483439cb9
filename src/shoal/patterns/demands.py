"""What the models ask of any class, as the integers that compiled loops read.

A model that is not understood here is left out: fewer models make a lower bound lower, never wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple, TypeVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.microdata.histogram import Attributes, Values
from shoal.models import Model, Models, Rule
from shoal.models.base import ShareSet
from shoal.models.emd import GroundDistance
from shoal.models.share_set import joined, table_shares
from shoal.patterns.cube import Cube
from shoal.patterns.offsets import CAPPED, ENTROPY, SPREAD, Shares

VALUES, SHARE, EQUAL, METRIC = 0, 1, 2, 3
"""The kinds of demand: different values, largest share, closeness at equal distance, closeness in any metric."""
SCALE = 20
"""Distances are multiples of 2 ** -SCALE, rounded down."""
NO_DISTANCES = np.zeros((1, 1), np.int64)
MOST_VALUES = 64
"""Domains beyond this are not compared in a general metric."""
TINY = 2.0**-40
"""Shares are rounded by this part, to the side on which a bound is lower."""

AnyRow = TypeVar("AnyRow", Ints, Floats)


class Demands(NamedTuple):
    """Least rows; what a support must show (`needs`); what a class can gain is limited by (`gains`)."""

    rows: int
    codes: Ints
    """Attribute by type."""
    totals: Ints
    """Attribute by value: how many rows of the table have it."""
    needs: Ints
    """(attribute, different values, rows of the table whose values are present)."""
    gains: Ints
    """(kind, attribute, number, over): number is l, number / over is t."""
    distances: Ints
    """For each of the gains, value by value."""
    shares: Shares
    """The share sets that classes lie in; none where the gains above are exact without them."""

    @classmethod
    def of(cls, cube: Cube, models: Models, *, may_drop: bool) -> Demands:
        """Read the models; where rows may be dropped the table's distribution is not known beforehand."""
        names = sorted(cube.values)
        readable = [model for model in models if model.attributes and not model.given]
        needs = [(names.index(m.attributes), m.least_values, 0) for m in readable if m.least_values > 1]
        gains = [(VALUES, names.index(m.attributes), m.least_values, 1) for m in readable if m.least_values > 1]
        distances: list[Ints] = [NO_DISTANCES for _ in gains]
        sets: list[tuple[int, ShareSet]] = []
        for place, attribute in enumerate(names):
            known = known_shares([m for m in readable if m.attributes == attribute], cube.values, may_drop=may_drop)
            heights = [floor(1 / shares.same_cap) for shares in known if shares.same_cap is not None]
            gains += [(SHARE, place, height, 1) for height in heights if height > 1]
            distances += [NO_DISTANCES for height in heights if height > 1]
            sets += [(place, shares) for shares in joined(known)]
        rows = models.least_rows
        for place, shares in sets:
            totals = cube.values[names[place]].totals
            rows = shares.least_rows(totals, rows)
            limit = (place, shares.t.numerator, shares.t.denominator)
            if shares.is_equal:
                gains.append((EQUAL, *limit))
                distances.append(NO_DISTANCES)
                needs.append((place, 1, ceil((1 - shares.t) * int(totals.sum()))))
            elif shares.ground is not None and len(totals) <= MOST_VALUES:
                gains.append((METRIC, *limit))
                distances.append(np.floor(_distances(shares.ground) * 2**SCALE).astype(np.int64))
        exact = all(shares.is_whole for _, shares in sets)
        return cls(
            rows,
            np.array([cube.values[name].codes for name in names], np.int64).reshape(len(names), cube.types),
            _padded([cube.values[name].totals for name in names]),
            np.array(needs, np.int64).reshape(-1, 3),
            np.array(gains, np.int64).reshape(-1, 4),
            _stacked(distances).astype(np.int64),
            _shares([] if exact else sets, [cube.values[name].totals for name in names]),
        )


def known_shares(models: list[Model], values: Mapping[Attributes, Values], *, may_drop: bool) -> list[ShareSet]:
    """Return the share sets of models; dropping rows changes the table's shares, which some of them follow from."""
    found = [shares for model in models if (shares := model.shares(values[model.attributes])) is not None]
    return [shares for shares in found if not (may_drop and shares.of_table)]


def _shares(sets: list[tuple[int, ShareSet]], totals: list[Ints]) -> Shares:
    """Return share sets as loops read them; distances between many values are left out."""
    usable = [(at, one) for at, one in sets if _kind(one) != SPREAD or len(totals[at]) <= MOST_VALUES]
    base, hard, apart = [], [], []
    for at, one in usable:
        caps = one.caps or (Fraction(1),) * len(totals[at])
        table = table_shares(totals[at]) if one.ground is not None else caps
        base.append(_rounded_up([min(share, cap) for share, cap in zip(table, caps, strict=True)]))
        hard.append(_rounded_up(caps))
        apart.append(_distances(one.ground) if one.ground is not None and _kind(one) == SPREAD else np.zeros((1, 1)))
    return Shares(
        np.array([(_kind(one), at) for at, one in usable], np.int64).reshape(-1, 2),
        _padded(base).astype(np.float64),
        _padded(hard).astype(np.float64),
        np.array([_limit(one) for _, one in usable]),
        _stacked(apart).astype(np.float64),
    )


def _kind(shares: ShareSet) -> int:
    """Return the kind of a share set, as loops call it."""
    if shares.diversity > 1:
        return ENTROPY
    return SPREAD if shares.ground is not None and not shares.is_equal else CAPPED


def _limit(shares: ShareSet) -> float:
    """Return the level of entropy, rounded down; or the distance or pool, rounded up; 0 where there are caps alone."""
    if shares.diversity > 1:
        return float(shares.diversity) * (1 - TINY)
    return float(shares.t) * (1 + TINY) if shares.ground is not None else 0.0


def _rounded_up(shares: Sequence[Fraction]) -> Floats:
    return np.array([float(share) for share in shares]) * (1 + TINY)


def left_out(models: Models, values: Mapping[Attributes, Values], *, may_drop: bool) -> list[str]:
    """Return the models that demands say nothing of; `values` are what they read."""
    return [str(model) for model in models if not _is_known(model, values, may_drop=may_drop)]


def _is_known(model: Model, values: Mapping[Attributes, Values], *, may_drop: bool) -> bool:
    """Whether the bound takes a model into account, at least in part."""
    if not model.attributes:
        return model.rule is Rule.ROWS
    return model.least_rows > 1 or (not model.given and bool(known_shares([model], values, may_drop=may_drop)))


def _distances(ground: GroundDistance) -> Floats:
    """Return the distance between any two values, rounded down a little."""
    rounded: Floats = ground.array * (1 - 2.0**-40)
    return rounded


def _padded(rows: Sequence[AnyRow]) -> AnyRow:
    table = np.zeros((len(rows), max(map(len, rows), default=1)), rows[0].dtype if rows else np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def _stacked(matrices: Sequence[AnyRow]) -> AnyRow:
    """Stack square matrices, each as large as the largest; values beyond a domain have no rows and no distance."""
    side = max(map(len, matrices), default=1)
    stack = np.zeros((len(matrices), side, side), matrices[0].dtype if matrices else np.int64)
    for place, matrix in enumerate(matrices):
        stack[place, : len(matrix), : len(matrix)] = matrix
    return stack
