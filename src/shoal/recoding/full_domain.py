"""Full-domain recoding: one level for all classes of a column; one class may be all stars instead."""

from __future__ import annotations

from typing import ClassVar

from shoal.microdata.microdata import Microdata
from shoal.recoding.base import BlockRecoding
from shoal.recoding.cells import Cells, Groups, HierarchyCells


class FullDomain(BlockRecoding):
    """Publishes a column at one level of its hierarchy, the starred class apart."""

    name: ClassVar[str] = "full-domain"
    meaning: ClassVar[str] = "every column is published at one level of its hierarchy"
    along_hierarchies: ClassVar[bool] = True
    one_level: ClassVar[bool] = True
    alike_in_all: ClassVar[str] = "one level for a whole column"

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish the lowest level that the column may have at which every group is in one block."""
        least = microdata.least_levels[index]
        return HierarchyCells.at_one_level(microdata.quasi[index], self.hierarchy(microdata, index), groups, least)
