"""Occupations coded by ISCO: `2512`, minor group `251`, sub-major group `25`, major group `2 professionals`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.base import NO_TOPICS, Builder, Topic, Topics
from shoal.hierarchies.classification import Classification

LEVELS = ("minor", "sub-major", "major")
MAJOR = (
    "0 armed forces",
    "1 managers",
    "2 professionals",
    "3 technicians and associate professionals",
    "4 clerical workers",
    "5 service and sales workers",
    "6 skilled agricultural workers",
    "7 craft and related trades",
    "8 machine operators and assemblers",
    "9 elementary occupations",
)
"""The major groups of ISCO-08, which are those of ISCO-88 by other words."""
DIGITS = {"minor": 3, "sub-major": 2}


@dataclass(frozen=True, init=False)
class Isco(Classification):
    """Guarantees that a block holds the codes below it: minor group of three digits, sub-major of two, major of one.

    For ISCO-08 and ISCO-88. `levels` are some of minor, sub-major and major, in this order. Whole numbers of three
    digits among longer ones have lost their zero. A value that is no code stays as it is up to `*`.

    >>> Isco("sub-major,major").build(pl.Series(["2511", "2512", "9111"])).labels[1:]
    (('sub-major group 25', 'sub-major group 91'), ('2 professionals', '9 elementary occupations'), ('*',))
    """

    name: ClassVar[str] = "isco"
    meaning: ClassVar[str] = "ISCO occupations: minor, sub-major and major groups"
    title: ClassVar[str] = "ISCO"
    example: ClassVar[str] = "2512"
    every: ClassVar[tuple[str, ...]] = LEVELS
    code: ClassVar[re.Pattern[str]] = re.compile(r"([0-9]{1,4})")

    levels: tuple[str, ...] = LEVELS

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit texts or whole numbers that are all codes of two digits or more, where the column's name says so."""
        if Topic.OCCUPATION not in topics or not (values.dtype == pl.String or values.dtype.is_integer()):
            return None
        found = cls.read(values)
        if len(found) < 2 or None in found:
            return None
        digits = max(len(code[1]) for code in found if code)
        return cls(LEVELS[4 - digits :]) if digits > 1 else None

    @classmethod
    def read(cls, values: pl.Series) -> list[re.Match[str] | None]:
        """Return the codes; whole numbers are filled up with zeros to the length of the longest."""
        texts = values.drop_nulls().cast(pl.String)
        if values.dtype.is_integer() and len(texts):
            texts = texts.str.zfill(int(texts.str.len_chars().max()))  # type: ignore[arg-type] # there is a longest
        return super().read(texts)

    @classmethod
    def label(cls, level: str, code: re.Match[str]) -> str:
        """Name the minor, sub-major or major group; a code that is shorter is in a group of its own."""
        return MAJOR[int(code[1][0])] if level == "major" else f"{level} group {code[1][: DIGITS[level]]}"
