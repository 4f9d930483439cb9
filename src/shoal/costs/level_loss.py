"""Loss by level: what each level of a hierarchy costs is said by whoever asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.core.parameters import as_fraction, spelled
from shoal.costs.base import CellCost
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells, HierarchyCells

FORM = "a column, =, and a number for each level, from 0 on and never falling: level-loss:age=0/0.1/0.4/1,town=0/1"


@dataclass(frozen=True)
class LevelLoss(CellCost):
    """Averages over all cells what their level costs: the numbers that are given for the column, else level / height.

    `losses` has for a column a number for each level of its hierarchy: level 0, the value itself, costs 0, no level
    costs less than the one below it, the last is that of `*`, which a dropped row pays. ARX calls it a static metric.
    """

    name: ClassVar[str] = "level-loss"
    title: ClassVar[str] = "loss by level"
    meaning: ClassVar[str] = "mean over cells of the number that is given for their level, else level / height"

    losses: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)

    @classmethod
    def asked(cls, options: str, weights: Mapping[str, float], k: int) -> Self:
        """Return the cost with the numbers of `age=0/0.5/1,town=0/1`."""
        return cls(weights, k, dict(_read(part) for part in options.split(",") if part.strip()))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "losses", {name: _checked(name, steps) for name, steps in self.losses.items()})

    @property
    def own_parameters(self) -> dict[str, object]:
        """The numbers, by column."""
        return {"losses": self._spelled} if self.losses else {}

    @property
    def words(self) -> str:
        """The cost as it is asked for."""
        given = ",".join(f"{name}={steps}" for name, steps in self._spelled.items())
        return f"{self.name}:{given}" if given else self.name

    @property
    def _spelled(self) -> dict[str, str]:
        return {name: "/".join(map(spelled, steps)) for name, steps in self.losses.items()}

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether cells are blocks of hierarchies: others have no level."""
        return not recoding.no_patterns

    def cell_losses(self, cells: Cells) -> Floats:
        """Return what the level of each cell costs."""
        if cells.column.name not in self.losses:
            return cells.height_share
        assert isinstance(cells, HierarchyCells)
        return self._steps(cells)[cells.levels]

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return what a star costs in each column."""
        return [float(self.losses[one.column.name][-1]) if one.column.name in self.losses else 1.0 for one in cells]

    def share(self, cells: Sequence[Cells]) -> float:
        """Return the number of quasi-identifiers; refuse numbers for a column that is none."""
        known = [one.column.name for one in cells]
        for name in self.losses:
            if name not in known:
                raise RoleError(
                    f"losses are given for {name!r}", expected="a quasi-identifier", hint=nearest(name, known)
                )
        return float(len(cells))

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)

    def _steps(self, cells: HierarchyCells) -> Floats:
        """Return the numbers of a column, one for each level of its hierarchy."""
        steps, levels = self.losses[cells.column.name], cells.hierarchy.height + 1
        if len(steps) != levels:
            raise ParameterError(
                f"{len(steps)} losses are given for {cells.column.name!r}", expected=f"{levels}, one for each level"
            )
        return np.array([float(step) for step in steps])


def _read(part: str) -> tuple[str, tuple[Fraction, ...]]:
    """Return a column and its numbers."""
    name, equals, numbers = part.strip().rpartition("=")
    steps = [as_fraction(number) for number in numbers.split("/")]
    if not equals or None in steps:
        raise ParameterError(f"level-loss was given {part.strip()!r}", expected=FORM)
    return name, tuple(step for step in steps if step is not None)


def _checked(name: str, steps: Sequence[Fraction] | str) -> tuple[Fraction, ...]:
    """Return numbers that start at 0 and never fall; those of a codebook are text."""
    numbers = _read(f"{name}={steps}")[1] if isinstance(steps, str) else tuple(steps)
    if len(numbers) < 2 or numbers[0] != 0 or any(above < below for below, above in pairwise(numbers)):
        raise ParameterError(f"the losses of {name!r} are {'/'.join(map(spelled, numbers))}", expected=FORM)
    return numbers
