"""The README quotes what the pages say, and its picture is of its own example."""

import re
from pathlib import Path

from benchmarks.before_after import PICTURE, picture

from shoal import __version__
from shoal.methods.auto import methods

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_example() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()


def test_the_measured_facts_are_on_the_page_of_measurements() -> None:
    page = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .*?k=5.*|^\| .*diversity.*", README.split("## What was measured")[1], flags=re.MULTILINE)
    figures = [figure for row in rows for figure in re.findall(r"0\.\d{4}", row)]
    assert len(figures) == 6
    assert all(f"| {figure} |" in page for figure in figures)


def test_the_methods_are_counted() -> None:
    assert f" {len(methods())} methods (`shoal methods`)" in README


def test_every_file_states_the_same_version() -> None:
    places = {"pyproject.toml": "version = ", "CITATION.cff": "version: ", "CHANGELOG.md": "## ["}
    for name, before in places.items():
        found = re.search(rf"^{re.escape(before)}\"?([0-9.]+)", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE)
        assert found is not None
        assert found[1].rstrip(".") == __version__, name
