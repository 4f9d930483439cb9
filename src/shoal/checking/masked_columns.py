"""Masked columns compared with what is stated of their masks, by the definitions of these alone.

Where a cell follows from the value that it hides, it is worked out anew. Where it is drawn at random the draw is not
repeated: it is checked that the cells are some that the mask can give. Masks are plain data here, as a release states
them. Of one that is not known only that is checked which holds of all: a missing value stays missing, and no other cell
becomes one.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Ints

Stated = Mapping[str, Any]
FARTHEST = 9.0
"""No draw of the normal distribution is farther from 0: it is made of 52 bits."""
EXACT = 1e-9
"""Decimal fractions are held in floating point."""


def public(mask: Stated) -> dict[str, Any]:
    """Return what is published of a mask: all but its key."""
    return {name: given for name, given in mask.items() if name != "key"}


def form_problem(published: pl.Series, stated: Stated) -> str:
    """Say what published cells show that the mask stated for them never gives; without the original.

    >>> form_problem(pl.Series("income", [1000, 1500]), {"mask": "round", "multiple": 1000})
    "1 cell of 'income' is none that the mask round gives"
    """
    known = published.drop_nulls()
    wrong = _FORMS[stated["mask"]](known, stated) if stated["mask"] in _FORMS else 0
    return _said(wrong, published.name, stated)


def expected(original: pl.Series, stated: Stated) -> pl.Series | None:
    """Return a column as its mask publishes it, worked out anew; None where that is drawn, or needs an unknown key."""
    made = _EXPECTED.get(stated["mask"])
    if made is None or (stated["mask"] in _KEYED and "key" not in stated):
        return None
    return made(original, stated).alias(original.name)


def draw_problem(published: pl.Series, original: pl.Series, rows: Ints, stated: Stated, person: Ints | None) -> str:
    """Say what cells drawn at random show that cannot have been drawn; `rows` are those of the original.

    `person` has the number of whom each row of the original is about; None where each row is one person.
    """
    own = original.gather(rows)
    if not (published.is_null() == own.is_null()).all():
        return f"cells of {published.name!r} are missing that were not, or the other way round"
    there = published.is_not_null()
    shown, hidden = published.filter(there), own.filter(there)
    if published.dtype != original.dtype and stated["mask"] in _DRAWN:
        return f"{published.name!r} has another type than the original"
    whose = rows if person is None else person[rows]
    kept = there.to_numpy()
    drawn = _DRAWN.get(stated["mask"])
    return _said(
        drawn(shown, hidden, original.drop_nulls(), stated, whose[kept]) if drawn else 0, published.name, stated
    )


def _said(wrong: int, name: str, stated: Stated) -> str:
    if not wrong:
        return ""
    cells = "1 cell" if wrong == 1 else f"{wrong:,} cells"
    return f"{cells} of {name!r} {'is none' if wrong == 1 else 'are none'} that the mask {stated['mask']} gives"


# --- without the original ---


def _beyond(known: pl.Series, stated: Stated) -> pl.Series:
    limit = float(Fraction(str(stated["limit"])))
    return known > limit if stated["mask"] == "top" else known < limit


def _uncoded(known: pl.Series, stated: Stated) -> int:
    shown = float(Fraction(str(stated.get("replacement", stated["limit"]))))
    return int((_beyond(known, stated) & (known != shown)).sum())


def _no_multiples(known: pl.Series, stated: Stated) -> int:
    step = Fraction(str(stated["multiple"]))
    if known.dtype.is_integer():
        return int((known.to_numpy() % int(step) != 0).sum())
    times = known.cast(pl.Float64).to_numpy() / float(step)
    with np.errstate(invalid="ignore"):  # no distance from an infinite number is close
        close = np.abs(times - np.rint(times)) <= EXACT * np.maximum(1, np.abs(times))
    return int((~close).sum())


def _no_codes(known: pl.Series, stated: Stated) -> int:
    return int((~known.cast(pl.String).str.contains(f"^[0-9a-f]{{{int(stated['length'])}}}$")).sum())


_FORMS: Mapping[str, Callable[[pl.Series, Stated], int]] = {
    "top": _uncoded,
    "bottom": _uncoded,
    "round": _no_multiples,
    "hash": _no_codes,
}

# --- worked out anew ---


def _coded(original: pl.Series, stated: Stated) -> pl.Series:
    shown = Fraction(str(stated.get("replacement", stated["limit"])))
    value = int(shown) if original.dtype.is_integer() else float(shown)
    limit = float(Fraction(str(stated["limit"])))
    cells = [cell if cell is None or not _is_beyond(cell, limit, stated) else value for cell in original.to_list()]
    return pl.Series(cells, dtype=original.dtype)


def _is_beyond(cell: float, limit: float, stated: Stated) -> bool:
    return cell > limit if stated["mask"] == "top" else cell < limit


def _rounded(original: pl.Series, stated: Stated) -> pl.Series:
    """Return the nearest multiples, halves up, in exact arithmetic of the decimal numbers that cells are written as."""
    step = Fraction(str(stated["multiple"]))
    exact = {
        cell: (Fraction(str(cell)) / step + Fraction(1, 2)).__floor__() * step
        for cell in original.unique()
        if cell is not None
    }
    kind = int if original.dtype.is_integer() else float
    return pl.Series([None if cell is None else kind(exact[cell]) for cell in original.to_list()], dtype=original.dtype)


def _hashed(original: pl.Series, stated: Stated) -> pl.Series:
    length, key = int(stated["length"]), str(stated["key"]).encode()
    texts = original.cast(pl.String)
    codes = {
        text: hmac.new(key, text.encode(), "sha256").hexdigest()[:length] for text in texts.unique() if text is not None
    }
    return pl.Series([None if text is None else codes[text] for text in texts.to_list()], dtype=pl.String)


_EXPECTED: Mapping[str, Callable[[pl.Series, Stated], pl.Series]] = {
    "top": _coded,
    "bottom": _coded,
    "round": _rounded,
    "hash": _hashed,
}
_KEYED = ("hash",)

# --- drawn at random ---


def _too_far(shown: pl.Series, hidden: pl.Series, all_hidden: pl.Series, stated: Stated, whose: Ints) -> int:
    """Count numbers moved farther than noise of that deviation reaches, and a rounding."""
    share = float(Fraction(str(stated["share"])))
    spread = float(all_hidden.cast(pl.Float64).std() or 0.0)  # type: ignore[arg-type]
    moved = (shown.cast(pl.Float64) - hidden.cast(pl.Float64)).abs()
    return int((moved > FARTHEST * share * spread + 0.5).sum())


def _no_rank_near(shown: pl.Series, hidden: pl.Series, all_hidden: pl.Series, stated: Stated, whose: Ints) -> int:
    """Count values that are farther from the rank of the value they hide than the mask allows, or too many."""
    share = Fraction(str(stated["share"]))
    ranks = np.sort(all_hidden.to_physical().to_numpy())
    places = [
        (np.searchsorted(ranks, one), np.searchsorted(ranks, one, "right") - 1)
        for one in (_physical(shown), _physical(hidden))
    ]
    (low, high), (own_low, own_high) = places
    apart = np.maximum(np.maximum(low - own_high, own_low - high), 0)
    return int((apart > int(share * len(ranks))).sum()) + _not_among(shown, hidden, all_hidden, stated, whose)


def _physical(column: pl.Series) -> Any:
    return column.to_physical().to_numpy()


def _not_among(shown: pl.Series, hidden: pl.Series, all_hidden: pl.Series, stated: Stated, whose: Ints) -> int:
    """Count cells that show a value more often than the original has it."""
    here, there = ({row[0]: row[1] for row in one.value_counts().rows()} for one in (shown, all_hidden))
    return sum(max(many - there.get(value, 0), 0) for value, many in here.items())


def _no_category(shown: pl.Series, hidden: pl.Series, all_hidden: pl.Series, stated: Stated, whose: Ints) -> int:
    """Count cells that show no category of the original."""
    return int((~shown.is_in(all_hidden.unique().implode())).sum())


def _no_shift(shown: pl.Series, hidden: pl.Series, all_hidden: pl.Series, stated: Stated, whose: Ints) -> int:
    """Count dates that moved by no whole day, by none, by too many, or by another number than others of the person."""
    moved = (shown - hidden).dt.total_microseconds().to_numpy() / 86_400_000_000
    wrong = (moved != np.rint(moved)) | (moved == 0) | (np.abs(moved) > int(stated["days"]))
    of_person = dict(zip(whose.tolist(), moved.tolist(), strict=True))
    return int((wrong | (moved != np.array([of_person[one] for one in whose.tolist()]))).sum())


_DRAWN: Mapping[str, Callable[[pl.Series, pl.Series, pl.Series, Stated, Ints], int]] = {
    "noise": _too_far,
    "rank-swap": _no_rank_near,
    "shuffle": _not_among,
    "pram": _no_category,
    "date-shift": _no_shift,
}
