"""From a table to a release: open this file first. Each step is one function; nothing is changed along the way.

file, frame --read--> Table --roles, hierarchies--> Microdata --models, cost--> Problem
                                                                                 | a method
                                                                                 v
Release <-- Certificate <--audit-- published table <--recode-- Solution(partition, cost, bound)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any, cast

import numpy as np

from shoal.checking.audit import Audit, audit
from shoal.core.clock import Stopwatch
from shoal.core.errors import ParameterError, RoleError, ShoalError, Unsupported, nearest
from shoal.core.memory import MemoryLimit, within
from shoal.core.parameters import Number, Numeral
from shoal.costs.column_losses import column_losses
from shoal.hierarchies import Builder, as_builder, spec_of
from shoal.hierarchies.raising import raised_table
from shoal.methods.auto import choose, recoding_for
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.coarsening import Choice, choose_levels
from shoal.microdata.histogram import Values
from shoal.microdata.microdata import Microdata, distinct_rows, encode
from shoal.microdata.partition import DROPPED, Partition
from shoal.models import Model, Models
from shoal.models.emd import default_distance
from shoal.models.orders import LEAVES, LIST, Orders, leaf_orders, read_as_asked
from shoal.models.requirement import as_models
from shoal.problem import SUPPRESSED, Problem, Solution, make_problem
from shoal.recoding.anatomy import SENSITIVE_TABLE, Names
from shoal.recoding.codebook import STAR_FORMS, codebook
from shoal.recoding.recode import Anatomized, Published
from shoal.release.certificate import Certificate, certify
from shoal.release.release import Release
from shoal.tables.encoded_column import odd_texts
from shoal.tables.roles import Roles, listed
from shoal.tables.spelling import spelt_like
from shoal.tables.star_marks import STAR
from shoal.tables.table import TABLE, Table, TableLike, read_by_disk

LOCAL = "local"
ENGINES = {"spark": "shoal.spark"}
"""Modules whose `run` does the same where the rows are; they build on this one, and are loaded when asked for."""
SEED = Number("seed", "where random choices start", 0, whole=True)
CUT = "the search was ended before it was done, by its time limit or by hand: more time may give a cheaper release"
YEAR = 366 * 24 * 3600
TIME_LIMIT = Number("time_limit", "seconds after which the best so far is taken", 0, YEAR)


@dataclass(frozen=True)
class Request:
    """Everything that is asked for, but the data. `shoal.anonymize` and the command line both make one."""

    quasi: Sequence[str]
    require: str | Model | Models | Iterable[Model]
    sensitive: Sequence[str] = ()
    identifiers: Sequence[str] = ()
    hierarchies: Mapping[str, object] = field(default_factory=dict)
    attribute_weights: Mapping[str, Numeral] = field(default_factory=dict)
    recoding: str | None = None
    """None: the one that the method is for, else suppress."""
    cost: str | None = None
    method: str = "auto"
    max_dropped: Numeral = 0
    population: TableLike | None = None
    star: str = STAR
    neutralise: bool = False
    seed: int = 0
    time_limit: float | None = None
    max_suppressed: Numeral = 0
    suppressed: str = SUPPRESSED[0]
    coarsen: str | Mapping[str, int] | None = None
    unify: Sequence[str] = ()
    order: Orders = field(default_factory=dict)


def anonymize(
    data: TableLike,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    require: str | Model | Models | Iterable[Model],
    hierarchies: Mapping[str, object] | None = None,
    attribute_weights: Mapping[str, Numeral] | None = None,
    recoding: str | None = None,
    cost: str | None = None,
    method: str = "auto",
    max_dropped: Numeral = 0,
    max_suppressed: Numeral = 0,
    suppressed: str = SUPPRESSED[0],
    coarsen: str | Mapping[str, int] | None = None,
    population: TableLike | None = None,
    star: str = STAR,
    neutralise: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: object = None,
    engine: str = LOCAL,
    progress: Progress | None = None,
    unify: Sequence[str] = (),
    order: Orders | None = None,
) -> Release:
    """Publish a table so that every class of equal quasi-identifiers meets every model.

    Either the audit of the published cells confirms every model, or an error is raised: `Infeasible` where no release
    can meet them, `Unsupported` where the method or option cannot do it.

    - `data`: a path, or a polars, pandas or pyarrow frame.
    - `require`: text such as `"k=5 l(disease)=3"`, or models joined with `&`.
    - `hierarchies`: per column a file, a builder, or words such as `"intervals:width=5,10"`.
    - `recoding`: `suppress` (stars; the default), `generalize` (hierarchies), `range` (ranges and value sets),
      `full-domain` (one level of its hierarchy for each column; the default with that method), `centroid` (means,
      medians, commonest values), `anatomy` (two tables: quasi-identifiers as they are, sensitive values by group; the
      default with that method).
    - `cost`: what to keep small; stars for suppression, centroid error for centroids, the reconstruction error for two
      tables, NCP otherwise.
    - `population`: the people whom the table may be about, for the models kmap and presence.
    - `max_dropped`: the share of rows that may be left out where the table cannot be published otherwise.
    - `max_suppressed`: the share of rows that may be all stars in full-domain recoding; `suppressed="arx"` does not
      check them, to compare with ARX: then a release is made only if the audit confirms it all the same.
    - `coarsen`: quasi-identifiers raised to a level of their hierarchies before all else: `{"age": 2}` or `"age=2"`,
      `"hipaa"` (years, three digits of postcodes, ages up to 89), `"auto"` (the levels at which least is lost).
    - `neutralise`: in the files, texts that a spreadsheet would run as formulas get an apostrophe in front.
    - `time_limit`: seconds after which the best release found so far is taken.
    - `memory_limit`: the most memory that may be held meanwhile, such as `"2GiB"`; work that needs more is ended.
    - `unify`: columns of text in which values that differ in spaces, letter case, Unicode form, leading zeros or the
      form of a date alone become one, spelt as most rows spell it. Equal numbers are one value in any case.
    - `order`: the order of words, the least first: `{"pain": ["low", "mid", "high"]}`; ordered distances and ranges
      need one.
    - `engine`: `spark` for a frame of Spark, whose rows stay there; see `shoal.spark.anonymize`.

    >>> people = {"age": [25, 25, 40, 40], "illness": ["flu", "gout", "flu", "gout"]}
    >>> release = anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2 l(illness)=2")
    >>> release.certificate.status, len(release.classes), float(release.certificate.cost)
    ('optimal', 2, 0.0)
    """
    limit = MemoryLimit.of(memory_limit)
    if engine not in (LOCAL, *ENGINES):
        raise ParameterError(f"unknown engine {engine!r}", expected=" or ".join(map(repr, (LOCAL, *ENGINES))))
    request = Request(
        quasi,
        require,
        sensitive,
        identifiers,
        hierarchies or {},
        attribute_weights or {},
        recoding,
        cost,
        method,
        max_dropped,
        population,
        star,
        neutralise,
        seed,
        time_limit,
        max_suppressed,
        suppressed,
        coarsen,
        unify,
        order or {},
    )
    if engine != LOCAL and limit is not None:
        raise Unsupported("memory_limit is for the engine local", hint="tell Spark how much memory it has")
    if engine != LOCAL:  # its release speaks like any other; its table is a frame of that engine
        return cast("Release", import_module(ENGINES[engine]).run(data, request, progress or silent))
    with within(limit):
        by_disk = limit is not None and isinstance(data, str | Path)
        table = read_by_disk(str(data)) if by_disk else Table.of(data)
        return run(table, request, progress or silent, limit=limit)


def run(
    table: Table,
    request: Request,
    progress: Progress = silent,
    stop: Event | None = None,
    solve: Callable[[Problem], Solution] | None = None,
    limit: MemoryLimit | None = None,
) -> Release:
    """Run the whole flow for a request; once `stop` is set, the best found so far is taken.

    `solve` stands in for the methods where a request asks for what they know nothing of. What can never be done within
    a `limit` is refused at once.
    """
    if limit is not None:
        limit.check_table(table.rows, len(table.columns))
    table = read_as_asked(table, request.unify, request.order)
    seed, seconds = start_and_limit(request)
    watch, deadline = Stopwatch(), Deadline.after(seconds, stop)
    asked = prepare(table, request, progress, deadline)
    problem, roles = asked.problem, asked.problem.microdata.roles
    solution = (
        choose(problem, request.method, seed=seed, deadline=deadline, progress=progress)
        if solve is None
        else solve(problem)
    )
    watch.lap("search")
    published, tables, found = audited(asked, solution, progress)
    book, config, decisions = described(asked, request, solution, published, tables, roles)
    merged = request.star != STAR and not problem.recoding_kind.two_tables
    classes = _as_read(tables[TABLE], roles, published.partition) if merged else published.partition
    certificate = certified(asked, solution, found)
    watch.lap("check")
    notes = (*table.notes, *decisions)
    return Release(
        tables, classes, certificate, found, book, config, notes, table, solution.prices, seconds=watch.seconds
    )


def certified(asked: Prepared, solution: Solution, found: Audit) -> Certificate:
    """State what an audit found of the published cells."""
    problem = asked.problem
    return certify(
        solution,
        found,
        cost_name=problem.cost.name,
        recoding=problem.recoding,
        quasi=problem.microdata.roles.quasi,
        sensitive=problem.microdata.roles.sensitive,
        require=str(asked.models),
        remarks=_remarks(asked, solution),
        orders=_orders(asked),
    )


def _remarks(asked: Prepared, solution: Solution) -> tuple[str, ...]:
    """Say what limits cost and bound, besides what the prices say."""
    raised = (asked.raised.remark,) if asked.raised.columns else ()
    return (*raised, CUT) if solution.cut or asked.cut else raised


def described(
    asked: Prepared,
    request: Request,
    solution: Solution,
    published: Published,
    tables: Mapping[str, Table],
    roles: Roles,
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return the codebook, the request as it was understood, and what was decided without being asked."""
    problem, builders = asked.problem, asked.builders
    book = codebook(
        published,
        tables,
        star=request.star,
        neutralise=request.neutralise,
        cost=problem.cost.described(),
        losses=column_losses(published),
        models=asked.models,
        builders=builders,
    )
    config = _config(request, asked, for_reading(problem, builders), roles)
    if not (solution.cut or asked.cut):
        config["time_limit"] = None  # it was not reached, and so changed nothing
    return book, config, (*asked.raised.notes, *_decisions(published, problem, roles), *solution.notes)


