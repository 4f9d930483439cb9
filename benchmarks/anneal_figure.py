"""Boxes before and after annealing: `python -m benchmarks.anneal_figure` writes the picture into `docs/figures`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.core.plots import BAR, BOUND, FAINT, write_plot
from shoal.methods.base import Deadline, silent
from shoal.methods.general.anneal import Anneal
from shoal.methods.general.mondrian import Mondrian
from shoal.problem import Solution
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
ROWS, DRAWN, K = 4_000, 300, 5
COLUMNS = ("age", "income")
INK, GRID = "#1f2937", "#e5e7eb"


def main() -> None:
    people = census(ROWS).select(COLUMNS).filter(pl.col("income") > 0).head(DRAWN)
    problem = prepare(Table.of(people), Request(list(COLUMNS), f"k={K}", recoding="range")).problem
    before = Mondrian().run(problem)
    after = Anneal().begun([before]).attempt(problem, seed=0, deadline=Deadline(), progress=silent)
    write_plot(_chart(people, {"Mondrian": before, "annealed": after}), FIGURES / "anneal.svg")
    print(f"{people.height} rows, NCP {before.cost:.4f} and {after.cost:.4f}")


def _chart(people: pl.DataFrame, releases: dict[str, Solution]) -> Any:
    """Return the boxes of releases side by side."""
    import altair as alt

    colours = dict(zip(releases, (BOUND, BAR), strict=True))
    panels = [_panel(alt, people, name, found, colours[name]) for name, found in releases.items()]
    title = alt.TitleParams(
        f"The classes of {people.height} people, k = {K}",
        subtitle="Every class is published as its box; points are people",
        anchor="start",
    )
    return (
        alt.hconcat(*panels, spacing=24)
        .properties(title=title, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor=GRID, labelColor=INK, titleColor=INK
        )
        .configure_title(fontSize=16, subtitleFontSize=13, color=INK, subtitleColor=FAINT, offset=10)
    )


def _panel(alt: Any, people: pl.DataFrame, name: str, found: Solution, colour: str) -> Any:
    across, up = (
        alt.X("age:Q", title="age", scale=alt.Scale(zero=False)),
        alt.Y("income:Q", title="income", scale=alt.Scale(zero=False)),
    )
    values = people.with_columns(pl.Series("class", found.partition.class_of_row))
    spans = values.group_by("class").agg(
        pl.col("age").min(),
        pl.col("income").min(),
        pl.col("age").max().alias("to_age"),
        pl.col("income").max().alias("to_income"),
    )
    grown = spans.sort("class").with_columns(  # a box of one value is drawn as wide as a point
        pl.col("age", "income").cast(pl.Float64) - pl.Series([0.25]),
        pl.col("to_age", "to_income").cast(pl.Float64) + pl.Series([0.25]),
    )
    boxes = alt.Chart(alt.InlineData(values=grown.to_dicts()))
    boxes = boxes.encode(x=across, y=up, x2="to_age:Q", y2="to_income:Q")
    boxes = boxes.mark_rect(fill=colour, fillOpacity=0.16, stroke=colour, strokeWidth=1.4)
    points = alt.Chart(alt.InlineData(values=people.to_dicts())).encode(x=across, y=up)
    points = points.mark_circle(color=INK, size=14, opacity=0.8)
    words = f"{name}: {len(found.partition)} classes, NCP {found.cost:.4f}"
    heading = alt.TitleParams(words, anchor="start", fontSize=13, fontWeight="normal", offset=8)
    return alt.layer(boxes, points).properties(title=heading, width=370, height=360)


if __name__ == "__main__":
    main()
