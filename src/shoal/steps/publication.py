"""A solution published, audited and described: what a release holds besides its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from logging import getLogger
from math import ceil
from random import SystemRandom
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.audit import Audit, audit
from shoal.checking.changed_cells import changed_cells
from shoal.checking.proof import price_bound
from shoal.core.arrays import Ints
from shoal.core.errors import ShoalError, Unsupported
from shoal.core.settings import settings_of
from shoal.core.sorting import distinct_rows
from shoal.costs.column_losses import column_losses
from shoal.hierarchies import spec_of
from shoal.methods.auto import rows_of_only_class
from shoal.methods.base import Progress, silent
from shoal.microdata.histogram import Values
from shoal.microdata.partition import DROPPED, Partition
from shoal.models import Rule
from shoal.models.emd import default_distance
from shoal.problem import Problem, Solution
from shoal.recoding.anatomy import SENSITIVE_TABLE, Names
from shoal.recoding.cells import HierarchyCells
from shoal.recoding.codebook import codebook
from shoal.recoding.masks.base import spec_of as mask_spec
from shoal.recoding.recode import Anatomized, Published
from shoal.release.certificate import Certificate, certify
from shoal.request import Request
from shoal.steps.masks import masks_of
from shoal.steps.preparation import Prepared, rounding_of, with_published_weights
from shoal.steps.safety import numbering, people_in_classes
from shoal.tables.encoded_column import odd_texts
from shoal.tables.missing_codes import listed_codes
from shoal.tables.roles import Roles
from shoal.tables.star_marks import STAR
from shoal.tables.table import TABLE, Table, TableLike

LOG = getLogger(__name__)
CUT = "the search was stopped early, by its time limit or by hand: more time may give a cheaper release"
MARGIN = Fraction(1, 1_000_000)
"""The checker finds offsets in floating point, which another machine may round otherwise: so much less is stated."""


def with_checked_bound(asked: Prepared, solution: Solution, progress: Progress = silent) -> Solution:
    """Guarantees that prices prove what they are said to: where search and checker may differ, the checker decides."""
    prices, problem = solution.prices, asked.problem
    if prices is None or not prices.estimated:
        return solution
    progress(1.0, "checking the lower bound")
    checked = price_bound(
        problem.microdata.table.frame,
        quasi=problem.microdata.roles.quasi,
        models=problem.bounding,
        hierarchies=asked.for_reading,
        recoding=problem.recoding,
        cost=problem.cost.name,
        weights={name: float(weight) for name, weight in problem.cost.weights.items()},
        prices=prices.of_row,
        denominator=prices.denominator,
        may_drop=problem.may_drop,
    )
    sure = checked * (1 - MARGIN)
    bound = min(prices.bound, float(ceil(sure) if problem.cost.name == "stars" else sure))
    same = solution.lower_bound == prices.bound and solution.status != "optimal"
    kept = replace(prices, bound=bound, estimated=False) if bound >= 0 else None
    return replace(solution, prices=kept, lower_bound=max(bound, 0.0) if same else solution.lower_bound)


def audited(
    asked: Prepared, solution: Solution, progress: Progress = silent
) -> tuple[Published, dict[str, Table], Audit]:
    """Publish a solution and audit its cells; what the audit does not confirm is refused."""
    progress(1.0, "publishing")
    published = asked.problem.publish(solution.partition)
    _check_levels(published)
    tables = _with_pseudonym(asked, published, published.shown(asked.request.star))
    tables = {**tables, TABLE: with_published_weights(tables[TABLE], asked.request)}
    tables = {**tables, TABLE: _without_secrets(asked.problem, published.partition, tables[TABLE])}
    progress(1.0, "auditing")
    names = published.names if isinstance(published, Anatomized) else Names()
    found = audit_of(asked, tables[TABLE], tables.get(SENSITIVE_TABLE), names, published.partition.kept)
    found = confirmed(found, asked.problem)
    LOG.info(
        "%s: cost %.6g, %d classes; the audit confirms %s", solution.method, solution.cost, found.classes, asked.models
    )
    return published, tables, found


def _without_secrets(problem: Problem, partition: Partition, table: Table) -> Table:
    """Return the table without the sensitive values of suppressed rows, where that is asked for; they are missing."""
    if not withheld(problem, partition):
        return table
    hidden = pl.Series(partition.class_of_row[partition.kept] == partition.starred)
    return table.with_columns(
        pl.select(pl.when(hidden).then(None).otherwise(table[name]).alias(name)).to_series()
        for name in problem.microdata.roles.sensitive
    )


def withheld(problem: Problem, partition: Partition) -> int:
    """Return of how many rows no sensitive value is published."""
    return (
        int(partition.sizes[partition.starred]) if problem.suppress_sensitive and partition.starred is not None else 0
    )


def _check_levels(published: Published) -> None:
    """Guarantees that every column is published at a level that was asked for, suppressed rows apart."""
    for name, asked in published.microdata.level_ranges.items():
        cells = published.cells[published.microdata.roles.quasi.index(name)]
        assert isinstance(cells, HierarchyCells)
        shown = np.delete(cells.of_group, [] if published.partition.starred is None else [published.partition.starred])
        levels = cells.levels[shown]
        most = cells.hierarchy.height if asked.most is None else asked.most
        if levels.min(initial=most) < asked.least or levels.max(initial=asked.least) > most:
            raise Unsupported(
                f"no release was found with {name!r} at the levels {asked}; nothing is released",
                hint="allow more levels, or use --method full-domain",
            )


def _with_pseudonym(asked: Prepared, published: Published, tables: dict[str, Table]) -> dict[str, Table]:
    """Return the tables with a column of fresh numbers of people, if one is asked for; drawn anew, from no seed."""
    person, name = asked.problem.microdata.person, asked.request.pseudonym
    if person is None or name is None:
        return tables
    numbers = list(range(1, person.size + 1))
    SystemRandom().shuffle(numbers)
    column = pl.Series(name, np.array(numbers)[person.codes[published.partition.kept]])
    return {**tables, TABLE: Table(tables[TABLE].frame.with_columns(column))}


def _unpublished(asked: Prepared, rows: Ints) -> dict[str, Any]:
    """Return what an audit needs of some rows besides published cells: their people, households and weights."""
    person, weight = asked.problem.microdata.person, asked.request.record_weight
    household = asked.problem.microdata.household
    whom: dict[str, Any] = {} if person is None else {"person": pl.Series("person", person.codes[rows])}
    whom |= {"linked": True} if asked.problem.linked else {}
    weights = {} if weight is None else {"record_weight": asked.problem.microdata.table[weight].gather(rows)}
    homes = {} if household is None else {"household": pl.Series("household", household.codes[rows])}
    return whom | homes | weights


def audit_of(
    asked: Prepared,
    table: TableLike,
    sensitive_table: TableLike | None = None,
    names: Names | None = None,
    rows: Ints | None = None,
) -> Audit:
    """Audit a published table for the models of a request; `rows` are those of the original, where they are known."""
    roles = asked.problem.microdata.roles
    if not asked.problem.counts_rows and rows is None:
        raise Unsupported(
            "it is not known which person each row of this table belongs to",
            hint="compare it without --person and --household, row by row",
        )
    return audit(
        table,
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        require=asked.models,
        hierarchies=asked.for_reading,
        population=asked.population,
        withheld=asked.problem.suppress_sensitive,
        sensitive_table=sensitive_table,
        **asdict(names or Names()),
        **({} if rows is None else _unpublished(asked, rows)),
    )


def confirmed(found: Audit, problem: Problem) -> Audit:
    """Guarantees that nothing is released which the audit of the published cells does not confirm."""
    if found.holds:
        return found
    refused = ", ".join(finding.model for finding in found.findings if not finding.holds)
    if problem.suppressed == "arx":
        raise Unsupported(
            "with --suppressed arx suppressed rows need not meet the models, and the audit of the published cells"
            f" refuses {refused}; nothing is released",
            hint="leave --suppressed arx out; with --max-dropped such rows may be dropped",
        )
    raise ShoalError(
        f"the audit of the published cells refuses {refused}; nothing is released",
        hint="please report this: it is a fault of shoal",
    )


def certified(
    asked: Prepared,
    solution: Solution,
    found: Audit,
    exposed: Sequence[str] = (),
    changed: Mapping[str, int] | None = None,
) -> Certificate:
    """State what an audit found of the published cells, what they may give away all the same, and how many changed."""
    problem = asked.problem
    roles = problem.microdata.roles
    return certify(
        solution,
        found,
        cost_name=problem.cost.name,
        recoding=problem.recoding,
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        require=str(asked.models),
        remarks=_remarks(asked, solution),
        orders=_orders(asked),
        pseudonym=asked.request.pseudonym,
        rounded=rounding_of(asked.request),
        masks={name: mask.stated for name, mask in masks_of(asked.request).items()},
        unprotected=asked.safety.roles.other,
        insisted=asked.safety.insisted,
        warnings=(*asked.safety.warnings, *exposed),
        protects=not all(model.is_trivial for model in asked.models),
        changed_cells=changed,
    )


def cells_seen(asked: Prepared, published: Published, tables: Mapping[str, Table], original: Table) -> dict[str, Any]:
    """Return what the rows may give away although every model is met, and how many cells changed, by column."""
    quasi, rows = published.microdata.roles.quasi, published.partition.kept
    return {
        "exposed": [*_unique_with_others(asked, tables), *_people_in(asked, published)],
        "changed": changed_cells(tables[TABLE], original, rows, quasi),
    }


def _unique_with_others(asked: Prepared, tables: Mapping[str, Table]) -> list[str]:
    """Say how many rows are unique by what is published of them besides sensitive values."""
    roles = asked.safety.roles
    if not roles.other or asked.problem.recoding_kind.two_tables:
        return []
    columns = [tables[TABLE].coded(name) for name in roles.quasi + roles.other]
    counts = distinct_rows([column.codes for column in columns], [column.size for column in columns])[2]
    alone = int((counts == 1).sum())
    said = f"{alone:,} of {int(counts.sum()):,} rows are unique by quasi-identifiers and unprotected columns together"
    return [f"{said}: whoever knows these of a person finds the row"] if alone else []


def _people_in(asked: Prepared, published: Published) -> list[str]:
    """Say how many classes hold too few different values of an identifier that repeats, unless people are counted."""
    if asked.problem.counts_people:
        return []
    limits = [int(model.rule_numbers[0]) for model in asked.models if model.rule is Rule.ROWS]
    people = numbering(asked.safety.roles, asked.request.household)
    labels = published.partition.class_of_row
    return people_in_classes(asked.problem.microdata.table, people, labels, max(limits, default=2))


def _remarks(asked: Prepared, solution: Solution) -> tuple[str, ...]:
    """Say what limits cost and bound, besides what the prices say."""
    raised = (asked.raised.remark,) if asked.raised.columns else ()
    ranges = asked.problem.microdata.level_ranges
    told = ", ".join(f"{name} {levels}" for name, levels in ranges.items())
    limited = (f"cost and bound are those of releases at the levels asked for: {told}",) if ranges else ()
    gone = withheld(asked.problem, solution.partition)
    hidden = (
        (f"the sensitive values of {gone:,} suppressed rows are not published; as a class they meet the models",)
        if gone
        else ()
    )
    rows = rows_of_only_class(asked.problem) if len(solution.partition) == 1 else None
    table = f"{asked.problem.rows:,} rows"
    only = () if rows is None else (f"every class must have at least {rows:,} of the {table}, so there is only one",)
    recodings = ", ".join(f"{name} {recoding}" for name, recoding in _recodings(asked.problem).items())
    unknown = "; no lower bound is known for that" if solution.lower_bound is None else ""
    mixed = (f"columns are recoded in different ways: {recodings}{unknown}",)
    return (*raised, *limited, *hidden, *only, *(mixed if recodings else ()), *((CUT,) if solution.cut else ()))


def _recodings(problem: Problem) -> dict[str, str]:
    """Return how each column is recoded, where they are recoded in different ways."""
    kinds = {name: problem.recoding_of(name) for name in problem.microdata.roles.quasi}
    return {name: kind.name for name, kind in kinds.items() if kind is not problem.recoding_kind}


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


def described(
    asked: Prepared, solution: Solution, published: Published, tables: Mapping[str, Table], roles: Roles
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return the codebook, the request as it was understood, and what was decided without being asked."""
    problem, request = asked.problem, asked.request
    book = codebook(
        published,
        tables,
        star=request.star,
        neutralise=request.neutralise,
        rounded=rounding_of(request),
        masks=masks_of(request),
        cost=problem.cost.described(),
        losses=column_losses(published),
        models=asked.models,
        builders=asked.builders,
    )
    gone = withheld(problem, published.partition)
    book |= {"withheld": gone} if gone else {}
    decisions = (*asked.raised.notes, *_decisions(published, problem, roles), *solution.notes)
    return book, _config(asked, solution, roles), decisions


