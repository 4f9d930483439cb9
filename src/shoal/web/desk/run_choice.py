"""Which run a page is about: the one that was picked, else the latest that was made from what is decided now."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.web.desk.forms import filled
from shoal.web.desk.made_from import Origin, origin
from shoal.web.desk.runs import Run
from shoal.web.language import t

if TYPE_CHECKING:
    from shoal.web.desk.desk import Desk

UNPLAIN = re.compile(r"[^\w.-]+")
"""What is not taken over into the name of a file that is downloaded."""
NAME = 60
"""Letters of a table's name in that of a file."""


@dataclass(frozen=True)
class RunChoice:
    """The run that a page is about, and the others that have a release: of this table, and of other tables."""

    run: Run | None = None
    origin: Origin = field(default_factory=lambda: Origin("", same_table=True))
    runs: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    lost: bool = False
    """Whether another run was picked, which is there no more."""

    @property
    def fresh(self) -> bool:
        """Whether there is a release of what is decided now."""
        return self.run is not None and self.origin.fresh


def choose_run(desk: Desk, picked: str | None = None) -> RunChoice:
    """Return the run that was picked, else the latest fresh one of this table, else the latest of this table."""
    found = [(run, origin(run, desk.draft)) for run in desk.runs.all() if run.release is not None]
    own = [one for one in found if one[1].same_table]
    runs = tuple((run.id, label(run)) for run, _ in own)
    others = tuple((run.id, label(run, apart=True)) for run, where in found if not where.same_table)
    named = [one for one in found if one[0].id == picked]
    fresh = [one for one in own if one[1].fresh]
    lost = bool(picked) and not named
    for run, where in (named or fresh or own)[-1:]:
        return RunChoice(run, where, runs, others, lost)
    return RunChoice(runs=runs, others=others, lost=lost)


def label(run: Run, *, apart: bool = False) -> str:
    """Return what a run is called among others: with its table where that is another one."""
    asked = " ".join(run.draft.require)
    if apart:
        return t("{table}, run {number}: {require}", table=run.draft.name, number=run.number, require=asked)
    return t("Run {number}: {require}", number=run.number, require=asked)


def file_name(run: Run, what: str) -> str:
    """Return what a file of a run is called: the table, what was asked for, the run, then what it is."""
    table = UNPLAIN.sub("_", run.draft.name.split(".")[0] or "table").strip("_")[:NAME] or "table"
    return "-".join([table, *_asked(run.draft.require), f"run{run.number}", what])


def _asked(require: tuple[str, ...]) -> list[str]:
    """Return the first requirement in short, the size of crowds before others.

    >>> _asked(("l(ill)=2", "k=5")), _asked(("t(pay:ordered)=0.2",)), _asked(())
    (['k5'], ['t0.2'], [])
    """
    asked = sorted((filled(one) for one in require), key=lambda one: one.name != "k")
    return [one.name + "_".join(f"{float(number):g}" for number in one.numbers) for one in asked[:1]]
