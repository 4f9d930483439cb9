"""Decided on the driver, from the counts of distinct rows: for every method.

Rows that have the same quasi-identifiers and sensitive values are alike to every model, cost and method. So a method
needs no more than how many there are, and it does not matter which of them goes to which class: they are numbered by a
hash of their other columns, and the first so many go to the first class that takes some.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.core.errors import Infeasible
from shoal.spark.columns import TRACE
from shoal.spark.engine_contract import Decide, Decided
from shoal.spark.packing import Packing
from shoal.spark.release import SparkRelease
from shoal.spark.row_counts import Counted, Shares
from shoal.spark.rows import SparkRows
from shoal.spark.session import HAS_PYSPARK, SparkFrame, changed
from shoal.spark.whole_table import ranked
from shoal.spark.worker_batches import FromWords, PublishedCells
from shoal.tables.table import Table

if HAS_PYSPARK:
    from pyspark.sql import Window
    from pyspark.sql import functions as sql


def publish_by_counts(rows: SparkRows, decide: Decide) -> SparkRelease:
    """Count the distinct rows in Spark, decide here, join what was decided in Spark."""
    coded = rows.coded()
    counted = Counted.of(coded, rows.words)
    decided = _decided(rows, counted, decide)
    cells, places = zip(*map(ranked, decided.shown.iter_columns()), strict=True)
    shown = PublishedCells(cells)
    assigned = _assigned(rows, coded, counted, decided, shown.packing.pack(places), shown.packing).persist()
    table = rows.written_out(assigned, shown, FromWords(shown, tuple(rows.kept)))
    return SparkRelease(table, decided, rows.people.roles, rows.key, assigned, coded.select(TRACE))


def _decided(rows: SparkRows, counted: Counted, decide: Decide) -> Decided:
    """Decide on all rows, of which only the distinct ones came here."""
    domains = rows.domains
    if int(counted.counts.sum()) != domains.rows:
        raise changed()
    words = [counted.distinct[name].to_numpy() for name in rows.words]
    *codes, secret = domains.packing.unpack(words)
    quasi = [column.decode(one.astype(np.int32)) for column, one in zip(domains.columns, codes, strict=True)]
    sensitive = [column.decode(column.codes[secret]) for column in domains.sensitive]
    try:
        return decide(Table(counted.rows(pl.DataFrame([*quasi, *sensitive]))), rows.people.roles)
    except Infeasible as error:
        error.rows = ()  # the rows of Spark have no numbers
        raise


def _assigned(
    rows: SparkRows, coded: SparkFrame, counted: Counted, decided: Decided, words: list[np.ndarray], packing: Packing
) -> SparkFrame:
    """Give each row the ranks of its class's cells, by the number that it has among the rows that are alike."""
    shares = Shares.of(counted, decided.partition)
    names = packing.names("w")
    cells = counted.distinct[shares.number].with_columns(
        *[pl.Series(name, word[shares.sample]) for name, word in zip(names, words, strict=True)],
        start=pl.Series(shares.start),
        end=pl.Series(shares.end),
    )
    taken = coded.sparkSession.createDataFrame(cells.to_arrow())
    kept = [*names, *rows.kept]
    if shares.are_whole(counted):
        return coded.join(taken, rows.words, "inner").select(*kept)
    others = rows.people.others
    order = [sql.xxhash64(*others), *others] if others else [sql.lit(0)]
    number = sql.row_number().over(Window.partitionBy(*rows.words).orderBy(*order)) - 1
    joined = coded.withColumn("number", number).join(taken, rows.words, "inner")
    return joined.where((sql.col("number") >= sql.col("start")) & (sql.col("number") < sql.col("end"))).select(*kept)
