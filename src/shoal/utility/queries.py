"""The error of counting queries answered from a release instead of the original (after Xiao and Tao 2006).

A query counts the rows whose quasi-identifiers and sensitive value lie in ranges or sets. From a release it is
estimated: a row counts with the share of its cells that the query covers, a cell taken as spread evenly over the
original column's values that it covers; in two tables, with the share of its group's sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Bools, Floats, Ints
from shoal.coverage import ALONG_HIERARCHIES, Reader
from shoal.errors import ParameterError, RoleError
from shoal.hierarchies import as_builder
from shoal.opened import Opened
from shoal.parameters import Number, Numeral
from shoal.release import Release
from shoal.table import STAR, Table, TableLike, cell_text, distinct_sorted, is_ordered, numbered

QUERIES = Number("queries", "how many queries", 1, whole=True)
ATTRIBUTES = Number("attributes", "how many quasi-identifiers a query restricts", 1, whole=True)
SELECTIVITY = Number("selectivity", "share of rows a query finds if columns are independent", 0, 1, above=True)
SEED = Number("seed", "where random choices start", 0, whole=True)
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
    found = _Published.of(release)
    frame = Table.of(original).frame
    _check(found, frame)
    truth = _Truth(frame, found.quasi, found.sensitive)
    estimate = _Estimate(found, truth)
    number = int(QUERIES.read(queries, "query_error"))
    few = min(int(ATTRIBUTES.read(attributes, "query_error")), len(found.quasi))
    share = float(SELECTIVITY.read(selectivity, "query_error"))
    drawn = _drawn(truth, few, share, np.random.default_rng(int(SEED.read(seed, "query_error"))))
    errors = []
    for _, query in zip(range(TRIES * number), drawn, strict=False):
        count = truth.count(query)
        if count:
            errors.append(abs(estimate.count(query) - count) / count)
        if len(errors) == number:
            break
    if not errors:
        raise ParameterError("no query finds a row of the original", hint="ask for a larger selectivity")
    return QueryError(len(errors), float(np.mean(errors)), float(np.median(errors)), float(np.quantile(errors, 0.9)))


Query = Mapping[str, Bools]
"""For each restricted column, which of its distinct values are asked for."""


@dataclass(frozen=True)
class _Published:
    """What is read of a release, from memory or from its folder."""

    tables: Mapping[str, pl.DataFrame]
    codebook: Mapping[str, Any]
    hierarchies: Mapping[str, Any]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]

    @classmethod
    def of(cls, release: Release | str | Path) -> _Published:
        if isinstance(release, Release):
            hierarchies = release.config["hierarchies"]
            stated = release.certificate
            return cls(release.tables, release.codebook, hierarchies, stated.quasi, stated.sensitive)
        opened = Opened.of(Path(release), None)
        stated = opened.certificate
        return cls(opened.tables, opened.codebook, opened.hierarchies, stated.quasi, stated.sensitive)


def _check(found: _Published, frame: pl.DataFrame) -> None:
    missing = [name for name in (*found.quasi, *found.sensitive) if name not in frame.columns]
    if missing:
        raise RoleError(f"the original has no column {missing[0]!r}", hint="is it the table the release was made from?")


class _Truth:
    """The original as numbers: the distinct values of each column in order, and which one each row has."""

    def __init__(self, frame: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        self.quasi, self.sensitive, self.frame = list(quasi), list(sensitive), frame
        self.values = {name: distinct_sorted(frame[name]) for name in (*quasi, *sensitive)}
        self.codes = {name: numbered(frame.select(name), values.to_frame()) for name, values in self.values.items()}

    def count(self, query: Query) -> int:
        """Count the rows that a query finds."""
        return int(np.logical_and.reduce([asked[self.codes[name]] for name, asked in query.items()]).sum())


class _Estimate:
    """A release as shares: how much of each cell, and of each group's sensitive values, a query covers."""

    def __init__(self, found: _Published, truth: _Truth) -> None:
        people, counted = found.tables["table"], found.tables.get("sensitive")
        self.columns: dict[str, tuple[Shares, Ints]] = {}
        for name in found.quasi:
            self.columns[name] = _of_cells(people[name], found, truth.frame[name], truth.values[name])
        for name in found.sensitive:
            if counted is None:
                self.columns[name] = _of_values(people[name], truth.values[name])
            else:
                self.columns[name] = _of_groups(people, counted, name, truth.values[name], **found.codebook["names"])

    def count(self, query: Query) -> float:
        """Add up over the rows with which share each is found."""
        columns = [(asked, *self.columns[name]) for name, asked in query.items()]
        return float(np.multiply.reduce([shares(asked)[of_row] for asked, shares, of_row in columns]).sum())


