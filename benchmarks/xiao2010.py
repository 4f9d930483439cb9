"""The experiment of Xiao, Yi and Tao 2010, section 6: Figures 2 to 8, and whether each claim of the text holds.

Two tables, each with two sensitive attributes. *Employees* are real people: all 204,309 government employees of
`gov_census`, where it is at hand, with their salary (for the paper's SAL) and their occupation (OCC). The *census* is
the synthetic one of this project with 600,000 rows, as many as the paper has: nobody in it exists; incomes are drawn
flatter than usual, so that no bracket has a tenth of the people and l can go up to 10.

Of the employees TP, Hilbert and TP+ run on all projections on seven quasi-identifiers. Of the census three projections
on each number of columns stand for all, and three l (`Source.shifts`, `Source.ls`: without shifts all are taken). TDS,
the KL-divergence and `tp-plus-refined` are slower: they run on two projections on each number of columns, of the census
on one. The search led by prices (`cube`, for the lower bound) runs on one, of the employees.

`python -m benchmarks.xiao2010` needs many minutes and writes into `docs/figures`, so it is not among those that run by
themselves. What was measured is kept there, in a file for each source, and only drawn again while the file is there.
"""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from benchmarks.closeness import DATA as EMPLOYEES
from benchmarks.measure import show
from shoal.core.plots import write_plot
from shoal.costs.kl_divergence import KLDivergence
from shoal.hierarchies import Builder
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.general.cube import CubeSearch
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tds import TopDownSpecialization
from shoal.methods.l_diversity.tp import TP
from shoal.methods.l_diversity.tp_plus import TPPlus
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.studies.synth.census import ATTRIBUTES
from shoal.tables.table import Table

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
KNOWN_OF_EMPLOYEES = ("sex", "age", "race", "marital", "education_level", "citizenship", "economic_region")
DS = range(1, 8)
AT_D, AT_L = 4, 6
PAPERS: tuple[type[Method], ...] = (TP, Hilbert, TPPlus)
"""The methods of Figures 2 to 6."""
SHAPE = (0, 1, 3, 4, 2, 5, 6)
"""The columns of the first of the projections that stand for all; the others are shifts of them."""
FLAT = tuple(replace(one, skew=1.5) if one.name == "income" else one for one in ATTRIBUTES)
SECONDS = 10
"""What the cube method may take for one projection."""
COLOURS = {"tp": "#c2410c", "hilbert": "#7c3aed", "tp-plus": "#0f766e", "tp-plus-refined": "#0284c7", "tds": "#6b7280"}
MEASURED = {"stars": "stars", "seconds": "CPU seconds", "kl": "KL-divergence"}
ALONG = {"l": "l (four columns)", "d": "quasi-identifiers (l = 6)", "rows": "rows (four columns, l = 6)"}


@dataclass(frozen=True)
class Source:
    """A table, what is known of its people, and what is not; which l, rows and projections are looked at."""

    name: str
    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: str
    ls: tuple[int, ...]
    sizes: tuple[int, ...]
    shifts: tuple[int, ...] = ()
    """Shifts that stand for all projections; none where all are taken."""
    few: tuple[int, ...] = (0,)
    """Shifts on which the slower methods run."""
    hierarchies: Mapping[str, Builder] = field(default_factory=dict)

    def problem(self, places: Sequence[int], recoding: str, rows: int | None = None) -> Problem:
        """Return the request of l-diversity for a projection; stars, or blocks of the hierarchies."""
        quasi = [self.quasi[place] for place in places]
        frame = self.frame if rows is None else self.frame.sample(rows, seed=0)
        known = {name: builder for name, builder in self.hierarchies.items() if name in quasi}
        request = Request(quasi, self.asked(AT_L), sensitive=[self.sensitive], recoding=recoding, hierarchies=known)
        problem = prepare(Table.of(frame.select(*quasi, self.sensitive)), request).problem
        _ = problem.microdata.counts, problem.microdata.identity  # worked out once for a table, so not timed
        return problem

    def asked(self, l: int) -> str:
        """Return the requirement."""
        return f"l({self.sensitive})={l}"

    def projections(self, d: int) -> list[tuple[int, ...]]:
        """Return the projections on d quasi-identifiers that are looked at."""
        return shifted(d, self.shifts) if self.shifts else list(combinations(range(len(self.quasi)), d))


