"""The audit: measuring a published table from its own cells, knowing nothing of how it was made.

It reads the table and the roles, groups rows with equal published quasi-identifiers (a star equals only a star, a
missing value only a missing value), and asks the models' definitions. Where a second table counts the sensitive values
of numbered groups, these groups are the classes. It shares no code with the methods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal.models
from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.discovery import discover
from shoal.core.errors import ParameterError, RoleError, Unsupported, nearest
from shoal.core.number_format import counted, number
from shoal.core.parameters import Numeral
from shoal.core.sorting import numbered_runs, packed
from shoal.hierarchies import Builder, as_builder
from shoal.microdata.histogram import Attributes, Classes, Persons, Values, household_of, person_of, with_joints
from shoal.models import Model, Models, SensitiveModel
from shoal.models.base import check_households
from shoal.models.orders import Orders, read_as_asked, wanted_orders
from shoal.models.requirement import as_models
from shoal.tables.column_types import check_filled
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles, listed
from shoal.tables.spelling import spelt_like
from shoal.tables.star_marks import STAR, unescaped
from shoal.tables.table import Table, TableLike

if TYPE_CHECKING:
    from shoal.hierarchies.containment import ShownCells
    from shoal.risk import Risk
    from shoal.tables.missing_codes import Codes

NONE: Ints = np.zeros(0, dtype=np.int64)
"""No rows."""


@dataclass(frozen=True)
class Finding:
    """What one model was found to reach."""

    model: str
    """The requirement in the words of the grammar, or the model alone where nothing was asked."""
    name: str
    attribute: str | None
    asked: float | list[float] | None
    reached: float | list[float] | None
    """The level of the worst class; None where it is infinite."""
    holds: bool | None
    """Whether every class meets it; None where nothing was asked."""
    failing_classes: int
    failing_rows: int
    worst_classes: int
    """How many classes are at the level reached, and how many rows they hold."""
    worst_rows: int
    also: Mapping[str, float]
    """What other tools report under the same name, where their convention differs."""


@dataclass(frozen=True)
class Audit:
    """What a table gives, measured from its cells alone."""

    rows: int
    classes: int
    smallest_class: int
    """In rows, or in people where they are counted; so is the largest one."""
    largest_class: int
    unique_rows: int
    """Rows whose class has no other row; where people are counted, nobody else."""
    starred_rows: int
    """Rows whose quasi-identifiers are all stars or missing: they show nothing."""
    findings: tuple[Finding, ...]
    certain: Mapping[str, int] = field(default_factory=dict)
    """By sensitive attribute that no model asked for speaks of, the rows whose class shares one value."""
    wildcard: Mapping[str, int] | None = None
    """With a wild cell matching anything: the smallest count of a row, and how many rows have count 1."""
    violations: Ints = field(default_factory=lambda: NONE, repr=False, compare=False)
    """The numbers (0-based) of the rows whose class fails a requirement."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Where the table spells values in several ways; names of columns and counts."""
    measured: Callable[[], Risk] | None = field(default=None, repr=False, compare=False)
    """Measures the risk."""
    people: int | None = None
    """How many people the rows are about, where they are counted; None where each row is one."""
    households: int | None = None
    """How many households the rows are of; None where nobody says it."""
    warned: Callable[[], tuple[str, ...]] | None = field(default=None, repr=False, compare=False)
    """Looks for what to warn of; above the checker."""

    @cached_property
    def risk(self) -> Risk | None:
        """Who could still be found, measured when it is first asked for."""
        return None if self.measured is None else self.measured()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Columns that reveal quasi-identifiers or sensitive attributes, looked for when they are first asked for.

        They change no verdict.
        """
        return () if self.warned is None else self.warned()

    @property
    def asked(self) -> bool:
        """Whether there was a requirement, so that there is a verdict."""
        return any(finding.asked is not None for finding in self.findings)

    @property
    def holds(self) -> bool:
        """Whether every model asked for is met by every class; an error where nothing was asked."""
        if not self.asked:
            raise ParameterError("nothing was required, so there is no verdict", hint='give require, such as "k=5"')
        return all(finding.holds for finding in self.findings)

    def __repr__(self) -> str:
        sizes = f"{counted(self.classes, 'class', 'classes')} of {self.smallest_class:,} to {self.largest_class:,}"
        verdict = f", {'holds' if self.holds else 'fails'}" if self.asked else ""
        return f"<Audit: {counted(self.rows, 'row')}, {sizes}{verdict}>"

    def _repr_html_(self) -> str:
        """Show in a notebook what was found; the risk is not measured for it."""
        from shoal.core.markup import table, tag  # verification makes no HTML
        from shoal.core.pictures import bar

        of = "rows" if self.people is None else "people"
        sizes = f"{counted(self.classes, 'class', 'classes')} of {self.smallest_class:,} to {self.largest_class:,} {of}"
        alone = f"{counted(self.unique_rows, 'unique row')}"
        rows = [
            [
                one.model,
                one.attribute or "",
                number(one.reached),
                *(["met" if one.holds else "fails", f"{one.failing_rows:,}"] if self.asked else []),
                bar((one.failing_rows if self.asked else one.worst_rows) / self.rows),
            ]
            for one in self.findings
        ]
        verdict = ("", "failing rows", "") if self.asked else ("rows at that level",)
        return tag(
            "div",
            tag("p", tag("strong", "Audit"), f": {counted(self.rows, 'row')} in {sizes}; {alone}"),
            table(("model", "column", "reached", *verdict), rows, numbers=(2, 4) if self.asked else (2,)),
            *([] if self.asked else [tag("p", "Nothing was required, so there is no verdict: give require.")]),
            *(tag("p", tag("strong", "Warning"), f": {one}") for one in self.warnings),
        )

    def to_json(self) -> str:
        """Return the audit as JSON."""
        sizes = (
            "rows",
            "people",
            "households",
            "classes",
            "smallest_class",
            "largest_class",
            "unique_rows",
            "starred_rows",
            "certain",
            "wildcard",
        )
        found: dict[str, Any] = {name: getattr(self, name) for name in sizes}
        found |= {"findings": [vars(finding) for finding in self.findings], "holds": self.holds if self.asked else None}
        found |= {"notes": list(self.notes), "warnings": list(self.warnings)}
        found |= {} if self.risk is None else {"risk": self.risk.to_dict()}
        return json.dumps(found, indent=2, ensure_ascii=False)


def audit(
    table: TableLike,
    *,
    quasi: Sequence[str] | str,
    sensitive: Sequence[str] | str = (),
    require: str | Model | Models | Iterable[Model] | None = None,
    hierarchies: Mapping[str, object] | None = None,
    population: TableLike | None = None,
    wildcard: str | None = None,
    withheld: bool = False,
    sensitive_table: TableLike | None = None,
    group: str = "group",
    count: str = "count",
    person: Sequence[str] | str | pl.Series = (),
    linked: bool = False,
    record_weight: str | pl.Series | None = None,
    household: str | pl.Series | None = None,
    sample_fraction: Numeral | None = None,
    population_size: int | None = None,
    threshold: Sequence[Numeral] | Numeral = (),
    minimal_uniques: int | None = None,
    interactions: Sequence[Sequence[str] | str] | str = (),
    unify: Sequence[str] | str = (),
    order: Orders | None = None,
    missing: Codes | None = None,
) -> Audit:
    """Measure a table, released by anyone. Without a requirement every model's level is reported, and no verdict.

    `population` is what kmap, presence and the models of a journalist compare with, and among whom a journalist looks.
    `wildcard` also counts with a cell that matches anything: `star` (`*`), `missing`, or `both`. With `withheld`, rows
    of stars whose sensitive cells are all missing show no sensitive value: models of sensitive columns are decided for
    the other rows, among which they compare; other models for all rows. `sensitive_table` is the second table of two:
    `group` is the column that both have, `count` says how often a sensitive value occurs in its group. `person` are the
    columns that together identify the person of a row, or the people themselves: then people are counted; where their
    rows are `linked`, models must also hold for the people with the same set of cells. `household` is the column that
    says which household a row belongs to, or the households themselves, for k-households and the `risk`; it and the
    next six are those of `shoal.risk.measure`. `unify`, `order` and `missing` are those of
    `shoal.anonymize`; an order is for a sensitive column.

    >>> table = {"age": ["20-29", "20-29", "*"], "illness": ["flu", "gout", "flu"]}
    >>> found = audit(table, quasi=["age"], sensitive=["illness"], require="k=2")
    >>> found.smallest_class, found.holds, found.findings[0].failing_rows
    (1, False, 1)
    >>> found.risk.prosecutor.highest, round(found.risk.marketer, 2)
    (1.0, 0.67)
    """
    read = people = _unified(Table.of(table), unify, missing)
    two = sensitive_table is not None
    shown = roles = Roles.of(people.columns, quasi=quasi, sensitive=() if two else sensitive)
    if sensitive_table is not None:
        from shoal.checking.two_tables import sensitive_rows  # loaded only where there are two tables

        secret = [sensitive] if isinstance(sensitive, str) else sensitive
        counted_ = _unified(Table.of(sensitive_table), unify, missing)
        read = Table(sensitive_rows(people.frame, counted_.frame, secret, group=group, count=count), counted_.spelling)
        roles = Roles.of(read.columns, quasi=group, sensitive=sensitive)
    _check_named((*listed(unify), *(missing or {})), (*people.columns, *read.columns))
    check_filled(read.rows, len(read.columns))
    homes = None if household is None else household_of(people, household)
    unasked = partial(_all_models, read, roles, of_groups=two, of_households=homes is not None)
    models = as_models(require) if require is not None else unasked()
    _check(models, roles, of_groups=two)
    check_households(models, known=homes is not None)
    whom = _whom(people, person, two=two, withheld=withheld, linked=linked)
    if whom is not None:
        from shoal.models.by_people import by_people  # loaded only where people are counted

        models = by_people(models)
    builders = {name: as_builder(spec) for name, spec in (hierarchies or {}).items()}
    read = _in_order(read, roles, models, builders, order or {})
    everybody = (
        None if population is None else _everybody(_unified(Table.of(population), unify, missing), people, shown)
    )
    classes = _classes(read.coded, roles.quasi, roles.sensitive, models, builders, everybody)
    if whom is not None:
        classes = replace(classes, persons=Persons.of(whom, classes.attributes))
    if homes is not None and not two:
        classes = replace(classes, households=homes.codes)
    hidden = _withheld(read, roles) if withheld and not two else None
    seen = classes
    if hidden is not None:
        shown_rows = Table(read.part(np.flatnonzero(~hidden)))
        seen = _classes(shown_rows.coded, roles.quasi, roles.sensitive, models, builders, everybody)
    starred = _starred_rows(map(people.coded, shown.quasi))
    violations = NONE
    if require is not None:
        violations = (
            _violations(models, classes, read, people, two=two)
            if hidden is None
            else _violations_shown(models, classes, seen, hidden)
        )
    return replace(
        _measured(classes, models, starred, asked=require is not None, linked=linked, seen=seen),
        wildcard=None if wildcard is None else _wildcard(people.frame.select(shown.quasi), wildcard),
        violations=violations,
        households=None if homes is None else homes.size,
        notes=tuple(dict.fromkeys((*people.spelling, *read.notes))) if two else people.spelling,
        measured=partial(
            _risk,
            people,
            quasi=shown.quasi,
            population=everybody,
            hierarchies=builders,
            person=person,
            record_weight=record_weight,
            household=household,
            sample_fraction=sample_fraction,
            population_size=population_size,
            threshold=threshold,
            wildcard=wildcard,
            minimal_uniques=minimal_uniques,
            interactions=interactions,
        ),
    )


def _whom(
    table: Table, person: Sequence[str] | str | pl.Series, *, two: bool, withheld: bool, linked: bool
) -> Coded | None:
    """Return whom each row is about; None where each row is one person."""
    if not len(person):
        if linked:
            raise ParameterError("rows are linked, and nothing says whose they are", hint="name the columns in person")
        return None
    if withheld:
        raise Unsupported(
            "people with several rows cannot be counted where some of their rows show no sensitive value",
            hint="leave person or withheld out",
        )
    if two:
        raise Unsupported(
            "people with several rows cannot be counted in two tables:"
            " they do not say which person a sensitive value belongs to",
            hint="leave person out, or audit one table",
        )
    return person_of(table, person)


def _unified(table: Table, unify: Sequence[str] | str, missing: Codes | None) -> Table:
    """Return a table with those of the columns spelt in one way, and without codes, that it has."""
    codes = {name: some for name, some in (missing or {}).items() if name in table.columns}
    return read_as_asked(table, [name for name in listed(unify) if name in table.columns], missing=codes)


def _check_named(named: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse to unify a column that there is not."""
    for name in named:
        if name not in columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, columns))


