"""What every test may rely on: helpers import as `tests.oracle`, and examples are never refused for being slow.

What a test calls `record_property("seen", "...")` with, such as the worst ratio, is printed at the end of the run. Then
come the parts of the run, with what they check; and what was not run: skipped tests by their reason, and those that
another target of make runs.
"""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.thorough import examples

settings.register_profile(
    "shoal",
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),  # a submission is judged on the same examples each time; people explore
)
settings.load_profile("shoal")

PARTS = {
    "laws of models, costs, bounds and methods": ("tests/contracts/", "tests/campaign/", "tests/methods/"),
    "the independent check and its definitions": (
        "tests/checking/",
        "tests/models/",
        "tests/patterns/",
        "tests/bounds/",
    ),
    "releases: files, faults, by-products": ("tests/release/", "tests/republication/"),
    "tables: readers, writers, hostile files": ("tests/tables/", "tests/fuzz/", "tests/hierarchies/"),
    "command line, page and Spark": ("tests/cli/", "tests/web/", "tests/spark/", "tests/dataframes/"),
    "examples in docstrings": ("src/",),
    "documentation": ("docs/", "README.md", "tests/test_docs_site.py", "tests/test_readme.py", "tests/test_pages.py"),
}
"""What a run checks, and where: the first part counts whose place a test is in."""
ELSEWHERE = {"slow": "make test-all", "web": "make test-web"}
"""Which target runs the tests that have a mark."""
LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count."""
    config.stash[LEFT_OUT] = {}


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the tests that another target runs."""
    for item in items:
        mark = next((mark for mark in ELSEWHERE if item.get_closest_marker(mark)), "others")
        counts = item.config.stash[LEFT_OUT]
        counts[mark] = counts.get(mark, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a process say what it did not run; all of them collect the same tests."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a process did not run."""
    node.config.stash[LEFT_OUT] = node.config.stash[LEFT_OUT] | getattr(node, "workeroutput", {}).get("left_out", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have seen, what was checked, and what was not run for which reason."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    seen = [text for report in reports for name, text in getattr(report, "user_properties", []) if name == "seen"]
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    left_out = terminalreporter.config.stash[LEFT_OUT]
    for title, lines in (
        ("seen", sorted(map(str, seen))),
        ("checked", _parts(reports)),
        (f"skipped: {skipped.total()}", [f"{number:>5} {why}" for why, number in skipped.most_common()]),
        (
            f"left out: {sum(left_out.values())}",
            [f"{number:>5} {mark}: {ELSEWHERE.get(mark, 'not asked for')}" for mark, number in left_out.items()],
        ),
    ):
        if lines:
            terminalreporter.section(title)
            for line in lines:
                terminalreporter.write_line(line)


def _parts(reports: Sequence[Any]) -> list[str]:
    """Return what was checked: for each part its tests, those that failed, and the seconds they took."""
    tests, failed = Counter[str](), Counter[str]()
    seconds: dict[str, float] = {}
    for report in reports:
        place = report.nodeid.partition("::")[0]
        part = next((name for name, places in PARTS.items() if place.startswith(places)), "everything else")
        tests[part] += getattr(report, "when", "") == "call"
        failed[part] += report.outcome == "failed"
        seconds[part] = seconds.get(part, 0.0) + getattr(report, "duration", 0.0)
    return [
        f"{tests[part]:>6} tests, {failed[part]:>3} failed, {seconds[part]:>6.0f} s: {part}"
        for part in (*PARTS, "everything else")
        if tests[part] or failed[part]
    ]


def _reason(report: pytest.TestReport) -> str:
    """Why a test was skipped, and of which file."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return f"{report.nodeid.partition('::')[0]}: {said.removeprefix('Skipped: ')}"
