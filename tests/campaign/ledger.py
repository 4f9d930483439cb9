"""The ledger: one line of JSON for every block of tables, and one for every failure; a shard goes on after the last."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OUTCOMES = ("published", "infeasible", "unsupported", "broken")
BLOCK = 5000
"""Tables in a block: what is lost at most when a run is stopped."""


@dataclass
class Tally:
    """What blocks of tables came to."""

    tables: int = 0
    runs: int = 0
    releases: int = 0
    """Distinct releases, each decided from its cells."""
    audits: int = 0
    saved: int = 0
    """Releases that were written to a folder, and verified there."""
    seconds: float = 0.0
    processor_seconds: float = 0.0
    conjunctions: int = 0
    """Tables of which more than one model is asked."""
    cells: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Outcomes of `method|recoding|model`."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Why a cell has no release, from the last refusal."""

    def add(self, line: dict[str, Any]) -> None:
        """Add what a line of a ledger says."""
        for name in ("tables", "runs", "releases", "audits", "saved", "conjunctions"):
            setattr(self, name, getattr(self, name) + line[name])
        self.seconds += line["seconds"]
        self.processor_seconds += line["processor_seconds"]
        for cell, numbers in _flat(line["cells"]):
            self.cells[cell].update(dict(zip(OUTCOMES, numbers, strict=True)))
        for cell, reason in line["reasons"].items():
            self.reasons.setdefault(cell, reason)

    def line(self) -> dict[str, Any]:
        """Return it as a line of a ledger."""
        cells: dict[str, dict[str, dict[str, list[int]]]] = {}
        for cell, outcomes in self.cells.items():
            method, recoding, model = cell.split("|")
            numbers = [outcomes[outcome] for outcome in OUTCOMES]
            cells.setdefault(method, {}).setdefault(recoding, {})[model] = numbers
        return {**vars(self), "cells": cells}


def _flat(cells: dict[str, dict[str, dict[str, list[int]]]]) -> Iterator[tuple[str, list[int]]]:
    for method, of_method in cells.items():
        for recoding, of_recoding in of_method.items():
            for model, numbers in of_recoding.items():
                yield f"{method}|{recoding}|{model}", numbers


def plain_reason(text: str) -> str:
    """Return a refusal without its numbers and names, so that equal reasons are one.

    >>> plain_reason("the cube has 1,200 patterns, 3.5 at most for 'age'")
    "the cube has N patterns, N at most for '...'"
    """
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text)
    return re.sub(r"\d[\d,]*(?:[./]\d+)?", "N", text)[:160]


def lines(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Yield the lines of ledgers; one that was cut off while written counts as not there."""
    for path in paths:
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(text)
            except json.JSONDecodeError:
                continue


def append(path: Path, line: dict[str, Any]) -> None:
    """Add a line, after the end of one that was cut off."""
    text = json.dumps(line, ensure_ascii=False, default=str) + "\n"
    broken_off = path.exists() and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * broken_off + text)
