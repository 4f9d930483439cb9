"""Methods side by side on one table: what each release costs, what is proved of it, and what it takes to find it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from shoal.checking.audit import as_dict
from shoal.core.errors import ParameterError, ShoalError, Unsupported, nearest
from shoal.core.markup import table as table_of
from shoal.core.markup import tag
from shoal.core.memory import MemoryLimit, within
from shoal.core.number_format import counted
from shoal.core.pictures import bar
from shoal.core.plots import method_chart, write_plot
from shoal.methods.auto import methods as known_methods
from shoal.methods.auto import requested_recoding
from shoal.methods.base import Progress, silent
from shoal.methods.effort import NORMAL, checked_effort
from shoal.models import Model, Models
from shoal.problem import Problem, Solution
from shoal.release.certificate import gap
from shoal.request import Request, Settings, takes_settings
from shoal.steps.notebook_progress import watched
from shoal.steps.preparation import Prepared, prepare
from shoal.steps.publication import audit_of, audited
from shoal.studies.external_tables import measured
from shoal.studies.isolated_run import Attempt, Task, run_apart
from shoal.tables.table import Table, TableLike

AUTO = "auto"
UNCONFIRMED = "unconfirmed"


@dataclass(frozen=True)
class Outcome:
    """What one method did. `cost` is None where there is no release; `reason` then says why."""

    method: str
    status: str
    """`optimal`, `within_bound` or `feasible`; without a release `unsupported`, `infeasible`, `failed`, `stopped`,
    `not run`, or `unconfirmed` where suppressed rows were not checked and the audit refuses them. A table that
    something else published is `published`, or `unconfirmed` where it does not keep to the request."""
    reason: str | None = None
    cost: float | None = None
    lower_bound: float | None = None
    """What this method proved, together with the bounds that need no method."""
    gap: float | None = None
    """cost / the best lower bound of all methods: a bound that one of them proves holds for every one."""
    guarantee: str | None = None
    classes: int | None = None
    dropped: int | None = None
    models: tuple[Mapping[str, Any], ...] = ()
    """The level reached for every model, from the audit of the published cells."""
    seconds: float | None = None
    """What the method took, without reading, encoding, publishing and auditing."""
    memory_before: int | None = None
    """Bytes that the method's process held before: the interpreter, its libraries, the encoded table."""
    peak_memory: int | None = None
    """The most bytes that the method's process held while the method ran."""
    notes: tuple[str, ...] = ()
    bounded: bool = True
    """Whether bounds on releases of the request hold for it: not for a table that does not keep to the request."""


@dataclass(frozen=True)
class Comparison:
    """The outcome of every method, in the order they were named. It holds no cell of the table."""

    rows: int
    require: str
    recoding: str
    cost: str
    seed: int
    time_limit: float | None
    outcomes: tuple[Outcome, ...]

    @property
    def lower_bound(self) -> float | None:
        """The best lower bound that any method proved: no release of this request costs less, whatever finds it."""
        return max((one.lower_bound for one in self.outcomes if one.lower_bound is not None), default=None)

    @property
    def best(self) -> Outcome | None:
        """The cheapest release; of equals the one found first. None if there is none."""
        found = [one for one in self.outcomes if one.cost is not None and one.status != UNCONFIRMED]
        return min(found, key=lambda one: one.cost or 0.0, default=None)

    @property
    def stopped(self) -> bool:
        """Whether it was interrupted, so that some methods have no outcome of their own."""
        return any(one.status in ("stopped", "not run") for one in self.outcomes)

    def __getitem__(self, method: str) -> Outcome:
        found = {one.method: one for one in self.outcomes}
        if method not in found:
            raise KeyError(f"{method!r} was not compared; {nearest(method, found)}")
        return found[method]

    def frame(self) -> pl.DataFrame:
        """Return a row a method, with a column for the level reached of every model."""
        plain = ("method", "status", "cost", "lower_bound", "gap", "classes", "dropped")
        after = ("seconds", "memory_before", "peak_memory", "guarantee", "reason")
        names = next((tuple(model["model"] for model in one.models) for one in self.outcomes if one.models), ())
        columns = {name: [getattr(one, name) for one in self.outcomes] for name in plain}
        columns |= {name: [_level(one, number) for one in self.outcomes] for number, name in enumerate(names)}
        columns |= {name: [getattr(one, name) for one in self.outcomes] for name in after}
        return pl.DataFrame(columns, schema_overrides=TYPES, strict=False)

    def __repr__(self) -> str:
        best = "no release" if self.best is None else f"best {self.best.method}, {self.cost} {self.best.cost:,.6g}"
        methods = counted(len(self.outcomes), "method")
        return f"<Comparison: {counted(self.rows, 'row')}, {self.require}, {methods}, {best}>"

    def _repr_html_(self) -> str:
        """Show in a notebook a row a method, with cost as a bar; no cell is in it."""
        most = max((one.cost or 0.0 for one in self.outcomes), default=0.0) or 1.0
        bound = "" if self.lower_bound is None else f"; no release costs less than {self.lower_bound:,.6g}"
        rows = [
            [
                one.method,
                one.status,
                "" if one.cost is None else f"{one.cost:,.6g}",
                "" if one.cost is None else bar(one.cost / most, f"{one.cost:,.6g}"),
                "" if one.gap is None else f"{one.gap:.4g}",
                "" if one.classes is None else f"{one.classes:,}",
                "" if one.seconds is None else f"{one.seconds:.3g}",
                one.reason or "",
            ]
            for one in self.outcomes
        ]
        said = f": {counted(self.rows, 'row')}, {self.require}, recoding {self.recoding}{bound}"
        headings = ("method", "status", self.cost, "", "gap", "classes", "seconds", "")
        return tag("div", tag("p", tag("strong", "Comparison"), said), table_of(headings, rows, numbers=(2, 4, 5, 6)))

    def to_json(self) -> str:
        """Return everything as JSON."""
        content = asdict(self)
        outcomes = content.pop("outcomes")
        best = None if self.best is None else self.best.method
        content |= {"lower_bound": self.lower_bound, "best": best, "outcomes": outcomes}
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)

    def plot(self, file: str | Path | None = None) -> Any:
        """Return an altair chart of cost and time; also write it to a .svg, .png or .html file if one is named."""
        rows = [{key: getattr(one, key) for key in ("method", "status", "cost", "seconds")} for one in self.outcomes]
        about = f"{self.rows:,} rows, {self.require}, recoding {self.recoding}"
        chart = method_chart(rows, cost=self.cost, bound=self.lower_bound, about=about)
        if file is not None:
            write_plot(chart, Path(file))
        return chart


