"""What the pages quote of ARX is what was measured of it, where the file of these measurements is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.proofs import CASES
from tests.test_shared_data import PEERS

BEST = PEERS / "arx_best.json"
DOCS = Path(__file__).parents[1] / "docs"
pytestmark = pytest.mark.skipif(not BEST.is_file(), reason="there are no measurements of ARX beside the repository")


def results(kind: str, table: str = "") -> list[dict[str, Any]]:
    """The best settings of ARX that were measured, for some tables."""
    every: list[dict[str, Any]] = json.loads(BEST.read_text(encoding="utf-8"))["results"]
    return [one for one in every if one["kind"] == kind and one["table"].startswith(table)]


def step(one: dict[str, Any]) -> str:
    """The step of a setting such as `optimizeIterativeFast, step 0.01, gs factor 0`."""
    method, word, rest = one["setting"].split(", ")
    assert (method, rest) == ("optimizeIterativeFast", "gs factor 0")
    return str(word.removeprefix("step "))


def test_every_local_recoding_of_arx_is_quoted_with_its_step() -> None:
    page = (DOCS / "measurements.md").read_text(encoding="utf-8")
    section = page.split("### Beside ARX\n")[1].split("\n### ")[0]
    quoted = [line for line in section.splitlines() if line.startswith("|")]
    for one in results("local"):
        loss, cpu = f"| {one['ncp']:.3g} | {step(one)} |", f"| {one['cpu_seconds']:.1f} | {one['classes']:,} |"
        valid = "yes" if one["whole_table_valid"] else "no"
        assert [line for line in quoted if loss in line and cpu in line and line.endswith(f"| {valid} |")]


def test_the_optima_of_arx_are_those_of_full_domain() -> None:
    page = (DOCS / "fulldomain.md").read_text(encoding="utf-8")
    for one in results("full-domain", "Adult, 9"):
        assert f"| {one['ncp']:.4f} |" in page
    for one in results("local", "Adult, 9"):
        assert f"| {one['ncp']:.4f} |" in page


def test_the_benchmark_quotes_the_same() -> None:
    quoted = " ".join(case.arx for case in CASES.values())
    for one in results("local", "Adult"):
        assert f"{one['ncp']:.3g} (step {step(one)}" in quoted
