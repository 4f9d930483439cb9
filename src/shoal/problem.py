"""A problem: microdata, the models every class must meet, the cost to keep small. Methods turn it into a solution."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np

import shoal.costs
from shoal.core.arrays import Bools, Ints
from shoal.core.discovery import lookup
from shoal.core.errors import Infeasible, ParameterError, RoleError, Unsupported, nearest
from shoal.core.parameters import Number, Numeral
from shoal.costs import Cost
from shoal.hierarchies import Builder
from shoal.hierarchies.containment import ShownCells
from shoal.hierarchies.level_range import LevelRange
from shoal.microdata.histogram import Attributes, Classes, Persons, Values, sensitive_values
from shoal.microdata.microdata import Microdata, Population
from shoal.microdata.partition import Partition
from shoal.microdata.prices import Prices
from shoal.models import Model, Models
from shoal.models.base import check_households
from shoal.models.by_people import by_people
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells, Groups, count_covered, covering_parts
from shoal.recoding.mixed import with_column_recodings
from shoal.recoding.recode import Published, cells_of, published_cells, recode, recoding_named
from shoal.request import MAX_DROPPED, MAX_SUPPRESSED, SUPPRESSED
from shoal.tables.star_marks import STAR

Status: TypeAlias = Literal["optimal", "within_bound", "feasible"]

STAR_COSTS = ("stars", "starred-rows")
"""The costs that count stars."""
WEIGHT = Number("weight", "how much an attribute's loss counts", 0, above=True)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is asked: publish `microdata` so that every class meets `models`, at little `cost`."""

    microdata: Microdata
    models: Models
    """What methods make every class meet. Where that does not imply what was asked, releases are decided as a whole."""
    cost: Cost
    recoding: str = "suppress"
    max_dropped: Fraction = Fraction(0)
    asked: Models | None = None
    """The models as they were asked for, where methods work with others."""
    max_suppressed: Fraction = Fraction(0)
    """The largest share of the rows that full-domain recoding may publish as stars."""
    suppressed: str = SUPPRESSED[0]
    suppress_sensitive: bool = False
    """Whether the sensitive values of suppressed rows are not published."""
    linked: bool = False
    """Whether the rows of a person are published with a pseudonym: the set of a person's cells is what people see."""
    _last: list[tuple[Partition, Published]] = field(default_factory=list, init=False, repr=False)
    _known: dict[Hashable, int] = field(default_factory=dict, init=False, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    """What searches and bounds keep for those that come after them, by name."""

    @property
    def required(self) -> Models:
        """What every release must meet."""
        return self.asked or self.models

    @property
    def counts_people(self) -> bool:
        """Whether a person may have several rows, so that what is required is required of people."""
        return self.microdata.person is not None

    @property
    def counts_rows(self) -> bool:
        """Whether counting rows decides what is required: people and households need not be told apart."""
        return not (self.counts_people or self.required.needs_households)

    @property
    def bounding(self) -> Models:
        """What lower bounds may rest on: what every release must meet, as far as rows say it."""
        return self.required.of_rows

    @property
    def deciding(self) -> Models:
        """What decides a class by itself: by people and households, where they are counted."""
        return self.models if self.counts_rows else self.required.surrogates(self.rows)

    @property
    def uses_surrogates(self) -> bool:
        """Whether methods work with other models than those asked for; what they prove is then of another problem."""
        return self.linked or set(self.models) != set(self.required)

    @property
    def recoding_kind(self) -> Recoding:
        """What the recoding declares of itself."""
        return recoding_named(self.recoding)

    def recoding_of(self, column: str) -> Recoding:
        """Return the recoding of one quasi-identifier."""
        return self.recoding_kind.of_column(self.microdata, self.microdata.roles.quasi.index(column))

    @property
    def trees(self) -> dict[str, Builder]:
        """The hierarchies that were given, or made, of the columns whose cells are blocks of them."""
        builders = self.microdata.builders.items()
        return {name: builder for name, builder in builders if self.recoding_of(name).along_hierarchies}

    @property
    def cells_are_blocks(self) -> bool:
        """Whether cells are blocks of hierarchies, so that they have levels, and a union has the lowest block above."""
        return not self.recoding_kind.no_patterns

    @property
    def counts_stars(self) -> bool:
        """Whether cells are values or stars, and the cost counts starred cells or starred rows."""
        return self.recoding_kind.stars_only and self.cost.name in STAR_COSTS

    @cached_property
    def values(self) -> dict[Attributes, Values]:
        """The sensitive attributes of the whole table, and the joint ones the models ask for."""
        return sensitive_values(self.microdata, [*self.models.joints, *self.required.joints])

    @cached_property
    def _persons(self) -> Persons | None:
        """Whom the rows are about; None where each row is one person."""
        return None if self.microdata.person is None else Persons.of(self.microdata.person, self.values)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.microdata.rows

    @property
    def may_drop(self) -> int:
        """How many rows may be dropped."""
        return int(self.max_dropped * self.rows)

    @property
    def may_suppress(self) -> int:
        """How many rows full-domain recoding may publish as stars."""
        return int(self.max_suppressed * self.rows)

    @property
    def global_recoding_refusal(self) -> str:
        """Why a method that chooses cells class by class cannot take the problem; nothing where it may."""
        alike = self.recoding_kind.alike_in_all
        return f"it chooses cells class by class, {self.recoding} recoding {alike}" if alike else ""

    def classes(self, partition: Partition) -> Classes:
        """Return what models see of a partition of all rows."""
        return self._seen(slice(None), partition.class_of_row, len(partition), self.values)

    def candidates(self, rows: Ints, class_of_row: Ints, number: int) -> Classes:
        """Return what models see of classes made of some rows, in a table that publishes all rows."""
        return self._seen(rows, class_of_row, number, {name: values.at(rows) for name, values in self.values.items()})

    def _seen(
        self, rows: Ints | slice, class_of_row: Ints, number: int, values: Mapping[Attributes, Values]
    ) -> Classes:
        people = None if self.microdata.population is None else partial(self._people, rows, class_of_row)
        whom = self._persons if self._persons is None or isinstance(rows, slice) else self._persons.at(rows)
        homes = None if self.microdata.household is None else self.microdata.household.codes[rows]
        cells = partial(self._cells, rows, class_of_row) if self.models.needs_cells else None
        return Classes(class_of_row, number, values, population=people, own_cells=cells, persons=whom, households=homes)

    def _cells(self, rows: Ints | slice, class_of_row: Ints) -> list[ShownCells]:
        """Return the cells that classes of some rows would be published with, as an auditor reads them."""
        groups = Groups.of(np.arange(self.rows)[rows], class_of_row)
        return [self._shown(one) for one in cells_of(self.microdata, self.recoding, groups)]

    def _people(self, rows: Ints | slice, class_of_row: Ints) -> Ints:
        """Count the rows of the population that the cells of each class would cover."""
        population = self.microdata.population
        assert population is not None
        groups = Groups.of(np.arange(self.rows)[rows], class_of_row)
        cells = cells_of(self.microdata, self.recoding, groups)
        return count_covered(cells, population.tuples, population.counts)

    def meets(self, partition: Partition) -> bool:
        """Whether a partition, once published, meets what was asked."""
        return bool(self.admitted(recode(self.microdata, partition, self.recoding)).all())

    def admitted(self, published: Published) -> Bools:
        """Decide every class of a release for what was asked, all its cells being known."""
        partition, part = published.partition, self
        if partition.dropped:
            part, partition = self.of_rows(partition.kept), Partition(partition.class_of_row[partition.kept])
        population = self.microdata.population
        fits = None if population is None else lambda: _fits(published.cells, population)
        cells = [self._shown(one) for one in published.cells]
        classes = replace(part.classes(partition), fits=fits, cells=cells)
        return part.required.admits(classes) if not self.linked else _admitted_linked(part.required, classes)

    def _shown(self, cells: Cells) -> ShownCells:
        """Return the cells of a published column as an auditor reads them."""
        return ShownCells(cells.of_group, published_cells(cells, STAR), self.trees.get(cells.column.name))

    def publish(self, partition: Partition) -> Published:
        """Return the cells that a partition is published with; the last ones are kept, methods ask more than once."""
        for asked, published in self._last:
            if asked is partition or (published.partition is partition and self.recoding_kind.repeatable):
                return published
        self.forget()  # first: both would take memory at the same time
        self._last.append((partition, recode(self.microdata, partition, self.recoding)))
        return self._last[0][1]

    def forget(self) -> None:
        """Let go of the last cells, which take as much memory as several columns of the table."""
        self._last.clear()

    def forget_searches(self) -> None:
        """Let go of what searches and bounds keep, which takes hundreds of megabytes for millions of rows."""
        self.kept.clear()

    def cost_of(self, partition: Partition) -> float:
        """Return what a partition costs once published."""
        return self.cost.of(self.publish(partition))

    def order_of(self, partition: Partition) -> tuple[float, ...]:
        """Return what releases are compared by, the least first: the cost, and what breaks ties."""
        return self.cost_of(partition), *self.cost.tie_break(self.publish(partition))

    def cached(self, what: Hashable, find: Callable[[], int]) -> int:
        """Return a number that is worked out once: whoever asks first says how."""
        if what not in self._known:
            self._known[what] = find()
        return self._known[what]

    def of_rows(self, rows: Ints) -> Problem:
        """Return the same problem for some of the rows, none of which may be dropped."""
        return replace(self, microdata=self.microdata.take(rows), max_dropped=Fraction(0))

    def refused_as_one(self) -> list[str]:
        """Return why all rows as one class will not do: models that joining classes may break, and that refuse it."""
        others = [model for model in self.models if not model.monotone]
        whole = self.classes(Partition.whole(self.rows)) if others else None
        refused = [f"the whole table does not meet {model}" for model in others if whole and not model.admits(whole)[0]]
        if refused or not self.uses_surrogates or self.meets(Partition.whole(self.rows)):
            return refused
        of = " of people" if self.counts_people else " of households" if not self.counts_rows else ""
        return [f"the whole table does not meet {self.required}{of}"]

    def check_people(self) -> None:
        """Raise `Infeasible` if the table has fewer people or households than a class must: dropping rows adds none."""
        whole = self.classes(Partition.whole(self.rows))
        for model in self.required:
            if model.monotone and not (model.attributes or model.needs_population) and not model.admits(whole)[0]:
                raise infeasible(model, whole)

    def check_feasible(self) -> None:
        """Raise `Infeasible` if not even all rows as one class are admitted by a model that only merging can help."""
        whole = self.classes(Partition.whole(self.rows))
        for model in dict.fromkeys((*self.models, *self.deciding)):
            if model.monotone and not model.admits(whole)[0]:
                raise infeasible(model, whole)


def _admitted_linked(models: Models, classes: Classes) -> Bools:
    """Decide every class: it and all sets of classes that its people have rows in must be admitted."""
    both = models.admits(classes.with_linked)
    admitted = both[: classes.number].copy()
    admitted[classes.class_of_row[~both[classes.number :][classes.linked_of_row]]] = False
    return admitted


def _fits(cells: Sequence[Cells], population: Population) -> tuple[Iterable[Bools], Ints]:
    """Return which classes cover which people, and how many people are alike."""
    return covering_parts(cells, population.tuples), population.counts


def infeasible(model: Model, whole: Classes) -> Infeasible:
    """Word the refusal of a table whose rows together do not meet a model."""
    rows = np.arange(len(whole.class_of_row))
    hint = "ask for less, or add rows"
    if model.attributes:
        values = whole.attributes[model.attributes]
        commonest = int(np.argmax(values.totals))
        rows = np.flatnonzero(values.codes == commonest)
        where = repr("+".join(model.attributes))
        hint = f"ask for less: {where} has too few different values"
        if model.largest(values.totals) is not None:
            hint = f"ask for less, or allow rows to be dropped: one value of {where} is too common"
    reached = model.reading(model.reached(whole))
    return Infeasible(str(model), reached=short_number(reached), rows=rows.tolist(), hint=hint)


def short_number(level: float | list[float]) -> str:
    """Write the level that a model reaches, of one number or several."""
    numbers = level if isinstance(level, list) else [level]
    text = ", ".join(f"{number:.6g}" for number in numbers)
    return f"({text})" if isinstance(level, list) else text


@dataclass(frozen=True, eq=False)
class Solution:
    """What a method found: a partition of the input rows, its cost, and how far from optimal it can at most be."""

    partition: Partition
    cost: float
    status: Status
    method: str
    lower_bound: float | None = None
    """A number that no release can go below; None where none is known."""
    guarantee: str | None = None
    """What the method's theorem promises, as an inequality; None for a heuristic."""
    notes: tuple[str, ...] = field(default=())
    """Decisions worth a line in the log, in words; no cell of the table."""
    prices: Prices | None = None
    """What the lower bound, or some of it, follows from; None where the method proves it in another way."""
    promised: Mapping[str, float] = field(default_factory=dict)
    """Bounds on levels that hold by a theorem, by model: how far from the table any class of these sizes can be."""
    chosen: tuple[str, ...] = ()
    """Where the method was chosen automatically: what was tried, at what cost, and why; no cell of the table."""
    cut: bool = False
    """Whether time, or a person, ended the search before it was done."""
    merged: bool = False
    """Whether classes were merged in the end because a model refused them that the search did not know."""
    tie_break: tuple[float, ...] = ()
    """What decides between solutions of the same cost, the least first; mostly nothing does."""

    @property
    def order(self) -> tuple[float, ...]:
        """What solutions are compared by, the least first."""
        return self.cost, *self.tie_break

    @property
    def dropped(self) -> int:
        """How many rows are not published."""
        return self.partition.dropped


def make_problem(
    microdata: Microdata,
    models: Models,
    *,
    recoding: str = "suppress",
    cost: str | None = None,
    weights: Mapping[str, Numeral] | None = None,
    max_dropped: Numeral = 0,
    max_suppressed: Numeral = 0,
    suppressed: str = SUPPRESSED[0],
    suppress_sensitive: bool = False,
    linked: bool = False,
    levels: Mapping[str, object] | None = None,
    recodings: Mapping[str, str] | None = None,
) -> Problem:
    """Check a request against the table and put it together."""
    _check_attributes(models, microdata)
    if recodings:
        microdata, recoding = with_column_recodings(microdata, recoding, recodings)
    kind = recoding_named(recoding)
    microdata = _within_levels(microdata, kind, levels or {})
    if not kind.covers and models.needs_population:
        raise ParameterError(
            f"{models} counts the people whom cells fit, and means (recoding {recoding!r}) fit nobody",
            hint="use another recoding",
        )
    if kind.two_tables:
        models.check_groups()
    _check_population(models, microdata)
    check_households(models, known=microdata.household is not None)
    exact = {name: WEIGHT.read(weight, f"weight of {name}") for name, weight in (weights or {}).items()}
    for name in exact:
        if name not in microdata.roles.quasi:
            raise RoleError(
                f"a weight is given for {name!r}",
                expected="a quasi-identifier",
                hint=nearest(name, microdata.roles.quasi),
            )
    measure = _make_cost(cost or default_cost(kind, bool(exact)), kind, exact, models)
    worked_with = models.surrogates(microdata.rows)
    if microdata.person is not None:
        models = _of_people(models, kind)
        worked_with = models
    may_drop = MAX_DROPPED.read(max_dropped, "max_dropped")
    may_suppress = MAX_SUPPRESSED.read(max_suppressed, "max_suppressed")
    if microdata.population is not None:
        people, fewest = int(microdata.population.counts.sum()), microdata.rows - int(may_drop * microdata.rows)
        for model in models:
            model.check_population(fewest, microdata.rows, people)
    _check_suppression(kind, may_suppress, suppressed)
    if linked:
        _check_linked(models, kind)
    rows = worked_with.of_rows
    told = (recoding, may_drop, models, may_suppress, suppressed, suppress_sensitive, linked)
    problem = Problem(microdata, rows, measure, *told)
    for model in models:
        model.check_columns(problem.trees, microdata.roles.quasi, one_level=kind.one_level)
    if suppress_sensitive:
        _check_withheld(problem)
    if not problem.counts_rows:
        problem.check_people()
    return problem


def _of_people(models: Models, recoding: Recoding) -> Models:
    """Return models of people; of two tables it cannot be told which person a sensitive value belongs to."""
    if recoding.two_tables:
        raise Unsupported(
            f"the recoding {recoding.name!r} publishes sensitive values in a table of their own, where people with "
            "several rows cannot be counted",
            hint="choose another recoding, or leave --person out if each row is one person",
        )
    return by_people(models)


def _check_linked(models: Models, recoding: Recoding) -> None:
    """Refuse what is not decided for people whose rows are linked."""
    if models.needs_population:
        raise Unsupported(f"{models} is not defined for people whose rows are linked", hint="leave --pseudonym out")
    if not recoding.covers:
        raise Unsupported(
            f"with the recoding {recoding.name!r} the rows of a person are not published with a pseudonym",
            hint="choose another recoding, or leave --pseudonym out",
        )


def _check_withheld(problem: Problem) -> None:
    """Refuse to leave out sensitive values where there are none to leave out, or where something else reads them."""
    if not problem.may_suppress:
        raise ParameterError(
            "--suppress-sensitive is given, and no row may be suppressed",
            hint="use --recoding full-domain and --max-suppressed, or leave --suppress-sensitive out",
        )
    if not problem.microdata.sensitive:
        raise ParameterError(
            "--suppress-sensitive is given, and no column is sensitive", hint="name one, or leave it out"
        )
    if problem.suppressed != SUPPRESSED[0]:
        raise ParameterError("--suppress-sensitive is given with --suppressed arx", hint="leave one of the two out")
    if problem.uses_surrogates or not problem.counts_rows:
        raise Unsupported(
            f"{problem.required} cannot be checked where sensitive values of suppressed rows are left out",
            hint="leave --suppress-sensitive out",
        )
    if problem.cost.reads_sensitive:
        raise Unsupported(
            f"the cost {problem.cost.name!r} reads sensitive values, which suppressed rows then do not show",
            hint="choose another cost, or leave --suppress-sensitive out",
        )


def _within_levels(microdata: Microdata, recoding: Recoding, levels: Mapping[str, object]) -> Microdata:
    """Return the table with the levels that its columns may be published at, checked against their hierarchies."""
    if not levels:
        return microdata
    if not recoding.one_level:
        raise ParameterError(
            f"levels are given for columns, but the recoding is {recoding.name!r}",
            hint="use --recoding full-domain; --coarsen raises columns beforehand for any recoding",
        )
    heights = {column.name: tree.height for column, tree in zip(microdata.quasi, microdata.hierarchies, strict=True)}
    ranges = {name: LevelRange.of(given, name) for name, given in levels.items()}
    for name, asked in ranges.items():
        if name not in heights:
            raise RoleError(
                f"levels are given for {name!r}", expected="a quasi-identifier", hint=nearest(name, heights)
            )
        if max(asked.least, asked.most or 0) > heights[name]:
            raise ParameterError(
                f"the levels of {name!r} are {asked}",
                expected=f"levels from 0 to {heights[name]}, those of its hierarchy",
                hint="shoal hierarchy show lists them",
            )
    return replace(microdata, level_ranges=ranges)


def _check_suppression(recoding: Recoding, share: Fraction, suppressed: str) -> None:
    if suppressed not in SUPPRESSED:
        raise ParameterError(f"suppressed is {suppressed!r}", expected=" or ".join(map(repr, SUPPRESSED)))
    if not recoding.one_level and (share or suppressed != SUPPRESSED[0]):
        raise ParameterError(
            f"max_suppressed or suppressed is given, but the recoding is {recoding.name!r}",
            hint="use --recoding full-domain, or leave max_suppressed and suppressed out",
        )


def default_cost(recoding: Recoding, weighted: bool) -> str:
    """Return the cost that is kept small when none is named."""
    return (recoding.weighted_cost if weighted else None) or recoding.default_cost


def _make_cost(words: str, recoding: Recoding, weights: Mapping[str, Fraction], models: Models) -> Cost:
    name, _, options = words.partition(":")
    kind = lookup(shoal.costs, Cost, name, "cost")
    if not kind.measures(type(recoding)):
        raise ParameterError(
            f"cost {name!r} is not defined for the recoding {recoding.name!r}", expected=" or ".join(kind.recodings())
        )
    if weights and not kind.takes_weights:
        raise ParameterError(
            f"cost {name!r} takes no attribute weights",
            hint="leave them out" if recoding.two_tables else "use height, ncp or centroid-error",
        )
    return kind.asked(options, {name: float(weight) for name, weight in weights.items()}, models.rows_asked or 1)


def _check_attributes(models: Models, microdata: Microdata) -> None:
    for model in models:
        for name in (*model.attributes, *model.given):
            if name not in microdata.roles.sensitive:
                raise RoleError(
                    f"{model} reads {name!r}",
                    expected="a sensitive column",
                    hint=nearest(name, microdata.roles.sensitive),
                )


def _check_population(models: Models, microdata: Microdata) -> None:
    given = microdata.population is not None
    if given != models.needs_population:
        raise ParameterError(
            f"a population is given, and {models} does not use it" if given else f"{models} needs a population",
            hint="give --population FILE with kmap, presence or a model of a journalist, and only with them",
        )
