"""What files of statistics say of columns beside their cells: labels, codes declared as missing, display formats.

A column of numbers in which every value has a label of its own is read as those words; its codes come back when a
release is written in the same format, and a generalized cell gets a code and a label of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import polars as pl

Code: TypeAlias = int | float | str
"""A value that has a label; a letter is one of Stata's own codes for missing values."""


@dataclass(frozen=True)
class Variable:
    """What a file says of one column."""

    label: str = ""
    values: Mapping[Code, str] = field(default_factory=dict)
    """The label of each value that has one."""
    words: bool = False
    """Whether the cells were read as labels."""
    missing: Sequence[Any] = ()
    """Codes, or ranges of them, that are declared as missing."""
    format: str = ""
    """How values are shown, in the words of the format."""
    measure: str = ""
    """`nominal`, `ordinal` or `scale`, where the format knows it."""
    width: int = 0
    """How many characters wide the column is shown."""

    @property
    def plain(self) -> Variable:
        """What means the same in the file of any package."""
        numbers: dict[Code, str] = {c: text for c, text in self.values.items() if not isinstance(c, str)}
        return Variable(self.label, numbers, self.words)

    @property
    def codes(self) -> dict[str, int]:
        """The number that each label stands for."""
        return {text: int(code) for code, text in self.values.items() if not isinstance(code, str)}


@dataclass(frozen=True)
class Labels:
    """What a file says of its columns, in their order, and of itself."""

    variables: Mapping[str, Variable] = field(default_factory=dict)
    title: str = ""
    """The label of the file, or the name of the sheet."""
    family: str = ""
    """The package whose file it is: formats, measures and codes for missing values mean nothing in that of another."""

    def for_family(self, family: str) -> Labels:
        """Return what a file of a package can say: everything in its own, else labels alone."""
        if family == self.family:
            return self
        return replace(self, variables={name: one.plain for name, one in self.variables.items()})

    def of(self, name: str) -> Variable:
        """Return what is said of a column; nothing where it is new."""
        return self.variables.get(name, Variable())

    def in_order(self, names: Sequence[str]) -> list[str]:
        """Return names of columns in the order of the file, new ones last.

        >>> Labels({"b": Variable(), "a": Variable()}).in_order(["a", "new", "b"])
        ['b', 'a', 'new']
        """
        return [*(name for name in self.variables if name in names), *(n for n in names if n not in self.variables)]


def reads_as_words(column: pl.Series, variable: Variable) -> bool:
    """Whether every value of a column of numbers has a label of its own.

    >>> sex = Variable(values={1: "male", 2: "female"})
    >>> [reads_as_words(pl.Series(codes), sex) for codes in ([1, 2, None], [1, 3])]
    [True, False]
    """
    labels = {code: text for code, text in variable.values.items() if not isinstance(code, str)}
    if not labels or not column.dtype.is_numeric() or any(code != int(code) for code in labels):
        return False
    found = column.drop_nulls().unique().cast(pl.Float64)
    texts = list(variable.values.values())
    return (
        bool(found.is_in([float(code) for code in labels]).all())
        and len(set(texts)) == len(texts)
        and all(text.strip() for text in texts)
    )


def as_words(column: pl.Series, variable: Variable) -> pl.Series:
    """Return a column of codes as their labels; in their order where the file says that they have one.

    >>> as_words(pl.Series([2.0, None]), Variable(values={1: "low", 2: "high"}, measure="ordinal")).dtype
    Enum(categories=['low', 'high'])
    """
    codes = sorted(variable.codes.items(), key=lambda pair: pair[1])
    texts = pl.Series([text for text, _ in codes], dtype=pl.String)
    numbers = pl.Series([number for _, number in codes], dtype=pl.Int64)
    words = column.cast(pl.Int64).replace_strict(numbers, texts, default=None, return_dtype=pl.String)
    return words.cast(pl.Enum(texts)) if variable.measure == "ordinal" else words


def as_codes(column: pl.Series, variable: Variable) -> tuple[pl.Series, dict[Code, str]]:
    """Return a column of words as numbers, and the label of each: labels keep their codes, other cells get new ones.

    >>> cells = pl.Series(["male", "*", None])
    >>> codes, labels = as_codes(cells, Variable(values={1: "male", 2: "female"}))
    >>> codes.to_list(), labels
    ([1, 3, None], {1: 'male', 2: 'female', 3: '*'})
    """
    texts = column.cast(pl.String)
    others = sorted(set(texts.drop_nulls().unique().to_list()) - set(variable.codes))
    first = max(variable.codes.values()) + 1
    codes = {**variable.codes, **{text: first + place for place, text in enumerate(others)}}
    numbers = texts.replace_strict(list(codes), list(codes.values()), default=None, return_dtype=pl.Int64)
    return numbers, {**variable.values, **{codes[text]: text for text in others}}
