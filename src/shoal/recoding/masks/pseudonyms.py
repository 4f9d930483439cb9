"""Pseudonyms by keyed hash: a value becomes a code that only the holder of the key can compute from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.errors import TableError
from shoal.core.parameters import Number, Numeral
from shoal.recoding.masks.base import ColumnMask, KeyedMask
from shoal.recoding.masks.draws import keyed_hash
from shoal.tables.encoded_column import Coded

LENGTH = Number("length", "hexadecimal digits of a pseudonym", 8, 64, whole=True)


@dataclass(frozen=True)
class Pseudonyms(ColumnMask, KeyedMask):
    """Guarantees that equal values, and only these, have equal codes: digits of the HMAC-SHA256 of their text.

    With the same key a value has the same code in every release; with a fresh one in this release alone. The column
    becomes text. Whoever has the key can try all values: keep it apart from the release.

    >>> Pseudonyms(8, "secret").column(pl.Series("doctor", ["Ibsen", None, "Ibsen"])).to_list()
    ['9cc64da3', None, '9cc64da3']
    """

    name: ClassVar[str] = "hash"
    meaning: ClassVar[str] = "values become pseudonyms by a keyed hash"
    of_value: ClassVar[bool] = True

    length: Numeral = 16
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", int(LENGTH.read(self.length, self.name)))

    def column(self, column: pl.Series) -> pl.Series:
        """Hash the texts of a column."""
        coded = Coded.of(column.cast(pl.String))
        codes = [
            None if text is None else keyed_hash(self.key, text).hex()[: int(self.length)] for text in coded.values
        ]
        if len(set(codes)) < len(codes):
            raise TableError(
                f"{self.name}: different values of {column.name!r} get the same pseudonym of {self.length} digits",
                hint="give a larger length",
            )
        return pl.Series(column.name, codes, dtype=pl.String).gather(coded.codes)
