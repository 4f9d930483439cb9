"""Every page of the site: placeholders filled, notebooks made pages, CONTRIBUTING and CHANGELOG brought in.

A placeholder such as `{{ models }}` becomes the table that discovery finds, so that no table is written by hand.
CONTRIBUTING and CHANGELOG stay in the repository's root; their links, and links to them, are made to fit the site.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from docs.generator.campaign import campaign, campaign_reasons, campaign_totals
from docs.generator.command_line import command_line
from docs.generator.notebooks import Notebook
from docs.generator.python_interface import python_interface
from docs.generator.seeds import other_papers, seeds
from shoal.studies.reference import SETTING_TABLES, TABLES, markdown

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md")
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
"""For pages of the root: who searches for a word wants the page about it, not the day it came."""
COPIED = (".png", ".svg", ".json", ".ipynb", ".js")

ROWS = TABLES | SETTING_TABLES


def table(name: str) -> str:
    """Return one of the tables of everything that discovery finds, or of the settings."""
    return markdown(ROWS[name]())


GENERATED: Mapping[str, Callable[[], str]] = {
    **{name: partial(table, name) for name in ROWS},
    "campaign": campaign,
    "campaign_reasons": campaign_reasons,
    "campaign_totals": campaign_totals,
    "command_line": command_line,
    "python_interface": python_interface,
    "seeds": seeds,
    "other_papers": other_papers,
}
"""By placeholder, what fills it."""


def write_pages(folder: Path) -> None:
    """Write the pages, and the pictures and files that they show, into a folder; what was there is removed."""
    if folder.exists():
        shutil.rmtree(folder)
    for path, text in pages().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for file in DOCS.rglob("*"):
        if file.suffix in COPIED:
            target = folder / file.relative_to(DOCS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def pages() -> dict[str, str]:
    """Return the text of every page of the site, by its path there."""
    written = {file.relative_to(DOCS).as_posix(): file.read_text(encoding="utf-8") for file in DOCS.rglob("*.md")}
    notebooks = {
        file.relative_to(DOCS).with_suffix(".md").as_posix(): Notebook.read(file).markdown()
        for file in DOCS.rglob("*.ipynb")
    }
    inside = {path: linked(filled(text), beside=False) for path, text in (written | notebooks).items()}
    beside = {name: (ROOT / name).read_text(encoding="utf-8") for name in BESIDE}
    return inside | {name: UNSEARCHED + linked(text, beside=True) for name, text in beside.items()}


def filled(text: str) -> str:
    """Replace each placeholder by what is generated for it.

    >>> filled("{{ bounds }}").splitlines()[0]
    '| name | meaning |'
    """
    return re.sub(r"^\{\{ (\w+) \}\}$", lambda found: GENERATED[found[1]](), text, flags=re.MULTILINE)


def linked(text: str, *, beside: bool) -> str:
    """Point links between `docs/`, its notebooks and the root at their places on the site.

    >>> linked("[how](../CONTRIBUTING.md)", beside=False), linked("[why](docs/design.md)", beside=True)
    ('[how](CONTRIBUTING.md)', '[why](design.md)')
    >>> linked("[how](../../CHANGELOG.md), [in a notebook](in-a-notebook.ipynb)", beside=False)
    '[how](../CHANGELOG.md), [in a notebook](in-a-notebook.md)'
    """
    if beside:
        return text.replace("](docs/", "](")
    return re.sub(r"\]\((.*)\.ipynb\)", r"](\1.md)", re.sub(r"\]\(\.\./((?:\.\./)*[A-Z]+\.md)", r"](\1", text))
