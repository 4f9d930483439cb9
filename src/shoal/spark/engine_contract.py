"""What an engine is asked, and what was decided of a table whose rows it has elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from shoal.checking.audit import Audit
from shoal.hierarchies import Builder
from shoal.methods.base import Method, Progress
from shoal.microdata.partition import Partition
from shoal.models import Models
from shoal.problem import Problem, Solution
from shoal.recoding.recode import Published
from shoal.release.certificate import Certificate
from shoal.spark.domains import Domains
from shoal.tables.roles import Roles
from shoal.tables.table import Table


@dataclass(frozen=True, eq=False)
class Decided:
    """The cells that every row of a table is published with, and what a release says of them."""

    partition: Partition
    """The class of every row; a dropped row has none."""
    shown: pl.DataFrame
    """The published quasi-identifiers and sensitive values of the rows that are not dropped, in their order.

    Where workers decided it has no rows, only the types.
    """
    models: Models
    hierarchies: Mapping[str, Builder]
    """What an auditor reads cells and distances with."""
    population: Table | None
    certify: Callable[[Audit], Certificate]
    """States what an audit found; what the audit does not confirm is refused."""
    codebook: Mapping[str, Any]
    config: Mapping[str, Any]
    decisions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Posed:
    """A problem of a table of which only the domains are known, for a method that workers run region by region."""

    problem: Problem
    method: type[Method]
    star: str
    describe: Callable[[Solution, Published, Table], Decided]
    """Says of a solution what a release says of it, given its classes and the types of its columns."""


Decide: TypeAlias = Callable[[Table, Roles], Decided]
"""Decides on a table of quasi-identifiers and sensitive values; the roles are those of all columns."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of an engine."""

    decide: Decide
    """For a table whose distinct rows are brought to the driver."""
    pose: Callable[[Domains], Posed | None]
    """Poses the problem for the workers; None for what the driver must decide."""
    progress: Progress
