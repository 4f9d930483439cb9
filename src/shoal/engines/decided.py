"""What was decided of a table in memory, for an engine that has the rows elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from shoal.audit import Audit
from shoal.certificate import Certificate
from shoal.hierarchies import Builder
from shoal.models import Models
from shoal.partition import Partition
from shoal.roles import Roles
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Decided:
    """The cells that every row of a table in memory is published with, and what a release says of them."""

    partition: Partition
    """The class of every row; a dropped row has none."""
    shown: pl.DataFrame
    """The published quasi-identifiers and sensitive values of the rows that are not dropped, in their order."""
    models: Models
    hierarchies: Mapping[str, Builder]
    """What an auditor reads cells and distances with."""
    population: Table | None
    certify: Callable[[Audit], Certificate]
    """States what an audit found; what the audit does not confirm is refused."""
    codebook: Mapping[str, Any]
    config: Mapping[str, Any]
    decisions: tuple[str, ...]


Decide: TypeAlias = Callable[[Table, Roles], Decided]
"""Decides on a table of quasi-identifiers and sensitive values; the roles are those of all columns."""
