"""A release with (epsilon, delta)-differential privacy: rows drawn at random, at given levels, in cells of k rows.

The proof is that of `shoal.microdata.sampled_privacy`. It needs every published cell to follow from the row's own
values and from what was chosen without looking at the table: so levels are given, hierarchies are written down (a file
or a tree), and a value that a hierarchy does not name is a star. Where a range of levels is given, the level is chosen
with a part of epsilon of its own (`shoal.microdata.private_choice`): the parts add up. Nothing else about the table is
written: not even how many rows it has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil, prod
from pathlib import Path
from secrets import randbits
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.audit import audit
from shoal.core.arrays import Ints
from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ParameterError, ReleaseError, RoleError, Unsupported, nearest
from shoal.core.parameters import Numeral, spelled
from shoal.hierarchies import as_builder
from shoal.hierarchies.level_range import LevelRange
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.microdata.private_choice import choose
from shoal.microdata.sampled_privacy import DELTA, EPSILON, GRAINS, Sampling, sampling
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
CHOSEN = "which of the levels in search are published: drawn by the exponential mechanism, better ones more likely"
RESTS_ON = (
    "every person has at most one row",
    "{levels}, hierarchies, types of columns, epsilon, delta and beta were chosen without looking at the table",
    "the draws are unknown to everybody, and the table is drawn from once: each further release adds its epsilon and"
    " its delta",
    "nothing else about the table is published, not even how many rows it has",
)
MOST_NODES = 10_000
"""Choices of levels that are compared, at most."""
ROOM = Fraction(1, 2**64)
"""The share of delta that is left for the random bits of a choice."""


@dataclass(frozen=True)
class Search:
    """How levels were chosen."""

    epsilon: Fraction
    """The part of epsilon that it took."""
    levels: Mapping[str, str]
    """The levels that each column could have."""
    nodes: int
    """How many choices there were."""
    crowd: int
    """The rows of the table in a cell from which on they count: so many that k of them are drawn on average."""


@dataclass(frozen=True, eq=False)
class SampledRelease:
    """A published sample, and how it was drawn."""

    table: pl.DataFrame
    sampling: Sampling
    levels: Mapping[str, int]
    search: Search | None = None
    """How levels were chosen; None where they were given."""

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of the whole release: that of the draws and that of the choice of levels."""
        return self.sampling.epsilon + (0 if self.search is None else self.search.epsilon)

    @property
    def classes(self) -> int:
        """How many different rows are published."""
        return self.table.unique().height

    def stated(self) -> dict[str, Any]:
        """Return what the certificate says, but for hash and seal."""
        drawn, search = self.sampling, self.search
        given = "levels" if search is None else "the ranges of levels"
        return {
            "kind": KIND,
            "format": 1,
            "epsilon": spelled(self.epsilon),
            "delta": spelled(drawn.delta),
            "delta_reached": drawn.reached,
            "beta": str(drawn.beta),
            "k": drawn.k,
            "levels": dict(self.levels),
            "rows": self.table.height,
            "classes": self.classes,
            "random": [*RANDOM, *([] if search is None else [CHOSEN])],
            "rests_on": [one.format(levels=given) for one in RESTS_ON],
            **({} if search is None else {"search": _stated(search)}),
        }

    def save(self, folder: str | Path) -> Path:
        """Write a folder with public/ inside: the table and the certificate. It must not be there yet."""
        folder = Path(folder)
        if folder.exists():
            raise ReleaseError(f"{str(folder)!r} exists already", hint="name another folder")
        with replacing(folder) as beside:
            (beside / "public").mkdir(parents=True)
            write(self.table, beside / "public" / "table.csv")
            content = {**self.stated(), "hashes": {"table": file_hash(beside / "public" / "table.csv")}}
            put_text(beside / "public" / "certificate.json", canonical({**content, "seal": seal(content)}))
        return folder


def _stated(search: Search) -> dict[str, Any]:
    return {
        "epsilon": spelled(search.epsilon),
        "levels": dict(search.levels),
        "nodes": search.nodes,
        "crowd": search.crowd,
    }


