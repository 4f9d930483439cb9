"""What was decided, moment by moment, with undo and redo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.web.desk.draft import Draft

MOST = 200
"""Moments that are kept."""
TOGETHER = 20.0
"""Seconds between two decisions of one group up to which they are undone together."""


@dataclass(frozen=True)
class History:
    """What was decided, moment by moment: a draft, and which runs were deleted; `at` is where one stands. Never empty.

    >>> history = History().then(Draft(seed=1)).then(Draft(seed=2)).undone().undone().redone()
    >>> history.draft.seed, history.can_undo, history.can_redo
    (1, True, True)
    """

    drafts: tuple[Draft, ...] = (Draft(),)
    at: int = 0
    deleted: tuple[frozenset[str], ...] = (frozenset(),)
    """At each moment the runs that are deleted: until the desk is closed they can be brought back."""
    group: str = field(default="", compare=False)
    """What the last decision belongs to, such as the roles of columns; empty where it is undone by itself."""
    decided: float = field(default=0.0, compare=False)
    """When it was made."""

    @property
    def draft(self) -> Draft:
        """The draft one stands at."""
        return self.drafts[self.at]

    @property
    def gone(self) -> frozenset[str]:
        """The runs that are deleted where one stands."""
        return self.deleted[self.at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a moment before."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a moment after."""
        return self.at + 1 < len(self.drafts)

    def then(self, draft: Draft, group: str = "", now: float = 0.0) -> History:
        """Return the history with a new draft; what was undone before is forgotten. The same draft changes nothing.

        Decisions of one group that follow each other within a while are one moment.

        >>> clicks = History().then(Draft(seed=1), "seed", 1.0).then(Draft(seed=2), "seed", 9.0)
        >>> len(clicks.drafts), len(clicks.then(Draft(seed=3), "seed", 99.0).drafts), clicks.undone().draft.seed
        (2, 3, 0)
        """
        if draft == self.draft:
            return self
        together = group and group == self.group and now - self.decided <= TOGETHER and not self.can_redo
        before = self.undone() if together else self
        if together and draft == before.draft:  # all of the group was taken back by hand
            return before._cut()
        return replace(before._next(draft, before.gone), group=group, decided=now)

    def without(self, runs: Iterable[str]) -> History:
        """Return the history with runs deleted."""
        return self._next(self.draft, self.gone | frozenset(runs))

    def _next(self, draft: Draft, gone: frozenset[str]) -> History:
        drafts = (*self.drafts[: self.at + 1], draft)[-MOST:]
        return History(drafts, len(drafts) - 1, (*self.deleted[: self.at + 1], gone)[-MOST:])

    def _cut(self) -> History:
        """Return the history up to where one stands."""
        return History(self.drafts[: self.at + 1], self.at, self.deleted[: self.at + 1])

    def undone(self) -> History:
        """Return the history one moment back, if there is one."""
        return History(self.drafts, max(self.at - 1, 0), self.deleted)

    def redone(self) -> History:
        """Return the history one moment on, if there is one."""
        return History(self.drafts, min(self.at + 1, len(self.drafts) - 1), self.deleted)

    def settled(self) -> History:
        """Return the history once deleted runs are gone for good: moments that only deleted one are left out."""
        kept = list(_told_apart(self.drafts))
        at = max(place for place, first in enumerate(kept) if first <= self.at)
        return History(tuple(self.drafts[first] for first in kept), at, (frozenset(),) * len(kept))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        deleted = [sorted(gone) for gone in self.deleted]
        return {"at": self.at, "drafts": [draft.to_dict() for draft in self.drafts], "deleted": deleted}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> History:
        """Read what `to_dict` wrote."""
        drafts = tuple(Draft.from_dict(draft) for draft in content["drafts"])
        deleted = content.get("deleted") or [()] * len(drafts)
        return cls(drafts, int(content["at"]), tuple(map(frozenset, deleted)))


def _told_apart(drafts: tuple[Draft, ...]) -> Iterator[int]:
    """Return the places of drafts that differ from the one before."""
    return (place for place, draft in enumerate(drafts) if place == 0 or draft != drafts[place - 1])
