"""Methods: one algorithm per file, found by discovery; see `base` for the contract."""

PLUGINS = "shoal.methods"
"""The group of entry points by which other packages announce theirs."""
