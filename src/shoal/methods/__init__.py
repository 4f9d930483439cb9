"""Methods: one algorithm per file, in a folder for each family, found by discovery; see `base` for the contract.

What serves one family alone lies in its folder. Files called `..._kernel` and `kernels` are compiled loops.
"""

PLUGINS = "shoal.methods"
"""The group of entry points by which other packages announce theirs."""
