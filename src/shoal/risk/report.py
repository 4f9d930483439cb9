"""The risk of a table as one object: every measure, in total and row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.core.markup import facts, tag
from shoal.core.number_format import counted, percent
from shoal.core.parameters import Number, Numeral
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_reader import covered_people
from shoal.microdata.histogram import person_of
from shoal.microdata.uniqueness.population_uniques import PopulationUniques, population_uniques
from shoal.risk.attackers import Attacker, attacker, risks, thresholds
from shoal.risk.crowds import Crowds
from shoal.risk.household import HouseholdRisk, household_risk
from shoal.risk.individual import IndividualRisk, individual_risk, weights_of
from shoal.risk.log_linear import LogLinearRisk, joined_columns, log_linear_risk
from shoal.risk.singling import Search, search
from shoal.risk.suda import FRACTION, LARGEST, Suda, affordable, suda
from shoal.risk.uniques import Uniques, uniques, wildcard_crowds
from shoal.tables.roles import Roles, listed
from shoal.tables.table import Table, TableLike

SAMPLE_FRACTION = Number("sample_fraction", "share of the population that is in the table", 0, 1, above=True)
POPULATION_SIZE = Number("population_size", "people in the population", 1, whole=True)
SHOWN = 20
"""Sets of columns kept for each size."""


@dataclass(frozen=True)
class Risk:
    """What an attacker who knows the quasi-identifiers would get, measured from the table's cells alone."""

    rows: int
    classes: int
    class_sizes: tuple[tuple[int, int], ...]
    """How many classes there are of each size, smallest first."""
    prosecutor: Attacker
    journalist: Attacker
    marketer: float
    """The share of the rows that are linked to the right person, if all are linked."""
    uniques: Uniques
    wildcard: Uniques | None
    """The same, with a wild cell matching anything."""
    columns: Search
    """The sets of quasi-identifiers that single out the most rows."""
    suda: Suda | None
    population: PopulationUniques | None
    individual: IndividualRisk | None
    household: HouseholdRisk | None = None
    """That at least one member of a household is found, where households are known."""
    log_linear: LogLinearRisk | None = None
    """What a log-linear model expects of the unique rows, where the size of the population is known."""
    notes: tuple[str, ...] = ()
    """What was assumed, and what was left out."""
    per_row: Mapping[str, Floats] = field(default_factory=dict, repr=False, compare=False)
    """The risk of each row, by measure: `prosecutor`, `journalist`, and where they were asked for, `individual`,
    `household`, `log_linear`, `suda` and `dis_suda`. They are the owner's alone, and not in `to_dict`."""

    def __repr__(self) -> str:
        sizes = f"{counted(self.classes, 'class', 'classes')}, {self.uniques.rows:,} unique"
        return f"<Risk: {counted(self.rows, 'row')}, {sizes}>"

    def _repr_html_(self) -> str:
        """Show in a notebook the figures in total."""
        above = {f"rows above {one.threshold}": percent(one.share) for one in self.prosecutor.exceeding}
        shown = {
            "classes": f"{self.classes:,}",
            "unique rows": f"{self.uniques.rows:,} ({percent(self.uniques.share)})",
            "prosecutor, highest": f"{self.prosecutor.highest:.4g}",
            "journalist, highest": f"{self.journalist.highest:.4g}",
            "marketer": f"{self.marketer:.4g}",
        }
        return tag("div", tag("p", tag("strong", "Risk"), f": {counted(self.rows, 'row')}"), facts(shown | above))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the risks row by row as plain data."""
        shown: dict[str, Any] = _plain(self)
        return shown

    def to_json(self) -> str:
        """Return everything but the risks row by row as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a value as plain data, without what is kept row by row."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value) if one.repr}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def measure(
    table: TableLike,
    *,
    quasi: Sequence[str] | str,
    population: TableLike | None = None,
    hierarchies: Mapping[str, object] | None = None,
    person: Sequence[str] | str | pl.Series = (),
    record_weight: str | pl.Series | None = None,
    household: str | pl.Series | None = None,
    sample_fraction: Numeral | None = None,
    population_size: int | None = None,
    threshold: Sequence[Numeral] | Numeral = (),
    wildcard: str | None = None,
    minimal_uniques: int | None = None,
    interactions: Sequence[Sequence[str] | str] | str = (),
) -> Risk:
    """Measure the risk that people in a table, raw or published, are found.

    `population` is a table of those among whom a journalist looks; published cells are read with the `hierarchies`.
    `person` are the columns that together identify the person of a row, or the people themselves: then rows of one
    person with equal quasi-identifiers are one record. `record_weight` names the column that says how many people each
    row stands for, `household` the one that numbers households, or they are given themselves. `sample_fraction` or
    `population_size` says how large the population is, for the estimates of its uniques; without them the population
    table's rows or the sum of the weights do. `threshold` adds to 0.2, 0.09 and 0.05. `wildcard` also counts with cells
    that match anything: `star`, `missing` or `both`. Minimal sample uniques are looked for up to `minimal_uniques`
    columns, 0 for none; without it up to 4 where that takes a moment. `interactions` are sets of quasi-identifiers that
    the log-linear model takes as dependent, `pairs` for every two; it is fitted where the population's size is known.

    >>> people = {"age": [30, 30, 40, 50], "town": ["a", "a", "a", "b"], "weight": [10, 20, 5, 8]}
    >>> found = measure(people, quasi=["age", "town"], record_weight="weight")
    >>> found.prosecutor.highest, found.prosecutor.average, found.uniques.rows
    (1.0, 0.75, 2)
    >>> found.per_row["individual"].round(3).tolist()
    [0.058, 0.058, 0.402, 0.297]
    """
    whole = Table.of(table)
    record_of_row, first = _records(whole, quasi, person)
    data = whole if first is None else Table(whole.part(first))
    roles = Roles.of(data.columns, quasi=quasi)
    crowds = Crowds.of(data, roles.quasi)
    asked = thresholds([threshold] if isinstance(threshold, int | float | str | Fraction) else threshold)
    people = None if population is None else _people(population, roles.quasi)
    weights = None if record_weight is None else weights_of(whole, record_weight)
    weights = weights if weights is None or first is None else weights.gather(first)
    found = crowds.sizes if people is None else _found(crowds, people, hierarchies or {})
    size = _population(crowds.rows, people, weights, sample_fraction, population_size)
    individual = None if weights is None else individual_risk(crowds, weights, asked)
    own = risks(crowds.size_of_row) if individual is None else individual.risks
    homes = household if first is None or not isinstance(household, pl.Series) else household.gather(first)
    together = None if homes is None else household_risk(data, homes, own, asked)
    special = _special(crowds, size, minimal_uniques)
    asked_sets = joined_columns(roles.quasi, interactions)
    model = None if size is None else log_linear_risk(crowds, size, asked_sets, _numbers(weights))
    journalist = attacker(crowds.sizes, found, asked)
    return Risk(
        rows=crowds.rows,
        classes=crowds.classes,
        class_sizes=crowds.histogram,
        prosecutor=attacker(crowds.sizes, crowds.sizes, asked),
        journalist=journalist,
        marketer=journalist.average,
        uniques=uniques(crowds.sizes, crowds.sizes),
        wildcard=None if wildcard is None else uniques(crowds.sizes, wildcard_crowds(crowds, wildcard)),
        columns=search(data, roles.quasi, SHOWN),
        suda=special,
        population=None if size is None else population_uniques(crowds, size),
        individual=individual,
        household=together,
        log_linear=model,
        notes=tuple(_notes(crowds, people, found, special, size)),
        per_row={
            name: one[record_of_row]
            for name, one in _per_row(crowds, found, individual, together, model, special).items()
        },
    )


