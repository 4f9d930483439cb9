"""Columns that reveal others: they determine the value of a quasi-identifier or sensitive attribute, or narrow it.

    recoding, finer version   rows that agree in the teller agree in the told column
    coarser version           rows that agree in the told column agree in the teller
    range, part               rows with one value of the teller, or values close together, have few values of the told
    text                      the text of the one has the text of the other in it
    arithmetic                two numbers or more give a third (`arithmetic`)

Everything is compared with what a random pairing of the two columns would give, and needs enough rows behind it; so
ordinary correlation, constant columns, columns that are nearly unique and small tables are no dependence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Ints
from shoal.core.number_format import percent
from shoal.core.sorting import order_by
from shoal.inspection.arithmetic import relations
from shoal.inspection.sampled_column import BEHIND, HALF, Neighbours, SampledColumn, sampled
from shoal.tables.star_marks import STAR
from shoal.tables.table import Table

AGREEING = 0.9
"""Of the pairs of rows that a random pairing leaves different, the share that must agree."""
SIGMAS = 5.0
"""Standard deviations that agreement must lie above that of a random pairing."""
CHANGES = 0.25
"""Share of the pairs that may lie between two values of a coarser version, at most."""
PAIRS = 25
"""Pairs of rows that are needed for it."""
TRIMMED = 0.05
"""Share of the rows of a group that is left out at either end of its range."""
NARROW = 0.4
"""What is left of a column's values, compared with a random pairing, if another narrows it."""
CERTAIN, COMMON = 0.98, 0.7
"""A group tells a value if this share of its rows has it, and at most that share of all rows."""
PART = 0.25
"""Share of the rows of which a value must be told."""
FEW = 50
"""Up to so many different numbers may be codes, whose order tells nothing."""
SPREAD = 0.2
"""How many other values, by Simpson's count, a column needs for it to be narrowed; 0.2 if nine rows of ten agree."""
SHORT = 2
"""Letters and digits that a text needs for it to tell something that another has them in it."""


@dataclass(frozen=True)
class Dependence:
    """A column that reveals others; names and shares only, no cell."""

    column: str
    tells: tuple[str, ...]
    reason: str
    exact: bool
    """Whether no row that was looked at is an exception."""


def dependences(table: Table, told: Sequence[str], tellers: Sequence[str]) -> tuple[Dependence, ...]:
    """Return which of the tellers reveal which of the told columns, each with the reason in words.

    Looks at 20,000 rows at most, drawn with a fixed seed, and says so. Each pair of columns is compared, and of numbers
    each told one with two others and with all others together. Not searched: words that only two columns together
    determine, and formulas other than sums, differences, products, ratios and powers.

    >>> age = [20 + row % 50 for row in range(300)]
    >>> people = {"age": age, "agegr": [f"{one // 10}0s" for one in age], "left": [row % 7 for row in range(300)]}
    >>> [(one.column, one.tells, one.exact) for one in dependences(Table.of(people), ["age"], ["agegr", "left"])]
    [('agegr', ('age',), True)]
    """
    names = dict.fromkeys((*told, *tellers))
    columns = sampled(table, names, len(told) * len(tellers))
    rows = len(next(iter(columns.values())).codes) if columns else 0
    said = f", in a sample of {rows:,} rows" if rows < table.rows else ""
    pairs = [
        Dependence(teller, (name,), found.reason + said, found.exact)
        for teller in tellers
        for name in told
        if teller != name and (found := _relation(columns[teller], columns[name])) is not None
    ]
    joint = relations([columns[name] for name in told], [columns[name] for name in tellers])
    return (*pairs, *(Dependence(one.column, one.tells, one.reason + said, one.exact) for one in joint))


def published_dependences(
    table: Table, quasi: Sequence[str], sensitive: Sequence[str] = (), left_out: Sequence[str] = ()
) -> tuple[Dependence, ...]:
    """Return the columns of a published table that reveal its quasi-identifiers or sensitive attributes.

    Relations are learnt from the cells that are not stars.
    """
    told = [name for name in (*quasi, *sensitive) if name in table.columns]
    seen = table.with_columns(table[name].set(table[name] == STAR, None) for name in told if _is_text(table, name))
    return dependences(seen, told, [name for name in table.columns if name not in (*quasi, *left_out)])


def _is_text(table: Table, name: str) -> bool:
    return table.dtype(name) == pl.String


@dataclass(frozen=True)
class _Relation:
    reason: str
    exact: bool


