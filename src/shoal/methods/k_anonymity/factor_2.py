"""The 2-factor approximation of 3-anonymity (Aggarwal et al. 2005, section 6, with the case it leaves out)."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.k_anonymity.factor import Distances, Factor
from shoal.methods.k_anonymity.factors import cycles_of, least_two_factor

SIZES = (3, 4, 5)
"""Rows of a class: more could be cut."""


class Factor2(Factor):
    """Guarantees `cost <= 3 * optimum` for k = 3; `2 * optimum` where columns have two values.

    So for every cost that adds over cells and by which a block of a hierarchy never costs less than one inside it:
    stars, height, NCP, precision; by suppression and by generalization, with attribute weights.

    The distance of two rows is what the cells that cover both cost a row. Take cycles of least weight F that meet every
    row once, and cut each where its classes of three to five rows cost least.

    - Where the rows of a cycle need a block, two edges of it need the block as well, one on either way between the two
      rows. So a row of a cycle of weight w pays w / 2 at most, and up to five rows as one class 2.5 w. A class of s
      rows in a row pays s times its s - 1 edges at most. A longer cycle of c rows has such cuts in c rotations; on
      average over them, threes alone pay 2 w, threes and one four 18/7 w at most, threes and two fours 3 w at most.
      The best cut is no dearer: `cost <= 3 F`.
    - An optimum needs classes of three to five rows only. On average over all cycles through the s rows of a class, a
      cycle weighs s times the mean of all distances, none of which is beyond what a row pays. So `F <= optimum`.
    - Where columns have two values, two thirds of the pairs differ in a column at most: `1.5 F <= optimum`.

    Where rows may be dropped, one or two that an optimum drops may be missing partners. Put into the cycle of a class,
    each brings at most two edges that are no longer than it pays: `F / 2 <= optimum`, and `cost <= 6 * optimum`.

    Beyond 2,000 rows, or 500 by costs of many different values, the table is cut into blocks, and all this is said of
    each block.
    """

    name: ClassVar[str] = "factor-2"
    title: ClassVar[str] = "2-factor approximation"
    guarantee: ClassVar[str | None] = "cost <= 3 * optimum (2 where columns have two values, 6 where rows may go)"
    running_time: ClassVar[str] = "a linear program and a few matchings of at most 2,000 rows, for each block"
    paper: ClassVar[str] = (
        "Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu: "
        "Approximation algorithms for k-anonymity, 2005, section 6"
    )
    models: ClassVar[str] = "3-anonymity alone"
    about_stars: ClassVar[bool] = True
    k: ClassVar[int] = 3
    proved: ClassVar[tuple[float, float, float]] = (1.5, 1.0, 0.5)
    most_rows: ClassVar[tuple[int, int]] = (2000, 500)
    condition: ClassVar[str] = (
        f"for a table of one block (up to {most_rows[0]:,} rows, {most_rows[1]:,} by costs of many different values) "
        "that is done in time"
    )

    def parts(self, distances: Distances) -> tuple[int, list[list[int]]]:
        """Return the classes that the cycles are cut into."""
        weight, edges = least_two_factor(distances.apart)
        return weight, [part for cycle in cycles_of(edges) for part in cut(distances, np.array(cycle))]


def cut(distances: Distances, cycle: Ints) -> list[list[int]]:
    """Return the cheapest classes of three to five rows that a cycle can be cut into.

    One of any five places in a row is cut: start at each of the first five, and go around.
    """
    if len(cycle) <= max(SIZES):
        return [cycle.tolist()]
    costs = {size: size * distances.spread(_runs(cycle, size)) for size in SIZES}
    ways = [_around({size: np.roll(cost, -start).tolist() for size, cost in costs.items()}) for start in range(5)]
    start = min(range(5), key=lambda start: ways[start][0])
    turned = np.roll(cycle, -start)
    return [part.tolist() for part in np.split(turned, ways[start][1])]


def _runs(cycle: Ints, size: int) -> Ints:
    """Return the vertices that follow each other from each place of a cycle on."""
    runs: Ints = cycle[(np.arange(len(cycle))[:, None] + np.arange(size)) % len(cycle)]
    return runs


def _around(costs: dict[int, list[int]]) -> tuple[float, list[int]]:
    """Return the least cost of cutting a cycle that is cut at its start, and the other places where it is cut.

    `costs[size][place]` is what a class of that size costs from a place on.

    >>> _around({3: [1, 9, 9, 9, 1, 9, 9], 4: [9, 9, 9, 2, 9, 9, 9], 5: [0] * 7})
    (3.0, [3])
    """
    number = len(costs[SIZES[0]])
    best, last = [0.0, *[inf] * number], [0] * (number + 1)
    for end in range(SIZES[0], number + 1):
        ways = [(best[end - size] + costs[size][end - size], size) for size in SIZES if size <= end]
        best[end], last[end] = min(ways)
    places = [number]
    while places[-1]:
        places.append(places[-1] - last[places[-1]])
    return best[number], places[-2:0:-1]
