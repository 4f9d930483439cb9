"""Small pictures for notebooks: SVG with its own colours, which needs no style sheet and no package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from shoal.core.markup import Markup, joined, tag

FILL, TRACK, LINE = "#0f766e", "#8884", "#888"
COLOURS = ("#0f766e", "#c2410c", "#7c3aed", "#1d4ed8", "#a16207", "#be185d")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 170, 56, 30, 12
STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000)
"""Where the groups of class sizes begin."""
Curve = Sequence[tuple[float, float]]
"""Points from left to right."""
ROW, ACROSS = 46, 640
"""The height of a row of nodes, and the width of a lattice."""
MOST_DRAWN = 150
"""Nodes up to which a lattice is drawn as one, with lines between neighbours."""
LABELLED = 14
"""Nodes in one row up to which their levels are written beside them."""
NO_RELEASE, BEST = "#888a", "#c2410c"


@dataclass(frozen=True)
class DrawnNode:
    """A node of a lattice as it is drawn: its levels, what it costs, and what is said of it."""

    levels: tuple[int, ...]
    cost: float
    suppressed: int
    released: bool
    best: bool
    said: str

    @property
    def name(self) -> str:
        """Its levels, one after the other."""
        return " ".join(map(str, self.levels))

    @property
    def outcome(self) -> str:
        """What a legend calls it."""
        return "the cheapest release" if self.best else "release" if self.released else "no release"


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


def _text(said: str, x: float, y: float, anchor: str, fill: str = LINE) -> Markup:
    return tag("text", said, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, font_size=11, fill=fill)


def _legend(lines: Mapping[str, Curve], dashed: Curve) -> Markup:
    named = [
        tag("span", name, style=f"color:{colour};margin-right:1em")
        for name, colour in zip(lines, cycle(COLOURS), strict=False)
    ]
    return tag("p", *named, *([tag("span", "dashed: no release costs less")] if dashed else []))


def lattice_places(nodes: Sequence[DrawnNode]) -> dict[tuple[int, ...], tuple[float, int]]:
    """Return where nodes are drawn: across from 0 to 1 by their levels, and up by the sum of their levels.

    >>> lattice_places([DrawnNode(levels, 0, 0, True, False, "") for levels in ((0, 0), (0, 1), (1, 0))])
    {(0, 0): (0.5, 0), (0, 1): (0.25, 1), (1, 0): (0.75, 1)}
    """
    rows: dict[int, list[tuple[int, ...]]] = {}
    for node in sorted(nodes, key=lambda node: node.levels):
        rows.setdefault(sum(node.levels), []).append(node.levels)
    return {
        levels: ((place + 0.5) / len(row), height) for height, row in rows.items() for place, levels in enumerate(row)
    }


def lattice_edges(nodes: Sequence[DrawnNode]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the pairs of nodes that differ by one level of one column, the lower first."""
    known = {node.levels for node in nodes}
    pairs = ((low, (*low[:j], low[j] + 1, *low[j + 1 :])) for low in sorted(known) for j in range(len(low)))
    return [pair for pair in pairs if pair[1] in known]


def drawn_lattice(nodes: Sequence[DrawnNode], columns: Sequence[str], cost: str, key: str = "") -> Markup:
    """Return a lattice, its highest levels on top; a large one as points by cost and suppressed rows.

    With a `key` a page may listen to clicks on nodes: under it and the levels of the node.

    >>> some = [DrawnNode(levels, 0.5, 0, True, levels == (0,), "a node") for levels in ((0,), (1,))]
    >>> found = drawn_lattice(some, ["age"], "ncp")
    >>> found.count("<title>a node</title>"), found.count("<line")
    (2, 1)
    """
    if not nodes:
        return Markup()
    if len(nodes) > MOST_DRAWN:
        return _cloud(nodes, cost, key)
    places = lattice_places(nodes)
    low, high = min(row for _, row in places.values()), max(row for _, row in places.values())
    at = {levels: (ACROSS * x, ROW * (high - row) + ROW / 2) for levels, (x, row) in places.items()}
    lines = [
        tag(
            "line", x1=f"{at[a][0]:.1f}", y1=f"{at[a][1]:.1f}", x2=f"{at[b][0]:.1f}", y2=f"{at[b][1]:.1f}", stroke=TRACK
        )
        for a, b in lattice_edges(nodes)
    ]
    width = {row: sum(other == row for _, other in places.values()) for _, row in places.values()}
    labels = [
        _text(" ".join(map(str, levels)), at[levels][0] + 9, at[levels][1] + 4, "start", "currentColor")
        for levels, (_, row) in places.items()
        if width[row] <= LABELLED
    ]
    dots = [_dot(node, *at[node.levels], key) for node in nodes]
    height = ROW * (high - low + 1)
    said = f"levels of {', '.join(columns)}; lines lead one level up"
    picture = tag("svg", *lines, *dots, *labels, width=ACROSS, height=height, role="img", aria_label="lattice")
    return joined([picture, _outcomes(nodes), tag("p", said)])


def _cloud(nodes: Sequence[DrawnNode], cost: str, key: str) -> Markup:
    """Return nodes as points: what they cost across, the rows that they suppress upwards."""
    low, high = min(node.cost for node in nodes), max(node.cost for node in nodes)
    most = max(node.suppressed for node in nodes) or 1
    dots = []
    for node in nodes:
        x = LEFT + (WIDTH - LEFT - 10) * ((node.cost - low) / (high - low) if high > low else 0.5)
        dots.append(_dot(node, x, TOP + (HEIGHT - TOP - BOTTOM) * (1 - node.suppressed / most), key))
    axis = tag("line", x1=LEFT, x2=WIDTH, y1=HEIGHT - BOTTOM, y2=HEIGHT - BOTTOM, stroke=LINE)
    named = [_text(f"{low:.4g}", LEFT, HEIGHT - 12, "start"), _text(f"{high:.4g}", WIDTH, HEIGHT - 12, "end")]
    named += [_text(f"{most:,}", LEFT - 6, TOP + 4, "end"), _text("0", LEFT - 6, HEIGHT - BOTTOM + 4, "end")]
    picture = tag("svg", axis, *dots, *named, width=WIDTH, height=HEIGHT, role="img", aria_label="nodes of a lattice")
    return joined([picture, _outcomes(nodes), tag("p", f"rows suppressed by {cost}, a point a node")])


def _dot(node: DrawnNode, x: float, y: float, key: str) -> Markup:
    colour = BEST if node.best else FILL if node.released else NO_RELEASE
    told = {"data_key": f"{key}{node.name}", "data_tells": "press", "style": "cursor:pointer"} if key else {}
    return tag("circle", tag("title", node.said), cx=f"{x:.1f}", cy=f"{y:.1f}", r=6, fill=colour, **told)


def _outcomes(nodes: Sequence[DrawnNode]) -> Markup:
    """Return what the colours of nodes say, of those that are drawn."""
    colours = {"the cheapest release": BEST, "release": FILL, "no release": NO_RELEASE}
    shown = {node.outcome for node in nodes}
    named = (tag("span", _mark(colour), f" {name} ") for name, colour in colours.items() if name in shown)
    return tag("p", *named)


def _mark(colour: str) -> Markup:
    """Return a colour of a legend."""
    dot = tag("circle", cx=6, cy=6, r=6, fill=colour)
    return tag("svg", dot, width=12, height=12, aria_hidden="true", style="margin-left:1em")
