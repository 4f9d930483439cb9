"""Pictures of the page: SVG that takes its colours from the style sheet, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.core.markup import Markup, tag
from shoal.report.charts import bar
from shoal.web.desk.jobs import Point
from shoal.web.language import amount, percent, t

WIDTH, HEIGHT = 680, 250
LEFT, RIGHT, TOP, BOTTOM = 84, 16, 30, 34


def approach(points: Sequence[Point]) -> Markup:
    """Return the cost coming down and the proved bound going up, over the seconds.

    >>> approach([Point(0, 0, "x")])
    ''
    """
    cost = [(point.seconds, point.cost) for point in points if point.cost is not None]
    bound = [(point.seconds, point.bound) for point in points if point.bound is not None]
    if not cost and not bound:
        return Markup("")
    end = max(points[-1].seconds, 0.1)
    ends = _ends([value for _, value in [*cost, *bound]])
    drawn = [_axis(end, ends, t("seconds"))]
    for kind, series in (("cost", cost), ("bound", bound)):
        drawn.append(_steps(kind, series, end, ends))
    return _svg(drawn, _reached(*(amount(series[-1][1]) if series else "" for series in (cost, bound))))


def _reached(cost: str, bound: str) -> str:
    """Say what the best release costs by now, and what is proved to be needed."""
    if not cost:
        return t("Proved bound over time: at least {bound} is needed, and there is no release yet", bound=bound)
    if not bound:
        return t("Cost over time: cost {cost}, and nothing is proved yet", cost=cost)
    return t("Cost and proved bound over time: cost {cost}, at least {bound} is needed", cost=cost, bound=bound)


def curve(points: Sequence[tuple[float, float | None, float | None]], at: float, *, title: str, unit: str) -> Markup:
    """Return a cost and its bound over the values of a number; the value that is looked at is marked."""
    cost = [(k, value) for k, value, _ in points if value is not None]
    bound = [(k, value) for k, _, value in points if value is not None]
    if not cost:
        return Markup("")
    end, ends = max(k for k, *_ in points), _ends([0.0, *(value for _, value in [*cost, *bound])])
    here = _x(at, end)
    mark = tag("line", class_="here", x1=here, x2=here, y1=TOP, y2=HEIGHT - BOTTOM)
    drawn = [_axis(end, ends, unit), mark, _line("cost", cost, end, ends), _line("bound", bound, end, ends)]
    return _svg(drawn, title)


def share_bar(share: float, kind: str = "after", of: float = 1.0) -> Markup:
    """Return a bar as long as a share of a whole; it says the share as the language writes it."""
    return bar(share, kind, of=of, said=str(percent(share)))


def histogram(heights: Sequence[float]) -> Markup:
    """Return a small picture of a distribution; nothing where nothing is known.

    >>> histogram([1.0, 0.5]).count("<rect"), histogram([])
    (2, '')
    """
    if not heights:
        return Markup("")
    bars = [
        tag("rect", x=place * 5, y=f"{16 - 16 * high:.1f}", width=4, height=f"{16 * high:.1f}")
        for place, high in enumerate(heights)
    ]
    return tag("svg", *bars, class_="shape", viewBox="0 0 60 16", aria_hidden="true")


def _svg(drawn: Sequence[Markup], said: str) -> Markup:
    return tag("svg", *drawn, class_="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=said)


def _x(value: float, end: float) -> str:
    return f"{LEFT + (WIDTH - LEFT - RIGHT) * value / (end or 1):.1f}"


def _y(value: float, low: float, most: float) -> str:
    return f"{TOP + (HEIGHT - TOP - BOTTOM) * (most - value) / ((most - low) or 1):.1f}"


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return where the axis begins and ends: a little beyond the values, so that what moves is seen to move."""
    low, most = min(values), max(values)
    room = (most - low) * 0.15 or abs(most) * 0.1 or 1.0
    return max(low - room, 0.0), most + room


def _axis(end: float, ends: tuple[float, float], unit: str) -> Markup:
    """Return the lines and numbers behind a curve."""
    parts, (low, most) = [], ends
    for share in (0.0, 0.5, 1.0):
        value = low + share * (most - low)
        at = _y(value, low, most)
        parts.append(tag("line", class_="rule", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at))
        parts.append(tag("text", amount(value, 4), x=LEFT - 8, y=float(at) + 4, text_anchor="end"))
    for share in (0.0, 0.5, 1.0):
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        said = f"{amount(float(f'{share * end:.3g}'), 4)}{f' {unit}' if share == 1 else ''}"
        parts.append(tag("text", said, x=_x(share * end, end), y=HEIGHT - 10, text_anchor=anchor))
    begins = t("cost (the axis begins at {low})", low=amount(low, 4)) if low else t("cost")
    return tag("g", tag("text", begins, x=0, y=14), *parts)


def _steps(kind: str, series: Sequence[tuple[float, float]], end: float, ends: tuple[float, float]) -> Markup:
    """Return a line that keeps its value until the next is known, up to now."""
    if not series:
        return Markup("")
    held = [(later, value) for (_, value), (later, _) in pairwise(series)]
    corners = [one for pair in zip(series, [*held, (end, series[-1][1])], strict=True) for one in pair]
    return _line(kind, corners, end, ends)


def _line(kind: str, series: Sequence[tuple[float, float]], end: float, ends: tuple[float, float]) -> Markup:
    if not series:
        return Markup("")
    places = " ".join(f"{_x(across, end)},{_y(value, *ends)}" for across, value in series)
    last = tag("circle", class_=kind, cx=_x(series[-1][0], end), cy=_y(series[-1][1], *ends), r=4)
    return tag("g", tag("polyline", class_=kind, points=places), last)
