"""GENERATE-CLASSES: choose the records of every class, near each other in the quasi-identifiers.

How many records a class takes from each fragment is settled before, so any choice keeps to the bound on distances.
Along the Hilbert curve a class takes from every fragment the records that lie at about the same part of it: all classes
at once. For small tables there is another way beside it: from a seed the nearest records of every fragment, class by
class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.general.hilbert_curve import hilbert_order
from shoal.methods.t_closeness.fragmentation.distance_bound import Sizes
from shoal.methods.t_closeness.fragmentation.swapping import swap_rows
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.microdata.microdata import Microdata
from shoal.microdata.partition import Partition

REACH = 8
"""Places along the curve that a record is swapped over."""
PASSES = 3
FEW = 50
"""One swap for so many rows is too few to go on."""


def curve_ranks(microdata: Microdata) -> Ints:
    """Return the rank of each row along the curve; equal tuples by their other cells, so no tie is left to chance."""
    place = np.empty(len(microdata.counts), dtype=np.int64)
    place[hilbert_order(microdata)] = np.arange(len(place))
    ranks = np.empty(microdata.rows, dtype=np.int64)
    ranks[np.lexsort((microdata.identity, place[microdata.tuple_of_row]))] = np.arange(microdata.rows)
    return ranks


def along_the_curve(sizes: Sizes, fragment_of_row: Ints, ranks: Ints) -> Ints:
    """Return the class of each row: every fragment is dealt out in the order of the curve."""
    rows = np.lexsort((ranks, fragment_of_row))
    entries = np.argsort(sizes.fragments, kind="stable")
    class_of_row = np.empty(len(rows), dtype=np.int64)
    class_of_row[rows] = np.repeat(sizes.owner[entries], sizes.counts[entries])
    return class_of_row


def by_nearest(sizes: Sizes, fragment_of_row: Ints, ranks: Ints, widths: Widths) -> Ints:
    """Return the class of each row: the largest class first takes, from every fragment, the rows nearest to its seed.

    The first seed is the start of the curve; each other one is the remaining row farthest from the seed before.
    """
    order = np.argsort(ranks)
    fragments, class_of_row = fragment_of_row[order], np.full(len(order), -1, dtype=np.int64)
    apart: Floats = np.zeros(len(order))
    for one in np.argsort(-sizes.rows, kind="stable").tolist():
        left = np.flatnonzero(class_of_row < 0)
        entries = slice(int(sizes.starts[one]), int(sizes.starts[one + 1]))
        wanted = np.zeros(int(fragment_of_row.max()) + 1, dtype=np.int64)
        wanted[sizes.fragments[entries]] = sizes.counts[entries]
        seeds = left[wanted[fragments[left]] > 0]
        seed = int(seeds[np.argmax(apart[seeds])])
        apart = widths.between(int(order[seed]), order)
        near = left[np.lexsort((apart[left], fragments[left]))]
        own = fragments[near]
        place = np.arange(len(near)) - np.searchsorted(own, own)
        class_of_row[near[place < wanted[own]]] = one
    labels = np.empty_like(class_of_row)
    labels[order] = class_of_row
    return labels


def swapped(class_of_row: Ints, fragment_of_row: Ints, ranks: Ints, widths: Widths, stop: Callable[[], bool]) -> Ints:
    """Return the class of each row after swaps inside fragments that make classes narrower: near ones on the curve."""
    rows = np.lexsort((ranks, fragment_of_row))
    own = fragment_of_row[rows]
    ends = np.searchsorted(own, own, side="right")
    partition = Partition.of(class_of_row)
    labels, members = partition.class_of_row.copy(), partition.order.copy()
    for _ in range(PASSES):
        if stop():
            break
        swaps = swap_rows(rows, ends, REACH, labels, members, partition.starts, widths)
        if swaps * FEW < len(rows):
            break
    return labels
