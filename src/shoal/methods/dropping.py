"""Which rows to leave out when all rows together cannot be published at all.

A dropped row costs as much as a fully starred one, so rows are dropped only where that is allowed (`max_dropped`) and
without it some model refuses even the whole table as one class: then the commonest sensitive values are cut to the
largest height that the models admit, the rows with the rarest quasi-identifiers first.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints
from shoal.histogram import Values
from shoal.models import Model
from shoal.partition import Partition
from shoal.problem import Problem, infeasible


def rows_to_keep(problem: Problem) -> Ints:
    """Return the rows to publish: all, if the models can be met; raise `Infeasible` if dropping cannot help either."""
    kept = np.arange(problem.rows)
    while True:
        part = problem if len(kept) == problem.rows else problem.of_rows(kept)
        whole = part.classes(Partition.whole(part.rows))
        failing = [model for model in part.models if model.monotone and not model.admits(whole)[0]]
        if not failing:
            return kept
        trimmed = _trimmed(part, failing[0])
        if trimmed is None or problem.rows - len(kept[trimmed]) > problem.may_drop:
            raise infeasible(failing[0], problem.classes(Partition.whole(problem.rows)))
        kept = kept[trimmed]


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
