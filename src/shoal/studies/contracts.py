"""The laws of models, costs, recodings, methods and readers, for whoever writes one, each tried on small tables.

The tables are random, with missing values, numbers and texts; the same seed gives the same tables. A law that is broken
raises `AssertionError` that names the class, the law and the table.

>>> from shoal.models import KAnonymity
>>> check_model(KAnonymity, tables=3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.audit import audit
from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.core.parameters import Number, spelled
from shoal.costs import Cost, RowCost
from shoal.methods.base import Method
from shoal.microdata.microdata import Microdata, encode
from shoal.microdata.partition import Partition
from shoal.models import Model, Models
from shoal.models.base import DOUBT
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells, Groups, HierarchyCells
from shoal.recoding.recode import recodings
from shoal.tables.column_types import tidy
from shoal.tables.columns import Columns
from shoal.tables.readers.base import Reader, ReadOptions
from shoal.tables.roles import Roles
from shoal.tables.table import Table
from shoal.tables.writing import write as write_by_suffix

QUASI, SENSITIVE = ("age", "town"), ("illness", "salary")
DOMAINS: dict[str, list[Any]] = {
    "age": [20, 20, 21, 35, None],
    "town": ["Oslo", "Rome", "", "*", None],
    "illness": ["flu", "gout", "hiv"],
    "salary": [1, 2, 3, 10],
}
TABLES = 30
"""Tables that each class is tried on, if not said otherwise."""
ASKED = ("k=2", "k=3", "l(illness)=2", "k=2 distinct-l(salary)=2")
"""What methods are asked for."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A random table, and a class for each of its rows."""

    number: int
    frame: pl.DataFrame
    labels: Ints
    order: Ints
    """The rows in another order."""
    rng: np.random.Generator

    @classmethod
    def some(cls, tables: int, seed: int) -> Iterator[Trial]:
        """Yield so many trials."""
        for number in range(tables):
            rng = np.random.default_rng((seed, number))
            rows = int(rng.integers(2, 10))
            frame = pl.DataFrame(
                {name: [some[i] for i in rng.integers(len(some), size=rows)] for name, some in DOMAINS.items()}
            )
            labels = Partition.of(rng.integers(3, size=rows)).class_of_row
            yield cls(number, frame, labels, rng.permutation(rows), rng)

    @property
    def reordered(self) -> Trial:
        """The same rows in another order."""
        return replace(self, frame=self.frame[self.order], labels=Partition.of(self.labels[self.order]).class_of_row)

    @property
    def microdata(self) -> Microdata:
        """The table as integers."""
        return encode(Table.of(self.frame), Roles.of(self.frame.columns, quasi=QUASI, sensitive=SENSITIVE))

    def problem(self, require: Models | None = None, recoding: str = "suppress") -> Problem:
        """Return the problem of the table."""
        return make_problem(self.microdata, require or parse_requirement("l(illness)=1"), recoding=recoding)

    def expect(self, holds: object, kind: type, law: str) -> None:
        """Raise where a law is broken."""
        if not holds:
            raise AssertionError(f"{kind.__name__}: {law} (table {self.number}: {self.frame.to_dict(as_series=False)})")


def check_model(kind: type[Model], *, tables: int = TABLES, seed: int = 0) -> None:
    """Raise `AssertionError` where a model breaks a law; `Unsupported` for one that needs a population or all cells."""
    if kind.needs_population or kind.needs_households or kind.needs_cells or kind.of_release or kind.needs_guards:
        raise Unsupported(f"{kind.name} is not decided class by class", hint="test it with releases of your own")
    for trial in Trial.some(tables, seed):
        for attribute in SENSITIVE if kind.reads_attribute else ("",):
            if not attribute or kind.applies_to(trial.frame[attribute]):
                numbers = [_number(parameter, trial.rng) for parameter in kind.parameters]
                _check_model(trial, kind.parse((attribute,) if attribute else (), (), None, numbers))


