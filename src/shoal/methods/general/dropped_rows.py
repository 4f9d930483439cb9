"""Which rows to leave out when all rows together cannot be published at all.

A dropped row costs as much as a fully starred one, so rows are dropped only where that is allowed (`max_dropped`) and
without it some model refuses even the whole table as one class: then the commonest sensitive values are cut to the
largest height that the models admit, the rows with the rarest quasi-identifiers first.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Values
from shoal.microdata.partition import Partition
from shoal.models import Model
from shoal.problem import Problem, infeasible

MOST_CHOICES = 500
"""How many choices of rows to drop are tried one by one."""


def rows_to_keep(problem: Problem) -> Ints:
    """Return the rows to publish: all, if the models can be met.

    Raises `Infeasible` where no choice of as many rows as may be dropped can help, and `Unsupported` where none was
    found but that is not proved: several models at once may need other rows than each of them alone.
    """
    kept = np.arange(problem.rows)
    while True:
        part = problem if len(kept) == problem.rows else problem.of_rows(kept)
        whole = part.classes(Partition.whole(part.rows))
        failing = [model for model in part.models if model.monotone and not model.admits(whole)[0]]
        if not failing:
            return kept
        for model in failing if part is problem else ():
            if _is_hopeless(problem, model):
                raise infeasible(model, whole)
        trimmed = _trimmed(part, failing[0])
        if trimmed is None or problem.rows - len(kept[trimmed]) > problem.may_drop:
            return _by_trying(problem, failing[0])
        kept = kept[trimmed]


def _by_trying(problem: Problem, failing: Model) -> Ints:
    """Return what is left by the smallest choice of rows to drop, where there are few choices to try."""
    if sum(comb(problem.rows, dropped) for dropped in range(problem.may_drop + 1)) > MOST_CHOICES:
        raise Unsupported(
            f"no choice of up to {problem.may_drop:,} rows to drop was found with which the others meet {failing}",
            hint="allow more rows to be dropped, or ask for less",
        )
    order = np.argsort(problem.microdata.identity, kind="stable")
    for dropped in range(1, min(problem.may_drop, problem.rows - 1) + 1):
        for chosen in combinations(range(problem.rows), dropped):
            kept = np.sort(np.delete(order, chosen))
            part = problem.of_rows(kept)
            if part.models.admits(part.classes(Partition.whole(part.rows)))[0]:
                return kept
    raise infeasible(failing, problem.classes(Partition.whole(problem.rows)))


def _is_hopeless(problem: Problem, model: Model) -> bool:
    """Whether it is proved that dropping rows cannot make the table meet the model."""
    if problem.may_drop == 0 or not model.attributes:
        return True
    if model.given or type(model).largest is Model.largest:  # nothing is known of parts of the table
        return False
    largest = model.largest(problem.values[model.attributes].totals)
    return largest is None or problem.rows - int(largest.sum()) > problem.may_drop


def _trimmed(problem: Problem, model: Model) -> Ints | None:
    """Return the rows of the largest part that the model admits; None if it admits none."""
    if not model.attributes or model.given:
        return None
    values = problem.values[model.attributes]
    target = model.largest(values.totals)
    if target is None or not target.any():
        return None
    return np.flatnonzero(_rank_in_value(problem, values) < target[values.codes])


def _rank_in_value(problem: Problem, values: Values) -> Ints:
    """Number the rows of each sensitive value, those with the commonest quasi-identifiers first."""
    microdata = problem.microdata
    order = np.lexsort((microdata.identity, -microdata.counts[microdata.tuple_of_row], values.codes))
    starts = np.concatenate([[0], np.cumsum(values.totals)])
    rank = np.empty(problem.rows, dtype=np.int64)
    rank[order] = np.arange(problem.rows) - starts[values.codes[order]]
    return rank
