"""Drafts in order, with undo and redo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.web.desk.draft import Draft

MOST = 200
"""Drafts that are kept."""


@dataclass(frozen=True)
class History:
    """What was decided, step by step; `at` is where one stands. Never empty.

    >>> history = History().then(Draft(seed=1)).then(Draft(seed=2)).undone().undone().redone()
    >>> history.draft.seed, history.can_undo, history.can_redo
    (1, True, True)
    """

    drafts: tuple[Draft, ...] = (Draft(),)
    at: int = 0

    @property
    def draft(self) -> Draft:
        """The draft one stands at."""
        return self.drafts[self.at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a draft before."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a draft after."""
        return self.at + 1 < len(self.drafts)

    def then(self, draft: Draft) -> History:
        """Return the history with a new draft; what was undone before is forgotten. The same draft changes nothing."""
        if draft == self.draft:
            return self
        kept = (*self.drafts[: self.at + 1], draft)[-MOST:]
        return History(kept, len(kept) - 1)

    def undone(self) -> History:
        """Return the history one step back, if there is one."""
        return History(self.drafts, max(self.at - 1, 0))

    def redone(self) -> History:
        """Return the history one step on, if there is one."""
        return History(self.drafts, min(self.at + 1, len(self.drafts) - 1))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {"at": self.at, "drafts": [draft.to_dict() for draft in self.drafts]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> History:
        """Read what `to_dict` wrote."""
        return cls(tuple(Draft.from_dict(draft) for draft in content["drafts"]), int(content["at"]))
