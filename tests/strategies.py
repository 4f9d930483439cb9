"""Small tables with roles and requirements, for shoal and the oracle alike, and how Hypothesis draws them.

A `Case` is everything that is asked: `problem` is how shoal sees it, `oracle` how the oracle does. Models are made from
what they declare, so a new one is drawn without a change here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, cast

import polars as pl
from hypothesis import assume
from hypothesis import strategies as st
from tests import oracle
from tests.oracle import Asked, Column, Tree, Value
from tests.oracle import Problem as OracleProblem

import shoal.costs
import shoal.models
from shoal.core.discovery import discover
from shoal.core.parameters import Number
from shoal.costs import Cost
from shoal.hierarchies import Builder, StarsOnly, Taxonomy
from shoal.microdata.microdata import Microdata, encode
from shoal.models import Model, Models, Rule
from shoal.models.emd import COMBINED, MAXIMUM, SUM, attribute_distances, is_combined
from shoal.models.metric import Metric
from shoal.models.orders import read_as_asked, wanted_orders
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, default_cost, make_problem
from shoal.recoding.recode import recoding_named, recodings
from shoal.tables.column_types import tidy
from shoal.tables.roles import Roles
from shoal.tables.table import Table

MODELS = {
    name: kind
    for name, kind in discover(shoal.models, Model).items()
    if not (kind.needs_cells or kind.of_release or kind.needs_population or kind.needs_households or kind.needs_guards)
}
"""The models that can be decided for any class of rows."""
KNOWN_MODELS = tuple(kind for name, kind in MODELS.items() if name in oracle.MODELS and kind.monotone)
"""Those of them that the oracle knows, and that merging cannot break: all rows as one class say what is hopeless."""
COSTS = discover(shoal.costs, Cost)
SUPPRESSED = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)]
"""Shares of the rows that full-domain recoding may publish as stars."""
ONE_TABLE = tuple(name for name, kind in recodings().items() if not kind.two_tables)
"""The recodings in which a class is the rows with equal cells."""
CLASS_BY_CLASS = tuple(name for name in ONE_TABLE if not recodings()[name].alike_in_all)
"""Those of them in which each class has its own cells."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of column: its type, the values it is drawn from, its tree, and a renaming that keeps their order."""

    dtype: pl.DataType | type[pl.DataType]
    pool: tuple[Value, ...]
    rename: Callable[[Any], Any]
    tree: Tree = field(default_factory=dict)

    @property
    def order(self) -> tuple[str, ...]:
        """The categories of an Enum."""
        return tuple(self.dtype.categories) if isinstance(self.dtype, pl.Enum) else ()

    @cached_property
    def builder(self) -> Builder:
        """The tree as a hierarchy."""
        leaves = [(str(leaf), *labels) for leaf, labels in self.tree.items()]
        return Taxonomy(leaves) if leaves else StarsOnly()

    def renamed(self) -> Kind:
        """The same column under other names, or on another scale."""
        dtype = pl.Enum([self.rename(category) for category in self.order]) if self.order else self.dtype
        tree = {self.rename(leaf): labels for leaf, labels in self.tree.items()}
        return Kind(dtype, tuple(map(self.rename, self.pool)), self.rename, tree)


def _ranked(*texts: str) -> Callable[[str], str]:
    names = {text: f"value {rank}" for rank, text in enumerate(sorted(texts))}
    return lambda text: names[text]


def _scaled(number: Any) -> Any:
    return 2 * number + 10


def _later(day: Any) -> Any:
    return day + timedelta(days=1000)


ODD = ("", "*", "\\*", "a, b", "x | missing", "{a, b}", '"', "[1, 2]")
AREAS: Tree = {"e": ("east",), "f": ("east",), "v": ("west",), "w": ("west",)}
SIZES: Tree = {1: ("few", "some"), 2: ("few", "some"), 4: ("several", "some"), 9: ("lots", "many")}
ORGANS: Tree = {"asthma": ("lung",), "cold": ("lung",), "gout": ("foot",), "wart": ("foot",)}
LEVELS = ("low", "middle", "high")
ODD_LEVELS = ("a", "a, b", "b, c", "c", "a | missing")

