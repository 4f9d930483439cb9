"""A hard table as files: the table, and the metric of its requirement beside it where it has one of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shoal.core.errors import TableError, cannot_write
from shoal.core.parameters import spelled
from shoal.models import TCloseness
from shoal.models.metric import Metric
from shoal.studies.hardness.base import Reduction
from shoal.tables.writing import write


def write_hard(reduction: Reduction, path: Path) -> str:
    """Write the table, and a metric into `path`'s name with _metric.csv at the end; return the requirement in words."""
    require = reduction.require
    try:
        write(reduction.frame, path)
        if isinstance(require, TCloseness) and isinstance(require.distance, Metric):
            beside = path.parent / f"{path.name.split('.')[0]}_metric.csv"
            beside.write_text(_lines(require.distance), encoding="utf-8")
            require = replace(require, distance=replace(require.distance, source=str(beside)))
    except OSError as error:
        raise cannot_write(path, error, TableError) from error
    return str(require)


def _lines(metric: Metric) -> str:
    """Return the metric as the file that `Metric.read` reads."""
    rows = zip(metric.labels, metric.distances, strict=True)
    lines = [",".join((label, *map(spelled, row))) for label, row in rows]
    return "\n".join([",".join(("", *metric.labels)), *lines]) + "\n"
