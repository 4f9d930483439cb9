"""Hard tables with known optima: one reduction per file, found by discovery; see `base` for the contract."""

PLUGINS = "shoal.hardness"
"""The group of entry points by which other packages announce theirs."""
