"""Mutants are what they say, and each is another program."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from tests.mutation.__main__ import Subject
from tests.mutation.mutants import mutants, mutated

SOURCE = """
LIMIT = 3

def least(numbers, strict=False):
    if not numbers or (strict and len(numbers) < LIMIT):
        return None
    return min(numbers) - 1

class Box:
    def holds(self, one):
        return one in (1, 2)
"""


def _made(number: int) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(mutated(SOURCE, mutants(SOURCE)[number], "made.py"), names)
    return names


def test_every_change_is_listed_with_its_function() -> None:
    assert [(mutant.function, mutant.change) for mutant in mutants(SOURCE)] == [
        ("least", "condition negated"),
        ("least", "or to and"),
        ("least", "and to or"),
        ("least", "Lt to LtE"),
        ("least", "return None"),
        ("least", "Sub to Add"),
        ("least", "1 to 2"),
        ("Box.holds", "return None"),
        ("Box.holds", "In to NotIn"),
        ("Box.holds", "1 to 2"),
        ("Box.holds", "2 to 3"),
    ]
    assert len({mutant.name for mutant in mutants(SOURCE)}) == len(mutants(SOURCE))


def test_a_mutant_behaves_as_it_says() -> None:
    assert _made(5)["least"]([4, 7]) == 5  # type: ignore[operator]
    assert _made(6)["least"]([4, 7]) == 2  # type: ignore[operator]
    assert _made(8)["Box"]().holds(3) is True  # type: ignore[operator]


def test_two_mutants_of_one_place_have_two_names() -> None:
    made = mutants("def product(a, b, c):\n    return a * b * c")
    assert len({mutant.name for mutant in made}) == len(made) == 3


TWICE = """
from tests.mutation.__main__ import _run

def pytest_runtestloop(session):
    print("came:", [_run(item, 0.2) for item in session.items for _ in range(2)])
    return True
"""


def _came(folder: Path, example: str) -> str:
    """Run a file of tests twice each, as for mutants: what is printed of it."""
    (folder / "twice.py").write_text(TWICE)
    (folder / "test_example.py").write_text(example)
    paths = [str(folder), str(Path(__file__).parents[2]), *sys.path]
    asked = [sys.executable, "-c", f"import sys; sys.path[:] = {paths!r}; import pytest; pytest.main(sys.argv[1:])"]
    asked += ["-p", "twice", "-p", "no:cacheprovider", "--doctest-modules", "-s", "--rootdir", str(folder)]
    done = subprocess.run(
        [*asked, str(folder / "test_example.py")], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_an_example_of_a_docstring_can_be_run_again(tmp_path: Path) -> None:
    """pytest forgets after a run what the example knows; it must not fail for that, as if it had noticed a mutant."""
    said = _came(tmp_path, '"""\n>>> sqrt(4)\n2.0\n"""\nfrom math import sqrt\n')
    assert "came: ['passes', 'passes']" in said, said


def test_a_test_that_does_not_end_is_told_from_one_that_fails(tmp_path: Path) -> None:
    said = _came(tmp_path, "def test_a():\n    assert False\n\ndef test_b():\n    while True:\n        pass\n")
    assert "came: ['fails', 'fails', 'no end', 'no end']" in said, said


def test_a_module_says_which_of_its_functions_were_called(tmp_path: Path) -> None:
    module = import_module("shoal.checking.rounded_weights")
    subject, called = Subject(module, tmp_path / "ledger"), set[str]()
    codes = subject.record(called)
    try:
        module.wrongly_rounded(pl.Series([10]), pl.Series([9.0]), 10)
    finally:
        subject.restore(codes)
    assert called == {"shoal.checking.rounded_weights:wrongly_rounded"}
    called.clear()
    module.wrongly_rounded(pl.Series([10]), pl.Series([9.0]), 10)
    assert called == set()
    assert {mutant.function for mutant in subject.mutants} == {"wrongly_rounded"}


@pytest.mark.parametrize("loops", [False, True])
def test_compiled_loops_have_mutants_only_if_they_are_asked_for(tmp_path: Path, loops: bool) -> None:
    subject = Subject(import_module("shoal.checking.class_gains_kernel"), tmp_path / "ledger", loops=loops)
    found = {mutant.function for mutant in subject.mutants}
    assert ({"boxes_of", "gains_of"} <= found) is loops
    assert "Memory.of" in found