QUASI = {
    "number": Kind(pl.Int64, (1, 2, 4, 9), _scaled, SIZES),
    "decimal": Kind(pl.Float64, (-1.5, 0.25, 8.0), _scaled),
    "text": Kind(pl.String, ("e", "f", "v"), _ranked(*map(str, AREAS)), AREAS),
    "odd text": Kind(pl.String, ODD, _ranked(*ODD)),
    "day": Kind(pl.Date, (date(1999, 12, 31), date(2000, 1, 1), date(2024, 2, 29)), _later),
    "moment": Kind(pl.Datetime("us"), (datetime(2000, 1, 1, 12), datetime(2000, 1, 1, 13)), _later),
    "truth": Kind(pl.Boolean, (False, True), bool),
    "category": Kind(pl.Enum(LEVELS), LEVELS, "next {}".format),
}
ODD_CATEGORIES = Kind(pl.Enum(ODD_LEVELS), ODD_LEVELS, "next {}".format)
SENSITIVE = {
    "illness": Kind(pl.String, ("asthma", "cold", "gout"), _ranked(*map(str, ORGANS)), ORGANS),
    "salary": Kind(pl.Int64, (1, 2, 5, 10), _scaled),
}
SECRET = SENSITIVE | {"guard": Kind(pl.String, ("asthma", "cold", "gout", "lung", "foot", "*"), str)}
"""Sensitive columns, and that of guarding nodes."""
NEARNESS = Metric.of(["asthma", "cold", "gout"], [[0, "1/4", 1], ["1/4", 0, "3/4"], [1, "3/4", 0]], "nearness")


@dataclass(frozen=True, eq=False)
class Case:
    """A table, its roles, and what is asked of it. Columns are called as their kind, quasi-identifiers first."""

    kinds: Mapping[str, Kind]
    columns: Mapping[str, Sequence[Value]]
    models: tuple[Model, ...]
    recoding: str = "suppress"
    cost: str | None = None
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    max_dropped: Fraction = Fraction(0)
    max_suppressed: Fraction = Fraction(0)
    population: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """The quasi-identifiers of the people whom the table may be about; none where no model compares with them."""
    column_recodings: Mapping[str, str] = field(default_factory=dict)
    """How columns are shown in a mixed release, where that is asked for."""

    def __repr__(self) -> str:
        asked = f"{self.require!r}, {self.recoding}, cost {self.cost}, weights {dict(self.weights)}"
        gone = f"max_dropped {self.max_dropped}, max_suppressed {self.max_suppressed}"
        people = f", population {dict(self.population)}" if self.population else ""
        mixed = f", column_recodings {dict(self.column_recodings)}" if self.column_recodings else ""
        return f"Case({dict(self.columns)}, {asked}, {gone}{people}{mixed})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @property
    def require(self) -> str:
        """The requirement in words."""
        return str(Models(self.models))

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(name for name in self.columns if name not in SECRET)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes."""
        return tuple(name for name in self.columns if name in SECRET)

    @property
    def rows(self) -> list[dict[str, Value]]:
        """The table, row by row."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The table as a frame."""
        return pl.DataFrame([pl.Series(name, self.columns[name], self.kinds[name].dtype) for name in self.columns])

    @property
    def builders(self) -> dict[str, Builder]:
        """A hierarchy for every quasi-identifier, and for the sensitive attributes that have a tree."""
        return {name: self.kinds[name].builder for name in self.columns if self.kinds[name].tree or name in self.quasi}

    @property
    def microdata(self) -> Microdata:
        """The table as codes, made once for all that is asked of it."""
        ordered = tuple(model for model in self.models if model.ordered_attributes)
        return _encoded(tuple(self.kinds.items()), _frozen(self.columns), ordered, _frozen(self.population))

    @cached_property
    def people(self) -> pl.DataFrame | None:
        """The population as a frame; None where there is none."""
        kinds = self.kinds
        series = [pl.Series(name, column, kinds[name].dtype) for name, column in self.population.items()]
        return pl.DataFrame(series) if series else None

    @cached_property
    def problem(self) -> Problem:
        """The case as shoal sees it."""
        return make_problem(
            self.microdata,
            Models(self.models),
            recoding=self.recoding,
            cost=self.cost,
            weights=cast("Mapping[str, Any]", self.weights),
            max_dropped=self.max_dropped,
            max_suppressed=self.max_suppressed,
            recodings=self.column_recodings,
        )

    @cached_property
    def oracle(self) -> OracleProblem:
        """The case as the oracle sees it."""
        return OracleProblem(
            rows=self.rows,
            quasi=tuple(self._column(name) for name in self.quasi),
            sensitive=self.sensitive,
            asked=tuple(self.asked(model) for model in self.models),
            recoding=self.recoding,
            k=max((int(model.rule_numbers[0]) for model in self.models if model.rule is Rule.ROWS), default=1),
            may_drop=int(self.max_dropped * len(self.rows)),
            may_suppress=int(self.max_suppressed * len(self.rows)),
            population=[
                dict(zip(self.population, row, strict=True)) for row in zip(*self.population.values(), strict=True)
            ],
        )

    def _column(self, name: str) -> Column:
        kind = self.kinds[name]
        weight = self.weights.get(name, Fraction(1))
        domain = frozenset([*self.columns[name], *self.population.get(name, ())])
        orderly = domain == {None} and kind.dtype not in (pl.String, pl.Boolean)
        unknown = oracle.MIXED.get(self.recoding, "") if orderly else ""
        shown = self.column_recodings.get(name, unknown)  # what has no value has no order that the oracle could see
        return Column(name, domain, kind.tree, weight, kind.order, shown)

    @property
    def trees(self) -> dict[str, Builder]:
        """The hierarchies that an auditor reads: of sensitive attributes, and of columns shown as blocks of theirs."""
        along = {column.name for column in self.oracle.quasi if column.recoded(self.recoding) in oracle.ALONG_TREES}
        return {name: builder for name, builder in self.builders.items() if name in along or name in self.sensitive}

    def asked(self, model: Model) -> Asked:
        """A model as the oracle reads it."""
        distance = getattr(model, "distance", "auto")
        if isinstance(distance, str) and is_combined(distance):
            return self._jointly(model, distance)
        if distance == "auto" and set(model.attributes) & set(Models(self.models).in_order):
            distance = "ordered"  # the words have an order for this release
        if isinstance(distance, Metric):
            distance = {(a, b): distance.between(a, b) for a in distance.labels for b in distance.labels}
        single = self.kinds[model.attributes[0]].tree if len(model.attributes) == 1 else {}
        return Asked(model.name, model.asked, model.attributes, model.given, distance, single or None)

    def _jointly(self, model: Model, distance: str) -> Asked:
        """A model with a distance between combinations, with a word for each attribute."""
        ordered, how = Models(self.models).in_order, distance.split(":", maxsplit=1)[0]
        named = attribute_distances(distance, len(model.attributes))
        words = [
            "ordered" if word == "auto" and name in ordered else word
            for name, word in zip(model.attributes, named, strict=True)
        ]
        trees = tuple(self.kinds[name].tree or None for name in model.attributes)
        return Asked(model.name, model.asked, model.attributes, model.given, ":".join([how, *words]), trees=trees)

    def taken(self, rows: Sequence[int]) -> Case:
        """The same rows in another order, or some of them."""
        return replace(self, columns={name: [column[row] for row in rows] for name, column in self.columns.items()})

    def renamed(self) -> Case:
        """The same table under other names of the values, or on another scale, in the same order."""
        columns = {
            name: [None if value is None else self.kinds[name].rename(value) for value in column]
            for name, column in self.columns.items()
        }
        kinds = {name: kind.renamed() for name, kind in self.kinds.items()}
        return replace(self, kinds=kinds, columns=columns, models=tuple(map(_renamed_metric, self.models)))


