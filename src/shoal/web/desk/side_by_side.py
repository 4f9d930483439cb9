"""A release and its original row by row: what became of each cell, how large each crowd is, and who is in it.

Cells of the original are returned only where they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import ParameterError, ShoalError, TableError, nearest
from shoal.core.number_format import amount
from shoal.core.sorting import distinct_rows
from shoal.release.release_reader import Opened
from shoal.report.cell_spreads import Spread, quasi_spreads
from shoal.tables.encoded_column import Coded
from shoal.web.desk.draft_table import table
from shoal.web.desk.releases import release_of
from shoal.web.desk.runs import Run
from shoal.web.language import t

BARS = 12
"""Values, or ranges of values, that a distribution is shown by."""
OTHERS = t("all others")


@dataclass(frozen=True)
class Pair:
    """A published row: how many look like it, its cells, how much of each was lost, and the original's where asked."""

    crowd: int
    after: tuple[str | None, ...]
    lost: tuple[float, ...]
    before: tuple[str | None, ...] | None = None


@dataclass(frozen=True)
class SideBySide:
    """Some rows of a release, of how many that were looked for."""

    columns: tuple[str, ...]
    rows: tuple[Pair, ...]
    matching: int


@dataclass(frozen=True)
class Sought:
    """Which rows to show, in which order, and whether with the original's cells."""

    original: bool = False
    order: str = ""
    """`crowd` for the smallest crowds first, `lost` for what lost most first; else spread over the release."""
    text: str = ""
    """What a published cell contains."""
    person: str = ""
    """Values of a person's row in the original, as in `age=34, town=Oslo`."""
    rows: int = 20


@dataclass(frozen=True, eq=False)
class _Compared:
    """A release next to its original, in memory."""

    after: pl.DataFrame
    crowds: Ints
    lost: Mapping[str, Floats]
    """For each column and published row the share of the original's values that its cell does not tell apart."""
    original: pl.DataFrame | None
    places: Ints
    """The row of the original that each published row stands for; none beyond its end."""
    spread: Mapping[str, Spread]

    @property
    def total(self) -> Floats:
        """How much each published row lost, over its columns."""
        return np.sum(list(self.lost.values()), axis=0) if self.lost else np.zeros(self.after.height)


@lru_cache(maxsize=2)
def _compared(run: Run) -> _Compared:
    folder = release_of(run)
    opened = Opened.of(folder, None)
    after = opened.table
    coded = [Coded.of(after[name].cast(pl.String)) for name in opened.certificate.quasi]
    labels, _, sizes = distinct_rows([one.codes for one in coded], [one.size for one in coded])
    numbers = pl.read_parquet(folder / "internal" / "rows.parquet")["row"].to_numpy().astype(np.int64)
    original, spread = _original(run, numbers, opened.codebook.get("counterfeits", 0))
    lost = {name: _lost(one) for name, one in spread.items() if name in after.columns}
    return _Compared(after, sizes[labels], lost, original, numbers, spread)


def _original(run: Run, numbers: Ints, more: int) -> tuple[pl.DataFrame | None, Mapping[str, Spread]]:
    """Return the original and what the cells cover of it; nothing where it is gone or was changed."""
    try:
        frame = table(run.draft).frame
        if numbers.max(initial=-1) >= frame.height + more:
            return None, {}
        return frame, quasi_spreads(release_of(run), frame)
    except ShoalError:
        return None, {}


def _lost(one: Spread) -> Floats:
    """Return for each published row the share of the other values that its cell covers too."""
    covered = np.bincount(one.owner, minlength=one.cells)
    shares: Floats = (covered - 1) / max(len(one.values) - 1, 1)
    return np.clip(shares, 0.0, 1.0)[one.of_row]


def side_by_side(run: Run, sought: Sought) -> SideBySide:
    """Return rows of a release, each with what became of the original's cells."""
    held = _compared(run)
    if (sought.original or sought.person) and held.original is None:
        raise TableError("the original is gone, or was changed since the run", hint="run it again")
    found = _matching(held, sought)
    picked = found[_order(held, found, sought)]
    columns = tuple(name for name in held.after.columns)
    after = held.after[picked].select(pl.all().cast(pl.String)).rows()
    before = _before(held, columns, picked) if sought.original or sought.person else [None] * len(picked)
    rows = tuple(
        Pair(int(held.crowds[place]), tuple(cells), _losses(held, columns, place), was)
        for place, cells, was in zip(picked.tolist(), after, before, strict=True)
    )
    return SideBySide(columns, rows, len(found))


def _losses(held: _Compared, columns: tuple[str, ...], place: int) -> tuple[float, ...]:
    return tuple(float(held.lost[name][place]) if name in held.lost else 0.0 for name in columns)


