"""Asking for less: the requirement nearest to what was asked that some release of the table meets.

A requirement can be met if all rows together, as one class, meet every model. So each model that they fail is asked
for less, one number at a time, as little less as helps, and decided in exact arithmetic by the model itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

from shoal.core.errors import Infeasible
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.models import Model, Models
from shoal.models.requirement import as_models
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

STEPS = 100
"""Numbers that need not be whole are looked for in hundredths."""


def eased(table: Table, request: Request) -> tuple[str, ...] | None:
    """Return a requirement that some release meets, as near to the one asked for as can be; None if none is known."""
    models = as_models(request.require)
    laxest = Models(tuple(with_numbers(model, least(model)) for model in models))
    problem = prepare(table, replace(request, require=laxest, coarsen=None)).problem
    whole = OneClass(problem.classes(Partition.whole(problem.rows)), problem.rows)
    found = [eased_model(model, whole.admits) for model in models]
    return None if None in found else tuple(str(model) for model in found)


@dataclass(frozen=True, eq=False)
class OneClass:
    """All rows as one class."""

    classes: Classes
    rows: int

    def admits(self, model: Model) -> bool:
        """Whether they meet a model, or what methods work with in its place."""
        try:
            return bool(model.surrogate(self.rows).admits(self.classes)[0])
        except Infeasible:
            return False


def eased_model(model: Model, admits: Callable[[Model], bool]) -> Model | None:
    """Return the model, or one with as few numbers as possible changed, each as little as helps; None if none helps.

    >>> from shoal.models import KAnonymity
    >>> str(eased_model(KAnonymity(50), lambda model: model.limit <= 12))
    'k=12'
    """
    asked, laxest = list(model.asked), least(model)
    for size in range(len(asked) + 1):
        for chosen in combinations(range(len(asked)), size):
            numbers = [laxest[place] if place in chosen else number for place, number in enumerate(asked)]
            if admits(with_numbers(model, numbers)):
                for place in reversed(chosen):
                    numbers[place] = _nearest(model, numbers, place, admits)
                return with_numbers(model, numbers)
    return None


def _nearest(model: Model, numbers: list[Fraction], place: int, admits: Callable[[Model], bool]) -> Fraction:
    """Return the number nearest to the one asked for at which the model is met, the others as they are."""
    steps = 1 if model.parameters[place].whole else STEPS
    good, bad = numbers[place] * steps, model.asked[place] * steps
    good, bad = Fraction(good), Fraction(ceil(bad) if bad > good else floor(bad))
    while abs(bad - good) > 1:
        middle = Fraction((good + bad) // 2)
        tried = [*numbers[:place], middle / steps, *numbers[place + 1 :]]
        good, bad = (middle, bad) if admits(with_numbers(model, tried)) else (good, middle)
    return good / steps


def least(model: Model) -> list[Fraction]:
    """Return the numbers that ask for as little as can be."""
    return [Fraction(number) for number in model.least_asked]


def with_numbers(model: Model, numbers: list[Fraction]) -> Model:
    """Return the model with other numbers."""
    names = [parameter.name for parameter in model.parameters]
    return replace(model, **dict(zip(names, numbers, strict=True)))  # type: ignore[type-var]