def _number(parameter: Number, rng: np.random.Generator) -> str:
    """Return a number that a parameter takes."""
    low = Fraction(parameter.minimum or 0)
    high = low + 3 if parameter.maximum is None else Fraction(parameter.maximum)
    parts = 1 if parameter.whole else 4
    steps = int((high - low) * parts)
    return spelled(low + Fraction(int(rng.integers(1 if parameter.above else 0, steps + 1)), parts))


def _check_model(trial: Trial, model: Model) -> None:
    kind, problem, labels = type(model), trial.problem(Models((model,))), trial.labels
    number = int(labels.max()) + 1
    classes = problem.candidates(np.arange(len(labels)), labels, number)
    admitted, level, reached = model.admits(classes), model.level(classes), model.reached(classes)
    alone = [_admits(problem, model, np.flatnonzero(labels == label)) for label in range(number)]
    trial.expect(admitted.tolist() == alone, kind, f"{model} decides several classes as it decides each alone")
    enough = classes.sizes[admitted] >= model.least_rows
    trial.expect(enough.all(), kind, f"{model} admits no class of fewer than least_rows rows")
    worst = level.min() if model.larger_is_stricter else level.max()
    trial.expect(np.isclose(reached, worst), kind, f"what {model} says is reached is the level of the worst class")
    other = trial.reordered
    moved = other.problem(Models((model,))).candidates(np.arange(len(labels)), other.labels, number)
    same = sorted(model.admits(moved)) == sorted(admitted)
    trial.expect(same, kind, f"the order of rows changes nothing for {model}")
    if model.monotone:
        _check_monotone(trial, problem, model, admitted, level)


def _check_monotone(trial: Trial, problem: Problem, model: Model, admitted: Bools, level: Floats) -> None:
    limit = float(model.limit)
    clear = np.abs(level - limit) > DOUBT * max(1.0, abs(limit))
    met = level > limit if model.larger_is_stricter else level < limit
    trial.expect((admitted == met)[clear].all(), type(model), f"the level of {model} agrees with its decision")
    union = np.flatnonzero(admitted[trial.labels])
    kept = not len(union) or _admits(problem, model, union)
    trial.expect(kept, type(model), f"{model} is monotone, so the union of admitted classes is admitted")


def _admits(problem: Problem, model: Model, rows: Ints) -> bool:
    """Whether a model admits some rows as one class."""
    return bool(model.admits(problem.candidates(rows, np.zeros(len(rows), dtype=np.int64), 1))[0])


def check_cost(kind: type[Cost], *, tables: int = TABLES, seed: int = 0) -> None:
    """Raise `AssertionError` where a cost breaks a law, in any recoding that it measures."""
    for trial in Trial.some(tables, seed):
        for recoding in kind.recodings():
            problem = replace(trial.problem(recoding=recoding), cost=kind())
            other = replace(trial.reordered.problem(recoding=recoding), cost=kind())
            cost = problem.cost_of(Partition(trial.labels))
            trial.expect(cost >= 0, kind, f"no release costs less than 0 ({recoding})")
            moved = other.cost_of(Partition(trial.reordered.labels))
            trial.expect(abs(cost - moved) <= 1e-9, kind, f"the order of rows changes nothing ({recoding})")
            if issubclass(kind, RowCost):
                whole = problem.cost_of(Partition.whole(problem.rows))
                trial.expect(whole >= cost - 1e-9, kind, f"merging classes never lowers what rows pay ({recoding})")
                as_it_is = problem.cost_of(Partition(problem.microdata.tuple_of_row))
                trial.expect(as_it_is == 0, kind, f"a table published as it is costs its rows nothing ({recoding})")


