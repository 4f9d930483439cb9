"""Whether a published cell covers a value, decided from the cell's text alone.

This is the checker's own reading of cells: it parses what `shoal.recoding.recode` prints and shares no code with it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Ints
from shoal.hierarchies import Builder, Hierarchy, as_builder
from shoal.hierarchies.cell_forms import form_of_column
from shoal.hierarchies.containment import MISSING, listed
from shoal.tables.encoded_column import distinct_sorted
from shoal.tables.star_marks import STAR, cell_text, text_of

CHUNK = 4_000_000
"""How many (person, class) pairs are compared at a time."""


def uncovered_rows(
    shown: pl.DataFrame,
    original: pl.DataFrame,
    rows: pl.Series,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Any],
    codebook: Mapping[str, Any],
) -> int:
    """Return how many published rows have a cell that does not cover the value of the original row they stand for."""
    bad = pl.Series([False] * shown.height)
    stars_are_null = codebook["marks"]["star"] != STAR
    for name in quasi:
        form = form_of_column(codebook, name)
        builder = as_builder(hierarchies.get(name, "auto")) if form.along_hierarchies else None
        reader = Reader.of(original[name], builder, spans=form.spans)
        pairs = pl.DataFrame({"cell": text_of(shown[name]), "value": cell_text(original[name]).gather(rows)})
        distinct = pairs.unique()
        shown_as = STAR if stars_are_null else None
        verdict = [reader.covers(shown_as if cell is None else cell, value) for cell, value in distinct.iter_rows()]
        judged = distinct.with_columns(pl.Series("covers", verdict, dtype=pl.Boolean))
        bad |= ~pairs.join(judged, on=["cell", "value"], how="left", nulls_equal=True, maintain_order="left")["covers"]
    return int(bad.sum())


def covered_people(classes: pl.DataFrame, population: pl.DataFrame, builders: Mapping[str, Builder]) -> Ints:
    """Return for each class, given by its cells, how many rows of a population its cells cover."""
    tables, weights = _people(classes, population, builders)
    if all((table.sum(axis=0) <= 1).all() for table, _, _ in tables):
        return _equal_people(tables, weights)
    total, start = np.zeros(classes.height, dtype=np.int64), 0
    for fits in _fits(tables, len(weights)):
        total += weights[start : start + len(fits)] @ fits
        start += len(fits)
    return total


def fitting_people(
    classes: pl.DataFrame, population: pl.DataFrame, builders: Mapping[str, Builder]
) -> tuple[Iterator[Bools], Ints]:
    """Return which class, given by its cells, covers which people, and how many people are alike.

    People alike are one line, classes are columns; the lines come in parts.
    """
    tables, weights = _people(classes, population, builders)
    return _fits(tables, len(weights)), weights


def _people(
    classes: pl.DataFrame, population: pl.DataFrame, builders: Mapping[str, Builder]
) -> tuple[list[tuple[Bools, Ints, Ints]], Ints]:
    """Return column by column what `_verdicts` says of classes and people alike, and how many people are alike."""
    people = population.group_by(classes.columns).len("".join(classes.columns) + "#")
    tables = [_verdicts(classes[name], people[name], builders.get(name)) for name in classes.columns]
    return tables, people[:, -1].cast(pl.Int64).to_numpy()


def _fits(tables: Sequence[tuple[Bools, Ints, Ints]], people: int) -> Iterator[Bools]:
    """Yield which class covers which people, people by class, some people at a time."""
    step = max(CHUNK // len(tables[0][2]), 1)
    for start in range(0, people, step):
        yield np.logical_and.reduce([table[value[start : start + step]][:, cell] for table, value, cell in tables])


def _equal_people(tables: Sequence[tuple[Bools, Ints, Ints]], weights: Ints) -> Ints:
    """Count the people of classes whose every cell covers one value at most: those with equal values."""
    names = [str(place) for place in range(len(tables))]
    people = pl.DataFrame([pl.Series(name, value) for name, (_, value, _) in zip(names, tables, strict=True)])
    covered = [np.where(table.any(axis=0), table.argmax(axis=0), -1)[cell] for table, _, cell in tables]
    classes = pl.DataFrame([pl.Series(name, one) for name, one in zip(names, covered, strict=True)])
    counted = people.with_columns(people=pl.Series(weights)).group_by(names).agg(pl.sum("people"))
    return classes.join(counted, on=names, how="left", maintain_order="left")["people"].fill_null(0).to_numpy()


def _verdicts(cells: pl.Series, values: pl.Series, builder: Builder | None) -> tuple[Bools, Ints, Ints]:
    """Return which distinct cell covers which distinct value, and which of them each person and class has.

    Where every cell is a value, a star or a block of the hierarchy, none is read as a range or a set: the value
    `x | missing` is not `x` or a missing one, and counts no more people than have it.
    """
    shown, held = text_of(cells), cell_text(values)
    distinct_cells, distinct_values = shown.unique(maintain_order=True), held.unique(maintain_order=True)
    reader = Reader.of(values, builder)
    reader.spans = not reader.knows(distinct_cells)
    table = np.array([[reader.covers(cell, value) for cell in distinct_cells] for value in distinct_values], dtype=bool)
    return table, _places(held, distinct_values), _places(shown, distinct_cells)


def _places(column: pl.Series, distinct: pl.Series) -> Ints:
    known = {text: place for place, text in enumerate(distinct)}
    return np.array([known[text] for text in column], dtype=np.int64)


class Reader:
    """Reads the cells of one column: the value itself, `*`, a block of its hierarchy, a range or a set."""

    def __init__(self, values: pl.Series, hierarchy: Hierarchy | None, spans: bool) -> None:
        texts = cell_text(values).to_list()
        self.dtype = values.dtype
        self.code = {text: code for code, text in enumerate(texts)}
        self.hierarchy, self.spans = hierarchy, spans
        self.places: dict[str, Any] = {}

    @classmethod
    def of(cls, column: pl.Series, builder: Builder | None, *, spans: bool = True) -> Reader:
        """Bind to a column's values and, where cells are blocks of a hierarchy, to the hierarchy.

        `spans` says whether cells may be ranges or sets.
        """
        values = distinct_sorted(column)
        known, counted = values.rename("value").to_frame(), column.rename("value").value_counts()
        counts = known.join(counted, on="value", how="left", nulls_equal=True, maintain_order="left")["count"]
        rows = counts.cast(pl.Int64).to_numpy()
        return cls(values, None if builder is None else builder.build(values, rows), spans)

    def knows(self, cells: Iterable[str | None]) -> bool:
        """Whether every cell is a value of the column, a star or a block of its hierarchy."""
        return all(cell in (None, STAR) or cell in self.code or cell in self._blocks for cell in cells)

    def covers(self, cell: str | None, value: str | None) -> bool:
        """Whether the cell says something that is true of the value."""
        if cell in (value, STAR):
            return True
        if cell is None:
            return False
        if self.hierarchy is not None and self._in_block(self.hierarchy, cell, value):
            return True
        if not self.spans:
            return False
        if value is None:
            return cell.endswith(MISSING)
        body = cell.removesuffix(MISSING)
        return body == value or self._in_range(body, value) or value in _members(body)

    def covered(self, cell: str | None) -> Ints:
        """Return the codes of all values that `covers` says the cell covers, faster than asking for each."""
        if cell == STAR:
            return np.arange(len(self.code))
        found = {self.code[cell]} if cell in self.code else set()
        if cell is not None:
            found.update(self._blocks.get(cell, ()))
        if cell is not None and self.spans:
            body = cell.removesuffix(MISSING)
            found.update(self.code[text] for text in (body, *_members(body)) if text in self.code)
            found.update(self._between(body))
            found.update([self.code[None]] if None in self.code and body != cell else [])
        return np.array(sorted(found), dtype=np.int64)

    @cached_property
    def _blocks(self) -> dict[str, set[int]]:
        """The codes of the values in the blocks of the hierarchy, by label."""
        found: dict[str, set[int]] = {}
        if self.hierarchy is not None:
            for labels, up in zip(self.hierarchy.labels, self.hierarchy.up.tolist(), strict=True):
                for code, block in enumerate(up):
                    found.setdefault(labels[block], set()).add(code)
        return found

    @cached_property
    def _line(self) -> tuple[list[Any], list[int]]:
        """The places of the values in their order, and their codes."""
        placed = [(self._place(text), code) for text, code in self.code.items() if text is not None]
        known = sorted((place, code) for place, code in placed if place is not None)
        return [place for place, _ in known], [code for _, code in known]

    def _between(self, body: str) -> list[int]:
        ends = listed(body) if body.startswith("[") and body.endswith("]") else ()
        places = [self._place(text) for text in ends]
        if len(places) != 2 or None in places:
            return []
        line, codes = self._line
        return codes[bisect_left(line, places[0]) : bisect_right(line, places[1])]

    def _in_block(self, hierarchy: Hierarchy, cell: str, value: str | None) -> bool:
        code = self.code[value]
        return any(hierarchy.labels[level][up[code]] == cell for level, up in enumerate(hierarchy.up))

    def _in_range(self, body: str, value: str) -> bool:
        if not (body.startswith("[") and body.endswith("]")):
            return False
        ends = listed(body)
        if len(ends) != 2:
            return False
        low, place, high = (self._place(text) for text in (ends[0], value, ends[1]))
        return low is not None and place is not None and high is not None and bool(low <= place <= high)

    def _place(self, text: str) -> Any:
        """Return where a value lies in the order of its column; None where text is no value of it."""
        if text not in self.places:
            self.places[text] = self._looked_up(text)
        return self.places[text]

    def _looked_up(self, text: str) -> Any:
        if self.dtype == pl.Enum:
            return self.code.get(text)
        if self.dtype.is_temporal():
            return text
        return pl.Series([text]).cast(self.dtype, strict=False)[0] if self.dtype.is_numeric() else None


def _members(body: str) -> tuple[str, ...]:
    """Return the members of a set such as `{a, "b, c"}`; none if it is not one.

    >>> _members('{a, "b, c"}')
    ('a', 'b, c')
    """
    return listed(body) if body.startswith("{") and body.endswith("}") else ()
