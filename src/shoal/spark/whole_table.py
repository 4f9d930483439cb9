"""What the workers decided, put together on the driver: the classes of the whole table, their cells, their cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution, Status
from shoal.recoding.recode import Published, published_cells
from shoal.spark.cell_keys import cells_with
from shoal.spark.worker_batches import Dictionary
from shoal.tables.star_marks import escape_stars


@dataclass(frozen=True, eq=False)
class Gathered:
    """The classes of a release whose rows are in Spark: rows of equal cells, whichever region they come from."""

    problem: Problem
    published: Published
    keys: tuple[pl.Series, ...]
    """By quasi-identifier: the keys of its cells, in their order."""

    @classmethod
    def of(cls, problem: Problem, classes: pl.DataFrame) -> Gathered:
        """Put together classes that are given by the keys of their cells (`q0`, ...) and their number of rows."""
        microdata = problem.microdata
        keys, cells = [], []
        for place, (column, hierarchy) in enumerate(zip(microdata.quasi, microdata.hierarchies, strict=True)):
            known = classes[f"q{place}"].unique().sort()
            of_group = Dictionary(known.to_frame(), np.arange(len(known))).of(classes)
            keys.append(known)
            cells.append(cells_with(known, of_group, column, hierarchy, problem.recoding))
        partition = Partition(np.repeat(np.arange(classes.height), classes["rows"].to_numpy()))
        published = Published(microdata, problem.recoding, partition, tuple(cells))
        return cls(problem, published, tuple(keys))

    def solution(self, method: str, notes: tuple[str, ...]) -> Solution:
        """Return the classes as what the method found; without the whole table there is no bound, but for 0."""
        cost = self.problem.cost.of(self.published)
        status: Status = "optimal" if cost == 0 else "feasible"
        bound = 0.0 if cost == 0 else None
        return Solution(self.published.partition, cost, status, method, bound, notes=notes)

    def shown(self, star: str) -> list[pl.Series]:
        """Return the published values of the cells of each quasi-identifier, and of each secret's sensitive values."""
        quasi = [published_cells(cells, star) for cells in self.published.cells]
        return quasi + [as_published(column.values) for column in self.published.microdata.sensitive]


def as_published(values: pl.Series) -> pl.Series:
    """Return sensitive values as they are published: literal stars escaped."""
    return escape_stars(values) if values.dtype == pl.String else values


def ranked(values: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the different values in the order of published cells, a missing one last, and the place of each value.

    >>> ordered, places = ranked(pl.Series(["b", None, "a", "b"]))
    >>> ordered.to_list(), places.tolist()
    (['a', 'b', None], [1, 2, 0, 1])
    """
    ordered = values.unique().sort(nulls_last=True)
    places = Dictionary(ordered.rename("value").to_frame(), np.arange(len(ordered)))
    return ordered, places.of(values.rename("value").to_frame())
