"""Shapes of pictures: SVG that has colours for light and for dark, whichever the reader's system asks for."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.core.markup import Markup, joined, tag

LIGHT = {"paper": "#ffffff", "ink": "#1f2937", "faint": "#6b7280", "line": "#9ca3af", "plain": "#f1f5f9"}
DARK = {"paper": "#1e2430", "ink": "#e5e7eb", "faint": "#9ca3af", "line": "#6b7280", "plain": "#334155"}
TINTS = (
    ("#bfe7df", "#0f5f57"),
    ("#fcd9b6", "#8a3b0c"),
    ("#ddd2fb", "#55329c"),
    ("#c7dcfb", "#1f4795"),
    ("#fbe6a2", "#7a5a06"),
)
"""Five colours that are told apart, for light and for dark; every shape that has one is labelled as well."""
SIDE = 26
"""The side of a square cell."""


def picture(width: float, height: float, said: str, shapes: Iterable[Markup]) -> str:
    """Return a picture: what it shows in words, its colours, and its shapes."""
    size = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    ground = tag("rect", width="100%", height="100%", rx=8, class_="paper")
    lines = "\n".join([ground, *shapes])
    body = joined([tag("title", said), tag("style", Markup(_style())), Markup(f"\n{lines}\n")])
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", role="img", **size) + "\n"


def text(x: float, y: float, said: object, kind: str = "", *, at: str = "start") -> Markup:
    """Return a text whose baseline is at y; `at` is start, middle or end."""
    return tag(
        "text", str(said), x=f"{x:g}", y=f"{y:g}", class_=kind or None, text_anchor=None if at == "start" else at
    )


def box(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    """Return a rectangle with round corners."""
    return tag("rect", x=f"{x:g}", y=f"{y:g}", width=f"{width:g}", height=f"{height:g}", rx=5, class_=kind)


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "edge") -> Markup:
    """Return a straight line."""
    return tag("line", x1=f"{x:g}", y1=f"{y:g}", x2=f"{to_x:g}", y2=f"{to_y:g}", class_=kind)


def labelled(x: float, y: float, width: float, said: object, kind: str) -> list[Markup]:
    """Return a box of the height of a cell, with a text in its middle."""
    return [box(x, y, width, SIDE, kind), text(x + width / 2, y + SIDE - 8, said, at="middle")]


def tint(number: int) -> str:
    """Return the name of a colour."""
    return f"tint{number % len(TINTS)}"


def _style() -> str:
    light = LIGHT | {tint(number): one for number, (one, _) in enumerate(TINTS)}
    dark = DARK | {tint(number): one for number, (_, one) in enumerate(TINTS)}
    fonts = "text{font:13px system-ui,sans-serif}.head{font-weight:600}.small{font-size:11px}"
    return f"{fonts}{_colours(light)}@media (prefers-color-scheme:dark){{{_colours(dark)}}}"


def _colours(colours: dict[str, str]) -> str:
    fills = "".join(f".{name}{{fill:{colour}}}" for name, colour in colours.items())
    lines = f".edge{{stroke:{colours['line']};stroke-width:1.5}}.moved{{stroke:{colours['ink']};stroke-width:2}}"
    return f"text{{fill:{colours['ink']}}}{fills}text.faint{{fill:{colours['faint']}}}{lines}"
