"""Loops that are compiled when they are first called."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from shoal.core.compiler import Loop

INNER = """
from shoal.core.compiler import njit

@njit(cache=False)
def doubled(number):
    return 2 * number

@njit(cache=False)
def total(count):
    found = 0
    for number in range(count):
        found += doubled(number)
    return found
"""
OUTER = """
from loops_of_a_test import doubled, total
from shoal.core.compiler import njit

@njit
def both(count):
    return total(count) + doubled(count)
"""


def test_loops_of_other_modules_are_compiled_with_those_that_call_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loops_of_a_test.py").write_text(INNER)
    (tmp_path / "loops_over_others.py").write_text(OUTER)
    monkeypatch.syspath_prepend(tmp_path)
    both = import_module("loops_over_others").both
    assert isinstance(both, Loop)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(both, [10] * 8)) == {110}
    assert import_module("loops_of_a_test").total(4) == 12


def test_importing_every_method_does_not_load_the_compiler() -> None:
    script = (
        "import sys; from shoal.methods.auto import methods; methods(); print(*{'numba', 'highspy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
