"""Small pictures for notebooks: SVG with its own colours, which needs no style sheet and no package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

from shoal.core.markup import Markup, joined, tag

FILL, TRACK, LINE = "#0f766e", "#8884", "#888"
COLOURS = ("#0f766e", "#c2410c", "#7c3aed", "#1d4ed8", "#a16207", "#be185d")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 170, 56, 30, 12
STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000)
"""Where the groups of class sizes begin."""
Curve = Sequence[tuple[float, float]]
"""Points from left to right."""


def bar(share: float, said: str = "") -> Markup:
    """Return a bar that is as long as a share.

    >>> 'width="25"' in bar(0.25)
    True
    """
    track = tag("rect", width=100, height=8, fill=TRACK)
    fill = tag("rect", width=f"{100 * min(max(share, 0.0), 1.0):.4g}", height=8, fill=FILL)
    return tag("svg", track, fill, width=100, height=8, role="img", aria_label=said or f"{share:.1%}")


def class_sizes(sizes: Sequence[int]) -> Markup:
    """Return the share of the rows in classes of each size, as bars under each other.

    >>> "2: 50.0%" in class_sizes([2, 1, 1])
    True
    """
    total = sum(sizes) or 1
    rows = [_size(low, after, sizes, total) for low, after in zip(STEPS, (*STEPS[1:], None), strict=True)]
    shown = [row for row in rows if row]
    return tag("table", tag("caption", "rows by the size of their class"), tag("tbody", *shown))


def _size(low: int, after: int | None, sizes: Sequence[int], total: int) -> Markup:
    """Return one bar: the share of the rows in classes from one size to below another; nothing where there are none."""
    share = sum(size for size in sizes if size >= low and (after is None or size < after)) / total
    label = f"{low:,}+" if after is None else f"{low:,}" if after == low + 1 else f"{low:,}-{after - 1:,}"
    cells = tag("th", label, scope="row"), tag("td", bar(share, f"{label}: {share:.1%}")), tag("td", f"{share:.1%}")
    return tag("tr", *cells) if share else Markup()


def curves(lines: Mapping[str, Curve], *, dashed: Curve = (), across: str, up: str) -> Markup:
    """Return lines through points on one pair of axes from 0, each with a name; one may be dashed.

    >>> found = curves({"peel": [(2, 1.0), (3, 2.0)]}, across="k", up="cost")
    >>> found.count("<polyline"), found.count("<circle"), ">peel<" in found
    (1, 2, True)
    """
    points = [point for line in (*lines.values(), dashed) for point in line]
    if not points:
        return Markup()
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    most = max((y for _, y in points), default=0.0) or 1.0

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - 10) * ((point[0] - low) / (high - low) if high > low else 0.5)
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (1 - point[1] / most)

    drawn = [_line(list(map(at, line)), colour) for line, colour in zip(lines.values(), cycle(COLOURS), strict=False)]
    drawn += [_line(list(map(at, dashed)), LINE, dash="6 3")] if dashed else []
    ends = ((low, "start"), (high, "end")) if high > low else ((low, "middle"),)
    named = [_text(f"{x:g}", at((x, 0.0))[0], HEIGHT - BOTTOM + 14, anchor) for x, anchor in ends]
    named += [_text(f"{most:.4g}", LEFT - 6, TOP + 4, "end"), _text("0", LEFT - 6, HEIGHT - BOTTOM + 4, "end")]
    axis = tag("line", x1=LEFT, x2=WIDTH, y1=HEIGHT - BOTTOM, y2=HEIGHT - BOTTOM, stroke=LINE)
    picture = tag("svg", axis, *drawn, *named, width=WIDTH, height=HEIGHT, role="img", aria_label=f"{up} by {across}")
    return joined([picture, _legend(lines, dashed), tag("p", f"{up} by {across}")])


def _line(points: Curve, colour: str, dash: str | None = None) -> Markup:
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    line = tag("polyline", points=through, fill="none", stroke=colour, stroke_dasharray=dash)
    dots = () if dash else (tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, fill=colour) for x, y in points)
    return joined([line, *dots])


def _text(said: str, x: float, y: float, anchor: str) -> Markup:
    return tag("text", said, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, font_size=11, fill=LINE)


def _legend(lines: Mapping[str, Curve], dashed: Curve) -> Markup:
    named = [
        tag("span", name, style=f"color:{colour};margin-right:1em")
        for name, colour in zip(lines, cycle(COLOURS), strict=False)
    ]
    return tag("p", *named, *([tag("span", "dashed: no release costs less")] if dashed else []))
