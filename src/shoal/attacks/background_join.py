"""Background join: who knows one sensitive value of a person learns another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.homogeneity import Homogeneity, promised
from shoal.attacks.scene import Scene


@dataclass(frozen=True)
class BackgroundJoin(Attack):
    """Guarantees that `after` counts the people whose candidates with the known value all have the person's own other.

    An outcome for each ordered pair of sensitive attributes: the one is known, the other learnt. Of two tables, values
    are known by group, so the candidates are those of the groups that have the known value.
    """

    name: ClassVar[str] = "background-join"
    meaning: ClassVar[str] = "all candidates with the sensitive value that is known have the same other one"
    knows: ClassVar[str] = "all quasi-identifiers, and another sensitive value"
    excluded_by: ClassVar[str] = "l(a|b) >= 2 in any form, t(a|b): the others are counted as quasi-identifiers"
    gains: ClassVar[str] = Homogeneity.gains

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Take a release with two sensitive columns or more."""
        return {None: "the release has fewer than two sensitive columns"} if len(scene.sensitive) < 2 else {}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people whose other value is certain."""
        for known in scene.sensitive:
            crowds = scene.crowds(given=known)
            for learnt in (name for name in scene.sensitive if name != known):
                before, after = (crowd.view.hits(crowd.secret(learnt).is_certain) for crowd in crowds)
                yield self.outcome(
                    scene,
                    before,
                    after,
                    crowds[1].way,
                    attribute=learnt,
                    knows=f"all quasi-identifiers, and {known}",
                    figures={"known": known},
                    threshold=promised(scene, learnt, known=known),
                )
