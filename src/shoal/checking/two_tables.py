"""Two published tables read together: people with the number of their group, sensitive values counted by group.

This is the checker's own reading of them: it shares no code with `shoal.recoding.anatomy`, which makes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.core.errors import RoleError, TableError, nearest


def sensitive_rows(
    people: pl.DataFrame, counted: pl.DataFrame, sensitive: Sequence[str], *, group: str, count: str
) -> pl.DataFrame:
    """Return group and sensitive values, a row for each row that was counted: who it is about is not known.

    Guarantees that each group has as many rows here as people; raises where the two tables do not fit.
    """
    for frame, name in ((people, group), *((counted, name) for name in (group, *sensitive, count))):
        if name not in frame.columns:
            raise RoleError(f"there is no column {name!r} in one of the two tables", hint=nearest(name, frame.columns))
    both = [name for name in sensitive if name in people.columns]
    if both:
        raise RoleError(f"the sensitive column {both[0]!r} is in both tables", expected="it in the second table alone")
    _check_counts(counted[count])
    _check_sizes(people[group], counted.select(group, count), group, count)
    times = counted[count].cast(pl.Int64).to_numpy()
    return counted.select(group, *sensitive)[np.repeat(np.arange(counted.height), times)]


def _check_counts(counts: pl.Series) -> None:
    if not counts.dtype.is_integer() or counts.null_count() or (counts < 1).any():
        raise TableError(f"column {counts.name!r} does not count rows", expected="whole numbers of at least 1")


def _check_sizes(people: pl.Series, counted: pl.DataFrame, group: str, count: str) -> None:
    """Compare how many rows each group has in both tables."""
    if people.dtype != counted[group].dtype:
        raise TableError(f"column {group!r} is of another type in the other table", expected="the same groups in both")
    rows = people.alias("group").to_frame().group_by("group").agg(rows=pl.len().cast(pl.Int64))
    values = counted.select(group=group, count=pl.col(count).cast(pl.Int64)).group_by("group").agg(pl.sum("count"))
    sizes = rows.join(values, on="group", how="full", nulls_equal=True)
    wrong = sizes.height - int((sizes["rows"] == sizes["count"]).fill_null(False).sum())
    if wrong:
        raise TableError(
            f"{wrong:,} groups have another number of rows than of sensitive values",
            expected="the two tables of one release",
        )


def reconstruction_error(counted: pl.DataFrame, *, group: str, count: str, dropped: int) -> float:
    """Return the mean reconstruction error of a second table, rows that were dropped counted as 1."""
    squares = counted.group_by(group).agg(rows=pl.sum(count), squares=(pl.col(count).cast(pl.Float64) ** 2).sum())
    rows = int(counted[count].sum())
    told = float((squares["squares"] / squares["rows"]).sum())
    return (rows - told + dropped) / (rows + dropped)


def miscounted_groups(people: pl.DataFrame, counted: pl.DataFrame, *, group: str, count: str) -> int:
    """Return how many groups have other sensitive values than these people, whose values are known here."""
    values = [name for name in counted.columns if name != count]
    found = people.select(values).group_by(values).agg(pl.len().cast(pl.Int64).alias(count))
    stated = counted.select(*values, pl.col(count).cast(pl.Int64))
    columns = [*values, count]
    missing = stated.join(found, on=columns, how="anti", nulls_equal=True)[group]
    extra = found.join(stated, on=columns, how="anti", nulls_equal=True)[group]
    return pl.concat([missing, extra]).n_unique()
