"""The pictures of the explanation pages: shown there, readable, and what shoal does with the tables of their texts."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from docs.generator.explained.all_pictures import FIGURES, PICTURES, draw
from docs.generator.explained.page import DOCS

PAGES = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "explanation").glob("*.md"))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_shown_and_has_a_title_and_both_colours(name: str) -> None:
    assert PAGES.count(f"](../figures/{name}.svg)") == 1
    written = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(written)[0].tag.endswith("title")
    assert "prefers-color-scheme:dark" in written


def test_the_pictures_are_those_that_are_drawn_now(tmp_path: Path) -> None:
    """Drawn anew by `python -m docs.generator.explained`."""
    for file in draw(tmp_path):
        assert file.read_text(encoding="utf-8") == (FIGURES / file.name).read_text(encoding="utf-8"), file.name
