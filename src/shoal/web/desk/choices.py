"""What can be chosen for a run: methods with guarantee and expected time, recodings and costs with a sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import shoal.costs
from shoal.core.discovery import discover
from shoal.core.errors import ShoalError
from shoal.costs import Cost
from shoal.methods.auto import methods as known_methods
from shoal.methods.auto import requested_recoding
from shoal.methods.base import Method
from shoal.problem import Problem
from shoal.recoding.recode import recodings as known_recodings
from shoal.steps.preparation import prepare
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_table import table

RANGES, NAMED_RANGES, GROUPS, OTHERS = "ranges", "named ranges", "groups", "others"
"""What hierarchies may be used for, or not."""
AUTO = "the best of the methods that fit the table, the models and the time"


@dataclass(frozen=True)
class Choice:
    """A method, a recoding or a cost; `reasons` say why it cannot be chosen here, if it cannot."""

    name: str
    title: str
    guarantee: str | None = None
    time: str = ""
    reasons: tuple[str, ...] = ()
    paper: str = ""


def methods(draft: Draft) -> tuple[Choice, ...]:
    """Return `auto` and every method, each with the reasons why it cannot take the draft."""
    problems: dict[str, Problem | str] = {}
    found = [Choice("auto", AUTO, None, _limited(draft, "seconds to minutes"))]
    for kind in known_methods().values():
        recoding = requested_recoding(draft, grouped=draft.grouped, method=kind.name)
        if recoding not in problems:
            problems[recoding] = _problem(draft, recoding)
        found.append(_choice(kind, draft, problems[recoding]))
    return tuple(found)


def _problem(draft: Draft, recoding: str) -> Problem | str:
    """Return the problem that a method would get, or why there is none."""
    try:
        return prepare(table(draft), draft.changed(recoding=recoding, coarsen=None).request()).problem
    except ShoalError as error:
        return str(error)


def _choice(kind: type[Method], draft: Draft, problem: Problem | str) -> Choice:
    reasons = (problem,) if isinstance(problem, str) else tuple(kind().accepts(problem))
    time = "" if isinstance(problem, str) else _limited(draft, expected(kind, problem.rows))
    return Choice(kind.name, kind.title, kind.stated(), time, reasons, kind.paper)


def _limited(draft: Draft, words: str) -> str:
    return words if draft.time_limit is None else f"{words}, at most about {draft.time_limit:g} s"


def expected(kind: type[Method], rows: int) -> str:
    """Return roughly how long a method takes, in words, from the growth that it declares.

    >>> from shoal.methods.general.mondrian import Mondrian
    >>> from shoal.methods.general.optimal import Optimal
    >>> expected(Mondrian, 1_000), expected(Optimal, 1_000)
    ('a moment', 'seconds, or very long: set a time limit')
    """
    if kind.growth == "exponential":
        return "seconds, or very long: set a time limit"
    seconds = rows * rows / 4e7 if kind.growth == "quadratic" else rows / 5e4
    limits = ((2, "a moment"), (20, "seconds"), (120, "about a minute"), (3600, "minutes"))
    return next((words for most, words in limits if seconds <= most), "hours")


def cells_of(draft: Draft) -> str:
    """Return what cells of the draft become, as far as hierarchies go: ranges, groups, or something else.

    Ranges that were asked for by name stay ranges when a hierarchy is chosen: `named ranges`.
    """
    kind = known_recodings()[requested_recoding(draft, grouped=draft.grouped)]
    if kind.spans:
        return NAMED_RANGES if draft.recoding else RANGES
    return GROUPS if kind.along_hierarchies else OTHERS


def recodings() -> tuple[Choice, ...]:
    """Return every recoding with a sentence."""
    return tuple(Choice(kind.name, kind.meaning) for kind in known_recodings().values())


def costs(recoding: str | None = None) -> tuple[Choice, ...]:
    """Return the costs that can measure a recoding, or all."""
    kinds: Any = discover(shoal.costs, Cost).values()
    return tuple(Choice(kind.name, kind.meaning) for kind in kinds if recoding is None or recoding in kind.recodings())