def _in_order(table: Table, roles: Roles, models: Models, builders: Mapping[str, Builder], order: Orders) -> Table:
    """Return a table whose sensitive words are in order, where one is given or a model wants that of a hierarchy."""
    for name in order:
        if name not in roles.sensitive:
            raise RoleError(
                f"an order is given for {name!r}", expected="a sensitive column", hint=nearest(name, roles.sensitive)
            )
    table = read_as_asked(table, order=order)
    return read_as_asked(table, order=wanted_orders(table, models, builders)[0])


def _everybody(population: Table, people: Table, shown: Roles) -> pl.DataFrame:
    """Return the population, spelt as the published cells spell."""
    named = [name for name in shown.quasi if name in population.columns]
    return population.with_columns(spelt_like(population[name], people[name]) for name in named).frame


def _risk(table: TableLike, **asked: Any) -> Risk:
    """Measure the risk."""
    from shoal.risk import measure  # verification asks for none

    return measure(table, **asked)


def _withheld(table: Table, roles: Roles) -> Bools | None:
    """Return the rows that show no sensitive value; None where none or all do, so that there is one table to decide."""
    from shoal.checking.withheld_values import withheld_rows  # few releases have such rows

    hidden = withheld_rows(table.frame, roles.quasi, roles.sensitive)
    return hidden if hidden.any() and not hidden.all() else None


