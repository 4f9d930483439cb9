"""Masks: columns that are no quasi-identifiers, published other than they are. One mask a file, found by discovery."""

PLUGINS = "shoal.masks"
"""The group of entry points by which other packages announce theirs."""
