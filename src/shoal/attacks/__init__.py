"""Attacks: what somebody would get who has a release and knows things about the people in it.

Each attack is one file, found by discovery. `shoal.attack` runs them against a release and, to compare, against the
original table. Results are counts of people; no cell of a table is in them.
"""

PLUGINS = "shoal.attacks"
"""The group of entry points by which other packages announce theirs."""
