"""The order that texts have by what they say: dates, months, times of day, bands, amounts, postcodes.

It is asked for where ranges are published. Words have no order: the alphabet does not stand in for one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from shoal.hierarchies.bands import Bands
from shoal.hierarchies.base import Topic, Topics
from shoal.hierarchies.dates import days_in
from shoal.hierarchies.topics import topics_of
from shoal.tables.encoded_column import odd_texts
from shoal.tables.spelling import CODE, first_days
from shoal.tables.star_marks import count_literal_stars

CLOCK = r"^(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?$"
PERIODS = (r"^[0-9]{4}-?W[0-9]{2}$", r"^[0-9]{4}[-/ ]?Q[1-4]$", r"^[0-9]{3}0s$")
"""Weeks, quarters and decades: texts of one of these forms are in the order of time."""
SHORT_YEAR = r"^[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{2}$"
HOUR = r"[T ]([0-9]{1,2}:.*)$"
POSTCODE = r"^[0-9]{3,10}$"
AMOUNT = re.compile(r"((?:[A-Z]{3}|[^\w+-])?\s?)([+-]?[0-9](?:[0-9.,'’\s]*[0-9])?)(\s?[^0-9]{0,12})")
THOUSANDS = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:[.,'’\s][0-9]{3})+)")
NEARLY = 0.9
"""The share of the values that must be numbers or dates for the others to be told of."""


def natural_order(values: pl.Series) -> tuple[str, ...] | None:
    """Return the order that the structure of distinct values gives them, where their type does not: the least first.

    Texts that are all dates, months, weeks, quarters or times of day are in the order of time, bands in that of their
    ends, amounts of one unit in that of their numbers, and postcodes in that of their digits. Whole numbers that the
    column's name calls codes have no order, and get an empty one. None for any other column: it is as ordered as its
    type is.

    >>> natural_order(pl.Series(["31.12.2023", "1.2.2024"])), natural_order(pl.Series(["5-9", "65+", "10-64"]))
    (('31.12.2023', '1.2.2024'), ('5-9', '10-64', '65+'))
    >>> natural_order(pl.Series(["12/2020", "01/2021"])), natural_order(pl.Series(["1.000,50 EUR", "999,00 EUR"]))
    (('12/2020', '01/2021'), ('999,00 EUR', '1.000,50 EUR'))
    >>> natural_order(pl.Series("discharge_id", [1, 7])), natural_order(pl.Series("age", [1, 7]))
    ((), None)
    """
    present, topics = values.drop_nulls(), topics_of(values.name)
    if present.dtype.is_integer():
        return () if Topic.CODE in topics else None
    if present.dtype != pl.String or present.is_empty() or count_literal_stars(present):
        return None
    return _by_time(present) or _by_bands(values) or _by_amount(present, topics) or _by_postcode(present, topics)


def unordered_note(values: pl.Series, usual: Sequence[str] = ()) -> str | None:
    """Say why a column has no order although nearly all of its values are numbers or dates; None for any other column.

    `usual` are those of its values that usually stand for a missing one; they are named if there are no others.

    >>> unordered_note(pl.Series("age", [str(age) for age in range(20, 90)] + ["unknown"]))
    "column 'age': 1 of 71 different values is no number, so sets of values are published instead of ranges; name what \
stands for missing values with --missing age=CODES or missing={'age': [...]}"
    """
    present = values.drop_nulls()
    if present.dtype != pl.String or present.is_empty() or natural_order(values) is not None:
        return None
    if present.str.contains(SHORT_YEAR).all():
        return (
            f"column {values.name!r}: years of two digits do not say their century, so these dates have no order, and "
            "sets of values are published instead of ranges; write the years in full"
        )
    odd, kind = odd_texts(values), "number"
    if not odd:
        odd, kind = _days(present).null_count(), "date"
    if odd > (1 - NEARLY) * len(present):
        return None
    are = f"is no {kind}" if odd == 1 else f"are no {kind}s"
    known = len(usual) == odd
    flag = shlex.quote(f"{values.name}={','.join(usual) if known else 'CODES'}")
    said = repr(list(usual)) if known else "[...]"
    return (
        f"column {values.name!r}: {odd:,} of {len(present):,} different values {are}, so sets of values are published "
        f"instead of ranges; name what stands for missing values with --missing {flag} or "
        f"missing={{{values.name!r}: {said}}}"
    )


def _by_time(present: pl.Series) -> tuple[str, ...] | None:
    """Return texts that are all dates, months, weeks, quarters, decades or times of day, the earliest first."""
    days = _days(present)
    if not days.null_count():
        hours = present.str.extract(HOUR).fill_null("").str.replace(r"^([0-9]:)", "0$1")
        return _sorted(present, days, hours)
    if present.str.contains(CLOCK).all():
        return _sorted(present, present.str.replace(r"^([0-9]:)", "0$1"))
    if any(present.str.contains(form).all() for form in PERIODS):
        return _sorted(present)
    return None


def _days(present: pl.Series) -> pl.Series:
    """Return the day that each text begins with; of a month its first; missing where a text is no date."""
    return days_in(present).fill_null(first_days(present))


def _by_bands(values: pl.Series) -> tuple[str, ...] | None:
    """Return texts that are all bands, the lowest first."""
    found = Bands().resolved(values) if Bands.fitting(values) is not None else None
    return found.bands if isinstance(found, Bands) and len(found.bands) == values.drop_nulls().len() else None


def _by_amount(present: pl.Series, topics: Topics) -> tuple[str, ...] | None:
    """Return texts that are numbers written in one way, with one unit or none, the least first."""
    found = [AMOUNT.fullmatch(text.strip()) for text in present]
    parts = [one.groups() for one in found if one is not None]
    if len(parts) < len(found) or len({(before.strip(), after.strip()) for before, _, after in parts}) > 1:
        return None
    numbers = [number for _, number, _ in parts]
    if any(re.match(CODE, number) for number in numbers):
        return None
    if Topic.CODE in topics and all(number.isdigit() for number in numbers):
        return None
    decimal = _decimal_sign(numbers)
    known = [_number(number, decimal) for number in numbers]
    if None in known or len(set(known)) < len(known):
        return None
    return _sorted(present, pl.Series(sorted(range(len(known)), key=known.__getitem__)).arg_sort())


def _decimal_sign(numbers: list[str]) -> str:
    """Return the decimal sign of numbers: the last of two different signs, else one that does not cut off thousands.

    >>> _decimal_sign(["1.000,5", "7"]), _decimal_sign(["1,000", "20,000"]), _decimal_sign(["0.250", "1.5"])
    (',', '.', '.')
    """
    both = next((number for number in numbers if "," in number and "." in number), None)
    if both is not None:
        return max(",.", key=both.rfind)
    signs = {sign for sign in ",." if any(sign in number for number in numbers)}
    if len(signs) != 1:
        return "."
    sign = signs.pop()
    cut = all(THOUSANDS.fullmatch(one) and not one.startswith("0") for one in numbers if sign in one)
    return ",.".replace(sign, "") if cut else sign


def _number(text: str, decimal: str) -> Fraction | None:
    """Return the number that a text says, or None where the signs in it do not cut off thousands.

    >>> _number("1.000,5", ","), _number("1 000", "."), _number("30 12 45", ".")
    (Fraction(2001, 2), Fraction(1000, 1), None)
    """
    whole, _, rest = text.partition(decimal)
    if THOUSANDS.fullmatch(whole) is None or decimal in whole or (rest and not rest.isdigit()):
        return None
    return Fraction(re.sub(r"[^0-9+-]", "", whole) + "." + (rest or "0"))


def _by_postcode(present: pl.Series, topics: Topics) -> tuple[str, ...] | None:
    """Return texts that are postcodes of as many digits, where the column's name says so."""
    if Topic.POSTCODE not in topics or not present.str.contains(POSTCODE).all():
        return None
    return _sorted(present) if present.str.len_chars().n_unique() == 1 else None


def _sorted(present: pl.Series, *keys: pl.Series) -> tuple[str, ...]:
    """Return texts in the order of some keys, equal ones in that of their characters."""
    columns = [key.alias(str(number)) for number, key in enumerate((*keys, present))]
    return tuple(pl.DataFrame(columns).sort(pl.all())[:, -1])