def shifted(d: int, shifts: Sequence[int]) -> list[tuple[int, ...]]:
    """Return projections on d columns, every column in as many of them as any other where all seven shifts are taken.

    >>> shifted(2, (0, 2))
    [(0, 1), (2, 3)]
    """
    found = [tuple(sorted((place + shift) % len(SHAPE) for place in SHAPE[:d])) for shift in shifts]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Run:
    """One method on one projection."""

    rows: int
    l: int
    d: int
    columns: str
    method: str
    stars: float | None
    kl: float | None
    seconds: float | None
    """CPU seconds from the encoded table, where a figure has them."""
    bound: float | None
    phase: str | None


def main(*names: str) -> None:
    for source in _sources():
        if not names or source.name in names:
            runs = measured(source)
            _show(source.name, runs)
            write_plot(_chart(source.name, runs), FIGURES / f"xiao_{source.name}.svg")
    print("\n".join(claim_lines({name: kept(name) for name in made()})))


NAMES = ("employees_salary", "employees_occupation", "census_income", "census_occupation")


def _sources() -> Iterator[Source]:
    if EMPLOYEES.is_file():
        people = pl.read_csv(EMPLOYEES)
        sizes: tuple[int, ...] = (50_000, 100_000, 150_000, people.height)
        for name, sensitive, ls in ((NAMES[0], "salary", range(2, 11)), (NAMES[1], "occupation", range(2, 8))):
            yield Source(name, people, KNOWN_OF_EMPLOYEES, sensitive, tuple(ls), sizes, few=(0, 2))
    people, sizes = census(600_000, seed=0, attributes=FLAT), tuple(range(100_000, 700_000, 100_000))
    for name, sensitive in ((NAMES[2], "income"), (NAMES[3], "occupation")):
        yield Source(name, people, QUASI, sensitive, (2, 6, 10), sizes, (0, 2, 4), (0,), census_hierarchies())


# --- measuring -------------------------------------------------------------------------------------------------------


def measured(source: Source) -> list[Run]:
    """Return the runs that are kept in a file, or run them and keep them."""
    if not _file(source.name).is_file():
        _warm(source)
        runs = [run for d in DS for run in _by_papers_methods(source, d)]
        runs += [run for d in DS for run in _by_slower_methods(source, d)]
        runs += [run for rows in source.sizes[:-1] for run in _by_rows(source, rows)]
        table = pl.DataFrame([asdict(run) for run in runs], infer_schema_length=None)
        table.write_csv(_file(source.name), float_precision=4)
    return kept(source.name)


def kept(name: str) -> list[Run]:
    """Return the runs that the file of a source holds."""
    types = {
        "columns": pl.String,
        "phase": pl.String,
        "stars": pl.Float64,
        "kl": pl.Float64,
        "bound": pl.Float64,
        "seconds": pl.Float64,
    }
    return [Run(**row) for row in pl.read_csv(_file(name), schema_overrides=types).to_dicts()]


def made() -> list[str]:
    """Return the sources whose runs are kept."""
    return [name for name in NAMES if _file(name).is_file()]


def _file(name: str) -> Path:
    return FIGURES / f"xiao_{name}.csv"


def _warm(source: Source) -> None:
    """Compile the loops before anything is timed."""
    stars, cuts = (source.problem((0, 1, 3), recoding) for recoding in ("suppress", "single-dimensional"))
    kinds: tuple[type[Method], ...] = (*PAPERS, TPPlusRefined)
    for kind in kinds:
        _solved(kind(), stars)
    _solved(TopDownSpecialization(), cuts)


