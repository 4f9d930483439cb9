"""A release whose rows are in Spark: its certificate comes from an audit that groups them in Spark."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audit import Audit, audit
from shoal.certificate import Certificate
from shoal.engines.counting import Counted
from shoal.engines.decided import Decided
from shoal.engines.session import SparkFrame, asking
from shoal.errors import ParameterError, TableError
from shoal.marks import count_literal_stars
from shoal.release import seal_folder, write_folder
from shoal.roles import Roles

FORMAT = "parquet"


@dataclass(frozen=True, eq=False)
class SparkRelease:
    """A table in Spark that may be published, and the proof of what it guarantees.

    `table` is a Spark frame, sorted by its cells; Spark works it out when it is asked for. `save` writes the folder.
    """

    table: SparkFrame
    decided: Decided = field(repr=False)
    roles: Roles = field(repr=False)

    @cached_property
    def audit(self) -> Audit:
        """What the table gives, measured from its cells, which Spark groups."""
        return self._audited(self.table)

    @cached_property
    def certificate(self) -> Certificate:
        """What the audit confirms; an error where it does not."""
        return self.decided.certify(self.audit)

    def confirmed(self) -> SparkRelease:
        """Guarantees that the audit has confirmed every model: what it refuses raises an error here."""
        self.decided.certify(self.audit)
        return self

    @property
    def config(self) -> Mapping[str, Any]:
        """The request, with what was chosen where nothing was said."""
        return self.decided.config

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was decided without being asked."""
        return self.decided.decisions

    def save(self, folder: str | Path, *, format: str = FORMAT, overwrite: bool = False) -> Path:
        """Let Spark write the table, audit what it wrote, and seal the folder; every worker must see its path.

        The certificate is that of the written table.
        """
        if format != FORMAT:
            raise ParameterError(f"format {format!r} with the engine spark", expected=FORMAT)
        return write_folder(folder, self._write, overwrite=overwrite)

    def _write(self, folder: Path) -> None:
        path = folder.absolute() / "public" / f"table.{FORMAT}"
        parts = folder.absolute() / "parts"
        with asking("write the table where every worker and the driver see it"):
            self.table.write.parquet(str(parts))
        _join_parts(parts, path, self.decided.shown.schema)
        found = self._audited(self.table.sparkSession.read.parquet(str(path)))
        certificate = self.decided.certify(found)
        seal_folder(folder, {"table": path}, certificate, self._codebook(path), self.config, self.decisions)

    def _audited(self, table: SparkFrame) -> Audit:
        """Audit a published table, which Spark groups by quasi-identifiers and sensitive values."""
        keys = (*self.roles.quasi, *self.roles.sensitive)
        places = [f"c{place}" for place in range(len(table.columns))]
        own = dict(zip(places, table.columns, strict=True))
        names = [place for place in places if own[place] in keys]
        counted = Counted.of(table.toDF(*places), names)
        cells = counted.rows().rename({name: own[name] for name in names})
        if cells.height != len(self.decided.partition.kept):
            raise TableError(
                f"{cells.height:,} rows were published, {len(self.decided.partition.kept):,} were decided on: "
                "the table changed while it was worked on",
                hint="give a frame that Spark works out the same way each time, or cache it",
            )
        return audit(
            cells,
            quasi=self.roles.quasi,
            sensitive=self.roles.sensitive,
            require=self.decided.models,
            hierarchies=self.decided.hierarchies,
            population=self.decided.population,
        )

    def _codebook(self, path: Path) -> dict[str, Any]:
        """Return the codebook with the columns that no method saw, and the types that were written."""
        types = pl.read_parquet_schema(path)
        book = dict(self.decided.codebook)
        rest = [
            {"name": name, "role": "other", "original_type": str(types[name].base_type()), **_marks(path, name)}
            for name in self.roles.other
        ]
        book["columns"] = [{**column, "type": str(types[column["name"]])} for column in [*book["columns"], *rest]]
        return book


def _marks(path: Path, name: str) -> dict[str, int]:
    """Count what a written column that nobody altered shows as missing, as empty strings and as escaped stars."""
    column = pl.scan_parquet(path).select(pl.col(name)).collect()[name]
    text = column.dtype == pl.String
    return {
        "stars": 0,
        "missing": column.null_count(),
        "empty_strings": int((column == "").sum()) if text else 0,
        "literal_stars": count_literal_stars(column) if text else 0,
    }


def _join_parts(parts: Path, path: Path, schema: pl.Schema) -> None:
    """Join the sorted files that Spark wrote, each a range of the table, into one: a pass that holds no table."""
    written = sorted(file for file in parts.glob(f"*.{FORMAT}") if not file.name.startswith((".", "_")))
    files = [file for file in written if pl.scan_parquet(file).select(pl.len()).collect().item()]
    heads = pl.concat([pl.scan_parquet(file).head(1) for file in files]).collect()
    order = heads.with_row_index(number := "".join(heads.columns) + "#").sort(heads.columns, nulls_last=True)[number]
    pl.scan_parquet([files[place] for place in order]).cast(schema).sink_parquet(path, maintain_order=True)
    shutil.rmtree(parts)