def _before(held: _Compared, columns: tuple[str, ...], picked: Ints) -> list[tuple[str | None, ...] | None]:
    """Return the original's cells of published rows; none for rows that stand for nobody."""
    assert held.original is not None
    real = [name for name in columns if name in held.original.columns]
    at = held.places[picked]
    cells = held.original[np.minimum(at, held.original.height - 1)].select(pl.col(real).cast(pl.String))
    rows = [dict(zip(real, row, strict=True)) for row in cells.rows()]
    return [
        tuple(row.get(name) for name in columns) if place < held.original.height else None
        for place, row in zip(at.tolist(), rows, strict=True)
    ]


def _matching(held: _Compared, sought: Sought) -> Ints:
    """Return the places of the rows that are looked for."""
    asked = pl.repeat(True, held.after.height, eager=True)
    if sought.text.strip():
        cells = held.after.select(pl.all().cast(pl.String).str.to_lowercase())
        word = sought.text.strip().lower()
        asked = cells.select(pl.any_horizontal(pl.all().str.contains(word, literal=True).fill_null(False))).to_series()
    found = asked.arg_true().to_numpy().astype(np.int64)
    if sought.person.strip() and held.original is not None:
        found = found[np.isin(held.places[found], _people(held.original, sought.person))]
    return found


def _people(original: pl.DataFrame, said: str) -> Ints:
    """Return the rows of the original that have the values that are said, or raise in words."""
    chosen = pl.repeat(True, original.height, eager=True)
    for part in filter(None, (one.strip() for one in said.split(","))):
        name, equals, value = (one.strip() for one in part.partition("="))
        if not equals or name not in original.columns:
            hint = nearest(name, original.columns) if equals else "write it as column=value, with commas between"
            raise ParameterError("this names no column of the original", hint=hint)
        chosen &= original[name].cast(pl.String).eq_missing(pl.Series([value]))
    return chosen.arg_true().to_numpy().astype(np.int64)


def _order(held: _Compared, found: Ints, sought: Sought) -> Ints:
    """Return which of the rows that were found are shown, in order."""
    if sought.order == "crowd":
        return np.argsort(held.crowds[found], kind="stable")[: sought.rows]
    if sought.order == "lost":
        return np.argsort(-held.total[found], kind="stable")[: sought.rows]
    many = len(found)
    spread = (
        sorted({place * many // sought.rows for place in range(sought.rows)}) if many > sought.rows else range(many)
    )
    return np.array(list(spread), dtype=np.int64)


@dataclass(frozen=True)
class Distribution:
    """A column before and after: for values, or ranges of them, the share of the rows that have them."""

    column: str
    bars: tuple[tuple[str, float, float], ...]


def distributed(run: Run) -> tuple[str, ...]:
    """Return the columns whose distributions can be compared."""
    return tuple(_compared(run).spread)


def distribution(run: Run, column: str) -> Distribution:
    """Compare the distribution of a column before and after: it names values of the original."""
    one = _compared(run).spread[column]
    before, after, values = one.before, one.after, one.values
    if len(values) <= BARS:
        return Distribution(column, tuple(zip(map(_said, values), before.tolist(), after.tolist(), strict=True)))
    if values.dtype.is_numeric():
        return Distribution(column, tuple(_ranges(values, before, after)))
    most = np.argsort(-before, kind="stable")
    top, rest = most[: BARS - 1], most[BARS - 1 :]
    bars = [(_said(values[int(place)]), float(before[place]), float(after[place])) for place in top]
    return Distribution(column, (*bars, (OTHERS, float(before[rest].sum()), float(after[rest].sum()))))


def _ranges(values: pl.Series, before: Floats, after: Floats) -> list[tuple[str, float, float]]:
    """Return shares of ranges of equal width."""
    numbers = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    known = ~np.isnan(numbers)
    edges = np.linspace(numbers[known].min(), numbers[known].max(), BARS + 1)
    bins = np.clip(np.searchsorted(edges, numbers[known], side="right") - 1, 0, BARS - 1)
    sums = [np.bincount(bins, weights=shares[known], minlength=BARS) for shares in (before, after)]
    labels = [f"{amount(edges[place], 4)} to {amount(edges[place + 1], 4)}" for place in range(BARS)]
    bars = list(zip(labels, sums[0].tolist(), sums[1].tolist(), strict=True))
    missing = float(before[~known].sum()), float(after[~known].sum())
    return [*bars, ("(missing)", *missing)] if any(missing) else bars


def _said(value: object) -> str:
    return "(missing)" if value is None else str(value)
