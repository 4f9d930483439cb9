"""Numbers that others give together: total = sum of parts, duration = end - start, body-mass index = weight / height².

A told number is fitted by two others, as they are (sums, differences) and as logarithms (products, ratios, powers), and
by all others at once (sums of many parts). A few exceptions are left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.inspection.sampled_column import BEHIND, SampledColumn

PROMISING = 0.8
"""Explained variance, from correlations, from which on two columns are fitted."""
GAINED = 0.25
"""What two columns leave unexplained, compared with the better one of them alone, at most."""
ALONE = 0.99
"""Explained variance from which on one column tells enough alone."""
TRIED = 12
"""Fits of a told column by two others, the most promising first."""
TIGHT = 0.05
"""How far a fit is off in nine rows of ten, as a share of the spread of the told column, at most."""
BETTER = 4.0
"""How many times as far each of the two is off alone."""
EXCEPTIONS = 0.05
"""Share of the rows that a fit leaves out."""
FITTED = 4_000
"""Rows that are fitted, at most."""
WIDEST = 40
"""Columns that are fitted at once, at most."""
NOTHING, DOUBLED = 1e-6, 2.0
"""A part of a sum adds nothing if without it that share of the variance, or so many times what was, is unexplained."""
COMMONEST = 0.2
"""Share of the rows from which on the commonest value of a number is left out."""


class Given(NamedTuple):
    """A teller, the told columns that it gives together with others, the reason in words, and whether exactly."""

    column: str
    tells: tuple[str, ...]
    reason: str
    exact: bool


def relations(told: Sequence[SampledColumn], tellers: Sequence[SampledColumn]) -> Iterator[Given]:
    """Yield the tellers that give told numbers together with others, and not alone; each relation once."""
    seen: set[frozenset[str]] = set()
    names = {one.name for one in tellers}
    columns = {one.name: one for one in (*tellers, *told) if _is_number(one)}
    for target in filter(_is_number, told):
        others = [one for name, one in columns.items() if name != target.name]
        for parts, exact in _fits(target, others, names):
            relation = frozenset((target.name, *(one.name for one in parts)))
            if relation not in seen:
                seen.add(relation)
                yield from _named(relation, [one.name for one in told], names, exact)


def _is_number(column: SampledColumn) -> bool:
    return column.numbers is not None and column.size > 2


def _named(relation: frozenset[str], told: Sequence[str], tellers: set[str], exact: bool) -> Iterator[Given]:
    """Say a relation once for each teller in it."""
    for column in sorted(relation & tellers):
        tells = tuple(name for name in told if name in relation and name != column)
        rest = " and ".join(repr(name) for name in sorted(relation - {column} - set(tells)))
        of = " and ".join(map(repr, tells))
        reason = f"{column!r} with {rest} gives {of}" if rest else f"{column!r} is computed from {of}"
        if tells:
            yield Given(column, tells, reason, exact)


def _fits(
    target: SampledColumn, others: Sequence[SampledColumn], tellers: set[str]
) -> Iterator[tuple[tuple[SampledColumn, ...], bool]]:
    """Yield the columns by which a number is given, and whether exactly."""
    for scale in (_plain, _logarithm):
        numbers = {one.name: scale(one) for one in others}
        for pair in _promising(scale(target), numbers, tellers):
            exact = _given(scale(target), [numbers[name] for name in pair])
            if exact is not None:
                yield tuple(one for one in others if one.name in pair), exact
    whole = [one for one in others if one.present.mean() >= 1 - EXCEPTIONS][:WIDEST]
    parts = _summed(_plain(target), whole)
    exact = _given(_plain(target), [_plain(one) for one in parts]) if parts else None
    if exact is not None and any(one.name in tellers for one in parts):
        yield parts, exact


def _plain(column: SampledColumn) -> Floats:
    """Return the numbers of as many rows as are fitted; the rows of a sample are in random order."""
    assert column.numbers is not None
    return column.numbers[:FITTED]


def _logarithm(column: SampledColumn) -> Floats:
    """Return logarithms; what is not above 0 is missing."""
    numbers = _plain(column)
    return np.log(np.where(numbers > 0, numbers, np.nan))


def _promising(target: Floats, numbers: Mapping[str, Floats], tellers: set[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns that by their correlations explain a number, those that gain most over one first."""
    known, names = np.isfinite(target), list(numbers)
    if len(names) < 2 or known.sum() < 2 * BEHIND:
        return []
    with np.errstate(invalid="ignore", divide="ignore"):  # a column that does not vary correlates with nothing
        correlation = np.nan_to_num(np.corrcoef([_centred(one[known]) for one in (target, *numbers.values())]))
    one, two = np.triu_indices(len(names), 1)
    first, second, both = correlation[0, one + 1], correlation[0, two + 1], correlation[one + 1, two + 1]
    explained = (first**2 + second**2 - 2 * first * second * both) / np.maximum(1 - both**2, 1e-6)
    alone = np.maximum(first**2, second**2)
    unexplained = np.maximum(1 - explained, 0) / np.maximum(1 - alone, 1e-6)
    able = (explained >= PROMISING) & (unexplained <= GAINED) & (alone < ALONE)
    ranked = [index for index in np.argsort(unexplained, kind="stable") if able[index]]
    pairs = [(names[one[index]], names[two[index]]) for index in ranked]
    return [pair for pair in pairs if tellers.intersection(pair)][:TRIED]