def _wildcard(quasi: pl.DataFrame, wild: str) -> dict[str, int]:
    """Count with a wild cell that matches anything."""
    from shoal.risk.wildcard import wildcard_summary  # verification counts without

    return wildcard_summary(quasi, wild)


def audit_counted(
    quasi: Sequence[Coded],
    sensitive: Sequence[Coded],
    counts: Ints,
    *,
    models: Models,
    builders: Mapping[str, Builder],
    population: pl.DataFrame | None = None,
) -> Audit:
    """Measure a table of which the distinct rows are here, as integers, and how many rows have each.

    >>> age = Coded.of(pl.Series("age", ["20-29", "*"]))
    >>> found = audit_counted([age], [], np.array([3, 2]), models=as_models("k=2"), builders={})
    >>> found.rows, found.smallest_class, found.holds
    (5, 2, True)
    """
    columns = {column.name: column for column in (*quasi, *sensitive)}
    shown, secret = ([column.name for column in some] for some in (quasi, sensitive))
    classes = _classes(columns.__getitem__, shown, secret, models, builders, population, counts)

    def measured() -> Risk:
        people = np.repeat(np.arange(len(counts)), counts)
        frame = pl.DataFrame([column.decode(column.codes[people]) for column in quasi])
        return _risk(frame, quasi=frame.columns, population=population, hierarchies=builders)

    return replace(_measured(classes, models, _starred_rows(quasi, counts), asked=True), measured=measured)


