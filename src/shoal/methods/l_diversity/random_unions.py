"""Unions that are sometimes made without need, so that making them tells nothing (against the minimality attack)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, prod
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.hilbert_curve import hilbert_order
from shoal.microdata.dealt_values import least_chance
from shoal.microdata.partition import Partition
from shoal.models import Model, Rule
from shoal.problem import Problem, Solution

MOST_WAYS = 20_000
"""Unions with more ways to deal values to a part are always made."""


class RandomUnions(Method):
    """A heuristic for the cost, which keeps the promise of l-diversity against who knows how it works.

    An attacker who knows that nothing is generalized without need learns from what is: some part of the class, people
    with equal quasi-identifiers, was not l-diverse (minimality; Wong et al. 2007). Here quasi-identifiers alone decide
    which parts may be joined: parts that follow each other along the Hilbert curve are a block as soon as they have b
    rows. A block is published

    - as one class, where a part of it has fewer rows than k or l, which everybody knows;
    - as one class, where a part of it is not l-diverse;
    - else as one class with probability q, and part by part with 1 - q.

    q is the least probability that leaves nobody in the class surer of a value than 1/l who knows all this, the block
    and q included (`shoal.microdata.dealt_values`); where it would take long to find, 1. The number b is twice the rows
    that a class needs, doubled until every block is l-diverse: the only thing that the sensitive values of all people
    together decide. The seed must be a secret: who knows it knows what was drawn.
    """

    name: ClassVar[str] = "random-unions"
    title: ClassVar[str] = "random unions"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n log n), and the ways to deal values to the parts of each block, up to a limit"
    paper: ClassVar[str] = "against Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing, 2007"
    models: ClassVar[str] = "l-diversity by frequency of one sensitive attribute, with or without k"

    def accepts(self, problem: Problem) -> list[str]:
        """Require l-diversity of one attribute, and classes that are published with cells of their own."""
        if problem.global_recoding_refusal:
            return [problem.global_recoding_refusal]
        if problem.recoding_kind.two_tables:
            return ["two tables generalize nothing"]
        if problem.uses_surrogates:
            return ["it decides the models of rows alone"]
        diverse = _diversity(problem)
        if len(diverse) != 1 or diverse[0].given:
            return ["it is for l-diversity of one attribute"]
        return [f"{model} is another model" for model in problem.models if model.rule not in (Rule.ROWS, Rule.SHARE)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Form blocks, and publish each as one class or part by part."""
        block_of_tuple = _blocks(problem)
        (model,) = _diversity(problem)
        least, promised = problem.models.least_rows, model.rule_numbers[0]
        draw, labels, joined = np.random.default_rng(seed), problem.microdata.tuple_of_row.copy(), 0
        blocks = np.unique(block_of_tuple)
        for number in blocks.tolist():
            progress(number / len(blocks), "joining parts")
            parts, drawn = np.flatnonzero(block_of_tuple == number), draw.random()
            if len(parts) > 1 and (deadline.passed or _joins(problem, model, parts, least, promised, drawn)):
                labels[np.isin(problem.microdata.tuple_of_row, parts)] = parts[0]
                joined += 1
        notes = (f"{joined:,} of {len(blocks):,} blocks are published as one class, some of them without need",)
        return self.solution(problem, Partition.of(labels), "feasible", notes=notes)


def _diversity(problem: Problem) -> list[Model]:
    """Return the models that cap the share of a value."""
    return [model for model in problem.models if model.rule is Rule.SHARE]


def _blocks(problem: Problem) -> Ints:
    """Return the block of each distinct tuple: along the curve, in blocks of ever more rows until all are admitted."""
    order, counts = hilbert_order(problem.microdata), problem.microdata.counts
    rows = 2 * problem.models.least_rows
    while True:
        blocks = np.empty(len(order), dtype=np.int64)
        blocks[order] = _filled(counts[order], rows)
        labels = blocks[problem.microdata.tuple_of_row]
        classes = problem.classes(Partition.of(labels))
        if rows >= problem.rows or problem.models.admits(classes).all():
            return blocks
        rows *= 2


def _filled(counts: Ints, rows: int) -> Ints:
    """Return the block of each of some parts in order: closed as soon as it has so many rows; the rest joins the last.

    >>> _filled(np.array([2, 3, 5, 1, 1]), 4).tolist()
    [0, 0, 1, 1, 1]
    """
    blocks, block, held = [], 0, 0
    for count in counts.tolist():
        if held >= rows:
            block, held = block + 1, 0
        blocks.append(block)
        held += count
    found = np.array(blocks)
    if held < rows and block:
        found[found == block] = block - 1
    return found


def _joins(problem: Problem, model: Model, parts: Ints, least: int, promised: Fraction, drawn: float) -> bool:
    """Whether a block is published as one class."""
    sizes = problem.microdata.counts[parts]
    if int(sizes.min()) < max(least, ceil(promised)):
        return True
    rows = np.flatnonzero(np.isin(problem.microdata.tuple_of_row, parts))
    of_part = np.searchsorted(parts, problem.microdata.tuple_of_row[rows])
    classes = problem.candidates(rows, of_part, len(parts))
    if not model.admits(classes).all():
        return True
    counts = np.bincount(problem.values[model.attributes].codes[rows])
    return drawn < chance(tuple(sizes.tolist()), tuple(counts[counts > 0].tolist()), promised)


def chance(sizes: tuple[int, ...], counts: tuple[int, ...], promised: Fraction) -> Fraction:
    """Return the probability of joining parts that need not be joined, by what the class then shows."""
    if len(sizes) * prod(count + 1 for count in counts) > MOST_WAYS:
        return Fraction(1)
    return least_chance(tuple(sorted(sizes)), tuple(sorted(counts)), promised)
