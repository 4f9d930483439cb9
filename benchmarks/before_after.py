"""The picture of the README: the six people of its example before and after, changed cells coloured.

`python -m benchmarks.before_after` writes `docs/figures/before_after.svg`; a test compares the file with what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import shoal

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "figures" / "before_after.svg"
WIDTHS, HEIGHT, GAP = (78, 78, 86), 26, 96
INK, PALE, CHANGED, HEAD = "#1f2937", "#f8fafc", "#ccece6", "#0f766e"
STYLE = f"text{{font:14px system-ui,sans-serif;fill:{INK}}}.h{{font-weight:600;fill:{HEAD}}}path{{stroke-width:2.5}}"


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))


def picture() -> str:
    """Return the picture: two tables side by side, and an arrow between them."""
    before, after = example()
    left, wide = list(_table(before, before, 0, "before")), sum(WIDTHS)
    right = list(_table(after, before, wide + GAP, "after"))
    middle, height = wide + GAP // 2, HEIGHT * (before.height + 2) + 8
    arrow = [
        f'<text x="{middle}" y="{height // 2 - 8}" text-anchor="middle" class="h">k = 3</text>',
        f'<path d="M{middle - 24} {height // 2 + 6}h44m-9 -7l9 7l-9 7" stroke="{HEAD}" fill="none"/>',
    ]
    size = f'viewBox="-8 0 {2 * wide + GAP + 16} {height}" width="{2 * wide + GAP + 16}" height="{height}"'
    ground = f'<rect x="-8" width="100%" height="100%" fill="white"/><style>{STYLE}</style>'
    body = "\n".join([ground, *left, *arrow, *right])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n{body}\n</svg>\n'


def example() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the table of the README's example, and what is published of it."""
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    names: dict[str, Any] = {"shoal": shoal}
    exec("\n".join(line for line in lines if not line.startswith("release.")), names)
    return pl.DataFrame(names["people"]), names["release"].table


def _table(frame: pl.DataFrame, before: pl.DataFrame, x: int, title: str) -> Iterator[str]:
    """Yield a title, the names of the columns, and the cells; those that are not as before are coloured."""
    yield f'<text x="{x + 4}" y="18" class="h">{title}</text>'
    yield from _line(x, 1, frame.columns, [PALE] * frame.width, "h")
    for place, (row, was) in enumerate(zip(frame.rows(), before.rows(), strict=True)):
        colours = [CHANGED if cell != old else PALE for cell, old in zip(row, was, strict=True)]
        yield from _line(x, place + 2, [str(cell) for cell in row], colours, "")


def _line(x: int, place: int, texts: Sequence[str], colours: Sequence[str], kind: str) -> Iterator[str]:
    """Yield one line of a table."""
    for text, colour, width in zip(texts, colours, WIDTHS, strict=True):
        y, how = place * HEIGHT, f' class="{kind}"' if kind else ""
        yield f'<rect x="{x}" y="{y}" width="{width - 2}" height="{HEIGHT - 2}" fill="{colour}"/>'
        yield f'<text x="{x + 6}" y="{y + 17}"{how}>{text}</text>'
        x += width


if __name__ == "__main__":
    main()
