"""Cuts of whole columns: the values of an attribute in order, cut into intervals that are the same in every row.

A cut point lies between two neighbouring values of an attribute. Any set of cut points makes a partition: rows are in
one class if no chosen cut point lies between them. More cut points never join what fewer have separated, so that where
merging keeps admitted classes admitted, a set that is refused is refused with every further cut point.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.core.sorting import distinct_rows
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.partition import Partition
from shoal.problem import Problem


def single_dimensional_refusals(problem: Problem) -> list[str]:
    """Return why cuts of whole columns are not searched for a problem: it asks for what merging may break."""
    others = [f"{model} is not monotone" for model in problem.models if not model.monotone]
    return others or Mondrian().accepts(problem)


@dataclass(frozen=True, eq=False)
class CutPoints:
    """Every place where a column can be cut, attribute by attribute, values in their order or that of their leaves."""

    problem: Problem
    places: list[Ints]
    """For each attribute, where every distinct tuple lies along it: 0, 1, ..."""
    attribute: Ints
    """The attribute of each cut point."""
    above: Ints
    """The first place above each cut point."""
    _admitted: dict[bytes, bool] = field(default_factory=dict, repr=False)
    _costs: dict[bytes, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, problem: Problem) -> CutPoints:
        """Return the cut points between values that occur."""
        data = problem.microdata
        ranks = [leaf_ranks(*pair) for pair in zip(data.quasi, data.hierarchies, strict=True)]
        along = zip(ranks, data.tuples.T, strict=True)
        places = [np.unique(rank[codes], return_inverse=True)[1].astype(np.int64) for rank, codes in along]
        counts = [int(place.max()) for place in places]
        above = np.concatenate([np.arange(1, count + 1) for count in counts])
        return cls(problem, places, np.repeat(np.arange(len(counts)), counts), above)

    def __len__(self) -> int:
        return len(self.above)

    def partition(self, chosen: Bools) -> Partition:
        """Return the classes that some cut points make."""
        parts = [
            np.searchsorted(self.above[chosen & (self.attribute == j)], place, side="right")
            for j, place in enumerate(self.places)
        ]
        labels, _, _ = distinct_rows(parts, [int(part.max()) + 1 for part in parts])
        return Partition.of(labels[self.problem.microdata.tuple_of_row])

    def admits(self, chosen: Bools) -> bool:
        """Whether every class that some cut points make is admitted; worked out once."""
        key = chosen.tobytes()
        if key not in self._admitted:
            classes = self.problem.classes(self.partition(chosen))
            self._admitted[key] = bool(self.problem.deciding.admits(classes).all())
        return self._admitted[key]

    def cost(self, chosen: Bools) -> float:
        """Return what the classes that some cut points make cost; worked out once."""
        key = chosen.tobytes()
        if key not in self._costs:
            self._costs[key] = self.problem.cost_of(self.partition(chosen))
        return self._costs[key]
