"""What `anonymize --engine spark` does: Spark reads the table, holds its rows, and writes the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, Unsupported
from shoal.methods.base import Progress
from shoal.request import Request
from shoal.tables.writers.base import formats


@dataclass(frozen=True)
class Spark:
    """Whether the rows are to stay in Spark, and in which."""

    wanted: bool
    master: str | None

    @classmethod
    def asked(cls, settings: dict[str, Any]) -> Spark:
        """Take the engine out of the settings, and refuse before any work what it cannot do."""
        engine, master = settings.pop("engine", "local"), settings.pop("spark_master", None)
        if engine not in ("local", "spark"):
            raise ParameterError(f"--engine {engine}", expected="local or spark")
        if engine == "local" and master is not None:
            raise ParameterError("--spark-master is given without --engine spark", hint="add --engine spark")
        if engine == "spark" and settings.get("registry"):
            raise Unsupported(
                "--registry cannot be used with --engine spark: earlier releases are compared in memory",
                hint="leave it out, and use `shoal register`",
            )
        if engine == "spark" and settings.get("report"):
            raise Unsupported(
                "--report cannot be used with --engine spark", hint="leave it out, and use `shoal report` afterwards"
            )
        return cls(engine == "spark", master)

    @property
    def format(self) -> str | None:
        """The format that is written where none is named; None for that of the file."""
        return "parquet" if self.wanted else None

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that can be written."""
        if not self.wanted:
            return formats()
        from shoal.spark.release import FORMATS as OF_SPARK  # loaded only where Spark is asked for

        return OF_SPARK

    def run(
        self,
        path: str | Path,
        reading: Mapping[str, Any],
        request: Request,
        folder: str | Path,
        saving: Mapping[str, Any],
        progress: Progress,
    ) -> None:
        """Read the table, publish it and write the release, all but the decision in Spark."""
        from shoal.spark.run import run_on_spark  # loaded only where Spark is asked for
        from shoal.spark.session import is_text, read_frame, session

        if reading["decimal"] not in (None, "."):
            raise Unsupported(
                f"--decimal {reading['decimal']} cannot be used with --engine spark", hint="give a Parquet file"
            )
        if reading["query"] is not None:
            raise Unsupported(
                "--from cannot be used with --engine spark", hint="read the table in Spark: shoal.spark.anonymize"
            )
        if reading["sheet"] is not None or reading["header_row"] is not None:
            raise Unsupported("a workbook cannot be read with --engine spark", hint="save the sheet as CSV or Parquet")
        progress(0.0, "starting Spark")
        frame = read_frame(session(self.master), path, separator=reading["separator"], encoding=reading["encoding"])
        release = run_on_spark(frame, request, progress, as_text=is_text(path))
        progress(1.0, "publishing")
        release.save(folder, **saving)
