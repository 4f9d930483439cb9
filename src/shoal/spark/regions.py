"""Regions: parts of a table so small that one task works on each. Which region a row is in follows from its codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.core.arrays import AnyInts, Bools, Ints
from shoal.methods.general.hilbert_curve import WIDTH, hilbert_keys


class Regions(Protocol):
    """Parts of a table."""

    @property
    def number(self) -> int:
        """How many there are."""

    def of(self, codes: Sequence[AnyInts]) -> Ints:
        """Return the number of the region that each row is in, given its codes, column by column."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A region cut in two along an attribute."""

    region: int
    axis: int
    upper: Bools
    """By code: whether a row goes to the second half."""
    first: int
    """The number of the first half; the second has the next."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Regions made by cutting the table, which is region 0, in two again and again.

    >>> halves = Halves((Cut(0, 0, np.array([False, True]), 1),))
    >>> halves.of([np.array([0, 1, 1])]).tolist()
    [1, 2, 2]
    """

    cuts: tuple[Cut, ...] = ()

    @property
    def number(self) -> int:
        """How many there are: each cut makes one more."""
        return len(self.cuts) + 1

    def of(self, codes: Sequence[AnyInts]) -> Ints:
        """Follow the cuts in the order they were made."""
        region = np.zeros(len(codes[0]), dtype=np.int64)
        for cut in self.cuts:
            here = np.flatnonzero(region == cut.region)
            region[here] = cut.first + cut.upper[codes[cut.axis][here]]
        return region


@dataclass(frozen=True, eq=False)
class Curve:
    """The Hilbert curve through a table, in steps of so many bits: rows of equal codes are on the same step."""

    axes: tuple[Ints, ...]
    """By attribute: the place of each code along its axis, from 0 to 2^bits."""
    bits: int
    steps: int
    """How many bits of a row's place on the curve say its step."""

    def of(self, codes: Sequence[AnyInts]) -> Ints:
        """Return the step that each row is on."""
        points = np.column_stack([axis[one] for axis, one in zip(self.axes, codes, strict=True)])
        words = hilbert_keys(points, self.bits)
        left = self.bits * len(self.axes)
        wide = left - WIDTH * (len(words) - 1)
        if len(words) > 1 and wide < self.steps:
            more = self.steps - wide
            both: Ints = (words[0] << more) | (words[1] >> (WIDTH - more))
            return both
        step: Ints = words[0] >> max(wide - self.steps, 0)
        return step


@dataclass(frozen=True, eq=False)
class Stretches:
    """Regions that are stretches of the Hilbert curve; region r begins with step `begins[r]`."""

    curve: Curve
    begins: Ints

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.begins)

    def of(self, codes: Sequence[AnyInts]) -> Ints:
        """Find the stretch that each row's step is on."""
        return np.searchsorted(self.begins, self.curve.of(codes), side="right") - 1