Frozen: TypeAlias = tuple[tuple[str, tuple[Value, ...]], ...]


def _frozen(columns: Mapping[str, Sequence[Value]]) -> Frozen:
    return tuple((name, tuple(column)) for name, column in columns.items())


@lru_cache(maxsize=32)
def _encoded(
    kinds: tuple[tuple[str, Kind], ...], columns: Frozen, models: tuple[Model, ...], population: Frozen
) -> Microdata:
    case = Case(dict(kinds), dict(columns), models, population=dict(population))
    roles = Roles.of(case.columns, quasi=case.quasi, sensitive=case.sensitive)
    people = None if case.people is None else Table.of(case.people)
    table = Table(tidy(case.frame))
    ordered = read_as_asked(table, order=wanted_orders(table, Models(models), case.builders)[0])
    return encode(ordered, roles, case.builders, people)


def _renamed_metric(model: Model) -> Model:
    distance = getattr(model, "distance", None)
    if not isinstance(distance, Metric):
        return model
    labels = tuple(map(SENSITIVE["illness"].rename, distance.labels))
    return replace(cast(Any, model), distance=replace(distance, labels=labels))  # type: ignore[no-any-return]


def case_of(columns: Mapping[str, Sequence[Value]], require: str, **more: Any) -> Case:
    """The case of some columns, called as their kind."""
    kinds = {name: (QUASI | SECRET)[name] for name in columns}
    return Case(kinds, columns, parse_requirement(require, {NEARNESS.source: NEARNESS}).all, **more)


# --- drawing ---------------------------------------------------------------------------------------------------------


