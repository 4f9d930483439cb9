"""t-Incognito (Li et al. 2007): Incognito for t-closeness."""

from __future__ import annotations

from typing import ClassVar

from shoal.methods.full_domain.incognito import Incognito
from shoal.models import Rule
from shoal.problem import Problem


class TIncognito(Incognito):
    """Guarantees `cost = optimum` over full-domain recodings that are t-close, if the search ends in time.

    Both rules of Incognito hold for t-closeness: the distance of a union from the whole table is no more than the
    largest of its parts', because the Earth Mover's Distance is convex, and coarser levels or fewer columns only unite
    classes. Suppressed rows would break the second, so there are none.
    """

    name: ClassVar[str] = "t-incognito"
    title: ClassVar[str] = "t-Incognito"
    paper: ClassVar[str] = (
        "Li, Li, Venkatasubramanian: t-Closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007"
    )
    models: ClassVar[str] = "t-closeness, with any other monotone model"

    def accepts(self, problem: Problem) -> list[str]:
        """Require t-closeness among the models."""
        close = any(model.rule is Rule.CLOSENESS for model in problem.models)
        return [*super().accepts(problem), *([] if close else ["it is for t-closeness; use incognito"])]