def _measured(
    classes: Classes, models: Models, starred: int, *, asked: bool, linked: bool = False, seen: Classes | None = None
) -> Audit:
    """Say what the classes of a table give; where the rows of people are linked, also what their sets of classes do.

    `seen` are the classes of rows that show their sensitive values, where not all do.
    """
    decided = classes.with_linked if linked else classes
    secret = decided if seen is None or seen is classes else seen
    members = _counted(classes).sizes
    return Audit(
        rows=int(classes.sizes.sum()),
        people=None if classes.persons is None else classes.persons.number,
        classes=classes.number,
        smallest_class=int(members.min()),
        largest_class=int(members.max()),
        unique_rows=int(classes.sizes[members == 1].sum()),
        starred_rows=starred,
        findings=tuple(_finding(model, secret if model.attributes else decided, asked=asked) for model in models),
        certain=_certain(classes if seen is None else seen, models if asked else ()),
    )


def _counted(classes: Classes) -> Classes:
    """Return classes with what is counted in them: people where it is known whom rows are about, else rows."""
    return classes if classes.persons is None else classes.of_people


def _certain(classes: Classes, models: Iterable[Model]) -> dict[str, int]:
    """Return for each sensitive attribute that no model speaks of the rows of classes in which all share a value."""
    spoken = {name for model in models for name in (*model.attributes, *model.given)}
    alone = [name for (name,) in (names for names in classes.attributes if len(names) == 1) if name not in spoken]
    slices = {name: _counted(classes).histogram((name,)) for name in alone}
    shared = {name: np.maximum.reduceat(one.counts, one.starts[:-1]) == one.members for name, one in slices.items()}
    return {name: int(classes.sizes[some].sum()) for name, some in shared.items()}


