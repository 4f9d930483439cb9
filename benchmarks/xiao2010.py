"""The experiment of Xiao, Yi and Tao 2010, section 6: stars, KL-divergence and time by l and by the number of columns.

The census of this project stands for the paper's: income for its SAL, occupation for its OCC. Means are over all
projections on so many of the seven quasi-identifiers, or over `PROJECTIONS` of them, drawn with a seed. `cube`, the
lower bound and KL-divergence are of one projection each.

`python -m benchmarks.xiao2010 60000` takes so many rows. It needs many minutes and writes into `docs/figures`, so it is
not among those that run by themselves.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import polars as pl

from benchmarks.measure import show
from shoal.costs.kl_divergence import KLDivergence
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.cube import CubeSearch
from shoal.methods.hilbert import Hilbert
from shoal.methods.tds import TopDownSpecialization
from shoal.methods.tp import TP
from shoal.methods.tp_plus import TPPlus
from shoal.pipeline import Request, prepare
from shoal.plots import write_plot
from shoal.problem import Problem, Solution
from shoal.synth import QUASI, census
from shoal.table import Table

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
PROJECTIONS = 7
LS, DS = range(2, 11), range(1, 8)
AT_D, AT_L = 4, 6
COMPARED: tuple[type[Method], ...] = (TP, Hilbert, TPPlus, TopDownSpecialization)
SECONDS = 20
"""What the cube method may take for one projection."""

COSTS = ("alone", "cube", "bound")
"""Of one projection: what TP+ and the cube method cost, and what no release costs less than."""

Point: TypeAlias = dict[str, Any]


def main(rows: int = 60_000) -> None:
    table = census(rows, seed=0)
    points: list[Point] = []
    for sensitive in ("income", "occupation"):
        for l in LS:  # noqa: E741 - the paper's name
            points += _points(table, sensitive, l, AT_D, "l")
        for d in DS:
            points += _points(table, sensitive, AT_L, d, "d")
    _show(points, rows)
    for sensitive in ("income", "occupation"):
        for along in ("l", "d"):
            chosen = [point for point in points if (point["sensitive"], point["along"]) == (sensitive, along)]
            write_plot(_chart(chosen, sensitive, along, rows), FIGURES / f"xiao_{sensitive}_{along}.svg")


def _projections(d: int) -> list[tuple[str, ...]]:
    every = list(combinations(QUASI, d))
    return every if len(every) <= PROJECTIONS else Random(0).sample(every, PROJECTIONS)


def _points(table: pl.DataFrame, sensitive: str, l: int, d: int, along: str) -> list[Point]:  # noqa: E741
    """Measure every method on the projections for one l and d."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    phases: Counter[str] = Counter()
    projections, points = _projections(d), []
    for quasi in projections:
        problem = _problem(table, quasi, sensitive, l)
        for kind in COMPARED:
            found, seconds = _solved(kind(), problem)
            sums[kind.name][0] += found.cost / len(projections)
            sums[kind.name][1] += seconds / len(projections)
            if kind is TP:
                phases[found.notes[0].split(":")[0]] += 1
    first = _problem(table, projections[0], sensitive, l)
    divergence = {kind.name: _divergence(first, _solved(kind(), first)[0]) for kind in (TPPlus, TopDownSpecialization)}
    cube, _ = _solved(CubeSearch(), first, SECONDS)
    alone, _ = _solved(TPPlus(), first)
    bound = max(cube.lower_bound or 0.0, alone.lower_bound or 0.0)
    for name, (stars, took) in sums.items():
        points.append({"method": name, "stars": stars, "seconds": took, "kl": divergence.get(name)})
    one = {"alone": alone.cost, "cube": cube.cost, "bound": bound, "phases": dict(phases)}
    return [{"sensitive": sensitive, "along": along, "l": l, "d": d, **point, **one} for point in points]


def _problem(table: pl.DataFrame, quasi: Sequence[str], sensitive: str, l: int) -> Problem:  # noqa: E741
    request = Request(list(quasi), f"l({sensitive})={l}", sensitive=[sensitive])
    return prepare(Table.of(table.select(*quasi, sensitive)), request).problem


def _solved(method: Method, problem: Problem, seconds: float | None = None) -> tuple[Solution, float]:
    start = time.process_time()
    found = method.run(problem, deadline=Deadline.after(seconds), progress=silent)
    return found, time.process_time() - start


def _divergence(problem: Problem, found: Solution) -> float:
    return float(KLDivergence().of(problem.publish(found.partition)))


def _show(points: list[Point], rows: int) -> None:
    head = ("sensitive", "l", "d", "method", "stars", "CPU s", "KL")
    lines = [
        [p["sensitive"], p["l"], p["d"], p["method"], f"{p['stars']:,.0f}", p["seconds"], p.get("kl") or "-"]
        for p in points
    ]
    show(f"Means of the projections, {rows:,} rows of the census", head, lines)
    head = ("sensitive", "l", "d", "TP+", "cube", "lower bound", "phases of TP")
    lines = [
        [
            p["sensitive"],
            p["l"],
            p["d"],
            *(f"{p[name]:,.0f}" for name in ("alone", "cube", "bound")),
            _said(p["phases"]),
        ]
        for p in points
        if p["method"] == TPPlus.name
    ]
    show("One projection, with a bound", head, lines)


def _said(phases: dict[str, int]) -> str:
    return ", ".join(f"{phase} {times}x" for phase, times in phases.items())


def _chart(points: list[Point], sensitive: str, along: str, rows: int) -> Any:
    import altair as alt

    shown = [{key: point[key] for key in ("method", "stars", along)} for point in points]
    title = f"Stars by {'l, four columns' if along == 'l' else 'the number of columns, l = 6'}: {sensitive}"
    return (
        alt.Chart(alt.InlineData(values=shown))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X(f"{along}:O", title="l" if along == "l" else "quasi-identifiers", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("stars:Q", title="stars, mean of the projections", scale=alt.Scale(type="symlog")),
            color=alt.Color("method:N", title=None),
            strokeDash=alt.StrokeDash("method:N", title=None),
        )
        .properties(title=f"{title}; {rows:,} rows", width=520, height=300, background="white", padding=12)
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
