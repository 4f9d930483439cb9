"""Recodings: how a class becomes published cells, or groups two tables. One per file; see `base` for the contract.

`cells` are the kinds of cells, `recode` publishes a partition, and the codebook says what cells mean.
"""

from shoal.recoding.base import BlockRecoding, ColumnRecoding, Recoding

__all__ = ["BlockRecoding", "ColumnRecoding", "Recoding"]

PLUGINS = "shoal.recodings"
"""The group of entry points by which other packages announce theirs."""
