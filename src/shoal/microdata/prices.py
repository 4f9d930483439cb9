"""Prices on the rows of a table: what a lower bound on the cost of every release follows from."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.core.arrays import Ints


@dataclass(frozen=True, eq=False)
class Prices:
    """One price for each original row, in the original order, and the bound that they prove.

    They speak of original rows, so they belong in the internal part of a release, never in the published one.
    """

    of_row: Ints
    """Whole numbers of any sign, in units of 1 / denominator."""
    denominator: int
    bound: float
    """A number that no release can go below, as `shoal.checking.proof.price_bound` finds it."""
    remarks: tuple[str, ...] = ()
    """What limits the bound, in words; no cell of the table."""

    estimated: bool = False
    """Whether the bound is the search's, which may differ from the checker's in the last digits."""

    @property
    def any_negative(self) -> bool:
        """Whether some row has a price below 0: it is a partner that others compete for."""
        return bool(self.of_row.min(initial=0) < 0)
