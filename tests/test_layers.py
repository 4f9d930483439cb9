"""The layers of the source tree: a package imports only packages of the lines above its own.

Imports inside functions count, and so do those for types alone: who reads a module must know what they name.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import shoal

SOURCE = Path(shoal.__file__).parent

ORDER = [
    {"core"},
    {"tables"},
    {"hierarchies"},
    {"microdata"},
    {"models"},
    {"risk"},
    {"checking"},
    {"release"},
    {"recoding"},
    {"costs"},
    {"request"},
    {"config", "problem"},
    {"patterns"},
    {"bounds"},
    {"methods"},
    {"inspection"},
    {"attacks", "utility"},
    {"report"},
    {"steps"},
    {"pipeline"},
    {"republication", "studies", "spark", "dataframes"},
    {"web"},
    {"cli"},
    {"__main__"},
]
LAYER = {part: layer for layer, parts in enumerate(ORDER) for part in parts}

NOT_YET: dict[tuple[str, str], str] = {}
"""Imports against the order that are still there, importer and imported, each with the reason. It only shrinks."""

MAKERS = {"recoding", "costs", "problem", "patterns", "bounds", "methods", "steps", "pipeline"}
CHECKERS = ("checking", "release")


def module_of(path: Path) -> str:
    """The dotted name of a file, without `shoal.`; that of a package for its `__init__`."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"}
PARTS = sorted({module.split(".")[0] for module in FILES})


def named(node: ast.AST) -> Iterator[str]:
    """The modules that a statement imports, without `shoal.`; shoal itself is its version only."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports say less"
        inner = [f"{node.module}.{name.name}" for name in node.names]
        names = [name if name.removeprefix("shoal.") in FILES else node.module or "" for name in inner]
    else:
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
    yield from (name.removeprefix("shoal.") for name in names if name.startswith("shoal."))


@cache
def imported(module: str) -> frozenset[str]:
    """The modules that a module imports, at its top or inside a function."""
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    return frozenset(name for node in ast.walk(tree) for name in named(node)) - {module}


def against_the_order(part: str) -> set[tuple[str, str]]:
    """Importer and imported, for every import of a part that goes up, or to the side."""
    return {
        (module, other)
        for module in FILES
        if module.split(".")[0] == part
        for other in imported(module)
        if (there := other.split(".")[0]) != part and LAYER[there] >= LAYER[part]
    }


def known_to(part: str) -> set[str]:
    """The parts that are loaded with any module of a part: what it imports, the packages around that, and so on."""
    known, new = set[str](), {module for module in FILES if module.split(".")[0] == part}
    while new:
        known |= new
        around = {other.rsplit(".", depth)[0] for other in new for depth in range(other.count(".") + 1)}
        new = ({other for module in new for other in imported(module)} | around) - known
    return {module.split(".")[0] for module in known}


def users_of(package: str) -> set[str]:
    """The parts, or where they are several the modules of `studies`, that import a package."""
    return {
        module.split(".")[0]
        for module in FILES
        if not module.startswith(package)
        and any(other == package or other.startswith(f"{package}.") for other in imported(module))
    }


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_only_what_stands_above_it(part: str) -> None:
    assert part in LAYER, f"{part} has no line in ORDER: give it one"
    assert not against_the_order(part) - set(NOT_YET)


@pytest.mark.parametrize("pair", NOT_YET)
def test_what_is_excused_is_still_there(pair: tuple[str, str]) -> None:
    assert pair in against_the_order(pair[0].split(".")[0]), "it is gone: take it off the list"


@pytest.mark.parametrize("part", CHECKERS)
def test_the_checker_knows_no_maker_not_even_through_others(part: str) -> None:
    assert not known_to(part) & MAKERS


@pytest.mark.parametrize("part", ["attacks", "report", "risk", "utility"])
def test_measures_of_a_release_know_nothing_of_methods(part: str) -> None:
    assert not known_to(part) & {"methods", "bounds", "pipeline"}


def test_the_top_of_the_tree_stays_small() -> None:
    modules = [part for part in PARTS if FILES[part].name != "__init__.py"]
    assert len(PARTS) - len(modules) <= 24
    assert len(modules) + 1 <= 6  # and shoal/__init__.py


def test_no_module_is_called_like_a_public_function() -> None:
    assert not set(PARTS) & {name for name in shoal.__all__ if name.islower()}


def test_only_the_command_line_imports_the_page_and_only_the_page_its_toolkit() -> None:
    assert users_of("cli") == {"__main__"}
    assert users_of("web") == {"cli"}
    toolkit = {module for module, path in FILES.items() if "nicegui import" in path.read_text(encoding="utf-8")}
    assert {module.split(".")[0] for module in toolkit} == {"web"}
    assert not [module for module in toolkit if module.startswith("web.desk")]


def test_only_the_command_line_imports_hard_tables() -> None:
    assert users_of("studies.hardness") == {"cli"}


def test_only_reports_studies_and_the_command_line_import_measures_of_use() -> None:
    assert users_of("utility") == {"cli", "report", "studies"}
