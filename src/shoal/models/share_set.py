"""Share sets put together, and the caps that models state: for lower bounds and those who check them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import floor

from shoal.core.arrays import Ints
from shoal.models.base import ShareSet

FINE = 10**30
"""Irrational caps are rounded up to multiples of 1 / FINE."""


def joined(sets: Iterable[ShareSet]) -> list[ShareSet]:
    """Return sets of one attribute as few: caps and the equal distance are one set, every other limit its own.

    Shares that meet all of the given sets meet each of those returned.
    """
    capped, others = ShareSet(), []
    for one in sets:
        caps = [caps for caps in (capped.caps, one.caps) if caps is not None]
        if caps:
            capped = replace(capped, caps=tuple(map(min, zip(*caps, strict=True))))
        if one.is_equal:
            capped = replace(capped, ground=one.ground, t=min(capped.t, one.t))
        elif one.ground is not None or one.diversity > 1:
            others.append(replace(one, caps=None))
    return [*([capped] if capped.caps is not None or capped.ground is not None else []), *others]


def table_shares(totals: Ints) -> list[Fraction]:
    """Return the share of every value in the table."""
    total = int(totals.sum())
    return [Fraction(count, total) for count in totals.tolist()]


def above_log(number: Fraction) -> Fraction:
    """Return a number that is at least the natural logarithm, by less than 1e-25.

    >>> float(above_log(Fraction(2)))
    0.6931471805599453
    """
    with localcontext(prec=60):
        return _rounded_up((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def above_power_of_two(exponent: Fraction) -> Fraction:
    """Return a number that is at least 2 ** exponent, by less than 1e-25 of it; exponents up to 100.

    >>> float(above_power_of_two(Fraction(1, 2)))
    1.4142135623730951
    """
    with localcontext(prec=80):
        return _rounded_up((Decimal(2).ln() * exponent.numerator / exponent.denominator).exp())


def _rounded_up(number: Decimal) -> Fraction:
    return Fraction(floor(number * FINE) + 2, FINE)
