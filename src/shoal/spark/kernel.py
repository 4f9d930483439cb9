"""The local kernel: a worker runs a method of the library on the rows of its region, as part of the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.methods.base import Deadline, Method, silent
from shoal.spark.cell_keys import keys_of
from shoal.spark.domains import WorkerTable
from shoal.spark.packing import Packing
from shoal.spark.session import HAS_PYARROW
from shoal.spark.worker_batches import arrow_of, frame_of

if HAS_PYARROW:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Kernel:
    """Runs a method on the rows of one region, and gives each row the keys of its cells.

    The rows are sorted by all their columns before the method sees them: where they were changes nothing.
    """

    whole: WorkerTable
    method: type[Method]
    packing: Packing
    kept: tuple[str, ...]
    """The columns that go on as they are."""
    others: tuple[str, ...]
    """Those of them that are published, and so may break a tie."""

    def solve(self, table: Any) -> Any:
        """Work on the rows of a region, a table of Arrow."""
        frame = frame_of(table)
        order = frame.select(pl.arg_sort_by([*self.packing.names("k"), *self.others], nulls_last=True)).to_series()
        words = [frame[name].gather(order).to_numpy() for name in self.packing.names("k")]
        *codes, secrets = self.packing.unpack(words)
        problem = self.whole.part(codes, secrets)
        found = self.method().solve(problem, seed=0, deadline=Deadline(), progress=silent)
        published = problem.publish(found.partition)
        columns: dict[str, Any] = {}
        for place, cells in enumerate(published.cells):
            keys = keys_of(cells).gather(cells.of_group).gather(published.partition.class_of_row)
            columns[f"q{place}"] = arrow_of(keys)
        columns["secret"] = pa.array(secrets)
        kept = table.select(list(self.kept)).take(order.to_arrow())
        return pa.table({**columns, **{name: kept.column(name) for name in self.kept}})
