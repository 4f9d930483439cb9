"""Random small tables, and what is asked of them: all from a number, so that any of them can be drawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from random import Random
from typing import Any, cast

import polars as pl
from tests import oracle
from tests.campaign.definitions import ESTIMATES
from tests.campaign.encoding import HOME, KINDS, quickly_encoded
from tests.oracle import Value
from tests.strategies import COSTS, NEARNESS, QUASI, SECRET, SENSITIVE, SUPPRESSED, Case, _distances

import shoal.models
from shoal.core.discovery import discover
from shoal.core.errors import ShoalError
from shoal.core.parameters import Number
from shoal.microdata.microdata import Microdata, encode
from shoal.models import Model, Models
from shoal.models.orders import read_as_asked, wanted_orders
from shoal.models.requirement import parse_requirement
from shoal.problem import default_cost
from shoal.recoding.recode import recoding_named
from shoal.tables.column_types import tidy
from shoal.tables.roles import Roles
from shoal.tables.table import Table

MODELS = {name: kind for name, kind in discover(shoal.models, Model).items() if name not in ESTIMATES}
MOST_ROWS, MANY_ROWS = 8, 18
FEW_ROWS = (1, *range(2, MOST_ROWS + 1), *range(2, MOST_ROWS + 1))
"""How many rows most tables have; one row alone is drawn less often."""
DROPPED = (Fraction(0), Fraction(0), Fraction(0), Fraction(1, 4), Fraction(1, 2))
"""Shares of the rows that may be dropped."""
FEW = {"ck": 5, "skyline": 4, "presence": 4, "nt": 6}
"""Rows up to which the oracle decides a model by trying everything."""


@dataclass(frozen=True, eq=False, repr=False)
class Trial(Case):
    """A case whose rows may be of households, and whose table is encoded quickly."""

    homes: Sequence[int] = ()

    @cached_property
    def microdata(self) -> Microdata:
        """The table as codes."""
        return quickly_encoded(self.columns, Models(self.models).in_order, self.population, self._homes)

    @property
    def _homes(self) -> Sequence[int] | None:
        """The households of the rows where a model asks for them."""
        return self.homes if any(model.needs_households for model in self.models) else None

    def encoded_by_shoal(self) -> Microdata:
        """The table as codes, by shoal's own way from a frame."""
        frame = self.frame if self._homes is None else self.frame.with_columns(pl.Series(HOME, self._homes))
        roles = Roles.of(frame.columns, quasi=self.quasi, sensitive=self.sensitive)
        table = Table(tidy(frame))
        table = read_as_asked(table, order=wanted_orders(table, Models(self.models), self.builders)[0])
        people = None if self.people is None else Table.of(self.people)
        return encode(table, roles, self.builders, people, household=None if self._homes is None else HOME)

    @cached_property
    def rows(self) -> list[dict[str, Value]]:
        """The table, row by row."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def taken(self, rows: Sequence[int]) -> Trial:
        """Some of the rows."""
        homes = [self.homes[row] for row in rows] if self.homes else ()
        return replace(cast(Trial, super().taken(rows)), homes=homes)

    def without_column(self, name: str) -> Trial:
        """The same without a quasi-identifier."""
        columns = {other: column for other, column in self.columns.items() if other != name}
        people = {other: column for other, column in self.population.items() if other != name}
        weights = {other: weight for other, weight in self.weights.items() if other != name}
        kinds = {other: kind for other, kind in self.kinds.items() if other != name}
        shown = {other: recoding for other, recoding in self.column_recodings.items() if other != name}
        fewer = replace(self, columns=columns, kinds=kinds, population=people, weights=weights)
        return replace(fewer, column_recodings=shown)

    def as_data(self) -> dict[str, Any]:
        """What a ledger keeps of it; `trial_of` reads it."""
        data: dict[str, Any] = {
            "columns": {name: [_written(value) for value in column] for name, column in self.columns.items()},
            "require": self.require,
            "recoding": self.recoding,
        }
        for name in ("cost", "weights", "max_dropped", "max_suppressed", "population", "homes", "column_recodings"):
            value = getattr(self, name)
            if isinstance(value, Mapping):
                value = {key: [_written(v) for v in x] if isinstance(x, list) else str(x) for key, x in value.items()}
            if value:
                data[name] = str(value) if isinstance(value, Fraction) else value
        return data


def _written(value: Value) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def trial_of(data: Mapping[str, Any]) -> Trial:
    """Return the trial that a ledger keeps."""
    kinds = {name: KINDS[name] for name in data["columns"]}

    def read(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Value]]:
        known = {name: {_written(value): value for value in kinds[name].pool} for name in columns}
        return {name: [known[name].get(value, value) for value in column] for name, column in columns.items()}

    return Trial(
        kinds=kinds,
        columns=read(data["columns"]),
        models=parse_requirement(data["require"], {NEARNESS.source: NEARNESS}).all,
        recoding=data["recoding"],
        cost=data.get("cost"),
        weights={name: Fraction(weight) for name, weight in data.get("weights", {}).items()},
        max_dropped=Fraction(data.get("max_dropped", 0)),
        max_suppressed=Fraction(data.get("max_suppressed", 0)),
        population=read(data.get("population", {})),
        homes=data.get("homes", ()),
        column_recodings=data.get("column_recodings", {}),
    )


# --- drawing ---------------------------------------------------------------------------------------------------------


class Drawn:
    """The table of a number, and the random draws that go on from there."""

    def __init__(self, seed: object) -> None:
        self.random = Random(seed if isinstance(seed, int) else str(seed))
        self.columns = _table(self.random)
        rows = len(next(iter(self.columns.values())))
        self.homes = [self.random.randrange(1, 4) for _ in range(rows)]
        self.guards = [_guard(self.random, value) for value in self.columns.get("illness", [None] * rows)]

    def asked(self, recoding: str, names: Sequence[str]) -> Trial | None:
        """Draw what is asked of the table: these models, those that read nothing there left out; None if none is left.

        Parameters, what the models read, cost, weights and what may be dropped are drawn.
        """
        random, columns = self.random, self.columns
        models = [_model(random, MODELS[name], columns) for name in names]
        found = tuple(dict.fromkeys(model for model in models if model is not None))
        if not found:
            return None
        if any(model.needs_guards for model in found):
            columns = {**columns, "guard": self.guards}
        if any(model.reads_hierarchies for model in found):
            columns = _with_trees(columns)
        most = min((FEW.get(model.name, MANY_ROWS) for model in found), default=MANY_ROWS)
        columns = {name: column[:most] for name, column in columns.items()}
        quasi = [name for name in columns if name in QUASI]
        cost = _cost(random, recoding)
        weighable = COSTS[cost or default_cost(recoding_named(recoding), weighted=True)].takes_weights
        weighed = random.sample(quasi, 1) if weighable and random.random() < 0.15 else []
        return Trial(
            kinds={name: KINDS[name] for name in columns},
            columns=columns,
            models=found,
            recoding=recoding,
            cost=cost,
            weights={name: random.choice((Fraction(1, 2), Fraction(3))) for name in weighed},
            max_dropped=random.choice(DROPPED),
            max_suppressed=random.choice(SUPPRESSED) if recoding == "full-domain" else Fraction(0),
            population=_population(random, columns, quasi) if any(model.needs_population for model in found) else {},
            homes=self.homes[:most],
            column_recodings=_column_recodings(random, recoding, quasi),
        )


def _with_trees(columns: Mapping[str, list[Value]]) -> dict[str, list[Value]]:
    """The columns without the quasi-identifiers whose hierarchies list no values; all, where none lists them."""
    listed = {name for name in columns if name not in QUASI or KINDS[name].tree}
    return {name: column for name, column in columns.items() if name in listed or not listed & {*QUASI}}


def aimed(number: int, recoding: str, model: str) -> Trial | None:
    """Return a trial that asks for one model in one recoding; None where the model has nothing to read.

    Every second one asks for nothing else: the cost is the default one, and no row may be dropped.
    """
    trial = Drawn((number, recoding, model)).asked(recoding, [model])
    if trial is None or number % 2:
        return trial
    return replace(trial, cost=None, weights={}, max_dropped=Fraction(0), max_suppressed=Fraction(0))


def _table(random: Random) -> dict[str, list[Value]]:
    """Columns of some kinds, with repeated rows, missing values and constant columns."""
    quasi = random.sample(list(QUASI), random.choice((1, 2, 2, 3)))
    sensitive = random.choice((["illness"], ["salary"], ["illness", "salary"]))
    rows = random.choice(FEW_ROWS) if random.random() < 0.97 else random.randint(MOST_ROWS, MANY_ROWS)
    columns: dict[str, list[Value]] = {}
    for name in (*quasi, *sensitive):
        pool = KINDS[name].pool
        some = [*random.sample(pool, random.randint(1, min(3, len(pool)))), *([None] if random.random() < 0.25 else [])]
        columns[name] = random.choices(some, k=rows)
    return columns


def _column_recodings(random: Random, recoding: str, quasi: Sequence[str]) -> dict[str, str]:
    """How some columns of a mixed release are shown; with centroids, one of them is one."""
    if recoding not in oracle.MIXED:
        return {}
    some = [name for name in quasi if random.random() < 0.7]
    asked = {name: random.choice(("suppress", "generalize", "range")) for name in some}
    return asked | ({random.choice(quasi): "centroid"} if recoding == "mixed-centroid" else {})


def _guard(random: Random, illness: Value) -> Value:
    """A node that holds a person's illness, or none."""
    above = (illness, *SECRET["illness"].tree[illness], "*") if illness is not None else ("*",)
    return random.choice((*above, None))


