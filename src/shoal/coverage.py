"""Whether a published cell covers the value it hides, decided from the cell's text alone.

This is the checker's own reading of cells: it parses what `shoal.recode` prints and shares no code with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from shoal.hierarchies import Hierarchy, as_builder
from shoal.table import STAR, cell_text, distinct_sorted

_MEMBER = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}"]+)')
_MISSING = " | missing"


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
        values = distinct_sorted(original[name])
        known, counted = values.rename("value").to_frame(), original[name].rename("value").value_counts()
        counts = known.join(counted, on="value", how="left", nulls_equal=True, maintain_order="left")["count"]
        hierarchy = as_builder(hierarchies.get(name, "auto")).build(values, counts.cast(pl.Int64).to_numpy())
        reader = _Reader(values, hierarchy, codebook["recoding"])
        pairs = pl.DataFrame({"cell": shown[name].cast(pl.String), "value": cell_text(original[name]).gather(rows)})
        distinct = pairs.unique()
        verdict = [reader.covers(cell, value, stars_are_null) for cell, value in distinct.iter_rows()]
        judged = distinct.with_columns(pl.Series("covers", verdict, dtype=pl.Boolean))
        bad |= ~pairs.join(judged, on=["cell", "value"], how="left", nulls_equal=True, maintain_order="left")["covers"]
    return int(bad.sum())


class _Reader:
    """Reads the cells of one column."""

    def __init__(self, values: pl.Series, hierarchy: Hierarchy, recoding: str) -> None:
        texts = cell_text(values).to_list()
        self.rank = {text: place for place, text in enumerate(texts) if text is not None}
        self.place = {text: place for place, text in enumerate(texts)}
        self.hierarchy, self.recoding = hierarchy, recoding

    def covers(self, cell: str | None, value: str | None, stars_are_null: bool) -> bool:
        """Whether the cell is the value, a star, or a block, range or set that holds the value."""
        if cell in (value, STAR) or (cell is None and stars_are_null):
            return True
        if cell is None:
            return False
        if self.recoding == "generalize":
            return self._in_block(cell, value)
        if value is None:
            return cell.endswith(_MISSING)
        body = cell.removesuffix(_MISSING)
        return body == value or self._in_range(body, value) or value in _members(body)

    def _in_block(self, cell: str, value: str | None) -> bool:
        place = self.place[value]
        return any(self.hierarchy.labels[level][up[place]] == cell for level, up in enumerate(self.hierarchy.up))

    def _in_range(self, body: str, value: str) -> bool:
        low, comma, high = body.removeprefix("[").removesuffix("]").partition(", ")
        if not (body.startswith("[") and body.endswith("]") and comma and low in self.rank and high in self.rank):
            return False
        return self.rank[low] <= self.rank[value] <= self.rank[high]


def _members(body: str) -> set[str]:
    """Return the members of a set such as `{a, "b, c"}`; none if it is not one.

    >>> sorted(_members('{a, "b, c"}'))
    ['a', 'b, c']
    """
    if not (body.startswith("{") and body.endswith("}")):
        return set()
    found = _MEMBER.findall(body[1:-1])
    return {
        re.sub(r"\\(.)", r"\1", quoted) if not plain else plain.strip()
        for quoted, plain in found
        if quoted or plain.strip() or not plain
    }