def start_and_limit(request: Request) -> tuple[int, float | None]:
    """Return where random choices start, and the seconds that a method has; None for as long as it takes."""
    limit = None if request.time_limit is None else float(TIME_LIMIT.read(request.time_limit, "time limit"))
    return int(SEED.read(request.seed, "seed")), limit


@dataclass(frozen=True, eq=False)
class Prepared:
    """A request checked against its table: the problem that a method gets, and what the audit needs afterwards."""

    problem: Problem
    models: Models
    """What was asked; the problem's models imply it."""
    builders: Mapping[str, Builder]
    population: Table | None
    star: str
    raised: Choice
    """The columns that were raised before all else."""
    orders: Orders = field(default_factory=dict)
    """By column, words in the order that was stated for them."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """By column, where such an order comes from."""
    cut: bool = False
    """Whether time ended the search for them before it was done."""


def prepare(table: Table, request: Request, progress: Progress = silent, deadline: Deadline | None = None) -> Prepared:
    """Check a request, raise the columns that it wants raised, and encode the table."""
    models = models_of(request)
    roles = Roles.of(table.columns, quasi=request.quasi, sensitive=request.sensitive, identifiers=request.identifiers)
    builders = {name: as_builder(spec) for name, spec in request.hierarchies.items()}
    table = _as_asked(table, request, roles)
    leaves = leaf_orders(table, models, builders)
    table = read_as_asked(table, order=leaves)
    orders = {**leaves, **request.order}
    stated = {**dict.fromkeys(leaves, LEAVES), **dict.fromkeys(request.order, LIST)}
    population = _population(table, request)
    progress(0.0, "encoding")

    def pose(people: Table, hierarchies: Mapping[str, Builder]) -> Problem:
        return posed(encode(people, roles, {**builders, **hierarchies}, population), models, request)

    half = (deadline or Deadline()).half
    raised = _raised(table, roles, builders, request, pose, half, progress)
    table, above = raised_table(table, raised.columns)
    builders = {**builders, **above}
    return Prepared(pose(table, above), models, builders, population, request.star, raised, orders, stated, half.cut)


def _as_asked(table: Table, request: Request, roles: Roles) -> Table:
    """Return the table with spellings unified and words in order, as it is asked for."""
    for name in request.order:
        if name not in (*roles.quasi, *roles.sensitive):
            raise RoleError(
                f"an order is given for {name!r}",
                expected="a quasi-identifier or sensitive column",
                hint=nearest(name, (*roles.quasi, *roles.sensitive)),
            )
        if name in roles.quasi and request.population is not None:
            raise Unsupported(
                f"{name!r} with a stated order cannot be compared with a population",
                hint="leave its order or --population out",
            )
    return read_as_asked(table, request.unify, request.order)


def _population(table: Table, request: Request) -> Table | None:
    """Return the people whom the table may be about, spelt as the table spells."""
    if request.population is None:
        return None
    people = Table.of(request.population)
    people = read_as_asked(people, [name for name in listed(request.unify) if name in people.columns])
    named = [name for name in request.quasi if name in table.columns and name in people.columns]
    return people.with_columns(spelt_like(people[name], table[name]) for name in named)


def _orders(asked: Prepared) -> dict[str, str]:
    """Say for every attribute whose values are compared in order where that order comes from."""
    microdata, found = asked.problem.microdata, {}
    for model in asked.models:
        distance = getattr(model, "distance", None)
        if isinstance(distance, str) and len(model.attributes) == 1:
            (name,) = model.attributes
            values = Values.of(microdata.attribute(name), microdata.trees.get(name))
            if distance == "ordered" or (distance == "auto" and default_distance(values) == "ordered"):
                found[name] = asked.stated.get(name) or str(values.order)
    return found


def models_of(request: Request) -> Models:
    """Return the models that are asked for, and refuse what stars cannot be written as."""
    if request.star not in STAR_FORMS:
        raise ParameterError(f"star is {request.star!r}", expected="'*' or 'null'")
    models = as_models(request.require)
    if request.star != STAR and models.needs_population:
        raise Unsupported(
            "stars written as missing values cannot be compared with a population", hint="leave --star out"
        )
    if request.star != STAR and (unread := [str(model) for model in models if model.needs_cells]):
        raise Unsupported(
            f"{unread[0]} is decided from stars, which cannot be told from missing values", hint="leave --star out"
        )
    return models


def posed(microdata: Microdata, models: Models, request: Request) -> Problem:
    """Pose the problem of a request."""
    return make_problem(
        microdata,
        models,
        recoding=request.recoding or recoding_for(request.method),
        cost=request.cost,
        weights=request.attribute_weights,
        max_dropped=request.max_dropped,
        max_suppressed=request.max_suppressed,
        suppressed=request.suppressed,
    )


def _raised(
    table: Table,
    roles: Roles,
    builders: Mapping[str, Builder],
    request: Request,
    pose: Callable[[Table, Mapping[str, Builder]], Problem],
    deadline: Deadline,
    progress: Progress,
) -> Choice:
    """Choose the columns that are raised before all else."""
    if request.coarsen and request.population is not None:
        raise Unsupported(
            "columns raised beforehand cannot be compared with a population", hint="leave --coarsen or --population out"
        )
    return choose_levels(
        table,
        roles,
        builders,
        request.coarsen,
        pose,
        method=request.method,
        seed=int(SEED.read(request.seed, "seed")),
        deadline=deadline,
        progress=progress,
    )


def audited(
    asked: Prepared, solution: Solution, progress: Progress = silent
) -> tuple[Published, dict[str, Table], Audit]:
    """Publish a solution and audit its cells; what the audit does not confirm is refused."""
    progress(1.0, "publishing")
    published = asked.problem.publish(solution.partition)
    tables = published.shown(asked.star)
    progress(1.0, "auditing")
    names = published.names if isinstance(published, Anatomized) else Names()
    found = audit_of(asked, tables[TABLE], tables.get(SENSITIVE_TABLE), names)
    return published, tables, confirmed(found, asked.problem)


def audit_of(
    asked: Prepared, table: TableLike, sensitive_table: TableLike | None = None, names: Names | None = None
) -> Audit:
    """Audit a published table for the models of a request."""
    roles = asked.problem.microdata.roles
    return audit(
        table,
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        require=asked.models,
        hierarchies=for_reading(asked.problem, asked.builders),
        population=asked.population,
        sensitive_table=sensitive_table,
        **asdict(names or Names()),
    )


def for_reading(problem: Problem, builders: Mapping[str, Builder]) -> dict[str, Builder]:
    """Return the hierarchies that an auditor needs: the sensitive attributes', and those that cells are blocks of."""
    microdata = problem.microdata
    trees = {name: builder for name, builder in builders.items() if name in microdata.roles.sensitive}
    return {**trees, **microdata.builders} if problem.recoding_kind.along_hierarchies else trees


