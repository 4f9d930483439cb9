"""The search of the documentation: the first thing it finds for a newcomer's question is the answer."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from docs.generator.pages import ROOT, write_pages
from tests.site_questions import QUESTIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    write_pages(folder / "build" / "docs")
    (folder / "mkdocs.yml").write_text((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), encoding="utf-8")
    program = Path(sys.executable).with_name("zensical")
    subprocess.run([program, "build", "--strict"], cwd=folder, check=True, capture_output=True)
    return folder / "site"


def test_every_question_is_answered_by_the_first_result(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.locator("button.md-search__button").first.click()
    box, first = page.locator("input[role=combobox]"), page.locator("a[role=option]").first
    for question, answer in QUESTIONS.items():
        box.fill("")
        first.wait_for(state="detached")
        box.fill(question)
        page.wait_for_timeout(500)  # results come as they are found
        found = str(first.get_attribute("href")).removeprefix(f"{site.as_uri()}/")
        path, anchor = re.split(r"[?#]", found)[0], found.rpartition("#")[2]
        assert f"{path.removesuffix('.html')}.md#{anchor}" == answer, question
    page.close()
