"""How cost and bound of the cube method move towards each other while time lasts: the picture of docs/proof.md.

`python -m benchmarks anytime` runs the method on the synthetic census, reads cost and bound from what it reports on
the way, and draws them. It is not among those that run by themselves, because it writes into `docs/`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import shoal
from benchmarks.measure import show
from shoal.core.plots import write_plot
from shoal.methods.base import ProgressMessage
from shoal.studies.synth import census

ROWS, SEED, SECONDS = 20_000, 1, 30
QUASI = ("age", "gender", "race", "marital", "birthplace", "education")
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "figures" / "anytime.svg"
COST, BOUND, INK, GRID = "#0f766e", "#c2410c", "#1f2937", "#e5e7eb"


@dataclass
class Watch:
    """Notes when a report with cost and bound came, and what it said."""

    began: float = field(default_factory=time.perf_counter)
    seen: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, share: float, text: str) -> None:
        """Read one report."""
        if isinstance(text, ProgressMessage) and text.bound is not None:
            self.note(text.partition(" (")[0], text.cost, text.bound)

    def note(self, doing: str, cost: float, bound: float) -> None:
        """Add a point."""
        since = time.perf_counter() - self.began
        self.seen.append({"seconds": since, "doing": doing, "cost": cost, "bound": bound})


def main() -> None:
    _run(500, 5.0)  # compiled loops are loaded before the clock starts
    watch = _run(ROWS, float(SECONDS))
    write_plot(chart(watch.seen), PICTURE)
    every = max(len(watch.seen) // 12, 1)
    rows = [
        [point["doing"], point["seconds"], point["cost"], point["bound"], point["cost"] / point["bound"]]
        for point in [*watch.seen[:-1:every], watch.seen[-1]]
    ]
    show("The cube method over time", ("doing", "seconds", "cost", "bound", "gap"), rows)


def _run(rows: int, seconds: float) -> Watch:
    table, watch = census(rows, SEED), Watch()
    release = shoal.anonymize(
        table, quasi=QUASI, leave_out="rest", require="k=5", method="cube", time_limit=seconds, progress=watch
    ).certificate
    watch.note("done", float(release.cost), release.lower_bound or 0.0)
    return watch


def chart(seen: Sequence[Mapping[str, Any]]) -> Any:
    """Return both curves over time; lines are told apart by their stroke, too, for prints without colour."""
    import altair as alt

    last = seen[-1]
    lowest, highest = min(point["bound"] for point in seen), max(point["cost"] for point in seen)
    room = (highest - lowest) * 0.08
    across = alt.X("seconds:Q", title="seconds since the start", scale=alt.Scale(domain=[0, SECONDS + 1], nice=False))
    scale = alt.Scale(domain=[lowest - room, highest + room], nice=False, zero=False)
    axis = alt.Axis(format=",d", tickCount=6)
    layers = []
    for name, colour, dash, above in (("cost", COST, [1, 0], True), ("bound", BOUND, [7, 3], False)):
        up = alt.Y(f"{name}:Q", title="stars (the axis does not begin at 0)", scale=scale, axis=axis)
        data = alt.InlineData(values=[{"seconds": point["seconds"], name: point[name]} for point in seen])
        layers.append(
            alt.Chart(data)
            .mark_line(color=colour, strokeWidth=2.5, strokeDash=dash, interpolate="step-after")
            .encode(x=across, y=up)
        )
        said = f"cost of the best release: {last[name]:,.0f}" if above else f"proved lower bound: {last[name]:,.0f}"
        beside = [point[name] for point in seen if point["seconds"] > SECONDS * 0.55]  # what the words stand over
        end = alt.InlineData(values=[{"seconds": SECONDS, name: max(beside) if above else min(beside), "said": said}])
        layers.append(
            alt.Chart(end)
            .mark_text(align="right", dy=-12 if above else 20, color=colour, fontSize=14, fontWeight="bold")
            .encode(x=across, y=up, text="said:N")
        )
    title = alt.TitleParams(
        f"At the end the release costs at most {last['cost'] / last['bound']:.3f} times the optimum",
        subtitle=f"Synthetic census, {ROWS:,} rows, {len(QUASI)} quasi-identifiers, k = 5, suppression, 2 cores",
        anchor="start",
        offset=12,
    )
    return (
        alt.layer(*layers)
        .properties(title=title, width=620, height=340, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=13, titleFontSize=14, titleFontWeight="normal", gridColor=GRID, labelColor=INK, titleColor=INK
        )
        .configure_title(fontSize=16, subtitleFontSize=13, color=INK, subtitleColor=INK)
    )


if __name__ == "__main__":
    main()
