"""All pictures of the explanation pages, by the names of their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.generator.explained import forest, fragments, peeling, prices, tp
from docs.generator.explained.page import DOCS

FIGURES = DOCS / "figures"
PICTURES: Mapping[str, Callable[[], str]] = {
    "explained_tp": tp.two_phases,
    "explained_tp_third": tp.third_phase,
    "explained_forest": forest.picture,
    "explained_fragments": fragments.picture,
    "explained_peeling": peeling.picture,
    "explained_prices": prices.picture,
}


def draw(folder: Path) -> list[Path]:
    """Write the pictures into a folder, and return their files."""
    files = [folder / f"{name}.svg" for name in PICTURES]
    for file, picture in zip(files, PICTURES.values(), strict=True):
        file.write_text(picture(), encoding="utf-8")
    return files
