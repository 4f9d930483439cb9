"""What mkdocs does besides copying: fill the reference tables, bring in the pages that live beside `docs/`.

A placeholder such as `{{ models }}` becomes the table that discovery finds, so that no table is written by hand.
CONTRIBUTING and CHANGELOG stay in the repository's root; their links, and links to them, are made to fit the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from shoal.studies.reference import TABLES, markdown

ROOT = Path(__file__).parent.parent
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the repository's root to the site."""
    from mkdocs.structure.files import File

    for name in BESIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Fill the placeholders of a page and mend its links."""
    return linked(filled(text), beside=page.file.src_uri in BESIDE)


def filled(text: str) -> str:
    """Replace each placeholder by its table.

    >>> filled("{{ bounds }}").splitlines()[0]
    '| name | meaning |'
    """
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: markdown(TABLES[found[1]]()), text)


def linked(text: str, *, beside: bool) -> str:
    """Point links between `docs/` and the root at their places on the site.

    >>> linked("[how](../CONTRIBUTING.md)", beside=False), linked("[why](docs/design.md)", beside=True)
    ('[how](CONTRIBUTING.md)', '[why](design.md)')
    """
    return text.replace("](docs/", "](") if beside else re.sub(r"\]\(\.\./(?=[A-Z]+\.md)", "](", text)
