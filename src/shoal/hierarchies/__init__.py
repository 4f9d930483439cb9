"""Hierarchies: how the values of an attribute become coarser, level by level, up to `*`."""

from typing import TYPE_CHECKING

from shoal.core.on_demand import on_demand

if TYPE_CHECKING:
    from shoal.hierarchies.automatic import Automatic
    from shoal.hierarchies.bands import Bands
    from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
    from shoal.hierarchies.common import Common
    from shoal.hierarchies.cycles import Cycles
    from shoal.hierarchies.date_labels import DateLabels
    from shoal.hierarchies.dates import Dates
    from shoal.hierarchies.groups import Groups
    from shoal.hierarchies.icd9 import Icd9
    from shoal.hierarchies.icd10 import Icd10
    from shoal.hierarchies.intervals import Intervals
    from shoal.hierarchies.isco import Isco
    from shoal.hierarchies.nace import Nace
    from shoal.hierarchies.postcodes import Postcodes
    from shoal.hierarchies.prefixes import Prefixes
    from shoal.hierarchies.specs import as_builder, spec_of
    from shoal.hierarchies.stars import StarsOnly
    from shoal.hierarchies.suffixes import Suffixes
    from shoal.hierarchies.taxonomy import Taxonomy
    from shoal.hierarchies.top_coding import TopCoding
    from shoal.hierarchies.weeks import Weeks
    from shoal.hierarchies.words import Words

__all__ = [
    "Automatic",
    "Bands",
    "Builder",
    "Common",
    "Cycles",
    "DateLabels",
    "Dates",
    "Groups",
    "Hierarchy",
    "Icd9",
    "Icd10",
    "Intervals",
    "Isco",
    "Nace",
    "Postcodes",
    "Prefixes",
    "StarsOnly",
    "Suffixes",
    "Taxonomy",
    "TopCoding",
    "Weeks",
    "Words",
    "as_builder",
    "hierarchy_from_labels",
    "spec_of",
]

PLUGINS = "shoal.hierarchies"
"""The group of entry points by which other packages announce theirs."""

__getattr__ = on_demand(__name__)
