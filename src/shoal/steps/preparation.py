"""A request checked against its table: the problem that a method gets, and what the audit needs afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from logging import getLogger
from warnings import warn

import polars as pl

from shoal.core.errors import ParameterError, RoleError, SafetyWarning, Unsupported, nearest
from shoal.hierarchies import Builder, as_builder
from shoal.hierarchies.natural_order import natural_order, unordered_note
from shoal.hierarchies.raising import raised_table
from shoal.inspection.missing_values import proposed_codes
from shoal.methods.auto import requested_recoding
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.coarsening import Choice, choose_levels
from shoal.microdata.microdata import Microdata, encode
from shoal.models import Models
from shoal.models.orders import LIST, STRUCTURE, Orders, read_as_asked, uncompared_order, wanted_orders
from shoal.models.requirement import as_models
from shoal.problem import Problem, make_problem
from shoal.recoding.codebook import STAR_FORMS
from shoal.recoding.recode import recoding_named
from shoal.request import WEIGHT_ROUNDING, Choices, Request
from shoal.risk.individual import weights_of
from shoal.steps.masks import check_masked_models, check_masks, masked_table, masks_of, with_resolved_masks
from shoal.steps.safety import Safety, examine
from shoal.tables.roles import Roles, listed
from shoal.tables.spelling import spelt_like
from shoal.tables.star_marks import STAR
from shoal.tables.table import Table
from shoal.tables.weight_rounding import rounded_weights

LOG = getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A request checked against its table: the problem that a method gets, and what the audit needs afterwards."""

    request: Request
    problem: Problem
    models: Models
    """What was asked; the problem's models imply it."""
    builders: Mapping[str, Builder]
    population: Table | None = None
    raised: Choice = field(default_factory=Choice)
    """The columns that were raised before all else."""
    orders: Orders = field(default_factory=dict)
    """By column, words in the order that was stated for them."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """By column, where such an order comes from."""
    safety: Safety = field(default_factory=Safety)
    """What was noticed of the columns that are published."""
    advice: tuple[str, ...] = ()
    """What the request could say for ranges or groups to be published where they are not."""

    @property
    def for_reading(self) -> dict[str, Builder]:
        """The hierarchies that an auditor needs: the sensitive attributes', and those that cells are blocks of."""
        microdata = self.problem.microdata
        trees = {name: builder for name, builder in self.builders.items() if name in microdata.roles.sensitive}
        return {**trees, **self.problem.trees}


def prepare(
    table: Table,
    request: Request,
    progress: Progress = silent,
    deadline: Deadline | None = None,
    *,
    as_typed: bool = False,
) -> Prepared:
    """Check a request, mask and raise the columns that it wants masked and raised, and encode the table.

    Where ranges are published, text that is dates or bands is put in order, and codes are taken as words; `as_typed`:
    columns are as ordered as their types are.
    """
    models = models_of(request)
    roles = roles_of(table.columns, request)
    request = with_resolved_masks(table, request)
    check_masked_models(models, masks_of(request))
    builders = {name: as_builder(spec) for name, spec in request.hierarchies.items()}
    table = masked_table(_as_asked(table, request, roles), request)
    wanted, stated = wanted_orders(table, models, builders)
    if as_typed:
        stated = {name: source for name, source in stated.items() if source != STRUCTURE}
    found = {name: wanted[name] for name in stated} | ({} if as_typed else _natural_orders(table, roles, request))
    advice = _advice(table, roles, request, found)
    plain = [model for model in models if not as_typed and builders.keys().isdisjoint(model.attributes)]
    advice += tuple(note for model in plain if (note := uncompared_order(table, model)) is not None)
    table = read_as_asked(table, order=found)
    orders = {**found, **request.order}
    stated |= dict.fromkeys(request.order, LIST)
    population = _population(table, request)
    if request.record_weight is not None:
        weights_of(table, request.record_weight)
    progress(0.0, "encoding")

    def pose(people: Table, hierarchies: Mapping[str, Builder]) -> Problem:
        trees = {**builders, **hierarchies}
        encoded = encode(people, roles, trees, population, listed(request.person), request.household)
        return posed(encoded, models, request)

    raised = _raised(table, roles, builders, request, pose, deadline or Deadline(), progress)
    table, above = raised_table(table, raised.columns)
    builders = {**builders, **above}
    problem = pose(table, above)
    LOG.info("%d rows, %d quasi-identifiers, recoding %s", problem.rows, len(roles.quasi), problem.recoding)
    return Prepared(request, problem, models, builders, population, raised, orders, stated, advice=advice)