def sample(
    table: TableLike,
    *,
    levels: Mapping[str, object],
    epsilon: Numeral,
    delta: Numeral,
    beta: Numeral | None = None,
    search_epsilon: Numeral | None = None,
    hierarchies: Mapping[str, object] | None = None,
) -> SampledRelease:
    """Publish a random sample of a table with (epsilon, delta)-differential privacy.

    - `levels`: the columns that are published and the level of each: 0 is the value itself, the last level of its
      hierarchy is `*`. Columns that it does not name are left out. With a range, `1..3`, the level is searched for.
    - `epsilon`: the largest logarithm of a ratio of probabilities, from 0.001 to 5.
    - `delta`: the largest probability that the ratio is larger.
    - `beta`: the probability to draw a row, at most 1 - e^-epsilon, which is taken without it.
    - `search_epsilon`: the part of epsilon that the search for levels takes; needed with ranges of levels, and only so.
    - `hierarchies`: files, or trees, for columns above level 0.

    >>> people = {"age": ["young"] * 400 + ["old"] * 3}
    >>> made = sample(people, levels={"age": 0}, epsilon=1, delta="1e-6")
    >>> made.table["age"].unique().to_list(), made.sampling.k
    (['young'], 74)
    """
    return drawn_sample(table, levels, epsilon, delta, beta, search_epsilon, hierarchies)


def drawn_sample(
    table: TableLike,
    levels: Mapping[str, object],
    epsilon: Numeral,
    delta: Numeral,
    beta: Numeral | None = None,
    search_epsilon: Numeral | None = None,
    hierarchies: Mapping[str, object] | None = None,
    draw: Callable[[int], Ints] | None = None,
    bits: Callable[[int], int] = randbits,
) -> SampledRelease:
    """Publish a random sample: `draw` gives a secret whole number below 2^32 for each row, `bits` choose the levels."""
    people = table if isinstance(table, pl.DataFrame) else Table.of(table).frame
    if not levels:
        raise ParameterError("no levels are given", expected="a level for every column that is to be published")
    specs = hierarchies or {}
    for name in (*levels, *specs):
        if name not in people.columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, people.columns))
    asked = {name: LevelRange.of(given, name) for name, given in levels.items()}
    trees = {name: _Tree.of(name, asked[name], specs.get(name)) for name in asked}
    searched = _part_of_search(asked, epsilon, search_epsilon)
    allowed = DELTA.read(delta, "sampling")
    if not searched:
        drawn, search, chosen = sampling(epsilon, delta, beta), None, {name: one.least for name, one in asked.items()}
    else:
        drawn = sampling(EPSILON.read(epsilon, "sampling") - searched, allowed * (1 - ROOM), beta)
        drawn = replace(drawn, delta=allowed)
        search, chosen = _searched(people, trees, drawn, searched, bits)
    numbers = (_secret if draw is None else draw)(people.height)
    rows = np.flatnonzero(numbers < int(drawn.beta * GRAINS))
    frame = pl.DataFrame([trees[name].cells(people[name].gather(rows), level) for name, level in chosen.items()])
    names = frame.columns
    kept = frame.filter(pl.len().over(names) >= drawn.k).sort(names, nulls_last=True)
    if kept.height and not audit(kept, quasi=names, require=f"k={drawn.k}").holds:
        raise ReleaseError(
            f"the audit does not confirm k={drawn.k}: nothing is released",
            hint="please report this: it is a fault of shoal",
        )
    return SampledRelease(kept, drawn, chosen, search)


def _part_of_search(asked: Mapping[str, LevelRange], epsilon: Numeral, given: Numeral | None) -> Fraction:
    """Return the part of epsilon that the search for levels takes; 0 where every level is given."""
    ranged = [name for name, one in asked.items() if one.least != one.most]
    if not ranged and given is not None:
        raise ParameterError(
            "search_epsilon is given, and every column has one level, so nothing is searched", hint="leave it out"
        )
    if not ranged:
        return Fraction(0)
    if given is None:
        raise ParameterError(
            f"{ranged[0]!r} has a range of levels to search, and search_epsilon is not given",
            hint="give --search-epsilon, such as a tenth of epsilon, or one level for each column",
        )
    part, whole = EPSILON.read(given, "search"), EPSILON.read(epsilon, "sampling")
    if whole - part < Fraction(EPSILON.minimum or 0):
        raise ParameterError(
            f"search_epsilon is {spelled(part)}",
            expected=f"well below {spelled(whole)}, the whole epsilon",
        )
    return part


