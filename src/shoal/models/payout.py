"""Profitability with payouts (Wan et al. 2015): every row that is published leaves its publisher more than nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import HierarchyError, Unsupported
from shoal.core.parameters import Number, Numeral
from shoal.hierarchies import Builder
from shoal.hierarchies.leaf_counts import leaf_counts
from shoal.microdata.histogram import Classes
from shoal.models.base import DOUBT, Model
from shoal.models.presence import covered
from shoal.tables.star_marks import STAR

if TYPE_CHECKING:
    from shoal.hierarchies.containment import ShownCells


@dataclass(frozen=True)
class Payout(Model):
    """Guarantees `benefit * (1 - loss) - penalty / g > 0` for every row, the second part only where attacks pay.

    g are the rows of the class: an attacker who knows that a person is in the table finds their row with probability
    1 / g, and attacks where `gain / g > cost`; the publisher then pays the `penalty`. The loss of a row is the share of
    its bits that its cells leave open: with v values under a cell and d values in the whole hierarchy of the column,
    `sum of log2(v) / sum of log2(d)` over the quasi-identifiers. Values are those that the hierarchies list, so cells
    and hierarchies tell the payout, and the original is not needed.

    It speaks of money: a row that is worth little may be attacked and is published all the same where the benefit is
    larger. Ask for `no-attack` beside it where no attack may pay. A row of stars brings nothing, so rows without a
    payout are dropped. Merging classes lowers the chance of an attack and raises the loss, so it can help or break it.
    Near the limit the decision is taken to ninety digits; where even these leave a doubt the class is refused.

    >>> str(Payout(300, 4, 1200, 300))
    'payout=(300,4,1200,300)'
    """

    name: ClassVar[str] = "payout"
    title: ClassVar[str] = "positive publisher payout"
    meaning: ClassVar[str] = (
        "a row brings more than nothing: benefit * (1 - loss), less penalty / (rows of the class) where attacks pay, "
        "gain / (rows of the class) being above cost"
    )
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("gain", "what the right row of a person is worth to an attacker", 0),
        Number("cost", "what an attempt costs the attacker", 0),
        Number("benefit", "what a row published as it is brings", 0, above=True),
        Number("penalty", "what the publisher pays for a person who is found", 0),
    )
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = True
    reads_attribute: ClassVar[bool] = False
    needs_cells: ClassVar[bool] = True
    reads_hierarchies: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (0, 0, 1, 0)

    gain: Numeral
    cost: Numeral
    benefit: Numeral
    penalty: Numeral

    @property
    def limit(self) -> Fraction:
        """Nothing: what the payout must be above."""
        return Fraction(0)

    @property
    def is_trivial(self) -> bool:
        """Never: rows of stars bring nothing."""
        return False

    def check_columns(self, trees: Mapping[str, Builder], quasi: Sequence[str], *, one_level: bool) -> None:
        """Raise `Unsupported` where cells have no level of their column, or a hierarchy lists no values."""
        if not one_level:
            raise Unsupported(
                f"{self} is met by leaving out rows at one level for every column", hint="use --recoding full-domain"
            )
        for name in quasi:
            self._listed(name, trees.get(name))

    def level(self, classes: Classes) -> Floats:
        """Return the payout of a row of each class."""
        lost, most = _bits(*self._covered(classes))
        people, benefit = self.candidates(classes), float(self.asked[2])
        paid = np.where(self._attacked(people), float(self.asked[3]) / np.maximum(people, 1), 0.0)
        payouts: Floats = benefit * (1 - lost / (most or 1.0)) - paid
        return np.where(people > 0, payouts, -np.inf)

    def admits(self, classes: Classes) -> Bools:
        """Decide every class; near the limit to ninety digits."""
        covered, domains = self._covered(classes)
        levels = self.level(classes)
        admitted, near = levels > 0, np.flatnonzero(np.abs(levels) <= DOUBT * float(self.asked[2]))
        for index, people in zip(near.tolist(), self.candidates(classes)[near].tolist(), strict=True):
            admitted[index] = self._pays(prod(covered[:, index].tolist()), prod(domains), people)
        return admitted

    def reached(self, classes: Classes) -> float:
        """Return the smallest payout."""
        return float(self.level(classes).min())

    def candidates(self, classes: Classes) -> Ints:
        """Return among how many an attacker looks for a person: the rows of the class."""
        return classes.sizes

    def _attacked(self, people: Ints) -> Bools:
        """Return where `gain / people > cost`, in whole numbers of people."""
        gain, cost = self.asked[:2]
        return np.asarray(people < ceil(gain / cost) if cost else np.full(len(people), gain > 0), dtype=bool)

    def _pays(self, covered: int, domain: int, people: int) -> bool:
        """Decide one class whose cells cover so many combinations of so many: `ln(covered) < share * ln(domain)`."""
        gain, cost, benefit, penalty = self.asked
        share = 1 - (penalty / (benefit * people) if gain > cost * people else 0)
        if covered == 1:
            return share > 0
        if share == 1:
            return covered < domain
        with localcontext(prec=100):
            most = Decimal(share.numerator) / share.denominator * Decimal(domain).ln()
            return most - Decimal(covered).ln() > Decimal("1e-90")

    def _covered(self, classes: Classes) -> tuple[Ints, list[int]]:
        """Return how many values the cells of each class cover, column by class, and all values of each column."""
        shown = classes.shown
        if shown is None:
            raise Unsupported(f"{self} is decided on published cells only", hint="audit the published table")
        known = [self._listed(str(column.values.name), column.builder) for column in shown]
        counts = [_counts(column, leaves)[column.of_class] for column, leaves in zip(shown, known, strict=True)]
        return np.array(counts, dtype=np.int64), [leaves[STAR] for leaves in known]

    def _listed(self, name: str, builder: Builder | None) -> Mapping[str | None, int]:
        """Return how many values each label of a column covers, or refuse a hierarchy that does not say it."""
        known = {} if builder is None else leaf_counts(builder)
        if not known:
            raise Unsupported(
                f"{self} counts the values that a cell covers, and column {name!r} has no hierarchy that lists them",
                hint=f"name a file that lists them with --hierarchy {name}=FILE",
            )
        return known


@dataclass(frozen=True)
class PayoutJournalist(Payout):
    """Guarantees the same against an attacker who does not know that a person is in the table.

    g are then the people of the population whom the cells of the class fit; a class that fits nobody is refused.

    >>> str(PayoutJournalist(300, 4, 1200, 300))
    'payout-journalist=(300,4,1200,300)'
    """

    name: ClassVar[str] = "payout-journalist"
    title: ClassVar[str] = "positive publisher payout, journalist"
    meaning: ClassVar[str] = (
        "a row brings more than nothing: benefit * (1 - loss), less penalty / (people whom the cells fit) where "
        "attacks pay, gain / (people whom the cells fit) being above cost"
    )
    needs_population: ClassVar[bool] = True

    def candidates(self, classes: Classes) -> Ints:
        """Return among how many an attacker looks for a person: the people whom the cells fit."""
        return covered(self, classes)


def _bits(covered: Ints, domains: Sequence[int]) -> tuple[Floats, float]:
    """Return the bits that the cells of each class leave open, and all bits of a row."""
    lost: Floats = np.log2(covered).sum(axis=0)
    return lost, float(np.log2(domains).sum())


def _counts(column: ShownCells, leaves: Mapping[str | None, int]) -> Ints:
    """Return how many values each different cell of a column covers; a whole number may be written 1 or 1.0."""
    decimal = column.values.dtype.is_float()
    texts = [text.removesuffix(".0") if decimal and text not in leaves and text else text for text in column.texts]
    if unknown := sum(text not in leaves for text in texts):
        raise HierarchyError(
            f"{unknown:,} of {len(texts):,} cells of column {column.values.name!r} are not in its hierarchy",
            hint="name the hierarchy that the table was published with",
        )
    return np.array([leaves[text] for text in texts], dtype=np.int64)