def _relation(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    """Return the strongest relation by which a column reveals another, if there is one."""
    return next(
        (found for look in (_determines, _coarsens, _narrows, _contains, _is_part) if (found := look(teller, told))),
        None,
    )


def _determines(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    """Each value of the teller has one of the told column; so have parts of its dates, or whether it is missing."""
    agreeing = _first(agreement(one.neighbours, told) for one in (teller, *teller.parts))
    if agreeing is not None:
        said = f"{teller.name!r} determines {told.name!r} in {_rows(teller, told)} of the rows"
        return _Relation(said, agreeing == 1)
    missing = agreement(teller.presence.neighbours, told)
    said = f"whether {teller.name!r} is missing determines {told.name!r}"
    return None if missing is None else _Relation(said, missing == 1)


def _first(found: Iterable[float | None]) -> float | None:
    return next((one for one in found if one is not None), None)


def _coarsens(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    agreeing = _first(agreement(one.successors, teller) for one in (told, *told.parts))
    if agreeing is None:
        return None
    counts = np.bincount(teller.codes[teller.present])
    left = f"{teller.name!r} is a coarser version of {told.name!r}: it narrows it to {percent(_alike(counts))}"
    return _Relation(f"{left} of its range in {_rows(teller, told)} of the rows", agreeing == 1)


def _narrows(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    found = Narrowing.of(teller, told)
    if found.left <= NARROW:
        said = f"{teller.name!r} narrows {told.name!r} to {percent(round(found.left, 4))} of its range"
        return _Relation(f"{said} in {_rows(teller, told)} of the rows", False)
    if found.certain >= PART:
        return _Relation(f"{teller.name!r} tells {told.name!r} in {percent(found.certain)} of the rows", False)
    if found.revealed >= HALF:
        said = f"{teller.name!r} tells a value of {told.name!r} in {percent(found.revealed)} of the rows that have it"
        return _Relation(said, False)
    return None


def _contains(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    """The text of the teller has that of the told column in it."""
    found = _text_share(teller, told)
    if found is None:
        return None
    return _Relation(f"{teller.name!r} has {told.name!r} in its text in {percent(found)} of the rows", found == 1)


def _is_part(teller: SampledColumn, told: SampledColumn) -> _Relation | None:
    """The text of the told column has that of the teller in it."""
    found = _text_share(told, teller)
    if found is None:
        return None
    return _Relation(
        f"{teller.name!r} is part of the text of {told.name!r} in {percent(found)} of the rows", found == 1
    )


def _text_share(whole: SampledColumn, part: SampledColumn) -> float | None:
    """Return the share of the rows in which a text has another in it, where most rows have a text of their own.

    None where it is not nearly all, or nearly as many after a random pairing.
    """
    if not (whole.is_mostly_unique and whole.texts.dtype == pl.String):
        return None
    text, inside = _plain(whole.texts), _plain(part.texts)
    able = (inside.str.len_chars() >= SHORT) & text.is_not_null()
    if int(able.sum()) < PAIRS:
        return None
    here, there = (_found(text, one, able) for one in (inside, inside.shift(1)))
    return here if here >= AGREEING and there <= HALF else None


def _plain(column: pl.Series) -> pl.Series:
    whole = column.cast(pl.Int64, strict=False) if column.dtype.is_float() and (column % 1 == 0).all() else column
    return whole.cast(pl.String).str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]", "")


def _found(whole: pl.Series, part: pl.Series, able: pl.Series) -> float:
    """Return the share of the rows that are able to, in which one text has the other in it."""
    texts = pl.DataFrame({"whole": whole, "part": part}).filter(able)
    return float(texts.select(pl.col("whole").str.contains(pl.col("part"), literal=True).mean()).item() or 0.0)


def _rows(teller: SampledColumn, told: SampledColumn) -> str:
    return percent(round(float((teller.present & told.present).mean()), 6))


def _alike(counts: Ints) -> float:
    """Return the share of rows that have the value of a row, on average."""
    return float(((counts / counts.sum()) ** 2).sum())


def agreement(rows: Neighbours, asked: SampledColumn) -> float | None:
    """Return the share of pairs of rows that agree in a column; None where chance explains it.

    Where pairs go along another column, a change from each value to the next one is no disagreement: so a coarser
    version goes along.
    """
    one, next_ = asked.codes[rows.one], asked.codes[rows.next]
    known: Bools = (one >= 0) & (next_ >= 0)
    pairs = int(known.sum())
    if pairs < PAIRS:
        return None
    counts = np.bincount(np.concatenate([one[known], next_[known]]))
    changes = int((counts > 0).sum()) - 1 if rows.along else 0
    changes = changes if changes <= CHANGES * pairs else 0
    chance = min(_alike(counts) + changes / pairs, 1.0)
    agreeing = 1 - max(int((one != next_)[known].sum()) - changes, 0) / pairs
    beyond = SIGMAS * np.sqrt(chance * (1 - chance) / pairs)
    return agreeing if chance < 1 and agreeing - chance >= max(AGREEING * (1 - chance), beyond) else None


@dataclass(frozen=True)
class Narrowing:
    """What is left of the values of a column for who knows the group of another."""

    left: float
    """What is left of the values, 1 as after a random pairing, 0 if one value is."""
    certain: float = 0.0
    """The share of the rows whose value is certain."""
    revealed: float = 0.0
    """The share of the rows with some value of which it is certain, for the value of which it is largest."""

    @classmethod
    def of(cls, teller: SampledColumn, told: SampledColumn) -> Narrowing:
        """Measure it over the groups of the teller that have enough rows."""
        known = told.present
        groups, values = teller.groups[known] + 1, told.codes[known]
        groups = np.where(np.bincount(groups)[groups] >= BEHIND, groups, -1) if len(groups) else groups
        some = groups > 0
        if not known.any() or int(some.sum()) < 2 * BEHIND:
            return cls(1.0)
        here, chance = (_Groups.of(groups[some], one) for one in (values[some], np.roll(values[some], 1)))
        everybody = _Groups.of(groups[groups >= 0], values[groups >= 0])
        left = 1.0
        if here.most >= SPREAD and (not told.ordered or told.size <= FEW):
            left = _ratio(here.others, chance.others)
        if told.ordered:
            alike = float((here.shares**2).sum())
            left = min(left, _ratio(here.width - alike, chance.width - alike))
        certain = everybody.certain_rows
        revealed = float((certain / np.maximum(np.bincount(values)[: len(certain)], 1)).max())
        return cls(left, float(certain.sum()) / len(groups), revealed)


def _ratio(part: float, whole: float) -> float:
    return min(max(part, 0.0) / whole, 1.0) if whole > 1e-9 else 1.0


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows in groups, sorted, with the runs of equal values in each."""

    values: Ints
    starts: Ints
    sizes: Ints
    runs: Ints
    """Where each run of equal values begins."""
    shares: np.typing.NDArray[np.float64]
    """Of all rows here, the share that has each value."""

    @classmethod
    def of(cls, groups: Ints, values: Ints) -> _Groups:
        order = order_by(values, groups)
        group, value = groups[order], values[order]
        fresh = np.diff(group, prepend=-1) != 0
        starts = np.flatnonzero(fresh)
        runs = np.flatnonzero(fresh | (np.diff(value, prepend=-1) != 0))
        return cls(value, starts, np.diff(starts, append=len(value)), runs, np.bincount(value) / len(value))

    @property
    def width(self) -> float:
        """The share of all rows whose values lie in the range of a row's group, the ends of it left out; on average."""
        trimmed = (self.sizes * TRIMMED).astype(np.int64)
        low, high = self.values[self.starts + trimmed], self.values[self.starts + self.sizes - 1 - trimmed]
        below = np.concatenate([[0.0], np.cumsum(self.shares)])
        return float(np.average(below[high + 1] - below[low], weights=self.sizes))

    @property
    def most(self) -> float:
        """How many values besides the own all rows leave, by Simpson's count."""
        return 1 / float((self.shares**2).sum()) - 1

    @property
    def others(self) -> float:
        """How many values besides the own a row's group leaves, on average; one may leave more of two than all do."""
        lengths = np.diff(self.runs, append=len(self.values))
        same = np.add.reduceat(lengths * (lengths - 1.0), np.searchsorted(self.runs, self.starts))
        pairs = self.sizes * (self.sizes - 1.0)
        with np.errstate(divide="ignore"):
            left = np.minimum(pairs / same - 1, max(self.most, 1.0))
        return float(np.average(left, weights=self.sizes))

    @property
    def certain_rows(self) -> Ints:
        """By value, how many rows are in a group of which nearly all have it; none of a value that is common anyway."""
        lengths = np.diff(self.runs, append=len(self.values))
        group = np.searchsorted(self.starts, self.runs, side="right") - 1
        sure = (lengths >= CERTAIN * self.sizes[group]) & (self.shares[self.values[self.runs]] <= COMMON)
        rows = np.bincount(self.values[self.runs[sure]], weights=lengths[sure], minlength=len(self.shares))
        return rows.astype(np.int64)


def tellers_of(found: Sequence[Dependence], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that reveal some of the names, each once, in the order found."""
    return tuple(dict.fromkeys(one.column for one in found if set(one.tells) & set(names)))
