"""Attacks by the plainest reading of their definitions, row by row, for small tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_reader import Reader
from shoal.release.release import Release
from shoal.tables.star_marks import STAR, cell_text, text_of, unescaped

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Plain:
    """A release and its original as lists of rows; `weight` is for how much of a person a published row stands."""

    people: Sequence[Row]
    published: Sequence[tuple[Row, Row, float]]
    """What is shown of a row, its sensitive values, and its weight."""
    fits: Callable[[str, Any, Any], bool]

    def candidates(self, person: Row, columns: Sequence[str], known: Row | None = None) -> list[tuple[Row, float]]:
        return [
            (secret, weight)
            for shown, secret, weight in self.published
            if all(self.fits(name, shown[name], person[name]) for name in columns)
            and all(secret[name] == value for name, value in (known or {}).items())
        ]


def raw(frame: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> Plain:
    rows = frame.to_dicts()
    shown = [({name: row[name] for name in quasi}, {name: row[name] for name in sensitive}, 1.0) for row in rows]
    return Plain(rows, shown, lambda _, cell, value: cell == value)


def published(release: Release, frame: pl.DataFrame) -> Plain:
    """Read a release of rows; who is dropped is left out."""
    quasi, sensitive = release.certificate.quasi, release.certificate.sensitive
    recoding, trees = release.certificate.recoding, release.config["hierarchies"]
    readers = {}
    for name in quasi:
        own = release.config["column_recodings"].get(name, recoding)
        along = own in ("generalize", "single-dimensional", "full-domain")
        readers[name] = Reader.of(frame[name], as_builder(trees[name]) if along else None, spans=own == "range")
    texts = {name: dict(zip(frame[name].to_list(), cell_text(frame[name]).to_list(), strict=True)) for name in quasi}
    null = release.codebook["marks"]["star"] != STAR

    def fits(name: str, cell: str | None, value: Any) -> bool:
        return readers[name].covers(STAR if null and cell is None else cell, texts[name][value])

    people = frame[release.classes.kept].to_dicts()
    shown = release.table.select(text_of(release.table[name]) for name in quasi).to_dicts()
    if recoding == "anatomy":
        return Plain(people, list(_of_groups(release, shown)), fits)
    secrets = release.table.select(unescaped(release.table[name]) for name in sensitive).to_dicts()
    return Plain(people, [(*pair, 1.0) for pair in zip(shown, secrets, strict=True)], fits)


def _of_groups(release: Release, shown: list[dict[str, Any]]) -> Any:
    names = release.codebook["names"]
    groups = release.table[names["group"]].to_list()
    counted = release.tables["sensitive"]
    counted = counted.with_columns(unescaped(counted[name]) for name in release.certificate.sensitive)
    for row, group in zip(shown, groups, strict=True):
        there = counted.filter(pl.col(names["group"]) == group).to_dicts()
        total = sum(one[names["count"]] for one in there)
        for one in there:
            yield row, {name: one[name] for name in release.certificate.sensitive}, one[names["count"]] / total


def linkage(plain: Plain, columns: Sequence[str]) -> int:
    return sum(round(sum(w for _, w in plain.candidates(person, columns)), 6) == 1 for person in plain.people)


def partial(plain: Plain, quasi: Sequence[str], number: int) -> int:
    return max(linkage(plain, names) for names in combinations(quasi, number))


def few_values(plain: Plain, quasi: Sequence[str], name: str, most: int, known: Sequence[str] = ()) -> int:
    hits = 0
    for person in plain.people:
        found = plain.candidates(person, quasi, {other: person[other] for other in known})
        values = {secret[name] for secret, _ in found}
        hits += person[name] in values and len(values) <= most
    return hits


def skewed(plain: Plain, quasi: Sequence[str], name: str, factor: float, difference: float) -> int:
    whole = sum(weight for *_, weight in plain.published)
    hits = 0
    for person in plain.people:
        found = plain.candidates(person, quasi)
        prior = sum(weight for _, secret, weight in plain.published if secret[name] == person[name]) / whole
        own = sum(weight for secret, weight in found if secret[name] == person[name])
        posterior = own / sum(weight for _, weight in found)
        hits += posterior >= factor * prior - 1e-9 and posterior - prior > difference + 1e-9
    return hits


def near(plain: Plain, quasi: Sequence[str], name: str, width: float) -> int:
    numbers = [person[name] for person in plain.people if person[name] is not None]
    span = (max(numbers) - min(numbers)) if numbers else 0
    hits = 0
    for person in plain.people:
        values = [secret[name] for secret, _ in plain.candidates(person, quasi)]
        hits += None not in values and person[name] in values and max(values) - min(values) <= width * span + 1e-9
    return hits


def shared(first: Plain, second: Plain, quasi: Sequence[str], name: str) -> int:
    hits = 0
    for person in first.people:
        one, other = ({s[name] for s, _ in plain.candidates(person, quasi)} for plain in (first, second))
        hits += person[name] in other and one & other == {person[name]}
    return hits


def blurred(plain: Plain, name: str, tree: Mapping[Any, Sequence[str]]) -> Plain:
    """The same with the blocks of a hierarchy in place of the values; a missing value is a block of its own."""

    def block(row: Row) -> Row:
        value = row[name]
        return {**row, name: None if value is None else tree[value][0]}

    shown = [(cells, block(secret), weight) for cells, secret, weight in plain.published]
    return Plain([block(person) for person in plain.people], shown, plain.fits)