TYPES: Mapping[str, pl.DataType | type[pl.DataType]] = {
    **dict.fromkeys(("method", "status", "guarantee", "reason"), pl.String),
    **dict.fromkeys(("cost", "lower_bound", "gap", "seconds"), pl.Float64),
    **dict.fromkeys(("classes", "dropped", "memory_before", "peak_memory"), pl.Int64),
}


@takes_settings("compare")
def compare(
    data: TableLike,
    *,
    methods: Iterable[str] | None = None,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model],
    memory_limit: object = None,
    also: Mapping[str, TableLike] | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> Comparison:
    """Run several methods on one problem, each with the same seed and time limit, each in a process of its own.

    Every cost and level is that of a release which the audit confirms. A method that cannot take the problem, finds
    it infeasible or fails has an outcome that says so. Without `methods`: all that accept the problem. `also` are
    tables that something else made of this one, by the name they are listed under: they are audited and costed alike.
    The other settings are those of `shoal.anonymize`, the memory limit for each process. Ctrl-C keeps what is done, if
    any method is.

    >>> people = {"age": [25, 25, 40, 41], "town": ["Oslo", "Oslo", "Oslo", "Bergen"]}
    >>> found = compare(people, methods=["mondrian", "subset-dp"], quasi=["age", "town"], require="k=2")
    >>> [(one.method, one.status, one.cost, one.gap) for one in found.outcomes]
    [('mondrian', 'feasible', 0.5, 1.0), ('subset-dp', 'optimal', 0.5, 1.0)]
    """
    request = Request.of("compare", quasi=quasi, require=require, **settings)
    memory = MemoryLimit.of(memory_limit)
    with within(memory), watched(progress) as shown:
        peers = {name: Table.of(table) for name, table in (also or {}).items()}
        return run(Table.of(data), request, check_names(methods), shown, peers, memory)


def check_names(given: Iterable[str] | None) -> list[str] | None:
    """Return the methods named, or raise `ParameterError`: each must be known, and named once."""
    if given is None:
        return None
    names = [given] if isinstance(given, str) else list(given)
    known = [AUTO, *known_methods()]
    for place, name in enumerate(names):
        if name not in known:
            raise ParameterError(f"unknown method {name!r}", hint=nearest(str(name), known))
        if name in names[:place]:
            raise ParameterError(f"method {name!r} is named twice", expected="each method once")
    if not names:
        raise ParameterError(
            "the list of methods is empty", hint="name some, or leave it out to compare every method that fits"
        )
    return names


def compared_recoding(request: Request, names: Sequence[str]) -> str:
    """Return the recoding in which methods are compared: that of one alone, groups for several where none is named."""
    method = names[0] if len(names) == 1 else AUTO
    return requested_recoding(request, grouped=request.grouped or len(names) > 1, method=method)