def _records(
    table: Table, quasi: Sequence[str] | str, person: Sequence[str] | str | pl.Series
) -> tuple[Ints, Ints | None]:
    """Return the record of each row, and a row of each record: a person with different quasi-identifiers is several.

    None where each row is a record.
    """
    if not len(person):
        return np.arange(table.rows), None
    whom = person_of(table, person)
    labels, first, _ = distinct_rows(
        [*(table.coded(name).codes for name in listed(quasi)), whom.codes],
        [*(table.coded(name).size for name in listed(quasi)), whom.size],
    )
    return labels, first


def _people(population: TableLike, quasi: Sequence[str]) -> pl.DataFrame:
    """Return the quasi-identifiers of the population."""
    frame = Table.of(population).frame
    missing = [name for name in quasi if name not in frame.columns]
    if missing:
        raise RoleError(f"the population has no column {missing[0]!r}", hint=nearest(missing[0], frame.columns))
    return frame.select(quasi)


def _found(crowds: Crowds, people: pl.DataFrame, hierarchies: Mapping[str, object]) -> Ints:
    """Return how many people of the population the cells of each class fit."""
    builders = {name: as_builder(spec) for name, spec in hierarchies.items() if name in people.columns}
    return covered_people(crowds.distinct, people, builders)


def _population(
    rows: int,
    people: pl.DataFrame | None,
    weights: pl.Series | None,
    fraction: Numeral | None,
    size: int | None,
) -> float | None:
    """Return how many people the population has; None where nothing says it."""
    if fraction is not None and size is not None:
        raise ParameterError("both a sampling fraction and a population size are given", expected="one of them")
    if fraction is not None:
        return rows / float(SAMPLE_FRACTION.read(fraction, "risk"))
    if size is None:
        known = len(people) if people is not None else None if weights is None else float(weights.sum())
        return known if known is None or known >= rows else float(rows)
    stated = int(POPULATION_SIZE.read(size, "risk"))
    if stated < rows:
        raise ParameterError(
            f"the population has {stated:,} people, the table {rows:,} rows",
            expected="a population of at least as many",
        )
    return float(stated)


