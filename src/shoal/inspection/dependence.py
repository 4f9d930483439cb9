"""Columns that tell of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.tables.table import Table


@dataclass(frozen=True)
class Dependence:
    """A column that tells of others."""

    column: str
    tells: tuple[str, ...]
    reason: str
    exact: bool


def dependences(table: Table, told: Sequence[str], tellers: Sequence[str]) -> tuple[Dependence, ...]:
    """Return the columns that tell of others."""
    return ()
