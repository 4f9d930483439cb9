"""Homogeneity (Machanavajjhala et al. 2006): whoever of the candidates it is, the sensitive value is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.scene import Scene


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Guarantees that `after` counts the people all of whose candidates have the person's own value."""

    name: ClassVar[str] = "homogeneity"
    meaning: ClassVar[str] = "all candidates have the same sensitive value"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "l >= 2 in any form; t below 1 - the largest share, equal distance; delta"

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people whose value is certain."""
        for name in scene.sensitive:
            before, after = (int(crowd.secret(name).is_certain.sum()) for crowd in scene.crowds())
            yield self.outcome(scene, before, after, scene.way, attribute=name)
