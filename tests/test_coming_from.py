"""The page for users of other tools: every word of shoal's in its tables is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main

import shoal.costs
import shoal.hierarchies
import shoal.recoding.masks
from shoal.cli.app import app
from shoal.core.discovery import discover
from shoal.costs import Cost
from shoal.hierarchies import Builder
from shoal.methods.auto import methods
from shoal.models.requirement import parse_requirement
from shoal.recoding.masks.base import Mask
from shoal.recoding.recode import recodings
from shoal.request import SETTINGS, SUPPRESSED

PAGE = (Path(shoal.__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
WORDS = sorted({word for row in ROWS for word in re.findall(r"`([^`]+)`", row[1])})
NAMES = {
    *discover(shoal.costs, Cost),
    *discover(shoal.hierarchies, Builder),
    *discover(shoal.recoding.masks, Mask),
}
FLAGS = {one.flag: name for name, one in SETTINGS.items()}
VALUES = {"--method": set(methods()), "--recoding": set(recodings()), "--suppressed": set(SUPPRESSED)}


def is_there(word: str) -> bool:
    """Whether a word is a command, a flag with its value, a requirement, or the name of something that is found."""
    first, *rest = shlex.split(word)
    if first == "shoal":
        group = typer.main.get_command(app)
        for part in rest:
            group = group.load(part)  # type: ignore[attr-defined]
        return group is not None
    if first in FLAGS:
        return not rest or rest[0] in VALUES[first]
    return word in NAMES or str(parse_requirement(word)) != ""


def test_every_tool_has_a_table_and_every_row_an_answer() -> None:
    tools = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert tools == ["ARX", "sdcMicro", "pycanon", "anjana", "anonypy"]
    assert all(len(row) == 3 and row[1] for row in ROWS)
    assert all(row[2] for row in ROWS if row[1] == "-")


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_shoal_on_the_page_is_there(word: str) -> None:
    assert is_there(word)
