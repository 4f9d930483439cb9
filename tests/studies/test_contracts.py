"""The public laws: they hold of everything that discovery finds, and a class that breaks one is named."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from tests.strategies import COSTS, MODELS

from shoal.core.arrays import Bools, Ints
from shoal.core.discovery import discover
from shoal.core.errors import Unsupported
from shoal.costs import Cost
from shoal.costs.stars import Stars
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.l_diversity.anatomy import Anatomy
from shoal.microdata.histogram import Classes
from shoal.microdata.microdata import Microdata
from shoal.microdata.partition import Partition
from shoal.models import KAnonymity, Model, NTCloseness
from shoal.problem import Problem, Solution
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells, Groups
from shoal.recoding.recode import Published, recodings
from shoal.recoding.suppress import Suppress
from shoal.studies.contracts import check_cost, check_method, check_model, check_reader, check_recoding
from shoal.tables import readers
from shoal.tables.columns import Held
from shoal.tables.readers.base import Contents, Reader, ReadOptions
from shoal.tables.readers.csv import Csv

READERS = discover(readers, Reader)
BY_CLASS = [
    kind
    for kind in MODELS.values()
    if not (kind.needs_cells or kind.of_release or kind.needs_population or kind.needs_guards)
]


@pytest.mark.parametrize("kind", BY_CLASS, ids=lambda kind: kind.name)
def test_the_laws_hold_of_every_model(kind: type[Model]) -> None:
    check_model(kind, tables=3)


@pytest.mark.parametrize("kind", COSTS.values(), ids=COSTS)
def test_the_laws_hold_of_every_cost(kind: type[Cost]) -> None:
    check_cost(kind, tables=2)


@pytest.mark.parametrize("kind", recodings().values(), ids=recodings())
def test_the_laws_hold_of_every_recoding(kind: type[Recoding]) -> None:
    check_recoding(kind, tables=4)


@pytest.mark.parametrize("kind", [Mondrian, Anatomy], ids=lambda kind: kind.name)
def test_the_laws_hold_of_methods(kind: type[Method]) -> None:
    check_method(kind, tables=2)


@pytest.mark.parametrize("kind", READERS.values(), ids=READERS)
def test_the_laws_hold_of_every_reader(kind: type[Reader]) -> None:
    check_reader(kind, tables=8)


def test_a_model_that_needs_all_classes_is_refused() -> None:
    with pytest.raises(Unsupported, match="nt is not decided class by class"):
        check_model(NTCloseness)


@dataclass(frozen=True)
class FewRows(KAnonymity):
    """Admits small classes, and says it is monotone."""

    name: ClassVar[str] = "few"

    def admits(self, classes: Classes) -> Bools:
        return np.less_equal(classes.sizes, int(self.limit))


class Refund(Stars):
    """A star costs less than nothing."""

    name: ClassVar[str] = "refund"

    def of(self, published: Published) -> float:
        return -1 - super().of(published)


class First(Suppress):
    """Publishes the value of the first row of a group for all of it."""

    name: ClassVar[str] = "first"

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        one = Groups(groups.order[groups.starts[:-1]], np.arange(len(groups.starts)))
        return super().column(microdata, index, one)


class Alone(Mondrian):
    """Publishes every row as it is."""

    name: ClassVar[str] = "alone"

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        rows: Ints = np.arange(problem.rows)
        return self.solution(problem, Partition(rows), "feasible")


class Emptied(Csv):
    """Takes an empty text for a missing value."""

    name: ClassVar[str] = "emptied"

    def read(self, path: Path, options: ReadOptions) -> Contents:
        frame = super().read(path, options).columns.frame()
        return Contents(Held(frame.with_columns(pl.col(pl.String).replace("", None))))


def test_a_class_that_breaks_a_law_is_named_with_the_law() -> None:
    with pytest.raises(AssertionError, match="FewRows: few="):
        check_model(FewRows)
    with pytest.raises(AssertionError, match="Refund: no release costs less than 0"):
        check_cost(Refund)
    with pytest.raises(AssertionError, match=r"First: (a cell covers every value|the order of rows changes no cell)"):
        check_recoding(First)
    with pytest.raises(AssertionError, match="Alone: the audit confirms the release"):
        check_method(Alone)
    with pytest.raises(AssertionError, match="Emptied: a table that is written reads back with its values and types"):
        check_reader(Emptied)