def _starred_rows(quasi: Iterable[Coded], weights: Ints | None = None) -> int:
    """Count the rows that show none of their quasi-identifiers: all cells are stars or missing."""
    hidden = np.logical_and.reduce([_is_hidden(column.values)[column.codes] for column in quasi])
    return int(hidden.sum() if weights is None else weights[hidden].sum())


def _is_hidden(values: pl.Series) -> Bools:
    shown = values.is_null() | (values == STAR) if values.dtype == pl.String else values.is_null()
    return shown.to_numpy()


def _classes(
    coded: Callable[[str], Coded],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    models: Models,
    builders: Mapping[str, Builder],
    population: pl.DataFrame | None,
    weights: Ints | None = None,
) -> Classes:
    """Group the rows by their published quasi-identifiers, and collect what the models read.

    `coded` gives a column as integers; `weights` say how many rows each row stands for, None where each is one.
    """
    labels, first, _ = numbered_runs(packed((one.codes, one.size) for one in map(coded, quasi)))
    shown = [_at(coded(name), first) for name in quasi]
    distinct = pl.DataFrame([column.decode(column.codes) for column in shown])
    people, fits = (None, None) if population is None else _people(distinct, population, builders)
    cells = _cells(shown, builders) if any(model.needs_cells for model in models) else None
    single: dict[Attributes, Values] = {}
    for name in sensitive:
        column = _unescaped(coded(name))
        totals = np.bincount(column.codes, weights=weights, minlength=column.size).astype(np.int64)
        tree = builders[name].build(column.values, totals) if name in builders else None
        single[(name,)] = Values(column.codes, totals, column.values, tree)
    attributes = with_joints(single, models.joints, weights)
    return Classes(labels, len(first), attributes, weights, population=people, fits=fits, cells=cells)


def _cells(shown: Sequence[Coded], builders: Mapping[str, Builder]) -> list[ShownCells]:
    """Return the cells of classes, column by column."""
    from shoal.hierarchies.containment import ShownCells  # only few models ask for them

    return [ShownCells(column.codes.astype(np.int64), column.values, builders.get(column.name)) for column in shown]


def _people(classes: pl.DataFrame, population: pl.DataFrame, builders: Mapping[str, Builder]) -> tuple[Any, Any]:
    """Return what finds the people that cells cover."""
    from shoal.hierarchies.cell_reader import covered_people, fitting_people  # only models of a population ask for it

    given = (classes, population, builders)
    return partial(covered_people, *given), partial(fitting_people, *given)


def _at(column: Coded, rows: Ints) -> Coded:
    return Coded(column.values, column.codes[rows])