def _config(asked: Prepared, solution: Solution, roles: Roles) -> dict[str, Any]:
    """Return the request as plain data, with what was chosen where nothing was said; the population is not kept."""
    problem, request = asked.problem, asked.request
    seed, limit = request.start_and_limit()
    understood = {
        "quasi": list(roles.quasi),
        "sensitive": list(roles.sensitive),
        "identifiers": list(roles.identifiers),
        "other": list(roles.other),
        "leave_out": list(roles.left_out),
        "require": str(asked.models),
        "hierarchies": {name: spec_of(builder) for name, builder in sorted(asked.for_reading.items())},
        "attribute_weights": {name: float(weight) for name, weight in sorted(problem.cost.weights.items())},
        "recoding": problem.recoding,
        "column_recodings": _recodings(problem),
        "cost": problem.cost.words,
        "masks": {name: mask_spec(mask) for name, mask in masks_of(request).items()},
        "coarsen": {name: one.said for name, one in asked.raised.columns.items()},
        "levels": {name: str(levels) for name, levels in sorted(problem.microdata.level_ranges.items())},
        "missing": {name: listed_codes(codes) for name, codes in sorted(request.missing.items())},
        "order": {name: list(words) for name, words in sorted(asked.orders.items())},
        "time_limit": limit if solution.cut else None,  # one not reached changed nothing
        "seed": seed,
    }
    kept = (one for one in settings_of(Request).values() if one.name != "population")
    return {one.name: understood[one.name] if one.name in understood else one.plain(request) for one in kept}


