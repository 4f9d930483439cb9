"""What every test may rely on: helpers import as `tests.oracle`, and examples are never refused for being slow.

What a test calls `record_property("seen", "...")` with, such as the worst ratio, is printed at the end of the run, and
so is what was skipped, counted by its reason.
"""

import os
import sys
from collections import Counter
from pathlib import Path

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have seen, and what was skipped for which reason."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    seen = [text for report in reports for name, text in getattr(report, "user_properties", []) if name == "seen"]
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    for title, lines in (
        ("seen", sorted(map(str, seen))),
        (f"skipped: {skipped.total()}", [f"{number:>5} {why}" for why, number in skipped.most_common()]),
    ):
        if lines:
            terminalreporter.section(title)
            for line in lines:
                terminalreporter.write_line(line)


def _reason(report: pytest.TestReport) -> str:
    """Why a test was skipped, and of which file."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return f"{report.nodeid.partition('::')[0]}: {said.removeprefix('Skipped: ')}"
