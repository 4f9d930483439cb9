"""A release as an attacker reads it: its tables, what its cells cover, and whose rows they are where that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Floats, Ints
from shoal.coverage import ALONG_HIERARCHIES
from shoal.crowds import Cover, Places, cover_of
from shoal.errors import ReleaseError
from shoal.hierarchies import as_builder
from shoal.metric import Metric
from shoal.models import Models
from shoal.opened import Opened
from shoal.raising import Raised, as_raised
from shoal.release import Release
from shoal.requirement import parse_requirement
from shoal.table import STAR, distinct_sorted, numbered, unescaped


@dataclass(frozen=True, eq=False)
class Shown:
    """A release, as an attacker reads it, and which original row each published one is, where that is known."""

    tables: Mapping[str, pl.DataFrame]
    codebook: Mapping[str, Any]
    hierarchies: Mapping[str, Any]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    recoding: str
    models: Models
    rows: Ints | None
    raised: Mapping[str, Raised] = field(default_factory=dict)
    """The columns that were raised before all else, where that is known."""

    @classmethod
    def of(cls, release: Release | str | Path) -> Shown:
        """Read a release folder, or take a release in memory."""
        return cls._made(release) if isinstance(release, Release) else cls._read(Path(release))

    @classmethod
    def _made(cls, release: Release) -> Shown:
        stated = release.certificate
        models = parse_requirement(stated.require, _metrics(release.codebook))
        named = {"quasi": stated.quasi, "sensitive": stated.sensitive, "recoding": stated.recoding}
        trees, raised = release.config["hierarchies"], as_raised(release.config.get("coarsen", {}))
        rows = release.classes.kept
        return cls(release.tables, release.codebook, trees, **named, models=models, rows=rows, raised=raised)  # type: ignore[arg-type]

    @classmethod
    def _read(cls, folder: Path) -> Shown:
        if not (folder / "public").is_dir():
            raise ReleaseError(f"there is no release in {str(folder)!r}", expected="a folder with public/ inside")
        opened = Opened.of(folder, None)
        broken = opened.hashes_match()
        if broken:
            raise ReleaseError(f"the release was changed: {broken}", hint="shoal verify says more")
        path, stated = folder / "internal" / "rows.parquet", opened.certificate
        rows = pl.read_parquet(path)["row"].cast(pl.Int64).to_numpy() if path.is_file() else None
        named = {"quasi": stated.quasi, "sensitive": stated.sensitive, "recoding": stated.recoding}
        known = {"hierarchies": opened.hierarchies, "models": opened.models, "rows": rows, "raised": opened.raised}
        return cls(opened.tables, opened.codebook, **named, **known)  # type: ignore[arg-type]

    @property
    def frame(self) -> pl.DataFrame:
        """The table of the people."""
        return self.tables["table"]

    @property
    def counterfeits(self) -> int:
        """How many published rows are about nobody; those of the original end before them."""
        return int(self.codebook.get("counterfeits", 0))

    def secret(self, name: str) -> pl.Series:
        """The published values of a sensitive column, as they were before stars were escaped."""
        return unescaped((self.tables.get("sensitive", self.frame) if self.is_two else self.frame)[name])

    def cells(self, name: str, known: pl.Series) -> tuple[Ints, Cover, Places | None]:
        """Return the number of each published cell of a column, what each covers, and where a centroid lies.

        `known` are the values that people may have, numbered in their order.
        """
        if self.recoding == "centroid":
            return _centroids(self.frame[name], known)
        builder = as_builder(self.hierarchies.get(name, "auto")) if self.recoding in ALONG_HIERARCHIES else None
        null = self.codebook["marks"]["star"] != STAR and not self.is_two
        spans = self.recoding == "range"
        return *cover_of(self.frame[name], known, builder, spans=spans, stars_are_null=null), None

    @property
    def is_two(self) -> bool:
        """Whether there are two tables, of people and of sensitive values."""
        return self.recoding == "anatomy"


def _metrics(codebook: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Metric.of(one["labels"], one["distances"], name) for name, one in codebook["metrics"].items()}


@dataclass(frozen=True, eq=False)
class Rows:
    """Published rows with their sensitive values; of two tables a row for each value that a person's group has."""

    person: Ints
    """The row of the table of the people."""
    value: Ints
    """The row of the table that has the sensitive values."""
    weights: Floats
    first: Ints
    """A row here of each row of the table of the people."""
    group: Ints | None = None

    @classmethod
    def of(cls, shown: Shown) -> Rows:
        """Read them of a release."""
        rows = np.arange(shown.frame.height)
        if not shown.is_two:
            return cls(rows, rows, np.ones(len(rows)), rows)
        group, count = shown.codebook["names"]["group"], shown.codebook["names"]["count"]
        values = shown.tables["sensitive"].select(
            pl.col(group).alias("group"),
            (pl.col(count) / pl.col(count).sum().over(group)).alias("share"),
            pl.int_range(pl.len()).alias("value"),
        )
        people = shown.frame.select(pl.col(group).alias("group"), pl.int_range(pl.len()).alias("person"))
        both = people.join(values, on="group", maintain_order="left_right")
        person = both["person"].to_numpy()
        return cls(
            person,
            both["value"].to_numpy(),
            both["share"].to_numpy(),
            np.searchsorted(person, rows),
            both["group"].rank("dense").cast(pl.Int64).to_numpy() - 1,
        )

    def always(self) -> tuple[dict[str, Ints], dict[str, Cover]]:
        """Return what belongs to every class: the groups of two tables, which nobody's knowledge excludes."""
        if self.group is None:
            return {}, {}
        groups = np.arange(int(self.group.max()) + 1)
        return {"group?": self.group}, {"group?": Cover(np.array([0, len(groups)]), groups)}


def _centroids(shown: pl.Series, known: pl.Series) -> tuple[Ints, Cover, Places]:
    """Read a column of centroids: numbers and dates lie on a line as long as their range, other values do not."""
    values, cells = distinct_sorted(known), shown.unique(maintain_order=True)
    number = numbered(shown.to_frame("value"), cells.to_frame("value"))
    line = known.dtype.is_numeric() or known.dtype.is_temporal()
    if line:
        at, where = (_positions(column) for column in (cells, values))
        span = float(np.nanmax(where) - np.nanmin(where)) if np.isfinite(where).any() else 0.0
        places = Places(at / (span or 1.0), where / (span or 1.0), True)
    else:
        texts = {text: float(place) for place, text in enumerate(values.cast(pl.String))}
        at = np.array([texts.get(text, -1.0) for text in unescaped(cells).cast(pl.String)])
        places = Places(at, np.arange(len(values), dtype=np.float64), False)
    return number, Cover.of([np.zeros(0, dtype=np.int64)] * len(cells), len(values)), places


def _positions(column: pl.Series) -> Floats:
    physical = column.to_physical() if column.dtype.is_temporal() else column
    return physical.cast(pl.Float64).fill_null(float("nan")).to_numpy()
