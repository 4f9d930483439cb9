"""Hierarchies written down by people: ARX-style CSV files, nested trees, JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.trees import Row, csv_rows, json_rows, tree_rows
from shoal.tables.star_marks import STAR

Labels = tuple[str, ...]


@dataclass(frozen=True, init=False)
class Taxonomy(Builder):
    """Guarantees the declared groups: `rows` has a row per leaf with its label on every level below the root.

    Leaves that do not occur in the column count as leaves all the same; a value that is no leaf is refused.
    Values match leaves by their text. `missing` are the labels of the missing value (an empty label: still
    missing); without it the missing value stays a block of its own.

    >>> tree = Taxonomy.from_tree({"Nordic": ["Sweden", "Norway"], "Iberia": ["Spain"]})
    >>> hierarchy = tree.build(pl.Series(["Spain", "Sweden"]))
    >>> hierarchy.labels, hierarchy.leaves[1].tolist()
    ((('Spain', 'Sweden'), ('Iberia', 'Nordic'), ('*',)), [1, 2])
    """

    name: ClassVar[str] = "taxonomy"
    meaning: ClassVar[str] = "groups written down in a file or a tree"

    rows: tuple[tuple[str, ...], ...] = ()
    missing: Labels = ()

    def __init__(self, rows: Iterable[Iterable[str]] = (), missing: Iterable[str] = ()) -> None:
        rows = list(rows)
        if any(isinstance(row, str) for row in rows):
            raise ParameterError("taxonomy: rows are given as text", expected="a list of a leaf and its labels per row")
        leaves, gap = _agreed([tuple(map(str, row)) for row in rows]), tuple(map(str, missing))
        labels = [*leaves.values(), *([gap] if gap else [])]
        if len({len(row) for row in labels}) > 1:
            raise HierarchyError("the rows have different numbers of labels", expected="one label per level")
        levels = _below_root(labels)
        object.__setattr__(self, "rows", tuple((leaf, *row[:levels]) for leaf, row in leaves.items()))
        object.__setattr__(self, "missing", gap[:levels])
        _check_groups([row[:levels] for row in labels], levels)
        self.build(pl.Series([*leaves, None]))

    @classmethod
    def from_csv(cls, path: str | Path, separator: str | None = None) -> Taxonomy:
        """Read a row `leaf;level 1;...;root` per leaf, no header, plain or gzip; the separator is guessed.

        A row with an empty leaf is that of the missing value.
        """
        return cls._rooted(csv_rows(path, separator))

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> Taxonomy:
        """Read a leaf and its labels, finest first, a row each; the leaf None is the missing value."""
        return cls._rooted(list(rows))

    @classmethod
    def from_tree(cls, tree: Mapping[str, object] | Sequence[object]) -> Taxonomy:
        """Read groups within groups, `{"Europe": {"North": ["Sweden"]}}`; None is the missing value."""
        return cls._rooted(tree_rows(tree))

    @classmethod
    def from_json(cls, path: str | Path) -> Taxonomy:
        """Read a tree, as `from_tree` does, from a JSON file, plain or gzip."""
        return cls._rooted(json_rows(path))

    @classmethod
    def _rooted(cls, rows: Sequence[Row]) -> Taxonomy:
        """Take off the last level where it is one label for all, whatever it is: `*` is put there anyway."""
        if len({row[1][-1:] for row in rows}) == 1:
            rows = [(leaf, labels[:-1]) for leaf, labels in rows]
        gaps = {labels for leaf, labels in rows if leaf is None}
        if len(gaps) > 1:
            raise HierarchyError("two rows for the missing value disagree", hint="keep one of them")
        return cls([(leaf, *labels) for leaf, labels in rows if leaf is not None], next(iter(gaps), ()))

    @property
    def declared(self) -> tuple[tuple[str, ...], ...]:
        """The leaves in the order of the file or tree, each with its labels."""
        return self.rows

    @cached_property
    def _labels(self) -> dict[str, Labels]:
        return {row[0]: row[1:] for row in self.rows}

    @cached_property
    def _leaves(self) -> list[dict[str, int]]:
        """Per level between the values and the root, how many declared leaves each label has."""
        counts = [Counter(row[level] for row in self.rows) for level in range(1, len(self.rows[0]))]
        for count, label in zip(counts, self.missing, strict=False):
            count.update([label] if label else [])
        return [dict(count) for count in counts]

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of leaves, or raise `HierarchyError` with the number of values that are none."""
        known = self._labels
        labels = [known.get(text, known.get(other)) for text, other in _readings(values.drop_nulls())]
        found = [row for row in labels if row is not None]
        if len(found) < len(labels):
            raise HierarchyError(
                f"{len(labels) - len(found):,} of {len(labels):,} values at level 0 are not among the"
                f" {len(self.rows):,} leaves of the hierarchy",
                hint="add a row for each of them, or name the file of another column",
            )
        has_missing = values.null_count() > 0
        leaves = [{}, *self._leaves, {STAR: len(self.rows) + (1 if self.missing or has_missing else 0)}]
        if self.missing and has_missing:
            return _with_missing(values, [*found, self.missing], leaves)
        return hierarchy_from_labels(values, _columns(found, len(self._leaves)), leaves)


