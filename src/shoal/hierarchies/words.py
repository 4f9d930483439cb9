"""Texts by the words they share: `State-gov` and `Local-gov` are `ends with gov`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeAlias

import polars as pl

import shoal.hierarchies
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.core.number_format import counted
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topics, hierarchy_from_labels
from shoal.hierarchies.common import SHARES, Kept, commonest, commonest_said, joined, read_levels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import cell_text

BEGINS, ENDS = "begins with ", "ends with "
WORD = re.compile(r"[^\W_]+")
FIRST, LAST = re.compile(r"[^\W\d_]{2,}"), re.compile(r"(?![ivxlcdm]+$)[^\W\d_]{3,}")
"""What the first word must be to be shared, and the last: letters; numerals count things."""
EMPTY = ("other", "others", "not", "no", "non", "none", "the", "all", "any", "unknown", "with", "without")
"""Words that say nothing of what values have in common."""
FITS = 0.2
"""The share of different values that must share words for the column to be grouped by them."""
ROUNDS = 5

Key: TypeAlias = tuple[str, str]
"""Which end a word is shared at, and the word."""


@dataclass(frozen=True, init=False)
class Words(Builder):
    """Guarantees groups of values that begin, or end, with the same word; above them, rare groups and values joined.

    A value that could be in two groups is in that with more values. Which words are shared is read from the column,
    unless `groups` lists them, the first that fits a value first. `shares`, `keep` and `others` are those of `common`.

    >>> Words().build(pl.Series(["Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov"])).labels[1]
    ('ends with gov', 'Private', 'begins with Self-emp')
    """

    name: ClassVar[str] = "words"
    meaning: ClassVar[str] = "texts that share their first or last word"

    groups: tuple[str, ...] = ()
    shares: tuple[Fraction, ...] = SHARES
    keep: Kept = ()
    others: tuple[int, ...] = ()

    def __init__(self, groups: object = (), shares: object = SHARES, keep: object = (), others: object = ()) -> None:
        object.__setattr__(self, "groups", _read_groups(groups))
        for field, value in read_levels(shares, keep, others, self.name).items():
            object.__setattr__(self, field, value)

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit texts of which enough share words, and not all the same."""
        if values.dtype != pl.String:
            return None
        texts = cell_text(values.drop_nulls()).to_list()
        labels = _grouped(texts, _shared(texts))
        grouped = sum(label != text for label, text in zip(labels, texts, strict=True))
        return cls() if grouped >= max(FITS * len(texts), 2) and len(set(labels)) > 1 else None

    @property
    def description(self) -> str:
        """How many groups there are, and how many stay on each level above."""
        said = counted(len(self.groups), "shared word") if self.groups else "shared words"
        return f"{said}, then {commonest_said(self.keep)}" if self.keep else said

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with groups, and what stays above them, said; stars only where no word is shared."""
        if self.groups:
            return self
        texts = cell_text(values.drop_nulls()).to_list()
        groups = _shared(texts)
        if not groups:
            return shoal.hierarchies.StarsOnly()
        return Words(groups, self.shares, *commonest(_grouped(texts, groups), counts, self.shares))

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of texts."""
        if not self.groups:
            return self.resolved(values, counts).build(values, counts)
        labels = _grouped(cell_text(values.drop_nulls()).to_list(), self.groups)
        return hierarchy_from_labels(values, [labels, *joined(labels, self.keep, self.others)])


@lru_cache(maxsize=2**17)
def _keys(text: str) -> list[Key]:
    """Return the words that a text may share: its first, and its last if there are several."""
    found = [word.casefold() for word in WORD.findall(text)]
    firsts = [(BEGINS, word) for word in found[:1] if FIRST.fullmatch(word) and word not in EMPTY]
    return firsts + [(ENDS, word) for word in found[1:][-1:] if LAST.fullmatch(word) and word not in EMPTY]


def _shared(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the groups of two values or more, larger ones first; each value counts where most others do."""
    keys = [_keys(text) for text in texts]
    sizes = Counter(key for several in keys for key in several)
    rank = {key: place for place, key in enumerate(sorted(sizes, key=lambda key: (-sizes[key], key)))}
    alive = {key for key, size in sizes.items() if size > 1}
    members: dict[Key, list[str]] = {}
    for _ in range(ROUNDS):
        members = defaultdict(list)
        for text, several in zip(texts, keys, strict=True):
            known = [key for key in several if key in alive]
            if known:
                members[min(known, key=rank.__getitem__)].append(text)
        weak = {key for key in alive if len(members.get(key, ())) < 2}
        alive -= weak
        if not weak:
            break
    return tuple(_label(key, members[key]) for key in sorted(alive & members.keys(), key=rank.__getitem__))


def _label(key: Key, members: Sequence[str]) -> str:
    """Name a group by the words that all its members begin with, or by the word that they end with."""
    low, high = min(members), max(members)
    if key[0] == ENDS:
        return ENDS + min(str(WORD.findall(text)[-1]) for text in members)
    ends = [word.end() for word in WORD.finditer(low)]
    same = [end for end in ends if low[:end] == high[:end] and not WORD.match(high[end : end + 1])]
    return BEGINS + (low[: same[-1]] if same else low[: ends[0]])


def _grouped(texts: Sequence[str], groups: Sequence[str]) -> list[str]:
    """Return the label of each text: that of the first group that it belongs to, or the text itself."""
    label_of: dict[Key, tuple[int, str]] = {}
    for place, group in enumerate(groups):
        label_of.setdefault(_key_of(group), (place, group))
    found = [min((label_of[key] for key in _keys(text) if key in label_of), default=(0, text)) for text in texts]
    return [label for _, label in found]


def _key_of(group: str) -> Key:
    end = BEGINS if group.startswith(BEGINS) else ENDS
    return end, WORD.findall(group.removeprefix(end))[0].casefold()


def _read_groups(given: object) -> tuple[str, ...]:
    groups = tuple(map(str, listed(given)))
    for group in groups:
        if not any(group.startswith(end) and WORD.search(group.removeprefix(end)) for end in (BEGINS, ENDS)):
            raise ParameterError(f"words: a group is {group!r}", expected=f"'{BEGINS}WORD' or '{ENDS}WORD'")
    return groups
