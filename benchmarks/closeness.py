"""t-closeness of several attributes: `fragments` beside Mondrian; how the cost falls with t: the pictures of the docs.

`python -m benchmarks closeness` needs minutes and writes into `docs/`, so it is not among those that run by themselves.
The table of government employees is not part of this repository; where it is not at hand, it is skipped.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.measure import function, show
from shoal.core.plots import write_plot
from shoal.methods.t_closeness.fragmentation import Fragmentation, Tuples, find_fragmentation
from shoal.methods.t_closeness.fragmentation.axes import axis
from shoal.models.emd import Line
from shoal.release.release import Release
from shoal.studies.synth import QUASI, SENSITIVE, census

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "gov_census" / "gov_census.csv.gz"
EMPLOYEES = ("sex", "age", "race", "marital", "education_level", "economic_region")
HOURS = ("salary", "hours_worked", "weeks_worked")
ASKED = "t(salary:ordered)=0.1 t(hours_worked:ordered)=0.2 t(weeks_worked:ordered)=0.2 k=5"
SIZES = (60_000, 600_000)
METHODS = ("fragments", "mondrian")
FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
ROWS, LIMITS = 10_000, (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
COLOURS, INK, GRID = ("#0f766e", "#c2410c"), "#1f2937", "#e5e7eb"


def main() -> None:
    rows: list[list[object]] = []
    if DATA.is_file():
        frame = pl.read_csv(DATA).select(*EMPLOYEES, *HOURS)
        for recoding in ("range", "generalize", "suppress"):
            rows += [_measured(frame, EMPLOYEES, HOURS, ASKED, recoding, method) for method in METHODS]
    for size in SIZES:
        asked = "t(income)=0.2 t(occupation)=0.2 k=5"
        rows += [_measured(census(size), QUASI, SENSITIVE, asked, "range", method) for method in METHODS]
    show("t-closeness of several attributes", ("rows", "recoding", "method", "CPU s", "cost", "classes"), rows)
    write_plot(_falling(), FIGURES / "closeness.svg")
    write_plot(_boxes(), FIGURES / "fragments.svg")


def _measured(
    frame: pl.DataFrame, quasi: tuple[str, ...], sensitive: tuple[str, ...], asked: str, recoding: str, method: str
) -> list[object]:
    found: list[Release] = []

    def run() -> None:
        found.append(_release(frame, quasi, sensitive, asked, recoding, method))

    seconds = function(run, times=1).cpu
    certificate = found[-1].certificate
    return [f"{frame.height:,}", recoding, method, seconds, float(certificate.cost), certificate.classes]


def _release(
    frame: pl.DataFrame, quasi: tuple[str, ...], sensitive: tuple[str, ...], asked: str, recoding: str, method: str
) -> Release:
    roles = {"quasi": quasi, "sensitive": sensitive, "leave_out": "rest"}
    return shoal.anonymize(frame, require=asked, recoding=recoding, method=method, **roles)  # type: ignore[arg-type]


def _falling() -> Any:
    """Return what a release of the census costs as t grows, by both methods."""
    import altair as alt

    frame, points = census(ROWS), []
    one = partial(_release, frame, QUASI, SENSITIVE)
    for t in LIMITS:
        for method in METHODS:
            certificate = one(f"t(income)={t} t(occupation)={t} k=5", "range", method).certificate
            points.append({"t": t, "cost": float(certificate.cost), "method": method})
    across = alt.X("t:Q", title="t, for income and for occupation", scale=alt.Scale(domain=[0.08, 0.42], nice=False))
    up = alt.Y("cost:Q", title="NCP: less is better", scale=alt.Scale(zero=True))
    layers = []
    for method, colour, dash, below in zip(METHODS, COLOURS, ([1, 0], [7, 3]), (22, -8), strict=True):
        own = [point for point in points if point["method"] == method]
        chart = alt.Chart(alt.InlineData(values=own)).encode(x=across, y=up)
        layers.append(
            chart.mark_line(color=colour, strokeWidth=2.5, strokeDash=dash, point=alt.OverlayMarkDef(color=colour))
        )
        word = alt.Chart(alt.InlineData(values=own[:1])).encode(x=across, y=up, text="method:N")
        layers.append(word.mark_text(align="left", dx=10, dy=below, color=colour, fontSize=14, fontWeight="bold"))
    title = "What closeness of two attributes costs"
    return _styled(
        alt, alt.layer(*layers), title, f"Synthetic census, {ROWS:,} rows, {len(QUASI)} quasi-identifiers, ranges"
    )


def _boxes() -> Any:
    """Return the fragments of two attributes that hang together, as boxes over the records."""
    import altair as alt

    rng = np.random.default_rng(0)
    first = np.clip(rng.normal(15, 5, 2_000), 0, 29).astype(np.int64)
    second = np.clip(first * 0.6 + rng.normal(0, 3, 2_000), 0, 19).astype(np.int64)
    columns, sizes = [np.unique(one, return_inverse=True)[1] for one in (first, second)], []
    sizes = [int(one.max()) + 1 for one in columns]
    axes = tuple(axis(name, 0.1, size, Line((1,) * (size - 1))) for name, size in zip("xy", sizes, strict=True))
    tuples = Tuples.of(columns, sizes, len(first))
    found = find_fragmentation(Fragmentation.whole(axes, tuples), [0.06, 0.06], 500)
    corners = []
    for fragment in found.fragments:
        inside = tuples.codes[fragment.inside]
        low, high = inside.min(axis=0), inside.max(axis=0)
        corners.append({"x": low[0] - 0.45, "x2": high[0] + 0.45, "y": low[1] - 0.45, "y2": high[1] + 0.45})
    records = [
        {"x": x, "y": y, "many": many}
        for (x, y), many in zip(tuples.codes.tolist(), tuples.counts.tolist(), strict=True)
    ]
    boxes = [{key: float(value) for key, value in box.items()} for box in corners]
    across = alt.X("x:Q", title="hours, by rank", scale=alt.Scale(domain=[-1, sizes[0]], nice=False))
    up = alt.Y("y:Q", title="salary, by rank", scale=alt.Scale(domain=[-1, sizes[1]], nice=False))
    dots = alt.Chart(alt.InlineData(values=records)).mark_circle(color=COLOURS[1], opacity=0.8)
    dots = dots.encode(x=across, y=up, size=alt.Size("many:Q", legend=None, scale=alt.Scale(range=[4, 90])))
    frames = alt.Chart(alt.InlineData(values=boxes)).mark_rect(fillOpacity=0.08, fill=COLOURS[0], stroke=COLOURS[0])
    frames = frames.encode(x=across, x2="x2:Q", y=up, y2="y2:Q")
    bounds = " and ".join(f"{bound:.3f}" for bound in found.bounds)
    said = f"A class that takes alike of every box is within {bounds} of the table, whichever records it takes"
    return _styled(alt, frames + dots, f"{len(found)} fragments of 2,000 records", said)


def _styled(alt: Any, chart: Any, title: str, below: str) -> Any:
    words = alt.TitleParams(title, subtitle=below, anchor="start", offset=12)
    return (
        chart.properties(title=words, width=620, height=340, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=13, titleFontSize=14, titleFontWeight="normal", gridColor=GRID, labelColor=INK, titleColor=INK
        )
        .configure_title(fontSize=16, subtitleFontSize=13, color=INK, subtitleColor=INK)
    )


if __name__ == "__main__":
    main()
