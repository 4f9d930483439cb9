"""Numbers and dates in half-open intervals: given edges, equal widths, or equally many values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from fractions import Fraction
from itertools import count, groupby, pairwise
from typing import ClassVar, TypeAlias

import numpy as np
import polars as pl

import shoal.hierarchies
from shoal.core.arrays import Floats, Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.core.parameters import Number, as_fraction, spelled
from shoal.hierarchies.axis import DECIMAL, Axis, Point
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topic, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.encoded_column import odd_texts
from shoal.tables.star_marks import cell_text

Levels: TypeAlias = list[list[Fraction]]
WIDTH = Number("width", "width of an interval", 0, above=True)
FEW, FEWEST = 12, 4
"""Numbers of fewer distinct values are taken for codes, unless they are this many and apart from each other."""
FINEST = 32
"""The largest number of intervals on the finest level that is chosen by itself."""
BINS = Number("bins", "number of intervals", 2, whole=True)


@dataclass(frozen=True, init=False)
class Intervals(Builder):
    """Guarantees that every label, read as a range, contains exactly the column's values published under it.

    Exactly one of `edges` (a tuple of edges per level, finest first, each level's among those of the level
    before), `width` (each a multiple of the one before; blocks begin at `origin`) and `bins` (each level has
    that many blocks of about equally many rows; coarser levels merge neighbours). `[20, 30)`
    contains 20 and not 30; beyond the outer edges lie `< 20` and `>= 70`. Numbers are compared as they are
    written in decimals, so 0.3 is in `[0.3, 0.4)`. For dates, edges and origin are ISO dates and widths are
    days; origin 0 is a Monday.

    >>> Intervals(width=(5, 10)).build(pl.Series([18, 20, 24, 25])).labels[1:]
    (('[15, 20)', '[20, 25)', '[25, 30)'), ('[10, 20)', '[20, 30)'), ('*',))
    >>> Intervals(edges="18,65").build(pl.Series([17, 18, 70])).labels[1]
    ('< 18', '[18, 65)', '>= 65')
    >>> Intervals(width="10,15")
    Traceback (most recent call last):
    shoal.core.errors.HierarchyError: intervals: level 2 has width 15; expected a multiple of 10, the width before
    """

    name: ClassVar[str] = "intervals"
    meaning: ClassVar[str] = "ranges of numbers or dates"

    edges: tuple[tuple[Point, ...], ...] = ()
    width: tuple[Fraction, ...] = ()
    bins: tuple[int, ...] = ()
    origin: Point = Fraction(0)

    def __init__(self, edges: object = (), width: object = (), bins: object = (), origin: object = 0) -> None:
        object.__setattr__(self, "edges", _read_edges(edges))
        object.__setattr__(self, "width", tuple(WIDTH.read(given, self.name) for given in listed(width)))
        object.__setattr__(self, "bins", tuple(int(BINS.read(given, self.name)) for given in listed(bins)))
        object.__setattr__(self, "origin", _read_point(origin))
        if sum(map(bool, (self.edges, self.width, self.bins))) != 1:
            raise ParameterError(
                "intervals: none or several of edges, width and bins are given", expected="exactly one of them"
            )
        if self.origin != 0 and not self.width:
            raise ParameterError(
                "intervals: origin is given without width", hint="give the width, or leave the origin out"
            )
        _check_edges(self.edges)
        _check_widths(self.width)
        if any(after >= before for before, after in pairwise(self.bins)):
            raise ParameterError(
                f"intervals: bins are {', '.join(map(str, self.bins))}", expected="the largest number first"
            )

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit quantities: numbers of many values, or apart from each other, that the column's name calls no codes."""
        present = numbers_of(values)
        numeric = present.dtype.is_numeric() or (present.dtype == pl.String and odd_texts(values))
        if not numeric or (Topic.CODE in topics and _are_whole(present)):
            return None
        axis = Axis.of(present)
        return _round(axis) if len(present) >= FEW or _are_apart(axis) else None

    @property
    def description(self) -> str:
        """The widths, or how many ranges there are."""
        if self.width:
            return f"ranges of {', '.join(map(spelled, self.width))}"
        return f"{', '.join(map(str, self.bins or (len(level) + 1 for level in self.edges)))} ranges"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return bins as the edges they have in this column."""
        if not self.bins:
            return self
        axis = Axis.of(numbers_of(values))
        levels = _quantiles(axis, self.bins, _rows_of_numbers(values, counts))
        edges = tuple(tuple(axis.text(edge) for edge in level) for level in levels)
        return Intervals(edges=edges) if edges else shoal.hierarchies.StarsOnly()

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of numbers or dates, or of texts that are numbers; one odd text, or a tenth, stays."""
        axis = Axis.of(numbers_of(values))
        if self.width:
            levels = _grid(axis, axis.place(self.origin), axis.scaled(self.width))
        else:
            given = [[axis.place(edge) for edge in level] for level in self.edges]
            edges = given or _quantiles(axis, self.bins, _rows_of_numbers(values, counts))
            levels = [_between(axis, level) for level in edges]
        return hierarchy_from_labels(values, [_with_odd_texts(values, level) for level in levels])


