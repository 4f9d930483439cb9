"""The site: every page is in the navigation, every link and anchor of it leads somewhere, nothing is left out.

`make docs` builds it; here the pages that it is built from are looked at, as they are after everything is filled in.
"""

from __future__ import annotations

import inspect
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from docs.generator import pages as generator
from docs.generator.command_line import commands
from docs.generator.notebooks import Notebook
from docs.generator.python_interface import meaning, public_parts
from tests.site_questions import QUESTIONS

import shoal
from shoal.request import SETTINGS

DOCS = generator.DOCS
FENCED = re.compile(r"^( *)```.*?^\1```$", flags=re.MULTILINE | re.DOTALL)


@cache
def pages() -> dict[str, str]:
    return generator.pages()


def prose(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))


def anchors(text: str) -> set[str]:
    """The names that the site gives headings; of equal ones the second has _1 at the end, and so on."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", text), flags=re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", words.lower()).strip())
        names.add(f"{name}_{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


def section(path: str, anchor: str) -> str:
    """The heading of an anchor, and what stands below it up to the next heading."""
    parts = re.split(r"^(?=#+ )", FENCED.sub("", pages()[path]), flags=re.MULTILINE)
    return next(part for part in parts if anchor in anchors(part))


def listed(entry: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for part in (entry if isinstance(entry, list) else entry.values()) for page in listed(part)]


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    assert sorted(listed(navigation)) == sorted(pages())
    assert [next(iter(part)) for part in navigation][1:] == ["Tutorials", "How-to guides", "Reference", "Explanation"]


@pytest.mark.parametrize("path", sorted(generator.pages()))
def test_every_link_of_the_site_leads_to_a_page_and_a_heading(path: str) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", prose(pages()[path])):
        where = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        assert where in pages() or (DOCS / where).is_file(), f"{path}: {target}"
        assert not anchor or anchor in anchors(pages()[where]), f"{path}: {target}#{anchor}"


def test_no_placeholder_is_left() -> None:
    assert not [path for path, text in pages().items() if re.search(r"^\{\{ \w+ \}\}$", text, flags=re.MULTILINE)]


def test_the_reference_has_every_command_and_option() -> None:
    text = pages()["reference/command-line.md"]
    for words, command in commands():
        part = text.partition(f"## {words}\n")[2].partition("\n## ")[0]
        options = {option for one in command.params for option in one.opts if option.startswith("--")} - {"--help"}
        assert not [option for option in options if f"`{option}`" not in part], words


def test_the_reference_has_every_public_name() -> None:
    text = pages()["reference/python.md"]
    names = [f"shoal.{name}" for name in shoal.__all__] + [name for name, _ in public_parts()]
    assert not [name for name in names if f"### {name}\n" not in text]


def test_every_parameter_of_a_public_function_is_explained() -> None:
    functions = [(f"shoal.{name}", getattr(shoal, name)) for name in shoal.__all__] + list(public_parts())
    unsaid = [
        f"{name}({parameter})"
        for name, value in functions
        if inspect.isfunction(value)
        for parameter in inspect.signature(value).parameters
        if meaning(parameter, inspect.getdoc(value) or "") == "-"
    ]
    assert not unsaid


def test_the_reference_has_every_setting() -> None:
    text = pages()["reference/settings.md"]
    assert not [one.flag for one in SETTINGS.values() if f"| `{one.flag}` |" not in text]


@pytest.mark.parametrize("file", sorted(DOCS.rglob("*.ipynb")), ids=lambda file: file.stem)
def test_every_notebook_gives_what_it_shows(file: Path) -> None:
    notebook = Notebook.read(file)
    assert notebook.run() == [cell.output for cell in notebook.cells if cell.kind == "code"]


@pytest.mark.parametrize("part", ["tutorials", "howto", "reference", "explanation"])
def test_every_page_of_the_four_parts_has_an_example_that_is_run(part: str) -> None:
    run = {"your-first-release.md"}  # by tests/test_tutorial.py
    assert not [
        page.name
        for page in (DOCS / part).glob("*.md")
        if page.name not in run and ">>> " not in page.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_to_a_question_has_its_words(question: str) -> None:
    """The search finds a section only by words that it has; tests/web/test_site_search.py asks the site itself."""
    path, _, anchor = QUESTIONS[question].partition("#")
    words = re.findall(r"\w+", section(path, anchor).lower())
    missing = [word for word in re.findall(r"\w+", question.lower()) if not any(one.startswith(word) for one in words)]
    assert missing == []
