"""Strict median cuts of large tables by the compiled loop: the same classes as `mondrian` finds with arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from shoal.arrays import AnyInts, Ints
from shoal.methods.base import Deadline, Progress
from shoal.methods.cuts import MedianCuts
from shoal.models import Alpha, DistinctLDiversity, KAnonymity, LDiversity, Model
from shoal.partition import Partition
from shoal.problem import Problem

COMPILED_FROM = 50_000
"""Rows from which the compiled loop is worth importing."""
LARGEST = 2**20
"""Parameters beyond this could overflow in the loop."""


def checks_of(problem: Problem) -> Ints | None:
    """Return what each half must meet besides its rows, as the compiled loop reads it; None where it cannot."""
    lines = [_line(model, problem) for model in problem.models if not isinstance(model, KAnonymity)]
    known = [line for line in lines if line is not None and max(line) < LARGEST]
    return np.array(known, np.int64).reshape(-1, 4) if len(known) == len(lines) else None


def _line(model: Model, problem: Problem) -> tuple[int, int, int, int] | None:
    """Return a model as (kind, attribute, number, other); None for one that the loop does not know."""
    from shoal.medians import DISTINCT, SHARE

    if model.given or not isinstance(model, DistinctLDiversity | LDiversity | Alpha):
        return None
    place = list(problem.values).index(model.attributes)
    if isinstance(model, DistinctLDiversity):
        return DISTINCT, place, int(model.limit), 0
    share = 1 / model.limit if isinstance(model, Alpha) else model.limit
    return SHARE, place, share.numerator, share.denominator


def cut_by_levels(
    problem: Problem,
    cuts: MedianCuts,
    checks: Ints,
    shares: Sequence[Fraction],
    deadline: Deadline,
    progress: Progress,
) -> tuple[Partition, bool]:
    """Return the classes that no cut is allowed in any more, and whether there was time for all of them."""
    from shoal.medians import cut_level

    weights = np.array([problem.cost.weight(column.name) for column in problem.microdata.quasi])
    alike = np.array([place is None or cuts.suppresses for place in cuts.places])
    places = np.zeros((len(cuts.places), int(cuts.sizes.max())))
    for axis, place in enumerate(cuts.places):
        if place is not None:
            places[axis, : len(place)] = place
    secrets = list(problem.values.values())
    codes = _narrow(cuts.ranked(), problem.rows, int(cuts.sizes.max()))
    hidden = _narrow([one.codes for one in secrets], problem.rows, max((len(one.totals) for one in secrets), default=0))
    rows = np.arange(problem.rows, dtype=np.int32 if problem.rows < 2**31 else np.int64)
    parts = np.array([[share.numerator, share.denominator] for share in shares])
    least, starts = problem.models.least_rows, np.zeros(problem.rows, dtype=np.bool_)
    begins, ends = np.zeros(1, dtype=np.int64), np.array([problem.rows])
    starts[0] = True
    while len(begins) and not deadline.passed:
        progress(1 - int((ends - begins).sum()) / problem.rows, "cutting classes")
        begins, ends = cut_level(
            codes, hidden, rows, begins, ends, places, cuts.sizes, weights, alike, least, parts, checks,
            not cuts.suppresses,
        )  # fmt: skip
        starts[begins] = True
    edges = np.append(np.flatnonzero(starts), problem.rows)
    return Partition.in_order(rows.astype(np.int64), edges), len(begins) == 0


def _narrow(columns: Iterable[AnyInts], rows: int, size: int) -> AnyInts:
    """Return columns side by side in the narrowest integers that hold numbers below a size: less to move about."""
    kind = np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.int32
    narrow = [column.astype(kind) for column in columns]
    return np.column_stack(narrow) if narrow else np.zeros((rows, 0), kind)
