"""Anonymize a frame of Spark: rows stay there, and workers or counts decide what they become. Needs `shoal[spark]`.

The same steps where the rows are on many machines: what a row becomes is decided from counts, or by the workers, each
with a region of the table. Nothing here is loaded before it is asked for, and nothing is a scheduler, a shuffle or a
storage of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

from shoal.methods.base import Progress, silent
from shoal.models import Model, Models
from shoal.request import Request, Settings, takes_settings
from shoal.spark.release import SparkRelease
from shoal.spark.run import run_on_spark
from shoal.spark.session import SparkFrame

__all__ = ["SparkRelease", "anonymize", "run"]


@takes_settings("spark")
def anonymize(
    frame: SparkFrame,
    *,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model],
    **settings: Unpack[Settings],
) -> SparkRelease:
    """Publish a frame of Spark so that every class of equal quasi-identifiers meets every model.

    Either the audit, which groups the published table in Spark, confirms every model, or an error is raised. The
    settings are those of `shoal.anonymize`, and so is the cost: it is that of the method in memory, but for `hilbert`,
    which is cut at the ends of regions.

        release = shoal.spark.anonymize(df, quasi=["age", "zip"], sensitive=["illness"], require="k=5 l(illness)=3")
        release.table.write.saveAsTable("published")     # a frame of Spark
        release.save("release")                          # a folder that `shoal verify` checks
    """
    return run(frame, Request.of("spark", quasi=quasi, require=require, **settings))


def run(frame: SparkFrame, request: Request, progress: Progress = silent) -> SparkRelease:
    """Run a request; the audit has confirmed what is returned. `shoal.anonymize(engine="spark")` calls this."""
    return run_on_spark(frame, request, progress).confirmed()
