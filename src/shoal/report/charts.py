"""Small pictures for a report: SVG inside the page, which takes its colours from the page's style."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.core.markup import Markup, tag
from shoal.core.number_format import percent

WIDTH, HEIGHT = 680, 210
LEFT, BOTTOM, TOP = 44, 38, 14
STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000)
"""Where the bins of class sizes begin."""


def bar(share: float, kind: str = "after", *, of: float = 1.0, said: str | None = None) -> Markup:
    """Return a bar that is as long as a share of a whole, as wide as the cell it stands in; it says the share.

    >>> 'width="25"' in bar(0.25), 'width="50"' in bar(0.25, of=0.5), 'aria-label="25.0 %"' in bar(0.25, of=0.5)
    (True, True, True)
    """
    track = tag("rect", class_="track", width=100, height=8)
    fill = tag("rect", class_=kind, width=f"{100 * min(max(share / of, 0.0), 1.0):.4g}", height=8)
    view = {"viewBox": "0 0 100 8", "preserveAspectRatio": "none"}
    return tag("svg", track, fill, class_="bar", role="img", aria_label=said or percent(share), **view)


def bins(sizes: Sequence[tuple[int, int]]) -> dict[str, int]:
    """Count the rows by the size of their class, from how many classes there are of each size.

    >>> bins([(1, 3), (2, 1), (6, 2)])
    {'1': 3, '2': 2, '3-4': 0, '5-9': 12}
    """
    found: dict[str, int] = {}
    largest = max(size for size, _ in sizes)
    for low, after in zip(STEPS, (*STEPS[1:], None), strict=True):
        if low <= largest:
            inside = [size * many for size, many in sizes if size >= low and (after is None or size < after)]
            found[_range(low, after)] = sum(inside)
    return found


def _range(low: int, after: int | None) -> str:
    if after is None:
        return f"{low:,}+"
    return f"{low:,}" if after == low + 1 else f"{low:,}-{after - 1:,}"


def columns(groups: Sequence[tuple[str, Sequence[tuple[str, float]]]], *, title: str) -> Markup:
    """Return columns from 0 to 100 %: for every group its label, and of each column its kind and its share."""
    step = (WIDTH - LEFT) / max(len(groups), 1)
    drawn = [_line(share) for share in (0.0, 0.5, 1.0)]
    for place, (label, shares) in enumerate(groups):
        left, wide = LEFT + place * step + step * 0.12, step * 0.76 / max(len(shares), 1)
        drawn += [_column(left + number * wide, wide, kind, share) for number, (kind, share) in enumerate(shares)]
        middle = f"{LEFT + (place + 0.5) * step:.1f}"
        drawn.append(tag("text", label, x=middle, y=HEIGHT - BOTTOM + 18, text_anchor="middle"))
    return tag("svg", *drawn, class_="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=title)


def _line(share: float) -> Markup:
    at = _height(share)
    rule = tag("line", class_="rule", x1=LEFT, x2=WIDTH, y1=f"{at:.1f}", y2=f"{at:.1f}")
    return tag("g", rule, tag("text", f"{share:.0%}", x=LEFT - 6, y=f"{at + 4:.1f}", text_anchor="end"))


def _column(left: float, wide: float, kind: str, share: float) -> Markup:
    at = _height(share)
    box = {"x": f"{left:.1f}", "y": f"{at:.1f}", "width": f"{wide:.1f}", "height": f"{_height(0.0) - at:.1f}"}
    return tag("rect", tag("title", f"{kind}: {percent(share)}"), class_=kind, **box)


def _height(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0))


def between(bound: float, cost: float, said: str | None = None) -> Markup:
    """Return a line from nothing to the cost: what no release can save, and what a better one might."""
    high = cost or 1.0
    at = f"{100 * bound / high:.4g}"
    parts = [tag("rect", class_="after", width=at, height=8), tag("rect", class_="open", x=at, width=100, height=8)]
    view = {"viewBox": "0 0 100 8", "preserveAspectRatio": "none"}
    words = said or f"{percent(bound / high)} of the cost is proved to be needed"
    return tag("svg", *parts, class_="bar wide", role="img", aria_label=words, **view)
