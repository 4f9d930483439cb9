"""Top and bottom coding: numbers beyond a limit become the limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import polars as pl

from shoal.core.errors import ParameterError, TableError
from shoal.core.parameters import Number, Numeral, as_fraction
from shoal.recoding.masks.base import ColumnMask, Mask, fitting_number, numbers_of

LIMIT = Number("limit", "number beyond which all become one")
SHARE = Number("share", "largest share of the rows beyond the limit", 0, Fraction(1, 2), above=True)
REPLACEMENT = Number("replacement", "number that is shown instead of the limit")


@dataclass(frozen=True)
class Coding(ColumnMask):
    """What top and bottom coding share: the limit, given or the one that at most a share of the rows lie beyond.

    `replacement` is shown instead of the limit, and must not lie on its near side.
    """

    of_value: ClassVar[bool] = True
    upper: ClassVar[bool]
    """Whether numbers above the limit are coded, and not those below."""

    limit: Numeral | None = None
    share: Numeral | None = None
    replacement: Numeral | None = None

    def __post_init__(self) -> None:
        for number in (LIMIT, SHARE, REPLACEMENT):
            if (given := getattr(self, number.name)) is not None:
                object.__setattr__(self, number.name, number.read(given, self.name))
        if (self.limit is None) == (self.share is None):
            raise ParameterError(
                f"the mask {self.name} was given both a limit and a share, or neither",
                expected="exactly one of the two",
            )
        if self.replacement is not None and (self.limit is None or self._is_near(self.limit, self.replacement)):
            raise ParameterError(
                f"{self.name}: the replacement is a number that the limit would keep, or there is no limit",
                expected="a limit, and a replacement at or beyond it",
            )

    def _is_near(self, limit: Numeral, replacement: Numeral) -> bool:
        step = Fraction(replacement) - Fraction(limit)
        return step < 0 if self.upper else step > 0

    def resolved(self, column: pl.Series) -> Mask:
        """Return the mask with its limit said: the furthest number that at most the share of the rows lie beyond."""
        numbers_of(column, self.name)
        if self.share is None:
            return self
        numbers = column.drop_nulls().sort(descending=self.upper)
        beyond = int(Fraction(self.share) * len(numbers))
        if beyond == 0:
            raise TableError(
                f"the mask {self.name} changes nothing: that share of {column.name!r} is less than one row",
                hint="give a larger share, or a limit",
            )
        return replace(self, limit=as_fraction(numbers[beyond]), share=None)

    def column(self, column: pl.Series) -> pl.Series:
        """Code a column of numbers."""
        numbers_of(column, self.name)
        limit = Fraction(self.limit or 0)
        shown = fitting_number(limit if self.replacement is None else self.replacement, column, self.name)
        beyond = column > float(limit) if self.upper else column < float(limit)
        return column.set(beyond.fill_null(False), shown)


@dataclass(frozen=True)
class TopCoding(Coding):
    """Guarantees that no published number lies above the limit (or its replacement), and that all others are as before.

    >>> TopCoding(limit=50).column(pl.Series("income", [10, 70, None])).to_list()
    [10, 50, None]
    >>> TopCoding(share=0.5).resolved(pl.Series("income", [1, 2, 3, 4])).limit
    Fraction(2, 1)
    """

    name: ClassVar[str] = "top"
    meaning: ClassVar[str] = "numbers above a limit become the limit"
    upper: ClassVar[bool] = True


@dataclass(frozen=True)
class BottomCoding(Coding):
    """Guarantees that no published number lies below the limit (or its replacement), and that all others are as before.

    >>> BottomCoding(limit=20).column(pl.Series("income", [10.5, 70, None])).to_list()
    [20.0, 70.0, None]
    """

    name: ClassVar[str] = "bottom"
    meaning: ClassVar[str] = "numbers below a limit become the limit"
    upper: ClassVar[bool] = False
