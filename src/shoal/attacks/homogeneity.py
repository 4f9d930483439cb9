"""Homogeneity (Machanavajjhala et al. 2006): whoever of the candidates it is, the sensitive value is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import Threshold


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Guarantees that `after` counts the people all of whose candidates have the person's own value."""

    name: ClassVar[str] = "homogeneity"
    meaning: ClassVar[str] = "all candidates have the same sensitive value"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "l >= 2 in any form; t below 1 - the largest share, equal distance; delta"
    gains: ClassVar[str] = "learns {attribute} of {people} for certain"

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people whose value is certain."""
        for name in scene.sensitive:
            before, after = (crowd.view.hits(crowd.secret(name).is_certain) for crowd in scene.crowds())
            yield self.outcome(scene, before, after, scene.way, attribute=name, threshold=promised(scene, name))


def promised(scene: Scene, name: str, values: int = 2, known: str | None = None) -> Threshold | None:
    """Return the threshold 0 where a model asks for so many values of an attribute, maybe for who knows another one."""
    return Threshold.excluded(
        scene.shown.models,
        lambda one: one.attributes == (name,) and one.least_values >= values and (known is None or known in one.given),
    )
