"""Intersection (Ganta et al. 2008): a person is in two releases, and only one value fits both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import LINKABILITY, NO_SECRET, Attack, Outcome
from shoal.attacks.crowds import shared_values
from shoal.attacks.scene import Scene
from shoal.core.arrays import Bools


@dataclass(frozen=True)
class Intersection(Attack):
    """Guarantees that `after` counts the people whose own value is the only one that candidates of both releases have.

    The attacker knows that a person is in both. So is taken to be who is in the first release and has candidates with
    their own value in the second (figure `in_both`). `first_alone` and `second_alone` are the people whom one release
    gives away by itself (homogeneity).
    """

    name: ClassVar[str] = "intersection"
    meaning: ClassVar[str] = "only one sensitive value is among the candidates of both releases"
    knows: ClassVar[str] = "all quasi-identifiers, and that the person is in both releases"
    excluded_by: ClassVar[str] = "m-invariance of both releases together"
    criterion: ClassVar[str] = LINKABILITY
    needs_other: ClassVar[bool] = True
    gains: ClassVar[str] = "learns {attribute} of {people} for certain from both together"

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Take a second release with a sensitive column of the first."""
        if scene.other is None:
            return {None: "no second release was given (--with DIR)"}
        if not scene.sensitive:
            return {None: NO_SECRET}
        missing = (name for name in scene.sensitive if name not in scene.shared)
        return dict.fromkeys(missing, "it is not sensitive in the second release, or masked otherwise there")

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Intersect what the candidates of two releases have."""
        assert scene.other is not None
        for name in scene.shared:
            found = together(scene, name)
            first, hits = scene.crowds()[0], scene.after.hits
            figures = {
                "in_both": hits(found.there),
                "first_alone": hits(found.first & found.there),
                "second_alone": hits(found.second & found.there),
            }
            before, after = first.view.hits(first.secret(name).is_certain), hits(found.both)
            yield self.outcome(scene, before, after, scene.way, attribute=name, figures={**figures})


@dataclass(frozen=True, eq=False)
class Together:
    """Of each person of the first release, whether their value is certain."""

    there: Bools
    """Whether candidates of theirs in the second release have it at all."""
    first: Bools
    second: Bools
    both: Bools
    """From the two together."""

    @property
    def newly(self) -> Bools:
        """From the two together, and from neither alone."""
        return self.both & ~self.first & ~self.second


def together(scene: Scene, name: str) -> Together:
    """Return whose value of a sensitive attribute two releases give away."""
    first, second = scene.crowds()[1], scene.crowd_of_other
    one, other = first.secret(name), second.secret(name)
    there: Bools = other.own > 0
    value, number = shared_values(first, second, name)
    both = (number == 1) & (value == first.view.own_secrets[name]) & there
    return Together(there, one.is_certain, other.is_certain, both)
