"""Intersection (Ganta et al. 2008): a person is in two releases, and only one value fits both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.crowds import Crowd, shared_values


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
    excluded_by: ClassVar[str] = "- (of one release alone); m-invariance of both together"
    needs_other: ClassVar[bool] = True

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Intersect what the candidates of two releases have."""
        assert scene.other is not None
        raw, first = scene.crowds()
        second = Crowd(scene.after_other)
        for name in (name for name in scene.sensitive if name in scene.other.sensitive):
            spreads = [crowd.secret(name) for crowd in (raw, first, second)]
            alone = [spread.is_certain for spread in spreads]
            there = spreads[2].own > 0
            value, number = shared_values(first, second, name)
            hit = (number == 1) & (value == first.sight.own_secrets[name]) & there
            yield self.outcome(
                scene,
                int(alone[0].sum()),
                int(hit.sum()),
                first.way,
                attribute=name,
                figures={
                    "in_both": int(there.sum()),
                    "first_alone": int((alone[1] & there).sum()),
                    "second_alone": int((alone[2] & there).sum()),
                },
            )
