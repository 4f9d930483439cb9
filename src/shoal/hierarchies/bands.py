"""Bands written as text, in order: `0-9` and `10-19` become `0-19`; ordered words: `low to middle`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import ClassVar

import polars as pl

import shoal.hierarchies
from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import cell_text

NUMBER = r"[0-9](?:[0-9.,']*[0-9])?(?:[kK](?![A-Za-z]))?"
UNIT = r"[^0-9+<>]{0,20}"
RANGE = re.compile(
    rf"(?P<open>[\[(]?\s*[$€£]?\s?)(?P<low>-?{NUMBER})(?P<mid>\s*(?:-|–|—|\.\.|,|;|\bto\b|\bbis\b)\s*[$€£]?)"
    rf"(?P<high>{NUMBER})(?P<close>{UNIT})",
    re.IGNORECASE,
)
BELOW = re.compile(rf"(?:<=?|≤|under|below|less than|up to|unter|bis)\s*[$€£]?\s?({NUMBER}){UNIT}", re.IGNORECASE)
ABOVE = re.compile(
    rf"(?:>=?|≥|over|above|more than|from|über|ab)\s*[$€£]?\s?({NUMBER}){UNIT}"
    rf"|[$€£]?({NUMBER})\s*(?:\+|plus\b|(?:{UNIT}\s)?(?:and|or) (?:over|more|older|above|higher)){UNIT}",
    re.IGNORECASE,
)
SINGLE = re.compile(rf"({NUMBER})")
HIGHEST = 4
"""Levels at most: at the top, sixteen bands are one."""
FEWEST, MOST, ODD = 3, 1000, 10
"""Bands that a column must have, and may have, and one of how many different values may be something else."""


@dataclass(frozen=True, init=False)
class Bands(Builder):
    """Guarantees that neighbours in the order of the bands are joined, two by two on each level.

    `bands` lists them in order; without it, the bands of the column are taken, or its declared categories. Any other
    value stays as it is up to `*`.

    >>> Bands().build(pl.Series(["18-24", "25-34", "35-49", "50-64", "65+", "<18"])).labels[1]
    ('<18 to 18-24', '25-49', '50-64 to 65+')
    """

    name: ClassVar[str] = "bands"
    meaning: ClassVar[str] = "bands such as 20-29, joined with their neighbours"

    bands: tuple[str, ...] = ()

    def __init__(self, bands: object = ()) -> None:
        object.__setattr__(self, "bands", tuple(map(str, listed(bands))))

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit declared categories, and texts of which nearly all are bands that do not overlap."""
        present = values.drop_nulls()
        if present.dtype == pl.Enum:
            return cls() if len(present) >= FEWEST else None
        if present.dtype != pl.String or len(present) > MOST:
            return None
        found, ranges = _in_order(present.to_list()), sum(RANGE.fullmatch(text) is not None for text in present)
        odd = len(present) - len(found)
        return cls() if ranges > 1 and len(found) >= FEWEST and odd <= max(1, len(present) // ODD) else None

    @property
    def description(self) -> str:
        """How many bands are joined on each level."""
        joined = [str(2**level) for level in range(1, HIGHEST + 1) if len(self.bands) > 2**level]
        return f"{' or '.join(joined)} neighbouring bands as one" if joined else "neighbouring bands as one"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with the bands said."""
        bands = self.bands or _bands_of(values)
        return Bands(bands) if len(bands) >= FEWEST else shoal.hierarchies.StarsOnly()

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of bands, or raise `HierarchyError` where none of the values is one."""
        texts = cell_text(values.drop_nulls()).to_list()
        bands = self.bands or _bands_of(values)
        if texts and not bands:
            raise HierarchyError(f"none of {len(texts):,} values is a band", expected="bands such as 20-29, or 65+")
        levels = [_joined(bands, 2**level) for level in range(1, HIGHEST + 1) if len(bands) > 2**level]
        return hierarchy_from_labels(values, [[known.get(text, text) for text in texts] for known in levels])


def _bands_of(values: pl.Series) -> tuple[str, ...]:
    present = values.drop_nulls()
    if present.dtype == pl.Enum:
        return tuple(cell_text(present).to_list())
    return tuple(_in_order(present.cast(pl.String).to_list()))


def _joined(bands: Sequence[str], number: int) -> dict[str, str]:
    """Return the label of each band where so many neighbours are one."""
    blocks = [bands[start : start + number] for start in range(0, len(bands), number)]
    return {band: _spanning(block[0], block[-1]) for block in blocks for band in block}


def _spanning(first: str, last: str) -> str:
    """Name what lies between two bands: in their own way of writing, where they share one.

    >>> _spanning("[0-10)", "[30-40)"), _spanning("20 to 29", "30 to 39"), _spanning("50-64", "65+")
    ('[0-40)', '20 to 39', '50-64 to 65+')
    """
    if first == last:
        return first
    low, high = RANGE.fullmatch(first), RANGE.fullmatch(last)
    if low and high and all(low[part] == high[part] for part in ("open", "mid", "close")):
        return low["open"] + low["low"] + low["mid"] + high["high"] + low["close"]
    return f"{first} to {last}"


def _in_order(texts: Sequence[str]) -> list[str]:
    """Return the texts that are bands or numbers, from the lowest to the highest; none where some overlap."""
    placed = sorted((ends, text) for text in texts if (ends := _ends(text)) is not None)
    if any(after[0][0] < before[0][1] or after[0] == before[0] for before, after in pairwise(placed)):
        return []
    return [text for _, text in placed]


def _ends(text: str) -> tuple[Fraction | float, Fraction | float] | None:
    """Return the lower and the upper end of a band, or of a number; None for any other text.

    Thousands may be written as k: the k of the upper end alone is that of both.

    >>> _ends("10k-20k") == _ends("10-20k") == _ends("10,000 to 20,000")
    True
    >>> [_ends(text) for text in ("20-29", "65+", "< 18", "7", "29-20", "north")]
    [(Fraction(20, 1), Fraction(29, 1)), (Fraction(65, 1), inf), (-inf, Fraction(18, 1)), (Fraction(7, 1), \
Fraction(7, 1)), None, None]
    """
    if found := RANGE.fullmatch(text):
        kilo = "k" if found["high"][-1] in "kK" and found["low"][-1] not in "kK" else ""
        low, high = _number(found["low"] + kilo), _number(found["high"])
        return (low, high) if low is not None and high is not None and low <= high else None
    if found := BELOW.fullmatch(text):
        high = _number(found[1])
        return None if high is None else (-inf, high)
    if found := ABOVE.fullmatch(text):
        low = _number(found[1] or found[2])
        return None if low is None else (low, inf)
    number = _number(text) if SINGLE.fullmatch(text) else None
    return None if number is None else (number, number)


def _number(text: str) -> Fraction | None:
    digits = text.rstrip("kK")
    try:
        return Fraction(digits.replace(",", "").replace("'", "")) * (1 if digits == text else 1000)
    except ValueError:
        return None