def _solved(method: Method, problem: Problem) -> Any:
    return method.solve(problem, seed=0, deadline=Deadline(), progress=silent)


def _by_papers_methods(source: Source, d: int) -> Iterator[Run]:
    """Run TP for every l on every projection, and the others where a figure has them."""
    for places in source.projections(d):
        problem = source.problem(places, "suppress")
        for l in source.ls:
            for kind in PAPERS if l == AT_L or d == AT_D else PAPERS[:1]:
                run = _run(kind(), _at(problem, source, l), places, l, with_kl=False)
                yield run if l == AT_L or d == AT_D else replace(run, seconds=None)


def _by_slower_methods(source: Source, d: int) -> Iterator[Run]:
    """Run TDS, and what shoal adds to TP+; measure the divergence of both, and of TP+."""
    ls = [l for l in source.ls if not l % 2] if d == AT_D else [AT_L]
    for number, places in enumerate(shifted(d, source.few)):
        stars, cuts = (source.problem(places, recoding) for recoding in ("suppress", "single-dimensional"))
        for l in ls:
            for kind in (TPPlus, TPPlusRefined):
                yield _run(kind(), _at(stars, source, l), places, l, with_kl=True)
            yield _run(TopDownSpecialization(), _at(cuts, source, l), places, l, with_kl=True)
            if not number and source.name in NAMES[:2]:
                yield _run(CubeSearch(), _at(stars, source, l), places, l, with_kl=False, limit=SECONDS)


def _by_rows(source: Source, rows: int) -> Iterator[Run]:
    for places in shifted(AT_D, source.shifts or range(7)):
        problem = source.problem(places, "suppress", rows)
        for kind in PAPERS:
            yield _run(kind(), problem, places, AT_L, with_kl=False)


def _at(problem: Problem, source: Source, l: int) -> Problem:
    """Return the same table with another l."""
    return make_problem(problem.microdata, parse_requirement(source.asked(l)), recoding=problem.recoding)


def _run(
    method: Method, problem: Problem, places: Sequence[int], l: int, *, with_kl: bool, limit: float | None = None
) -> Run:
    start = time.process_time()
    if limit is None:
        found = _solved(method, problem)
    else:
        found = method.run(problem, deadline=Deadline.after(limit), progress=silent)
    took = time.process_time() - start
    kl = float(KLDivergence().of(problem.publish(found.partition))) if with_kl else None
    phase = found.notes[0].split(":")[0].removeprefix("diverse after ") if method.name == TP.name else None
    stars = found.cost if problem.counts_stars else None
    columns = "".join(map(str, places))
    return Run(problem.rows, l, len(places), columns, method.name, stars, kl, took, found.lower_bound, phase)


# --- means and claims ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """The runs of one source, as the figures have them."""

    runs: Sequence[Run]

    @property
    def rows(self) -> int:
        """How many rows the whole table has."""
        return max(run.rows for run in self.runs)

    def at(self, along: str, x: int, method: str, measure: str) -> dict[str, float]:
        """Return a measure of a method at one point of a figure, by projection."""
        point = {"rows": self.rows, "l": AT_L, "d": AT_D} | {along: x}
        found: dict[str, float] = {}
        for run in self.runs:
            value = getattr(run, measure)
            if run.method == method and value is not None and all(getattr(run, k) == v for k, v in point.items()):
                found.setdefault(run.columns, value)
        return found

    def mean(self, along: str, x: int, method: str, measure: str) -> float:
        """Return the mean over the projections."""
        return fmean(self.at(along, x, method, measure).values())

    def points(self, along: str, method: str, measure: str) -> list[int]:
        """Return where a figure has a mean."""
        every = sorted({getattr(run, along) for run in self.runs})
        return [x for x in every if self.at(along, x, method, measure)]

    def line(self, along: str, method: str, measure: str) -> list[float]:
        """Return the means of a method along a figure."""
        return [self.mean(along, x, method, measure) for x in self.points(along, method, measure)]

    def wins(self, along: str, one: str, other: str, measure: str, *, least: int = 1) -> tuple[int, int]:
        """Return at how many points of a figure the mean of one method is below that of another, and of how many."""
        points = [x for x in self.points(along, one, measure) if x >= least and self.at(along, x, other, measure)]
        below = [x for x in points if _paired_mean(self, along, x, one, other, measure)]
        return len(below), len(points)


