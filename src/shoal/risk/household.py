"""Household risk: whoever finds one member of a household finds all of them.

The risk of a household is the chance that at least one of its members is found, taken as independent:

    r = 1 - product over the members of (1 - the risk of the member)

and it is that of every member, as sdcMicro has it (Hundepool and others, Statistical disclosure control, 2012). The
risk of a member is the individual one where record weights are known, else that of a prosecutor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Floats
from shoal.microdata.histogram import household_of
from shoal.risk.attackers import Exceeding, exceeding
from shoal.tables.table import Table


@dataclass(frozen=True)
class HouseholdRisk:
    """The risks of households in total."""

    households: int
    highest: float
    average: float
    """Over the rows."""
    expected: float
    """How many rows are to be found, if all are tried: a household is found with its first member."""
    exceeding: tuple[Exceeding, ...]
    """The rows and the households at a higher risk than a threshold."""
    risks: Floats = field(repr=False, compare=False)
    """Of each row: that of its household."""


def household_risks(household: AnyInts, risks: Floats) -> Floats:
    """Return the risk of each household, numbered from 0, from those of its members.

    >>> household_risks(np.array([0, 0, 1]), np.array([0.5, 0.5, 0.25])).tolist()
    [0.75, 0.25]
    """
    missed = np.ones(int(household.max()) + 1)
    np.multiply.at(missed, household, 1 - risks)
    return 1 - missed


def household_risk(
    table: Table, household: str | pl.Series, risks: Floats, thresholds: Sequence[Fraction]
) -> HouseholdRisk:
    """Measure the risk of the households of a table; `risks` are those of its rows by themselves."""
    number = household_of(table, household).codes
    of_household = household_risks(number, risks)
    sizes = np.bincount(number)
    total = float(of_household @ sizes)
    return HouseholdRisk(
        households=len(sizes),
        highest=float(of_household.max()),
        average=total / len(number),
        expected=total,
        exceeding=tuple(exceeding(sizes, of_household > float(one), one) for one in thresholds),
        risks=of_household[number],
    )
