"""The checker of a lower bound for ranges and sets: what prices on rows prove, worked out anew.

A class gains the prices of its rows less what they pay. Let v(r) be the most that a class gains whose dearest row is r,
and 0 if every such class loses. In any release a class pays at least its prices less v(r), r its dearest row, and no
two classes have the same dearest row. Add over the classes:

    cost of any release >= sum of all prices - sum over all rows of v(r),    whatever the prices are.

Taking v(r) too large keeps that true, and so does taking a class to pay less than it does. Classes have as many rows,
and as many different sensitive values, as the models ask for at least. Where they ask for k rows alone, a class of 2k
rows or more falls into parts of k to 2k - 1 rows that pay no more, so that larger ones need not be looked at.

Costs are whole numbers, rounded down, and prices are rounded up; nothing is shared with the search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.checking.class_gains_kernel import Branches, Costs, Memory, Needs, Table, boxes_of, gains_of
from shoal.core.arrays import AnyInts, Ints
from shoal.microdata.histogram import Attributes, Values
from shoal.models import Models
from shoal.models.share_set import joined
from shoal.tables.encoded_column import Coded, is_ordered

FINE = 40
"""Costs are whole numbers of 2^-40 of the most that a row can pay; of larger parts beyond two million rows."""
PATIENCE = 400_000
"""Steps of the search around one row, after which what is open counts as a gain."""
IN_ALL = 6_000_000_000
"""Steps of all searches, after which nothing is searched any more: some minutes."""
LEAF = 16
"""Kinds of rows up to which a branch of the tree has no parts."""


def class_bound(
    frame: pl.DataFrame,
    values: Mapping[Attributes, Values],
    *,
    quasi: Sequence[str],
    models: Models,
    weights: Mapping[str, float],
    prices: Ints,
    denominator: int,
    may_drop: int,
) -> Fraction:
    """Return a number that no release of the table by ranges and sets has a lower NCP than, as these prices prove it.

    `values` are the sensitive attributes that the models read; dropped rows are left to the caller, but for what models
    say of a table of which rows may be dropped.

    >>> from shoal.models import KAnonymity
    >>> found = class_bound(
    ...     pl.DataFrame({"age": [20, 21, 30, 40]}), {}, quasi=["age"], models=Models((KAnonymity(2),)), weights={},
    ...     prices=np.array([50, 50, 500, 600]), denominator=1000, may_drop=0,
    ... )
    >>> round(float(found), 4)  # 20 and 21 pay 0.05 each, 30 and 40 pay 0.5 each: the prices are 0.1 too high
    0.275
    """
    fine = min(FINE, 61 - int(frame.height).bit_length())
    columns, needs = [Coded.of(frame[name]) for name in quasi], _needs(models, values, may_drop)
    read = [values[names].codes.astype(np.int64) for names in needs.values]
    kinds, rows = _distinct([*(column.codes for column in columns), *read, prices])
    laid = _laid_out(columns, [share * (1 << fine) for share in _shares(quasi, weights)], kinds)
    raised = [-(-price * (1 << fine) // denominator) for price in prices[kinds].tolist()]
    capped = np.array([max(min(price, 1 << fine + 1), -1) for price in raised], dtype=np.int64)
    table = Table(
        laid.places, laid.words, laid.bits, capped, rows, _stacked([codes[kinds] for codes in read], len(kinds))
    )
    gains = _gains(table, laid, Needs(needs.rows, needs.most, np.array(list(needs.values.values()), np.int64)))
    lost = [
        gain + max(price - cap, 0) for gain, price, cap in zip(gains.tolist(), raised, capped.tolist(), strict=True)
    ]
    whole = sum(one * many for one, many in zip(lost, rows.tolist(), strict=True))
    return (Fraction(sum(prices.tolist()), denominator) - Fraction(whole, 1 << fine)) / frame.height


def _shares(quasi: Sequence[str], weights: Mapping[str, float]) -> list[Fraction]:
    """Return how much each column counts, 1 in all."""
    own = [Fraction(weights.get(name, 1)) for name in quasi]
    return [weight / sum(own) for weight in own]


def _distinct(columns: Sequence[AnyInts]) -> tuple[Ints, Ints]:
    """Return one row of each kind, and how many rows are of each."""
    _, first, counts = np.unique(np.column_stack(columns), axis=0, return_index=True, return_counts=True)
    return first, counts.astype(np.int64)


@dataclass(frozen=True)
class _Needs:
    """What any class has at least."""

    rows: int
    most: int
    """Rows beyond which a class need not be looked at; 0 where it must."""
    values: Mapping[Attributes, int]


def _needs(models: Models, values: Mapping[Attributes, Values], may_drop: int) -> _Needs:
    """Read the models; where rows may be dropped, what follows from the table's shares is left out."""
    rows, different = models.least_rows, dict[Attributes, int]()
    for names, attribute in values.items():
        own = [model for model in models if model.attributes == names and not model.given]
        known = [shares for model in own if (shares := model.shares(attribute)) is not None]
        sets = joined(shares for shares in known if not (may_drop and shares.of_table))
        rows = max([rows, *(shares.least_rows(attribute.totals, models.least_rows) for shares in sets)])
        asked = [*(model.least_values for model in own), *(shares.least_values(attribute.totals) for shares in sets)]
        if max(asked, default=1) > 1:
            different[names] = max(asked)
    return _Needs(rows, 0 if different else 2 * rows - 1, different)


