"""Pictures of `fragments` at work: what was promised of a class and what it reached; the classes that come of it.

`python -m benchmarks promises` writes into `docs/figures`, so it is not among those that run by themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.closeness import COLOURS, FIGURES, GRID, INK
from shoal.core.arrays import Ints
from shoal.core.plots import write_plot
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.t_closeness.fragmentation import Sizes
from shoal.methods.t_closeness.fragmentation.axes import closeness
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve
from shoal.methods.t_closeness.fragments import Fragments, Work
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import QUASI, census
from shoal.tables.table import Table

ROWS, T = 3_000, 0.1
PEOPLE, PAY_T = 400, 0.12
WIDTH, HEIGHT = 330, 300


def main() -> None:
    write_plot(_promises(), FIGURES / "promised.svg")
    write_plot(_classes(), FIGURES / "classes.svg")


def _promises() -> Any:
    """Return the bound of every class beside the distance that it reached: as filled, and as published."""
    import altair as alt

    asked = Request(QUASI, f"t(income)={T} k=5", ("income",), recoding="range")
    problem = prepare(Table.of(census(ROWS).select(*QUASI, "income")), asked).problem
    work = Work(problem, Deadline(), silent)
    filled = along_the_curve(work._sizes, work.fragment_of_row, work.ranks)
    published = Fragments().run(problem).partition.class_of_row
    panels = [
        _scatter(alt, _points(problem, work, filled), "filled as sized: within the bound, whichever records"),
        _scatter(alt, _points(problem, work, published), "published: split by their true distances"),
    ]
    title = f"What was promised of each class, and what it reached: income, t = {T}"
    return _styled(alt, alt.hconcat(*panels, spacing=30), title, f"Synthetic census, {ROWS:,} rows; one dot is a class")


def _points(problem: Problem, work: Work, labels: Ints) -> list[dict[str, float]]:
    """Return, for each class, the bound and the distance."""
    bounds = work.sizing.distance.bounds(Sizes.counted(labels, work.fragment_of_row))[:, 0]
    reached = closeness(problem.models)[0].level(problem.classes(Partition.of(labels)))
    return [{"bound": float(bound), "reached": float(one)} for bound, one in zip(bounds, reached, strict=True)]


def _scatter(alt: Any, points: list[dict[str, float]], words: str) -> Any:
    domain = alt.Scale(domain=[0, 0.25], nice=False, clamp=True)
    across = alt.X("bound:Q", title="bound before records were chosen", scale=domain, axis=alt.Axis(tickCount=6))
    up = alt.Y("reached:Q", title="distance reached", scale=alt.Scale(domain=[0, 0.15], nice=False, clamp=True))
    dots = alt.Chart(alt.InlineData(values=points)).mark_circle(color=COLOURS[0], opacity=0.45, size=22)
    equal = alt.Chart(alt.InlineData(values=[{"bound": 0, "reached": 0}, {"bound": 0.15, "reached": 0.15}]))
    layers = [
        equal.mark_line(color=INK, strokeWidth=1, strokeDash=[3, 3]).encode(x=across, y=up),
        alt.Chart(alt.InlineData(values=[{"reached": T}])).mark_rule(color=COLOURS[1], strokeWidth=1.5).encode(y=up),
        alt.Chart(alt.InlineData(values=[{"bound": T}])).mark_rule(color=COLOURS[1], strokeWidth=1.5).encode(x=across),
        dots.encode(x=across, y=up),
        _word(alt, across, up, {"bound": 0.235, "reached": T + 0.006, "word": "t"}, COLOURS[1]),
        _word(alt, across, up, {"bound": 0.142, "reached": 0.142, "word": "bound = distance"}, INK),
    ]
    heading = alt.TitleParams(f"{len(points):,} classes, {words}", anchor="start", fontSize=13, fontWeight="normal")
    return alt.layer(*layers).properties(title=heading, width=WIDTH + 40, height=HEIGHT)


def _word(alt: Any, across: Any, up: Any, place: dict[str, Any], colour: str) -> Any:
    word = alt.Chart(alt.InlineData(values=[place])).encode(x=across, y=up, text="word:N")
    return word.mark_text(align="left", dx=8, color=colour, fontSize=12)


def _classes() -> Any:
    """Return the classes of Mondrian and of fragments as boxes over two quasi-identifiers."""
    import altair as alt

    rng = np.random.default_rng(1)
    age, years = rng.uniform(20, 65, PEOPLE).round(1), rng.uniform(8, 20, PEOPLE).round(1)
    pay = np.round(age * 20 + years * 120 + rng.normal(0, 500, PEOPLE), -1).astype(int)
    table = Table.of(pl.DataFrame({"age": age, "years": years, "pay": pay}))
    asked = Request(("age", "years"), f"t(pay:ordered)={PAY_T} k=5", ("pay",), recoding="range")
    problem = prepare(table, asked).problem
    panels = [_boxes(alt, problem, table.frame, method) for method in (Mondrian(), Fragments())]
    title = f"The classes that keep pay within t = {PAY_T}"
    below = f"{PEOPLE:,} people; pay grows with age and years of school, so neighbours are paid alike"
    return _styled(alt, alt.hconcat(*panels, spacing=30), title, below)


def _boxes(alt: Any, problem: Problem, frame: pl.DataFrame, method: Method) -> Any:
    found = method.run(problem)
    labels = found.partition.class_of_row
    spans = frame.with_columns(pl.Series("class", labels)).group_by("class", maintain_order=True)
    edges = spans.agg(x=pl.min("age"), x2=pl.max("age"), y=pl.min("years"), y2=pl.max("years"))
    across = alt.X("x:Q", title="age", scale=alt.Scale(domain=[18, 67], nice=False))
    up = alt.Y("y:Q", title="years of school", scale=alt.Scale(domain=[7, 21], nice=False))
    people = [{"x": x, "y": y} for x, y in frame.select("age", "years").iter_rows()]
    dots = alt.Chart(alt.InlineData(values=people)).mark_circle(color=COLOURS[1], size=10, opacity=0.6)
    boxes = alt.Chart(alt.InlineData(values=edges.drop("class").to_dicts()))
    boxes = boxes.mark_rect(fill=COLOURS[0], fillOpacity=0.05, stroke=COLOURS[0], strokeWidth=1.1, strokeOpacity=0.8)
    words = f"{method.name}: {len(edges)} classes, NCP {found.cost:.2f}"
    heading = alt.TitleParams(words, anchor="start", fontSize=13, fontWeight="normal")
    layers = dots.encode(x=across, y=up) + boxes.encode(x=across, x2="x2:Q", y=up, y2="y2:Q")
    return layers.properties(title=heading, width=WIDTH, height=HEIGHT)


def _styled(alt: Any, chart: Any, title: str, below: str) -> Any:
    words = alt.TitleParams(title, subtitle=below, anchor="start", offset=12)
    return (
        chart.properties(title=words, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor=GRID, labelColor=INK, titleColor=INK
        )
        .configure_title(fontSize=16, subtitleFontSize=13, color=INK, subtitleColor=INK)
    )


if __name__ == "__main__":
    main()
