"""The experiment of Xiao, Yi and Tao 2010, section 6: stars, KL-divergence and time by l and by the number of columns.

The census of this project stands for the paper's: income for its SAL, occupation for its OCC; incomes are drawn flatter
than usual, so that no bracket has a tenth of the people and l can go up to 10. Where the table of
government employees is at hand it is a third one, with salaries. Means are over all projections on so many of the seven
quasi-identifiers, or over `PROJECTIONS` of them, drawn with a seed. `cube` and the lower bound are of the first one.

`python -m benchmarks.xiao2010 60000` takes so many rows. It needs many minutes and writes into `docs/figures`, so it is
not among those that run by themselves. What was measured is kept there, in a file for each table, and only drawn again
while the file is there.
"""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import polars as pl

from benchmarks.closeness import DATA as EMPLOYEES
from benchmarks.measure import show
from shoal.core.plots import write_plot
from shoal.costs.kl_divergence import KLDivergence
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.general.cube import CubeSearch
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tds import TopDownSpecialization
from shoal.methods.l_diversity.tp import TP
from shoal.methods.l_diversity.tp_plus import TPPlus
from shoal.problem import Problem, Solution
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import QUASI, census
from shoal.studies.synth.census import ATTRIBUTES
from shoal.tables.table import Table

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
KNOWN_OF_EMPLOYEES = ("sex", "age", "race", "marital", "education_level", "citizenship", "economic_region")
PROJECTIONS = 5
LS, DS = range(2, 11), range(1, 8)
AT_D, AT_L = 4, 6
COMPARED: tuple[type[Method], ...] = (TP, Hilbert, TPPlus, TopDownSpecialization)
COLOURS = {"tp": "#c2410c", "hilbert": "#7c3aed", "tp-plus": "#0f766e", "tds": "#6b7280"}
MEASURED = {"stars": "stars", "kl": "KL-divergence", "seconds": "CPU seconds"}
FLAT = tuple(replace(one, skew=1.5) if one.name == "income" else one for one in ATTRIBUTES)
SECONDS = 10
"""What the cube method may take for one projection."""


@dataclass(frozen=True)
class Source:
    """A table, what is known of its people, and what is not."""

    name: str
    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: str

    def problem(self, quasi: Sequence[str], l: int) -> Problem:
        """Return the request of l-diversity for a projection."""
        request = Request(list(quasi), f"l({self.sensitive})={l}", sensitive=[self.sensitive])
        return prepare(Table.of(self.frame.select(*quasi, self.sensitive)), request).problem

    def projections(self, d: int) -> list[tuple[str, ...]]:
        """Return the projections on d quasi-identifiers that are looked at."""
        every = list(combinations(self.quasi, d))
        return every if len(every) <= PROJECTIONS else Random(0).sample(every, PROJECTIONS)


@dataclass(frozen=True)
class Run:
    """One method on one projection."""

    along: str
    l: int
    d: int
    method: str
    stars: float
    kl: float
    seconds: float
    bound: float | None
    phase: str


def main(rows: int = 60_000, *names: str) -> None:
    for source in _sources(rows):
        if not names or source.name in names:
            runs = measured(source)
            _show(source, runs)
            write_plot(_chart(source, runs), FIGURES / f"xiao_{source.name}.svg")


def _sources(rows: int) -> Iterator[Source]:
    people = census(rows, seed=0, attributes=FLAT)
    for sensitive in ("income", "occupation"):
        yield Source(sensitive, people, QUASI, sensitive)
    if EMPLOYEES.is_file():
        yield Source("salary", pl.read_csv(EMPLOYEES).sample(rows, seed=0), KNOWN_OF_EMPLOYEES, "salary")


def measured(source: Source) -> list[Run]:
    """Return the runs that are kept in a file, or run them and keep them."""
    if not _file(source.name).is_file():
        runs = [run for l in LS for run in _runs(source, l, AT_D, "l")]
        runs += [run for d in DS for run in _runs(source, AT_L, d, "d")]
        table = pl.DataFrame([asdict(run) for run in runs], infer_schema_length=None)
        table.write_csv(_file(source.name), float_precision=4)
    return kept(source.name)


def kept(name: str) -> list[Run]:
    """Return the runs that the file of a source holds."""
    return [Run(**row) for row in pl.read_csv(_file(name)).with_columns(pl.col("phase").fill_null("")).to_dicts()]


def _file(name: str) -> Path:
    return FIGURES / f"xiao_{name}.csv"


def _runs(source: Source, l: int, d: int, along: str) -> Iterator[Run]:
    """Measure every method on the projections for one l and d, the cube method on the first of them."""
    for number, quasi in enumerate(source.projections(d)):
        problem = source.problem(quasi, l)
        for kind in COMPARED:
            yield _run(kind(), problem, None, along, l, d)
        if not number:
            yield _run(CubeSearch(), problem, SECONDS, along, l, d)


def _run(method: Method, problem: Problem, limit: float | None, along: str, l: int, d: int) -> Run:
    start = time.process_time()
    found = method.run(problem, deadline=Deadline.after(limit), progress=silent)
    took = time.process_time() - start
    kl = float(KLDivergence().of(problem.publish(found.partition)))
    return Run(along, l, d, method.name, found.cost, kl, took, found.lower_bound, _phase(found))


def _phase(found: Solution) -> str:
    return found.notes[0].split(":")[0] if found.method == TP.name else ""


