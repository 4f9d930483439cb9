"""Numbers of the source tree: `python -m tests.house` prints them, and `tests/test_house.py` holds the limits."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from tests.test_layers import FILES, ORDER, PARTS, SOURCE

SOURCES = [SOURCE / "__init__.py", *FILES.values()]
PACKAGES = [part for part in PARTS if FILES[part].name == "__init__.py"]
MODULES = ["__init__", *(part for part in PARTS if part not in PACKAGES)]

IMPORTERS = {"import_module", "__import__", "exec", "run_module"}
"""Functions that can import a module: a call of one counts as an import."""

LOADED = "print(*(name for name in sys.modules if name == 'shoal' or name.startswith('shoal.')))"
VERIFY = f"import shoal, sys; assert not shoal.verify(sys.argv[1]).failures; {LOADED}"
HELP = f"""
import atexit, sys
atexit.register(lambda: {LOADED})
sys.argv = ["shoal", "--help"]
from shoal.__main__ import main
main()
"""


@dataclass(frozen=True)
class Addition:
    """How many source files are touched by adding one of something, and why; pages and tests are not counted."""

    what: str
    files: int
    reason: str


ADDITIONS = (
    Addition("a method", 1, "a file in a family of methods/: discovery finds it"),
    Addition("a privacy model", 1, "a file in models/; with bounds of its own also patterns/demands, checking/gains"),
    Addition("a cost", 1, "a file in costs/; checking/published_cost too, if verify is to recompute it"),
    Addition("a lower bound", 1, "a file in bounds/"),
    Addition("a hierarchy builder", 1, "a file in hierarchies/"),
    Addition("an attack", 1, "a file in attacks/"),
    Addition("a reader of files", 1, "a file in tables/readers/; an option of its own also in request.py"),
    Addition("a writer of files", 1, "a file in tables/writers/"),
    Addition("a setting", 1, "a field in request.py, named twice there; and the file that uses it"),
)
"""Most are found by discovery: `tests/contracts/test_contributing.py` adds one of each by writing one file."""

SETTING = "max_suppressed"
"""A setting whose name is counted, for the files that adding one would touch."""


def release_folder(folder: Path, require: str, **asked: str) -> Path:
    """Write a small release to be verified."""
    import shoal

    ages, towns = [20 + 3 * (i % 12) for i in range(48)], ["north" if i % 3 else "south" for i in range(48)]
    people = pl.DataFrame({"age": ages, "town": towns, "illness": [f"i{i * i % 5}" for i in range(48)]})
    release = shoal.anonymize(people, quasi=["age", "town"], sensitive=["illness"], require=require, **asked)  # type: ignore[arg-type]
    return release.save(folder)


def loaded(program: str, *words: str) -> list[str]:
    """Return the modules of shoal that a program has loaded when it ends, each program in a process of its own."""
    run = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return sorted(run.stdout.splitlines()[-1].split())


def verified(**asked: str) -> list[str]:
    """Return the modules of shoal that `shoal.verify` of a small release loads."""
    with tempfile.TemporaryDirectory() as place:
        return loaded(VERIFY, str(release_folder(Path(place) / "release", **{"require": "k=3 l(illness)=2", **asked})))


def imports(path: Path) -> list[int]:
    """Return the lines of a file that import a module, of shoal or of anybody else, by a statement or by a call."""
    return _imports(ast.parse(path.read_text(encoding="utf-8")))


def imports_inside_functions(path: Path) -> list[int]:
    """Return those of them that are inside functions."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    return sorted({line for function in functions for line in _imports(function)})


def imports_for_type_checkers(path: Path) -> list[int]:
    """Return those of them that never run: below `if TYPE_CHECKING`, which the lazy packages list their names in."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [line for node in nodes if isinstance(node, ast.If) and _is_for_types(node) for line in _imports(node)]


def _is_for_types(node: ast.If) -> bool:
    return ast.unparse(node.test) == "TYPE_CHECKING"


def _imports(tree: ast.AST) -> list[int]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call))
    return [node.lineno for node in nodes if not isinstance(node, ast.Call) or _called(node) in IMPORTERS]


def _called(call: ast.Call) -> str:
    """Return the name of a function that is called; none for what another call returns."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def source_lines() -> int:
    """Return the lines of all Python files of the source tree."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py"))


def files_naming(word: str) -> list[str]:
    """Return the modules whose text names a word."""
    return [module for module, path in FILES.items() if re.search(rf"\b{word}\b", path.read_text(encoding="utf-8"))]


def main() -> None:
    """Print the numbers."""
    counted = (imports, imports_inside_functions, imports_for_type_checkers)
    every, inside, for_types = (sum(map(len, map(lines, SOURCES))) for lines in counted)
    print(f"packages at the top              {len(PACKAGES)}: {', '.join(PACKAGES)}")
    print(f"modules at the top               {len(MODULES)}: {', '.join(MODULES)}")
    print(f"layers                           {len(ORDER)}")
    print(f"modules that verify loads        {len(verified())}")
    print(f"  of a release with a proof      {len(verified(method='cube', recoding='generalize'))}")
    print(f"modules that shoal --help loads  {len(loaded(HELP))}")
    print(f"imports inside functions         {inside} of {every} ({inside / every:.1%})")
    print(f"imports for type checkers alone  {for_types}")
    print(f"source lines                     {source_lines():,}")
    print(f"files that name a setting        {len(files_naming(SETTING))} ({SETTING})")
    for addition in ADDITIONS:
        print(f"files for {addition.what:<23}{addition.files}: {addition.reason}")


if __name__ == "__main__":
    main()
