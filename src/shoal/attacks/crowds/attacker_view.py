"""What an attacker sees: the rows of a published table as numbers, and the people who may be in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Floats, Ints
from shoal.hierarchies import Builder
from shoal.hierarchies.cell_reader import Reader
from shoal.tables.star_marks import STAR, text_of


@dataclass(frozen=True, eq=False)
class Cover:
    """Which cells of one column cover which values: value v those at `starts[v]` to `starts[v + 1]`, rising."""

    starts: Ints
    cells: Ints

    @classmethod
    def of(cls, members: Sequence[AnyInts], values: int) -> Cover:
        """Return the cover of cells that are given by the values they cover."""
        cell = np.repeat(np.arange(len(members)), [len(some) for some in members])
        value = np.concatenate([*members, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        order = np.lexsort((cell, value))
        return cls(np.searchsorted(value[order], np.arange(values + 1)), cell[order])

    def matches(self, cells: Ints, values: Ints) -> int:
        """Return how many of the values beside some cells are covered by them."""
        size = int(self.cells.max(initial=-1)) + 2
        known = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts)) * size + self.cells
        return int(np.isin(values * size + cells, known).sum())


def same(values: int) -> Cover:
    """Return the cover of cells that are the values themselves."""
    return Cover(np.arange(values + 1), np.arange(values))


def cover_of(
    shown: pl.Series, known: pl.Series, builder: Builder | None, *, spans: bool, stars_are_null: bool
) -> tuple[Ints, Cover]:
    """Return the number of the cell of each published row, and which cells cover which distinct value of a column.

    Values are numbered as `Reader` numbers them: in their order, a missing value last.
    """
    reader = Reader.of(known, builder, spans=spans)
    cells = text_of(shown)
    if stars_are_null:
        cells = cells.fill_null(STAR)
    distinct = cells.unique(maintain_order=True)
    numbers = cells.to_frame("cell").join(
        distinct.to_frame("cell").with_row_index("#"), on="cell", how="left", nulls_equal=True, maintain_order="left"
    )["#"]
    return numbers.cast(pl.Int64).to_numpy(), Cover.of([reader.covered(cell) for cell in distinct], len(reader.code))


@dataclass(frozen=True, eq=False)
class Places:
    """Where the cells and the values of one column lie, where cells are centroids; a missing one is nowhere (NaN)."""

    cells: Floats
    values: Floats
    is_line: bool
    """Whether they lie on a line of length 1; else two are 0 apart if they are the same, else `apart`."""
    apart: float = 1.0

    def squared(self, cells: Ints, values: Ints) -> Floats:
        """Return how far each value is from each cell, squared, value by cell."""
        shown, known = self.cells[cells], self.values[values][:, None]
        gone, lost = np.isnan(shown), np.isnan(known)
        away: Floats = (shown - known) ** 2 if self.is_line else np.where(shown == known, 0.0, self.apart)
        return np.where(gone | lost, np.where(gone & lost, 0.0, self.apart), away)


NEVER = 1e9
"""How far rows are with another value than one that the attacker is sure of."""


@dataclass(frozen=True, eq=False)
class Covering(Places):
    """The same of a column whose cells cover values, beside columns of centroids: what is not covered is never near."""

    covered: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    """Value by cell."""

    @classmethod
    def of(cls, cover: Cover, cells: int) -> Covering:
        """Lay out which cells cover which values."""
        values = len(cover.starts) - 1
        covered = np.zeros((values, cells), dtype=bool)
        covered[np.repeat(np.arange(values), np.diff(cover.starts)), cover.cells] = True
        return cls(np.zeros(cells), np.zeros(values), False, NEVER, covered)

    def squared(self, cells: Ints, values: Ints) -> Floats:
        """Return 0 where a cell covers a value, else more than any distance."""
        return np.where(self.covered[np.ix_(values, cells)], 0.0, self.apart)


@dataclass(frozen=True, eq=False)
class AttackerView:
    """Published rows, and people whose values the attacker may know. A row may stand for a part of a person.

    Columns are quasi-identifiers, and whatever else tells rows apart; `secrets` are the sensitive attributes, over one
    domain for rows and people.
    """

    cells: Mapping[str, Ints]
    """By column, the cell of each published row."""
    covers: Mapping[str, Cover]
    weights: Floats
    """For how many people each published row stands."""
    secrets: Mapping[str, Ints]
    """By sensitive attribute, the value of each published row."""
    people: Mapping[str, Ints]
    """By column, the value of each person."""
    own_secrets: Mapping[str, Ints]
    """By sensitive attribute, the value of each person."""
    own_row: Ints | None
    """A published row of each person; None where nobody knows."""
    always: tuple[str, ...] = ()
    """Columns that are no knowledge but belong to every class: the groups of two tables."""
    places: Mapping[str, Places] | None = None
    """Given, a person's candidates are the nearest rows: published cells are centroids, which cover nothing."""
    is_limited: bool = False
    """Whether a search that would take too long is refused where nobody knows whose row is whose."""
    exact: bool = False
    """Whether a person's own class has all rows that cover them: cells are the values themselves."""
    whose: Ints | None = None
    """The person of each published row, where people have several; then what is here called a person is a row of theirs
    that an attacker knows, and candidates are people. None where each row is one person."""
    person: Ints | None = None
    """The person of each row that an attacker knows; None where each row is one person."""
    linked: bool = False
    """Whether the rows of a person are published with a pseudonym, so that the set of all their cells is seen."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that an attacker may know."""
        return tuple(name for name in self.cells if name not in self.always)

    @property
    def number(self) -> int:
        """How many people there are."""
        return len(next(iter(self.people.values())))

    def hits(self, hit: Bools) -> int:
        """Return how many people are hit: those with a row by which they are."""
        return int(hit.sum()) if self.person is None else len(np.unique(self.person[hit]))

    def of(self, some: Ints) -> AttackerView:
        """Return the same rows as some of the people see them."""
        return replace(
            self,
            people={name: values[some] for name, values in self.people.items()},
            own_secrets={name: values[some] for name, values in self.own_secrets.items()},
            own_row=None if self.own_row is None else self.own_row[some],
            person=None if self.person is None else self.person[some],
        )

    def knowing(self, secret: str) -> AttackerView:
        """Return what there is to see for who knows one of the sensitive values of everybody, too."""
        return self.knowing_codes(self.secrets[secret], self.own_secrets[secret])

    def knowing_codes(self, codes: Ints, own: Ints) -> AttackerView:
        """Return the same for who knows a value that rows show as it is: that of each row, and of each person."""
        name = "".join(self.cells) + "?"  # longer than any column's
        size = int(max(codes.max(initial=0), own.max(initial=0))) + 1
        line = np.arange(size, dtype=np.float64)
        return replace(
            self,
            cells={**self.cells, name: codes},
            covers={**self.covers, name: same(size)},
            people={**self.people, name: own},
            places=None if self.places is None else {**self.places, name: Places(line, line, False, NEVER)},
            own_row=self._own_row_of(codes, own),
        )

    def _own_row_of(self, codes: Ints, own: Ints) -> Ints | None:
        """Return the own rows if they have the own values; of two tables they need not, and nobody knows."""
        return self.own_row if self.own_row is not None and (codes[self.own_row] == own).all() else None
