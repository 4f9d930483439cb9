"""Numbers that were masked, next to those they hide: how much is lost, and how near they still are.

The measures are those that sdcMicro reports for masked numbers: IL1s (Mateo-Sanz, Domingo-Ferrer, Sebe 2005) and the
change of the eigenvalues for what is lost; interval disclosure and record linkage by distance for the risk. Rows in
which one of the columns is missing are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Floats
from shoal.release.release_view import Shown
from shoal.utility.nearest_points import KdTree

NEAR = 0.05
"""Half the width of the interval that discloses a number, in standard deviations."""
EQUALLY = 1 + 1e-12
"""Distances up to this times the least count as equal to it."""


@dataclass(frozen=True)
class MaskedNumbers:
    """What masks took from some columns of numbers, and left."""

    columns: tuple[str, ...]
    rows: int
    il1s: float
    """The mean over rows and columns of |original - masked| / (sqrt(2) standard deviation of the original)."""
    eigenvalues: float
    """The mean over the eigenvalues of the covariance matrix of |original - masked| / original."""
    interval: float
    """The share of the rows all of whose numbers are within a twentieth of a standard deviation of the original."""
    linked: float
    """The share of the rows that are nearest to their own original row; of equally near ones each is as likely."""


def masked_numbers(shown: Shown, frame: pl.DataFrame, notes: list[str]) -> MaskedNumbers | None:
    """Compare the masked columns of numbers with those of the original; None where there are none.

    >>> import shoal
    >>> people = pl.DataFrame({"age": [20, 20, 40, 40], "income": [100, 250, 340, 410]})
    >>> asked = {"quasi": ["age"], "sensitive": ["income"], "require": "k=2"}
    >>> made = shoal.anonymize(people, **asked, masks={"income": "round:100"})
    >>> masked_numbers(Shown.of(made), people, []).linked
    0.75
    """
    names = [name for name in shown.masks if name in shown.frame.columns and _are_numbers(shown.frame, frame, name)]
    if not names:
        return None
    if shown.rows is None:
        notes.append("masked numbers: which row of the original is whose is in the internal part, which is not here")
        return None
    own = np.flatnonzero(shown.rows < frame.height)
    before, after = _array(frame.select(names)[shown.rows[own]]), _array(shown.frame.select(names)[own])
    kept = ~np.isnan(before + after).any(axis=1)
    if kept.sum() < 2:
        notes.append("masked numbers: fewer than two rows have all of them")
        return None
    return measured(names, before[kept], after[kept])


def measured(names: Sequence[str], before: Floats, after: Floats) -> MaskedNumbers:
    """Measure masked numbers, row by row, next to those they hide.

    >>> found = measured(["x"], np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.4], [1.1]]))
    >>> round(found.il1s, 4), round(found.eigenvalues, 4), round(found.interval, 4), round(found.linked, 4)
    (0.3064, 0.4567, 0.3333, 0.6667)
    """
    spread = before.std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    moved = np.abs(before - after) / spread
    values, others = (np.linalg.eigvalsh(np.atleast_2d(np.cov(one, rowvar=False))) for one in (before, after))
    real = values > 0
    return MaskedNumbers(
        columns=tuple(names),
        rows=len(before),
        il1s=float(moved.mean() / np.sqrt(2)),
        eigenvalues=float((np.abs(values - others)[real] / values[real]).mean()) if real.any() else 0.0,
        interval=float((moved <= NEAR).all(axis=1).mean()),
        linked=_linked(before / spread, after / spread),
    )


def _linked(before: Floats, after: Floats) -> float:
    """Return the expected share of rows that are linked by distance to the original row that is theirs."""
    own = np.linalg.norm(before - after, axis=1)
    nearest, equally = KdTree.of(before).nearest(after, near=EQUALLY, within=own)
    return float(np.where(own <= nearest * EQUALLY, 1 / equally, 0.0).mean())


def _are_numbers(shown: pl.DataFrame, frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and shown[name].dtype.is_numeric() and frame[name].dtype.is_numeric()


def _array(frame: pl.DataFrame) -> Floats:
    return frame.cast(pl.Float64).fill_null(float("nan")).to_numpy()
