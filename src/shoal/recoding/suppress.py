"""Suppression: a cell is the common value of its class, or a star where the rows of the class differ."""

from __future__ import annotations

from typing import ClassVar

from shoal.hierarchies import Hierarchy
from shoal.microdata.microdata import Microdata
from shoal.recoding.base import BlockRecoding


class Suppress(BlockRecoding):
    """Publishes the value, or a star."""

    name: ClassVar[str] = "suppress"
    meaning: ClassVar[str] = "cells become stars"
    default_cost: ClassVar[str] = "stars"
    weighted_cost: ClassVar[str | None] = "height"
    stars_only: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True

    def hierarchy(self, microdata: Microdata, index: int) -> Hierarchy:
        """Return the hierarchy of the values and the star above them."""
        return microdata.stars[index]
