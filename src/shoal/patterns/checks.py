"""What the models ask of a class, as numbers: compiled loops propose classes by them, the models themselves decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.microdata.histogram import Attributes, Values
from shoal.models import Model, Models, Rule
from shoal.models.emd import Line, Transport, Tree
from shoal.patterns.cube import Cube

DISTINCT, SHARE, ENTROPY, RECURSIVE, CLOSE, EQUAL = 0, 1, 2, 3, 4, 5
"""The kinds of requirement; equal distance is closeness with a shorter way to compute it."""
KINDS = {
    Rule.VALUES: DISTINCT,
    Rule.SHARE: SHARE,
    Rule.ENTROPY: ENTROPY,
    Rule.RECURSIVE: RECURSIVE,
    Rule.CLOSENESS: CLOSE,
}
MOST_VALUES = 400
"""Domains beyond this are not compared edge by edge: their models are left to the repair."""


class Rules(NamedTuple):
    """Requirements of a class as compiled loops read them, see `Checks`."""

    rows: int
    codes: Ints
    shares: Floats
    lines: Floats
    edges: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Checks:
    """Requirements of a class: least rows, and per model a line (kind, attribute, number, other) with its edges."""

    rows: int
    codes: Ints
    """Attribute by type."""
    totals: Ints
    """Attribute by value: how many rows of the table have it."""
    lines: Floats
    edges: Floats
    """Line by edge by value: whether the value lies under the edge."""
    weights: Floats
    """Line by edge."""

    complete: bool
    """Whether every model is among them."""
    linear: bool
    """Whether they say all that the models ask, as linear constraints on counts."""

    @property
    def shares(self) -> Floats:
        """Attribute by value: what share of the table has it."""
        shares: Floats = self.totals / self.totals.sum(axis=1, keepdims=True)
        return shares

    @property
    def rules(self) -> Rules:
        """What compiled loops take of them."""
        return Rules(self.rows, self.codes, self.shares, self.lines, self.edges, self.weights)

    @property
    def close(self) -> bool:
        """Whether closeness to the table is asked for."""
        return bool(np.isin(self.lines[:, 0], (CLOSE, EQUAL)).any())

    @property
    def most_edges(self) -> int:
        """The edges of the closeness that has most; 0 where none is asked for."""
        return int((self.weights > 0).sum(axis=1).max(initial=0))

    @classmethod
    def of(cls, cube: Cube, models: Models) -> Checks:
        """Read the models that compiled loops know; the others are left out."""
        known = [model for model in models if _is_known(model, cube.values)]
        names = sorted({model.attributes for model in known})
        lines: list[tuple[float, ...]] = []
        shapes: list[tuple[Floats, Floats]] = []
        for model in known:
            kind, number, other = _line(model)
            lines.append((kind, names.index(model.attributes), number, other))
            shapes.append(_edges(cube, model) if kind == CLOSE else NO_EDGES)
            if kind == CLOSE and len(shapes[-1][1]) == len(cube.values[model.attributes].totals):
                lines[-1] = (EQUAL, *lines[-1][1:])
        wide = max((len(cube.values[name].totals) for name in names), default=1)
        return cls(
            models.least_rows,
            np.array([cube.values[name].codes for name in names], np.int64).reshape(len(names), cube.types),
            _stacked([cube.values[name].totals.reshape(1, -1) for name in names], 1, wide)[:, 0].astype(np.int64),
            np.array(lines, np.float64).reshape(-1, 4),
            _stacked([edges for edges, _ in shapes], max((len(w) for _, w in shapes), default=1), wide),
            _stacked([w.reshape(1, -1) for _, w in shapes], 1, max((len(w) for _, w in shapes), default=1))[:, 0],
            _is_complete(models, cube.values),
            is_linear(models, cube.values),
        )


NO_EDGES = (np.zeros((1, 1)), np.zeros(1))


def is_linear(models: Models, values: Mapping[Attributes, Values]) -> bool:
    """Whether the loops know all that the models ask, as linear constraints on counts."""
    return _is_complete(models, values) and not any(model.rule in (Rule.ENTROPY, Rule.RECURSIVE) for model in models)


def _is_complete(models: Models, values: Mapping[Attributes, Values]) -> bool:
    """Whether the loops know every model, and closeness in no metric but those that have edges."""
    others = [model for model in models if model.rule is not Rule.ROWS]
    close = [model for model in others if model.rule is Rule.CLOSENESS and not model.given]
    metric = any(isinstance(model.ground(values[model.attributes]), Transport) for model in close)
    return all(_is_known(model, values) for model in others) and not metric


def _is_known(model: Model, values: Mapping[Attributes, Values]) -> bool:
    """Whether the loops know a model, for as many values as there are."""
    read = model.attributes and not model.given and model.rule in KINDS
    return bool(read) and len(values[model.attributes].totals) <= MOST_VALUES


def _line(model: Model) -> tuple[int, float, float]:
    """Return the kind of a model that the loops know, and its numbers."""
    number, other, *_ = (*map(float, model.rule_numbers), 0.0)
    assert model.rule is not None
    return KINDS[model.rule], number, other


def _edges(cube: Cube, model: Model) -> tuple[Floats, Floats]:
    """Return the edges of a tree or a line with their weights; of any other metric those of the equal distance."""
    values = cube.values[model.attributes]
    ground, number = model.ground(values), len(values.totals)
    if isinstance(ground, Line):
        gaps = np.array([float(gap) for gap in ground.gaps])
        edges = np.tril(np.ones((number, number)))[: len(gaps)]
        return (edges, gaps / gaps.sum()) if len(gaps) else NO_EDGES
    levels = ground.up if isinstance(ground, Tree) else np.arange(number)[None, :]
    edges = np.concatenate([(np.arange(up.max() + 1)[:, None] == up[None, :]) for up in levels]).astype(np.float64)
    return edges, np.full(len(edges), 0.5 / len(levels))


def _stacked(matrices: list[Floats] | list[Ints], high: int, wide: int) -> Floats:
    stack = np.zeros((len(matrices), high, wide))
    for place, matrix in enumerate(matrices):
        stack[place, : matrix.shape[0], : matrix.shape[1]] = matrix
    return stack
