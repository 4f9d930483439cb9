"""What workers do with rows, a batch of them at a time: values become codes, and cells are written out at the end.

Objects of these classes are sent to the workers, which must have shoal installed as the driver has. Nothing here
depends on the order of rows or on chance, so a task that is run again gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Ints
from shoal.microdata.row_fingerprints import column_traces
from shoal.spark.columns import TRACE
from shoal.spark.packing import Packing
from shoal.spark.regions import Regions
from shoal.spark.session import CHANGED, HAS_PYARROW

if HAS_PYARROW:
    import pyarrow as pa

Batch: TypeAlias = Any
"""A record batch of Arrow."""


class Work(Protocol):
    """What a worker does with rows."""

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Return what becomes of some batches of rows."""


@dataclass(frozen=True, eq=False)
class Dictionary:
    """The number of every value of a column, or of every combination of values of several."""

    known: pl.DataFrame
    codes: AnyInts

    def of(self, frame: pl.DataFrame) -> Ints:
        """Return the number of each row; a value that is not known was not there when the values were counted."""
        names = self.known.columns
        if not names:
            return np.zeros(frame.height, dtype=np.int64)
        asked = frame.select(pl.col(name).cast(self.known.schema[name]) for name in names)
        numbered = self.known.with_columns(pl.Series("code#", self.codes))
        found = asked.join(numbered, on=names, how="left", nulls_equal=True, maintain_order="left")["code#"]
        if found.null_count():
            raise ValueError(CHANGED)
        return found.cast(pl.Int64).to_numpy()


@dataclass(frozen=True, eq=False)
class Encoder:
    """Turns rows into the words of their codes, their trace, and their region where there are regions.

    The trace is a keyed hash by which the owner can find the row of the original again; see
    `shoal.microdata.row_fingerprints`.
    """

    quasi: tuple[Dictionary, ...]
    secrets: Dictionary
    packing: Packing
    traces: tuple[Ints, ...] | None
    """By key column, quasi-identifiers and then secrets: what each code adds to a row's trace; None for no traces."""
    others: tuple[tuple[str, str], ...]
    """The columns that are published as they are, and what they are called in the table."""
    key: str
    regions: Regions | None = None

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Encode some batches of rows."""
        for batch in batches:
            if not batch.num_rows:
                continue
            frame = frame_of(batch)
            codes = [one.of(frame) for one in (*self.quasi, self.secrets)]
            columns = dict(zip(self.packing.names("k"), self.packing.pack(codes), strict=True))
            if self.traces is not None:
                columns[TRACE] = self._trace(self.traces, codes, frame)
            if self.regions is not None:
                columns["region"] = self.regions.of(codes[:-1])
            arrays = [pa.array(column) for column in columns.values()] + [batch.column(name) for name, _ in self.others]
            yield pa.RecordBatch.from_arrays(arrays, names=[*columns, *(name for name, _ in self.others)])

    def _trace(self, traces: Sequence[Ints], codes: Sequence[AnyInts], frame: pl.DataFrame) -> Ints:
        total = np.zeros(frame.height, dtype=np.int64)
        for added, one in zip(traces, codes, strict=True):
            total += added[one]
        for name, own in self.others:
            total += column_traces(frame[name], own, self.key)
        return total


@dataclass(frozen=True, eq=False)
class PublishedCells:
    """The published cells of a table, column by column, in their order, and how the ranks of a row's cells are packed.

    Sorting by the words of ranks is sorting by the cells.
    """

    cells: tuple[pl.Series, ...]

    @property
    def packing(self) -> Packing:
        """How the ranks of a row are packed."""
        return Packing(tuple(len(one) for one in self.cells))

    def batch(self, ranks: Sequence[Ints], words: Sequence[Ints], batch: Batch, kept: Sequence[str]) -> Batch:
        """Write out the cells of some rows, and beside them their words and what goes with them as it is."""
        shown = [arrow_of(one.gather(rank)) for one, rank in zip(self.cells, ranks, strict=True)]
        arrays = [*shown, *(pa.array(word) for word in words), *(batch.column(name) for name in kept)]
        names = [f"p{place}" for place in range(len(shown))]
        return pa.RecordBatch.from_arrays(arrays, names=[*names, *self.packing.names("w"), *kept])


@dataclass(frozen=True, eq=False)
class FromKeys:
    """Writes out the cells of rows that have the keys of their cells (`q0`, ...) and their secret."""

    shown: PublishedCells
    cells: tuple[Dictionary, ...]
    """By quasi-identifier: the rank of each cell among the published ones, by its key."""
    secrets: tuple[Ints, ...]
    """By sensitive attribute: the rank of each secret's value."""
    kept: tuple[str, ...]
    """The columns that go on as they are."""

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Write out some batches of rows."""
        for batch in batches:
            if batch.num_rows:
                frame = frame_of(batch)
                secret = frame["secret"].to_numpy()
                ranks = [one.of(frame) for one in self.cells] + [rank[secret] for rank in self.secrets]
                yield self.shown.batch(ranks, self.shown.packing.pack(ranks), batch, self.kept)


@dataclass(frozen=True, eq=False)
class FromWords:
    """Writes out the cells of rows that have the words of their ranks."""

    shown: PublishedCells
    kept: tuple[str, ...]

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Write out some batches of rows."""
        for batch in batches:
            if batch.num_rows:
                frame = frame_of(batch)
                words = [frame[name].to_numpy() for name in self.shown.packing.names("w")]
                yield self.shown.batch(self.shown.packing.unpack(words), words, batch, self.kept)


def arrow_of(column: pl.Series) -> Any:
    """Return a column as an array of Arrow, texts and bytes as Spark has them."""
    array = column.to_arrow(compat_level=pl.CompatLevel.oldest())
    small = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}.get(array.type)
    return array if small is None else array.cast(small)


def frame_of(batch: Batch) -> pl.DataFrame:
    """Return a batch or a table of Arrow as a frame."""
    frame = pl.from_arrow(batch)
    assert isinstance(frame, pl.DataFrame)
    return frame
