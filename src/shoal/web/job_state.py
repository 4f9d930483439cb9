"""The state of a job that is no run, such as trying other values of k: why nothing came of it, or what did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.web.desk import Desk, Run
from shoal.web.desk.jobs import STOP
from shoal.web.desk.runs import GOING
from shoal.web.language import known, t
from shoal.web.page import Page
from shoal.web.parts import button, part


@dataclass(frozen=True)
class JobState:
    """A job as the page shows it."""

    id: str
    state: str
    refused: str
    found: Mapping[str, Any]

    @classmethod
    def latest(cls, jobs: Sequence[Run]) -> JobState | None:
        """Return the last of several jobs; None where there is none."""
        if not jobs:
            return None
        last = jobs[-1]
        return cls(last.id, last.state, "" if last.failure is None else last.failure.said, last.summary or {})


def wait_for(page: Page, id: str) -> None:
    """Say how far a job is; once it is done, draw the page anew."""
    page.live(lambda: _state(page.desk, id), lambda state: _going(page, state))


def stop_button(page: Page, id: str, *, key: str) -> None:
    """Show a button that ends a job early."""
    button(t("Stop"), lambda: page.attempt(_stop, page.desk, id), key=key, kind="small")


def _stop(desk: Desk, id: str) -> None:
    desk.runs[id].stop()


def _state(desk: Desk, id: str) -> tuple[str, str]:
    run = desk.runs[id]
    if (run.job.folder / STOP).exists():
        return run.state, t("stopping, and keeping what is known")
    points = run.progress()
    if not points:
        return run.state, t("starting")
    return run.state, f"{points[-1].share:.0%}: {known(points[-1].doing)}"


def _going(page: Page, state: tuple[str, str]) -> None:
    going = state[0] in GOING
    if going:
        part("p", state[1], "faint", role="status")
    page.come(not going)
