"""The frontier: what privacy costs, from one level of a model to the next.

One number of a requirement runs through several values. At each of them every method makes a release, whose risk is
measured from its published cells and whose use next to the original. What is done is kept in a state file, so that a
run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from shoal.core.errors import Infeasible, ParameterError, Unsupported
from shoal.core.markup import table as table_of
from shoal.core.markup import tag
from shoal.core.memory import MemoryLimit, within
from shoal.core.number_format import counted
from shoal.core.parameters import spelled
from shoal.core.pictures import curves
from shoal.core.plots import frontier_chart, write_plot
from shoal.costs.average_class_size import AverageClassSize
from shoal.methods.base import Progress, silent
from shoal.models import Model, Models
from shoal.models.parameter_range import Vary
from shoal.models.requirement import as_models
from shoal.pipeline import run
from shoal.release.certificate import gap
from shoal.release.release import Release
from shoal.request import Request, Settings, takes_settings
from shoal.steps.notebook_progress import watched
from shoal.studies.checkpoint import State, fingerprint
from shoal.studies.comparison import check_names, compared_recoding
from shoal.tables.table import Table, TableLike
from shoal.utility import query_error

AUTO = "auto"
QUERIES = 200
"""Random counts asked of every release."""


@dataclass(frozen=True)
class Point:
    """What one method did at one value. `cost` is None where there is no release; `reason` then says why."""

    value: float
    method: str
    status: str
    """`optimal`, `within_bound` or `feasible`; without a release `infeasible` or `unsupported`."""
    reason: str | None = None
    cost: float | None = None
    proved: float | None = None
    """The lower bound that this method has at this value."""
    classes: int | None = None
    dropped: int | None = None
    highest_risk: float | None = None
    """1 / the smallest class."""
    average_risk: float | None = None
    """The share of rows that are linked to the right person, if all are linked."""
    at_risk: float | None = None
    """The share of rows at a risk above 0.2."""
    population_risk: float | None = None
    """The average individual risk of a row, where record weights are given: that of the population."""
    household_risk: float | None = None
    """The average risk that at least one member of a row's household is found, where households are known."""
    loss: float | None = None
    """The mean of what the columns lost, 0 to 1; None for two tables."""
    query_error: float | None = None
    """The median relative error of random counts."""
    seconds: float | None = None
    lower_bound: float | None = None
    """The best bound that is known at this value: of any method, here or at a value that asks for less."""
    gap: float | None = None
    """cost / lower_bound."""


