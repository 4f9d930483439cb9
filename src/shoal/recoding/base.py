"""The contract of a recoding: how a class becomes published cells. One per file, found by discovery.

A recoding declares as data what methods, bounds and costs ask of it, so that none of them asks for its name. Most
recodings publish column by column (`ColumnRecoding`), many of those blocks of hierarchies (`BlockRecoding`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.hierarchies import Hierarchy
from shoal.microdata.microdata import Microdata
from shoal.recoding.cells import Cells, Groups, HierarchyCells


class Recoding(ABC):
    """How groups of rows become cells. What a recoding does not declare is the cautious answer."""

    name: ClassVar[str]
    meaning: ClassVar[str]
    """What cells become, in a few words."""
    default_cost: ClassVar[str] = "ncp"
    """The cost that is kept small when none is named."""
    weighted_cost: ClassVar[str | None] = None
    """The same where attributes have weights, if it is another."""
    no_patterns: ClassVar[str] = "its cells are not patterns of a hierarchy"
    """Why cells are not blocks of hierarchies; nothing where they are."""
    along_hierarchies: ClassVar[bool] = False
    """Whether cells are blocks of the hierarchies that were given."""
    stars_only: ClassVar[bool] = False
    """Whether a cell is the value itself or a star."""
    one_level: ClassVar[bool] = False
    """Whether all cells of a column have one level of its hierarchy, but for one class of stars."""
    alike_in_all: ClassVar[str] = ""
    """What all classes of a column share, so that no class has cells of its own choice; nothing where each has."""
    spans: ClassVar[bool] = False
    """Whether a cell can be as narrow as the values of its class: a range, or a set."""
    repeatable: ClassVar[bool] = False
    """Whether classes with equal cells, taken together, show the same cells again."""
    covers: ClassVar[bool] = True
    """Whether a cell covers every value it hides."""
    two_tables: ClassVar[bool] = False
    """Whether quasi-identifiers are published as they are, and sensitive values in a table of their own."""

    @abstractmethod
    def cells(self, microdata: Microdata, groups: Groups) -> tuple[Cells, ...]:
        """Return the cells that some groups of rows would be published with, attribute by attribute."""

    def of_column(self, microdata: Microdata, index: int) -> Recoding:
        """Return the recoding of one quasi-identifier: itself, where all are published in the same way."""
        return self


class ColumnRecoding(Recoding):
    """A recoding that publishes each quasi-identifier by itself."""

    @abstractmethod
    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Return the cells of one quasi-identifier."""

    def cells(self, microdata: Microdata, groups: Groups) -> tuple[Cells, ...]:
        """Return the cells of every quasi-identifier."""
        return tuple(self.column(microdata, index, groups) for index in range(len(microdata.quasi)))


class BlockRecoding(ColumnRecoding):
    """A recoding whose cells are blocks of hierarchies: by default the lowest block that holds the class."""

    no_patterns: ClassVar[str] = ""

    def hierarchy(self, microdata: Microdata, index: int) -> Hierarchy:
        """Return the hierarchy that the cells of a column are blocks of."""
        return microdata.hierarchies[index]

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish the lowest block that holds all values of a group."""
        return HierarchyCells.of(microdata.quasi[index], self.hierarchy(microdata, index), groups)
