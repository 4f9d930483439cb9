"""What microaggregation for t-closeness has in common: one ranked sensitive attribute, and merging in the end."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.merging import merge_nearest
from shoal.methods.microaggregation.microaggregation import as_partition
from shoal.microdata.histogram import Classes
from shoal.models import Model, Rule
from shoal.models.emd import Line
from shoal.problem import Problem, Solution

Formed = tuple[list[Ints], tuple[str, ...]]
"""Groups of rows, and what is to be said of how they were formed."""


class RankedMicroaggregation(Method):
    """Groups of near rows whose sensitive values are spread like the table's; what fails is merged.

    As long as a group fails, the one farthest from the table takes in the group whose mean is nearest.
    """

    guarantee: ClassVar[str | None] = None
    paper: ClassVar[str] = (
        "Soria-Comas, Domingo-Ferrer, Sanchez, Martinez: t-closeness through microaggregation: "
        "strict privacy with enhanced utility preservation, TKDE 2015"
    )
    models: ClassVar[str] = "t-closeness of one attribute by ordered or numeric distance, and monotone models"

    @abstractmethod
    def form(self, problem: Problem, model: Model, deadline: Deadline, progress: Progress) -> Formed:
        """Form groups of at least k rows."""

    def accepts(self, problem: Problem) -> list[str]:
        """Require t-closeness of one attribute whose values lie on a line; others must stay met in a merge."""
        reasons = [f"{model} is not monotone" for model in problem.models if not model.monotone]
        close = [model for model in problem.models if model.rule is Rule.CLOSENESS]
        if len(close) != 1 or not _is_ranked(problem, close[0]):
            return [*reasons, f"{problem.models} is not t-closeness of one attribute by ordered or numeric distance"]
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Form groups, merge those that the models refuse."""
        model = next(model for model in problem.models if model.rule is Rule.CLOSENESS)
        groups, notes = self.form(problem, model, deadline, progress)

        def farthest_first(classes: Classes) -> Floats:
            return np.round(model.level(classes), 12)

        partition = as_partition(groups, problem.rows)
        merged = merge_nearest(problem, partition, farthest_first, deadline=deadline, progress=progress)
        said = (*notes, f"{len(partition):,} groups were formed, {len(merged):,} classes are left of them")
        return self.solution(problem, merged, "feasible", notes=said)


def _is_ranked(problem: Problem, model: Model) -> bool:
    alone = len(model.attributes) == 1 and not model.given
    return alone and isinstance(model.ground(problem.values[model.attributes]), Line)
