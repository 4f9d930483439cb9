"""Codes of a published classification: what ICD-9, ICD-10, NACE and ISCO have in common."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.specs import read_levels
from shoal.tables.star_marks import cell_text


class Classification(Builder):
    """Guarantees that a block holds the codes below it. A value that is no code stays as it is up to `*`.

    Subclasses are frozen dataclasses with `levels` alone, some of `every` level, in this order; they say how a code is
    written, and the label of a code on a level.
    """

    title: ClassVar[str]
    example: ClassVar[str]
    every: ClassVar[tuple[str, ...]]
    """The levels, finest first."""
    code: ClassVar[re.Pattern[str]]
    levels: tuple[str, ...]

    def __init__(self, levels: object = None) -> None:
        object.__setattr__(self, "levels", read_levels(self.every if levels is None else levels, self.every, self.name))

    @classmethod
    @abstractmethod
    def label(cls, level: str, code: re.Match[str]) -> str:
        """Return what a code is called on a level."""

    @classmethod
    def read(cls, values: pl.Series) -> list[re.Match[str] | None]:
        """Return the codes among the values that are not missing, with None for other texts."""
        return [cls.code.fullmatch(text) for text in values.drop_nulls().cast(pl.String)]

    @property
    def description(self) -> str:
        """The levels, in words."""
        return f"{self.title} {', '.join(self.levels)}"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of codes, or raise `HierarchyError` where none of the values is one."""
        found = self.read(values)
        if found and not any(found):
            problem = f"none of {len(found):,} values is a code of {self.title}"
            raise HierarchyError(problem, expected=f"codes such as {self.example}")
        same = cell_text(values.drop_nulls().cast(pl.String)).to_list()
        return hierarchy_from_labels(
            values,
            [
                [text if code is None else self.label(level, code) for text, code in zip(same, found, strict=True)]
                for level in self.levels
            ],
        )


def within(blocks: Sequence[str]) -> Callable[[str], str | None]:
    """Return what names the block, `LOW-HIGH` with or without words, that a category lies in; None where none does.

    >>> within(["A00-A09 bowels", "B00-B09"])("A05")
    'A00-A09 bowels'
    """
    ends = [block.partition(" ")[0].split("-") for block in blocks]
    starts = [low for low, _ in ends]

    def block(category: str) -> str | None:
        place = bisect_right(starts, category) - 1
        return blocks[place] if place >= 0 and category <= ends[place][1] else None

    return block
