"""The pictures and tables of the docs about t-closeness, from what `benchmarks.tcloseness` measured.

`python -m benchmarks.tcloseness_figures` writes into `docs/figures` and prints the tables as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.tcloseness import LIMITS, METHODS, RECODINGS, results
from shoal.core.plots import write_plot

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
TITLES = {
    "adult": "Adult, 30,162 rows, 8 quasi-identifiers: t for occupation (equal distance)",
    "adult-two": "Adult, 30,162 rows, 7 quasi-identifiers: t for occupation and for salary class",
    "employees": "Government employees, 204,309 rows, 6 quasi-identifiers: t for salary, by rank",
    "ses": "Earnings survey, 15,691 rows, 9 quasi-identifiers: t for earnings, by rank",
    "adult-sample": "Adult, a sample of 5,000 rows",
    "employees-sample": "Government employees, a sample of 5,000 rows",
}
HEADS = {
    "adult": "Adult",
    "adult-two": "Adult, two attributes",
    "employees": "employees",
    "ses": "earnings survey",
    "employees-sample": "5,000 employees",
}
DRAWN = ("adult", "adult-two", "employees", "ses")
PANELS = {"range": "published as ranges and sets", "generalize": "published as blocks of hierarchies"}
INK, GRID, FAINT = "#1f2937", "#e5e7eb", "#6b7280"
COLOURS = {"fragments": "#0f766e", "peel": "#c2410c", "mondrian": INK, "t-mondrian": INK}
DASHES = {"t-mondrian": [6, 3], "sabre": [2, 2], "pca-order": [6, 3], "microaggregation-tfirst": [2, 2]}
LEFT_OUT = ("cube",)
"""Measured for two values of t alone."""
GAP = 0.047
"""How far apart labels are, at least, in units of the cost."""
SHORT, AT = ("0.1", "0.2"), "0.2"
"""What the short table shows, and where the long ones say more than the cost."""

Row = dict[str, str]


def main() -> None:
    rows = sorted((row for row in results() if row["cost"]), key=lambda row: float(row["t"]))
    for recoding in PANELS:
        print(f"\n{recoding}, t = {' / '.join(SHORT)}:\n")
        print(_short([row for row in rows if row["recoding"] == recoding]))
    for case, title in TITLES.items():
        own = [row for row in rows if row["case"] == case]
        if own and case in DRAWN:
            write_plot(_chart(case, [row for row in own if not row["note"]]), FIGURES / f"tcloseness_{case}.svg")
        for recoding in RECODINGS:
            print(f"\n{title}; recoding {recoding}:\n")
            print(_table([row for row in own if row["recoding"] == recoding]))


def _chart(case: str, rows: Sequence[Row]) -> Any:
    """Return the cost over t of every method, one panel for each way to publish."""
    import altair as alt

    panels = [
        _panel(alt, [row for row in rows if row["recoding"] == recoding], PANELS[recoding]) for recoding in PANELS
    ]
    title = alt.TitleParams(
        TITLES[case],
        subtitle="Cost of a release that keeps k = 5 and t, by method, where 20 CPU seconds were enough",
        anchor="start",
    )
    return (
        alt.hconcat(*panels, spacing=20)
        .properties(title=title, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor=GRID, labelColor=INK, titleColor=INK
        )
        .configure_title(fontSize=16, subtitleFontSize=13, color=INK, subtitleColor=FAINT, offset=10)
    )


def _panel(alt: Any, rows: Sequence[Row], words: str) -> Any:
    across = alt.X(
        "t:Q", title="t", scale=alt.Scale(domain=[0.04, 0.41], nice=False), axis=alt.Axis(values=list(LIMITS))
    )
    up = alt.Y("cost:Q", title="NCP: less is better", scale=alt.Scale(domain=[0, 1], nice=False, clamp=True))
    series = {
        method: [{"t": float(row["t"]), "cost": float(row["cost"])} for row in rows if row["method"] == method]
        for method in METHODS
        if method not in LEFT_OUT and any(row["method"] == method for row in rows)
    }
    layers = []
    for method, points in reversed(series.items()):
        colour, dash = COLOURS.get(method, "#9ca3af"), DASHES.get(method, [1, 0])
        width = 2.5 if method in COLOURS else 1.5
        line = alt.Chart(alt.InlineData(values=points)).encode(x=across, y=up)
        dot = alt.OverlayMarkDef(color=colour, size=22 if method in COLOURS else 12)
        layers.append(line.mark_line(color=colour, strokeWidth=width, strokeDash=dash, point=dot))
    for method, place in _spread({method: points[-1]["cost"] for method, points in series.items()}).items():
        colour, weight = COLOURS.get(method, FAINT), "bold" if method in COLOURS else "normal"
        word = alt.Chart(alt.InlineData(values=[{"t": 0.41, "cost": place, "method": method}]))
        word = word.encode(x=across, y=up, text="method:N")
        layers.append(word.mark_text(align="left", dx=6, color=colour, fontSize=12, fontWeight=weight, clip=False))
    heading = alt.TitleParams(words, anchor="start", fontSize=13, fontWeight="normal", offset=8)
    return alt.layer(*layers).properties(title=heading, width=330, height=360)


def _spread(places: dict[str, float]) -> dict[str, float]:
    """Return places in the same order, far enough from each other to write beside.

    >>> _spread({"a": 0.5, "b": 0.5})
    {'a': 0.5, 'b': 0.547}
    """
    found: dict[str, float] = {}
    last = 0.0
    for method, place in sorted(places.items(), key=lambda item: item[1]):
        last = max(place, last + GAP) if found else max(place, 0.02)
        found[method] = last
    over = max(last - 0.99, 0.0)
    limit = 1.0
    for method in reversed(found):
        limit = min(found[method], limit - GAP if over else found[method])
        found[method] = limit
    return found


def _short(rows: Sequence[Row]) -> str:
    """Return the cost at two values of t, case by case, as Markdown."""
    costs = {(row["method"], row["case"], row["t"]): _cost(row) for row in rows}
    lines = [_line(["method", *HEADS.values()]), _line("---" for _ in ["method", *HEADS])]
    for method in METHODS:
        cells = [" / ".join(costs.get((method, case, t), "-") for t in SHORT) for case in HEADS]
        if any(cell != "- / -" for cell in cells):
            lines.append(_line([f"`{method}`", *cells]))
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> str:
    """Return the cost over t, and classes, the largest distance and CPU seconds at one t, as Markdown."""
    limits = list(dict.fromkeys(row["t"] for row in rows))
    head = ["method", *(f"t = {t}" for t in limits), f"classes at {AT}", "distance", "CPU s"]
    lines = [_line(head), _line("---" for _ in head)]
    for method in METHODS:
        own = {row["t"]: row for row in rows if row["method"] == method}
        if AT in own:
            costs = [_cost(own[t]) if t in own else "" for t in limits]
            at = own[AT]
            lines.append(_line([f"`{method}`", *costs, f"{int(at['classes']):,}", at["reached"], at["cpu"]]))
    return "\n".join(lines)


def _cost(row: Row) -> str:
    cost = float(row["cost"])
    said = f"{cost:.3f}" if cost <= 1 else f"{cost:,.0f}"
    return f"{said} (late)" if row["note"] else said


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