def _paired_mean(series: Series, along: str, x: int, one: str, other: str, measure: str) -> bool:
    """Whether one method has the lower mean over the projections that both ran on."""
    ours, theirs = series.at(along, x, one, measure), series.at(along, x, other, measure)
    both = sorted(set(ours) & set(theirs))
    return fmean(ours[name] for name in both) < fmean(theirs[name] for name in both)


def _rises(line: Sequence[float]) -> bool:
    return all(after >= before for before, after in pairwise(line))


NOT_RUN = "not run"


def _said(holds: bool, figure: str) -> str:
    return f"{'holds' if holds else '**fails**'}: {figure}"


def _counted(wins: tuple[int, int], of: str) -> str:
    return _said(wins[0] == wins[1], f"{wins[0]} of {wins[1]} {of}") if wins[1] else NOT_RUN


def _grows(series: Series, along: str, methods: Sequence[str], measure: str) -> str:
    if not all(series.points(along, name, measure) for name in methods):
        return NOT_RUN
    risen = [name for name in methods if _rises(series.line(along, name, measure))]
    return _said(len(risen) == len(methods), f"{len(risen)} of {len(methods)} methods")


def _times(series: Series, along: str, methods: Sequence[str], expected: Callable[[float], bool]) -> str:
    """Compare the time at the end of a figure with that at its beginning."""
    factors = {}
    for name in methods:
        line = series.line(along, name, "seconds")
        factors[name] = line[-1] / line[0]
    figure = ", ".join(f"`{name}` × {factor:.2f}" for name, factor in factors.items())
    return _said(all(map(expected, factors.values())), figure)


def _fewer(series: Series) -> str:
    """Compare TP+ with TP on every projection of Figures 2 and 3 on two columns or more where TP has stars."""
    tp, plus = TP.name, TPPlus.name
    pairs = [
        (before, series.at(along, x, plus, "stars")[name])
        for along in ("l", "d")
        for x in series.points(along, plus, "stars")
        for name, before in series.at(along, x, tp, "stars").items()
        if before and len(name) > 1
    ]
    more, same = sum(b > a for a, b in pairs), sum(a == b for a, b in pairs)
    return _said(not more, f"fewer in {len(pairs) - more - same}, equal in {same}, more in {more}")


def _crossing(series: Series) -> str:
    """Say up to how many columns TP has fewer stars than Hilbert, in the mean."""
    better = [d for d in DS if _paired_mean(series, "d", d, TP.name, Hilbert.name, "stars")]
    together = better == list(range(1, len(better) + 1))
    return _said(bool(better) and together and len(better) < len(DS), f"TP is better for d = {_listed(better)}")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _exponents(series: Series) -> str:
    """Fit the power of the rows by which time grows, from the fewest to the most."""
    found = {}
    for kind in PAPERS:
        sizes, line = series.points("rows", kind.name, "seconds"), series.line("rows", kind.name, "seconds")
        found[kind.name] = log(line[-1] / line[0]) / log(sizes[-1] / sizes[0])
    figure = ", ".join(f"`{name}` n^{power:.2f}" for name, power in found.items())
    return _said(all(power < 1.25 for power in found.values()), figure)