def _centred(numbers: Floats) -> Floats:
    """Return numbers around 0, outliers moved inwards and missing ones at 0."""
    known = numbers[np.isfinite(numbers)]
    if len(known) < 2 * BEHIND:
        return np.zeros(len(numbers))
    inside = np.clip(numbers, *np.quantile(known, [0.01, 0.99]))
    return np.nan_to_num(inside - np.nanmean(inside))


def _given(wanted: Floats, numbers: Sequence[Floats]) -> bool | None:
    """Return whether others give a number without exception; None where they do not, or one of them does alone.

    Rows that have the commonest value of the number tell nothing where that is a large part: a fit that says 0 is right
    for most amounts.
    """
    known: Bools = np.isfinite(wanted) & np.isfinite(numbers).all(axis=0)
    values, counts = np.unique(wanted[known], return_counts=True)
    if len(values) and counts.max() > COMMONEST * counts.sum():
        known &= wanted != values[counts.argmax()]
    if known.sum() < 2 * BEHIND:
        return None
    rest, some = wanted[known], [one[known] for one in numbers]
    spread = float(np.subtract(*np.quantile(rest, [0.95, 0.05]))) or float(rest.std())
    off = np.abs(_fitted(rest, _design(some)) - rest)
    far = float(np.quantile(off, 0.9))
    alone = min(float(np.quantile(np.abs(_fitted(rest, _design([one])) - rest), 0.9)) for one in some)
    if far > TIGHT * spread or alone <= TIGHT * spread or far * BETTER > alone:
        return None
    return bool(off.max() <= 1e-6 * np.abs(rest).max())


def _fitted(wanted: Floats, design: Floats) -> Floats:
    """Return the best linear fit, exceptions left out of it."""
    kept: Bools = np.ones(len(wanted), dtype=bool)
    fitted = wanted
    for _ in range(4):
        some = design[kept]
        fitted = design @ np.linalg.lstsq(some.T @ some, some.T @ wanted[kept], rcond=1e-12)[0]
        away = np.abs(fitted - wanted)
        kept = away <= np.quantile(away, 1 - EXCEPTIONS)
    return fitted


def _design(numbers: Sequence[Floats]) -> Floats:
    """Return numbers in units of their spread, and a constant, as columns."""
    return np.column_stack([*((one - one.mean()) / (one.std() or 1) for one in numbers), np.ones(len(numbers[0]))])


def _summed(wanted: Floats, columns: Sequence[SampledColumn]) -> tuple[SampledColumn, ...]:
    """Return the three columns or more whose sum, with factors, is a number; those that add nothing are left out."""
    known: Bools = np.isfinite(wanted) & np.isfinite([_plain(one) for one in columns]).all(axis=0)
    if len(columns) < 3 or known.sum() < max(2 * BEHIND, 5 * len(columns)):
        return ()
    design = _design([_plain(one)[known] for one in columns])
    off = np.abs(_fitted(wanted[known], design) - wanted[known])
    usual = off <= np.quantile(off, 1 - EXCEPTIONS)
    rest = wanted[known][usual] - wanted[known][usual].mean()
    if float(off[usual].max()) > TIGHT * rest.std():
        return ()
    chosen = _needed(design[usual], rest)
    return tuple(columns[index] for index in chosen) if len(chosen) > 2 else ()


def _needed(design: Floats, wanted: Floats) -> list[int]:
    """Return the columns without any of which the fit is worse; the last column of the design is a constant."""
    products, with_wanted, whole = design.T @ design, design.T @ wanted, float(wanted @ wanted)

    def unexplained(chosen: list[int]) -> float:
        some = [*chosen, design.shape[1] - 1]
        factors = np.linalg.lstsq(products[np.ix_(some, some)], with_wanted[some], rcond=1e-12)[0]
        return whole - float(factors @ with_wanted[some])

    chosen = list(range(design.shape[1] - 1))
    most = max(DOUBLED * unexplained(chosen), NOTHING * whole)
    while chosen:
        worse, least = min((unexplained([one for one in chosen if one != index]), index) for index in chosen)
        if worse > most:
            break
        chosen.remove(least)
    return chosen
