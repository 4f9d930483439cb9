"""The checker of a lower bound: what prices on rows prove, worked out anew in exact arithmetic.

A release publishes every row at one pattern that it matches, and the rows at a pattern are one class. Let v(p) be the
most that an admitted class at pattern p can gain: the sum over its rows of price minus cost. The cost of the class at p
is then at least its prices minus v(p). Add over the classes:

    cost of any release >= sum of all prices - sum over all patterns of v(p),    whatever the prices are.

Taking v(p) too large keeps that true. This part, with `patterns` and `gains`, knows what models and hierarchies are,
and nothing of the methods, costs and bounds that it checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.class_gains import class_bound
from shoal.checking.gains import FINE, EqualSpread, Gain, MetricSpread, gain_of_rows, gain_of_shares, gain_of_values
from shoal.checking.offsets import ONE, CappedOffset, EntropyOffset, MetricOffset, Offset
from shoal.checking.patterns import LOSSES, MEANS, WEIGHTED, Column, Kinds, Members, Numbers, batches, floored
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError, Unsupported
from shoal.hierarchies import Builder, StarsOnly, as_builder
from shoal.hierarchies.cell_forms import form_of
from shoal.microdata.histogram import Attributes, Values, with_joints
from shoal.models import Model, Models, Rule
from shoal.models.base import ShareSet
from shoal.models.share_set import joined, table_shares
from shoal.tables.encoded_column import distinct_sorted
from shoal.tables.table import numbered

MOST_VALUES = 64
"""Sensitive values up to which a distance other than the equal one is looked at."""


def price_bound(
    frame: pl.DataFrame,
    *,
    quasi: Sequence[str],
    models: Models,
    hierarchies: Mapping[str, Builder],
    recoding: str,
    cost: str,
    weights: Mapping[str, float],
    prices: Ints,
    denominator: int,
    may_drop: int,
) -> Fraction:
    """Return a number that no release of the table costs less than, as these prices prove it.

    Where a column has one level for all rows, patterns are a choice among those of its hierarchy.

    `prices` has a whole number of any sign for each row of the original `frame`, in units of 1 / `denominator`.
    `hierarchies` are those that cells are blocks of, and those of sensitive attributes. Of ranges and sets prices prove
    what `class_bound` says. Raises `Unsupported` for other recodings, and where the cost does not add over cells.

    >>> from shoal.models import KAnonymity
    >>> found = price_bound(
    ...     pl.DataFrame({"age": [20, 20, 30, 31]}), quasi=["age"], models=Models((KAnonymity(2),)), hierarchies={},
    ...     recoding="suppress", cost="stars", weights={}, prices=np.array([0, 0, 1, 1]), denominator=1, may_drop=0,
    ... )
    >>> int(found)
    2
    """
    _check(frame, models, recoding, cost, prices, denominator)
    if form_of(recoding).spans:
        read = [model for model in models if model.attributes and not model.given]
        bound = class_bound(
            *(frame, _sensitive(frame, read, hierarchies)),
            quasi=quasi,
            models=models,
            weights=weights,
            prices=prices,
            denominator=denominator,
            may_drop=may_drop,
        )
        return bound - Fraction(_dropped(prices, denominator, may_drop), denominator * frame.height)
    shares = _shares(quasi, cost, weights)
    columns = [
        _column(frame[name], hierarchies if form_of(recoding).along_hierarchies else None, cost, share, denominator)
        for name, share in shares.items()
    ]
    values = _sensitive(frame, [model for model in models if model.attributes and not model.given], hierarchies)
    said = _said(models, values, may_drop)
    exact = _type(columns, models, prices)
    kinds = Kinds.of(columns, [values[one.names].codes.astype(np.int64) for one in said], prices, exact)
    least = models.least_rows
    for one in said:
        least = max([least, *(shares.least_rows(values[one.names].totals, least) for shares in one.sets)])
    known = Known.of(said, values, kinds.read, least, exact)
    closed = len(known.offsets) > 0 and models.monotone
    lost = sum(known.gained(members) for members in batches(kinds.patterns(least, closed=closed)))
    lost += _dropped(prices, floored(sum(shares.values(), Fraction(0)), denominator), may_drop)
    bound = Fraction(sum(prices.tolist()) - lost, denominator)
    return Fraction(ceil(bound)) if cost == "stars" else bound / (frame.height if cost in MEANS else 1)


def _check(frame: pl.DataFrame, models: Models, recoding: str, cost: str, prices: Ints, denominator: int) -> None:
    form = form_of(recoding)
    if not (form.blocks and cost in LOSSES) and not (form.spans and cost == "ncp"):
        raise Unsupported(
            f"prices prove no lower bound of the cost {cost!r} with the recoding {recoding!r}",
            expected=f"a recoding by hierarchies or stars with {' or '.join(LOSSES)}; or range with ncp",
        )
    if (form.along_hierarchies or form.spans) and models.needs_population:
        raise Unsupported(
            "prices prove no lower bound where the loss is measured over a population too",
            hint="use --recoding suppress",
        )
    fitting = prices.dtype == np.int64 and prices.shape == (frame.height,)
    if not fitting or denominator < 1:
        raise ParameterError(
            f"{prices.size:,} prices are given for {frame.height:,} rows, in units of 1/{denominator}",
            expected="one whole number for each row",
        )


def _dropped(prices: Ints, starred: int, may_drop: int) -> int:
    """Return the most that so many dropped rows gain; each costs as much as a row of stars."""
    return sum(sorted((max(0, price - starred) for price in prices.tolist()), reverse=True)[:may_drop])


def _shares(quasi: Sequence[str], cost: str, weights: Mapping[str, float]) -> dict[str, Fraction]:
    """Return what the loss of a star counts in each column."""
    own = {name: Fraction(weights.get(name, 1) if cost in WEIGHTED else 1) for name in quasi}
    among = sum(own.values()) if cost in MEANS else 1
    return {name: weight / among for name, weight in own.items()}


def _column(
    column: pl.Series, hierarchies: Mapping[str, Builder] | None, cost: str, share: Fraction, denominator: int
) -> Column:
    domain, codes, totals = _encoded(column)
    builder = StarsOnly() if hierarchies is None else hierarchies.get(column.name) or as_builder("auto")
    return Column.of(codes, builder.build(domain, totals), cost, share, denominator)


def _encoded(column: pl.Series) -> tuple[pl.Series, Ints, Ints]:
    """Return the distinct values in order, the place of each row's value among them, and how often each occurs."""
    domain = distinct_sorted(column)
    codes = numbered(column.to_frame(), domain.to_frame())
    return domain, codes, np.bincount(codes, minlength=len(domain)).astype(np.int64)


