"""Contingency tables: how many rows have each pair of values of two columns, before and after.

After, the two cells of a row are spread over their values independently of each other, as everywhere in `utility`: so
the counts are expected ones, and scaled to the rows of the original. Of a column with many values the commonest are
counted by themselves and the rest together, the same on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.tables.star_marks import cell_text
from shoal.utility.marginals import distance
from shoal.utility.spreads import Spread

SHOWN = 20
"""Values of a column counted by themselves, at most, the rest included."""
REST = "(others)"
MISSING = "(missing)"


@dataclass(frozen=True)
class Contingency:
    """The counts of two columns together, a row for each value of the first."""

    columns: tuple[str, str]
    values: tuple[tuple[str, ...], tuple[str, ...]]
    """What the rows and the columns of the tables are about."""
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    distance: float
    """The share of the rows that would have to change to make both tables the same."""


def contingency(columns: Mapping[str, Spread], pair: Sequence[str]) -> Contingency:
    """Count two columns together.

    >>> import polars as pl, shoal
    >>> from shoal.release.release_view import Shown
    >>> from shoal.utility.spreads import spreads
    >>> people = {"age": [20, 21, 50, 51], "town": ["a", "a", "b", "b"]}
    >>> made = shoal.anonymize(people, quasi=["age", "town"], require="k=2", method="mondrian", recoding="range")
    >>> found = contingency(spreads(Shown.of(made), pl.DataFrame(people)), ["town", "age"])
    >>> found.values[1], found.before[0], found.after[0], found.distance
    (('20', '21', '50', '51'), (1.0, 1.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), 0.0)
    """
    names = _checked(columns, pair)
    sides = [_Side.of(columns[name]) for name in names]
    rows = len(columns[names[0]].codes)
    before = _together(sides[0].before, sides[1].before) * rows
    after = _together(sides[0].after, sides[1].after) * rows
    return Contingency(
        columns=(names[0], names[1]),
        values=(sides[0].values, sides[1].values),
        before=tuple(tuple(line) for line in before.tolist()),
        after=tuple(tuple(line) for line in after.round(9).tolist()),
        distance=round(distance(before / rows, after / rows), 12),
    )


def _checked(columns: Mapping[str, Spread], pair: Sequence[str]) -> list[str]:
    """Return the two columns, or say what is wrong with them."""
    names = [name.strip() for name in pair.split(",")] if isinstance(pair, str) else list(pair)
    for name in (one for one in names if one not in columns):
        raise RoleError(f"{name!r} is not a column that is compared", hint=nearest(name, columns))
    if len(set(names)) != 2 or len(names) != 2:
        raise ParameterError(
            f"a contingency table of {len(set(names))} columns is asked for", expected="two different columns"
        )
    return names


@dataclass(frozen=True, eq=False)
class _Side:
    """A column: what is counted, and for each row on both sides the share of each."""

    values: tuple[str, ...]
    before: tuple[Ints, Floats]
    after: tuple[Ints, Floats]

    @classmethod
    def of(cls, column: Spread) -> _Side:
        """Keep the commonest values, in the order of the values, and put the rest into one."""
        number = min(len(column.values), SHOWN)
        kept = np.sort(np.argsort(-column.before, kind="stable")[: number - (number < len(column.values))])
        place = np.full(len(column.values), len(kept))
        place[kept] = np.arange(len(kept))
        texts = cell_text(column.values).fill_null(MISSING).to_list()
        rest = (REST,) if len(kept) < len(column.values) else ()
        known = np.eye(number)[place]
        return cls(
            (*(texts[one] for one in kept), *rest), (column.codes, known), (column.of_row, column.folded(place, number))
        )


def _together(first: tuple[Ints, Floats], second: tuple[Ints, Floats]) -> Floats:
    """Return the share of the rows with each pair, from the cell of each row and the shares of each cell."""
    (left, shares), (right, others) = first, second
    width = len(others)
    seen, rows = np.unique(left * width + right, return_counts=True)
    joint: Floats = (shares[seen // width] * (rows / rows.sum())[:, None]).T @ others[seen % width]
    return joint