def examined(table: Table, request: Request) -> Safety:
    """Check the columns that a request publishes, and warn of what they may give away before the work begins."""
    models_of(request)  # what is misspelt is said first
    kind = recoding_named(requested_recoding(request, grouped=request.grouped))
    roles = roles_of(table.columns, request)
    shown = masked_table(with_published_weights(table, request), with_resolved_masks(table, request))
    found = examine(shown, roles, request, two_tables=kind.two_tables)
    for text in found.warnings:
        warn(text, SafetyWarning, stacklevel=2)
    return found


def roles_of(columns: Iterable[str], request: Request) -> Roles:
    """Return the roles that a request gives to the columns of a table.

    One that tells which person or household a row belongs to is an identifier where it has no other role; record
    weights are left out.
    """
    columns = list(columns)
    named = (request.quasi, request.sensitive, request.identifiers, request.other, request.leave_out)
    taken = {name for names in map(listed, named) for name in names}
    told = [*listed(request.person), *([] if request.household is None else [request.household])]
    people = [name for name in dict.fromkeys(told) if name not in taken]
    weight = [name for name in (request.record_weight,) if name is not None and name not in (*taken, *people)]
    roles = Roles.of(
        columns,
        quasi=request.quasi,
        sensitive=request.sensitive,
        identifiers=[*listed(request.identifiers), *people],
        other=request.other,
        leave_out=[*listed(request.leave_out), *weight],
    )
    check_person(roles, listed(request.person))
    check_household(roles, request.household)
    check_rounding(roles, request)
    check_masks(roles, request)
    if request.pseudonym is not None:
        check_pseudonym(request.pseudonym, columns, listed(request.person))
    return roles


def check_pseudonym(name: str, columns: Iterable[str], person: Sequence[str]) -> None:
    """Guarantees that a column of fresh numbers has people to number, and a name of its own."""
    if not person:
        raise ParameterError(
            "--pseudonym is given without --person", hint="name the columns that tell which person a row belongs to"
        )
    if not name or name in columns:
        raise ParameterError(f"the pseudonym is called {name!r}", expected="a name that no column of the table has")


def check_rounding(roles: Roles, request: Request) -> None:
    """Guarantees that weights which are to be rounded are published, with the role other."""
    if request.weight_rounding is None:
        return
    WEIGHT_ROUNDING.read(request.weight_rounding, "weight rounding")
    if request.record_weight is None:
        raise ParameterError("--weight-rounding is given without --record-weight", hint="name the column of weights")
    if request.record_weight not in roles.other:
        raise ParameterError(
            f"--weight-rounding is given, and the record weights in {request.record_weight!r} are not published",
            expected="a column of --other",
            hint=f"add --other {request.record_weight}, or leave --weight-rounding out",
        )


def rounding_of(asked: Choices) -> dict[str, int]:
    """Return the column of record weights that is published rounded, with the number whose multiples it shows."""
    if asked.weight_rounding is None or asked.record_weight is None:
        return {}
    return {asked.record_weight: int(WEIGHT_ROUNDING.read(asked.weight_rounding, "weight rounding"))}


def with_published_weights(table: Table, asked: Choices) -> Table:
    """Return a table with its record weights rounded as they are published."""
    rounded = rounding_of(asked).items()
    return table.with_columns(rounded_weights(weights_of(table, name), multiple) for name, multiple in rounded)


def check_person(roles: Roles, person: Iterable[str]) -> None:
    """Guarantees that no column that tells which person a row belongs to is published as it is."""
    for name in person:
        _check_hidden(roles, name, "says which person a row belongs to")