def _type(columns: Sequence[Column], models: Models, prices: Ints) -> np.dtype[Any]:
    """Return the type of number that holds every intermediate result: of 64 bits, or of any size."""
    largest = max(int(prices.max(initial=0)), -int(prices.min(initial=0))) + sum(
        int(column.losses.max()) for column in columns
    )
    finest = max((model.limit.denominator for model in models if model.rule is Rule.CLOSENESS), default=1)
    moved = max(largest << 8, 1 << FINE) * finest * len(prices)
    return np.dtype(np.int64 if max(moved, largest << FINE + 8) < 2**62 else object)


# What models say


@dataclass(frozen=True, eq=False)
class Said:
    """What the models say of one attribute: the different values of a class, the sets of its shares, and heights."""

    names: Attributes
    different: int
    sets: list[ShareSet]
    heights: list[int]
    """Whole numbers l such that no value has more than 1/l of a class: these are decided exactly."""


def _said(models: Models, values: Mapping[Attributes, Values], may_drop: int) -> list[Said]:
    """Return what models say of attributes, beside how many rows a class has.

    Dropping rows changes the table's shares, which some sets follow from.
    """
    said = []
    for names, attribute in values.items():
        own = [model for model in models if model.attributes == names and not model.given]
        known = [shares for model in own if (shares := model.shares(attribute)) is not None]
        known = [shares for shares in known if not (may_drop and shares.of_table)]
        heights = [floor(1 / shares.same_cap) for shares in known if shares.same_cap is not None]
        different = max((model.least_values for model in own), default=1)
        if known or different > 1:
            said.append(Said(names, different, joined(known), [height for height in heights if height > 1]))
    return said


