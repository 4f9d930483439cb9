"""What the models ask of any class, as the integers that compiled loops read.

A model that is not understood here is left out: fewer models make a lower bound lower, never wrong.
"""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.models import Model, Models, Rule
from shoal.models.emd import GroundDistance, Line, Matrix, Tree
from shoal.patterns.cube import Cube

VALUES, SHARE, EQUAL, METRIC = 0, 1, 2, 3
"""The kinds of demand: different values, largest share, closeness at equal distance, closeness in any metric."""
SCALE = 20
"""Distances are multiples of 2 ** -SCALE, rounded down."""
NO_DISTANCES = np.zeros((1, 1), np.int64)
MOST_VALUES = 64
"""Domains beyond this are not compared in a general metric."""


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

    @classmethod
    def of(cls, cube: Cube, models: Models, *, may_drop: bool) -> Demands:
        """Read the models; where rows may be dropped the table's distribution is not known beforehand."""
        names = sorted(cube.values)
        readable = [model for model in models if model.attributes and not model.given]
        closeness = [m for m in readable if m.rule is Rule.CLOSENESS and not may_drop]
        needs = [(names.index(m.attributes), m.least_values, 0) for m in readable if m.least_values > 1]
        gains = [(VALUES, names.index(m.attributes), m.least_values, 1) for m in readable if m.least_values > 1]
        gains += [
            (SHARE, names.index(m.attributes), floor(m.limit), 1)
            for m in readable
            if m.rule is Rule.SHARE and m.limit >= 2  # alpha has a limit of at most 1: its values alone count
        ]
        distances: list[Ints] = [NO_DISTANCES for _ in gains]
        for model in closeness:
            values, place = cube.values[model.attributes], names.index(model.attributes)
            ground = model.ground(values)
            limit = (place, model.limit.numerator, model.limit.denominator)
            if isinstance(ground, Tree) and len(ground.up) == 1:
                gains.append((EQUAL, *limit))
                distances.append(NO_DISTANCES)
                needs.append((place, 1, ceil((1 - model.limit) * int(values.totals.sum()))))
            elif len(values.totals) <= MOST_VALUES:
                gains.append((METRIC, *limit))
                distances.append(np.floor(_distances(ground) * 2**SCALE).astype(np.int64))
        return cls(
            models.least_rows,
            np.array([cube.values[name].codes for name in names], np.int64).reshape(len(names), cube.types),
            _padded([cube.values[name].totals for name in names]),
            np.array(needs, np.int64).reshape(-1, 3),
            np.array(gains, np.int64).reshape(-1, 4),
            _stacked(distances),
        )


def left_out(models: Models, *, may_drop: bool) -> list[str]:
    """Return the models that demands say nothing of."""
    return [str(model) for model in models if not _is_known(model, may_drop=may_drop)]


def _is_known(model: Model, *, may_drop: bool) -> bool:
    """Whether the bound takes a model into account, at least in part."""
    if not model.attributes:
        return model.rule is Rule.ROWS
    closeness = model.rule is Rule.CLOSENESS and not may_drop
    return model.least_rows > 1 or (not model.given and closeness)


def _distances(ground: GroundDistance) -> Floats:
    """Return the distance between any two values, rounded down a little."""
    if isinstance(ground, Tree):
        apart: Floats = np.mean([(up[:, None] != up[None, :]) for up in ground.up], axis=0)
    elif isinstance(ground, Line):
        places = np.concatenate([[0.0], np.cumsum([float(gap) for gap in ground.gaps])])
        apart = np.abs(places[:, None] - places[None, :]) / max(float(places[-1]), 1e-300)
    else:
        assert isinstance(ground, Matrix)
        apart = ground.metric.array
    rounded: Floats = apart * (1 - 2.0**-40)
    return rounded


def _padded(rows: list[Ints]) -> Ints:
    table = np.zeros((len(rows), max(map(len, rows), default=1)), np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def _stacked(matrices: list[Ints]) -> Ints:
    """Stack square matrices, each as large as the largest; values beyond a domain have no rows and no distance."""
    side = max(map(len, matrices), default=1)
    stack = np.zeros((len(matrices), side, side), np.int64)
    for place, matrix in enumerate(matrices):
        stack[place, : len(matrix), : len(matrix)] = matrix
    return stack
