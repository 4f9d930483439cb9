"""A vertex of the master program as classes of whole rows that are admitted (compiled where classes are cut).

A vertex has few fractions where rows per type are many. Of every type the largest remainders are rounded up, and every
class is cut to a large part that the requirements admit. Patterns whose class has no such part, most often because it
has too few rows, are shut, the smallest quarter of them at a time, and the program is solved again. In the end classes
are kept, the cheapest first, as long as the rows in none of them would be admitted as a class.
"""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.compiler import njit
from shoal.core.interruptible import Ending
from shoal.patterns.checks import Checks
from shoal.patterns.kernels import copy_into
from shoal.patterns.master_program import MasterProgram, Vertex
from shoal.patterns.peeling_kernel import Tally, leaves_admitted, reduce_class
from shoal.patterns.pool import Pool

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

ROUNDS = 16
"""How often patterns are shut at most."""


def rounded(program: MasterProgram, vertex: Vertex, prices: Ints, deadline: Ending) -> Ints:
    """Return copies of each member of the pool such that every class is admitted, and the rows in none of them, too.

    As far as the loops know the models: those decide in the end. `prices` are by type; cheap rows are given back first.
    """
    pool, checks = program.pool, program.checks
    patterns = pool.pattern_of_member
    for _ in range(ROUNDS):
        copies = whole(pool, vertex.rows)
        wanted = np.bincount(patterns, weights=copies, minlength=len(pool))
        cut_classes(pool.starts, pool.types[pool.members], copies, prices, checks.rules, _tally(pool, checks))
        refused = np.flatnonzero((wanted > 0) & (np.bincount(patterns, weights=copies, minlength=len(pool)) == 0))
        if not len(refused) or deadline.passed:
            break
        smallest = refused[wanted[refused] <= np.quantile(wanted[refused], 0.25)]
        found = program.without(smallest, deadline)
        if found is None:
            break
        vertex = found
    order = np.argsort(pool.costs, kind="stable")
    keep_classes(order, pool.starts, pool.types[pool.members], copies, checks.rules, _tally(pool, checks))
    return copies


def whole(pool: Pool, rows: Floats) -> Ints:
    """Return whole numbers of rows, of each type as many as there are: the largest remainders are rounded up."""
    copies = np.floor(rows + 1e-6).astype(np.int64)
    missing = pool.counts - np.bincount(pool.members, weights=copies, minlength=len(pool.types)).astype(np.int64)
    order = np.lexsort((copies - rows, pool.members))
    begins = np.searchsorted(pool.members[order], np.arange(len(pool.types)))
    rank = np.arange(len(order)) - begins[pool.members[order]]
    copies[order] += (rank < missing[pool.members[order]]) & (rows[order] > 0)
    return copies


def _tally(pool: Pool, checks: Checks) -> Tally:
    counts = np.zeros(checks.codes.shape[1], np.int64)
    counts[pool.types] = pool.counts
    found = Tally.of(counts, checks.rules)
    assert found is not None
    return found


@njit(cache=True, nogil=True)
def cut_classes(starts, types, copies, prices, rules, tally):
    """Cut the copies of each class to a part that is admitted; to none where no such part is found."""
    for c in range(len(starts) - 1):
        mine, taken = types[starts[c] : starts[c + 1]], copies[starts[c] : starts[c + 1]]
        if taken.sum() and not reduce_class(mine, taken, prices, rules, tally):
            taken[:] = 0


@njit(cache=True, nogil=True)
def keep_classes(order, starts, types, copies, rules, tally):
    """Give up the classes without which what remains would not be admitted, one after the other."""
    remaining = tally.rest[0].sum()
    for c in order:
        mine, taken = types[starts[c] : starts[c + 1]], copies[starts[c] : starts[c + 1]]
        rows = taken.sum()
        if rows and leaves_admitted(mine, taken, remaining - rows, rules, tally):
            copy_into(tally.rest, tally.wanted)
            remaining -= rows
        else:
            taken[:] = 0
