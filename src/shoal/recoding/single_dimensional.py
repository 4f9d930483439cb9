"""Single-dimensional recoding: a value of a column is in the same block of its hierarchy in every row."""

from __future__ import annotations

from typing import ClassVar

from shoal.microdata.microdata import Microdata
from shoal.recoding.base import BlockRecoding
from shoal.recoding.cells import Cells, Groups, HierarchyCells


class SingleDimensional(BlockRecoding):
    """Publishes a column by one cut through its hierarchy: disjoint blocks, the smallest that tear no class.

    The domain of a column becomes a coarser one, so whoever reads the release may treat each block as one value.
    """

    name: ClassVar[str] = "single-dimensional"
    meaning: ClassVar[str] = "every value of a column becomes one group of its hierarchy, the same in all rows"
    along_hierarchies: ClassVar[bool] = True
    alike_in_all: ClassVar[str] = "one block for a value in all rows"
    repeatable: ClassVar[bool] = True

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish the blocks of the lowest cut in which every group is in one block."""
        return HierarchyCells.by_one_cut(microdata.quasi[index], self.hierarchy(microdata, index), groups)
