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
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.gains import FINE, EqualSpread, Gain, MetricSpread, gain_of_rows, gain_of_shares, gain_of_values
from shoal.checking.neighbours import neighbour_bound
from shoal.checking.patterns import LOSSES, MEANS, WEIGHTED, Column, Kinds, Members, floored
from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError, Unsupported
from shoal.hierarchies import Builder, StarsOnly, as_builder
from shoal.hierarchies.cell_forms import form_of
from shoal.microdata.histogram import Values, with_joints
from shoal.models import Model, Models, Rule
from shoal.models.emd import GroundDistance, Line, Matrix, Tree
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

    `prices` has a whole number of at least 0 for each row of the original `frame`, in units of 1 / `denominator`.
    `hierarchies` are those that cells are blocks of, and those of sensitive attributes. Of ranges and sets prices prove
    what `neighbour_bound` says. Raises `Unsupported` for other recodings, and where the cost does not add over cells.

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
        return neighbour_bound(
            frame, quasi=quasi, models=models, weights=weights, prices=prices, denominator=denominator
        )
    shares = _shares(quasi, cost, weights)
    columns = [
        _column(frame[name], hierarchies if form_of(recoding).along_hierarchies else None, cost, share, denominator)
        for name, share in shares.items()
    ]
    reading = [model for model in models if _is_read(model, may_drop)]
    values = _sensitive(frame, reading, hierarchies)
    exact = _type(columns, reading, prices)
    kinds = Kinds.of(columns, [values[model.attributes].codes.astype(np.int64) for model in reading], prices, exact)
    gains = [gain_of_rows(models.least_rows)]
    for model, codes in zip(reading, kinds.read, strict=True):
        gains.extend(_gains(model, values[model.attributes], codes, exact))
    lost = sum(_gained(members, gains) for members in kinds.patterns(models.least_rows))
    lost += _dropped(prices, floored(sum(shares.values(), Fraction(0)), denominator), may_drop)
    bound = Fraction(sum(prices.tolist()) - lost, denominator)
    return Fraction(ceil(bound)) if cost == "stars" else bound / (frame.height if cost in MEANS else 1)


def _check(frame: pl.DataFrame, models: Models, recoding: str, cost: str, prices: Ints, denominator: int) -> None:
    form = form_of(recoding)
    if not (form.blocks and cost in LOSSES) and not (form.spans and cost == "ncp"):
        raise Unsupported(
            f"prices prove nothing about cost {cost!r} of recoding {recoding!r}",
            expected=f"suppress, generalize or full-domain, and {' or '.join(LOSSES)}; or range and ncp",
        )
    if (form.along_hierarchies or form.spans) and models.needs_population:
        raise Unsupported("the domains are those of table and population together", hint="use suppress")
    fitting = prices.dtype == np.int64 and prices.shape == (frame.height,) and int(prices.min(initial=0)) >= 0
    if not fitting or denominator < 1:
        raise ParameterError(
            f"{prices.size:,} prices are given for {frame.height:,} rows, in units of 1/{denominator}",
            expected="one whole number of at least 0 for each row",
        )


def _gained(members: Members, gains: Sequence[Gain]) -> int:
    """Return the most that classes gain, one in each group, each admitted by all models."""
    most = members.most
    for gain in gains:
        members, most = members.only(most > 0), most[most > 0]
        if not len(members):
            return 0
        most = np.minimum(most, gain(members))
    return int(sum(np.maximum(most, 0).tolist()))


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


def _type(columns: Sequence[Column], models: Sequence[Model], prices: Ints) -> np.dtype[Any]:
    """Return the type of number that holds every intermediate result: of 64 bits, or of any size."""
    largest = int(prices.max(initial=0)) + sum(int(column.losses.max()) for column in columns)
    finest = max((model.limit.denominator for model in models if model.rule is Rule.CLOSENESS), default=1)
    moved = max(largest << 8, 1 << FINE) * finest * len(prices)
    return np.dtype(np.int64 if max(moved, largest << FINE + 8) < 2**62 else object)


# What models say


def _is_read(model: Model, may_drop: int) -> bool:
    """Whether a model says more about gains than how many rows a class has.

    Dropping rows changes the distribution that t-closeness compares with.
    """
    close = model.rule is Rule.CLOSENESS and not may_drop
    return bool(model.attributes) and not model.given and (model.least_values > 1 or close)


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


def _gains(model: Model, values: Values, codes: Ints, exact: np.dtype[Any]) -> Iterator[Gain]:
    """Return what a model says about gains; `codes` has the value of each kind of row."""
    if model.least_values > 1:
        yield gain_of_values(codes, model.least_values)
    if model.rule is Rule.SHARE and model.limit >= 2:
        yield gain_of_shares(codes, int(model.limit))
    if model.rule is Rule.CLOSENESS:
        ground = model.ground(values)
        totals, size = values.totals.astype(exact), len(values.totals)
        if isinstance(ground, Tree) and len(ground.up) == 1 and len(np.unique(ground.up)) == size:
            yield EqualSpread(codes, totals, model.limit)
        elif size <= MOST_VALUES:
            apart = [[floored(_distance(ground, u, v), 1 << FINE) for v in range(size)] for u in range(size)]
            yield MetricSpread(codes, totals, model.limit, np.array(apart).astype(exact))


def _distance(ground: GroundDistance, one: int, other: int) -> Fraction:
    """Return the distance of two values, exactly."""
    if isinstance(ground, Matrix):
        return ground.metric.distances[one][other]
    if isinstance(ground, Tree):
        return Fraction(int((ground.up[:, one] != ground.up[:, other]).sum()), len(ground.up))
    assert isinstance(ground, Line)
    gaps = ground.gaps[min(one, other) : max(one, other)]
    return Fraction(sum(gaps)) / sum(ground.gaps) if gaps else Fraction(0)
