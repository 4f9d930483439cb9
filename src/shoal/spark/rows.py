"""The rows of a table in Spark on their way: encoded, given the ranks of their published cells, sorted, written out.

Between the steps Spark has whole numbers only, besides the columns that are published as they are. So it groups, joins
and sorts by one or two words a row, whatever the number and the types of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.microdata.row_fingerprints import cell_traces
from shoal.spark.columns import TRACE, Numbered, escaped
from shoal.spark.domains import Domains
from shoal.spark.regions import Regions
from shoal.spark.session import HAS_PYSPARK, SparkFrame, asking
from shoal.spark.worker_batches import Dictionary, Encoder, PublishedCells, Work

if HAS_PYSPARK:
    from pyspark.sql import functions as sql
    from pyspark.sql.types import LongType, StructField, StructType


@dataclass(frozen=True, eq=False)
class SparkRows:
    """The rows of a table in Spark, and the domains that they are encoded with."""

    people: Numbered
    domains: Domains
    key: str
    """What the traces of rows are hashed with."""

    @property
    def words(self) -> list[str]:
        """The columns that hold the codes of a row."""
        return self.domains.packing.names("k")

    @property
    def kept(self) -> list[str]:
        """The columns that go with a row as they are."""
        return [*self.people.others, TRACE]

    def coded(self, regions: Regions | None = None) -> SparkFrame:
        """Return the rows as words of codes, with traces and other columns; with their regions, if there are any."""
        kinds = dict(self.people.frame.dtypes)
        numbers = [*self.words, TRACE, *([] if regions is None else ["region"])]
        others = tuple(zip(self.people.others, self.people.roles.other, strict=True))
        encoder = replace(self._encoder, traces=self._traces, others=others, regions=regions)
        rows = mapped(self.people.frame, encoder, [*longs(numbers), *self.fields(self.people.others)])
        shown = [escaped(name, kinds[name]).alias(name) for name in self.people.others]
        return rows.select(*[sql.col(name) for name in numbers], *shown)

    def words_alone(self) -> SparkFrame:
        """Return no more of the rows than the words of their codes."""
        return mapped(self.people.frame.select(*self.people.keys), self._encoder, longs(self.words))

    @property
    def _encoder(self) -> Encoder:
        pairs = zip(self.domains.quasi, self.domains.columns, strict=True)
        quasi = tuple(Dictionary(one.distinct, column.codes) for one, column in pairs)
        secrets = self.domains.secrets
        numbered = Dictionary(secrets.distinct, np.arange(len(secrets.counts)))
        return Encoder(quasi, numbered, self.domains.packing, None, (), self.key)

    @cached_property
    def _traces(self) -> tuple[Ints, ...]:
        """What each code adds to the trace of a row: of a secret, all its values together."""
        quasi = [cell_traces(column.values, column.name, self.key) for column in self.domains.columns]
        secrets = np.zeros(len(self.domains.secrets.counts), dtype=np.int64)
        for column in self.domains.sensitive:
            secrets += cell_traces(column.values, column.name, self.key)[column.codes]
        return (*quasi, secrets)

    def fields(self, names: Sequence[str]) -> list[Any]:
        """Return some columns as Spark declares them."""
        known = {field.name: field for field in self.people.frame.schema.fields}
        return [known[name] if name in known else longs([name])[0] for name in names]

    def written_out(self, decided: SparkFrame, shown: PublishedCells, work: Work) -> SparkFrame:
        """Let the workers write out the cells of rows, and sort them; the trace of a row comes last."""
        first = pl.DataFrame([one.head(1).alias(f"p{place}") for place, one in enumerate(shown.cells)])
        sent = first.to_arrow(compat_level=pl.CompatLevel.oldest())
        cells = decided.sparkSession.createDataFrame(sent).schema.fields
        words = shown.packing.names("w")
        rows = mapped(decided, work, [*cells, *longs(words), *self.fields(self.kept)])
        order = [*words, *self.people.others]
        return rows.orderBy(*[sql.col(name).asc_nulls_last() for name in order]).drop(*words)


def mapped(frame: SparkFrame, work: Work, fields: Sequence[Any]) -> SparkFrame:
    """Let the workers do something with batches of rows."""
    return frame.mapInArrow(work.of_batches, StructType(list(fields)))


def longs(names: Sequence[str]) -> list[Any]:
    """Return columns of whole numbers as Spark declares them."""
    return [StructField(name, LongType()) for name in names]


def summed(frame: SparkFrame, work: Work, names: Sequence[str], doing: str) -> pl.DataFrame:
    """Let the workers count, add up what they found by all columns but the last, and bring it here."""
    *by, last = names
    found = mapped(frame, work, longs(names)).groupBy(*by).agg(sql.sum(last).alias(last))
    with asking(doing):
        return pl.DataFrame(found.toArrow())
