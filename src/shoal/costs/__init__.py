"""Costs: how much information a release has lost. One measure per file; see `base` for the contract."""

from shoal.costs.base import ClassCost, Cost, RowCost

__all__ = ["ClassCost", "Cost", "RowCost"]
