"""What ledgers came to: totals, and a table of method, recoding and model in which no empty cell is unexplained."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.campaign.ledger import Tally, lines


def summed(paths: Iterable[Path]) -> tuple[Tally, list[dict[str, Any]]]:
    """Return all blocks of ledgers together, and the failures."""
    tally, failures = Tally(), []
    for line in lines(paths):
        if "failure" in line:
            failures.append(line)
        else:
            tally.add(line)
    return tally, failures


def write_summary(paths: Sequence[Path], folder: Path, breaks: Callable[[dict[str, Any]], bool]) -> str:
    """Write totals and coverage of ledgers into a folder, and return the totals in words.

    `breaks` says of a failure whether its law is still broken.
    """
    tally, failures = summed(paths)
    folder.mkdir(parents=True, exist_ok=True)
    totals = totals_of(tally, failures) | {"still_broken": sum(map(breaks, failures))}
    rows, reasons = coverage(tally)
    text = json.dumps({**totals, "reasons": reasons}, indent=2, ensure_ascii=False)
    (folder / "campaign.json").write_text(text + "\n", encoding="utf-8")
    with (folder / "campaign.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return json.dumps(totals, indent=2, ensure_ascii=False)


def totals_of(tally: Tally, failures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the totals, and how often each law was broken by each method."""
    numbers = {name: value for name, value in vars(tally).items() if isinstance(value, int | float)}
    broken = Counter(f"{one['method']}: {one['failure']}"[:160] for one in failures)
    outcomes: Counter[str] = Counter()
    for some in tally.cells.values():
        outcomes.update(some)
    return {**numbers, "cells": dict(outcomes), "failures": dict(sorted(broken.items()))}


def coverage(tally: Tally) -> tuple[list[list[str]], dict[str, str]]:
    """Return the table of coverage, and the reasons it refers to.

    A row is a method and a recoding, a column a model. A cell is the number of releases, the word of the reason why
    there is none (`r1`, `r2`, ...), `infeasible` where no table met what was asked, or nothing where nothing was tried.
    """
    known = [cell.split("|") for cell in tally.cells]
    models = sorted({model for _, _, model in known})
    short = {cell: short_reason(reason, cell.split("|")[2]) for cell, reason in tally.reasons.items()}
    used = {short[cell] for cell, found in tally.cells.items() if cell in short and not found["published"]}
    words = {reason: f"r{place}" for place, reason in enumerate(sorted(used), start=1)}
    rows = [["method", "recoding", *models]]
    for method, recoding in sorted({(method, recoding) for method, recoding, _ in known}):
        cells = [f"{method}|{recoding}|{model}" for model in models]
        rows.append(
            [method, recoding, *(_cell(tally.cells[cell], words.get(short.get(cell, ""), "")) for cell in cells)]
        )
    return rows, {word: reason for reason, word in words.items()}


def short_reason(reason: str, model: str) -> str:
    """Return the first thing that a refusal names, its model not by name; not that of one table, where it names more.

    >>> short_reason("method '...' cannot do this: the whole table does not meet k=N; it is for stars; try auto", "k")
    'it is for stars'
    >>> short_reason("t(illness:equal)=N cannot be met by two tables (anatomy): who is in it is known; ask less", "t")
    'the model cannot be met by two tables (anatomy): who is in it is known'
    """
    text = re.sub(r"^(method '\.\.\.' cannot do this|no method with the recoding '\.\.\.' can do this): ", "", reason)
    text = re.sub(rf"\b{re.escape(model)}(\([^)]*\))?=(\([^)]*\)|\w+)", "the model", text)
    text = re.sub(r"\b[\w-]+(\([^)]*\))?=(\([^)]*\)|\w+)", "the model worked with", text)
    text = re.sub(r"values of \S+", "values of the attribute", text)
    parts = [part for part in text.split("; ") if not part.startswith(("try --", "use ", "ask "))]
    return next((part for part in parts if not part.startswith("the whole table")), parts[0])


def _cell(outcomes: Counter[str], reason: str) -> str:
    if outcomes["published"]:
        return str(outcomes["published"])
    return reason or ("infeasible" if outcomes["infeasible"] else "")


def read_coverage(path: Path) -> dict[tuple[str, str, str], str]:
    """Return the cells of a table of coverage by method, recoding and model."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {
            (row["method"], row["recoding"], model): text
            for row in rows
            for model, text in row.items()
            if model not in ("method", "recoding")
        }
