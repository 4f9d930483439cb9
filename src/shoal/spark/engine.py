"""Spark: rows stay where they are, and what they become is decided from counts, or by the workers region by region.

    Spark frame --domains--> driver: codes, hierarchies, distribution of sensitive values
         |                      |
         |   any method         +-- counts of distinct rows --> classes, on the driver; join on whole numbers
         |   mondrian, anneal,  +-- counts of codes --> regions, on the driver; classes, on the workers
         |   hilbert            |
         v                                                              |
    rows as whole numbers ----------------------------------------------+--> sort --> table --audit in Spark--> release

Nothing depends on where rows are, on their order or on chance: a task that fails and is run again gives the same rows.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from shoal.core.errors import TableError, Unsupported
from shoal.recoding.recode import recoding_named
from shoal.spark.by_counts import publish_by_counts
from shoal.spark.by_regions import is_for_workers, publish_by_regions
from shoal.spark.columns import Numbered
from shoal.spark.domains import Domains
from shoal.spark.engine_contract import Asked
from shoal.spark.release import SparkRelease
from shoal.spark.rows import SparkRows
from shoal.spark.session import SparkFrame, asking, check_installed
from shoal.tables.roles import Roles


def publish(frame: SparkFrame, roles: Roles, asked: Asked, *, as_text: bool = False) -> SparkRelease:
    """Encode in Spark, decide, and give each row its cells; `as_text`: find out the types of columns of text."""
    people = Numbered.of(frame, roles)
    if people.infinite:
        raise TableError(
            f"column {people.infinite[0]!r} has infinite values",
            expected="numbers or missing values",
            hint="replace them before anonymizing",
        )
    asked.progress(0.0, "counting values")
    people = people.spelt_once()
    domains = Domains.of(people, as_text=as_text)
    rows = SparkRows(people, domains, secrets.token_hex(32))
    posed = asked.pose(domains)
    if posed is not None and is_for_workers(posed.problem):
        release = publish_by_regions(rows, posed, asked.progress)
    else:
        release = publish_by_counts(rows, asked.decide)
    decisions = (*domains.spelling, *release.decided.decisions)
    return replace(release, decided=replace(release.decided, decisions=decisions))


def columns_of(data: SparkFrame) -> list[str]:
    """Return the names of the columns of a frame; what is no frame of Spark is refused."""
    check_installed()
    if not (hasattr(data, "sparkSession") and hasattr(data, "groupBy")):
        raise Unsupported(
            f"the engine spark works on Spark data frames, and this is a {type(data).__name__}",
            hint="leave engine out, or read the table with Spark",
        )
    with asking("read the columns"):
        return list(data.columns)


def check_request(*, recoding: str, neutralise: bool) -> None:
    """Refuse what needs the rows in memory."""
    if recoding_named(recoding).two_tables:
        raise Unsupported(
            "the recoding anatomy makes two tables, and the engine spark makes one",
            hint="use another recoding, or leave engine out",
        )
    if neutralise:
        raise Unsupported(
            "neutralise is not for the engine spark: it writes Parquet, and no spreadsheet runs formulas from that",
            hint="leave it out",
        )
