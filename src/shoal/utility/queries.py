"""The error of counting queries answered from a release instead of the original (after Xiao and Tao 2006).

A query counts the rows whose quasi-identifiers and sensitive value lie in ranges or sets. From a release it is
estimated: a row counts with the share of its cells that the query covers, a cell taken as spread evenly over the
original column's values that it covers; in two tables, with the share of its group's sensitive values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Ints
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.core.sorting import distinct_rows
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import is_ordered
from shoal.tables.table import TableLike
from shoal.utility.spreads import Spread, spreads

QUERIES = Number("queries", "how many queries", 1, whole=True)
ATTRIBUTES = Number("attributes", "how many quasi-identifiers a query restricts", 1, whole=True)
SELECTIVITY = Number("selectivity", "share of rows a query finds if columns are independent", 0, 1, above=True)
SEED = Number("seed", "random seed", 0, whole=True)
TRIES = 50
"""How often a query is drawn again that finds no row of the original."""


@dataclass(frozen=True)
class QueryError:
    """How wrong the answers are: |estimate - count| / count over all queries, which each find a row or more."""

    queries: int
    mean: float
    median: float
    worst_tenth: float
    """One query in ten is at least so wrong."""


def query_error(
    release: Release | str | Path,
    original: TableLike,
    *,
    queries: int = 1000,
    attributes: int = 2,
    selectivity: Numeral = 0.05,
    seed: int = 0,
) -> QueryError:
    """Answer random counting queries from a release, in memory or a folder, and compare with the original.

    A query restricts so many quasi-identifiers and, where there are any, one sensitive column; each to a range of an
    ordered column's values, or to a set of another's, of the size that makes all together find about `selectivity` of
    the rows. The same seed gives the same queries of one original, whatever release they are asked of.

    >>> import shoal
    >>> people = {"age": [20, 30, 40, 50], "ill": ["flu", "gout", "flu", "gout"]}
    >>> made = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require="l(ill)=2", recoding="anatomy")
    >>> query_error(made, people, attributes=1).median
    0.5
    """
    shown = Shown.of(release)
    columns = spreads(shown, shown.as_read(original).frame)
    return asked_queries(shown, columns, queries=queries, attributes=attributes, selectivity=selectivity, seed=seed)


def asked_queries(
    shown: Shown,
    columns: Mapping[str, Spread],
    *,
    queries: int,
    attributes: int = 2,
    selectivity: Numeral = 0.05,
    seed: int = 0,
) -> QueryError:
    """Ask the queries of columns that are read already."""
    number = int(QUERIES.read(queries, "query_error"))
    few = min(int(ATTRIBUTES.read(attributes, "query_error")), len(shown.quasi))
    share = float(SELECTIVITY.read(selectivity, "query_error"))
    drawn = _drawn(shown, columns, few, share, np.random.default_rng(int(SEED.read(seed, "query_error"))))
    answers, errors = Answers(columns), []
    for _, query in zip(range(TRIES * number), drawn, strict=False):
        truth = answers.count(query)
        if truth:
            errors.append(abs(answers.estimate(query) - truth) / truth)
        if len(errors) == number:
            break
    if not errors:
        raise ParameterError("no query finds a row of the original", hint="ask for a larger selectivity")
    return QueryError(len(errors), float(np.mean(errors)), float(np.median(errors)), float(np.quantile(errors, 0.9)))


Query = Mapping[str, Bools]
"""For each restricted column, which of its distinct values are asked for."""


class Answers:
    """Answers queries from the original and from the release; rows alike in all columns are counted once."""

    def __init__(self, columns: Mapping[str, Spread]) -> None:
        self.columns = columns
        self.held, self.rows = _distinct({name: one.codes for name, one in columns.items()})
        self.shown, self.published = _distinct({name: one.of_row for name, one in columns.items()})

    def count(self, query: Query) -> int:
        """Count the rows of the original that a query finds."""
        found = np.logical_and.reduce([asked[self.held[name]] for name, asked in query.items()])
        return int(self.rows[found].sum())

    def estimate(self, query: Query) -> float:
        """Add up over the published rows with which share each is found."""
        found = [self.columns[name].shares(asked)[self.shown[name]] for name, asked in query.items()]
        return float((np.multiply.reduce(found) * self.published).sum())


def _distinct(columns: Mapping[str, Ints]) -> tuple[dict[str, Ints], Ints]:
    """Return the rows that differ, column by column, and how many are equal to each."""
    codes = list(columns.values())
    _, first, counts = distinct_rows(codes, [int(one.max()) + 1 for one in codes])
    return {name: one[first] for name, one in columns.items()}, counts


def _drawn(
    shown: Shown, columns: Mapping[str, Spread], attributes: int, selectivity: float, rng: np.random.Generator
) -> Iterator[Query]:
    """Draw queries without end."""
    while True:
        names = [shown.quasi[place] for place in rng.permutation(len(shown.quasi))[:attributes]]
        names += [shown.sensitive[int(rng.integers(len(shown.sensitive)))]] if shown.sensitive else []
        yield {name: _asked(columns[name].values, selectivity ** (1 / len(names)), rng) for name in names}


def _asked(values: pl.Series, share: float, rng: np.random.Generator) -> Bools:
    """Draw a range of an ordered column, a set of another, that has about a share of the values."""
    number = max(1, round(share * len(values)))
    asked = np.zeros(len(values), dtype=bool)
    if is_ordered(values):
        start = int(rng.integers(len(values) - number + 1))
        asked[start : start + number] = True
    else:
        asked[rng.permutation(len(values))[:number]] = True
    return asked
