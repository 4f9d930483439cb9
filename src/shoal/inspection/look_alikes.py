"""Columns that look like identifiers."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.inspection.columns import Role, proposals


@dataclass(frozen=True)
class LookAlike:
    """A column that looks like an identifier."""

    column: str
    reason: str
    measure: bool


def look_alikes(frame: pl.DataFrame) -> dict[str, LookAlike]:
    """Return the columns that look like identifiers."""
    return (
        {one.name: LookAlike(one.name, one.reason, False) for one in proposals(frame) if one.role is Role.IDENTIFIER}
        if frame.width
        else {}
    )