def numbers(parameter: Number) -> st.SearchStrategy[str]:
    """What a declared parameter may be, from its minimum up to a little more."""
    low = Fraction(parameter.minimum if parameter.minimum is not None else 0)
    high = low + 3 if parameter.maximum is None else Fraction(parameter.maximum)
    if parameter.whole:
        return st.integers(int(low) + parameter.above, int(high)).map(str)
    shares = st.fractions(low, high, max_denominator=6)
    return (shares.filter(lambda share: share > low) if parameter.above else shares).map(str)


@st.composite
def models(draw: st.DrawFn, kind: type[Model], columns: Mapping[str, Sequence[Value]]) -> Model:
    """A model of this kind with any parameters, reading any of the sensitive columns in any way."""
    drawn = [draw(numbers(parameter)) for parameter in kind.parameters]
    if not kind.reads_attribute:
        return kind.parse((), (), None, drawn)
    names = [name for name in columns if name in SENSITIVE and kind.applies_to(pl.Series(columns[name]))]
    assume(names)
    anything = kind.applies_to(pl.Series(["text"]))
    attributes = tuple(draw(st.permutations(names)))[: draw(st.sampled_from([1, 1, 1, 2] if anything else [1]))]
    others = [name for name in names if name not in attributes]
    given = tuple(others[: draw(st.sampled_from([0, 0, 0, 1]))])
    takes_distance = any(one.name == "distance" for one in fields(cast(Any, kind)))
    option = draw(st.sampled_from(_distances(attributes, columns))) if takes_distance else None
    return kind.parse(attributes, given, option, drawn)


def _distances(attributes: tuple[str, ...], columns: Mapping[str, Sequence[Value]]) -> list[str | Metric | None]:
    """The distances that the values of an attribute have."""
    if len(attributes) > 1:
        each = [_distances((name,), columns) for name in attributes]
        words = [[word for word in one if isinstance(word, str)][-1] for one in each]
        return [None, "equal", *COMBINED, ":".join([SUM, *words]), ":".join([MAXIMUM, *["equal"] * len(attributes)])]
    complete = None not in columns[attributes[0]]
    if attributes[0] == "illness":
        return [None, "equal", "ordered", "hierarchy", *([NEARNESS] if complete else [])]
    return [None, "equal", "ordered", *(["numeric"] if complete else [])]


@st.composite
def tables(
    draw: st.DrawFn, max_rows: int, quasi: Sequence[str] = tuple(QUASI), most_quasi: int = 3
) -> dict[str, list[Value]]:
    """Columns of some kinds, with repeated rows, missing values and constant columns."""
    chosen = draw(st.lists(st.sampled_from(list(quasi)), min_size=1, max_size=most_quasi, unique=True))
    sensitive = draw(st.sampled_from([["illness"], ["salary"], ["illness", "salary"]]))
    pools = [draw(_pools((QUASI | SENSITIVE)[name].pool)) for name in (*chosen, *sensitive)]
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=1, max_size=max_rows))
    return {name: [cast(Value, row[place]) for row in rows] for place, name in enumerate((*chosen, *sensitive))}


def _pools(pool: Sequence[Value]) -> st.SearchStrategy[list[Value]]:
    """One to three values of a pool, the missing value among them now and then."""
    some = st.lists(st.sampled_from(list(pool)), min_size=1, max_size=3, unique=True)
    return st.tuples(some, st.sampled_from([[], [], [None]])).map(lambda parts: [*parts[0], *parts[1]])


@st.composite
def requirements(
    draw: st.DrawFn, columns: Mapping[str, Sequence[Value]], kinds: Sequence[type[Model]] = KNOWN_MODELS
) -> tuple[Model, ...]:
    """One to three models."""
    wanted = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=3))
    return tuple(dict.fromkeys(draw(models(kind, columns)) for kind in wanted))


