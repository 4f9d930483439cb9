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

DISTINCT, SHARE, ENTROPY, RECURSIVE, CLOSE, EQUAL, METRIC = 0, 1, 2, 3, 4, 5, 6
"""The kinds of requirement; equal distance is closeness with a shorter way to compute it, any metric one with a longer:
it has no edges that everything moves over, and takes optimal transport."""
KINDS = {
    Rule.VALUES: DISTINCT,
    Rule.SHARE: SHARE,
    Rule.ENTROPY: ENTROPY,
    Rule.RECURSIVE: RECURSIVE,
    Rule.CLOSENESS: CLOSE,
}
MOST_VALUES = 400
"""Domains beyond this are not compared edge by edge: their models are left to the repair."""
MOST_MOVED = 40
"""Domains beyond this are not compared by optimal transport: loops take their metric to be the equal distance."""
NO_DISTANCES = np.zeros((1, 1))


class Rules(NamedTuple):
    """Requirements of a class as compiled loops read them, see `Checks`."""

    rows: int
    codes: Ints
    shares: Floats
    lines: Floats
    edges: Floats
    weights: Floats
    totals: Ints
    apart: Floats


class Ways(NamedTuple):
    """Direct ways between values: `starts[i]` to `ends[i]` is as far as `lengths[i]`."""

    starts: Ints
    ends: Ints
    lengths: Floats


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
    apart: Floats
    """Line by value by value: how far they are apart, where it takes transport."""

    complete: bool
    """Whether every model is among them."""

    @property
    def shares(self) -> Floats:
        """Attribute by value: what share of the table has it."""
        shares: Floats = self.totals / self.totals.sum(axis=1, keepdims=True)
        return shares

    @property
    def rules(self) -> Rules:
        """What compiled loops take of them."""
        return Rules(self.rows, self.codes, self.shares, self.lines, self.edges, self.weights, self.totals, self.apart)

    @property
    def close(self) -> bool:
        """Whether closeness to the table is asked for."""
        return bool(np.isin(self.lines[:, 0], (CLOSE, EQUAL, METRIC)).any())

    @property
    def curved(self) -> Floats:
        """The lines that are not linear in counts."""
        lines: Floats = self.lines[np.isin(self.lines[:, 0], (ENTROPY, RECURSIVE))]
        return lines

    @property
    def limits_shares(self) -> bool:
        """Whether more is asked of values than how many are different."""
        return bool((self.lines[:, 0] != DISTINCT).any())

    @property
    def most_edges(self) -> int:
        """The edges, or pairs of direct ways, of the closeness that has most; 0 where none is asked for."""
        return max(int((self.weights > 0).sum(axis=1).max(initial=0)), self.most_ways // 2)

    @property
    def most_ways(self) -> int:
        """The direct ways of the metric that has most; 0 where none is asked for."""
        moved = np.flatnonzero(self.lines[:, 0] == METRIC)
        return max((len(self.ways(place).lengths) for place in moved.tolist()), default=0)

    def number_of_values(self, place: int) -> int:
        """Return how many values the attribute of a line has."""
        return 1 + int(np.flatnonzero(self.totals[int(self.lines[place, 1])]).max())

    def ways(self, place: int) -> Ways:
        """Return the ways of a line's metric that no third value lies on: every other is made of them.

        What is moved over another way can as well be moved over the values on it: a transport plan needs no more.
        """
        size = self.number_of_values(place)
        apart = self.apart[place, :size, :size]
        direct = ~np.eye(size, dtype=bool)
        for via in range(size):
            there, on = apart[:, [via]], apart[[via], :]
            direct &= ~((there + on <= apart + TIE) & (there < apart) & (on < apart))
        starts, ends = np.nonzero(direct)
        return Ways(starts, ends, apart[starts, ends])

    @classmethod
    def of(cls, cube: Cube, models: Models) -> Checks:
        """Read the models that compiled loops know; the others are left out."""
        known = [model for model in models if _is_known(model, cube.values)]
        names = sorted({model.attributes for model in known})
        lines: list[tuple[float, ...]] = []
        shapes: list[tuple[Floats, Floats]] = []
        apart: list[Floats] = []
        for model in known:
            kind, number, other = _line(model)
            moved = kind == CLOSE and _is_moved(model, cube.values[model.attributes])
            apart.append(model.ground(cube.values[model.attributes]).array if moved else NO_DISTANCES)
            shapes.append(_edges(cube, model) if kind == CLOSE and not moved else NO_EDGES)
            if kind == CLOSE and len(shapes[-1][1]) == len(cube.values[model.attributes].totals):
                kind = EQUAL
            lines.append((METRIC if moved else kind, names.index(model.attributes), number, other))
        wide = max((len(cube.values[name].totals) for name in names), default=1)
        return cls(
            models.least_rows,
            np.array([cube.values[name].codes for name in names], np.int64).reshape(len(names), cube.types),
            _stacked([cube.values[name].totals.reshape(1, -1) for name in names], 1, wide)[:, 0].astype(np.int64),
            np.array(lines, np.float64).reshape(-1, 4),
            _stacked([edges for edges, _ in shapes], max((len(w) for _, w in shapes), default=1), wide),
            _stacked([w.reshape(1, -1) for _, w in shapes], 1, max((len(w) for _, w in shapes), default=1))[:, 0],
            _stacked(apart, *[max(map(len, apart), default=1)] * 2),
            is_complete(models, cube.values),
        )


NO_EDGES = (np.zeros((1, 1)), np.zeros(1))
TIE = 1e-12
"""Lengths that differ by less are equal."""


def is_complete(models: Models, values: Mapping[Attributes, Values]) -> bool:
    """Whether the loops know every model, and the metric of closeness is not too large for them."""
    others = [model for model in models if model.rule is not Rule.ROWS]
    return all(_is_known(model, values) for model in others) and not large_metrics(models, values)


def large_metrics(models: Models, values: Mapping[Attributes, Values]) -> list[str]:
    """Return which models measure closeness by a metric on too many values for transport plans, in words."""
    close = [model for model in models if model.rule is Rule.CLOSENESS and not model.given]
    large = [model for model in close if len(values[model.attributes].totals) > MOST_MOVED]
    return [
        f"the metric of {model} has {len(values[model.attributes].totals):,} values, more than the {MOST_MOVED} "
        "between which a program moves rows"
        for model in large
        if isinstance(model.ground(values[model.attributes]), Transport)
    ]


def _is_moved(model: Model, values: Values) -> bool:
    """Whether closeness is compared by optimal transport: its metric has no edges, and few values."""
    return len(values.totals) <= MOST_MOVED and isinstance(model.ground(values), Transport)


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
    """Return the edges of a tree or a line with their weights; of a metric too large those of the equal distance."""
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
