"""Codes of diagnoses: what ICD-9 and ICD-10 have in common."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import polars as pl

from shoal.hierarchies.classification import Classification

LEVELS = ("category", "block", "chapter")
FITS = 0.9
"""The share of different values that must be codes for the column to be taken for diagnoses."""


class Diagnoses(Classification):
    """Guarantees that a block holds the codes between its ends: the category, the block, the chapter."""

    every: ClassVar[tuple[str, ...]] = LEVELS
    around: ClassVar[Mapping[str, Callable[[str], str | None]]]
    """What names the block and the chapter of a category."""

    @staticmethod
    @abstractmethod
    def category(code: re.Match[str]) -> str:
        """Return the category of a code, as the ends of blocks are written."""

    @classmethod
    def label(cls, level: str, code: re.Match[str]) -> str:
        """Name the category, block or chapter; outside all blocks a category is named itself."""
        category = cls.category(code)
        return (level in cls.around and cls.around[level](category)) or f"{category}.-"

    @classmethod
    def among(cls, values: pl.Series) -> list[str]:
        """Return the codes among texts; none where too few of the texts are codes."""
        found = cls.read(values) if values.dtype == pl.String else []
        codes = [code[0] for code in found if code]
        return codes if len(found) >= 2 and len(codes) >= FITS * len(found) else []
