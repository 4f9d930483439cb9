"""What the campaign of random tables covered, from its summary in `docs/figures`: method by recoding, and the reasons.

`python -m tests.campaign --summary docs/figures` writes the summary.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

FIGURES = Path(__file__).parent.parent / "figures"
TABLE, TOTALS = FIGURES / "campaign.csv", FIGURES / "campaign.json"


TOLD = {
    "tables": "tables, each with what is asked of it",
    "conjunctions": "of these, asked for more than one model",
    "runs": "runs (a table and a method)",
    "releases": "releases decided from their cells",
    "audits": "releases and random partitions decided by the audit too",
    "saved": "releases written to a folder, and verified there",
    "processor_seconds": "seconds of a processor",
    "broken": "laws broken when they were run",
    "still_broken": "of these, broken today",
}
"""The totals that are shown, in words."""


def campaign_totals() -> str:
    """Return what the campaign came to."""
    totals = json.loads(TOTALS.read_text(encoding="utf-8"))
    totals["broken"] = sum(totals["failures"].values())
    lines = [f"| {words} | {round(totals[name]):,} |" for name, words in TOLD.items()]
    return "\n".join(["| | |", "|---|---:|", *lines])


def campaign() -> str:
    """Return for every method and recoding of how many models there is a release; nothing where it refuses all."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        headings, *rows = csv.reader(file)
    known: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for method, recoding, *cells in rows:
        known[method][recoding] = cells
    recodings = sorted({recoding for found in known.values() for recoding in found})
    models = len(headings) - 2
    lines = [f"| method (of {models} models) | {' | '.join(recodings)} |", f"|---|{'---:|' * len(recodings)}"]
    for method, found in known.items():
        numbers = [sum(cell.isdigit() for cell in found.get(recoding, [])) for recoding in recodings]
        lines.append(f"| {method} | {' | '.join(str(number) if number else '' for number in numbers)} |")
    return "\n".join(lines)


def campaign_reasons() -> str:
    """Return why cells of the table have no release: the reasons in the methods' words, and of how many cells."""
    reasons = json.loads(TOTALS.read_text(encoding="utf-8"))["reasons"]
    with TABLE.open(encoding="utf-8", newline="") as file:
        cells = [cell for _, _, *some in list(csv.reader(file))[1:] for cell in some]
    lines = ["| reason | cells |", "|---|---:|"]
    lines += [f"| {reasons[word]} | {cells.count(word):,} |" for word in sorted(reasons, key=cells.count, reverse=True)]
    return "\n".join(lines)