def check_recoding(kind: type[Recoding], *, tables: int = TABLES, seed: int = 0) -> None:
    """Raise `AssertionError` where the cells of a recoding are not what it declares."""
    for trial in Trial.some(tables, seed):
        microdata, partition = trial.microdata, Partition(trial.labels)
        groups = Groups(partition.order, partition.starts)
        cells = kind().cells(microdata, groups)
        blocks = all(isinstance(one, HierarchyCells) for one in cells)
        trial.expect(blocks == (not kind.no_patterns), kind, "cells are blocks exactly if no_patterns is empty")
        moved = Partition(trial.reordered.labels)
        others = kind().cells(trial.reordered.microdata, Groups(moved.order, moved.starts))
        for one, other in zip(cells, others, strict=True):
            trial.expect(len(one.of_group) == len(partition), kind, "every group has a cell")
            trial.expect(_shown(one) == _shown(other), kind, "the order of rows changes no cell")
            if kind.covers and not kind.two_tables:
                covered = one.covers(one.of_group[trial.labels], one.column.codes)
                trial.expect(covered.all(), kind, "a cell covers every value it hides")


def _shown(cells: Cells) -> list[str]:
    """Return what the groups show, in an order that says nothing."""
    return sorted(str(cells.labels[cell]) for cell in cells.of_group.tolist())


def check_method(kind: type[Method], *, tables: int = TABLES, seed: int = 0) -> None:
    """Raise `AssertionError` where a release is not what was asked, or not the same for the same seed."""
    for trial in Trial.some(tables, seed):
        for recoding, require in product([kind.recoding] if kind.recoding else recodings(), ASKED):
            try:
                problem = trial.problem(parse_requirement(require), recoding)
                found, again = (kind().run(problem, seed=seed) for _ in range(2))
            except (Infeasible, Unsupported):
                continue
            asked = f"({require}, {recoding})"
            confirmed = _is_confirmed(problem, found.partition, require)
            trial.expect(confirmed, kind, f"the audit confirms the release {asked}")
            same = np.array_equal(found.partition.class_of_row, again.partition.class_of_row)
            trial.expect(same, kind, f"the same seed gives the same classes {asked}")
            trial.expect(not found.dropped, kind, f"no row is dropped where none may be {asked}")
            bound = 0.0 if found.lower_bound is None else found.lower_bound
            trial.expect(bound <= found.cost + 1e-9, kind, f"the lower bound is not above the cost {asked}")


def _is_confirmed(problem: Problem, partition: Partition, require: str) -> bool:
    """Whether the audit finds in the published cells what was asked."""
    tables = problem.publish(partition).tables()
    secrets = tables.get("sensitive")
    return audit(tables["table"], quasi=QUASI, sensitive=SENSITIVE, require=require, sensitive_table=secrets).holds


def check_reader(
    kind: type[Reader],
    write: Callable[[pl.DataFrame, Path], None] = write_by_suffix,
    *,
    tables: int = TABLES,
    seed: int = 0,
) -> None:
    """Raise `AssertionError` where a table that is written and read back is another one.

    `write` writes a frame as a file of the format; if it is left out, the writer of the reader's first suffix does.
    """
    reader, unsaid = kind(), ReadOptions()
    for trial in Trial.some(tables, seed):
        meant = tidy(_without_empty(trial.frame) if not kind.empty_strings else trial.frame)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"people{kind.suffixes[0]}"
            write(meant, path)
            _check_columns(trial, kind, reader.read(path, unsaid).columns, meant)
            _check_columns(trial, kind, reader.read_by_disk(path, unsaid).columns, meant)
            written = reader.as_written(path).frame()
            texts = meant.cast(pl.String)
            same = _same(written, meant) or (not kind.typed and _same(written, texts))
            trial.expect(same, kind, "cells are as they were written")
            first = reader.first_rows(path, 2, unsaid)
            trial.expect(first is None or _same(first, meant.head(2)), kind, "the first rows are those of the table")


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame as a format holds it that does not tell an empty string from a missing value."""
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _check_columns(trial: Trial, kind: type[Reader], found: Columns, meant: pl.DataFrame) -> None:
    sized = (found.names, found.rows) == (tuple(meant.columns), meant.height)
    trial.expect(sized, kind, "names of columns and number of rows are those of the table")
    trial.expect(_same(found.frame(), meant), kind, "a table that is written reads back with its values and types")
    one_by_one = pl.DataFrame([found.column(name) for name in found.names])
    trial.expect(_same(one_by_one, meant), kind, "a column is read alone as with the others")


def _same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    return one.schema == other.schema and one.equals(other)