def _fastest(series: Series) -> str:
    """Say at how many points of Figures 4 to 6 Hilbert is the quickest."""
    points = [(along, x) for along in ALONG for x in series.points(along, TPPlus.name, "seconds")]
    won = sum(
        min((series.mean(*point, kind.name, "seconds"), kind.name) for kind in PAPERS)[1] == Hilbert.name
        for point in points
    )
    return _said(won == len(points), f"{won} of {len(points)} points")


def _phases(series: Series) -> str:
    """Count the phases in which TP ends on the whole table."""
    found = Counter(run.phase for run in series.runs if run.method == TP.name and run.rows == series.rows)
    figure = ", ".join(f"{phase} {number} times" for phase, number in sorted(found.items(), key=str))
    return _said(not found["phase 3"], figure)


def _longest(series: Series) -> str:
    longest = max(series.mean("rows", series.rows, kind.name, "seconds") for kind in PAPERS)
    return _said(longest < 1.2, f"{longest:.2f} s at most")


def claims(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return what section 6 says of each figure, and whether it holds of these runs, with the figure."""
    series, (tp, hilbert, plus) = Series(runs), (kind.name for kind in PAPERS)
    tds, names = TopDownSpecialization.name, (tp, hilbert, plus)
    grows, wins, times = partial(_grows, series), series.wins, partial(_times, series)
    return [
        ("2: stars of every method rise with l", grows("l", names, "stars")),
        ("2: TP has fewer stars than Hilbert for every l", _counted(wins("l", tp, hilbert, "stars"), "l")),
        ("2: TP+ has fewer stars than Hilbert for every l", _counted(wins("l", plus, hilbert, "stars"), "l")),
        ("2: TP+ has fewer stars than TP for every l", _counted(wins("l", plus, tp, "stars"), "l")),
        ("2, 3: TP+ never has more stars than TP, on single projections", _fewer(series)),
        ("3: stars of every method rise with d", grows("d", names, "stars")),
        ("3: TP beats Hilbert up to some d and loses beyond (4 for SAL, 6 for OCC)", _crossing(series)),
        ("3: TP+ has fewer stars than Hilbert for every d", _counted(wins("d", plus, hilbert, "stars"), "d")),
        ("TP ends before phase three, on all tables and for all l", _phases(series)),
        ("4: time of Hilbert falls with l", times("l", [hilbert], lambda factor: factor < 1)),
        ("4: time of TP and TP+ rises with l", times("l", [tp, plus], lambda factor: factor > 1)),
        ("5: time of TP and TP+ rises with d", times("d", [tp, plus], lambda factor: factor > 1)),
        ("5: time of Hilbert does not depend on d", times("d", [hilbert], lambda factor: 2 / 3 < factor < 3 / 2)),
        ("6: time is linear in n, or nearly", _exponents(series)),
        ("6: the largest table takes less than 1.2 s", _longest(series)),
        ("summary: Hilbert is the fastest of the three", _fastest(series)),
        ("7: KL of TP+ is below that of TDS for every l", _counted(wins("l", plus, tds, "kl"), "l")),
        ("7: KL of TP+ rises with l", grows("l", [plus], "kl")),
        (
            "8: KL of TP+ is below that of TDS for every d (from 2 on)",
            _counted(wins("d", plus, tds, "kl", least=2), "d"),
        ),
        ("8: KL of TP+ and TDS rises with d", grows("d", [plus, tds], "kl")),
        ("shoal: `tp-plus-refined` has fewer stars than TP+, two columns or more", _refined(series)),
    ]


def _refined(series: Series) -> str:
    """Compare TP+ refined with TP+ where both ran and TP+ has stars."""
    shares = [
        stars / before
        for along in ("l", "d")
        for x in series.points(along, TPPlusRefined.name, "stars")
        for name, stars in series.at(along, x, TPPlusRefined.name, "stars").items()
        if (before := series.at(along, x, TPPlus.name, "stars")[name]) and len(name) > 1
    ]
    if not shares:
        return NOT_RUN
    won = sum(share < 1 for share in shares)
    return _said(won == len(shares), f"{won} of {len(shares)}; {fmean(shares):.2f} of its stars in the mean")


def claim_lines(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """Return the claims as the lines of a table, a column for each source."""
    found = [claims(one) for one in runs.values()]
    heads = ["figure, and what the text says", *(name.replace("_", ", ") for name in runs)]
    lines = [[claim, *(dict(one)[claim] for one in found)] for claim, _ in found[0]]
    head, *rest = (f"| {' | '.join(line)} |" for line in [heads, *lines])
    return [head, "|" + "---|" * len(heads), *rest]


# --- showing ---------------------------------------------------------------------------------------------------------


def _show(name: str, runs: list[Run]) -> None:
    """Print the means of every figure, and what one projection costs beside its bound."""
    series = Series(runs)
    for along in ALONG:
        lines: list[list[object]] = []
        for x in sorted({getattr(run, along) for run in runs}):
            cells = [series.at(along, x, method, measure) for measure in MEASURED for method in COLOURS]
            if any(cells):
                lines.append([x, *(f"{fmean(one.values()):,.3f} ({len(one)})" if one else "-" for one in cells)])
        heads = (along, *(f"{method} {measure}" for measure in MEASURED for method in COLOURS))
        show(f"{name}: means by {along}, in brackets the projections", heads, lines)
    show(f"{name}: one projection, with a bound", ("l", "d", "TP+", "refined", "cube", "bound"), gaps(runs))


def gaps(runs: Sequence[Run]) -> list[list[object]]:
    """Return, where `cube` ran, what TP+, TP+ refined and it cost in the bounds that it proved."""
    found: list[list[object]] = []
    for cube in [run for run in runs if run.method == CubeSearch.name and run.bound]:
        same = {r.method: r.stars for r in runs if (r.rows, r.l, r.columns) == (cube.rows, cube.l, cube.columns)}
        costs = [same[name] for name in (TPPlus.name, TPPlusRefined.name, CubeSearch.name)]
        shares = [f"{cost / cube.bound:.3f}" for cost in costs if cost is not None and cube.bound]
        found.append([cube.l, cube.d, *shares, f"{cube.bound:,.0f}"])
    return found


def _chart(name: str, runs: list[Run]) -> Any:
    """Return the paper's figures: stars by l and d, time by l, d and rows, divergence by l and d."""
    import altair as alt

    series = Series(runs)
    wanted = [("stars", ("l", "d")), ("seconds", ("l", "d", "rows")), ("kl", ("l", "d"))]
    rows = [
        alt.hconcat(*(_panel(series, along, measure) for along in alongs), spacing=28) for measure, alongs in wanted
    ]
    title = f"{name.replace('_', ', ')}: {series.rows:,} rows; Figures 2 and 3, 4 to 6, 7 and 8"
    chart = alt.vconcat(*rows, spacing=24).properties(title=title, background="white", padding=12)
    return chart.configure_legend(orient="bottom").configure_title(fontSize=14, anchor="start")


def _panel(series: Series, along: str, measure: str) -> Any:
    import altair as alt

    points = [
        {"x": x, "method": name, "y": series.mean(along, x, name, measure)}
        for name in COLOURS
        for x in series.points(along, name, measure)
    ]
    shades = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    marks = alt.Axis(values=[0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]) if measure == "stars" else alt.Axis()
    upright = alt.Scale(type="symlog", constant=10) if measure == "stars" else alt.Scale()
    return (
        alt.Chart(alt.InlineData(values=points))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("x:O", title=ALONG[along], axis=alt.Axis(labelAngle=0)),
            y=alt.Y("y:Q", title=MEASURED[measure], scale=upright, axis=marks),
            color=alt.Color("method:N", title=None, scale=shades),
            strokeDash=alt.StrokeDash("method:N", title=None, scale=alt.Scale(domain=list(COLOURS))),
        )
        .properties(width=230, height=190)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
