"""Codes by their first characters: `12345`, `123**`, `12***`, `1****`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.core.parameters import Number
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topic, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import STAR, cell_text

DIGIT, LETTER = re.compile("[0-9]"), re.compile(r"[^\W\d_]")
NUTS = re.compile("[A-Z]{2}[0-9A-Z]{0,3}")
CODE = re.compile(r"(?=.{2,20}$)A{0,4}(?:[-. /]?9[9A]*)+(?:[-. /]A{1,3})?")
"""The formats of codes: at most four letters, then digits, which letters and signs may part."""
SHORT = 99
"""Whole numbers that are codes have more digits, or say nothing by their first ones."""
DEEPEST = 4
"""Levels at most."""
LENGTH = Number("lengths", "characters kept", 1, whole=True)


@dataclass(frozen=True, init=False)
class Prefixes(Builder):
    """Guarantees that values with one label begin alike, and that no label can be taken for another's.

    `lengths` are the numbers of characters kept, longest first; none given means every length down to 1. The
    rest is masked up to the length of the longest value, so that a label does not tell how long its values
    are. A value with nothing left to mask stays whole on that level. The mask is `sign`, which no value may have in
    it; without one it is the first of `*`, `•`, `◦`, `·` and so on that no value has.

    >>> Prefixes((3, 1)).build(pl.Series(["123", "12345", "12399"])).labels
    (('123', '12345', '12399'), ('123', '123**'), ('1****',), ('*',))
    >>> Prefixes("1").build(pl.Series(["a*", "ab"])).labels[1]
    ('a•',)
    >>> Prefixes("1", sign="#").build(pl.Series(["a*", "ab"])).labels[1]
    ('a#',)
    """

    name: ClassVar[str] = "prefixes"
    meaning: ClassVar[str] = "the first characters, the rest masked"

    lengths: tuple[int, ...] = ()
    sign: str = ""

    def __init__(self, lengths: object = (), sign: object = "") -> None:
        object.__setattr__(self, "lengths", read_lengths(lengths, self.name))
        object.__setattr__(self, "sign", read_sign(sign, self.name))

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit codes of one format, such as `0150` and `AB-1234`, and those that the column's name says are codes."""
        present = values.drop_nulls()
        coded = Topic.CODE in topics and present.dtype.is_integer() and bool((present > SHORT).all())
        if len(present) < 2 or not (present.dtype == pl.String or coded):
            return None
        texts = _texts(present)
        if Topic.AREA in topics and all(NUTS.fullmatch(text) for text in texts):
            lengths: tuple[int, ...] | None = (4, 3, 2)
        else:
            formats = {_format(text) for text in texts}
            lengths = _cuts(formats.pop()) if len(formats) == 1 else None
        if lengths is None:
            return None
        low, high = min(texts), max(texts)
        shared = next((place for place, signs in enumerate(zip(low, high, strict=False)) if signs[0] != signs[1]), 0)
        parting = tuple(length for length in lengths or range(max(map(len, texts)) - 1, 0, -1) if length > shared)
        return (cls(lengths) if not lengths and not shared else cls(parting)) if parting else None

    @property
    def description(self) -> str:
        """How many characters are kept."""
        return f"the first {', '.join(map(str, self.lengths))} characters" if self.lengths else "the first characters"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of texts or whole numbers; lengths that mask nothing are left out."""
        return masked(values, self.lengths, self.sign)


def masked(values: pl.Series, lengths: Sequence[int], sign: str, *, last: bool = False) -> Hierarchy:
    """Return the hierarchy that keeps the first characters of texts, or the last ones, and masks the others."""
    texts = _texts(values.drop_nulls())
    longest = max((len(text) for text in texts), default=0)
    whole = cell_text(pl.Series(texts, dtype=pl.String)).to_list()
    kept, mask = lengths or range(longest - 1, 0, -1), _mask(texts, sign)

    def label(text: str, length: int) -> str:
        hidden = mask * (longest - length)
        return hidden + text[-length:] if last else text[:length] + hidden

    return hierarchy_from_labels(
        values,
        [
            [label(text, length) if len(text) > length else same for text, same in zip(texts, whole, strict=True)]
            for length in kept
            if length < longest
        ],
    )


def _format(text: str) -> str:
    """Return a text with 9 for digits and A for letters.

    >>> _format("AB-1234")
    'AA-9999'
    """
    return DIGIT.sub("9", LETTER.sub("A", text))


def _cuts(form: str) -> tuple[int, ...] | None:
    """Return the numbers of characters to keep, for codes of one format; None where it is no format of codes.

    Two signs or more say where to cut; else the letters in front are kept as one, and the rest is cut evenly.

    >>> _cuts("99999"), _cuts("AA-9999"), _cuts("AAA"), _cuts("999999999"), _cuts("9999-99-99")
    ((), (6, 5, 4, 2), None, (8, 6, 4, 2), (7, 4))
    """
    if not CODE.fullmatch(form):
        return None
    signs = [place for place, sign in enumerate(form) if sign not in "9A"]
    first = max(len(form) - len(form.lstrip("A")), 1)
    ends = signs if len(signs) > 1 else [end for end in range(first, len(form)) if form[end - 1] in "9A"]
    if len(ends) == len(form) - 1 <= DEEPEST:
        return ()
    step = -(-len(ends) // DEEPEST)
    return tuple(reversed(ends[(len(ends) - 1) % step :: step]))


def read_lengths(given: object, owner: str) -> tuple[int, ...]:
    """Return numbers of characters, each fewer than the one before, or raise `ParameterError`."""
    lengths = tuple(int(LENGTH.read(length, owner)) for length in listed(given))
    if any(after >= before for before, after in pairwise(lengths)):
        raise ParameterError(
            f"{owner}: lengths are {', '.join(map(str, lengths))}",
            expected="each shorter than the one before",
            hint="write the longest first, such as 3,2,1",
        )
    return lengths


def read_sign(given: object, owner: str) -> str:
    """Return the character that masks others, or nothing where it is left to the column; else `ParameterError`."""
    if not isinstance(given, str) or len(given) > 1:
        raise ParameterError(f"{owner}: sign is {given!r}", expected="one character")
    return given


def _texts(present: pl.Series) -> list[str]:
    if not (present.dtype.is_integer() or present.dtype in (pl.String, pl.Enum, pl.Categorical)):
        raise HierarchyError(
            f"a hierarchy of prefixes is given for a column of {present.dtype}",
            expected="texts or whole numbers",
            hint="choose another hierarchy, such as intervals or dates",
        )
    return present.cast(pl.String).to_list()


def _mask(texts: Sequence[str], sign: str) -> str:
    """Return a character that no text contains, so that a masked label equals no value and no other mask."""
    used = set(chain.from_iterable(texts))
    if sign in used:
        raise HierarchyError(f"the sign {sign!r} is in some values", hint="choose another sign, or leave it out")
    signs = chain(sign or STAR + "•◦·", map(chr, range(0x25A0, 0x110000)))
    return next(one for one in signs if one not in used)
