"""Generalization: a cell is the block of the lowest hierarchy level that holds all values of its class."""

from __future__ import annotations

from typing import ClassVar

from shoal.recoding.base import BlockRecoding


class Generalize(BlockRecoding):
    """Publishes the lowest block of the column's hierarchy that holds the class."""

    name: ClassVar[str] = "generalize"
    meaning: ClassVar[str] = "cells become groups of their hierarchies, class by class"
    along_hierarchies: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True
