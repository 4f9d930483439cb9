"""What the cells of a release cover of its original's values, for those who show both side by side."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.release.release_view import Shown
from shoal.utility.spreads import Spread, spreads

__all__ = ["Spread", "quasi_spreads"]


def quasi_spreads(folder: Path, original: pl.DataFrame) -> dict[str, Spread]:
    """Return for each quasi-identifier of a release folder its cells over the values of the original's column."""
    shown = Shown.of(folder)
    return {name: one for name, one in spreads(shown, original).items() if name in shown.quasi}
