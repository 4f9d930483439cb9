"""A release with (epsilon, delta)-differential privacy: rows drawn at random, at given levels, in cells of k rows.

The proof is that of `shoal.microdata.sampled_privacy`. It needs every published cell to follow from the row's own
values and from what was chosen without looking at the table: so levels are given, hierarchies are written down (a file
or a tree), and a value that a hierarchy does not name is a star. Nothing else about the table is written: not even how
many rows it has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.audit import audit
from shoal.core.arrays import Ints
from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ParameterError, ReleaseError, RoleError, Unsupported, nearest
from shoal.core.parameters import Numeral, spelled
from shoal.hierarchies import as_builder
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.microdata.sampled_privacy import GRAINS, Sampling, sampling
from shoal.release.certificate import canonical, seal
from shoal.release.files import file_hash
from shoal.tables.star_marks import STAR, cell_text
from shoal.tables.table import Table, TableLike
from shoal.tables.writing import write

KIND = "sampled release"
RANDOM = (
    "which rows of the table are published: each was drawn by itself, with probability beta",
    "the draws came from the operating system's source of secrets, and are kept nowhere",
)
RESTS_ON = (
    "every person has at most one row",
    "levels, hierarchies, types of columns, epsilon, delta and beta were chosen without looking at the table",
    "the draws are unknown to everybody, and the table is drawn from once: each further release adds its epsilon and"
    " its delta",
    "nothing else about the table is published, not even how many rows it has",
)


@dataclass(frozen=True, eq=False)
class SampledRelease:
    """A published sample, and how it was drawn."""

    table: pl.DataFrame
    sampling: Sampling
    levels: Mapping[str, int]

    @property
    def classes(self) -> int:
        """How many different rows are published."""
        return self.table.unique().height

    def stated(self) -> dict[str, Any]:
        """Return what the certificate says, but for hash and seal."""
        drawn = self.sampling
        return {
            "kind": KIND,
            "format": 1,
            "epsilon": spelled(drawn.epsilon),
            "delta": spelled(drawn.delta),
            "delta_reached": drawn.reached,
            "beta": str(drawn.beta),
            "k": drawn.k,
            "levels": dict(self.levels),
            "rows": self.table.height,
            "classes": self.classes,
            "random": list(RANDOM),
            "rests_on": list(RESTS_ON),
        }

    def save(self, folder: str | Path) -> Path:
        """Write a folder with public/ inside: the table and the certificate. It must not be there yet."""
        folder = Path(folder)
        if folder.exists():
            raise ReleaseError(f"{str(folder)!r} is there already", hint="name a folder that is not there")
        with replacing(folder) as beside:
            (beside / "public").mkdir(parents=True)
            write(self.table, beside / "public" / "table.csv")
            content = {**self.stated(), "hashes": {"table": file_hash(beside / "public" / "table.csv")}}
            put_text(beside / "public" / "certificate.json", canonical({**content, "seal": seal(content)}))
        return folder


def sample(
    table: TableLike,
    *,
    levels: Mapping[str, int],
    epsilon: Numeral,
    delta: Numeral,
    beta: Numeral | None = None,
    hierarchies: Mapping[str, object] | None = None,
    draw: Callable[[int], Ints] | None = None,
) -> SampledRelease:
    """Publish a random sample of a table with (epsilon, delta)-differential privacy.

    `levels` names the columns that are published and the level of each: 0 is the value itself, the last level of its
    hierarchy is `*`. Columns that it does not name are left out. `hierarchies` are files, or trees, for columns above
    level 0. `beta` is the probability to draw a row, at most 1 - e^-epsilon, which is taken without it. `draw` is for
    tests: it returns a whole number below 2^32 for each row, in place of secret ones.

    >>> people = {"age": ["young"] * 400 + ["old"] * 3}
    >>> made = sample(people, levels={"age": 0}, epsilon=1, delta="1e-6")
    >>> made.table["age"].unique().to_list(), made.sampling.k
    (['young'], 74)
    """
    people = table if isinstance(table, pl.DataFrame) else Table.of(table).frame
    drawn = sampling(epsilon, delta, beta)
    if not levels:
        raise ParameterError("no levels are given", expected="a level for every column that is to be published")
    for name in (*levels, *(hierarchies or {})):
        if name not in people.columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, people.columns))
    numbers = (_secret if draw is None else draw)(people.height)
    rows = np.flatnonzero(numbers < int(drawn.beta * GRAINS))
    cells = [_cells(people[name].gather(rows), level, (hierarchies or {}).get(name)) for name, level in levels.items()]
    frame = pl.DataFrame(cells)
    names = frame.columns
    kept = frame.filter(pl.len().over(names) >= drawn.k).sort(names, nulls_last=True)
    if kept.height and not audit(kept, quasi=names, require=f"k={drawn.k}").holds:
        raise ReleaseError(f"the audit does not confirm k={drawn.k}: nothing is released")
    return SampledRelease(kept, drawn, dict(levels))


def _secret(rows: int) -> Ints:
    """Return a secret whole number below 2^32 for each row."""
    return np.frombuffer(os.urandom(4 * rows), dtype=np.uint32).astype(np.int64)


def _cells(column: pl.Series, level: int, spec: object) -> pl.Series:
    """Return what the rows of a column show: a function of each value alone."""
    text = cell_text(column)
    if level == 0:
        return text.alias(column.name)
    if level < 0:
        raise ParameterError(f"the level of {column.name!r} is {level}", expected="a whole number of at least 0")
    tree = None if spec is None else as_builder(spec)
    if tree is None:
        raise ParameterError(
            f"{column.name!r} has level {level} and no hierarchy", hint=f"give one: --hierarchy {column.name}=FILE"
        )
    if not isinstance(tree, Taxonomy):
        raise Unsupported(
            f"the hierarchy {tree.name!r} of {column.name!r} is made from the values of the table",
            hint="differential privacy needs one that is written down: a file or a tree",
        )
    height = len(tree.rows[0])
    if level > height:
        raise ParameterError(f"the level of {column.name!r} is {level}", expected=f"at most {height}, which is *")
    if level == height:
        return pl.Series(column.name, [STAR] * len(column), dtype=pl.String)
    labels = {row[0]: row[level] for row in tree.rows}
    missing = tree.missing[level - 1] or None if tree.missing else None
    shown = [missing if value is None else labels.get(value, STAR) for value in text]
    return pl.Series(column.name, shown, dtype=pl.String)
