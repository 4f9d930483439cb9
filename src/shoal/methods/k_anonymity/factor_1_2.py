"""The [1,2]-factor approximation of 2-anonymity (Aggarwal et al. 2005, section 5)."""

from __future__ import annotations

from typing import ClassVar

from shoal.methods.k_anonymity.factor import Distances, Factor
from shoal.methods.k_anonymity.factors import least_one_two_factor


class Factor12(Factor):
    """Guarantees `cost <= 2 * optimum` for k = 2; `1.5 * optimum` where columns have two values.

    So for every cost that adds over cells and by which a block of a hierarchy never costs less than one inside it:
    stars, height, NCP, precision; by suppression and by generalization, with attribute weights.

    The distance of two rows is what the cells that cover both cost a row. Of all sets of edges that give every row one
    or two, take one of least weight F. Its parts are pairs and paths of three.

    - A pair pays 2 w for an edge of weight w. A path of edges a and b pays 3 (a + b) at most: where its rows need a
      block, one of the two edges needs it as well. So `cost <= 3 F`.
    - An optimum needs no class beyond three rows: larger ones can be cut. Of a class of three take the two shorter
      edges, of a pair its edge: no less than F in all. With M what a row of the three pays, all edges are at most M;
      the two shorter ones are two thirds of the three at most, so 2 M, of the 3 M that are paid. So `1.5 F <= optimum`.
    - Where columns have two values, two of the three rows agree in each, the three edges make 2 M together, and the
      two shorter ones 4/3 M. So `2 F <= optimum`: pairs pay twice their edge as well.

    Where rows may be dropped, one row that an optimum drops may be missing a partner, and pays for one edge only:
    `F <= optimum`, and `cost <= 3 * optimum`. More than one that are dropped could as well be a class.

    Beyond 2,000 rows the table is cut into blocks, and all this is said of each block.
    """

    name: ClassVar[str] = "factor-1-2"
    title: ClassVar[str] = "[1,2]-factor approximation"
    guarantee: ClassVar[str | None] = "cost <= 2 * optimum (1.5 where columns have two values, 3 where rows may go)"
    running_time: ClassVar[str] = "a maximum-weight matching of at most 2,000 rows, for each block"
    paper: ClassVar[str] = (
        "Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu: "
        "Approximation algorithms for k-anonymity, 2005, section 5"
    )
    models: ClassVar[str] = "2-anonymity alone"
    about_stars: ClassVar[bool] = True
    k: ClassVar[int] = 2
    proved: ClassVar[tuple[float, float, float]] = (2.0, 1.5, 1.0)
    most_rows: ClassVar[tuple[int, int]] = (2000, 2000)
    condition: ClassVar[str] = f"for a table of one block (up to {most_rows[0]:,} rows) that is done in time"

    def parts(self, distances: Distances) -> tuple[int, list[list[int]]]:
        """Return the pairs and paths themselves."""
        return least_one_two_factor(distances.apart)