def confirmed(found: Audit, problem: Problem) -> Audit:
    """Guarantees that nothing is released which the audit of the published cells does not confirm."""
    if found.holds:
        return found
    refused = ", ".join(finding.model for finding in found.findings if not finding.holds)
    if problem.suppressed == "arx":
        raise Unsupported(
            "suppressed rows were not checked, as ARX does it, and the audit of the published cells refuses "
            f"{refused}; nothing is released",
            hint="leave --suppressed arx out; with --max-dropped such rows may be dropped",
        )
    raise ShoalError(
        f"the audit of the published cells refuses {refused}; nothing is released",
        hint="please report this: it is a fault of shoal",
    )


def _as_read(table: Table, roles: Roles, partition: Partition) -> Partition:
    """Return the classes of a release whose stars are written as missing: the two are then one published value."""
    columns = [table.coded(name) for name in roles.quasi]
    labels = np.full(len(partition.class_of_row), DROPPED, dtype=np.int64)
    labels[partition.kept] = distinct_rows([column.codes for column in columns], [column.size for column in columns])[0]
    return Partition(labels)


def _config(request: Request, asked: Prepared, builders: Mapping[str, Builder], roles: Roles) -> dict[str, Any]:
    """Return the request as plain data, with what was chosen where nothing was said."""
    problem = asked.problem
    return {
        "quasi": list(roles.quasi),
        "sensitive": list(roles.sensitive),
        "identifiers": list(roles.identifiers),
        "require": str(asked.models),
        "hierarchies": {name: spec_of(builder) for name, builder in sorted(builders.items())},
        "attribute_weights": {name: float(weight) for name, weight in sorted(problem.cost.weights.items())},
        "recoding": problem.recoding,
        "cost": problem.cost.name,
        "method": request.method,
        "max_dropped": str(problem.max_dropped),
        "max_suppressed": str(problem.max_suppressed),
        "suppressed": problem.suppressed,
        "coarsen": {name: one.said for name, one in asked.raised.columns.items()},
        "unify": list(listed(request.unify)),
        "order": {name: list(words) for name, words in sorted(asked.orders.items())},
        "star": request.star,
        "neutralise": bool(request.neutralise),
        "time_limit": None if request.time_limit is None else float(request.time_limit),
        "seed": int(request.seed),
    }


def _decisions(published: Published, problem: Problem, roles: Roles) -> list[str]:
    """Say what was decided without being asked."""
    said = [
        f"cost: {problem.cost.name}",
        f"published as they are: {', '.join(roles.other) or 'no other columns'}",
    ]
    if isinstance(published, Anatomized):
        names = published.names
        said.append(f"two tables: column {names.group!r} numbers the groups, column {names.count!r} counts their rows")
    said += [
        f"ordered as text, for values that are no numbers ({odd:,} different): {column.name}"
        for column in (*problem.microdata.quasi, *problem.microdata.sensitive)
        if (odd := odd_texts(column.values))
    ]
    if roles.identifiers:
        said.append(f"left out as identifiers: {', '.join(roles.identifiers)}")
    return said