def _unescaped(column: Coded) -> Coded:
    """Return a column of published texts as it was before stars were escaped."""
    values = unescaped(column.values)
    return column if values is column.values else Coded(values, column.codes).settled()


def _all_models(table: Table, roles: Roles, *, of_groups: bool, of_households: bool) -> Models:
    """Return every model, for every sensitive attribute that it can measure, at its most lenient."""
    known = [kind for kind in discover(shoal.models, Model).values() if of_households or not kind.needs_households]
    kinds = [kind for kind in known if kind.measured_unasked and (kind.speaks_of_groups() or not of_groups)]
    sizes = [kind.lenient() for kind in kinds if not kind.reads_attribute]
    return Models(
        (
            *sizes,
            *(
                kind.lenient(name)
                for name in roles.sensitive
                for kind in kinds
                if kind.reads_attribute and kind.applies_to(table.coded(name).values)
            ),
        )
    )


def _finding(model: Model, classes: Classes, *, asked: bool) -> Finding:
    admitted = model.admits(classes) if asked else np.ones(classes.number, dtype=bool)
    reached = model.reached(classes)
    worst = _alike(model.level(classes), reached)
    where = "+".join(model.attributes) + "".join(f"|{name}" for name in model.given)
    numbers = [float(number) for number in model.asked]
    return Finding(
        model=str(model) if asked else model.title,
        name=model.name,
        attribute=where or None,
        asked=None if not asked else numbers if len(numbers) > 1 else numbers[0],
        reached=_finite(model.reading(reached)),
        holds=bool(admitted.all()) if asked else None,
        failing_classes=int((~admitted).sum()),
        failing_rows=int(classes.sizes[~admitted].sum()),
        worst_classes=int(worst.sum()),
        worst_rows=int(classes.sizes[worst].sum()),
        also=model.also(model.slices(classes)) if isinstance(model, SensitiveModel) else {},
    )


def _alike(levels: Floats, reached: float) -> Bools:
    """Return which classes are at the level reached, but for rounding."""
    return np.isinf(levels) if np.isinf(reached) else np.isclose(levels, reached, rtol=1e-9, atol=1e-12)


def _violations(models: Models, classes: Classes, read: Table, people: Table, *, two: bool) -> Ints:
    """Return the rows whose class fails one of the models; of two tables, the people of the groups that do."""
    failing = ~models.admits(classes)[classes.class_of_row]
    if not two:
        return np.flatnonzero(failing)
    group = read.columns[0]
    return np.flatnonzero(people[group].is_in(read[group].filter(pl.Series(failing)).unique().implode()).to_numpy())


def _violations_shown(models: Models, classes: Classes, seen: Classes, hidden: Bools) -> Ints:
    """Return the rows whose class fails a model, those that show no sensitive value decided by the other models."""
    failing = np.zeros(len(hidden), dtype=bool)
    shown = np.flatnonzero(~hidden)
    for model in models:
        if model.attributes:
            failing[shown] |= ~model.admits(seen)[seen.class_of_row]
        else:
            failing |= ~model.admits(classes)[classes.class_of_row]
    return np.flatnonzero(failing)


def _finite(level: float | list[float]) -> float | list[float] | None:
    """Return a level as JSON can hold it: an infinite one is None."""
    return level if np.isfinite(level).all() else None


def _check(models: Models, roles: Roles, *, of_groups: bool) -> None:
    """Refuse models that two tables cannot meet, and those that read what is not a sensitive column."""
    if of_groups:
        models.check_groups()
    for model in models:
        for name in (*model.attributes, *model.given):
            if name not in roles.sensitive:
                raise RoleError(
                    f"{model} reads {name!r}",
                    expected="a sensitive column",
                    hint=nearest(name, roles.sensitive),
                )


def as_dict(finding: Finding) -> dict[str, Any]:
    """Return a finding as a certificate states it."""
    return {
        "name": finding.name,
        "attribute": finding.attribute,
        "asked": finding.asked,
        "reached": finding.reached,
    }