@dataclass(frozen=True, eq=False)
class _Layout:
    """Kinds of rows by what cells cost; see `class_gains_kernel`."""

    places: Ints
    words: Ints
    bits: Ints
    costs: Costs
    along: Ints
    """Column by kind: where it lies along the column, for the tree."""

    @property
    def width(self) -> int:
        """How many numbers a box has."""
        words = int(self.words.max(initial=-1)) + 1
        return int(3 * self.places.shape[1]) + words + 1


def _laid_out(columns: Sequence[Coded], shares: Sequence[Fraction], kinds: Ints) -> _Layout:
    """Lay out the columns, each of which counts a share of what a row pays."""
    places, words, bits, along = list[Ints](), list[Ints](), list[Ints](), list[Ints]()
    missing, most, steps, start = list[int](), list[int](), list[int](), 0
    for column, share in zip(columns, shares, strict=True):
        codes, step = column.codes[kinds].astype(np.int64), int(share / max(column.size - 1, 1))
        if is_ordered(column.values) and column.values.dtype != pl.Boolean:
            known = column.size - (column.missing is not None)
            places.append(np.array([*_places(column, known, share), -1])[np.minimum(codes, known)])
            missing.append(step)
            most.append(int(share))
            along.append(places[-1])
        else:
            words.append(start + codes // 64)
            bits.append((np.uint64(1) << (codes % 64).astype(np.uint64)).view(np.int64))
            steps.append(step)
            start += -(-column.size // 64)
            along.append(codes * step)
    costs, number = Costs(*(np.array(some, dtype=np.int64) for some in (missing, most, steps))), len(kinds)
    return _Layout(_stacked(places, number), _stacked(words, number), _stacked(bits, number), costs, np.array(along))


def _places(column: Coded, known: int, share: Fraction) -> list[int]:
    """Return where the known values lie along the range of a column, rounded down."""
    values = [Fraction(place) for place in column.positions[:known].tolist()]
    span = values[-1] - values[0] if len(values) > 1 else Fraction(1)
    return [int((value - values[0]) / span * share) for value in values]


def _stacked(columns: Sequence[Ints], rows: int) -> Ints:
    """Return columns side by side; there may be none."""
    return np.column_stack([np.zeros((rows, 0), np.int64), *columns]).astype(np.int64)


def _gains(table: Table, laid: _Layout, needs: Needs) -> Ints:
    """Return what a class can gain, by the kind of its dearest row."""
    order, begin, end, part = _tree(laid.along)
    boxes = boxes_of(order, begin, end, table, laid.costs, laid.width)
    memory = Memory.of(table, laid.width, needs, len(begin))
    tree = Branches(begin, end, part, boxes)
    gains: Ints = gains_of(order, tree, table, laid.costs, needs, memory, PATIENCE, IN_ALL)
    return gains


def _tree(along: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the kinds in the order of a tree, and of each branch where it begins and ends, and its first part or -1.

    A branch is cut in the middle of the column along which its kinds are widest apart.
    """
    order, branches, part = np.arange(along.shape[1]), [(0, along.shape[1])], [-1]
    for branch, (begin, end) in enumerate(branches):  # grows along the way
        here = order[begin:end]
        widths = along[:, here].max(axis=1) - along[:, here].min(axis=1) if end - begin > LEAF else np.zeros(1)
        if widths.max() > 0:
            order[begin:end] = here[np.argsort(along[int(widths.argmax()), here], kind="stable")]
            part[branch] = len(branches)
            branches += [(begin, (begin + end) // 2), ((begin + end) // 2, end)]
            part += [-1, -1]
    ends = np.array(branches)
    return order, ends[:, 0].copy(), ends[:, 1].copy(), np.array(part)
