"""Limits on the source tree: what a verification and help load, how large its top is, imports inside functions."""

import re
from pathlib import Path

import pytest
from tests import house

from shoal.release.certificate import TRUSTED_BASE


@pytest.mark.parametrize("asked", [{}, {"method": "cube", "recoding": "generalize"}], ids=["small", "proved"])
def test_verification_loads_fewer_than_45_modules_all_of_the_trusted_base(asked: dict[str, str]) -> None:
    found = house.verified(**asked)
    assert len(found) < 45
    assert {module.split(".")[1] for module in found if "." in module} <= set(TRUSTED_BASE)


def test_imports_inside_functions_are_few_and_say_why() -> None:
    found = {path: house.imports_inside_functions(path) for path in house.SOURCES}
    assert sum(map(len, found.values())) < 60
    for path, numbers in found.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        unsaid = [n for n in numbers if " # " not in lines[n - 1] and n - 1 not in numbers]
        assert not unsaid, f"{path}: an import inside a function has a comment that says why: lines {unsaid}"


def test_an_import_by_a_call_counts(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        "import os\ndef f():\n    import re\n    return importlib.import_module('re')\ng = lambda: exec('')"
    )
    assert (house.imports(source), house.imports_inside_functions(source)) == ([1, 3, 4, 5], [3, 4, 5])


def test_an_import_for_type_checkers_is_not_inside_a_function_for_that(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("if TYPE_CHECKING:\n    import re\ndef f():\n    if TYPE_CHECKING:\n        import os\n")
    assert (house.imports_for_type_checkers(source), house.imports_inside_functions(source)) == ([2, 5], [5])


def test_the_top_of_the_tree_stays_small() -> None:
    assert len(house.PACKAGES) <= 24
    assert len(house.MODULES) <= 6


def test_help_loads_the_command_line_and_the_settings_alone() -> None:
    parts = {module.split(".")[1] for module in house.loaded(house.HELP) if "." in module}
    assert parts <= {"__main__", "cli", "core", "request"}


def test_nothing_imports_scipy() -> None:
    """It weighs a quarter of what shoal weighs without it; only the tests compare their values with its own."""
    found = [str(path) for path in house.SOURCES if re.search(r"\b(import|from) scipy\b", path.read_text("utf-8"))]
    assert found == []
