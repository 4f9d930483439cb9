"""Top-down specialization (Fung, Wang and Yu 2005): one cut through each hierarchy, refined where it tells most.

For l-diversity as Xiao, Yi and Tao 2010, section 6.2, compare it with TP+.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.methods.base import Deadline, Method, Progress
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.patterns import pattern_hierarchies
from shoal.problem import Problem, Solution

MOST_LAID_OUT = 10_000_000
"""Parts times sensitive values up to which their counts are laid out as a table."""


class TopDownSpecialization(Method):
    """A heuristic. One cut for the whole table through each hierarchy: a value is in the same block in every row.

    It begins with the roots. As long as there is a block of a cut whose children can take its place so that every class
    still meets every model, the one with the largest

        information gain / (1 + anonymity lost)

    is replaced. The gain is that about the first sensitive attribute that is asked of; anonymity is the size of the
    smallest class, or for l-diversity its rows per row of the commonest value. Where nothing gains, that which loses
    least anonymity is.

    Single-dimensional recoding publishes the blocks of the cuts; other recodings the cells that its classes have there,
    which lie inside the blocks of the cuts.
    """

    name: ClassVar[str] = "tds"
    title: ClassVar[str] = "top-down specialization"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n) for each block that is tried"
    paper: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization for information and privacy preservation, ICDE 2005"
    models: ClassVar[str] = "any model that the whole table meets"
    recoding: ClassVar[str | None] = "single-dimensional"

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models, and that the rows of a class decide them."""
        if problem.recoding_kind.one_level:
            return [problem.global_recoding_refusal]
        open_ = problem.global_recoding_refusal and (problem.uses_surrogates or problem.models.needs_population)
        undecided = [f"the rows of a class alone do not decide {problem.required}"] if open_ else []
        return [*undecided, *problem.refused_as_one()]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Refine the cuts until nothing more is allowed, or time is over."""
        cuts = Cuts.of(problem)
        while (best := cuts.best(deadline)) is not None:
            cuts.specialize(best)
            progress(1 - len(cuts.open) / max(cuts.tried, 1), "specializing")
        note = f"{cuts.replaced:,} blocks replaced by their children"
        return self.solution(problem, Partition.of(cuts.class_of_row), "feasible", notes=(note,))


@dataclass(frozen=True, order=True)
class Block:
    """A block of a cut: which hierarchy, level, and number there."""

    attribute: int
    level: int
    number: int


@dataclass(eq=False)
class Cuts:
    """One cut through each hierarchy, the classes that they make, and the blocks that may still be replaced."""

    problem: Problem
    up: list[Codes]
    """Attribute by attribute, level by row: the block."""
    sensitive: Ints | None
    class_of_row: Ints
    anonymity: Floats
    """By the number of a class; numbers of classes that were split are not used again."""
    open: dict[Block, float] = field(default_factory=dict)
    """Blocks with children, and the information that replacing them gains."""
    tried: int = 0
    replaced: int = 0

    @classmethod
    def of(cls, problem: Problem) -> Cuts:
        """Begin with the roots."""
        microdata = problem.microdata
        hierarchies = pattern_hierarchies(problem)
        up = [h.up[:, column.codes] for h, column in zip(hierarchies, microdata.quasi, strict=True)]
        read = [name for model in problem.models for name in model.attributes] or list(microdata.roles.sensitive)
        sensitive = microdata.attribute(read[0]).codes.astype(np.int64) if read else None
        whole = Partition.whole(problem.rows)
        cuts = cls(problem, up, sensitive, whole.class_of_row, _anonymity(problem, problem.classes(whole)))
        for attribute, hierarchy in enumerate(hierarchies):
            cuts._offer(Block(attribute, hierarchy.height, 0))
        return cuts

    def _offer(self, block: Block) -> None:
        """Let a block be replaced later, from the lowest level at which it is still the same."""
        if block.level == 0:
            return
        up = self.up[block.attribute]
        inside = np.flatnonzero(up[block.level] == block.number)
        level = block.level
        while level > 0 and (up[level - 1, inside] == up[level - 1, inside[0]]).all():
            level -= 1
        if level > 0:
            lowest = Block(block.attribute, level, int(up[level, inside[0]]))
            self.open[lowest] = self._gain(inside, up[level - 1, inside])
            self.tried += 1

    def _gain(self, rows: Ints, children: Codes) -> float:
        """Return the information about the sensitive attribute that the children of a block give."""
        if self.sensitive is None:
            return 0.0
        parts = np.unique(children, return_inverse=True)[1]
        values = self.sensitive[rows]
        sizes, totals = np.bincount(parts), np.bincount(values)
        if len(sizes) * len(totals) > MOST_LAID_OUT:
            after = _entropies_of_pairs(parts, values, len(totals))
        else:
            table = np.zeros((len(sizes), len(totals)))
            np.add.at(table, (parts, values), 1)
            after = _entropies(table)
        return max(float(_entropies(totals[None])[0]) - float((after * sizes).sum()) / len(rows), 0.0)

    def best(self, deadline: Deadline) -> Block | None:
        """Return the block to replace; None where there is none, or time is over.

        Blocks that must not be replaced are given up, as they cannot be later either.

        A score is never above its gain, so blocks are looked at by falling gain until none can be better.
        """
        found: tuple[float, float, Block] | None = None
        for block, gain in sorted(self.open.items(), key=lambda item: (-item[1], item[0])):
            if found is not None and gain < found[0]:
                break
            if deadline.passed:
                return None
            lost = self._lost(block)
            if lost is None:
                self._give_up(block)
                continue
            score = (gain / (1 + lost), -lost, block)
            if found is None or score[:2] > found[:2]:
                found = score
        return None if found is None else found[2]

    def _give_up(self, block: Block) -> None:
        """Leave a block as it is; where merging can break a model, it may still be tried after others."""
        if all(model.monotone for model in self.problem.models):
            del self.open[block]

    def _split(self, block: Block) -> tuple[Ints, Ints]:
        """Return the rows of the classes that a block is in, and their classes once its children take its place."""
        up = self.up[block.attribute]
        rows = np.flatnonzero(up[block.level] == block.number)
        children = up[block.level - 1, rows]
        sizes = [len(self.anonymity), int(children.max()) + 1]
        return rows, distinct_rows([self.class_of_row[rows], children], sizes)[0]

    def _classes(self, rows: Ints, labels: Ints) -> Classes:
        return self.problem.candidates(rows, labels, int(labels.max()) + 1)

    def _lost(self, block: Block) -> float | None:
        """Return how much anonymity replacing a block would cost; None where a class would not meet the models."""
        rows, labels = self._split(block)
        classes = self._classes(rows, labels)
        if not self.problem.models.admits(classes).all():
            return None
        before = self.anonymity[self.class_of_row[rows]].min()
        return max(float(before - _anonymity(self.problem, classes).min()), 0.0)

    def specialize(self, block: Block) -> None:
        """Let the children of a block take its place."""
        rows, labels = self._split(block)
        self.class_of_row[rows] = len(self.anonymity) + labels
        self.anonymity = np.append(self.anonymity, _anonymity(self.problem, self._classes(rows, labels)))
        del self.open[block]
        children = np.unique(self.up[block.attribute][block.level - 1, rows]).tolist()
        self.replaced += 1
        for child in children:
            self._offer(Block(block.attribute, block.level - 1, child))


def _anonymity(problem: Problem, classes: Classes) -> Floats:
    """Return the anonymity of classes: their size, or rows per row of the commonest value."""
    diverse = [model for model in problem.models if model.rule is Rule.SHARE and model.larger_is_stricter]
    return diverse[0].level(classes) if diverse else np.bincount(classes.class_of_row).astype(np.float64)


def _entropies_of_pairs(parts: Ints, values: Ints, number: int) -> Floats:
    """Return the entropy of the values in each part, in bits, without a table of parts by values."""
    pairs, counts = np.unique(parts * number + values, return_counts=True)
    shares = counts / np.bincount(parts)[pairs // number]
    entropies: Floats = np.bincount(pairs // number, weights=-shares * np.log2(shares)).astype(np.float64)
    return entropies


def _entropies(table: Floats | Ints) -> Floats:
    """Return the entropy of each row of counts, in bits."""
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    logs = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    entropies: Floats = -(shares * logs).sum(axis=1)
    return entropies
