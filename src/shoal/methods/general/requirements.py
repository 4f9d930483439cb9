"""What the models ask of a class, as compiled loops read it row by row; see `requirements_kernel`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.methods.general.requirements_kernel import LINE, TREE
from shoal.microdata.histogram import Values
from shoal.models import Model, Rule
from shoal.models.emd import Line, Tree
from shoal.patterns.checks import EQUAL, KINDS
from shoal.problem import Problem

MOST_LEAVES = 2_000
"""Values up to which distances up a tree of several levels are measured again and again."""
RARE, CLOSE_RARE = 1311, 164
"""Of 65,536 rows, those for which a class is opened or dissolved: one in fifty; one in 400 where classes of blocks are
close to the table: they are large, and on Adult that took most of the time and saved nothing."""


class Requirements(NamedTuple):
    """Requirements of a class as compiled loops read them, and their working memory."""

    rows: int
    most: int
    """Rows of a class that takes in no more: it could be cut in two."""
    usual: int
    """Rows from which a class is taken to be large, and opened the more often."""
    rare: int
    """Of 65,536 rows, those for which a class is opened or dissolved, and more in larger classes."""
    pool: int
    """Rows that a new class is made of, at most."""
    lines: Floats
    """For each model (kind, attribute, number, other)."""
    codes: Codes
    """Attribute by row."""
    alike: Ints
    """For each row a number by its values of all attributes."""
    decided: Ints
    """For each of these numbers, at which look it was decided last; below 0 if it was refused."""
    looks: Ints
    """How many looks there were."""
    shares: Floats
    """Attribute by value: what share of the table has it."""
    along: Floats
    """Of closeness along a line, up to each value but the last: the table's share; then, up to each value, how long the
    line is, and its part below the share."""
    lengths: Ints
    """How many values a line has."""
    up: Ints
    """Line by level by value: the block, of closeness up a tree."""
    extra: Floats
    counts: Ints
    sorted: Ints
    members: Ints
    opened: Ints


def unknown(problem: Problem) -> list[str]:
    """Return the models that loops cannot decide, as text."""
    return [str(model) for model in problem.models if not _is_known(model, problem)]


def _is_known(model: Model, problem: Problem) -> bool:
    if model.rule is Rule.ROWS:
        return True
    if model.given or model.rule not in KINDS:
        return False
    values = problem.values[model.attributes]
    if model.rule is not Rule.CLOSENESS or len(values.totals) <= MOST_LEAVES:
        return True
    ground = model.ground(values)
    return not isinstance(ground, Tree) or len(ground.up) == 1


def is_close(problem: Problem) -> bool:
    """Whether closeness to the table is asked for: classes are then larger than any of their requirements says."""
    return any(model.rule is Rule.CLOSENESS for model in problem.models)


def requirements(problem: Problem, order: Ints, usual: int) -> Requirements:
    """Read the models of a problem, its rows in some order; where they ask for closeness, a usual size of classes."""
    models = [model for model in problem.models if model.rule is not Rule.ROWS]
    names = sorted({model.attributes for model in models})
    read = [problem.values[name] for name in names]
    wide = max((len(values.totals) for values in read), default=1)
    close = [_ground(model, problem.values[model.attributes]) for model in models]
    high = max((len(up) for _, _, up in close), default=1)
    along, ups = np.zeros((len(models), 3, wide)), np.zeros((len(models), high, wide), np.int64)
    lines, lengths = np.zeros((len(models), 4)), np.zeros(len(models), np.int64)
    for place, (model, (kind, gap, up)) in enumerate(zip(models, close, strict=True)):
        number, other, *_ = (*map(float, model.rule_numbers), 0.0)
        lines[place] = kind, names.index(model.attributes), number, len(up) if kind == TREE else other
        ups[place, : len(up), : up.shape[1]] = up
        lengths[place] = gap.shape[1]
        along[place, :, : gap.shape[1]] = gap
    shares = np.zeros((len(names), wide))
    for place, values in enumerate(read):
        shares[place, : len(values.totals)] = values.totals / values.totals.sum()
    least, rows = problem.models.least_rows, len(order)
    alike = np.zeros(rows, np.int64)
    if read:
        alike = distinct_rows([values.codes[order] for values in read], [len(values.totals) for values in read])[0]
    return Requirements(
        least,
        2 * least - 1 if problem.models.count_rows_alone else rows,
        2 * max(least, usual if is_close(problem) else 0),
        CLOSE_RARE if is_close(problem) and problem.cells_are_blocks else RARE,
        max(96, 2 * least),
        lines,
        np.array([values.codes[order] for values in read], np.int32).reshape(len(read), rows),
        alike,
        np.zeros(int(alike.max()) + 1, np.int64),
        np.zeros(1, np.int64),
        shares,
        along,
        lengths,
        ups,
        np.zeros(wide),
        np.zeros(wide, np.int64),
        np.zeros(rows + 1, np.int64),
        np.zeros(rows + 1, np.int64),
        np.zeros(max(96, 2 * least) + 1, np.int64),
    )


def _ground(model: Model, values: Values) -> tuple[int, Floats, Ints]:
    """Return the kind of a model as loops know it, its line, and the levels of its tree.

    Any other metric is taken to be the equal distance, which is never less.
    """
    assert model.rule is not None
    kind, nothing = KINDS[model.rule], (np.zeros((3, 0)), np.zeros((0, 0), np.int64))
    if model.rule is not Rule.CLOSENESS:
        return (kind, *nothing)
    ground = model.ground(values)
    if isinstance(ground, Line):
        return LINE, _line(np.array([float(gap) for gap in ground.gaps]), values.totals), nothing[1]
    if isinstance(ground, Tree) and len(ground.up) > 1:
        return TREE, nothing[0], ground.up.astype(np.int64)
    return (EQUAL, *nothing)


def _line(gaps: Floats, totals: Ints) -> Floats:
    """Return a line as loops read it, of length 1: shares of the table, lengths, and the part below the shares."""
    gaps = gaps / (gaps.sum() or 1.0)
    shares = np.cumsum(totals) / totals.sum()
    below = np.cumsum(gaps * shares[:-1])
    return np.array([shares, np.append(0.0, np.cumsum(gaps)), np.append(0.0, below)])
