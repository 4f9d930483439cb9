"""How many values a published cell covers, told by the values that its hierarchy lists: no table is needed for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import polars as pl

from shoal.hierarchies.base import Builder


@lru_cache(maxsize=64)
def leaf_counts(builder: Builder) -> Mapping[str | None, int]:
    """Return how many of the listed values each label covers; nothing where a hierarchy lists none.

    A missing value that is published covers one, itself. It counts as listed where the hierarchy has a row for it.

    >>> from shoal.hierarchies import Taxonomy
    >>> dict(leaf_counts(Taxonomy.from_tree({"Nordic": ["Sweden", "Norway"], "Iberia": ["Spain"]})))
    {'Sweden': 1, 'Norway': 1, 'Spain': 1, 'Nordic': 2, 'Iberia': 1, '*': 3, None: 1}
    """
    if not builder.leaves:
        return {}
    tree = builder.build(pl.Series(builder.leaves, dtype=pl.String))
    levels = zip(tree.labels, tree.leaves, strict=True)
    found = {label: int(n) for labels, counts in levels for label, n in zip(labels, counts, strict=True)}
    return {**found, None: 1}
