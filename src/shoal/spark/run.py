"""The steps of `shoal.pipeline` for a frame of Spark, of which only domains and counts are brought here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl

from shoal.core.errors import Unsupported
from shoal.hierarchies import as_builder
from shoal.methods.auto import requested_recoding
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.coarsening import solve_raised
from shoal.problem import Solution
from shoal.recoding.recode import Published
from shoal.request import Request
from shoal.spark.by_regions import METHODS
from shoal.spark.domains import Domains
from shoal.spark.engine import check_request, columns_of, publish
from shoal.spark.engine_contract import Asked, Decided, Posed
from shoal.spark.release import SparkRelease
from shoal.spark.session import SparkFrame, asking
from shoal.steps.preparation import Prepared, examined, models_of, posed, prepare, roles_of
from shoal.steps.publication import certified, confirmed, described
from shoal.steps.safety import Safety
from shoal.tables.column_types import check_names
from shoal.tables.roles import Roles
from shoal.tables.spelling import infer_file
from shoal.tables.table import TABLE, Table

REFUSED = {
    "unify": "give one spelling to each value in Spark before, or use the engine local",
    "missing": "make codes for missing values null in Spark before, or use the engine local",
    "order": "use another distance than ordered for words, or use the engine local",
}
"""Settings that would alter values before they are encoded, and what to do instead."""
SOME = 200_000
"""Rows by which columns are judged: whether they look like identifiers, or reveal others."""


def run_on_spark(
    frame: object, request: Request, progress: Progress = silent, *, as_text: bool = False
) -> SparkRelease:
    """Run the same flow for a frame of Spark, of which only domains and counts are brought here.

    `as_text`: the cells are those of a CSV file, and their types are found out.
    """
    recoding = requested_recoding(request, grouped=request.grouped)
    check_request(recoding=recoding, neutralise=request.neutralise)
    for setting, hint in REFUSED.items():
        if getattr(request, setting):
            raise Unsupported(f"the engine spark does not support {setting}", hint=hint)
    request.start_and_limit()
    columns = columns_of(frame)
    check_names(columns)
    roles = roles_of(columns, request)
    safety = examined(_some_rows(frame, roles, as_text=as_text), request)
    asked = Asked(partial(_decide, request, safety, progress), partial(pose, request, safety), progress)
    return publish(frame, roles, asked, as_text=as_text)


def _some_rows(frame: SparkFrame, roles: Roles, *, as_text: bool) -> Table:
    """Return up to `SOME` rows, by which columns are judged that no method sees; what is left out is empty."""
    with asking("read some rows"):
        rows = pl.DataFrame(frame.limit(SOME).toArrow())
    rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in roles.left_out)
    return Table.of(rows.with_columns(map(infer_file, rows)) if as_text else rows)


def _decide(request: Request, safety: Safety, progress: Progress, table: Table, roles: Roles) -> Decided:
    """Decide on a table of quasi-identifiers and sensitive values; what is published is audited by the engine."""
    seed, limit = request.start_and_limit()
    deadline = Deadline.after(limit, None)
    seen = replace(request, identifiers=(), other=(), leave_out=())
    asked = replace(prepare(table, seen, progress, deadline, as_typed=True), safety=safety)
    problem = asked.problem
    if asked.stated:
        raise Unsupported(
            "the engine spark does not support an order of words from a hierarchy",
            hint="use another distance than ordered",
        )
    solution = solve_raised(
        problem, asked.raised, request.method, request.effort, seed=seed, deadline=deadline, progress=progress
    )
    solution = replace(solution, prices=None)  # they are prices of numbered rows, and Spark numbers none
    published = problem.publish(solution.partition)
    return _decided(asked, roles, solution, published, published.shown(request.star)[TABLE])


def pose(request: Request, safety: Safety, domains: Domains) -> Posed | None:
    """Pose the problem of a table of which only the domains are here; None for what the driver must decide."""
    alone = not request.coarsen and request.population is None and request.time_limit is None
    if request.method not in METHODS or not alone:
        return None
    models = models_of(request)
    builders = {name: as_builder(spec) for name, spec in request.hierarchies.items()}
    asked = Prepared(request, posed(domains.outline(builders), models, request), models, builders, safety=safety)
    method = METHODS[request.method]
    if method().undecided(asked.problem):  # refused where the driver decides, in words
        return None
    return Posed(asked.problem, method, request.star, partial(_decided, asked, safety.roles))


def _decided(asked: Prepared, roles: Roles, solution: Solution, published: Published, shown: Table) -> Decided:
    """Say of a solution what an engine must know of it."""
    book, config, decisions = described(asked, solution, published, {TABLE: shown}, roles)
    return Decided(
        partition=published.partition,
        shown=shown.frame,
        models=asked.models,
        hierarchies=asked.for_reading,
        population=asked.population,
        certify=lambda found: certified(asked, solution, confirmed(found, asked.problem)),
        codebook=book,
        config={**config, "engine": "spark"},
        decisions=decisions,
    )
