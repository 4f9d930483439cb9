"""Measuring a release part by part: the risk within seconds, then attacks and utility, until all is known or enough.

measured.json     what is known so far, in figures; `done` once nothing more comes
stop-measuring    made to ask for an end: what is known by then is kept, and the report made from it

Parts are measured in a thread. One that does not end in time, or that nobody wants to wait for, is left behind and ends
with the worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from shoal.core.errors import ShoalError
from shoal.report import Evidence, Report
from shoal.web.desk.atomic_files import plain, private_folder, put_json
from shoal.web.desk.jobs import REPORT

QUERIES = 1000
"""Counts that are asked of a release, wherever the page says how wrong they are: a figure has one value."""
MEASURED, STOP_MEASURING = "measured.json", "stop-measuring"
BUDGET = 300.0
"""Seconds after which what is not measured yet is left out."""
LOOK = 0.1
"""Seconds between two looks at whether somebody asked to stop."""
SHOWN = ("before", "after", "hits", "utility", "notes", "pending")


def measure_parts(
    folder: Path, growing: Callable[[], Iterator[Evidence]], tell: Callable[[float, str], None], budget: float = BUDGET
) -> None:
    """Measure a release, write down each part as it is known, then the report; where that fails, say why.

    The release stands all the same.
    """
    (folder / STOP_MEASURING).unlink(missing_ok=True)
    found: Evidence | None = None
    try:
        for found in _parts(growing, (folder / STOP_MEASURING).exists, budget):
            _write(folder, found, done=False)
            tell(*_progress(found))
        if found is not None:
            _finish(folder, found)
    except ShoalError as error:
        put_json(folder / MEASURED, {"said": str(error), "done": True})
    except Exception as error:
        put_json(
            folder / MEASURED, {"said": f"an unexpected error occurred in shoal ({type(error).__name__})", "done": True}
        )


def _progress(found: Evidence) -> tuple[float, str]:
    """Return how much is measured, and what is measured next."""
    known = 1 + len({hit.attack for hit in found.hits}) + (found.utility is not None)
    return known / (known + len(found.pending)), f"measuring: {found.pending[0]}" if found.pending else "writing"


def _finish(folder: Path, found: Evidence) -> None:
    """Write the report from what is known, then that nothing more comes."""
    if found.pending:
        left = f"not measured, as it was stopped or time ran out: {', '.join(found.pending)}"
        found = replace(found, notes=(*found.notes, left), pending=())
    pages = Report(found)
    for name, page in (("internal", pages.internal), ("public", pages.public)):
        (private_folder(folder / REPORT) / f"{name}.html").write_text(page, encoding="utf-8", newline="\n")
    _write(folder, found, done=True)


def _write(folder: Path, found: Evidence, *, done: bool) -> None:
    """Write what is known, without any cell of the original."""
    found = replace(found, utility=None if found.utility is None else found.utility.without_cells())
    put_json(folder / MEASURED, {**{name: plain(getattr(found, name)) for name in SHOWN}, "done": done})


def _parts(growing: Callable[[], Iterator[Evidence]], stop: Callable[[], bool], budget: float) -> Iterator[Evidence]:
    """Return the parts as they come, until there are no more, somebody asks to stop, or time is over.

    The first is always waited for.
    """
    made: Queue[Any] = Queue()

    def work() -> None:
        try:
            for one in growing():
                made.put(one)
            made.put(None)
        except BaseException as error:
            made.put(error)

    Thread(target=work, daemon=True).start()
    until, first = time.monotonic() + budget, True
    while True:
        over = not first and (stop() or time.monotonic() > until)
        try:
            found = made.get(block=not over, timeout=None if first else LOOK)
        except Empty:
            if over:
                return
            continue
        if found is None:
            return
        if isinstance(found, BaseException):
            raise found
        first = False
        yield found
