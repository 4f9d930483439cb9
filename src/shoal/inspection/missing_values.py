"""Values that look as if they stood for missing ones: proposed by an inspection, for a person to judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

WORDS = (
    *("na", "n/a", "n.a.", "nan", "null", "none", "missing", "unknown", "?", "-", "--", ".", "not available"),
    *("refused", "refusal", "no answer", "don't know", "dont know", "dk", "prefer not to say", "declined", "not known"),
    *("not stated", "k.a.", "k. a.", "keine angabe", "unbekannt", "weiß nicht", "inconnu", "non renseigné", "ukjent"),
)
"""Texts, in small letters, that often stand for a missing value."""
BELOW = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -77, -88, -97, -98, -99, -777, -888, -997, -998, -999, -9999)
"""Negative numbers that stand for missing values where nothing else is below 0."""
ABOVE = (7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999, 99999, 999999)
"""Numbers that stand for missing values where they are far above all others."""
GAP = 0.1
"""How far above, as a share of what the others span."""
OFTEN = 2
"""Rows from which on a number may be a code."""


def proposed_codes(column: pl.Series) -> tuple[str, ...]:
    """Return the codes of the lists above that occur in a column and look as if they stood for missing values.

    >>> proposed_codes(pl.Series([20, 31, 64, 99, 99, 999, 999])), proposed_codes(pl.Series(["NA", "x", "?"]))
    (('99', '999'), ('?', 'NA'))
    >>> proposed_codes(pl.Series([-8, -8, 0, 5, 6])), proposed_codes(pl.Series([-8, -8, -20, 5]))
    (('-8',), ())
    >>> proposed_codes(pl.Series(["20", "31", "64", "99", "99", "refused"]))
    ('refused', '99')
    """
    if column.dtype in (pl.String, pl.Enum):
        texts = column.cast(pl.String).drop_nulls()
        usual = texts.str.strip_chars().str.to_lowercase().is_in(WORDS)
        numbers = texts.filter(~usual).cast(pl.Float64, strict=False)
        coded = proposed_codes(numbers) if usual.any() and not numbers.null_count() else ()
        return (*sorted(texts.filter(usual).unique().to_list()), *coded)
    if not column.dtype.is_numeric():
        return ()
    counts = column.drop_nulls().cast(pl.Float64).value_counts(name="rows")
    times = dict(zip(counts.to_series(0).to_list(), counts.to_series(1).to_list(), strict=True))
    codes = [code for code in (*BELOW, *ABOVE) if times.get(code, 0) >= OFTEN]
    others = sorted(value for value in times if value not in codes)
    return tuple(str(code) for code in _apart(codes, others)) if len(others) > 1 else ()


def _apart(codes: Iterable[int], others: Sequence[float]) -> list[int]:
    """Return the codes that are apart from all other values."""
    low, high = others[0], others[-1]
    far = max(GAP * (high - low), 1)
    return sorted(code for code in set(codes) if (code < 0 <= low) or (code > high + far and code > 0))