def _with_missing(values: pl.Series, rows: Sequence[Labels], leaves: Sequence[dict[str, int]]) -> Hierarchy:
    """Build with a stand-in, longer than any text, for the missing value; then take the stand-in out."""
    texts = values.drop_nulls().cast(pl.String).to_list()
    stand_in = "?" * (1 + max(map(len, [*texts, *(label for row in rows for label in row)])))
    full = [*rows[:-1], tuple(label or stand_in for label in rows[-1])]
    built = hierarchy_from_labels(pl.Series([*texts, stand_in]), _columns(full, len(leaves) - 2), leaves)
    labels = tuple(tuple(None if label == stand_in else label for label in level) for level in built.labels)
    return replace(built, labels=labels)


def _columns(rows: Sequence[Labels], levels: int) -> list[list[str]]:
    return [[row[level] for row in rows] for level in range(levels)]


def _readings(present: pl.Series) -> list[tuple[str, str]]:
    """Return each value's text, and its other one: a whole number that is a float is 1 as well as 1.0."""
    texts = present.cast(pl.String).to_list()
    return [(text, text.removesuffix(".0") if present.dtype.is_float() else text) for text in texts]


def _agreed(rows: Sequence[tuple[str, ...]]) -> dict[str, Labels]:
    """Return the labels of each leaf; rows that say the same twice are one."""
    leaves: dict[str, Labels] = {}
    for number, row in enumerate(rows, 1):
        if not row:
            raise HierarchyError(f"row {number:,} is empty", expected="a leaf and its labels")
        if leaves.setdefault(row[0], row[1:]) != row[1:]:
            raise HierarchyError(f"row {number:,} gives an earlier row's leaf other labels", hint="keep one of them")
    if not leaves:
        raise HierarchyError("the hierarchy has no leaves", expected="a row for every value of the column")
    return leaves


def _below_root(labels: Sequence[Labels]) -> int:
    """Return the number of levels below the first that is `*` for all; `*` for some below it is an error."""
    stars = [sum(label == STAR for label in level) for level in zip(*labels, strict=True)]
    levels = len(stars)
    while levels and stars[levels - 1] == len(labels):
        levels -= 1
    for level, count in enumerate(stars[:levels], 1):
        if count:
            raise HierarchyError(
                f"level {level} labels {count:,} of {len(labels):,} leaves {STAR!r}",
                expected=f"{STAR!r} for all values or for none of a level",
                hint="give the group a name, or repeat its label of the level before",
            )
    return levels


def _check_groups(labels: Sequence[Labels], levels: int) -> None:
    """Guarantees that a label lies in one group of the next level."""
    for level in range(levels - 1):
        pairs = {(row[level], row[level + 1]) for row in labels if row[level]}
        torn = len(pairs) - len({label for label, _ in pairs})
        if torn:
            raise HierarchyError(
                f"level {level + 2} splits {torn:,} groups of level {level + 1}",
                expected="every group to lie in one group of the next level",
                hint="give groups of the same name in different places different names",
            )
