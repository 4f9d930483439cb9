"""A release whose rows are in Spark: its certificate comes from an audit that groups them in Spark."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.audit import Audit
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.microdata.row_fingerprints import digest_of, places_among
from shoal.recoding.codebook import marks_of_values
from shoal.release.certificate import Certificate, canonical
from shoal.release.release import seal_folder, write_folder
from shoal.spark.audit import audited
from shoal.spark.columns import TRACE
from shoal.spark.engine_contract import Decided
from shoal.spark.session import SparkFrame, asking
from shoal.tables.roles import Roles

FORMATS = ("parquet", "parquet-parts")
"""One file, or a folder of the files that Spark wrote."""


@dataclass(frozen=True, eq=False)
class SparkRelease:
    """A table in Spark that may be published, and the proof of what it guarantees.

    `table` is a Spark frame, sorted by its cells; Spark works it out when it is asked for. `save` writes the folder.
    """

    traced: SparkFrame = field(repr=False)
    """The table, and last the trace of each row: a keyed hash of the row of the original."""
    decided: Decided = field(repr=False)
    roles: Roles = field(repr=False)
    key: str = field(repr=False)
    kept: SparkFrame = field(repr=False)
    """What Spark keeps so that nothing is worked out twice."""
    everybody: SparkFrame = field(repr=False)
    """The traces of all rows, those among them that are dropped."""

    @property
    def table(self) -> SparkFrame:
        """The published table."""
        return self.traced.drop(TRACE).toDF(*self.roles.published)

    @cached_property
    def audit(self) -> Audit:
        """What the table gives, measured from its cells, which Spark groups."""
        return audited(self.table, self.roles, self.decided)

    @cached_property
    def certificate(self) -> Certificate:
        """What the audit confirms; an error where it does not."""
        return self.decided.certify(self.audit)

    def confirmed(self) -> SparkRelease:
        """Guarantees that the audit has confirmed every model: what it refuses raises an error here."""
        self.decided.certify(self.audit)
        return self

    def free(self) -> None:
        """Let go of what Spark keeps; the table can still be worked out anew."""
        self.kept.unpersist()

    @property
    def config(self) -> Mapping[str, Any]:
        """The request, with what was chosen where nothing was said."""
        return self.decided.config

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was decided without being asked."""
        return self.decided.decisions

    def save(self, folder: str | Path, *, format: str = FORMATS[0], overwrite: bool = False) -> Path:
        """Let Spark write the table, audit what it wrote, and seal the folder; every worker must see its path.

        `parquet` is one file, `parquet-parts` a folder `table.parquet` of files that follow each other in their order.
        The certificate is that of the written table.
        """
        if format not in FORMATS:
            raise ParameterError(f"format {format!r} with the engine spark", expected=" or ".join(FORMATS))
        return write_folder(folder, lambda beside: self._write(beside, format), overwrite=overwrite)

    def _write(self, folder: Path, format: str) -> None:
        path, parts = folder.absolute() / "public" / "table.parquet", folder.absolute() / "parts"
        with asking("write the table where every worker and the driver see it"):
            self.traced.write.parquet(str(parts))
        self._publish(parts, path, folder / "internal", as_parts=format == "parquet-parts")
        shutil.rmtree(parts)
        found = audited(self.traced.sparkSession.read.parquet(str(path)), self.roles, self.decided)
        certificate = self.decided.certify(found)
        seal_folder(folder, {"table": path}, certificate, self._codebook(path), self.config, self.decisions)

    def _publish(self, parts: Path, path: Path, internal: Path, *, as_parts: bool) -> None:
        """Turn the sorted files that Spark wrote into the published table: in passes that hold no table.

        Of the traces, which tell the owner alone which row stands for which, only their order is kept.
        """
        files = _in_order(parts)
        written = [name for name in pl.read_parquet_schema(files[0]) if name != TRACE]
        names, types = dict(zip(written, self.roles.published, strict=True)), pl.Schema(self.decided.shown.schema)
        groups = [[file] for file in files] if as_parts else [files]
        if as_parts:
            path.mkdir()
        for number, group in enumerate(groups):
            shown = pl.scan_parquet(group).drop(TRACE).rename(names).cast(types)
            target = path / f"part-{number:05}.parquet" if as_parts else path
            shown.sink_parquet(target, maintain_order=True)
        published = pl.scan_parquet(files).select(TRACE).collect()[TRACE].to_numpy()
        everybody = self._of_everybody() if self.decided.partition.dropped else published
        pl.DataFrame({"row": places_among(published, everybody)}).write_parquet(internal / "rows.parquet")
        (internal / "original.json").write_text(canonical(digest_of(everybody, self.key)), encoding="utf-8")

    def _of_everybody(self) -> Ints:
        with asking("read the rows again"):
            return pl.DataFrame(self.everybody.toArrow())[TRACE].to_numpy()

    def _codebook(self, path: Path) -> dict[str, Any]:
        """Return the codebook with the columns that no method saw, and the types that were written."""
        table = pl.scan_parquet(path)
        types = table.collect_schema()
        book = dict(self.decided.codebook)
        rest = [
            {"name": name, "role": "other", "original_type": str(types[name].base_type()), **_marks(table, name)}
            for name in self.roles.other
        ]
        book["columns"] = [{**column, "type": str(types[column["name"]])} for column in [*book["columns"], *rest]]
        return book


def _marks(table: pl.LazyFrame, name: str) -> dict[str, int]:
    """Count what a written column that nobody altered shows as missing, as empty strings and as escaped stars."""
    column = table.select(pl.col(name)).collect()[name]
    return marks_of_values(column, np.ones(len(column), dtype=np.int64))


def _in_order(parts: Path) -> list[Path]:
    """Return the files that Spark wrote, each a range of the table, in the order of their first rows."""
    written = sorted(file for file in parts.glob("*.parquet") if not file.name.startswith((".", "_")))
    files = [file for file in written if pl.scan_parquet(file).select(pl.len()).collect().item()]
    heads = pl.concat([pl.scan_parquet(file).drop(TRACE).head(1) for file in files]).collect()
    order = heads.with_row_index(number := "".join(heads.columns) + "#").sort(heads.columns, nulls_last=True)[number]
    return [files[place] for place in order]