@dataclass(frozen=True, eq=False)
class Known:
    """What is known about gains: of rows as they are, of rows before and after offsets, and the offsets."""

    before: Sequence[Gain]
    always: Sequence[Gain]
    offsets: Sequence[Offset]

    @classmethod
    def of(
        cls, said: Sequence[Said], values: Mapping[Attributes, Values], read: Sequence[Ints], least: int, exact: Any
    ) -> Known:
        """Read what models say; `read` has the value of each kind of row, and classes have at least `least` rows."""
        before: list[Gain] = []
        always: list[Gain] = [gain_of_rows(least)]
        offsets: list[Offset] = []
        for one, codes in zip(said, read, strict=True):
            if one.different > 1:
                always.append(gain_of_values(codes, one.different))
            always.extend(gain_of_shares(codes, height) for height in one.heights)
            for shares in one.sets:
                spread = _spread(shares, values[one.names], codes, exact)
                before.extend([] if spread is None else [spread])
                offsets.extend(_offsets(shares, values[one.names], codes, least, exact))
        exactly = all(shares.is_whole for one in said for shares in one.sets)
        return cls(before, always, [] if exactly else offsets)

    def gained(self, members: Members) -> int:
        """Return the most that classes gain, one in each group, each admitted by all models."""
        members, most = _least(members, members.most, [*self.always, *self.before])
        rounds = 2 if len(self.offsets) > 1 else 1
        for offset in [*self.offsets] * rounds:
            if len(members):
                members, most = _least(offset(members), most, self.always)
        return int(sum(most.tolist()))


def _least(members: Members, most: Numbers, gains: Sequence[Gain]) -> tuple[Members, Numbers]:
    """Return the groups that can still gain anything, and how much by the least of several bounds."""
    for gain in gains:
        members, most = members.only(most > 0), most[most > 0]
        if not len(members):
            break
        most = np.minimum(most, gain(members))
    return members.only(most > 0), most[most > 0]


def _sensitive(
    frame: pl.DataFrame, models: Sequence[Model], hierarchies: Mapping[str, Builder]
) -> dict[tuple[str, ...], Values]:
    """Return the sensitive attributes that models read, single and joint."""
    single: dict[tuple[str, ...], Values] = {}
    for name in dict.fromkeys(name for model in models for name in model.attributes):
        domain, codes, totals = _encoded(frame[name])
        tree = hierarchies[name].build(domain, totals) if name in hierarchies else None
        single[(name,)] = Values(codes, totals, domain, tree)
    return with_joints(single, [model.attributes for model in models])


def _spread(shares: ShareSet, values: Values, codes: Ints, exact: np.dtype[Any]) -> EqualSpread | MetricSpread | None:
    """Return what closeness says of the dearest rows alone; `codes` has the value of each kind of row."""
    totals, size = values.totals.astype(exact), len(values.totals)
    if shares.ground is None:
        return None
    if shares.is_equal:
        return EqualSpread(codes, totals, shares.t)
    if size > MOST_VALUES:
        return None
    apart = [[floored(shares.ground.distance(u, v), 1 << FINE) for v in range(size)] for u in range(size)]
    return MetricSpread(codes, totals, shares.t, np.array(apart).astype(exact))


def _offsets(shares: ShareSet, values: Values, codes: Ints, least: int, exact: np.dtype[Any]) -> Iterator[Offset]:
    """Return the offsets that a share set allows."""
    if shares.diversity > 1:
        yield EntropyOffset(codes, least, shares.diversity)
    elif shares.caps is not None or shares.is_equal:
        table = table_shares(values.totals) if shares.is_equal else [Fraction(1)] * len(values.totals)
        caps = shares.caps or [Fraction(1)] * len(values.totals)
        base = [min(share, cap) for share, cap in zip(table, caps, strict=True)]
        low, high = (np.array([ceil(share * ONE) for share in some]).astype(exact) for some in (base, caps))
        yield CappedOffset(codes, least, low, high, ceil(shares.t * ONE) if shares.is_equal else 0)
    elif isinstance(spread := _spread(shares, values, codes, exact), MetricSpread):
        yield MetricOffset(codes, least, spread)
