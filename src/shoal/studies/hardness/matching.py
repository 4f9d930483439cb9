"""What the reductions from matching share: a row per element, a column per tuple, 0 where the tuple holds it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.studies.hardness.base import Question, Reduction, Size
from shoal.studies.hardness.sources import Tuples

COUNT = Size("count", "elements of a side", 2, whole=True, default=6)
DECOYS = Size("decoys", "tuples beside those that match", 0, whole=True, default=12)


def membership(tuples: Tuples, values: Sequence[int]) -> Ints:
    """Return the cells: 0 where the tuple holds the element, the row's own value elsewhere."""
    cells = np.tile(np.asarray(values, dtype=np.int64)[:, None], len(tuples.tuples))
    for column, one in enumerate(tuples.tuples):
        for side, element in enumerate(one):
            cells[side * tuples.count + element, column] = 0
    return cells


class MatchingQuestion(Question):
    """Whether some of the tuples hold every element exactly once; `solution` has their numbers, where known."""

    tuples: Tuples

    @property
    def threshold(self) -> int:
        """Every column but one, in the row of every element; no release has fewer stars."""
        return self.tuples.sides * self.tuples.count * (len(self.tuples.tuples) - 1)


def chosen(owner: type[Reduction], tuples: Tuples, classes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return which tuples the classes are, and check that they match every element once."""
    found = tuple(index for rows in classes if (index := tuples.named_by(rows)) is not None)
    check(owner, tuples, found)
    return found


def check(owner: type[Reduction], tuples: Tuples, solution: Sequence[int] | None) -> None:
    """Refuse tuples that do not match."""
    if solution is not None and not tuples.matches(solution):
        raise ParameterError(f"{owner.name}: {len(solution)} tuples that do not hold every element once")
