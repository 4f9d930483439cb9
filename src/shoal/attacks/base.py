"""The contract of an attack: what the attacker knows, what a hit is, and which models exclude it.

An attack is a frozen dataclass of parameters in a file of its own. It works from the cells of a release and from what
the attacker is taken to know of the original rows. The truth is used for one thing: to count whom it hits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from shoal.attacks.scene import Scene

LINKABILITY, INFERENCE = "linkability", "inference"
"""The question of the European data-protection authorities that an attack is about, besides singling out."""

Figure: TypeAlias = int | float | str | list[Any] | None
"""A number, a word of shoal or the name of a column; never a cell."""


@dataclass(frozen=True)
class Outcome:
    """What one attack got: how many people it hits before and after, and of how many."""

    attack: str
    attribute: str | None
    """The sensitive attribute that is learnt; None where people are found."""
    knows: str
    before: int | None
    """People hit in the table as it is; None where the attack needs a release."""
    after: int
    of: int
    """How many people the original is about; who was dropped is not hit."""
    candidates: str
    """`covering`: candidates are the rows whose cells cover what is known; `own class`: fewer, the rows with the cells
    of the person's own; `nearest`: the rows with the nearest centroids."""
    figures: Mapping[str, Figure] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of the people that is hit after."""
        return self.after / self.of

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "figures": dict(self.figures)}


class Attack(ABC):
    """An attack. Subclasses are frozen dataclasses found by discovery; parameters have defaults."""

    name: ClassVar[str]
    """What it is called on the command line."""
    meaning: ClassVar[str]
    """What a hit is, in one sentence."""
    knows: ClassVar[str]
    """What the attacker is taken to know."""
    excluded_by: ClassVar[str]
    """Which models leave it no hit, and under which condition; `-` where none does."""
    criterion: ClassVar[str] = INFERENCE
    """Whether rows are linked, to people or to other rows, or values are learnt."""
    needs_other: ClassVar[bool] = False
    """Whether it takes a second release."""
    needs_original: ClassVar[bool] = True
    """Whether it takes the original; else it also works from the release alone."""

    @abstractmethod
    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Return what it gets: one outcome, or one for each sensitive attribute; none where it cannot be tried."""

    def outcome(
        self,
        scene: Scene,
        before: int | None,
        after: int,
        candidates: str,
        *,
        attribute: str | None = None,
        knows: str = "",
        figures: Mapping[str, Figure] | None = None,
    ) -> Outcome:
        """Return an outcome of this attack."""
        said = knows or self.knows
        return Outcome(self.name, attribute, said, before, int(after), scene.people, candidates, figures or {})