def _show(source: Source, runs: list[Run]) -> None:
    """Print the means, what one projection costs beside its bound, and what holds of every projection."""
    head = ("l", "d", *(f"{kind.name} {what}" for what in ("stars", "KL", "s") for kind in COMPARED))
    lines: list[list[object]] = [[*point, *_means(runs, point)] for point in _points(runs)]
    show(f"{source.name}: means of the projections, {source.frame.height:,} rows", head, lines)
    head = ("l", "d", "TP+", "cube", "lower bound", "TP+ / bound", "cube / bound", "TP+ KL", "cube KL", "cube s")
    show(f"{source.name}: one projection, with a bound", head, [[*p, *_beside_bound(runs, p)] for p in _points(runs)])
    show(f"{source.name}: of all projections", ("claim", "holds in"), claims(runs))


def _points(runs: list[Run]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((run.l, run.d) for run in runs))


def _of(runs: list[Run], point: tuple[int, int], method: str) -> list[Run]:
    along = "l" if point[1] == AT_D else "d"
    return [run for run in runs if (run.l, run.d) == point and run.method == method and run.along == along]


def _means(runs: list[Run], point: tuple[int, int]) -> list[object]:
    own = [_of(runs, point, kind.name) for kind in COMPARED]
    stars = [f"{fmean(run.stars for run in one):,.0f}" for one in own]
    kl = [f"{fmean(run.kl for run in one):.3f}" for one in own]
    return [*stars, *kl, *(f"{fmean(run.seconds for run in one):.2f}" for one in own)]


def _beside_bound(runs: list[Run], point: tuple[int, int]) -> list[object]:
    alone, cube = _of(runs, point, TPPlus.name)[0], _of(runs, point, CubeSearch.name)[0]
    bound = max(cube.bound or 0.0, alone.bound or 0.0)
    gaps = [f"{one.stars / bound:.3f}" if bound else "optimal" if not one.stars else "-" for one in (alone, cube)]
    stars = (f"{stars:,.0f}" for stars in (alone.stars, cube.stars, bound))
    return [*stars, *gaps, f"{alone.kl:.3f}", f"{cube.kl:.3f}", f"{cube.seconds:.1f}"]


def claims(runs: list[Run]) -> list[tuple[str, str]]:
    """Return the paper's claims, and in how many cases each holds of these runs.

    That TP+ has no more stars than either follows from how it is made here: it starts from TP's release, tries Hilbert
    on the whole table as well, and keeps the cheapest. The paper's TP+ is TP with Hilbert on the residue alone.
    """
    tp, hilbert, plus, tds = ([run for run in runs if run.method == kind.name] for kind in COMPARED)
    paired = list(zip(tp, hilbert, plus, tds, strict=True))
    wide = [(a, b, c) for a, b, c, _ in paired if c.d >= 2 and c.stars > (c.bound or 0)]
    phases = Counter(run.phase for run in tp)
    never_worse = sum(c.stars <= min(a.stars, b.stars) for a, b, c, _ in paired)
    better = sum(c.stars < min(a.stars, b.stars) for a, b, c in wide)
    return [
        ("TP+ <= TP and TP+ <= Hilbert, by construction", f"{never_worse} of {len(tp)}"),
        ("TP+ better than both, two columns or more, where it is not proved optimal", f"{better} of {len(wide)}"),
        (f"TP better than Hilbert for every l at d = {AT_D}, in the mean", f"{_at_every_l(runs)} of {len(LS)}"),
        ("TP <= Hilbert", ", ".join(_better(paired, d) for d in DS)),
        ("KL of TP+ below TDS", f"{sum(c.kl < d.kl for _, _, c, d in paired)} of {len(tp)}"),
        ("phases of TP", ", ".join(f"{phase} {times} times" for phase, times in phases.items())),
    ]


def _at_every_l(runs: list[Run]) -> int:
    """Return for how many l TP has fewer stars than Hilbert, in the mean over the projections on four columns."""
    means = [[fmean(run.stars for run in _of(runs, (l, AT_D), kind.name)) for kind in (TP, Hilbert)] for l in LS]
    return sum(tp < hilbert for tp, hilbert in means)


def _better(paired: list[tuple[Run, Run, Run, Run]], d: int) -> str:
    own = [(a, b) for a, b, *_ in paired if (a.along, a.d) == ("d", d)]
    return f"d={d}: {sum(a.stars <= b.stars for a, b in own)} of {len(own)}"


def _chart(source: Source, runs: list[Run]) -> Any:
    """Return the paper's figures: each measure by l, and by the number of columns."""
    import altair as alt

    panels = [[_panel(runs, along, measure) for measure in MEASURED] for along in ("l", "d")]
    rows = [alt.hconcat(*row, spacing=28) for row in panels]
    title = f"{source.sensitive}, {source.frame.height:,} rows: above by l (four columns), below by columns (l = 6)"
    chart = alt.vconcat(*rows, spacing=24).properties(title=title, background="white", padding=12)
    return chart.configure_legend(orient="bottom").configure_title(fontSize=14, anchor="start")


def _panel(runs: list[Run], along: str, measure: str) -> Any:
    import altair as alt

    points = [
        {"x": x, "method": name, "y": fmean(getattr(run, measure) for run in own)}
        for name in COLOURS
        for x in (LS if along == "l" else DS)
        if (own := [run for run in runs if (run.along, getattr(run, along), run.method) == (along, x, name)])
    ]
    shades = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    marks = alt.Axis(values=[0, 10, 100, 1_000, 10_000, 100_000]) if measure == "stars" else alt.Axis()
    upright = alt.Scale(type="symlog", constant=10) if measure == "stars" else alt.Scale()
    return (
        alt.Chart(alt.InlineData(values=points))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("x:O", title="l" if along == "l" else "quasi-identifiers", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("y:Q", title=MEASURED[measure], scale=upright, axis=marks),
            color=alt.Color("method:N", title=None, scale=shades),
            strokeDash=alt.StrokeDash("method:N", title=None, scale=alt.Scale(domain=list(COLOURS))),
        )
        .properties(width=230, height=190)
    )


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
