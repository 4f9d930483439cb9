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
from shoal.core.discovery import discover
from shoal.core.number_format import number
from shoal.models import Model
from shoal.release.certificate import Certificate
from shoal.release.verification import Proved, Verification


def saved(
    folder: str | Path, *, as_json: bool, seconds: Mapping[str, float] | None = None, limit: float | None = None
) -> None:
    """Print the certificate of a release that was written, how long it took, and which part is safe to share."""
    text = (Path(folder) / "public" / "certificate.json").read_text(encoding="utf-8")
    if as_json:
        print(text, end="")
        return
    found = Certificate.from_json(text)
    levels = "\n".join(f"{name}: {said}" for name, said in _levels(Path(folder)).items())
    time = time_taken(seconds, limit) if seconds else ""
    certificate(found, {name: said for name, said in {"hierarchies": levels, "time": time}.items() if said})
    written(folder, found)


def _levels(folder: Path) -> dict[str, str]:
    """Return what the levels of the quasi-identifiers are, as the codebook says it; nothing without hierarchies."""
    book = json.loads((folder / "public" / "codebook.json").read_text(encoding="utf-8"))
    return {column["name"]: column["hierarchy"] for column in book["columns"] if "hierarchy" in column}


def time_taken(seconds: Mapping[str, float], limit: float | None = None) -> str:
    """Say how long the search took, beside its limit, and what is not counted in that.

    >>> time_taken({"search": 9.96, "check": 0.52, "compile": 21.3}, 10)
    'search 10.0 s (limit 10 s), checking 0.5 s, compiling 21.3 s (at the first use only)'
    """
    beside = "" if limit is None else f" (limit {limit:g} s)"
    compiled = f", compiling {seconds['compile']:.1f} s (at the first use only)" if seconds["compile"] >= 0.1 else ""
    return f"search {seconds['search']:.1f} s{beside}, checking {seconds['check']:.1f} s{compiled}"


def certificate(found: Certificate, more: Mapping[str, str] | None = None) -> None:
    """Print what a release guarantees, and more facts by their names."""
    out = console()
    for text in found.exposed:
        out.print(text, style="yellow")
    out.print(_models(found))
    facts = Table.grid(padding=(0, 2))
    dropped = f"{found.dropped:,} dropped" if found.dropped else "none dropped"
    facts.add_row("rows", f"{found.rows:,}, {dropped}, {found.starred:,} all stars")
    facts.add_row("classes", f"{found.classes:,}")
    facts.add_row("cost", f"{float(found.cost):,.6g} ({found.cost.name})")
    facts.add_row("proved", _proved(found))
    facts.add_row("method", f"{found.method}, recoding {found.recoding}")
    for name, fact in (more or {}).items():
        facts.add_row(name, fact)
    out.print(facts)
    for remark in found.remarks:
        out.print(remark, style="dim")


def written(folder: str | Path, found: Certificate) -> None:
    """Print where a release is, and whether it may be shared."""
    console().print(Text(str(folder), style="bold"), f": {found.sharing}", sep="")


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
    if found.status == "optimal":
        return "optimal: no release of this kind costs less"
    parts = [found.guarantee] if found.guarantee else []
    if found.gap is not None:
        parts.append(f"at most {found.gap:.4g} times the optimum (lower bound {found.lower_bound:,.6g})")
    return "; ".join(parts) or "nothing about the optimum: no lower bound is known for this request"


def audit(found: Audit) -> None:
    """Print what a table was found to give."""
    out, risk = console(), found.risk
    out.print(
        f"{found.rows:,} rows in {found.classes:,} classes of {found.smallest_class:,} to {found.largest_class:,} rows;"
        f" {found.unique_rows:,} rows are unique"
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
    facts.add_row("gap", "unknown" if found.gap is None else f"at most {found.gap:.4g} times the optimum")
    return facts


def rows(content: list[dict[str, Any]]) -> None:
    """Print a list of things, a row each."""
    grid = Grid().headed(*content[0], overflow="fold")
    for row in content:
        grid.add_row(*("-" if value is None else str(value) for value in row.values()))
    console().print(grid)