Shares = Callable[[Bools], Floats]
"""Returns how much of each distinct cell, or of each group, lies at the values asked for."""


def _of_cells(shown: pl.Series, found: _Published, original: pl.Series, values: pl.Series) -> tuple[Shares, Ints]:
    """Read the cells of a quasi-identifier; and say which cell each row shows."""
    recoding = found.codebook["recoding"]
    missing = STAR if found.codebook["marks"]["star"] != STAR and recoding != "anatomy" else None
    builder = as_builder(found.hierarchies.get(shown.name, "auto")) if recoding in ALONG_HIERARCHIES else None
    reader = Reader.of(original, builder, spans=recoding == "range")
    cells, of_row = _distinct(shown.cast(pl.String))
    texts = cell_text(values).to_list()
    plain = {text: place for place, text in enumerate(texts)} if recoding in ("suppress", "anatomy") else {}
    members = [
        [plain[cell]] if cell in plain else [place for place, text in enumerate(texts) if reader.covers(cell, text)]
        for cell in (missing if cell is None else cell for cell in cells)
    ]
    owner = np.repeat(np.arange(len(cells)), [len(some) for some in members])
    return _even(owner, np.concatenate([np.array(some, dtype=np.int64) for some in members]), len(cells)), of_row


def _even(owner: Ints, member: Ints, number: int) -> Shares:
    """Return the share of each cell whose members are asked for, each counting the same."""
    ones: Floats = np.ones(len(owner))
    return _weighed(owner, member, ones, number)


def _weighed(owner: Ints, member: Ints, weights: Floats, number: int) -> Shares:
    whole = np.maximum(np.bincount(owner, weights=weights, minlength=number), 1.0)
    return lambda asked: np.bincount(owner, weights=weights * asked[member], minlength=number) / whole


def _of_values(shown: pl.Series, values: pl.Series) -> tuple[Shares, Ints]:
    """Read a sensitive column that is published as it is."""
    cells, of_row = _distinct(shown.cast(pl.String))
    places = _places(pl.Series(cells, dtype=pl.String), values)
    return _even(np.arange(len(cells)), places, len(cells)), of_row


def _of_groups(
    people: pl.DataFrame, counted: pl.DataFrame, name: str, values: pl.Series, *, group: str, count: str
) -> tuple[Shares, Ints]:
    """Read a sensitive column that is counted by group."""
    groups, of_row = _distinct(people[group])
    known = pl.DataFrame({group: pl.Series(groups, dtype=people[group].dtype)})
    owner, counts = numbered(counted.select(group), known), counted[count].cast(pl.Float64).to_numpy()
    return _weighed(owner, _places(counted[name], values), counts, len(groups)), of_row


def _places(shown: pl.Series, values: pl.Series) -> Ints:
    """Return which value each published cell shows that was not altered."""
    return numbered(shown.cast(pl.String).alias("").to_frame(), cell_text(values).alias("").to_frame())


def _distinct(column: pl.Series) -> tuple[list[Any], Ints]:
    distinct = column.unique(maintain_order=True)
    return distinct.to_list(), numbered(column.to_frame(), distinct.to_frame())


def _drawn(truth: _Truth, attributes: int, selectivity: float, rng: np.random.Generator) -> Iterator[Query]:
    """Draw queries without end."""
    while True:
        names = [truth.quasi[place] for place in rng.permutation(len(truth.quasi))[:attributes]]
        names += [truth.sensitive[int(rng.integers(len(truth.sensitive)))]] if truth.sensitive else []
        yield {name: _asked(truth.values[name], selectivity ** (1 / len(names)), rng) for name in names}


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
