"""Blocks of near rows, for methods that take no more than so many at a time."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.general.cuts import MedianCuts, Open
from shoal.problem import Problem


def blocks_of(problem: Problem, most: int) -> list[Ints]:
    """Return blocks of near rows, at most so many and half as many at least, each sorted by what the rows hold.

    All blocks are cut in two, each along the attribute that a cut tells most of, until none is too large.
    """
    microdata, labels = problem.microdata, np.zeros(problem.rows, dtype=np.int64)
    cuts = MedianCuts(problem, relaxed=True)
    while np.bincount(labels).max() > most:
        order = np.argsort(labels, kind="stable")
        blocks = Open(order, labels[order])
        labels[order] = 2 * blocks.class_of_row + cuts.parts(blocks, cuts.widths(blocks).argmax(axis=1))
    order = np.lexsort((microdata.identity, microdata.tuple_of_row, labels))
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])
