"""Background knowledge (Machanavajjhala et al. 2006): values that the attacker rules out leave one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.homogeneity import Homogeneity, promised
from shoal.attacks.scene import Scene


@dataclass(frozen=True)
class Background(Attack):
    """Guarantees that `after` counts the people of whom j values ruled out leave the own value alone.

    The attacker rules out the j values that help most: a person is hit whose candidates have at most j + 1 values. An
    outcome for each j from 1 to `excluded` that leaves two values of the attribute or more; with none ruled out it is
    homogeneity.
    """

    name: ClassVar[str] = "background"
    meaning: ClassVar[str] = "all candidates but those with j values that are ruled out have the same sensitive value"
    knows: ClassVar[str] = "all quasi-identifiers, and j values that the person does not have"
    excluded_by: ClassVar[str] = "l or distinct-l >= j + 2"
    gains: ClassVar[str] = Homogeneity.gains

    excluded: int = 3

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Leave out attributes of two values: with one ruled out, nothing is left to learn."""
        few = (name for name in scene.sensitive if len(scene.domains[name]) < 3)
        return {**super().untried(scene), **dict.fromkeys(few, "it has fewer than three values")}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people with few values among their candidates."""
        for name in scene.sensitive:
            spreads = [crowd.secret(name, cap=self.excluded + 2) for crowd in scene.crowds()]
            for j in range(1, min(self.excluded, len(scene.domains[name]) - 2) + 1):
                before, after = (
                    crowd.view.hits(((one.distinct <= j + 1) & (one.own > 0)) | one.is_certain)
                    for crowd, one in zip(scene.crowds(), spreads, strict=True)
                )
                said = f"all quasi-identifiers, and {j} value{'s' * (j > 1)} that the person does not have"
                yield self.outcome(
                    scene,
                    before,
                    after,
                    scene.way,
                    attribute=name,
                    knows=said,
                    figures={"excluded": j},
                    threshold=promised(scene, name, j + 2),
                )