@st.composite
def cases(
    draw: st.DrawFn,
    max_rows: int = 6,
    recodings: Sequence[str] = tuple(recodings()),
    kinds: Sequence[type[Model]] = KNOWN_MODELS,
    costs: Sequence[str] | None = None,
    dropped: Sequence[Fraction] = (Fraction(0), Fraction(0), Fraction(1, 4), Fraction(1, 2)),
) -> Case:
    """Any small case: columns of every kind, models of these kinds, a cost that fits, weights, rows that may go.

    Two tables can meet models of sensitive values only; where none of these kinds is one, l-diversity stands in.
    """
    columns = draw(tables(max_rows))
    recoding = draw(st.sampled_from(list(recodings)))
    if recoding not in ONE_TABLE:
        kinds = [kind for kind in kinds if kind.speaks_of_groups()] or [MODELS["l"]]
    fitting = [n for n, cost in COSTS.items() if recoding in cost.recodings() and n in (costs or oracle.COSTS)]
    cost = draw(st.one_of(st.none(), st.sampled_from(fitting)) if costs is None else st.sampled_from(fitting))
    quasi = [name for name in columns if name not in SENSITIVE]
    weighable = COSTS[cost or default_cost(recoding_named(recoding), weighted=True)].takes_weights
    weights = st.dictionaries(st.sampled_from(quasi), st.sampled_from([Fraction(1, 2), Fraction(3)]))
    return Case(
        kinds={name: (QUASI | SENSITIVE)[name] for name in columns},
        columns=columns,
        models=draw(requirements(columns, kinds)),
        recoding=recoding,
        cost=cost,
        weights=draw(weights) if weighable else {},
        max_dropped=draw(st.sampled_from(list(dropped))),
        max_suppressed=draw(st.sampled_from(SUPPRESSED)) if recoding == "full-domain" else Fraction(0),
        column_recodings=draw(column_recodings(recoding, quasi)),
    )


def column_recodings(recoding: str, quasi: Sequence[str]) -> st.SearchStrategy[dict[str, str]]:
    """Any recodings of some columns of a mixed release; with centroids, one column has them."""
    if recoding not in oracle.MIXED:
        return st.just({})
    some = st.dictionaries(st.sampled_from(list(quasi)), st.sampled_from(["suppress", "generalize", "range"]))
    if recoding == "mixed":
        return some
    one = st.sampled_from(list(quasi)).map(lambda name: {name: "centroid"})
    return st.tuples(some, one).map(lambda pair: pair[0] | pair[1])


PLAIN = ("number", "decimal", "text", "day", "truth", "category")
"""Kinds of columns of which no value reads like a range or a set."""


@st.composite
def whole_cases(draw: st.DrawFn, max_rows: int, model: str, recodings: Sequence[str]) -> Case:
    """A small case that asks for a model which speaks of all classes of a release, with or without k.

    The population holds the rows of the table, and some people more; now and then it does not.
    """
    columns = draw(tables(max_rows, PLAIN, 2))
    columns = {name: column for name, column in columns.items() if name in QUASI or name == "illness"}
    if "illness" not in columns:
        rows = len(next(iter(columns.values())))
        columns["illness"] = draw(st.lists(st.sampled_from(["asthma", "cold"]), min_size=rows, max_size=rows))
    quasi = [name for name in columns if name in QUASI]
    people: dict[str, list[Value]] = {}
    if model == "presence":
        more = st.tuples(*(st.sampled_from([*dict.fromkeys(columns[name]), QUASI[name].pool[0]]) for name in quasi))
        known = list(zip(*(columns[name] for name in quasi), strict=True))[draw(st.sampled_from([0, 0, 0, 1])) :]
        rows_of = [*known, *draw(st.lists(more, min_size=1, max_size=4))]
        people = {name: [cast(Value, row[place]) for row in rows_of] for place, name in enumerate(quasi)}
    shares = st.sampled_from(
        [Fraction(0), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4)]
    )
    sure, few = draw(st.sampled_from(["1/2", "2/3", "3/4", "1"])), st.integers(0, 1)
    numbers_asked = {
        "presence": f"presence=({draw(st.sampled_from(['0', '0', '0', '1/5', '1/3']))},{draw(shares)})",
        "nt": f"nt(illness:equal)=({draw(st.integers(1, max_rows))},{draw(shares)})",
        "average-t": f"average-t(illness:{draw(st.sampled_from(['equal', 'hierarchy']))})={draw(shares)}",
        "ck": f"ck(illness)=({sure},{draw(st.integers(0, 2))})",
        "skyline": f"skyline(illness)=({draw(few)},{draw(few)},{draw(few)},{sure})",
    }[model]
    beside = draw(st.sampled_from(["", "", "k=2 "]))
    recoding = draw(st.sampled_from(list(recodings)))
    return Case(
        kinds={name: (QUASI | SENSITIVE)[name] for name in columns},
        columns=columns,
        models=parse_requirement(beside + numbers_asked).all,
        recoding=recoding,
        max_dropped=draw(st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 3)])),
        max_suppressed=draw(st.sampled_from(SUPPRESSED)) if recoding == "full-domain" else Fraction(0),
        population=people,
        column_recodings=draw(column_recodings(recoding, quasi)),
    )
