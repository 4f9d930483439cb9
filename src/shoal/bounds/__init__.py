"""Lower bounds, one per file; see `base` for the contract."""

PLUGINS = "shoal.bounds"
"""The group of entry points by which other packages announce theirs."""
