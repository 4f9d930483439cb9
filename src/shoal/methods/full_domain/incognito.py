"""Incognito (LeFevre et al. 2005): all admitted levels, by ever larger sets of columns."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np

from shoal.core.arrays import Bools
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.full_domain.full_domain import FullDomain, lattice_refusals, searched
from shoal.methods.full_domain.lattice import Ground, Lattice, LatticeSearch, Verdicts, measure_of
from shoal.problem import Problem, Solution

Columns: TypeAlias = tuple[int, ...]


class Incognito(Method):
    """Guarantees `cost = optimum` over full-domain recodings, as `full-domain` does.

    Levels of some columns suffice if they do with all other columns at their highest. Two rules save most group-bys:

    - generalization: with a node every node above it suffices;
    - subset: levels of some columns can suffice only if they do for every part of these columns.

    So sets of columns are gone through by size, and in each the nodes that no smaller set rules out, from below. Both
    rules hold where merging keeps admitted classes admitted and no row is suppressed; and for suppressed rows where
    counting rows and values decides, since classes only grow. Of the levels that are left for all columns the cheapest
    are taken.
    """

    name: ClassVar[str] = "incognito"
    title: ClassVar[str] = "Incognito"
    guarantee: ClassVar[str | None] = "cost = optimum (over full-domain recodings)"
    condition: ClassVar[str] = FullDomain.condition
    running_time: ClassVar[str] = "O(d m) for each node looked at, d distinct tuples; exponential in m"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Incognito: efficient full-domain k-anonymity, SIGMOD 2005"
    models: ClassVar[str] = "any monotone model and conjunction; with suppressed rows k and distinct l"
    recoding: ClassVar[str | None] = "full-domain"

    def accepts(self, problem: Problem) -> list[str]:
        """Require the two rules."""
        reasons = lattice_refusals(problem)
        reasons += [f"{model} is not monotone" for model in problem.models if not model.monotone]
        if problem.may_suppress and not Verdicts(Ground(problem)).counting:
            reasons.append("with suppressed rows its rules hold for k and distinct l of one attribute only")
        return reasons or Lattice.of(problem.microdata).refusals

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Find all levels that suffice, then the cheapest of them; out of time, the cheapest known."""
        ground, lattice = Ground(problem), Lattice.of(problem.microdata)
        walk = Walk(ground, lattice)
        sufficing = walk.all_columns(deadline, progress)
        search = LatticeSearch(lattice, ground, measure_of(ground, lattice))
        search.look(len(lattice) - 1)
        search.dead |= ~sufficing.ravel()
        search.live = search.live[sufficing.ravel()[search.live]]
        notes = (f"{walk.looked:,} nodes of {2 ** len(lattice.heights) - 1:,} sets of columns were looked at before",)
        if walk.finished:
            return searched(self, search, deadline, progress, notes)
        return searched(self, search, Deadline.after(0), progress, notes)


class Walk:
    """Goes through sets of columns by size: which levels suffice for each."""

    def __init__(self, ground: Ground, lattice: Lattice) -> None:
        self.verdicts, self.lattice = Verdicts(ground), lattice
        self.most = ground.problem.may_suppress
        self.looked, self.finished = 0, True

    def all_columns(self, deadline: Deadline, progress: Progress) -> Bools:
        """Return which levels of all columns suffice; out of time, which may."""
        number = len(self.lattice.heights)
        known: dict[Columns, Bools] = {(): np.ones((), dtype=bool)}
        for size in range(1, number + 1):
            progress(0.9 * size / number, f"sets of {size} columns")
            for columns in combinations(range(number), size):
                known[columns] = self._sufficing(columns, self._candidates(columns, known), deadline)
                if not self.finished:
                    return np.ones(self.lattice.shape, dtype=bool)
            known = {columns: nodes for columns, nodes in known.items() if len(columns) == size}
        return known[tuple(range(number))]

    def _candidates(self, columns: Columns, known: dict[Columns, Bools]) -> Bools:
        """Return the levels of some columns that suffice for every part with a column less (the subset rule)."""
        nodes = np.ones([self.lattice.shape[j] for j in columns], dtype=bool)
        for place in range(len(columns)):
            nodes &= np.expand_dims(known[columns[:place] + columns[place + 1 :]], place)
        return nodes

    def _sufficing(self, columns: Columns, candidates: Bools, deadline: Deadline) -> Bools:
        """Return which of the candidates suffice, looking from below (the generalization rule)."""
        nodes, bottom = np.argwhere(candidates), np.array([self.lattice.bottom[j] for j in columns])
        sufficing = np.zeros_like(candidates)
        for places in nodes[np.argsort(nodes.sum(axis=1), kind="stable")]:
            if sufficing[tuple(places)]:
                continue
            if deadline.passed:
                self.finished = False
                return candidates
            if self._suffices(columns, (places + bottom).tolist()):
                sufficing[tuple(slice(place, None) for place in places)] = True
        return sufficing

    def _suffices(self, columns: Columns, levels: list[int]) -> bool:
        """Whether few enough rows fail at these levels, the other columns at their highest."""
        node = list(self.lattice.heights)
        for j, level in zip(columns, levels, strict=True):
            node[j] = level
        self.looked += 1
        return self.verdicts.at(tuple(node)).suppressed <= self.most
