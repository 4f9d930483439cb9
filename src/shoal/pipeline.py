"""From a table to a release: open this file first. Each step is one function; nothing is changed along the way.

file, frame --read--> Table --roles, hierarchies--> Microdata --models, cost--> Problem
                                                                                 | a method
                                                                                 v
Release <-- Certificate <--audit-- published table <--recode-- Solution(partition, cost, bound)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Unpack, cast

from shoal.core.clock import Stopwatch
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.memory import MemoryLimit, within
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.coarsening import solve_raised
from shoal.models import Model, Models
from shoal.models.orders import read_as_asked
from shoal.problem import Problem, Solution
from shoal.release.release import Release
from shoal.request import Request, Settings, takes_settings
from shoal.steps.masks import with_resolved_masks
from shoal.steps.notebook_progress import watched
from shoal.steps.preparation import examined, prepare
from shoal.steps.publication import audited, cells_seen, certified, classes_read, described, with_checked_bound
from shoal.steps.safety import Safety
from shoal.tables.table import Table, TableLike, read_by_disk

LOCAL = "local"
ENGINES = {"spark": "shoal.spark"}
"""Modules whose `run` does the same where the rows are; they build on this one, and are loaded when asked for."""
REPUBLICATION = "shoal.republication.earlier"
"""The module that compares a release with earlier ones; it builds on this one too."""


@takes_settings("anonymize")
def anonymize(
    data: TableLike,
    *,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model],
    memory_limit: object = None,
    engine: str = LOCAL,
    registry: str | Path | None = None,
    overlap: str | None = None,
    follows: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> Release:
    """Publish a table so that every class of equal quasi-identifiers meets every model.

    Either the audit of the published cells confirms every model, or an error is raised: `Infeasible` where no release
    can meet them, `Unsupported` where the method or option cannot do it.

    - `data`: a path, or a polars, pandas or pyarrow frame.
    - `other`, `leave_out`: columns that are published as they are, unprotected, and columns that are not published.
      Nothing is published before every column has a role; `"rest"` names all that have none yet.
    - `require`: text such as `"k=5 l(disease)=3"`, or models joined with `&`.
    - `hierarchies`: per column a file, a builder, or words such as `"intervals:width=5,10"`.
    - `recoding`: `range` (ranges and value sets; the default), `generalize` (groups of hierarchies; where one is given
      for a quasi-identifier, or a method is named), `suppress` (stars; where method, cost or `star` are about them),
      `single-dimensional` (one cut through each column's hierarchy), `full-domain` (one level of it for each column),
      `centroid` (means, medians, commonest values), `anatomy` (two tables: sensitive values by group).
    - `cost`: what to keep small; stars for suppression, centroid error for centroids, the reconstruction error for two
      tables, NCP otherwise.
    - `coarsen`: quasi-identifiers raised to a level of their hierarchies before all else: `{"age": 2}` or `"age=2"`,
      `"hipaa"` (years, three digits of postcodes, ages up to 89), `"auto"` (the levels at which least is lost).
    - `memory_limit`: the most memory that may be held meanwhile, such as `"2GiB"`; work that needs more is ended.
    - `unify`: columns of text in which values that differ in spaces, letter case, Unicode form, leading zeros or the
      form of a date alone become one, spelt as most rows spell it. Equal numbers are one value in any case.
    - `order`: the order of words, the least first: `{"pain": ["low", "mid", "high"]}`; ordered distances and ranges
      need one.
    - `engine`: `spark` for a frame of Spark, whose rows stay there; see `shoal.spark.anonymize`.
    - `registry`: a folder with the register of earlier releases. The release is compared with them (`overlaps`), and
      refused if together they reveal people; `overlap="warn"` allows it. `save` records it there.
    - `follows`: the release before, in which people keep their signature; `"none"` for the first of a series.

    >>> people = {"age": [25, 25, 40, 40], "illness": ["flu", "gout", "flu", "gout"]}
    >>> release = anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2 l(illness)=2")
    >>> release.certificate.status, len(release.classes), float(release.certificate.cost)
    ('optimal', 2, 0.0)
    """
    limit = MemoryLimit.of(memory_limit)
    if engine not in (LOCAL, *ENGINES):
        raise ParameterError(f"unknown engine {engine!r}", expected=" or ".join(map(repr, (LOCAL, *ENGINES))))
    request = Request.of("anonymize", quasi=quasi, require=require, **settings)
    known = any((registry, overlap, follows))
    make = import_module(REPUBLICATION).Earlier.of(registry, overlap, follows).run if known else run  # a layer above
    if engine != LOCAL and limit is not None:
        raise Unsupported(
            "memory_limit cannot be used with the engine spark", hint="set the memory in the configuration of Spark"
        )
    if engine != LOCAL and known:
        raise Unsupported(
            "registry cannot be used with the engine spark: earlier releases are compared in memory",
            hint="leave it out, and use shoal.register",
        )
    if engine != LOCAL:  # its release speaks like any other; its table is a frame of that engine
        return cast("Release", import_module(ENGINES[engine]).run(data, request, progress or silent))  # a layer above
    with within(limit), watched(progress) as shown:
        by_disk = limit is not None and isinstance(data, str | Path)
        table = read_by_disk(str(data)) if by_disk else Table.of(data)
        return cast("Release", make(table, request, shown, limit=limit))


def run(
    table: Table,
    request: Request,
    progress: Progress = silent,
    stop: Event | None = None,
    solve: Callable[[Problem], Solution] | None = None,
    limit: MemoryLimit | None = None,
    *,
    publishes: bool = True,
) -> Release:
    """Run the whole flow for a request; once `stop` is set, the best found so far is taken.

    `solve` stands in for the methods where a request asks for what they know nothing of. What can never be done within
    a `limit` is refused at once. A release that only measures (`publishes` is False) needs no role for every column.
    """
    if limit is not None:
        limit.check_table(table.rows, len(table.columns))
    table = read_as_asked(table, request.unify, request.order, request.missing)
    request = with_resolved_masks(table, request)
    seed, seconds = request.start_and_limit()
    safety = examined(table, request) if publishes else Safety()
    watch, deadline = Stopwatch(), Deadline.after(seconds, stop)
    asked = replace(prepare(table, request, progress, deadline), safety=safety)
    if solve is None:
        solution = solve_raised(
            asked.problem, asked.raised, request.method, request.effort, seed=seed, deadline=deadline, progress=progress
        )
    else:
        solution = solve(asked.problem)
    watch.lap("search")
    solution = with_checked_bound(asked, solution, progress)
    published, tables, found = audited(asked, solution, progress)
    book, config, decisions = described(asked, solution, published, tables, asked.problem.microdata.roles)
    classes = classes_read(asked, published, tables)
    certificate = certified(asked, solution, found, **cells_seen(asked, published, tables, table))
    watch.lap("check")
    said = (book, config, (*table.notes, *asked.advice, *decisions))
    made = Release(tables, classes, certificate, found, *said, table, solution.prices)
    return replace(made, advice=asked.advice, seconds=watch.seconds)