@dataclass(frozen=True)
class Frontier:
    """A point for every value and method, values in the order they were asked for. It holds no cell of the table."""

    rows: int
    varied: str
    """The model whose number runs, as it is written before the `=`."""
    require: str
    """What is asked besides."""
    recoding: str
    cost: str | None
    points: tuple[Point, ...]
    larger_is_stricter: bool
    nested: bool
    """Whether a release that meets a stricter value is one for a laxer value, and costs the same there."""
    stopped: bool = False

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order they were named."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    @property
    def values(self) -> tuple[float, ...]:
        """The values, in the order they were asked for."""
        return tuple(dict.fromkeys(point.value for point in self.points))

    def best(self, value: float) -> Point | None:
        """Return the cheapest release that meets a value, also one made for a stricter value; None if there is none."""
        found = [point for point in self.points if point.cost is not None and self._serves(point.value, value)]
        return min(found, key=lambda point: point.cost or 0.0, default=None)

    def _serves(self, made: float, value: float) -> bool:
        """Whether what is made for one value meets another one."""
        stricter = made >= value if self.larger_is_stricter else made <= value
        return stricter if self.nested else made == value

    def bound(self, value: float) -> float | None:
        """Return the best lower bound at a value: what was proved there, or for a value that asks for less."""
        proved = (one.proved for one in self.points if one.proved is not None and self._serves(value, one.value))
        return max(proved, default=None)

    def frame(self) -> pl.DataFrame:
        """Return a row a point."""
        names = [field.name for field in fields(Point)]
        return pl.DataFrame({name: [getattr(one, name) for one in self.points] for name in names}, strict=False)

    def __repr__(self) -> str:
        points = f"{counted(len(self.values), 'value')} of {self.varied}, {counted(len(self.methods), 'method')}"
        return f"<Frontier: {counted(self.rows, 'row')}, {points}>"

    def _repr_html_(self) -> str:
        """Show in a notebook what each value costs, as lines and as a table; no cell is in it."""
        lines = {
            name: [(one.value, one.cost) for one in self._in_order if one.method == name and one.cost is not None]
            for name in self.methods
        }
        bounds = {one.value: one.lower_bound for one in self._in_order if one.lower_bound is not None}
        rows = [
            [
                f"{one.value:g}",
                one.method,
                one.status,
                "" if one.cost is None else f"{one.cost:,.6g}",
                "" if one.gap is None else f"{one.gap:.4g}",
                "" if one.highest_risk is None else f"{one.highest_risk:.3g}",
                "" if one.query_error is None else f"{one.query_error:.3g}",
            ]
            for one in self.points
        ]
        asked = f"{self.require}, " if self.require else ""
        headings = (self.varied, "method", "status", self.cost or "cost", "gap", "highest risk", "error of counts")
        return tag(
            "div",
            tag("p", tag("strong", "Frontier"), f": {counted(self.rows, 'row')}, {asked}recoding {self.recoding}"),
            curves(lines, dashed=list(bounds.items()), across=self.varied, up=self.cost or "cost"),
            table_of(headings, rows, numbers=(0, 3, 4, 5, 6)),
        )

    @property
    def _in_order(self) -> list[Point]:
        return sorted(self.points, key=lambda one: one.value)

    def to_json(self) -> str:
        """Return everything as JSON."""
        best = [self.best(value) for value in self.values]
        cheapest = [None if one is None else {"value": one.value, "method": one.method} for one in best]
        content = asdict(self) | {"best": dict(zip(map(str, self.values), cheapest, strict=True))}
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)

    def plot(self, file: str | Path | None = None) -> Any:
        """Return an altair chart of cost, risk and use; also write it to a .svg, .png or .html file if one is named."""
        about = f"{self.rows:,} rows, {f'{self.require}, ' if self.require else ''}recoding {self.recoding}"
        rows = [asdict(point) for point in self.points]
        chart = frontier_chart(rows, varied=self.varied, cost=self.cost or "none", about=about)
        if file is not None:
            write_plot(chart, Path(file))
        return chart


@takes_settings("frontier")
def frontier(
    data: TableLike,
    *,
    vary: str,
    methods: Iterable[str] | None = None,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model] | None = None,
    memory_limit: object = None,
    queries: int = QUERIES,
    state: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> Frontier:
    """Make a release at every value of a model's number, with one or several methods, and measure risk and use.

    `vary` is `"k=2..50"` (about ten values, in equal ratios where they are whole), `"t(income:ordered)=0.1..0.5..0.1"`
    (in steps) or `"l(illness)=2,3,5"`; `require` is what is asked besides. Without `methods`: `auto`. `state` is a file
    that keeps what is done; the other settings are those of `shoal.anonymize`, the time limit for each release. Ctrl-C
    keeps what is done, if anything is.

    >>> people = {"age": [25, 25, 40, 41, 60, 61], "ill": ["flu", "gout", "flu", "gout", "flu", "gout"]}
    >>> found = frontier(people, vary="k=2,3,6", methods=["subset-dp"], quasi=["age"], sensitive=["ill"])
    >>> [(one.value, one.cost, one.average_risk) for one in found.points]
    [(2.0, 0.166..., 0.5), (3.0, 1.0, 0.166...), (6.0, 1.0, 0.166...)]
    """
    fixed = "" if require is None else as_models(require)
    request = Request.of("frontier", quasi=quasi, require=fixed, **settings)
    limit = MemoryLimit.of(memory_limit)
    names = check_names(methods or [request.method]) or [AUTO]
    with within(limit), watched(progress) as shown:
        return trace(Table.of(data), request, Vary.of(vary), names, queries, state, shown, limit)


