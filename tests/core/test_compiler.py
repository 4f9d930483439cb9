"""Loops that are compiled when they are first called."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.core.compiler import Loop, njit
from shoal.core.kernel_folder import SOURCE, loops_folder

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

KEPT = """
from {module} import Pair
from shoal.core.compiler import njit

@njit(cache=True)
def added(pair):
    return pair.one + pair.other

print(added(Pair(1, 2)))
"""


def _first_doubled(numbers, found):  # type: ignore[no-untyped-def]
    found[0] = 2 * numbers[0]


def _total_doubled(numbers, found):  # type: ignore[no-untyped-def]
    found[0] = (2 * numbers).sum()


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_loop_that_says_it_makes_no_arrays_writes_into_those_it_is_given_and_makes_none() -> None:
    numbers, found = np.array([21]), np.zeros(1, np.int64)
    njit(_first_doubled, makes_arrays=False)(numbers, found)
    assert found[0] == 42
    with pytest.raises(Exception, match="NRT required"):
        njit(_total_doubled, makes_arrays=False)(numbers, found)


def _at_home(home: Path) -> dict[str, str]:
    """Return the environment with a home of its own, and no other place for what is compiled."""
    return {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {"HOME": str(home)}


def test_what_was_compiled_for_a_class_that_is_gone_is_compiled_anew(tmp_path: Path) -> None:
    home = _at_home(tmp_path)
    for module in ("before", "after"):
        (tmp_path / f"{module}.py").write_text(
            "from typing import NamedTuple\nclass Pair(NamedTuple):\n one: int\n other: int"
        )
        (tmp_path / "kept.py").write_text(KEPT.format(module=module))
        run = subprocess.run(
            [sys.executable, "kept.py"], cwd=tmp_path, env=home, capture_output=True, text=True, check=False
        )
        assert (run.stdout, run.stderr) == ("3\n", "")
        assert list(tmp_path.rglob("*.nbi"))
        (tmp_path / f"{module}.py").unlink()


def test_what_one_installation_compiled_another_one_of_the_same_text_reads(tmp_path: Path) -> None:
    """Two copies of the code, one home: the second compiles nothing."""
    source = Path(shoal.__file__).parent
    script = (
        "from shoal.patterns.grid import numbering; from numba.core import event\n"
        "with event.install_recorder('numba:compile') as record: numbering(3)\n"
        "print(len(record.buffer) > 0)"
    )
    said = []
    for copy in ("one", "other"):
        shutil.copytree(source, tmp_path / copy / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
        there = {**_at_home(tmp_path / "home"), "PYTHONPATH": str(tmp_path / copy)}
        done = subprocess.run([sys.executable, "-c", script], env=there, capture_output=True, text=True, check=True)
        said.append(done.stdout.strip())
    assert said == ["True", "False"]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_nothing_is_left_behind_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """No home, and code that cannot be written to: the loop is compiled for this run."""
    (tmp_path / "home").touch()
    (tmp_path / "temporary").mkdir()
    script = (
        "import os; os.access = lambda *_: False\n"
        "import numpy as np; from shoal.patterns.kernels import rising\n"
        "print(*rising(np.array([2, 1])))"
    )
    there = {**_at_home(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary")}
    done = subprocess.run([sys.executable, "-c", script], env=there, capture_output=True, text=True, check=True)
    assert (done.stdout, list((tmp_path / "temporary").iterdir())) == ("1 0\n", [])


def _index(folder: str) -> Any:
    from shoal.core import numba_setup

    kind: Any = numba_setup._Index
    return kind(cache_path=folder, filename_base="loop", source_stamp="text")


def test_loops_are_compiled_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No home, a source tree and a cache that may only be read, a full disk: then they are compiled for this run."""
    from shoal.core import numba_setup

    file = str(SOURCE / "patterns" / "grid.py")
    monkeypatch.setattr(numba_setup, "loops_folder", lambda: None)
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = set(Path(tempfile.gettempdir()).glob("shoal-*"))
    place = numba_setup._Locator.from_function(_first_doubled, file)
    assert place is not None
    place.ensure_cache_path()
    kept = _index(place.get_cache_path())
    kept.save("key", "compiled")
    assert kept.load("key") is None
    assert set(Path(tempfile.gettempdir()).glob("shoal-*")) == before


@pytest.mark.parametrize("left", [0, 9, 60])
def test_what_is_damaged_in_the_cache_of_loops_is_compiled_again(tmp_path: Path, left: int) -> None:
    kept = _index(str(tmp_path))
    kept.save("key", "compiled" * 20)
    assert kept.load("key") == "compiled" * 20
    for name in ("*.nbi", "*.nbc"):
        (path,) = tmp_path.glob(name)
        whole = path.read_bytes()
        path.write_bytes(whole[:left])
        assert kept.load("key") is None
        kept.save("key", "compiled" * 20)
        assert kept.load("key") == "compiled" * 20


def test_a_cache_that_may_only_be_read_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setenv("HOME", str(tmp_path))
    folder = loops_folder.__wrapped__()
    monkeypatch.setattr(Path, "touch", refused)
    assert loops_folder.__wrapped__() == folder == next((tmp_path / ".cache" / "shoal" / "kernels").iterdir())


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