def run(
    table: Table,
    request: Request,
    names: Sequence[str] | None,
    progress: Progress = silent,
    also: Mapping[str, Table] | None = None,
    memory: MemoryLimit | None = None,
) -> Comparison:
    """Compare the methods named, or all that accept the problem, and tables published before; it is encoded once.

    What can never be done within the limit on `memory` is refused at once; it holds for each method's process.
    """
    if memory is not None:
        memory.check_table(table.rows, len(table.columns))
    check_peers(also or {})
    seed, limit = request.start_and_limit()
    checked_effort(request.effort, AUTO)
    asked = prepare(table, replace(request, recoding=compared_recoding(request, names or [AUTO])), progress)
    problem = asked.problem
    chosen = list(names) if names is not None else _fitting(problem)
    outcomes = [_peer(asked, name, peer) for name, peer in (also or {}).items()]
    before = len(outcomes)
    for place, name in enumerate(chosen):
        try:
            part = _part(progress, name, place, len(chosen))
            effort = request.effort if name == AUTO else NORMAL
            outcomes.append(_outcome(asked, Task(problem, name, seed, limit, memory, effort), part))
        except KeyboardInterrupt:
            if len(outcomes) == before:
                raise
            outcomes.append(Outcome(name, "stopped", "it was interrupted"))
            outcomes += [Outcome(left, "not run", "the comparison was interrupted") for left in chosen[place + 1 :]]
            break
    found = Comparison(
        problem.rows, str(asked.models), problem.recoding, problem.cost.name, seed, limit, tuple(outcomes)
    )
    bound = found.lower_bound
    gaps = (
        replace(one, gap=gap(one.cost, bound) if one.cost is not None and one.bounded else None) for one in outcomes
    )
    return replace(found, outcomes=tuple(gaps))


def _fitting(problem: Problem) -> list[str]:
    """Return the methods that accept a problem; all of them, so that each says why, where none does."""
    known = known_methods()
    return [name for name, kind in known.items() if not kind().accepts(problem)] or list(known)


def _outcome(asked: Prepared, task: Task, progress: Progress) -> Outcome:
    """Run one method, publish what it found, and state what the audit of the published cells confirms."""
    kind = known_methods().get(task.method)
    reasons = kind().accepts(task.problem) if kind is not None else []
    if reasons:
        return Outcome(task.method, "unsupported", "; ".join(reasons))
    progress(0.0, "starting")
    found: Attempt = run_apart(task, progress)
    solution = found.solution
    if solution is None:
        return Outcome(task.method, found.status, found.reason)
    try:
        _, _, confirmed = audited(asked, solution, progress)
    except Unsupported as error:
        return _unconfirmed(found, solution, str(error))
    except ShoalError as error:
        return Outcome(task.method, "failed", str(error))
    return Outcome(
        method=task.method,
        status=solution.status,
        cost=solution.cost,
        lower_bound=solution.lower_bound,
        guarantee=solution.guarantee,
        classes=confirmed.classes,
        dropped=solution.partition.dropped,
        models=tuple({"model": one.model, **as_dict(one)} for one in confirmed.findings),
        seconds=found.seconds,
        memory_before=found.memory_before,
        peak_memory=found.peak_memory,
        notes=solution.notes,
    )


def check_peers(also: Iterable[str]) -> None:
    """Raise `ParameterError` where a published table would be listed under the name of a method."""
    for name in also:
        if not name or name in (AUTO, *known_methods()):
            raise ParameterError(f"a published table is called {name!r}", expected="a name that no method has")


def _peer(asked: Prepared, name: str, table: Table) -> Outcome:
    """Cost and audit a table that something else published."""
    try:
        confirmed = audit_of(asked, table)
        peer = measured(asked.problem, table)
    except ShoalError as error:
        return Outcome(name, "failed", str(error))
    failing = [
        f"the audit refuses {one.model}: {one.failing_rows:,} rows" for one in confirmed.findings if not one.holds
    ]
    reasons = [*peer.outside, *failing]
    return Outcome(
        method=name,
        status=UNCONFIRMED if reasons else "published",
        reason="; ".join(reasons) or None,
        cost=peer.cost,
        classes=confirmed.classes,
        dropped=peer.dropped,
        models=tuple({"model": one.model, **as_dict(one)} for one in confirmed.findings),
        bounded=not reasons,
    )


def _unconfirmed(found: Attempt, solution: Solution, reason: str) -> Outcome:
    """Return the figures of what may not be released: suppressed rows that were not checked, as ARX does it."""
    return Outcome(
        method=solution.method,
        status=UNCONFIRMED,
        reason=reason,
        cost=solution.cost,
        classes=len(solution.partition),
        dropped=solution.partition.dropped,
        seconds=found.seconds,
        memory_before=found.memory_before,
        peak_memory=found.peak_memory,
        notes=solution.notes,
    )


def _part(progress: Progress, name: str, place: int, number: int) -> Progress:
    """Return the progress of one method as a part of the whole."""
    return lambda share, doing: progress((place + share) / number, f"{name}: {doing}")


def _level(one: Outcome, number: int) -> object:
    """Return the level reached as a number, an infinite one as infinity; None where there is no release."""
    if not one.models:
        return None
    reached = one.models[number]["reached"]
    return inf if reached is None else reached
