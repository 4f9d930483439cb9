"""The pictures of the gallery, drawn anew by the code that stands under them: `python -m docs.generator.gallery`.

A picture is the variable of its name: `figures/gallery_roc.svg` is `roc`, after the page's code has run.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

from shoal.core.plots import write_plot

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "gallery.md"
NAMES = re.findall(r"\(figures/gallery_(\w+)\.svg\)", PAGE.read_text(encoding="utf-8"))
TIMED = ("methods",)
"""Pictures that show how long something took: they are another each time."""


def charts() -> dict[str, Any]:
    """Run the code of the page, and return its charts by name."""
    found: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(PAGE.read_text(encoding="utf-8")):
        exec(compile(example.source, str(PAGE), "single"), found)
    return {name: found[name] for name in NAMES}


def draw(folder: Path) -> dict[str, Path]:
    """Write the pictures into a folder, and return where they are."""
    places = {name: folder / f"gallery_{name}.svg" for name in NAMES}
    for name, chart in charts().items():
        write_plot(chart, places[name])
    return places


if __name__ == "__main__":
    draw(DOCS / "figures")
