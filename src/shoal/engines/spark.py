"""Spark: rows stay where they are, what they become is decided on the driver from the counts of distinct rows.

    Spark frame --group by--> distinct rows, counts --driver: any method--> classes, cells
         |                                                                      |
         +------------- the rows of a distinct row, numbered ----- join <-------+--> table --audit in Spark--> release

Rows that have the same quasi-identifiers and sensitive values are alike to every model, cost and method. So a method
needs no more than how many there are, and it does not matter which of them goes to which class: they are numbered by a
hash of their other columns, and the first so many go to the first class that takes some. The cost is that of the same
method in memory. A task that fails and is run again gives the same rows, for nothing depends on order or chance.
"""

from __future__ import annotations

import polars as pl

from shoal.csv_text import infer
from shoal.engines.columns import Numbered, escaped
from shoal.engines.counting import Counted, Shares
from shoal.engines.decided import Decide, Decided
from shoal.engines.release import SparkRelease
from shoal.engines.session import SparkFrame, asking, check_installed
from shoal.errors import Infeasible, TableError, Unsupported
from shoal.roles import Roles
from shoal.table import Table
from shoal.tidying import tidy


def publish(frame: SparkFrame, roles: Roles, decide: Decide, *, as_text: bool = False) -> SparkRelease:
    """Count in Spark, decide here, join in Spark; `as_text`: find out the types of columns of text."""
    people = Numbered.of(frame, roles)
    if people.infinite:
        raise TableError(
            f"column {people.infinite[0]!r} has infinite values",
            expected="numbers or missing values",
            hint="replace them before anonymizing",
        )
    counted = Counted.of(people.frame, people.keys)
    decided = _decided(counted, roles, decide, as_text)
    return SparkRelease(_assigned(people, counted, decided), decided, roles)


def columns_of(data: SparkFrame) -> list[str]:
    """Return the names of the columns of a frame; what is no frame of Spark is refused."""
    check_installed()
    if not (hasattr(data, "sparkSession") and hasattr(data, "groupBy")):
        raise Unsupported(
            f"the engine spark is for frames of Spark, and this is a {type(data).__name__}",
            hint="leave engine out, or read the table with Spark",
        )
    with asking("read the columns"):
        return list(data.columns)


def _decided(counted: Counted, roles: Roles, decide: Decide, as_text: bool) -> Decided:
    """Decide on all rows, of which only the distinct ones came here."""
    named = counted.distinct.rename(dict(zip(counted.distinct.columns, roles.quasi + roles.sensitive, strict=True)))
    typed = named.select(infer(column) for column in named.iter_columns()) if as_text else named
    try:
        return decide(Table(counted.rows(tidy(typed))), roles)
    except Infeasible as error:
        error.rows = ()  # the rows of Spark have no numbers
        raise


def _assigned(people: Numbered, counted: Counted, decided: Decided) -> SparkFrame:
    """Give each row the cells of its class, by the number that it has among the rows that are alike."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    order = [sql.xxhash64(*people.others), *people.others] if people.others else [sql.lit(0)]
    number = sql.row_number().over(Window.partitionBy(*people.keys).orderBy(*order)) - 1
    rows = people.frame.withColumn("number", number)
    cells = people.frame.sparkSession.createDataFrame(_cells(people, counted, decided).to_arrow())
    same = (sql.col("number") >= sql.col("start")) & (sql.col("number") < sql.col("end"))
    for name in people.keys:
        may_be_missing = bool(counted.distinct[name].null_count())
        key, value = sql.col(f"k_{name}"), sql.col(name)
        same = same & (value.eqNullSafe(key) if may_be_missing else value == key)
    kinds = dict(people.frame.dtypes)
    shown = [sql.col(f"p_{name}") for name in people.keys] + [
        escaped(name, kinds[name]).alias(f"p_{name}") for name in people.others
    ]
    joined = rows.join(cells, same, "inner").select(*shown)
    ordered = joined.orderBy(*[sql.col(name).asc_nulls_last() for name in joined.columns])
    return ordered.toDF(*people.roles.published)


def _cells(people: Numbered, counted: Counted, decided: Decided) -> pl.DataFrame:
    """Return for each distinct row, and each class that takes some of its rows, which it takes and what they become."""
    shares = Shares.of(counted, decided.partition)
    keys = counted.distinct[shares.number].rename({name: f"k_{name}" for name in people.keys})
    shown = decided.shown[shares.sample]
    shown = shown.rename({own: f"p_{name}" for own, name in zip(shown.columns, people.keys, strict=True)})
    return keys.hstack(shown).with_columns(start=pl.Series(shares.start), end=pl.Series(shares.end))


def check_request(*, recoding: str, neutralise: bool) -> None:
    """Refuse what needs the rows in memory."""
    if recoding == "anatomy":
        raise Unsupported("the engine spark makes one table, anatomy makes two", hint="use another recoding or engine")
    if neutralise:
        raise Unsupported(
            "the engine spark writes Parquet, of which no spreadsheet runs a cell", hint="leave neutralise out"
        )
