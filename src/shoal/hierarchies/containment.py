"""Which published cells lie within which others, read from their texts.

A cell lies within another if every value that it may stand for is one that the other may stand for. `*` holds every
cell; a range holds the numbers and dates between its ends and the ranges inside it (so do the intervals `[20, 30)`,
`< 20`, `>= 60` of hierarchies), a set `{a, b}` its members and the sets of some of them; a block of a hierarchy holds
what the hierarchy puts below it, where the hierarchy is given. Any other text is a value, and holds itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Ints
from shoal.core.errors import ShoalError
from shoal.core.relation import Relation
from shoal.hierarchies import Builder
from shoal.tables.star_marks import STAR, text_of

MISSING = " | missing"
"""How a cell ends that also stands for the missing value."""
_MEMBER = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,"]+)')

MOST_CELLS = 3_000
"""Different cells of a column up to which they are compared, each with each."""

Place: TypeAlias = tuple[int, Fraction | str]
"""Where a number or a date lies; numbers come before dates."""
Ends: TypeAlias = tuple[Place | None, Place | None, bool]
"""The lower and the upper end of a range, None where there is none, and whether the upper one belongs to it."""

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")
_HALF_OPEN = re.compile(r"\[(.+), (.+)\)")
_BELOW, _FROM = re.compile(r"< (.+)"), re.compile(r">= (.+)")


@dataclass(frozen=True, eq=False)
class ShownCells:
    """The cells of one published column, and which of its different cells lie within which.

    >>> age = ShownCells(np.arange(4), pl.Series(["[20, 29]", "25", "*", "31"]))
    >>> age.within[:, 0].tolist(), age.star
    ([True, True, False, False], 2)
    """

    of_class: Ints
    """The number of the cell of each class."""
    values: pl.Series
    """The different cells, by number."""
    builder: Builder | None = None
    """The hierarchy that cells may be blocks of."""

    @cached_property
    def texts(self) -> list[str | None]:
        """The different cells as text; None is the missing value."""
        return text_of(self.values).to_list()

    @cached_property
    def star(self) -> int:
        """The number of the cell `*`; -1 where there is none."""
        return next((number for number, text in enumerate(self.texts) if text == STAR), -1)

    @property
    def within(self) -> Bools | None:
        """Whether cell a lies within cell b, at `[a, b]`, the star left out; None where each holds itself alone."""
        return self._compared[0]

    @property
    def known(self) -> Bools:
        """For which cells it is known what lies within them."""
        return self._compared[1]

    @cached_property
    def _compared(self) -> tuple[Bools | None, Bools]:
        read = [Read.of(text) for text in self.texts]
        several = np.array([one.is_several for one in read], dtype=bool)
        if self.builder is None and not several.any():
            return None, np.ones(len(read), dtype=bool)
        if len(read) > MOST_CELLS:
            return None, ~several & (self.builder is None)
        below, sure = self._blocks(read)
        within = below | _inside(read) | _members(read)
        missing, alone = (np.array([getattr(one, name) for one in read], dtype=bool) for name in ("missing", "empty"))
        within = (within | alone[:, None]) & (missing[None, :] | ~missing[:, None])
        if self.star >= 0:
            within[self.star] = within[:, self.star] = False
        np.fill_diagonal(within, val=True)
        unread = np.array([one.unread for one in read], dtype=bool)
        only_itself = ~several & ~below.any(axis=0)
        return within, sure & ~unread & (only_itself | ~unread.any())

    def _blocks(self, read: Sequence[Read]) -> tuple[Bools, Bools]:
        """Return which cells the hierarchy puts below which, and of which cells that is known.

        A text that the hierarchy takes as a value has a path up to the root; so has a declared leaf. A block that is on
        none of these paths may lie within any block, so nothing is known of cells that are no values.
        """
        number, sure = len(read), np.ones(len(read), dtype=bool)
        below = np.zeros((number, number), dtype=bool)
        if self.builder is None:
            return below, sure
        place = {text: code for code, text in enumerate(self.texts)}
        paths = [_path(self.builder, text) for text in self.texts]
        declared = self.builder.declared
        for path in [*paths, *declared]:
            shown = [place[label] for label in path if label in place]
            for rank, code in enumerate(shown):
                below[code, shown[rank + 1 :]] = True
        np.fill_diagonal(below, val=False)
        on_path = np.array([bool(path) for path in paths], dtype=bool)
        on_path[[place[label] for path in [*paths, *declared] for label in path if label in place]] = True
        lost = ~on_path & np.array([one.ends is None and not one.empty for one in read], dtype=bool)
        lost[self.star if self.star >= 0 else []] = False
        values = np.array([bool(path) for path in paths], dtype=bool) & ~below.any(axis=0)
        return below, values | ~lost.any()


@dataclass(frozen=True)
class Read:
    """A cell as it reads: a value or a set of values, or the range between two ends, with the missing value or not."""

    members: frozenset[str] = frozenset()
    ends: Ends | None = None
    missing: bool = False
    is_several: bool = False
    """Whether it may stand for several values."""
    unread: bool = False
    """Whether it is a range whose ends are neither numbers nor dates, so that what lies in it is not known."""

    @property
    def empty(self) -> bool:
        """Whether it is the missing value alone."""
        return not self.members and self.ends is None and not self.unread

    @classmethod
    def of(cls, text: str | None) -> Read:
        """Read a cell; the star is a value here."""
        if text is None:
            return cls(missing=True)
        body, missing = text.removesuffix(MISSING), text.endswith(MISSING)
        if body.startswith("{") and body.endswith("}"):
            return cls(frozenset(listed(body)), None, missing, is_several=True)
        ends = _ends(body)
        if ends is not None:
            return cls(frozenset(), ends, missing, is_several=True)
        if body.startswith("[") and body.endswith("]") and len(listed(body)) == 2:
            return cls(frozenset(), None, missing, is_several=True, unread=True)
        place = _place(body)
        return cls(frozenset([body]), None if place is None else (place, place, True), missing, is_several=missing)


def _ends(body: str) -> Ends | None:
    """Return the ends of a range of numbers or dates; None for any other text."""
    if body.startswith("[") and body.endswith("]") and len(both := listed(body)) == 2:
        return _between(*both, closed=True)
    if match := _HALF_OPEN.fullmatch(body):
        return _between(*match.groups(), closed=False)
    if match := _BELOW.fullmatch(body):
        high = _place(match[1])
        return None if high is None else (None, high, False)
    if match := _FROM.fullmatch(body):
        low = _place(match[1])
        return None if low is None else (low, None, True)
    return None


def _between(first: str, last: str, *, closed: bool) -> Ends | None:
    """Return a range of numbers or of dates; None between other texts, and between a number and a date."""
    low, high = _place(first), _place(last)
    return None if low is None or high is None or low[0] != high[0] else (low, high, closed)


def _place(text: str) -> Place | None:
    if _NUMBER.fullmatch(text):
        return 0, Fraction(text)
    return (1, text) if _DATE.fullmatch(text) else None


def _inside(read: Sequence[Read]) -> Bools:
    """Return which range, number or date lies within which range."""
    ends = [one.ends for one in read]
    places = sorted({place for one in ends if one is not None for place in one[:2] if place is not None})
    rank = {place: 2 * number + 1 for number, place in enumerate(places)}
    outside = 2 * len(places) + 2
    kind = np.array([-1 if one is None else next(place[0] for place in one[:2] if place is not None) for one in ends])
    low = np.array([outside if one is None else 0 if one[0] is None else rank[one[0]] for one in ends])
    high = np.array([-1 if one is None else outside if one[1] is None else rank[one[1]] - (not one[2]) for one in ends])
    placed = np.array([one is not None for one in ends], dtype=bool)
    ranges = placed & np.array([not one.members for one in read], dtype=bool)
    inside = (low[:, None] >= low[None, :]) & (high[:, None] <= high[None, :]) & (kind[:, None] == kind[None, :])
    return np.asarray(inside & placed[:, None] & ranges[None, :], dtype=bool)


def _members(read: Sequence[Read]) -> Bools:
    """Return which value or set lies within which set."""
    known = {member: number for number, member in enumerate(dict.fromkeys(m for one in read for m in one.members))}
    owner = [place for place, one in enumerate(read) for _ in one.members]
    member = [known[name] for one in read for name in one.members]
    held = Relation.of(np.array(owner, dtype=np.int64), np.array(member, dtype=np.int64), (len(read), len(known)))
    shared, ways = held.then(held.inverse)
    within = np.zeros((len(read), len(read)), dtype=bool)
    within[shared.owners, shared.others] = ways == held.degrees[shared.owners]
    return within


def _path(builder: Builder, text: str | None) -> tuple[str | None, ...]:
    """Return the labels above a cell that the hierarchy takes as a value, itself first; none where it does not."""
    try:
        labels = builder.build(pl.Series([text], dtype=pl.String)).labels
    except (ShoalError, pl.exceptions.PolarsError):
        return ()
    return tuple(dict.fromkeys(level[0] for level in labels))


@lru_cache(maxsize=64)
def listed(body: str) -> tuple[str, ...]:
    """Return what stands between brackets, separated by commas; quotes guard commas and brackets.

    Kept for a while, because a cell is compared with one value after the other.
    """
    found = _MEMBER.finditer(body[1:-1])
    texts = [match[2].strip() if match[2] is not None else re.sub(r"\\(.)", r"\1", match[1]) for match in found]
    pairs = zip(_MEMBER.finditer(body[1:-1]), texts, strict=True)
    return tuple(text for match, text in pairs if text or match[2] is None)