def _special(crowds: Crowds, population: float | None, largest: int | None) -> Suda | None:
    """Look for minimal sample uniques, if they are wanted or can be had in a moment."""
    most = affordable(crowds) if largest is None else largest
    if most == 0:
        return None
    return suda(crowds, largest=most, fraction=FRACTION if population is None else crowds.rows / population)


def _numbers(weights: pl.Series | None) -> Floats | None:
    return None if weights is None else weights.cast(pl.Float64).to_numpy()


def _per_row(
    crowds: Crowds,
    found: Ints,
    individual: IndividualRisk | None,
    together: HouseholdRisk | None,
    model: LogLinearRisk | None,
    special: Suda | None,
) -> dict[str, Floats]:
    rows = {"prosecutor": risks(crowds.size_of_row), "journalist": risks(found)[crowds.class_of_row]}
    rows |= {} if individual is None else {"individual": individual.risks}
    rows |= {} if together is None else {"household": together.risks}
    rows |= {} if model is None else {"log_linear": model.risks}
    return rows | ({} if special is None else {"suda": special.scores, "dis_suda": special.dis_scores})


def _notes(
    crowds: Crowds, people: pl.DataFrame | None, found: Ints, special: Suda | None, population: float | None
) -> Iterator[str]:
    if people is None:
        yield "no population is given: the journalist is taken to be as strong as the prosecutor"
    elif not found.all():
        nobody = int(crowds.sizes[found == 0].sum())
        yield f"{nobody:,} rows fit nobody in the population, and count as unique in it"
    more = int((found < crowds.sizes).sum())
    if more and found.all():
        yield f"{more:,} classes have more rows than people whom they fit: is the population complete?"
    if special is None:
        yield "minimal sample uniques were not looked for"
    elif special.largest < min(LARGEST, len(crowds.columns)):
        yield f"minimal sample uniques were looked for in sets of up to {special.largest} columns"
    if population is None:
        scored = special is not None and special.rows
        also = f", and DIS scores take {FRACTION}" if scored else ""
        yield f"no sampling fraction is given: population uniques are not estimated{also}"