def numbers_of(values: pl.Series) -> pl.Series:
    """Return the values that are there, without a few texts among numbers.

    >>> numbers_of(pl.Series(["9", "10", "unknown", None])).to_list()
    ['9', '10']
    """
    present = values.drop_nulls()
    return present.filter(present.str.contains(DECIMAL)) if odd_texts(values) else present


def _rows_of_numbers(values: pl.Series, counts: Ints | None) -> Ints | None:
    if counts is None or not odd_texts(values):
        return counts
    return np.asarray(counts[values.str.contains(DECIMAL).fill_null(value=False).to_numpy()], dtype=np.int64)


def _with_odd_texts(values: pl.Series, labels: list[str]) -> list[str]:
    """Put the texts among numbers back, as they are, between the labels of the numbers."""
    if not odd_texts(values):
        return labels
    present, left = values.drop_nulls(), iter(labels)
    are_numbers = present.str.contains(DECIMAL)
    return [next(left) if is_number else text for text, is_number in zip(cell_text(present), are_numbers, strict=True)]


def _are_whole(present: pl.Series) -> bool:
    return present.dtype.is_integer() or bool((present.cast(pl.Float64) % 1 == 0).all())


def _are_apart(axis: Axis) -> bool:
    """Whether few numbers are quantities all the same: codes are mostly counted from one on, without large gaps."""
    order = axis.order()
    return len(order) >= FEWEST and axis.exact(order[-1]) - axis.exact(order[0]) > 2 * (len(order) - 1)


