"""Dependencies point one way: a part of shoal imports only what stands before it here."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal

SOURCE = Path(shoal.__file__).parent

ORDER = [
    {"arrays", "clock", "errors"},
    {"chances", "markup", "memory", "parameters", "plots", "prices", "registry", "sorting", "watching", "wording"},
    {"marks", "solver", "spelling"},
    {"coded"},
    {"tidying"},
    {"columns", "csv_text"},
    {"spilled"},
    {"table"},
    {"writing"},
    {"factors"},
    {"metric", "neutral", "roles", "two_tables"},
    {"hierarchies"},
    {"averages", "coverage", "invariance", "microdata", "patterns", "synth", "traces"},
    {"containment", "gains", "partition", "raising", "wildcard"},
    {"cells", "histogram", "risk"},
    {"anatomy", "centroid"},
    {"recode"},
    {"emd"},
    {"costs", "models"},
    {"codebook", "config", "orders", "requirement"},
    {"arx", "audit", "inspection", "proof", "vary"},
    {"certificate", "problem"},
    {"cube", "hardness"},
    {"bounds", "clusters", "crowds", "curve", "medians"},
    {"fragments", "lattice", "simplex"},
    {"methods", "release"},
    {"opened", "published_cost"},
    {"apart", "shown", "traced"},
    {"verify"},
    {"attacks", "utility"},
    {"coarsening", "reference", "register", "report"},
    {"peers", "pipeline"},
    {"codip", "compare", "engines", "follow", "state"},
    {"frontier", "spark"},
    {"desk"},
    {"web"},
    {"cli"},
    {"__main__"},
]
LAYER = {part: layer for layer, parts in enumerate(ORDER) for part in parts}
CHECKERS = [
    *("attacks", "audit", "averages", "chances", "containment", "coverage", "crowds", "gains", "opened", "orders"),
    *("patterns", "proof", "published_cost", "raising", "register", "report", "risk", "shown", "spelling", "traced"),
    *("traces", "two_tables", "verify", "wildcard"),
]


def part_of(path: Path) -> str:
    """The part a file belongs to: its top folder, or the file itself."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The parts that a file imports, at its top or inside a function; shoal itself is its version only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            modules = [f"shoal.{name.name}" for name in node.names] if node.module == "shoal" else [node.module or ""]
        else:
            modules = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        yield from (module.split(".")[1] for module in modules if module.startswith("shoal."))


def graph() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path != SOURCE / "__init__.py":
            found.setdefault(part_of(path), set()).update(set(imported(path)) - {part_of(path)})
    return found


GRAPH = graph()


@pytest.mark.parametrize("part", sorted(GRAPH))
def test_a_part_imports_only_what_stands_before_it(part: str) -> None:
    assert part in LAYER, f"{part} has no place in the order: give it one"
    turned = sorted(other for other in GRAPH[part] if LAYER[other] >= LAYER[part])
    assert not turned, f"{part} imports {turned}, which do not stand before it"


def known_to(part: str) -> set[str]:
    """The parts that a part imports, and those that they import."""
    known, new = {part}, {part}
    while new:
        new = {other for part in new for other in GRAPH[part]} - known
        known |= new
    return known


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_checker_knows_nothing_of_the_checked(checker: str) -> None:
    assert not known_to(checker) & {"methods", "bounds", "pipeline"}


def test_the_checker_of_bounds_knows_neither_problems_nor_costs() -> None:
    assert not known_to("proof") & {"methods", "bounds", "problem", "costs", "cells", "recode"}


@pytest.mark.parametrize("checker", ["audit", "certificate", "published_cost", "release", "shown", "traced", "verify"])
def test_checks_and_certificates_know_neither_cells_nor_costs_nor_problems(checker: str) -> None:
    assert not known_to(checker) & {"anatomy", "cells", "codebook", "costs", "cube", "problem", "recode"}


def test_the_flow_knows_no_engine_but_by_name() -> None:
    assert not known_to("pipeline") & {"engines", "spark"}


def test_only_the_command_line_imports_the_command_line() -> None:
    assert [part for part, others in GRAPH.items() if "cli" in others] == ["__main__"]


def test_only_the_command_line_imports_the_page_and_only_the_page_its_toolkit() -> None:
    assert [part for part, others in GRAPH.items() if "web" in others] == ["cli"]
    users = {part_of(path) for path in SOURCE.rglob("*.py") if "nicegui import" in path.read_text(encoding="utf-8")}
    assert users == {"web"}


def test_only_reports_and_the_command_line_import_measures_of_use() -> None:
    assert [part for part, others in GRAPH.items() if "utility" in others] == ["cli", "frontier", "report"]


def test_only_the_command_line_imports_hard_tables() -> None:
    assert [part for part, others in GRAPH.items() if "hardness" in others] == ["cli"]
