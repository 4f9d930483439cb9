"""The levels of its hierarchy that a column may be published at."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.core.errors import ParameterError
from shoal.core.parameters import Number

LEVEL = Number("level", "how high a column is raised", 0, whole=True)
BETWEEN = ".."
"""What stands between the least and the most level."""


@dataclass(frozen=True)
class LevelRange:
    """The least and the most level of a column; level 0 is the value itself, no most level is the star.

    >>> [str(LevelRange.of(text, "age")) for text in (2, "1..3", "1..", "..2", "..")]
    ['2', '1..3', '1..', '0..2', '0..']
    """

    least: int = 0
    most: int | None = None

    @classmethod
    def of(cls, given: object, column: str) -> LevelRange:
        """Read a level, or the least and the most with `..` between, of which either may be left out."""
        if isinstance(given, LevelRange):
            return given
        low, between, high = str(given).strip().partition(BETWEEN)
        try:
            least = int(LEVEL.read(low, column)) if low or not between else 0
            most = int(LEVEL.read(high, column)) if high else None if between else least
        except ParameterError:
            raise ParameterError(
                f"the levels of {column!r} are {given!r}", expected="a level such as 2, or a range: 1..3, 1.. or ..2"
            ) from None
        if most is not None and most < least:
            raise ParameterError(f"the levels of {column!r} are {given!r}", expected="the least level before the most")
        return cls(least, most)

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}{BETWEEN}{'' if self.most is None else self.most}"
