"""What every test may rely on: helpers import as `tests.oracle`, and examples are never refused for being slow.

What a test calls `record_property("seen", "...")` with, such as the worst ratio, is printed at the end of the run.
"""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.thorough import many

settings.register_profile(
    "shoal",
    max_examples=many(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),  # a submission is judged on the same examples each time; people explore
)
settings.load_profile("shoal")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have seen."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    seen = [text for report in reports for name, text in getattr(report, "user_properties", []) if name == "seen"]
    if seen:
        terminalreporter.section("seen")
        for text in sorted(map(str, seen)):
            terminalreporter.write_line(text)
