"""The picture of `benchmarks/history.csv`: `python -m docs.generator.bench_history` draws it anew.

A row is a figure that `make bench-check` compares; its line goes through all entries, each relative to the first.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from benchmarks.check import history

PICTURE = Path(__file__).parent.parent / "figures" / "bench_history.svg"
ROW, TEXT, LINE, LAST = 20, 330, 180, 90
INK, COST, TIME = "#1f2937", "#0f766e", "#c2410c"
STYLE = f"text{{font:12px system-ui,sans-serif;fill:{INK}}}polyline{{fill:none;stroke-width:1.5}}"


def picture() -> str:
    """Return the history as a picture: a row for each figure of the last entry."""
    entries = history()
    names = list(entries)
    rows = [
        _row(place, figure, [entries[name][figure] for name in names if figure in entries[name]])
        for place, figure in enumerate(entries[names[-1]], start=1)
    ]
    wide, high = TEXT + LINE + LAST, ROW * (len(rows) + 2)
    heading = f'<text x="{TEXT}" y="15">{escape(names[0])} to {escape(names[-1])}, entries: {len(names)}</text>'
    ground = f'<rect width="100%" height="100%" fill="white"/><style>{STYLE}</style>'
    size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    body = "\n".join([ground, heading, *rows])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n{body}\n</svg>\n'


def _row(place: int, figure: str, values: list[float]) -> str:
    """Draw the name of a figure, its line and its last value; half a row is a tenth of the first value."""
    middle, colour = ROW * (place + 0.6), TIME if figure.startswith("time") else COST
    steps = max(len(values) - 1, 1)
    places = [
        (TEXT + LINE * number / steps * 0.95, middle - ROW * 0.4 * _shift(value, values[0]))
        for number, value in enumerate(values)
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places)
    return (
        f'<text x="4" y="{middle + 4:.1f}">{escape(figure)}</text>'
        f'<polyline points="{points}" stroke="{colour}"/>{dots}'
        f'<text x="{TEXT + LINE + 8}" y="{middle + 4:.1f}">{values[-1]:,.4g}</text>'
    )


def _shift(value: float, first: float) -> float:
    change = 0.0 if value == first else 1.0 if not first else (value / first - 1) * 10
    return min(max(change, -1.0), 1.0)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
