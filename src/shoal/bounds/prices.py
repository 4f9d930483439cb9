"""Bound (B), prices: a lower bound that anybody who holds the table can re-check.

Give every row a price a_t, of any sign. Let v_p be the most that an admitted class published as pattern p could gain,
the maximum of `sum (a_t - c_p)` over admitted classes of rows that match p, or 0. In the best release each class S at p
costs `|S| c_p >= sum_S a_t - v_p`; added over its classes:

    optimum >= sum_t a_t - sum_p v_p        for all prices a.

Over-estimating v_p keeps it valid. Dropped rows are one more pattern, for at most as many rows as may be dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.bounds.base import Bound, as_prices, in_measure
from shoal.bounds.support import charges
from shoal.core.arrays import Floats, Ints
from shoal.core.loops import in_lanes
from shoal.costs import CellCost
from shoal.microdata.prices import Prices
from shoal.patterns import Cube, refusals
from shoal.patterns.closed import ClosedPatterns
from shoal.patterns.demands import SHARE, Demands
from shoal.patterns.gains import Read, lane_gains
from shoal.problem import Problem

SHORT = 1e-3
"""Steps shorter than this prove nothing more."""
FARTHEST = 2.0**60
"""Where no class is admitted, prices rise without end: this is far enough, and 64 bits hold it."""
FAR, NEAR = 0.4, 0.05
"""How far above what is proved the target of a step is at most and at least, as a share of it."""
RECENT, COMING = 5, 24
"""In between, the target is what so many more steps would prove, if the bound grew as in so many recent ones."""
HASTE, PATIENCE = (3, 0.75), (5, 0.8)
"""After so many steps that prove nothing more, strides are made shorter by this factor. Haste proves as much in fewer
steps, and ends lower: on Adult with 8 columns 300 steps prove 30,920 and 30,936 stars, NCP 0.02402 and 0.02404. With
diversity a minute is too short for it: there it proves 0.1 to 0.3 % less."""
LEANS, LEANS_BACK = 0.8, 0.4
"""How much a step leans on the direction of those before; the second after prices went back to the best."""
LATELY = 10
"""Steps that together must pay where an effort says so."""
PRICED = "pricing of all searches"
"""What it is kept under."""


@dataclass(frozen=True, eq=False)
class Valued:
    """Prices, one per row type, in units; what they prove; and the direction in which they would prove more."""

    prices: Ints
    bound: int
    """In units, for the sum over all rows."""
    slope: Floats
    """Copies of each type minus copies that the patterns took."""
    looked: int = 0
    """How often types were looked at: what it took, the same on every machine."""


@dataclass(frozen=True, eq=False)
class Pricing:
    """Everything needed to value prices again and again."""

    problem: Problem
    cube: Cube
    demands: Demands

    @classmethod
    def of(cls, problem: Problem, cube: Cube | None = None) -> Pricing:
        """Lay out the cube, unless it is there, and read the models as they were asked for."""
        cube = cube or Cube.of(problem)
        return cls(problem, cube, Demands.of(cube, problem.bounding, may_drop=problem.may_drop > 0))

    @classmethod
    def kept(cls, problem: Problem, check: Callable[[], None]) -> Pricing:
        """Return what is kept with the problem, and goes with it; a second search need not list patterns again.

        `check` is called now and then while the cube is laid out, and may raise what ends it.
        """
        kept: dict[str, Pricing] = problem.kept
        if PRICED not in kept:
            kept[PRICED] = cls.of(problem, Cube.of(problem, check))
        return kept[PRICED]

    @cached_property
    def closed(self) -> ClosedPatterns | None:
        """The patterns worth looking at, where share sets make a walk long and models let few be enough."""
        worth = len(self.demands.shares.kinds) > 0 and self.problem.bounding.monotone
        return ClosedPatterns.of(self.cube, self.demands) if worth else None

    def value(self, prices: Ints, *, again: bool = False) -> Valued:
        """Return what prices prove; where not all nodes are priced, prices stay below what the others cost.

        `again`: it will be asked often. From then on the closed patterns are looked at alone, where they are listed.
        """
        cube, demands = self.cube, self.demands
        held = 2**56 // (int(cube.counts.sum()) * int(demands.gains[:, 3].max(initial=1)))
        prices = np.clip(prices, -held, min(cube.cap, held))  # and what 64 bits hold
        order = np.argsort(-prices, kind="stable")
        sorted_prices = prices[order]
        sorted_demands = demands._replace(codes=demands.codes[:, order])
        listed = self.closed if again else vars(self).get("closed")
        if listed is None:
            grid, heights = cube.descent(order)
            steps = cube.priced * cube.types
            asked = sorted_demands, Read.of(demands)
            lanes = in_lanes(lane_gains, grid, heights, cube.counts[order], sorted_prices, *asked, steps=steps)
        else:
            lanes = listed.gained(prices, order, cube.counts[order], sorted_demands)
        slope = cube.counts.astype(np.float64)
        slope[order] -= np.sum([taken for _, taken, _ in lanes], axis=0)
        bound = int(prices @ cube.counts) - sum(int(gained) for gained, _, _ in lanes)
        dropped = self._drop(sorted_prices, order, slope)
        return Valued(prices, bound - dropped, slope, sum(int(looked) for _, _, looked in lanes))

    def _drop(self, prices: Ints, order: Ints, slope: Floats) -> int:
        """Return what dropping could gain, and note whom it takes."""
        left, gained = self.problem.may_drop, 0
        if not left:
            return 0
        for place, price in enumerate(prices.tolist()):
            if left == 0 or price <= self.cube.full:
                break
            number = min(left, int(self.cube.counts[order[place]]))
            slope[order[place]] -= number
            gained += number * (price - self.cube.full)
            left -= number
        return gained

    def proof(self, valued: Valued) -> Prices | None:
        """Return prices of rows with what they prove; None where they could not be checked."""
        found = as_prices(self.problem, self.cube, valued.prices, valued.bound)
        return found and replace(found, estimated=len(self.demands.shares.kinds) > 0)

    def measured(self, units: int) -> float:
        """Return a cost in units, added up over all rows, in the measure of the cost."""
        assert isinstance(self.problem.cost, CellCost)
        return units / self.cube.denominator / float(self.problem.cost.per(self.problem.rows))

    def stated(self, valued: Valued) -> float:
        """Return what prices prove in the measure of the cost, rounded down."""
        return in_measure(self.problem, Fraction(valued.bound, self.cube.denominator))


@dataclass
class Ascent:
    """Prices rising along their slope, in Polyak's steps towards the best known release; the best are kept."""

    pricing: Pricing
    reached: Valued
    """The best prices on the way, which guide searches."""
    aside: Valued | None = None
    """Prices that depend on sensitive values alone: they may prove more, and are no place to rise from."""
    patience: tuple[int, float] = HASTE
    """How many steps that prove nothing more it waits for, and by which factor strides are then made shorter."""
    stride: float = 0.5
    looked: int = 0
    """How often types were looked at in all steps."""
    _here: Valued | None = None
    _at: Floats | None = None
    _direction: Floats | None = None
    _waiting: int = 0
    _recent: list[int] = field(default_factory=list)
    """What was proved after each of the last steps, and before them."""
    _proved: list[int] = field(default_factory=list)
    """What was proved after each step."""

    @classmethod
    def of(cls, pricing: Pricing) -> Ascent:
        """Start at the support charges: at those prices no pattern gains anything."""
        counts, prices = pricing.cube.counts, charges(pricing.cube, pricing.demands)
        return cls(pricing, Valued(prices, int(prices @ counts), counts.astype(np.float64)))

    @property
    def best(self) -> Valued:
        """The prices that prove most."""
        return self.reached if self.aside is None or self.aside.bound <= self.reached.bound else self.aside

    def price_values(self) -> None:
        """Where a value may fill 1/l of a class at most: value prices that depend on the value alone.

        A row that is altered pays at least what the finest block loses. At that price for every row, or l times that
        for the rows of one value and 0 for all others, or any mean of the two, only classes that alter nothing gain: so
        they prove what the residue of Xiao, Yi and Tao (2010) does. The value is the commonest of the altered rows.
        """
        cube, demands = self.pricing.cube, self.pricing.demands
        least = int(cube.finest * cube.denominator) - 1  # else altering the cheapest way would count as a gain of 0
        for _, attribute, l, _ in demands.gains[demands.gains[:, 0] == SHARE].tolist():  # noqa: E741
            even = self.pricing.value(np.full(cube.types, least, np.int64))
            altered = np.bincount(demands.codes[attribute], weights=even.slope)
            commonest = np.where(demands.codes[attribute] == np.argmax(altered), l * least, 0)
            others = [self.pricing.value(prices) for prices in (commonest, (commonest + least) // 2)]
            self.aside = max([even, *others, *([self.aside] if self.aside else [])], key=lambda found: found.bound)

    def may_rise(self, target: int, looked: int, pays: float) -> bool:
        """Whether a step could prove more of a target, types were not looked at as often as that yet, and steps pay."""
        return self.best.bound < target and self.looked < looked and self.still_pays(pays)

    def still_pays(self, share: float) -> bool:
        """Whether strides are long enough to prove more, and the last steps together raised the bound by that share."""
        if self.stride < SHORT:
            return False
        return len(self._proved) <= LATELY or self._proved[-1] >= (1 + share) * self._proved[-1 - LATELY]

    def step(self, target: int) -> None:
        """Make one step towards a bound of `target` units: the slope, leant on the direction of the steps before.

        A target far above what is proved would make strides that prove nothing: it is taken nearer, the more so the
        less the last steps proved.
        """
        counts = self.pricing.cube.counts
        here = self._here or self.reached
        at = here.prices.astype(np.float64) if self._at is None else self._at
        direction = here.slope if self._direction is None else here.slope + LEANS * self._direction
        length = float((direction**2 / counts).sum())
        if length == 0 or target <= self.best.bound:
            return
        ahead = max(min(target, self._near) - here.bound, 1)
        self._at = np.clip(at + self.stride * ahead / length * direction / counts, -FARTHEST, FARTHEST)
        self._direction = direction
        self._here = self.pricing.value(np.floor(self._at).astype(np.int64), again=True)
        self.looked += self._here.looked
        self._keep(self._here)

    @property
    def _near(self) -> int:
        """What is proved so far, and what some more steps would prove."""
        before, now = (self._recent or [0])[0], self.reached.bound
        growing = len(self._recent) > RECENT and before > 0
        share = COMING * ((now / before) ** (1 / RECENT) - 1) if growing else FAR
        return now + int(min(max(share, NEAR), FAR) * max(now, 0)) + self.pricing.cube.denominator

    def _keep(self, found: Valued) -> None:
        """Keep the best; after some steps without a better one, go back to it and make shorter ones.

        From where long steps ended, shorter ones prove little: on a census of 10,000 rows with closeness, going back
        proves 0.7 % more in as many steps.
        """
        self._recent = [*self._recent[-RECENT:], max(found.bound, self.reached.bound)]
        self._waiting = 0 if found.bound > self.reached.bound else self._waiting + 1
        if self._waiting == 0:
            self.reached = found
        elif self._waiting == self.patience[0]:
            self.stride, self._waiting = self.patience[1] * self.stride, 0
            self._return(LEANS_BACK / LEANS)
        self._proved.append(self.reached.bound)

    def _return(self, leaning: float) -> None:
        """Go on from the best prices, leaning by that much on the direction of the steps before."""
        self._here, self._at = None, None
        self._direction = None if self._direction is None else leaning * self._direction

    def lift(self, prices: Ints) -> None:
        """Take prices found elsewhere, if they prove more, and go on from there, towards the nearest targets."""
        found = self.pricing.value(prices)
        if found.bound > self.reached.bound:
            self.reached = found
            self._return(0.0)
            self._recent = [found.bound] * (RECENT + 1)


class PriceBound(Bound):
    """Holds for costs that add over cells, and for every model (those that it does not know are left out).

    The prices rise from the support charges by 60 steps of a subgradient method; see this file for the argument.
    """

    name: ClassVar[str] = "prices"
    title: ClassVar[str] = "prices"
    meaning: ClassVar[str] = "the sum of all rows' prices, less the most that classes at each pattern could gain"
    steps: ClassVar[int] = 60

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube."""
        return refusals(problem)

    def in_passing(self, problem: Problem) -> bool:
        """Never: it takes seconds."""
        return False

    def of(self, problem: Problem) -> float:
        """Return what the best prices prove."""
        pricing = Pricing.of(problem)
        return pricing.stated(self.ascended(pricing).best)

    def ascended(self, pricing: Pricing) -> Ascent:
        """Let prices rise; the target is a little above what is proved so far, as no release is at hand."""
        ascent = Ascent.of(pricing)
        ascent.price_values()
        for _ in range(self.steps):
            ascent.step(ascent.best.bound + ascent.best.bound // 10 + 1)
        return ascent
