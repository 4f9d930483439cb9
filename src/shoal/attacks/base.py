"""The contract of an attack: what the attacker knows, what a hit is, and which models exclude it.

An attack is a frozen dataclass of parameters in a file of its own. It works from the cells of a release and from what
the attacker is taken to know of the original rows. The truth is used for one thing: to count whom it hits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from shoal.attacks.scene import Scene
from shoal.attacks.threshold import Threshold
from shoal.core.number_format import percents

LINKABILITY, INFERENCE = "linkability", "inference"
"""The question of the European data-protection authorities that an attack is about, besides singling out."""
NO_SECRET = "the release has no sensitive column"
NO_OWN_ROWS = "whose row is whose is not known: the internal part of the release is not here"
ALONE = "Candidates were counted in the class of the person's own row alone"

Figure: TypeAlias = int | float | str | list[Any] | None
"""A number, a word of shoal or the name of a column; never a cell."""


@dataclass(frozen=True)
class Outcome:
    """What one attack got: how many people it hits before and after, of how many, and whether that is too much."""

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
    finding: str = ""
    """What the attacker gets, in a sentence."""
    chance: Fraction | None = None
    """The highest chance to be right about a person, where that is the risk; else the share of the people hit is."""
    at_most: Fraction | None = None
    """What the risk cannot be above, where not everything was searched; None where it is the risk itself."""
    left_out: str = ""
    """What was not searched, in a sentence."""
    threshold: Threshold | None = None

    @property
    def name(self) -> str:
        """The attack, and what is learnt."""
        return _named(self.attack, self.attribute)

    @property
    def share(self) -> float:
        """The share of the people that is hit after."""
        return self.after / self.of

    @property
    def risk(self) -> Fraction:
        """The number that `finding` names and a threshold is compared with."""
        return Fraction(self.after, self.of) if self.chance is None else self.chance

    @property
    def bound(self) -> Fraction:
        """What the risk cannot be above."""
        return self.risk if self.at_most is None else self.at_most

    @property
    def passed(self) -> bool | None:
        """Whether the risk is at most the threshold; None without a threshold, or where the search leaves it open."""
        if self.threshold is None:
            return None
        if self.risk > self.threshold.share:
            return False
        return True if self.bound <= self.threshold.share else None

    @property
    def standing(self) -> str:
        """Where the risk stands: `within` or `above` the threshold, `undecided`, or `no threshold`."""
        if self.threshold is None:
            return "no threshold"
        return {True: "within", False: "above", None: "undecided"}[self.passed]

    @property
    def verdict(self) -> str:
        """What was found, what was not searched, and how that compares with the threshold, in sentences."""
        return " ".join(said for said in (self.finding, self.left_out, self._compared()) if said)

    def _compared(self) -> str:
        if self.threshold is None:
            return "No threshold: the requirement promises nothing about it, and none was set."
        risk, limit = percents(self.risk, self.threshold.share)
        of = f"the threshold of {limit}{f' that {self.threshold.by} promises' if self.threshold.by else ''}"
        if self.passed is None:
            return f"Not shown to be within {of}: the risk is {risk} at least, {percents(self.bound)[0]} at most."
        return f"The risk of {risk} is {self.standing} {of}."

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            **vars(self),
            "figures": dict(self.figures),
            "risk": float(self.risk),
            "verdict": self.verdict,
            "chance": None if self.chance is None else float(self.chance),
            "at_most": float(self.bound),
            "threshold": None if self.threshold is None else float(self.threshold.share),
            "threshold_by": None if self.threshold is None else self.threshold.by or "fail_above",
            "passed": self.passed,
        }


@dataclass(frozen=True)
class Untried:
    """An attack, or an attack on one attribute, that was not tried, and why. It says nothing of the risk."""

    attack: str
    attribute: str | None
    reason: str
    applies: bool = False
    """Whether it could be tried in principle, and was left out because it takes too long."""

    @property
    def name(self) -> str:
        """The attack, and what would have been learnt."""
        return _named(self.attack, self.attribute)


def _named(attack: str, attribute: str | None) -> str:
    return attack if attribute is None else f"{attack} ({attribute})"


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
    more_by_fewer: ClassVar[bool] = True
    """Whether an attacker who has fewer candidates of a person, the person among them, hits no fewer people."""
    gains: ClassVar[str] = "hits {people}: {meaning}"
    """What an attacker gets, as the sentence `An attacker ..., knowing ...` says it. {people} are those who are hit;
    {attribute}, {risk} and {meaning} are known, too, and the words that `outcome` is given."""

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Return why it cannot be tried on a sensitive attribute, by attribute; under None, why not at all."""
        return {None: NO_SECRET} if self.criterion == INFERENCE and not scene.sensitive else {}

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
        words: Mapping[str, object] | None = None,
        figures: Mapping[str, Figure] | None = None,
        chance: Fraction | None = None,
        at_most: Fraction | None = None,
        left_out: str = "",
        threshold: Threshold | None = None,
    ) -> Outcome:
        """Return an outcome of this attack, with what it gets in words.

        Where own classes stand for the candidates, the count may be too high; too low as well, where fewer candidates
        may hit fewer people, or the candidates are those with the nearest centroids and values are learnt.
        """
        if candidates == "own class" and before is not None:
            bounded = self.more_by_fewer and (scene.after.places is None or attribute is None)
            at_most = at_most if bounded else Fraction(1)
            left_out = f"{ALONE}: {'fewer' if bounded else 'fewer or more'} may be hit by an attacker who counts all."
        made = Outcome(
            attack=self.name,
            attribute=attribute,
            knows=knows or self.knows,
            before=before,
            after=int(after),
            of=scene.people,
            candidates=candidates,
            figures=figures or {},
            chance=chance,
            at_most=at_most,
            left_out=left_out,
            threshold=threshold,
        )
        (risk,) = percents(made.risk)
        counted = "rows" if scene.person is None else "people"
        people = f"{made.after:,} of {made.of:,} {counted}{'' if chance is not None else f' ({risk})'}"
        said = self.gains.format(attribute=attribute, meaning=self.meaning, people=people, risk=risk, **words or {})
        return replace(made, finding=f"An attacker {said}, knowing {made.knows}.")
