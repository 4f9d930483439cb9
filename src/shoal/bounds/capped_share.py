"""Capped share: what a cap on the share of one value costs two tables (Xiao and Tao 2006, sharpened)."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from shoal.bounds.base import Bound
from shoal.bounds.residue import diversity
from shoal.problem import Problem


class CappedShare(Bound):
    """Holds for the reconstruction error where a sensitive value may fill at most 1/l of a group: l and alpha = 1/l.

    A group G costs `|G| - sum c^2 / |G|`. Counts are whole, so every c is at most `floor(|G| / l)`, and
    `sum c^2 <= floor(|G| / l) sum c = floor(|G| / l) |G|`. Over all groups the floors add up to at most `floor(n / l)`:
    `optimum >= n - floor(n / l)`, as a mean `optimum >= 1 - floor(n / l) / n`. (The paper has n (1 - 1/l), which is
    less where l does not divide n.)

    Where models read several columns jointly, or one with others known, combinations of all sensitive columns are
    capped all the more. A dropped row pays 1, no less than what it adds to n - floor(n / l). Of several models the
    largest l counts.
    """

    name: ClassVar[str] = "capped-share"
    title: ClassVar[str] = "capped share"
    meaning: ClassVar[str] = "a value fills at most 1/l of a group, so at most n / l rows can be reconstructed"

    def accepts(self, problem: Problem) -> list[str]:
        """Require the reconstruction error, and a model that caps the share of one value."""
        reasons = []
        if problem.cost.name != "reconstruction":
            reasons.append("it applies to the reconstruction error only")
        if all(diversity(model) is None for model in problem.bounding):
            reasons.append("no model caps the share of one sensitive value")
        return reasons

    def of(self, problem: Problem) -> float:
        """Return 1 - floor(n / l) / n."""
        least = max(l for model in problem.bounding if (l := diversity(model)) is not None)  # noqa: E741 - the paper's
        return (problem.rows - int(Fraction(problem.rows) / least)) / problem.rows
