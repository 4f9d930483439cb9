"""Rounding the linear program over patterns: its duals raise the prices, its vertex becomes classes."""

from __future__ import annotations

import numpy as np

from shoal.bounds.prices import Ascent
from shoal.core.arrays import Ints
from shoal.methods.base import Deadline
from shoal.methods.general.peel import peeled
from shoal.patterns import Cube
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.master_program import MasterProgram, is_limited, needed, reduced_costs
from shoal.patterns.pool import Pool
from shoal.patterns.rounding import rounded

ROWS_PER_TYPE = 8
"""Rows per type from which on rounding loses little."""
MEMBERS_PER_TYPE = 9
"""Patterns that a type may be published as while the program is solved for the first time, on average."""
RESERVE = 4
"""Times as many may price in after that."""
MOST_LISTED = 10_000_000
"""Entries of all patterns beyond which there is no program: memory."""
ANY = 2**60
"""A slack that every pattern is within."""


def is_worthwhile(checks: Checks, rows: int, types: int, most: int) -> bool:
    """Whether rounding is likely to pay, and to be done within about so many entries of the program."""
    return is_limited(checks) and rows >= ROWS_PER_TYPE * types and MEMBERS_PER_TYPE * types <= most


def round_program(checks: Checks, ascent: Ascent, deadline: Deadline) -> Covering | None:
    """Return the covering that the linear program over patterns is rounded to, and raise the prices to its duals.

    Every class is admitted, as far as the loops know the models. Rows that rounding leaves over are peeled. None where
    there are too many patterns, or time is over before the program is solved.
    """
    cube, prices = ascent.pricing.cube, ascent.reached.prices
    everything = np.arange(cube.types)
    pool = Pool.of(cube, everything, cube.counts, prices, rows=checks.rows, slack=ANY, most=MOST_LISTED)
    if pool is None:
        return None
    sizes = np.diff(pool.starts)
    every_type = np.repeat(sizes == cube.types, sizes)
    losses = np.where(every_type, -1.0, reduced_costs(pool, checks, prices))
    kept = needed(losses, RESERVE * MEMBERS_PER_TYPE * cube.types)
    pool, losses = pool.part(kept), losses[kept]
    program = MasterProgram(pool, checks, cube.denominator)
    vertex = program.solve(needed(losses, MEMBERS_PER_TYPE * cube.types), deadline)
    if vertex is None:
        return None
    duals = np.zeros(cube.types, np.int64)
    duals[pool.types] = np.floor(vertex.duals * cube.denominator).astype(np.int64)
    ascent.lift(duals)
    return _completed(cube, pool, checks, rounded(program, vertex, duals, deadline), duals, deadline)


def _completed(cube: Cube, pool: Pool, checks: Checks, copies: Ints, prices: Ints, deadline: Deadline) -> Covering:
    """Return the covering of classes and of what they leave over, which is peeled."""
    pieces = pool.pieces(copies)
    left = cube.counts - np.bincount(pieces[:, 0], weights=pieces[:, 2], minlength=cube.types).astype(np.int64)
    if not left.any():
        return Covering.of(cube, pieces, pool.nodes)
    rest = peeled(cube, checks, np.maximum(prices, 0), deadline, left=left)
    others = np.column_stack([rest.types, rest.classes + len(pool), rest.copies])
    return Covering.of(cube, np.concatenate([pieces, others]), np.concatenate([pool.nodes, rest.nodes]))