def _decisions(published: Published, problem: Problem, roles: Roles) -> list[str]:
    """Say what was decided without being asked."""
    said = [
        f"cost: {problem.cost.words}",
        f"published as they are: {', '.join(roles.other) or 'no other columns'}",
    ]
    levels = problem.microdata.levels
    said += [f"hierarchy of {name}: {levels[name]}" for name in roles.quasi if name in problem.trees]
    if isinstance(published, Anatomized):
        names = published.names
        said.append(f"two tables: column {names.group!r} numbers the groups, column {names.count!r} counts their rows")
    said += [
        f"ordered as text, because {odd:,} different values are not numbers: {column.name}"
        for column in (*problem.microdata.quasi, *problem.microdata.sensitive)
        if (odd := odd_texts(column.values))
    ]
    if roles.identifiers + roles.left_out:
        said.append(f"left out: {', '.join(roles.identifiers + roles.left_out)}")
    return said


def classes_read(asked: Prepared, published: Published, tables: Mapping[str, Table]) -> Partition:
    """Return the classes as a reader has them: stars that are written as missing are one value with what is missing."""
    if asked.request.star == STAR or asked.problem.recoding_kind.two_tables:
        return published.partition
    columns = [tables[TABLE].coded(name) for name in asked.problem.microdata.roles.quasi]
    labels = np.full(len(published.partition.class_of_row), DROPPED, dtype=np.int64)
    kept = published.partition.kept
    labels[kept] = distinct_rows([column.codes for column in columns], [column.size for column in columns])[0]
    return Partition(labels)
