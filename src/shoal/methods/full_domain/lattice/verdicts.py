"""Which classes of a node fail the models, and what becomes of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np

from shoal.core.arrays import Bools
from shoal.methods.full_domain.lattice.grouping import Ground, Grouping
from shoal.methods.full_domain.lattice.levels import Levels
from shoal.microdata.partition import DROPPED, Partition
from shoal.models import Rule
from shoal.problem import Problem

Fate: TypeAlias = Literal["kept", "starred", "dropped", "refused"]
"""What becomes of the rows of failing classes: there are none; they are stars; they are dropped; it cannot be."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What was seen at a node: its classes, which of them have too few rows or values, which fail, and their fate."""

    grouping: Grouping
    hopeless: Bools
    failing: Bools
    fate: Fate
    as_asked: Callable[[], bool] = lambda: True
    """Decides whether the release, as a whole, meets what was asked; it takes longer than deciding class by class."""

    @cached_property
    def admitted(self) -> bool:
        """Whether the node has a release."""
        return self.fate != "refused" and self.as_asked()

    @property
    def suppressed(self) -> int:
        """How many rows are in classes that fail."""
        return int(self.grouping.sizes[self.failing].sum())

    @property
    def said(self) -> list[str]:
        """What became of the rows of failing classes, in words."""
        classes = int(self.failing.sum())
        gone = f"{self.suppressed:,} rows of {classes:,} classes that fail the models are {self.fate}"
        return [gone] if classes else []


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Decides the classes of a problem's nodes."""

    ground: Ground

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.ground.problem

    @cached_property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted, where one attribute is read."""
        plain = [model for model in self.problem.models if model.attributes and not model.given]
        return max((model.least_values for model in plain), default=1) if self.ground.alone else 1

    @cached_property
    def counting(self) -> bool:
        """Whether counting rows and values decides every model."""
        return all(
            model.rule is Rule.ROWS or (model.rule is Rule.VALUES and not model.given and self.ground.alone)
            for model in self.problem.models
        )

    def at(self, levels: Levels) -> Seen:
        """Return what is to be seen at a node."""
        return self.of(self.ground.at(levels))

    def at_all(self, nodes: Sequence[Levels], threads: Executor | None) -> list[Seen]:
        """Return what is to be seen at some nodes, each in a thread of its own if there are any.

        The loops that group rows give up the interpreter's lock. What a node is rolled up from is chosen before any
        of the others is known, so that threads change nothing.
        """
        sources = [self.ground.source(levels) for levels in nodes]
        each = map if threads is None else threads.map
        found = list(each(lambda source, levels: self.of(self.ground.rolled_up(source, levels)), sources, nodes))
        for seen in found:
            self.ground.keep(seen.grouping)
        return found

    def of(self, grouping: Grouping) -> Seen:
        """Return what is to be seen in a grouping."""
        hopeless = self.hopeless(grouping)
        failing = self.failing(grouping, hopeless)
        if failing.any() and self.one_node and self.problem.meets(self._all_kept(grouping)):
            return Seen(grouping, np.zeros_like(failing), np.zeros_like(failing), "kept")
        seen = Seen(grouping, hopeless, failing, self.fate(grouping, failing))
        return replace(seen, as_asked=partial(self._meets, seen))

    @cached_property
    def one_node(self) -> bool:
        """Whether levels are named that leave one node, where classes are decided by another model than was asked for.

        There the release of all rows at these levels decides, which the other model may refuse.
        """
        data = self.problem.microdata
        return self.problem.uses_surrogates and data.least_levels == data.most_levels

    def _all_kept(self, grouping: Grouping) -> Partition:
        return Partition(self.ground.class_of_row(grouping))

    def _meets(self, seen: Seen) -> bool:
        """Whether the release of a node meets what was asked, where deciding its classes one by one does not say so.

        Models that merging cannot break are implied by those worked with, unless people or households are counted, or
        they speak of all classes together; rows suppressed as ARX does it are not checked.
        """
        problem = self.problem
        by_class = problem.counts_rows and not problem.required.of_release
        implied = not problem.uses_surrogates or (problem.models.monotone and by_class)
        return implied or problem.suppressed == "arx" or problem.meets(self.partition(seen))

    def hopeless(self, grouping: Grouping) -> Bools:
        """Return the classes with too few rows or values: no part of such a class is admitted in a finer node."""
        few = grouping.sizes < self.problem.models.least_rows
        if self.least_values > 1:
            few |= np.bincount(grouping.owner, minlength=len(grouping)) < self.least_values
        return few

    def failing(self, grouping: Grouping, hopeless: Bools) -> Bools:
        """Return the classes that a model refuses, given those that are refused anyway.

        Where people are counted whom the cells fit, a class that is left out may let the others be published at lower
        levels, at which their cells fit fewer: so they are decided again, until no more fail.
        """
        if self.counting or hopeless.all():
            return hopeless
        before, failing = hopeless, self._refused(grouping, hopeless)
        while self.problem.models.needs_population and not failing.all() and (failing != before).any():
            before, failing = failing, self._refused(grouping, failing)
        return failing

    def _refused(self, grouping: Grouping, failing: Bools) -> Bools:
        """Return the classes that fail, and those that a model refuses where these are left out."""
        found = failing.copy()
        found[~failing] = ~self.problem.models.admits(self.ground.classes(grouping, ~failing))
        return found

    def fate(self, grouping: Grouping, failing: Bools) -> Fate:
        """Return what becomes of the rows of failing classes."""
        rows = int(grouping.sizes[failing].sum())
        if not rows:
            return "kept"
        if rows > self.problem.may_suppress:
            return "refused"
        if self.problem.suppressed == "arx":
            return "starred"
        if self.problem.models.admits(self.ground.together(grouping, failing))[0]:
            withheld = self.problem.suppress_sensitive
            return "starred" if not withheld or self._holds_without(grouping, failing) else "refused"
        if rows > self.problem.may_drop or rows == self.problem.rows:
            return "refused"
        return "dropped" if self._holds_without(grouping, failing) else "refused"

    def _holds_without(self, grouping: Grouping, failing: Bools) -> bool:
        """Whether the other classes are admitted in the table that is left; if none is left, they are not."""
        if failing.all():
            return False
        partition = self.partition(Seen(grouping, failing, failing, "dropped"))
        part = self.problem.of_rows(partition.kept)
        return bool(part.models.admits(part.classes(Partition(partition.class_of_row[partition.kept]))).all())

    def partition(self, seen: Seen) -> Partition:
        """Return the classes of a node, the failing ones as the starred class or dropped."""
        if seen.fate == "kept":
            return self._all_kept(seen.grouping)
        labels, failing = self.ground.class_of_row(seen.grouping), seen.failing
        number = np.cumsum(~failing) - 1
        if seen.fate == "dropped":
            return Partition(np.where(failing[labels], DROPPED, number[labels]))
        starred = int((~failing).sum())
        return Partition(np.where(failing[labels], starred, number[labels]), starred)