def check_household(roles: Roles, household: str | None) -> None:
    """Guarantees that the number of a household, which would link its members, is not published as it is."""
    if household is not None:
        _check_hidden(roles, household, "says which household a row belongs to")


def _check_hidden(roles: Roles, name: str, tells: str) -> None:
    if name in roles.sensitive + roles.other:
        raise RoleError(
            f"column {name!r} {tells}, and would be published as it is",
            expected="an identifier, a quasi-identifier or a column that is left out",
            hint=f"leave it out of --{'sensitive' if name in roles.sensitive else 'other'}",
        )


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
    return read_as_asked(table, request.unify, request.order, request.missing)


def _natural_orders(table: Table, roles: Roles, request: Request) -> dict[str, tuple[str, ...]]:
    """Return the orders of quasi-identifiers whose ranges are published, where nothing else is said of their order."""
    if not _publishes_ranges(request) or request.population is not None:
        return {}
    found = {name: natural_order(table.coded(name).values) for name in roles.quasi if name not in request.order}
    return {name: order for name, order in found.items() if order is not None}


def _publishes_ranges(request: Request) -> bool:
    return recoding_named(requested_recoding(request, grouped=request.grouped)).spans


def _advice(table: Table, roles: Roles, request: Request, found: Orders) -> tuple[str, ...]:
    """Say which columns miss an order because of few values, and whose hierarchies are given for nothing."""
    if not _publishes_ranges(request):
        return ()
    ranged = [name for name in roles.quasi if name not in request.column_recodings]
    words = [name for name in ranged if name not in {*found, *request.order}]
    notes = [note for name in words if (note := _unordered_note(table.coded(name).values)) is not None]
    unused = [name for name in ranged if name in request.hierarchies]
    if unused:
        notes.append(
            f"ranges and sets are asked for, so no group of the hierarchies of {', '.join(map(repr, unused))} is"
            " published; for groups ask for the recoding generalize"
        )
    return tuple(notes)


def _unordered_note(values: pl.Series) -> str | None:
    return unordered_note(values, proposed_codes(values) if values.dtype == pl.String else ())


def _population(table: Table, request: Request) -> Table | None:
    """Return the people whom the table may be about, spelt as the table spells."""
    if request.population is None:
        return None
    people = Table.of(request.population)
    codes = {name: some for name, some in request.missing.items() if name in people.columns}
    people = read_as_asked(people, [name for name in listed(request.unify) if name in people.columns], missing=codes)
    named = [name for name in request.quasi if name in table.columns and name in people.columns]
    return people.with_columns(spelt_like(people[name], table[name]) for name in named)


def models_of(request: Request) -> Models:
    """Return the models that are asked for, and refuse what stars cannot be written as."""
    if request.star not in STAR_FORMS:
        raise ParameterError(f"star is {request.star!r}", expected="'*' or 'null'")
    models = as_models(request.require)
    if request.star != STAR and request.suppress_sensitive:
        raise Unsupported(
            "rows of stars written as missing values cannot be distinguished from rows with missing values",
            hint="leave --star or --suppress-sensitive out",
        )
    if request.star != STAR and models.needs_population:
        raise Unsupported(
            "stars written as missing values cannot be compared with a population", hint="leave --star out"
        )
    if request.star != STAR and (unread := [str(model) for model in models if model.needs_cells]):
        raise Unsupported(
            f"{unread[0]} is decided from stars, which cannot be distinguished from missing values",
            hint="leave --star out",
        )
    return models


def posed(microdata: Microdata, models: Models, request: Request) -> Problem:
    """Pose the problem of a request."""
    return make_problem(
        microdata,
        models,
        recoding=requested_recoding(request, grouped=request.grouped),
        cost=request.cost,
        weights=request.attribute_weights,
        max_dropped=request.max_dropped,
        max_suppressed=request.max_suppressed,
        suppressed=request.suppressed,
        suppress_sensitive=request.suppress_sensitive,
        linked=request.pseudonym is not None,
        levels=request.levels,
        recodings=request.column_recodings,
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
        seed=request.start_and_limit()[0],
        deadline=deadline,
        progress=progress,
    )
