"""Codes by their first characters: `12345`, `123**`, `12***`, `1****`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.core.parameters import Number
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import STAR, cell_text

LENGTH = Number("lengths", "characters kept", 1, whole=True)


@dataclass(frozen=True, init=False)
class Prefixes(Builder):
    """Guarantees that values with one label begin alike, and that no label can be taken for another's.

    `lengths` are the numbers of characters kept, longest first; none given means every length down to 1. The
    rest is masked up to the length of the longest value, so that a label does not tell how long its values
    are. A value with nothing left to mask stays whole on that level. The mask is `*`; if some value has a `*`
    in it, the mask is the first of `•`, `◦`, `·` and so on that no value has.

    >>> Prefixes((3, 1)).build(pl.Series(["123", "12345", "12399"])).labels
    (('123', '12345', '12399'), ('123', '123**'), ('1****',), ('*',))
    >>> Prefixes("1").build(pl.Series(["a*", "ab"])).labels[1]
    ('a•',)
    """

    name: ClassVar[str] = "prefixes"
    meaning: ClassVar[str] = "the first characters, the rest masked"

    lengths: tuple[int, ...] = ()

    def __init__(self, lengths: object = ()) -> None:
        object.__setattr__(self, "lengths", _read_lengths(lengths))

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of texts or whole numbers; lengths that mask nothing are left out."""
        texts = _texts(values.drop_nulls())
        longest = max((len(text) for text in texts), default=0)
        kept = self.lengths or range(longest - 1, 0, -1)
        whole = cell_text(pl.Series(texts, dtype=pl.String)).to_list()
        sign = _mask(texts)
        return hierarchy_from_labels(
            values,
            [
                [
                    text[:length] + sign * (longest - length) if len(text) > length else same
                    for text, same in zip(texts, whole, strict=True)
                ]
                for length in kept
                if length < longest
            ],
        )


def _read_lengths(given: object) -> tuple[int, ...]:
    lengths = tuple(int(LENGTH.read(length, "prefixes")) for length in listed(given))
    if any(after >= before for before, after in pairwise(lengths)):
        raise ParameterError(
            f"prefixes: lengths are {', '.join(map(str, lengths))}",
            expected="each shorter than the one before",
            hint="write the longest first, such as 3,2,1",
        )
    return lengths


def _texts(present: pl.Series) -> list[str]:
    if not (present.dtype.is_integer() or present.dtype in (pl.String, pl.Enum, pl.Categorical)):
        raise HierarchyError(
            f"a column of {present.dtype} for a hierarchy of prefixes",
            expected="texts or whole numbers",
            hint="choose another hierarchy, such as intervals or dates",
        )
    return present.cast(pl.String).to_list()


def _mask(texts: Sequence[str]) -> str:
    """Return a character that no text contains, so that a masked label equals no value and no other mask."""
    used = set(chain.from_iterable(texts))
    return next(sign for sign in chain(STAR + "•◦·", map(chr, range(0x25A0, 0x110000))) if sign not in used)
