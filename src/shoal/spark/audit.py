"""The audit of a table in Spark: Spark groups its cells, and the definitions of the models decide from the counts.

Nothing is taken over from what was decided: the distinct cells are those that are found in the table. As whole numbers
they are grouped in Spark, so only numbers and counts travel to the driver.
"""

from __future__ import annotations

import numpy as np

from shoal.checking.audit import Audit, audit_counted
from shoal.spark.columns import Numbered
from shoal.spark.domains import Domains
from shoal.spark.engine_contract import Decided
from shoal.spark.row_counts import Counted
from shoal.spark.rows import SparkRows
from shoal.spark.session import SparkFrame, changed
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles


def audited(table: SparkFrame, roles: Roles, decided: Decided) -> Audit:
    """Audit a published table for the models that were asked for."""
    plain = table.toDF(*[f"c{place}" for place in range(len(table.columns))])
    keys = len(roles.quasi) + len(roles.sensitive)
    shown = Roles(roles.quasi, roles.sensitive)
    people = Numbered.of(plain.select(*plain.columns[:keys]).toDF(*roles.published[:keys]), shown)
    domains = Domains.of(people, as_text=False)
    rows, expected = SparkRows(people, domains, ""), len(decided.partition.kept)
    if domains.rows != expected:
        raise changed(f"{domains.rows:,} rows were published, {expected:,} were decided on: ")
    counted = Counted.of(rows.words_alone(), rows.words)
    *codes, secret = domains.packing.unpack([counted.distinct[name].to_numpy() for name in rows.words])
    quasi = [Coded(column.values, one.astype(np.int32)) for column, one in zip(domains.columns, codes, strict=True)]
    return audit_counted(
        quasi,
        [Coded(column.values, column.codes[secret]) for column in domains.sensitive],
        counted.counts,
        models=decided.models,
        builders=decided.hierarchies,
        population=None if decided.population is None else decided.population.frame,
    )
