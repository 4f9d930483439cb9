"""The contract of a mask: how the cells of a column that is no quasi-identifier are altered before all else.

A mask is a frozen dataclass of its parameters. The same mask gives the same cells of the same table: what is drawn at
random follows from its secret `key`, which is drawn anew where none is given, and never published. A missing value
stays missing and no other cell becomes one; the type of a column stays, but where the mask says otherwise.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

import shoal.recoding.masks
from shoal.core.arrays import Bools, Floats
from shoal.core.discovery import lookup
from shoal.core.errors import ParameterError, TableError
from shoal.core.parameters import Numeral, from_parameters, from_words, parameters_of, spelled
from shoal.tables.table import Table

KEY_BYTES = 32
MOST_DECIMALS = 6
"""Numbers with more decimal places than these are masked to whatever comes out."""


class Mask(ABC):
    """A mask. Subclasses are frozen dataclasses found by discovery."""

    name: ClassVar[str]
    """What it is called in a request."""
    meaning: ClassVar[str]
    """What becomes of cells, in a few words."""
    of_value: ClassVar[bool] = False
    """Whether a cell follows from the value that it hides alone: then models may speak of the column as published."""
    joint: ClassVar[bool] = False
    """Whether columns with the same mask are masked together."""

    def resolved(self, column: pl.Series) -> Mask:
        """Return the mask that leaves nothing to the column and to chance, of a mask for it; usually itself."""
        return self

    @abstractmethod
    def masked(self, names: Sequence[str], table: Table, person: Sequence[str]) -> list[pl.Series]:
        """Return some columns of a table as they are published; `person` are the columns that identify a person.

        Names are several only of a mask that is `joint`.
        """

    @property
    def stated(self) -> dict[str, object]:
        """What is published of the mask: its name and parameters, without its key."""
        return {name: given for name, given in spec_of(self).items() if name != "key"}


class ColumnMask(Mask):
    """A mask that takes one column, and asks for nothing else."""

    def masked(self, names: Sequence[str], table: Table, person: Sequence[str]) -> list[pl.Series]:
        """Mask each column alone."""
        return [self.column(table[name]) for name in names]

    @abstractmethod
    def column(self, column: pl.Series) -> pl.Series:
        """Return a column as it is published."""


class KeyedMask(Mask):
    """A mask whose cells follow from a secret key, too. Its last parameter is `key`."""

    key: str

    def resolved(self, column: pl.Series) -> Mask:
        """Return the mask with a key drawn anew, where it has none."""
        return self if self.key else replace(self, key=secrets.token_hex(KEY_BYTES))  # type: ignore[type-var]


def as_mask(spec: object) -> Mask:
    """Return the mask that is meant: a mask, a mapping with a `mask`, or words.

    >>> as_mask("round:multiple=1000") == as_mask("round:1000") == as_mask({"mask": "round", "multiple": 1000})
    True
    >>> as_mask("rond:1000")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown mask 'rond'; did you mean 'round'?
    """
    if isinstance(spec, Mask):
        return spec
    if isinstance(spec, Mapping) and isinstance(spec.get("mask"), str):
        return from_parameters(_kind(spec["mask"]), {key: one for key, one in spec.items() if key != "mask"})
    if isinstance(spec, str):
        return from_words(spec, _kind)
    raise ParameterError(
        f"a mask is given as a {type(spec).__name__}",
        expected="a mask, words such as 'round:1000', or a table with mask",
    )


def spec_of(mask: Mask) -> dict[str, object]:
    """Return a mask as plain data, with all that is said of it; `as_mask` of it equals the mask.

    >>> spec_of(as_mask("noise:share=0.1,key=secret")), as_mask("noise:share=0.1,key=secret").stated
    ({'mask': 'noise', 'share': '0.1', 'key': 'secret'}, {'mask': 'noise', 'share': '0.1'})
    """
    given = parameters_of(mask, defaults=True)
    return {"mask": mask.name} | {name: one for name, one in given.items() if one not in (None, "", [])}


def _kind(name: str) -> type[Mask]:
    return lookup(shoal.recoding.masks, Mask, name, "mask")


def numbers_of(column: pl.Series, mask: str) -> tuple[Floats, Bools]:
    """Return the numbers of a column that are there, and which cells these are; raise where it has no numbers."""
    if not column.dtype.is_numeric():
        raise TableError(
            f"the mask {mask} is for numbers, and {column.name!r} holds {column.dtype.base_type()} values",
            hint="choose another mask for it, such as pram or hash",
        )
    present = column.is_not_null().to_numpy()
    return column.drop_nulls().cast(pl.Float64).to_numpy(), present


def varied_numbers(column: pl.Series, mask: str) -> tuple[Floats, Bools]:
    """Return the same of a column whose numbers differ; raise where all are equal, as noise then hides nothing."""
    numbers, present = numbers_of(column, mask)
    if len(numbers) < 2 or float(np.ptp(numbers)) == 0:
        raise TableError(
            f"the mask {mask} changes nothing: {column.name!r} has fewer than two different numbers",
            hint="leave the mask out, or leave the column out",
        )
    return numbers, present


def fitting_number(number: Numeral, column: pl.Series, mask: str) -> Any:
    """Return a number as a column holds it, or raise where the column holds whole numbers and this is none."""
    exact = Fraction(number)
    if not column.dtype.is_integer():
        return float(exact)
    if exact.denominator != 1:
        raise ParameterError(
            f"{mask}: {column.name!r} holds whole numbers, and {spelled(exact)} is not one", expected="a whole number"
        )
    return int(exact)


def column_like(column: pl.Series, numbers: Floats, present: Bools) -> pl.Series:
    """Return numbers in place of those of a column, of its type: as whole, or with as many decimals.

    >>> column_like(pl.Series("x", [1, None, 3]), np.array([1.6, 2.2]), np.array([True, False, True])).to_list()
    [2, None, 2]
    """
    cells = np.full(len(column), np.nan)
    cells[present] = numbers
    if not column.dtype.is_integer():
        places = _decimals(column)
        made = pl.Series(column.name, cells if places is None else np.round(cells, places)).fill_nan(None)
        return made.cast(column.dtype)
    held = np.iinfo(column.drop_nulls().to_numpy().dtype)
    whole = np.rint(np.clip(cells, held.min, np.nextafter(float(held.max), 0)))
    return pl.Series(column.name, whole).fill_nan(None).cast(column.dtype)


def _decimals(column: pl.Series) -> int | None:
    """Return the decimal places that numbers are written with; None where they are more than a few."""
    numbers = column.drop_nulls().cast(pl.Float64).to_numpy()
    fits = (places for places in range(MOST_DECIMALS + 1) if (np.round(numbers, places) == numbers).all())
    return next(fits, None)
