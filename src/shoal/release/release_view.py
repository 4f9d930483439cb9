"""A release as it is read by whoever has it: its tables, what it says of itself, and whose rows they are if known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.masked_columns import expected as masked_anew
from shoal.checking.withheld_values import withheld_rows
from shoal.core.arrays import Bools, Ints
from shoal.core.errors import ReleaseError, TableError
from shoal.hierarchies.cell_forms import CellForm, form_of, form_of_column
from shoal.hierarchies.raising import Raised, as_raised
from shoal.models import Models
from shoal.models.orders import as_read
from shoal.release.files import read_rows
from shoal.release.release import Release
from shoal.release.release_reader import Opened, stated_models
from shoal.tables.readers.base import names_folder
from shoal.tables.star_marks import STAR, escape_stars
from shoal.tables.table import Table, TableLike


@dataclass(frozen=True, eq=False)
class Shown:
    """What is read of a release, from memory or from its folder."""

    tables: Mapping[str, pl.DataFrame]
    codebook: Mapping[str, Any]
    hierarchies: Mapping[str, Any]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    recoding: str
    models: Models
    rows: Ints | None
    """Which row of the original each row stands for; None where nothing says it."""
    raised: Mapping[str, Raised] = field(default_factory=dict)
    """The columns that were raised before all else, where that is known."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The request as it was understood, where that is known."""

    masks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The masked columns, each with its mask; with its key where the internal part is known."""

    method: str = ""
    """The method that made it, where that is known."""

    @classmethod
    def of(cls, release: Release | str | Path) -> Shown:
        """Read a release folder, or take a release in memory; raise `ReleaseError` if the folder was changed."""
        return cls._made(release) if isinstance(release, Release) else cls._read(Path(release))

    @classmethod
    def _made(cls, release: Release) -> Shown:
        stated, book = release.certificate, release.codebook
        return cls(
            tables=release.tables,
            codebook=book,
            hierarchies=release.config["hierarchies"],
            quasi=stated.quasi,
            sensitive=stated.sensitive,
            recoding=stated.recoding,
            models=stated_models(stated.require, book),
            rows=release.classes.kept,
            raised=as_raised(release.config.get("coarsen", {})),
            config=release.config,
            masks=release.config.get("masks", {}),
            method=stated.method,
        )

    @classmethod
    def _read(cls, folder: Path) -> Shown:
        if not names_folder(folder / "public"):
            raise ReleaseError(f"there is no release in {str(folder)!r}", expected="a folder with public/ inside")
        opened = Opened.of(folder, None)
        broken = opened.hash_problem()
        if broken:
            raise ReleaseError(f"the release was changed: {broken}", hint="run shoal verify for details")
        path, stated = folder / "internal" / "rows.parquet", opened.certificate
        return cls(
            tables=opened.tables,
            codebook=opened.codebook,
            hierarchies=opened.hierarchies,
            quasi=stated.quasi,
            sensitive=stated.sensitive,
            recoding=stated.recoding,
            models=opened.models,
            rows=read_rows(path)["row"].cast(pl.Int64).to_numpy() if path.is_file() else None,
            raised=as_raised(opened.config.get("coarsen", {})),
            config=opened.config,
            masks=opened.config.get("masks", stated.masks),
            method=stated.method,
        )

    def as_read(self, original: TableLike) -> Table:
        """Return the original as the request wanted it read: spellings unified, words in order."""
        return as_read(Table.of(original), self.config)

    def as_masked(self, original: pl.DataFrame) -> pl.DataFrame:
        """Return the original with those masked columns altered whose cells follow from the values they hide."""
        made = (masked_anew(original[name], mask) for name, mask in self.masks.items() if name in original.columns)
        return original.with_columns(column for column in made if column is not None)

    @cached_property
    def drawn(self) -> frozenset[str]:
        """The columns whose cells a mask drew at random, or hides by a key that is not here."""
        made = {name: masked_anew(self._published(name)[:0], mask) for name, mask in self.masks.items()}
        return frozenset(name for name, column in made.items() if column is None)

    def _published(self, name: str) -> pl.Series:
        return next(table[name] for table in self.tables.values() if name in table.columns)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The sensitive columns whose published values are those of people."""
        return tuple(name for name in self.sensitive if name not in self.drawn)

    @property
    def frame(self) -> pl.DataFrame:
        """The table of the people."""
        return self.tables["table"]

    @property
    def form(self) -> CellForm:
        """What the name of the recoding says of its cells."""
        return form_of(self.recoding)

    def form_of(self, name: str) -> CellForm:
        """Return what is known of the cells of one quasi-identifier."""
        return form_of_column(self.codebook, name) if self.form.by_column else self.form

    @property
    def column_recodings(self) -> dict[str, str]:
        """By column, how it was recoded, where columns were recoded in different ways."""
        return {one["name"]: one["recoding"] for one in self.codebook["columns"] if "recoding" in one}

    @property
    def is_two(self) -> bool:
        """Whether there are two tables, of people and of sensitive values."""
        return self.form.two_tables

    @property
    def stars_are_null(self) -> bool:
        """Whether a quasi-identifier's missing cell is a star."""
        return not self.is_two and bool(self.codebook["marks"]["star"] != STAR)

    @property
    def counterfeits(self) -> int:
        """How many published rows are about nobody; their numbers come after those of the original."""
        return int(self.codebook.get("counterfeits", 0))

    @property
    def withheld(self) -> int:
        """Of how many suppressed rows no sensitive value is published."""
        return int(self.codebook.get("withheld", 0))

    @cached_property
    def hidden_rows(self) -> Bools:
        """The published rows that show no sensitive value."""
        if not self.withheld:
            return np.zeros(self.frame.height, dtype=bool)
        return withheld_rows(self.frame, self.quasi, self.sensitive)

    def with_withheld(self, original: pl.DataFrame) -> Shown:
        """Return the release with the values of the original where none is published.

        Whoever knows how often each value occurs in the original can subtract what is shown, and has them as a class.
        """
        if not self.withheld or self.rows is None:
            return self
        hidden = pl.Series(self.hidden_rows)
        source, shown = original[self.rows], self.frame
        filled = [
            pl.select(pl.when(hidden).then(_as_published(source[name], shown[name])).otherwise(shown[name]).alias(name))
            for name in self.secrets
        ]
        return replace(self, tables={**self.tables, "table": shown.with_columns(one.to_series() for one in filled)})

    def real(self, people: int) -> Ints:
        """Return the published rows that are about somebody, of an original with so many people; raise if too few."""
        if self.rows is None:
            return np.arange(self.frame.height)
        if int(self.rows.max(initial=-1)) >= people + self.counterfeits:
            raise TableError(
                f"the original has {people:,} rows, too few for this release",
                expected="the table that the release was made from",
            )
        return np.flatnonzero(self.rows < people)


def _as_published(original: pl.Series, shown: pl.Series) -> pl.Series:
    """Return values of the original as they would be published, of the type of what is."""
    return (escape_stars(original) if original.dtype == pl.String else original).cast(shown.dtype)
