"""Costs: how much information a release has lost. One measure per file; see `base` for the contract."""

from shoal.costs.base import CellCost, ClassCost, Cost, RowCost

__all__ = ["CellCost", "ClassCost", "Cost", "RowCost"]

PLUGINS = "shoal.costs"
"""The group of entry points by which other packages announce theirs."""