def _round(axis: Axis) -> Intervals:
    """Choose round widths: at most 32 intervals, of three values or more, then half as many, down to 3."""
    order = axis.order()
    span = axis.exact(order[-1]) - axis.exact(order[0])
    most = max(min(FINEST, len(order) // 3), 2)
    finest = next(width for width in _round_widths(span) if span / width <= most)
    if _crowd(axis, order, finest) > len(order) / 2:
        return Intervals(bins=[most // 2**level for level in range(5) if most // 2**level >= 2])
    widths = [finest * 2**level for level in range(5)]
    return Intervals(width=[width for width in widths if width == finest or span / width > 2])


def _crowd(axis: Axis, order: list[int], width: Fraction) -> int:
    """Return how many values share the median's interval; if any holds more than half, it is this one."""
    low = axis.exact(order[len(order) // 2]) // width * width
    return bisect_left(order, low + width, key=axis.exact) - bisect_left(order, low, key=axis.exact)


def _round_widths(span: Fraction) -> Iterator[Fraction]:
    """Yield 1, 2, 5, 10, 20, 50, ... from far below the span on, for any size of numbers.

    >>> [float(width) for width, _ in zip(_round_widths(Fraction(70)), range(4))]
    [0.1, 0.2, 0.5, 1.0]
    """
    power = len(str(int(span))) - 3 if span >= 1 else -len(str(int(1 / span))) - 2
    for exponent in count(power):
        for digit in (1, 2, 5):
            yield digit * Fraction(10) ** exponent


def _between(axis: Axis, edges: Sequence[Fraction]) -> list[str]:
    """Label every number with the interval between two neighbouring edges, open at both ends."""
    texts = [axis.text(edge) for edge in edges]
    names = [f"< {texts[0]}", *(f"[{low}, {high})" for low, high in pairwise(texts)), f">= {texts[-1]}"]
    order = axis.order()
    starts = [bisect_left(order, edge, key=axis.exact) for edge in edges]
    labels = [""] * len(order)
    for rank, block in enumerate(np.searchsorted(starts, np.arange(len(order)), side="right").tolist()):
        labels[order[rank]] = names[block]
    return labels


def _grid(axis: Axis, origin: Fraction, widths: Sequence[Fraction]) -> list[list[str]]:
    """Label every number with the interval of each width it lies in."""
    finest = [(axis.exact(i) - origin) // widths[0] for i in range(len(axis.numbers))]
    levels = []
    for width in widths:
        step = int(width / widths[0])
        blocks = [block // step for block in finest]
        names = {b: f"[{axis.text(origin + b * width)}, {axis.text(origin + (b + 1) * width)})" for b in set(blocks)}
        levels.append([names[block] for block in blocks])
    return levels


def _quantiles(axis: Axis, bins: Sequence[int], counts: Ints | None) -> Levels:
    """Return edges that cut the rows into about equal parts, each level's among the finer's.

    An edge is the shortest number above the values below it, so that it shows none of them to the last digit; of dates
    it is the first one from it on. Levels that would be equal are one.
    """
    order = axis.order()
    rows = np.ones(len(order), dtype=np.int64) if counts is None else counts[order]
    opens = [rank for rank, i in enumerate(order) if rank == 0 or axis.numbers[order[rank - 1]] != axis.numbers[i]]
    below = (np.cumsum(rows) - rows)[opens]
    firsts = np.array(order)[opens]
    before = {order[rank]: order[rank - 1] for rank in opens[1:]}
    levels: Levels = []
    for wanted in (min(number, int(rows.sum())) for number in bins):  # a bin a row: more would be the same bins
        targets = np.arange(1, wanted) * int(rows.sum()) / wanted
        chosen = _nearest(below, targets)
        levels.append([_edge(axis, before[first], first) for first in firsts[chosen].tolist()])
        firsts, below = np.append(firsts[:1], firsts[chosen]), np.append(below[:1], below[chosen])
    return [edges for edges, _ in groupby(levels) if edges]


def _edge(axis: Axis, before: int, first: int) -> Fraction:
    """Return an edge above one value and not above another: the one with the fewest digits."""
    low, high = axis.exact(before), axis.exact(first)
    return high if axis.unit else _shortest(low, high)


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    """Return the number with the fewest digits that is above `low` and not above `high`.

    >>> pairs = (("26.61", "55.619"), ("1.2", "1.25"), (-3, 0))
    >>> [spelled(_shortest(Fraction(low), Fraction(high))) for low, high in pairs]
    ['50', '1.25', '0']
    """
    if low < 0 <= high:
        return Fraction(0)
    power = Fraction(10) ** (len(str(int(max(abs(low), abs(high))))) + 1)
    while high // power * power <= low:
        power /= 10
    return high // power * power


def _nearest(rising: Ints, targets: Floats) -> Ints:
    """Return the places, the first left out, of the entries nearest to the targets; none if there is only one."""
    if len(rising) < 2:
        return np.array([], dtype=np.int64)
    after = np.clip(np.searchsorted(rising, targets), 1, len(rising) - 1)
    before = np.maximum(after - 1, 1)
    return np.unique(np.where(targets - rising[before] <= rising[after] - targets, before, after))


def _read_edges(given: object) -> tuple[tuple[Point, ...], ...]:
    """Accept one level or several: `0,18,65`, `0,10,20/0,20`, (0, 18, 65), ((0, 10, 20), (0, 20))."""
    if isinstance(given, str):
        levels: tuple[object, ...] = tuple(given.split("/")) if given.strip() else ()
    else:
        levels = listed(given)
        levels = levels if not levels or isinstance(levels[0], list | tuple) else (levels,)
    return tuple(tuple(_read_point(edge) for edge in listed(level)) for level in levels)


def _read_point(given: object) -> Point:
    """Return an exact number, or a moment without time zone."""
    number = as_fraction(given)
    if number is not None:
        return number
    try:
        if isinstance(given, str):
            given = datetime.fromisoformat(given.strip())
    except ValueError:
        pass
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime.combine(given, time())
    if isinstance(given, datetime) and given.tzinfo is None:
        return given
    raise ParameterError(
        f"intervals: an edge or the origin is {given!r}", expected="a number or an ISO date without time zone"
    )


def _check_edges(levels: Sequence[tuple[Point, ...]]) -> None:
    if len({type(edge) for level in levels for edge in level}) > 1:
        raise ParameterError("intervals: some edges are numbers and some are dates", expected="edges of one kind")
    for number, level in enumerate(levels, 1):
        if not level or list(level) != sorted(set(level)):
            raise ParameterError(
                f"intervals: the edges of level {number} do not increase", expected="each edge above the one before"
            )
    for number, (finer, coarser) in enumerate(pairwise(levels), 2):
        added = len(set(coarser) - set(finer))
        if added:
            raise HierarchyError(
                f"intervals: level {number} has {added:,} edges that level {number - 1} does not have",
                expected="every level to keep some edges of the level before and add none",
            )


def _check_widths(widths: Sequence[Fraction]) -> None:
    for level, (finer, coarser) in enumerate(pairwise(widths), 2):
        if coarser <= finer or (coarser / finer).denominator != 1:
            raise HierarchyError(
                f"intervals: level {level} has width {spelled(coarser)}",
                expected=f"a multiple of {spelled(finer)}, the width before",
            )
