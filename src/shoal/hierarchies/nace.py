"""Industries coded by NACE or ISIC: `10.71`, group, division, section `C manufacturing`."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.base import NO_TOPICS, Builder, Topic, Topics
from shoal.hierarchies.classification import Classification

LEVELS = ("group", "division", "section")
SECTIONS = {
    1: "A agriculture",
    5: "B mining",
    10: "C manufacturing",
    35: "D electricity and gas",
    36: "E water and waste",
    41: "F construction",
    45: "G trade",
    49: "H transport",
    55: "I accommodation and food",
    58: "J information and communication",
    64: "K finance and insurance",
    68: "L real estate",
    69: "M professional and scientific activities",
    77: "N administrative services",
    84: "O public administration",
    85: "P education",
    86: "Q health and social work",
    90: "R arts and recreation",
    94: "S other services",
    97: "T households as employers",
    99: "U extraterritorial organisations",
}
"""The first division of each section of NACE Rev. 2 and ISIC Rev. 4."""


@dataclass(frozen=True, init=False)
class Nace(Classification):
    """Guarantees that a block holds the codes below it: the group of three digits, the division of two, the section.

    For NACE Rev. 2 and ISIC Rev. 4, with or without the letter of the section. `levels` are some of group, division
    and section, in this order. A value that is no code stays as it is up to `*`.

    >>> Nace("division,section").build(pl.Series(["10.71", "C10.11", "86.10"])).labels[1:]
    (('division 10', 'division 86'), ('C manufacturing', 'Q health and social work'), ('*',))
    """

    name: ClassVar[str] = "nace"
    meaning: ClassVar[str] = "NACE and ISIC industries: groups, divisions, sections"
    title: ClassVar[str] = "NACE"
    example: ClassVar[str] = "10.71"
    every: ClassVar[tuple[str, ...]] = LEVELS
    code: ClassVar[re.Pattern[str]] = re.compile(r"[A-U]?\.?([0-9]{2})(?:\.?([0-9])([0-9])?)?")

    levels: tuple[str, ...] = LEVELS

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit texts that are all codes, where the column's name says so."""
        if values.dtype != pl.String or Topic.INDUSTRY not in topics:
            return None
        found = cls.read(values)
        if len(found) < 2 or None in found:
            return None
        digits = max(sum(digit is not None for digit in code.groups()) for code in found if code)
        return cls(LEVELS[3 - digits :])

    @classmethod
    def label(cls, level: str, code: re.Match[str]) -> str:
        """Name the group, division or section; a code without a third digit is in a group of its own."""
        if level == "section":
            starts = list(SECTIONS)
            place = bisect_right(starts, int(code[1])) - 1
            return SECTIONS[starts[place]] if place >= 0 else "division 00"
        if level == "group":
            return f"group {code[1]}.{code[2]}" if code[2] else f"group {code[1]}"
        return f"division {code[1]}"
