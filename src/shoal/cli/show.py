"""What people see in a terminal: tables in words a steward understands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

import shoal.models
from shoal.checking.audit import Audit, Finding
from shoal.cli.risk import show_risk
from shoal.cli.terminal import Grid, console
from shoal.cli.warned import was_read
from shoal.core.discovery import discover
from shoal.core.number_format import at_most, number, percent
from shoal.hierarchies.cell_forms import form_of
from shoal.models import Model
from shoal.release.certificate import Certificate
from shoal.release.files import REPORT, read_json
from shoal.release.verification import Proved, Verification
from shoal.request import EFFORTS

UNORDERED = ("String", "Categorical", "Boolean")
"""Types of the original whose values have no order, so that sets of them are published."""


def saved(
    folder: str | Path, *, as_json: bool, seconds: Mapping[str, float] | None = None, limit: float | None = None
) -> None:
    """Print the certificate of a release that was written, how long it took, and which part is safe to share."""
    text = (Path(folder) / "public" / "certificate.json").read_text(encoding="utf-8")
    if as_json:
        print(text, end="")
        return
    found, config = Certificate.from_json(text), read_json(Path(folder) / "internal" / "config.json")
    time = {"time": time_taken(seconds, limit) if seconds else ""}
    certificate(found, config, {**_cells(Path(folder)), **time})
    written(folder, found)


def _cells(folder: Path) -> dict[str, str]:
    """Return what became of the quasi-identifiers, as the codebook says it: their levels, or ranges and sets."""
    book = json.loads((folder / "public" / "codebook.json").read_text(encoding="utf-8"))
    levels = [f"{column['name']}: {column['hierarchy']}" for column in book["columns"] if "hierarchy" in column]
    return {"hierarchies": "\n".join(levels), "cells": _spans(book) if book["recoding"] == "range" else ""}


def _spans(book: Mapping[str, Any]) -> str:
    """Say which columns have ranges, and which sets of values.

    >>> columns = [{"name": "age", "original_type": "Int64"}, {"name": "sex", "original_type": "String"}]
    >>> print(_spans({"columns": [{"role": "quasi"} | column for column in columns]}))
    ranges: age
    sets of values: sex
    """
    quasi = [column for column in book["columns"] if column["role"] == "quasi"]
    sets = [column["name"] for column in quasi if column["original_type"] in UNORDERED]
    ranges = [column["name"] for column in quasi if column["name"] not in sets]
    kinds = {"ranges": ranges, "sets of values": sets}
    return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)


def time_taken(seconds: Mapping[str, float], limit: float | None = None) -> str:
    """Say how long the search took, beside its limit, and what is not counted in that.

    >>> time_taken({"search": 9.96, "check": 0.52, "compile": 21.3}, 10)
    'search 10.0 s (limit 10 s), checking 0.5 s, compiling 21.3 s (at the first use only)'
    """
    beside = "" if limit is None else f" (limit {limit:g} s)"
    compiled = f", compiling {seconds['compile']:.1f} s (at the first use only)" if seconds["compile"] >= 0.1 else ""
    return f"search {seconds['search']:.1f} s{beside}, checking {seconds['check']:.1f} s{compiled}"


def certificate(
    found: Certificate, config: Mapping[str, Any] | None = None, more: Mapping[str, str] | None = None
) -> None:
    """Print what a release guarantees and what it lost; `config` is its request, `more` has facts by their names."""
    out = console()
    for text in found.exposed:
        if not was_read(text):
            out.print(text, style="yellow")
    out.print(_models(found))
    facts = Table.grid(padding=(0, 2))
    dropped = f"{found.dropped:,} dropped" if found.dropped else "none dropped"
    facts.add_row("rows", f"{found.rows:,}, {dropped}, {found.starred or 0:,} all stars")
    if found.people is not None:
        facts.add_row("people", f"{found.people:,}; the models count people")
    facts.add_row("classes", f"{found.classes:,}")
    effort = _more_effort(found, config or {})
    said = {"changed": changed(found), "cost": f"{float(found.cost):,.6g} ({found.cost.name})"}
    said |= {"proved": _proved(found), "effort": effort, "method": f"{found.method}, recoding {found.recoding}"}
    for name, fact in {**said, **(more or {})}.items():
        if fact:
            facts.add_row(name, fact)
    out.print(facts)
    for remark in found.remarks:
        out.print(remark, style="dim")


def changed(found: Certificate) -> str:
    """Say which share of the quasi-identifiers' cells is not as in the original; nothing where nobody counted."""
    share, cells = found.changed_share, found.changed_cells
    if share is None or not cells:
        return ""
    if form_of(found.recoding).two_tables:
        return "no cell: quasi-identifiers are published as they are, sensitive values by group"
    if not share:
        return "none of the protected cells is generalized or hidden"
    most = max(cells, key=lambda name: cells[name])
    where = f"; most in {most}, {percent(cells[most] / found.rows)}" if len(cells) > 1 else ""
    return f"{percent(share)} of protected cells generalized or hidden{where}"


