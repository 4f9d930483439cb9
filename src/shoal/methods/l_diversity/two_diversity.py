"""Optimal 2-diversity by simplex matching (Liang and Yuan 2013, Theorem 11)."""

from __future__ import annotations

from typing import ClassVar

from shoal.bounds.hierarchy_losses import distance_refusals
from shoal.methods.k_anonymity.simplex import Points
from shoal.methods.k_anonymity.simplex_matching import MOST_TYPES, SimplexMatching
from shoal.models import Rule
from shoal.problem import Problem

MOST_ROWS = MOST_TYPES
"""Rows that are matched: those of one tuple and value are no pair, so each is a vertex of its own."""


class TwoDiversity(SimplexMatching):
    """Guarantees `cost = optimum` for 2-diversity by frequency of one sensitive attribute, if solved to the end.

    In a class of four rows or more of which no value has more than half, a row of the commonest and one of the second
    commonest value can be taken out as a pair, and no value has more than half of the others; so pairs and triples are
    enough. The same matching as for 2-anonymity, where the rows of a pair or triple differ in the sensitive value, in
    polynomial time where few moves are left to try, else by a program; up to 3,000 rows.
    """

    name: ClassVar[str] = "two-diversity"
    title: ClassVar[str] = "2-diversity by simplex matching"
    running_time: ClassVar[str] = "seconds for hundreds of rows, minutes for two thousand; at most 3,000"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 11"
    )
    models: ClassVar[str] = "2-diversity by frequency of one sensitive attribute, with k up to 2"

    def accepts(self, problem: Problem) -> list[str]:
        """Require l = 2 for one attribute, a cost that rises along hierarchies, and few rows."""
        too_many = [f"{problem.rows:,} rows are more than {MOST_ROWS:,}"] if problem.rows > MOST_ROWS else []
        return self.refused(problem) or too_many

    def refused(self, problem: Problem) -> list[str]:
        """Return the reasons why rows in pairs and triples of different values say nothing of the problem."""
        diverse = [model for model in problem.models if model.rule is Rule.SHARE]
        others = [model for model in problem.models if model.rule not in (Rule.SHARE, Rule.ROWS)]
        fits = len(diverse) == 1 and diverse[0].limit == 2 and len(diverse[0].attributes) == 1
        if not fits or diverse[0].given or others or problem.models.least_rows != 2:
            return [f"{problem.models} is not 2-diversity of one attribute"]
        return distance_refusals(problem)

    def points(self, problem: Problem) -> Points:
        """Return what is matched: rows with their sensitive values."""
        attribute = next(model.attributes[0] for model in problem.models if model.rule is Rule.SHARE)
        return Points.of(problem, sensitive=attribute)