def _cost(random: Random, recoding: str) -> str | None:
    if random.random() < 0.6:
        return None
    return random.choice([name for name, cost in COSTS.items() if recoding in cost.recodings()])


def _population(random: Random, columns: Mapping[str, list[Value]], quasi: Sequence[str]) -> dict[str, list[Value]]:
    """The people of the table, and some more; now and then somebody of the table is not among them."""
    known = list(zip(*(columns[name] for name in quasi), strict=True))[random.choice((0, 0, 0, 1)) :]
    pools = [[*dict.fromkeys(columns[name]), QUASI[name].pool[0]] for name in quasi]
    more = [tuple(map(random.choice, pools)) for _ in range(random.randint(1, 4))]
    return {name: [row[place] for row in (*known, *more)] for place, name in enumerate(quasi)}


def _model(random: Random, kind: type[Model], columns: Mapping[str, Sequence[Value]]) -> Model | None:
    """Draw the parameters of a model, and what it reads; None where there is nothing that it can read."""
    numbers = [_number(random, parameter) for parameter in kind.parameters]
    if kind.name == "presence":
        numbers.sort(key=Fraction)
    if not kind.reads_attribute:
        return kind.parse((), (), None, numbers)
    names = [name for name in columns if name in SENSITIVE and _applies(kind, name, frozenset(columns[name]))]
    if kind.needs_guards:
        return kind.parse(("illness",), ("guard",), None, numbers) if "illness" in names else None
    if not names:
        return None
    random.shuffle(names)
    jointly = len(names) > 1 and random.random() < 0.2
    attributes = tuple(names if jointly else names[:1])
    given = tuple(names[len(attributes) :]) if random.random() < 0.15 else ()
    takes_distance = _takes_distance(kind)
    option = random.choice(_distances(attributes, columns)) if takes_distance else None
    try:
        return kind.parse(attributes, given, option, numbers)
    except ShoalError:  # it reads one attribute, or none beside it
        try:
            return kind.parse(attributes[:1], (), None, numbers)
        except ShoalError:
            return None


@lru_cache
def _takes_distance(kind: type[Model]) -> bool:
    return any(one.name == "distance" for one in fields(cast(Any, kind)))


@lru_cache(maxsize=10_000)
def _applies(kind: type[Model], name: str, values: frozenset[Value]) -> bool:
    """Whether a model can read a column of these values."""
    return kind.applies_to(pl.Series(list(values), dtype=None if values == {None} else KINDS[name].dtype))


def _number(random: Random, parameter: Number) -> str:
    """What a declared parameter may be, from its minimum up to a little more."""
    low = Fraction(parameter.minimum if parameter.minimum is not None else 0)
    high = low + 3 if parameter.maximum is None else Fraction(parameter.maximum)
    if parameter.whole:
        return str(random.randint(int(low) + parameter.above, min(int(high), int(low) + 3)))
    parts = random.choice((2, 3, 4, 5, 6))
    return str(low + Fraction(random.randint(1 if parameter.above else 0, int((high - low) * parts)), parts))
