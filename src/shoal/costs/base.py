"""The contract of a cost: how much information a release has lost. One measure per file, found by discovery.

Some costs add over classes (`ClassCost`), many of those even over rows: every row pays for the cells it is published
with (`RowCost`), however its class is cut up; and most of those cell by cell (`CellCost`). The others are measured on
the whole release.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.parameters import Number, from_parameters, options_of, parameters_of
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells
from shoal.recoding.recode import Published, recodings

OF_ALL = ("weights", "k")
"""The fields that every cost has."""


@dataclass(frozen=True)
class Cost(ABC):
    """A measure of loss; smaller is better, nothing below 0.

    `weights` say which quasi-identifiers matter more (1 where not named); `k` is the k asked for, for the measures
    that compare with it. Further fields are parameters of one's own, each with a default; those that are numbers are
    declared as such. They are written after a colon: `publisher-payout:gain=100,cost=30`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    takes_weights: ClassVar[bool] = False
    reads_sensitive: ClassVar[bool] = False
    """Whether sensitive values of rows decide it."""
    parameters: ClassVar[tuple[Number, ...]] = ()
    """The numbers that it takes besides, in the order of its fields."""
    of_classes: ClassVar[bool] = False
    """Whether the cells and sizes of classes decide it, whichever row is in which."""

    weights: Mapping[str, float] = field(default_factory=dict)
    k: int = 1

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, parameter.read(getattr(self, parameter.name), self.name))

    @classmethod
    def asked(cls, options: str, weights: Mapping[str, float], k: int) -> Self:
        """Return the cost with the parameters that words after a colon give."""
        return from_parameters(cls, {**options_of(cls, options, OF_ALL), "weights": weights, "k": k})

    @property
    def own_parameters(self) -> dict[str, object]:
        """The parameters of its own, as plain data."""
        return {name: value for name, value in parameters_of(self, defaults=True).items() if name not in OF_ALL}

    @property
    def words(self) -> str:
        """The cost as it is asked for."""
        options = ",".join(f"{name}={value}" for name, value in self.own_parameters.items())
        return f"{self.name}:{options}" if options else self.name

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether it can measure what a recoding publishes: if not said otherwise, cells that cover values."""
        return recoding.covers and not recoding.two_tables

    @classmethod
    def recodings(cls) -> tuple[str, ...]:
        """The names of the recodings it can measure."""
        return tuple(name for name, kind in recodings().items() if cls.measures(kind))

    @abstractmethod
    def of(self, published: Published) -> float:
        """Measure a release. A dropped row counts as fully starred."""

    def tie_break(self, published: Published) -> tuple[float, ...]:
        """Return what decides between releases of the same cost, the least first; mostly nothing does."""
        return ()

    def described(self) -> dict[str, Any]:
        """Return what the codebook of a release says of its cost, as plain data."""
        own = {"parameters": self.own_parameters} if self.own_parameters else {}
        return {"name": self.name, "weights": dict(self.weights), "k": self.k, **own}

    def weight(self, column: str) -> float:
        """Return the weight of a quasi-identifier."""
        return float(self.weights.get(column, 1))


class ClassCost(Cost):
    """A cost that adds over classes."""

    of_classes: ClassVar[bool] = True

    @abstractmethod
    def class_losses(self, cells: Sequence[Cells], sizes: Ints) -> Floats:
        """Return what each group of rows would cost as a class of its own."""

    @abstractmethod
    def drop_loss(self, cells: Sequence[Cells], rows: int) -> float:
        """Return what a dropped row costs in a table of `rows` rows."""

    def of(self, published: Published) -> float:
        """Add up what the classes and the dropped rows cost; a mean where the measure is one."""
        partition, rows = published.partition, len(published.partition.class_of_row)
        paid = float(self.class_losses(published.cells, partition.sizes).sum())
        return (paid + partition.dropped * self.drop_loss(published.cells, rows)) / self.per(rows)

    def per(self, rows: int) -> float:
        """Return what the sum is divided by: 1, or the number of rows for a mean."""
        return 1.0


class RowCost(ClassCost):
    """A cost that adds over rows: each row of a class pays the same for the class's cells."""

    @abstractmethod
    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return what one row of each group pays."""

    @abstractmethod
    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return what a row pays whose quasi-identifiers are all starred."""

    def class_losses(self, cells: Sequence[Cells], sizes: Ints) -> Floats:
        """Return rows * what a row pays."""
        return sizes * self.row_losses(cells)

    def drop_loss(self, cells: Sequence[Cells], rows: int) -> float:
        """Return what a fully starred row pays."""
        return self.full_loss(cells)


class CellCost(RowCost):
    """A cost that adds over cells: a row pays for each of its cells, whatever the others are."""

    @abstractmethod
    def cell_losses(self, cells: Cells) -> Floats:
        """Return what each distinct cell of a column costs a row, before sharing."""

    @abstractmethod
    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return what a star costs in each column, before sharing."""

    def share(self, cells: Sequence[Cells]) -> float:
        """Return what the sum over a row's cells is divided by."""
        return 1.0

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return the sum over the cells of a row of each group."""
        losses: Floats = np.sum([self.cell_losses(column)[column.of_group] for column in cells], axis=0)
        return losses / self.share(cells)

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return the sum over the stars of a fully starred row."""
        return sum(self.full_losses(cells)) / self.share(cells)