def _searched(
    people: pl.DataFrame, trees: Mapping[str, _Tree], drawn: Sampling, epsilon: Fraction, bits: Callable[[int], int]
) -> tuple[Search, dict[str, int]]:
    """Choose levels with epsilon-differential privacy.

    The score of a choice is the number of rows in cells with a crowd of rows, times the share of detail that the levels
    leave. A row more fills one cell: at most a crowd of rows counts then that did not before, and none counts no more.
    """
    nodes = prod(len(tree.levels) for tree in trees.values())
    if nodes > MOST_NODES:
        raise ParameterError(
            f"there are {nodes:,} choices of levels", expected=f"at most {MOST_NODES:,}", hint="give smaller ranges"
        )
    crowd = ceil(drawn.k / drawn.beta)
    columns = {name: {level: tree.cells(people[name], level) for level in tree.levels} for name, tree in trees.items()}
    options = [dict(zip(trees, levels, strict=True)) for levels in product(*(tree.levels for tree in trees.values()))]
    scores = []
    for option in options:
        shown = pl.DataFrame([columns[name][level] for name, level in option.items()])
        counts = shown.group_by(shown.columns).len("".join(shown.columns) + "#")[:, -1]
        detail = sum((trees[name].detail(level) for name, level in option.items()), Fraction(0)) / len(trees)
        scores.append(detail * int(counts.filter(counts >= crowd).sum()))
    chosen = options[choose(scores, crowd, epsilon, bits)]
    ranges = {name: f"{tree.levels[0]}..{tree.levels[-1]}" for name, tree in trees.items()}
    return Search(epsilon, ranges, nodes, crowd), chosen


def _secret(rows: int) -> Ints:
    """Return a secret whole number below 2^32 for each row."""
    return np.frombuffer(os.urandom(4 * rows), dtype=np.uint32).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Tree:
    """The hierarchy of a column, and the levels that it may have."""

    levels: Sequence[int]
    height: int
    labels: Sequence[Sequence[str]] = ()
    missing: Sequence[str] = ()

    @classmethod
    def of(cls, name: str, asked: LevelRange, spec: object) -> _Tree:
        """Read a hierarchy that is written down; none is needed for the values themselves."""
        if asked.most == 0:
            return cls((0,), 1)
        tree = None if spec is None else as_builder(spec)
        if tree is None:
            raise ParameterError(
                f"{name!r} has level {asked} and no hierarchy", hint=f"give one: --hierarchy {name}=FILE"
            )
        if not isinstance(tree, Taxonomy):
            raise Unsupported(
                f"the hierarchy {tree.name!r} of {name!r} is built from the values of the table",
                hint="differential privacy needs one that is written down: a file or a tree",
            )
        height = len(tree.rows[0])
        if max(asked.least, asked.most or 0) > height:
            raise ParameterError(f"the level of {name!r} is {asked}", expected=f"at most {height}, which is *")
        levels = range(asked.least, (height if asked.most is None else asked.most) + 1)
        return cls(levels, height, tree.rows, tree.missing or ())

    def detail(self, level: int) -> Fraction:
        """Return the share of the levels that is not lost."""
        return 1 - Fraction(level, self.height)

    def cells(self, column: pl.Series, level: int) -> pl.Series:
        """Return what the rows of a column show: a function of each value alone."""
        text = cell_text(column)
        if level == 0:
            return text.alias(column.name)
        if level == self.height:
            return pl.Series(column.name, [STAR] * len(column), dtype=pl.String)
        labels = {row[0]: row[level] for row in self.labels}
        missing = self.missing[level - 1] or None if self.missing else None
        shown = [missing if value is None else labels.get(value, STAR) for value in text]
        return pl.Series(column.name, shown, dtype=pl.String)
