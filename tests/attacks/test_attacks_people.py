"""Attacks on releases that count people: candidates are people, and a person is hit by any of their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.test_people import ASKED, visits
from tests.thorough import many

import shoal
from shoal.report.evidence import Evidence

Cells = tuple[Any, ...]
Person = int


def held_in_classes(rows: list[tuple[Cells, Person, str]]) -> Mapping[Cells, Mapping[Person, set[str]]]:
    """By class of equal cells, the values of each of its people: in plain Python."""
    found: dict[Cells, dict[Person, set[str]]] = defaultdict(lambda: defaultdict(set))
    for cells, person, ill in rows:
        found[cells][person].add(ill)
    return found


def seen(cells: pl.DataFrame, table: pl.DataFrame) -> list[tuple[Cells, Person, str]]:
    quasi = cells.select("age", "sex").rows()
    return list(zip(quasi, table["patient"].to_list(), table["ill"].to_list(), strict=True))


def by_sets(rows: list[tuple[Cells, Person, str]]) -> list[tuple[Cells, Person, str]]:
    """The same rows, each with the set of all cells of its person."""
    cells: dict[Person, set[Cells]] = defaultdict(set)
    for one, person, _ in rows:
        cells[person].add(one)
    return [((frozenset(cells[person]),), person, ill) for _, person, ill in rows]


def linked_to_one(rows: list[tuple[Cells, Person, str]]) -> int:
    held = held_in_classes(rows)
    return len({person for cells, person, _ in rows if len(held[cells]) == 1})


def certain(rows: list[tuple[Cells, Person, str]]) -> int:
    held = held_in_classes(rows)
    return len({person for cells, person, ill in rows if all(ill in values for values in held[cells].values())})


@pytest.mark.parametrize("recoding", ["suppress", "range"])
@pytest.mark.parametrize("pseudonym", [None, "number"])
def test_people_are_counted_as_by_hand(recoding: str, pseudonym: str | None) -> None:
    for seed in range(many(3)):
        table = visits(30, 12, seed)
        asked: dict[str, Any] = {**ASKED, "recoding": recoding, "effort": "quick", "pseudonym": pseudonym}
        release = shoal.anonymize(table, **asked, require="k=2")
        found = shoal.attack(release, table, attacks=["linkage", "homogeneity"])
        rows = seen(table, table), seen(release.table, table)
        if pseudonym is not None:
            rows = by_sets(rows[0]), by_sets(rows[1])
        linkage, homogeneity = found.outcomes
        assert (found.people, found.published) == (table["patient"].n_unique(),) * 2
        assert (
            (linkage.before, linkage.after) == (linked_to_one(rows[0]), linked_to_one(rows[1])) == (linkage.before, 0)
        )
        assert (homogeneity.before, homogeneity.after) == (certain(rows[0]), certain(rows[1]))
        smallest = min(map(len, held_in_classes(rows[1]).values()))
        assert linkage.chance is not None
        assert linkage.chance.denominator == smallest
        assert f" of {found.people} people" in linkage.verdict


def test_every_attack_is_tried_on_people_or_says_why_not(tmp_path: Path) -> None:
    table = visits(60, 30)
    release = shoal.anonymize(table, **ASKED, require="k=3 l(ill)=1.5")
    found = shoal.attack(release, table)
    assert all(one.after <= one.of == table["patient"].n_unique() for one in found.outcomes)
    assert {"linkage", "partial-linkage", "homogeneity", "background", "skewness"} <= {
        one.attack for one in found.outcomes
    }
    reasons = {one.attack: one.reason for one in found.untried}
    assert "counts people" in reasons["minimality"]
    folder = release.save(tmp_path / "release")
    assert shoal.attack(folder, table).outcomes == found.outcomes
    assert "people" in found._repr_html_()


def test_with_one_row_for_each_person_nothing_differs() -> None:
    table = visits(40, 40).with_columns(patient=pl.int_range(40))
    names = ["linkage", "partial-linkage", "homogeneity", "background", "skewness"]
    asked: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "require": "k=2", "recoding": "suppress"}
    by_people = shoal.attack(shoal.anonymize(table, **asked, person="patient"), table, attacks=names)
    by_rows = shoal.attack(shoal.anonymize(table, **asked, identifiers="patient"), table, attacks=names)
    before = [[one.before for one in found.outcomes] for found in (by_people, by_rows)]
    assert before[0] == before[1]


def test_who_lives_with_somebody_found_is_found() -> None:
    table = {"home": [1, 1, 2, 2, 3], "age": [30, 40, 40, 50, 50]}
    release = shoal.anonymize(table, quasi=["age"], household="home", require="k=1")
    (found,) = shoal.attack(release, table, attacks=["linkage"]).outcomes
    assert (found.before, found.figures["found_with_household_before"]) == (1, 2)
    assert found.figures["found_with_household_after"] == 2


def test_a_report_counts_people() -> None:
    table = visits(40, 16)
    found = Evidence.of(shoal.anonymize(table, **ASKED, require="k=3"), table, attacks=["linkage"], queries=0)
    assert found.before is not None
    assert found.after.uniques.smallest >= 3
    assert found.hits[0].of == table["patient"].n_unique()
