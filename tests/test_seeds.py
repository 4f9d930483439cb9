"""docs/seeds.md: every line of the five papers is filled, and every name, path and test that it mentions exists."""

from __future__ import annotations

import pytest
from docs.generator.seeds import ROOT, Line, known, other_papers, papers, seeds

from shoal.methods.auto import methods

LINES = [pytest.param(line, id=f"{tag} {line.part}") for tag, (_, lines) in papers().items() for line in lines]
KINDS = {"algorithm", "model", "measure", "bound", "reduction", "example", "experiment", "attack"}


@pytest.mark.parametrize("line", LINES)
def test_nothing_is_empty_and_everything_exists(line: Line) -> None:
    assert all([line.part, line.what, line.corrected, *line.here, *line.tests])
    assert line.kind in KINDS
    for place in line.here:
        assert place in known() if ":" in place else (ROOT / place).is_file(), place
    for test in line.tests:
        file, _, name = test.partition("::")
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), test
        assert file.startswith("tests/")
        assert (ROOT / file).is_file(), test


def test_all_five_papers_are_there() -> None:
    assert list(papers()) == ["LY", "AG", "CH", "XY", "MS"]
    assert seeds().count("\n## ") == 4


def test_every_method_is_in_one_of_the_tables() -> None:
    page = seeds() + other_papers()
    assert all(f"method `{name}` (" in page or f"| `{name}` |" in page for name in methods())
    assert "| none |" not in other_papers().replace("| none: ", "")