def trace(
    table: Table,
    request: Request,
    vary: Vary,
    names: Sequence[str],
    queries: int = QUERIES,
    state: str | Path | None = None,
    progress: Progress = silent,
    limit: MemoryLimit | None = None,
) -> Frontier:
    """Make every point that the state file does not have yet; what can never be done within a `limit` is refused."""
    if limit is not None:
        limit.check_table(table.rows, len(table.columns))
    request.start_and_limit()
    fixed = as_models(request.require) if request.require else Models(())
    vary.check_besides(fixed)
    request = replace(request, recoding=compared_recoding(request, names))
    kept = State.at(state)
    data = fingerprint(table, request, queries)
    made: list[tuple[Point, str | None]] = []
    stopped = False
    asked = [(value, name) for value in vary.values for name in names]
    try:
        for place, (value, name) in enumerate(asked):
            wanted = replace(request, require=fixed & vary.at(value), method=name)
            key = fingerprint(data, repr(wanted.require), name)
            found = kept.get(key)
            if found is None:
                part = _part(progress, f"{vary.model}={spelled(value)}, {name}", place, len(asked))
                point, measure = _point(table, wanted, value, queries, part)
                found = {"measure": measure, **asdict(point)}
                kept.put(key, found)
            made.append((Point(**{name: of for name, of in found.items() if name != "measure"}), found["measure"]))
    except KeyboardInterrupt:
        if not made:
            raise
        stopped = True
    return _whole(table, request, vary, fixed, made, stopped)


def _whole(
    table: Table,
    request: Request,
    vary: Vary,
    fixed: Models,
    made: Sequence[tuple[Point, str | None]],
    stopped: bool,
) -> Frontier:
    """Put the points together, each with the best bound that is known at its value."""
    measure = next((measure for _, measure in made if measure is not None), None)
    kind = vary.kind
    same_problem = request.coarsen != "auto" and measure != AverageClassSize.name
    points = tuple(point for point, _ in made)
    found = Frontier(
        table.rows,
        vary.model,
        str(fixed),
        str(request.recoding),
        measure,
        points,
        kind.larger_is_stricter,
        kind.nested and same_problem,
        stopped,
    )
    return replace(found, points=tuple(_bounded(found, point) for point in points))


def _bounded(found: Frontier, point: Point) -> Point:
    bound = found.bound(point.value)
    return replace(point, lower_bound=bound, gap=None if point.cost is None else gap(point.cost, bound))


def _point(
    table: Table, request: Request, value: Fraction, queries: int, progress: Progress
) -> tuple[Point, str | None]:
    """Make one release and measure it; where there is none, say why."""
    began = time.perf_counter()
    try:
        release = run(table, request, progress, publishes=False)
    except (Infeasible, Unsupported) as error:
        status = "infeasible" if isinstance(error, Infeasible) else "unsupported"
        return Point(float(value), request.method, status, str(error)), None
    seconds = time.perf_counter() - began
    stated, risk = release.certificate, release.audit.risk
    assert risk is not None
    made = Point(
        value=float(value),
        method=request.method,
        status=stated.status,
        cost=float(stated.cost),
        proved=stated.lower_bound,
        classes=stated.classes,
        dropped=stated.dropped,
        highest_risk=risk.prosecutor.highest,
        average_risk=risk.prosecutor.average,
        at_risk=risk.prosecutor.exceeding[0].share,
        population_risk=None if risk.individual is None else risk.individual.average,
        household_risk=None if risk.household is None else risk.household.average,
        loss=_loss(release),
        query_error=_error(release, table, queries),
        seconds=seconds,
    )
    return made, stated.cost.name


def _loss(release: Release) -> float | None:
    losses = [float(column["loss"]) for column in release.codebook["columns"] if "loss" in column]
    return sum(losses) / len(losses) if losses else None


def _error(release: Release, table: Table, queries: int) -> float | None:
    try:
        return query_error(release, table, queries=queries).median if queries else None
    except (Unsupported, ParameterError):
        return None


def _part(progress: Progress, name: str, place: int, number: int) -> Progress:
    """Return the progress of one point as a part of the whole."""
    return lambda share, doing: progress((place + share) / number, f"{name}: {doing}")
