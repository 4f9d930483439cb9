"""The pages say what is there: tables render, links lead somewhere, commands and options exist, the order is real.

Python sessions on the pages are doctests; these are the checks of everything else on them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.test_layers import ORDER, PARTS

from shoal.cli.app import app
from shoal.methods.auto import methods

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
every_page = pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
FENCED = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
COMMAND = typer.main.get_command(app)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCED.sub("", text_of(page))


def cells(line: str) -> int:
    """How many cells a line of a table has."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


@every_page
def test_every_table_has_a_head_and_lines_of_its_width(page: Path) -> None:
    for table in re.findall(r"(?:^\|.*\n?)+", prose(page), flags=re.MULTILINE):
        lines = table.splitlines()
        assert len(lines) >= 3, f"a line of a table that stands alone: {lines[0]}"
        assert re.fullmatch(r"\|(:?-+:?\|)+", lines[1]), f"no head: {lines[0]}"
        assert {cells(line) for line in lines} == {cells(lines[1])}, f"cells are missing or too many: {lines[0]}"


@every_page
def test_every_table_is_apart_from_the_text_around_it(page: Path) -> None:
    """Markdown reads a table that follows a line of text, or is followed by one, as part of it."""
    glued = re.findall(r"^[^|\n][^\n]*\n\|.*$|^\|.*\n[^|\n][^\n]*$", prose(page), flags=re.MULTILINE)
    assert not glued


@every_page
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose(page)):
        assert (page.parent / target).exists(), target


@every_page
def test_every_link_to_a_heading_finds_it(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", prose(page)):
        where = page.parent / target if target else page
        assert anchor in set(anchors(where)), f"{target}#{anchor}"


def anchors(page: Path) -> Iterator[str]:
    """The names that the site gives headings."""
    for heading in re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
        yield re.sub(r"[\s-]+", "-", plain)


def commands(page: Path) -> Iterator[list[str]]:
    """The commands of shoal that a page shows: lines of blocks without Python in them, and words set as code."""
    blocks = [block for language, block in FENCED.findall(text_of(page)) if language in ("", "bash", "sh", "console")]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`(shoal [^`]+)`", prose(page))
    for line in lines:
        found = re.match(r"(?:\$ )?(?:\S*/)?shoal (?=[a-z-])(.*)", line.strip())
        if found:
            yield shlex.split(found[1], comments=True)


@every_page
def test_every_command_and_option_exists(page: Path) -> None:
    for words in commands(page):
        command, rest = resolved(words)
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        named = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert named <= options | {"--help"}, f"shoal {' '.join(words)}: {sorted(named - options)}"
        if "--method" in rest:
            assert rest[rest.index("--method") + 1] in {"auto", "NAME", *methods()}


def resolved(words: list[str]) -> tuple[Any, list[str]]:
    """The command that some words begin with, and the other words."""
    command: Any = COMMAND
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        several = words[0].split("|")
        assert set(several) <= set(command.commands), f"shoal has no command {words[0]!r}"
        command, words = command.load(several[0]), words[1:]
    return command, words


def test_the_design_states_the_order_that_imports_follow() -> None:
    page = text_of(ROOT / "docs" / "design.md")
    order = next(block for _, block in FENCED.findall(page) if block.startswith("core\ntables\n"))
    assert [set(line.split(", ")) for line in order.splitlines()] == ORDER


def test_the_tree_of_the_design_names_every_part() -> None:
    page = text_of(ROOT / "docs" / "design.md")
    tree = next(block for _, block in FENCED.findall(page) if block.startswith("src/shoal/"))
    assert not set(PARTS) - set(re.findall(r"\w+", tree))
