"""Readers of files, one format per file; see `base` for the contract."""

PLUGINS = "shoal.readers"
"""The group of entry points by which other packages announce theirs."""