def _more_effort(found: Certificate, config: Mapping[str, Any]) -> str:
    """Say what the best effort could save at most, where less was made and a bound tells."""
    effort, saving = config.get("effort"), found.saving_at_most
    if config.get("method") != "auto" or effort not in EFFORTS[:-1] or not saving or found.status == "optimal":
        return ""
    return f"{effort}; --effort {EFFORTS[-1]} could save at most {at_most(saving)} of the cost"


def written(folder: str | Path, found: Certificate) -> None:
    """Print where a release is, and whether it may be shared."""
    console().print(Text(str(folder), style="bold"), f": {found.sharing}", sep="")


def reports(folder: Path) -> None:
    """Print where the two reports of a release are, if it has any."""
    shared, kept = (folder / part / REPORT for part in ("public", "internal"))
    if shared.is_file():
        console().print(f"report: {shared} is safe to share; {kept} says more: keep it private", soft_wrap=True)


def _models(found: Certificate) -> Grid:
    titles = {name: kind.title for name, kind in discover(shoal.models, Model).items()}
    grid = Grid().headed("model", "attribute", "asked", "reached", "")
    for model in found.models:
        grid.add_row(
            titles.get(model["name"], model["name"]),
            model["attribute"] or "",
            number(model["asked"]),
            number(model["reached"]),
            Text("met", style="green"),
        )
    return grid


def _proved(found: Certificate) -> str:
    """Say how far from the best possible release it is at most, and what the method's theorem promises."""
    if found.status == "optimal" or found.excess_at_most == 0:
        return "the best possible: no release of this kind costs less"
    excess = found.excess_at_most
    parts = [] if excess is None else [f"{above_best(excess)} (lower bound {found.lower_bound:,.6g})"]
    parts += [found.guarantee] if found.guarantee else []
    return "; ".join(parts) or "nothing about the best possible: no lower bound is known for this request"


def above_best(excess: float) -> str:
    """Say how much more than the best possible release one costs, at most.

    >>> above_best(0.335), above_best(0)
    ('at most 33.5 % more than the best possible', 'the best possible')
    """
    return f"at most {at_most(excess)} more than the best possible" if excess else "the best possible"


def audit(found: Audit) -> None:
    """Print what a table was found to give."""
    out, risk = console(), found.risk
    counted = "rows" if found.people is None else "people"
    about = "" if found.people is None else f" about {found.people:,} people"
    out.print(
        f"{found.rows:,} rows{about} in {found.classes:,} classes of {found.smallest_class:,} to"
        f" {found.largest_class:,} {counted}; {found.unique_rows:,} rows are unique"
    )
    asked = found.asked
    grid = Grid().headed("model", "attribute", *(("asked",) if asked else ()), "reached")
    counts = ("failing classes", "failing rows", "") if asked else ("classes there", "rows there")
    grid.headed(*counts, justify="right")
    for finding in found.findings:
        grid.add_row(*(_asked(finding) if asked else _unasked(finding)))
    out.print(grid)
    if not asked:
        out.print("nothing was required, so there is no verdict: give --require", style="yellow")
    for finding in found.findings:
        for convention, value in finding.also.items():
            out.print(f"{finding.name} of {finding.attribute}, {convention}: {value:.4g}", style="dim")
    for note in found.notes:
        out.print(note, style="yellow")
    for warning in found.warnings:
        out.print(f"warning: {warning}", style="yellow")
    if found.wildcard is not None:
        smallest, alone = found.wildcard["smallest"], found.wildcard["unique_rows"]
        out.print(f"with wildcards the smallest count is {smallest:,}; {alone:,} rows match nobody else", style="dim")
    if risk is not None:
        out.print()
        show_risk(risk, out)


def _asked(finding: Finding) -> list[str | Text]:
    verdict = Text("met", style="green") if finding.holds else Text("FAILS", style="bold red")
    failing = [f"{finding.failing_classes:,}", f"{finding.failing_rows:,}"]
    return [finding.model, finding.attribute or "", number(finding.asked), number(finding.reached), *failing, verdict]


def _unasked(finding: Finding) -> list[str | Text]:
    there = [f"{finding.worst_classes:,}", f"{finding.worst_rows:,}"]
    return [finding.model, finding.attribute or "", number(finding.reached), *there]


def verification(found: Verification) -> None:
    """Print every check and what came of it."""
    out = console()
    for check in found.checks:
        mark = Text("ok  ", style="green") if check.passed else Text("FAIL", style="bold red")
        out.print(mark, check.what + (f": {check.detail}" if check.detail else ""))
    for note in found.not_checked:
        out.print(Text("  - "), note)
    if found.proved is not None:
        out.print(_gap(found.proved))
    out.print(Text("verified", style="bold green") if found.passed else Text("refused", style="bold red"))


def _gap(found: Proved) -> Table:
    facts = Table.grid(padding=(0, 2))
    facts.add_row("cost", f"{found.cost:,.6g} ({found.measure})")
    facts.add_row("proved", f"no release costs less than {found.bound:,.6g}")
    facts.add_row("gap", "unknown" if found.gap is None else above_best(max(found.gap - 1, 0.0)))
    return facts


def rows(content: list[dict[str, Any]]) -> None:
    """Print a list of things, a row each."""
    grid = Grid().headed(*content[0], overflow="fold")
    for row in content:
        grid.add_row(*("-" if value is None else str(value) for value in row.values()))
    console().print(grid)
