"""What a reduction is: a combinatorial problem written as a table, and the way back from a release to its answer.

A reduction is a frozen dataclass of its combinatorial instance. It gives the table, the requirement, and either a
threshold (a release of at most so many stars exists if and only if the answer is yes) or the value of the best answer
as a number of stars. `answer` reads an answer off the classes of a release and checks it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts
from shoal.core.errors import ParameterError, nearest
from shoal.core.parameters import Number, Numeral, spelled
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models import Model, Models
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

SEED = Number("seed", "where the random numbers start", 0, whole=True)


@dataclass(frozen=True)
class Size(Number):
    """A number that says how large an instance is made, and what it is if nobody says."""

    default: Numeral = 1

    def __str__(self) -> str:
        default = self.default if isinstance(self.default, str) else spelled(Fraction(self.default))
        return f"{self.name}={default}"


Sizes = Mapping[str, Fraction]


class Reduction(ABC):
    """A combinatorial instance as a table. Costs are numbers of stars."""

    name: ClassVar[str]
    source: ClassVar[str]
    """The problem that it comes from, in a sentence."""
    target: ClassVar[str]
    """What the table is to meet."""
    paper: ClassVar[str]
    sizes: ClassVar[tuple[Size, ...]]
    sensitive: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def seeded(cls, seed: int = 0, **given: object) -> Self:
        """Return a random instance with a planted answer; the same seed and sizes give the same instance."""
        unknown = [name for name in given if name not in {size.name for size in cls.sizes}]
        if unknown:
            known = [size.name for size in cls.sizes]
            raise ParameterError(f"{cls.name} has no size {unknown[0]!r}", hint=nearest(unknown[0], known))
        rng = np.random.default_rng(int(SEED.read(seed, cls.name)))
        return cls.planted(
            {size.name: size.read(given.get(size.name, size.default), cls.name) for size in cls.sizes}, rng
        )

    @classmethod
    @abstractmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Return a random instance of these sizes whose best answer is known."""

    @property
    @abstractmethod
    def frame(self) -> pl.DataFrame:
        """The table."""

    @property
    @abstractmethod
    def require(self) -> Model:
        """What every class must meet."""

    @property
    def threshold(self) -> int | None:
        """For a question: the cost that a release need not exceed if and only if the answer is yes."""
        return None

    @property
    @abstractmethod
    def optimum(self) -> int | None:
        """The least cost of a release, where the best answer is known."""

    @abstractmethod
    def read(self, classes: Sequence[Sequence[int]], cost: int) -> Any:
        """Return the answer that admitted classes of this cost give."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that are suppressed."""
        return tuple(name for name in self.frame.columns if name not in self.sensitive)

    @cached_property
    def problem(self) -> Problem:
        """The table and the requirement, as methods see them."""
        roles = Roles.of(self.frame.columns, quasi=self.quasi, sensitive=self.sensitive)
        return make_problem(encode(Table.of(self.frame), roles), Models((self.require,)))

    def cost(self, classes: Partition | Sequence[int] | AnyInts) -> int:
        """Return the number of stars that classes cost, or raise `ParameterError` if they are not admitted."""
        partition = classes if isinstance(classes, Partition) else Partition.of(np.asarray(classes))
        rows = self.problem.rows
        if len(partition.class_of_row) != rows or partition.dropped:
            raise ParameterError(
                f"{self.name}: classes of {len(partition.kept):,} rows",
                expected=f"every one of {rows:,} rows in a class",
            )
        seen = self.problem.candidates(partition.kept, partition.class_of_row, len(partition))
        refused = int((~self.problem.models.admits(seen)).sum())
        if refused:
            raise ParameterError(f"{self.name}: {refused:,} classes do not meet {self.require}")
        return round(self.problem.cost_of(partition))

    def answer(self, classes: Partition | Sequence[int] | AnyInts) -> Any:
        """Return the checked answer that the classes of a release give; None where they cost more than the threshold.

        For a problem of finding the least or the most, the answer is at least as good as the cost of the classes says.
        """
        cost = self.cost(classes)
        if self.threshold is not None and cost > self.threshold:
            return None
        partition = classes if isinstance(classes, Partition) else Partition.of(np.asarray(classes))
        return self.read([rows.tolist() for rows in partition], cost)


class Question(Reduction):
    """A question whose answer is known to be yes where `solution` has one: then the threshold is the optimum."""

    solution: Any

    @property
    def optimum(self) -> int | None:
        """The threshold, where an answer is known."""
        return None if self.solution is None else self.threshold
