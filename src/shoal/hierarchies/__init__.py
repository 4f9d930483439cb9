"""Hierarchies: how the values of an attribute become coarser, level by level, up to `*`."""

from typing import TYPE_CHECKING

from shoal.core.on_demand import on_demand

if TYPE_CHECKING:
    from shoal.hierarchies.automatic import Automatic
    from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
    from shoal.hierarchies.dates import Dates
    from shoal.hierarchies.intervals import Intervals
    from shoal.hierarchies.prefixes import Prefixes
    from shoal.hierarchies.specs import as_builder, spec_of
    from shoal.hierarchies.stars import StarsOnly
    from shoal.hierarchies.taxonomy import Taxonomy

__all__ = [
    "Automatic",
    "Builder",
    "Dates",
    "Hierarchy",
    "Intervals",
    "Prefixes",
    "StarsOnly",
    "Taxonomy",
    "as_builder",
    "hierarchy_from_labels",
    "spec_of",
]

PLUGINS = "shoal.hierarchies"
"""The group of entry points by which other packages announce theirs."""

__getattr__ = on_demand(__name__)
