"""Several rows for each person: whatever is published, people are counted, and `verify` counts them again."""

from __future__ import annotations

import json
import shutil
import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from tests.thorough import many
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.core.atomic_files import put_text
from shoal.core.errors import Infeasible, ParameterError, RoleError, SafetyWarning, TableError, Unsupported
from shoal.inspection import inspect
from shoal.methods.auto import methods
from shoal.recoding.recode import recodings
from shoal.release.certificate import canonical
from shoal.release.files import MANIFEST, PEOPLE, manifest
from shoal.tables.table import Table

ASKED: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "person": ["patient"]}
RECODINGS = [name for name, kind in recodings().items() if not kind.two_tables and name != "single-dimensional"]


def visits(rows: int = 40, people: int = 24, seed: int = 1) -> pl.DataFrame:
    """Visits of patients: as many rows, of so many people at most."""
    chance = Random(seed)
    return pl.DataFrame(
        {
            "patient": [chance.randrange(people) for _ in range(rows)],
            "age": [20 + chance.randrange(20) for _ in range(rows)],
            "sex": [chance.choice("fm") for _ in range(rows)],
            "ill": [chance.choice("abcde") for _ in range(rows)],
        }
    )


def counted(release: shoal.Release, table: pl.DataFrame) -> list[tuple[int, int]]:
    """By class of equal published cells, its people, and how many of them have its commonest value: in plain Python."""
    kept = release.classes.kept.tolist()
    people: dict[Any, set[int]] = defaultdict(set)
    holders: dict[Any, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for place, (age, sex, ill) in enumerate(release.table.select("age", "sex", "ill").rows()):
        person = table["patient"][kept[place]]
        people[age, sex].add(person)
        holders[age, sex][ill].add(person)
    return [(len(people[one]), max(map(len, holders[one].values()))) for one in people]


def check(release: shoal.Release, table: pl.DataFrame, k: int, l: float) -> None:  # noqa: E741 - the paper's name
    for people, commonest in counted(release, table):
        assert people >= k
        assert l * commonest <= people


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("require", ["k=3", "k=2 l(ill)=2", "k=2 distinct-l(ill)=2 t(ill)=0.5"])
def test_what_auto_publishes_meets_the_models_by_people(recoding: str, require: str, tmp_path: Path) -> None:
    table = visits()
    release = shoal.anonymize(table, **ASKED, require=require, recoding=recoding, effort="quick")
    check(release, table, 3 if require == "k=3" else 2, 2 if "l(ill)=2" in require and "distinct" not in require else 1)
    assert release.certificate.people == table["patient"].n_unique()
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder).passed
    assert shoal.verify(folder, original=table).passed
    shutil.rmtree(folder / "internal")
    public = shoal.verify(folder)
    assert public.passed
    assert any("which person a row belongs to is in the internal part alone" in note for note in public.not_checked)


@pytest.mark.parametrize("method", methods())
def test_every_method_counts_people_or_refuses(method: str) -> None:
    for seed in range(many(1)):
        table = visits(30, 20, seed)
        for require, k, l in (("k=3", 3, 1.0), ("k=2 l(ill)=2", 2, 2.0), ("l(ill)=2 t(ill)=0.6", 1, 2.0)):  # noqa: E741
            try:
                release = shoal.anonymize(table, **ASKED, require=require, method=method)
            except (Infeasible, Unsupported):
                continue
            check(release, table, k, l)
            bound = release.certificate.lower_bound
            assert bound is None or bound <= release.certificate.cost * (1 + 1e-9)


def test_no_release_costs_less_than_the_bound_of_the_optimum_by_people() -> None:
    table = visits(7, 4, 3)
    release = shoal.anonymize(table, **ASKED, require="k=2", recoding="suppress")
    assert release.certificate.lower_bound is not None
    assert release.certificate.lower_bound <= cheapest(table, 2)
    assert release.certificate.cost >= cheapest(table, 2)


def cheapest(table: pl.DataFrame, k: int) -> int:
    """The fewest stars of all partitions whose classes have k people, by trying them all."""
    rows = table.select("age", "sex", "patient").rows()

    def stars(block: list[int]) -> int:
        return sum(len(block) for column in (0, 1) if len({rows[row][column] for row in block}) > 1)

    def least(left: tuple[int, ...]) -> float:
        if not left:
            return 0
        best = float("inf")
        for chosen in range(1 << (len(left) - 1)):
            block = [left[0], *(row for place, row in enumerate(left[1:]) if chosen >> place & 1)]
            if len({rows[row][2] for row in block}) >= k:
                best = min(best, stars(block) + least(tuple(row for row in left if row not in block)))
        return best

    return int(least(tuple(range(len(rows)))))


def test_rows_of_one_person_are_not_a_crowd() -> None:
    table = pl.DataFrame({"patient": [1] * 5 + [2, 3, 4, 5, 6], "age": [30] * 5 + [40] * 5, "sex": ["f"] * 10})
    asked: dict[str, Any] = {"quasi": ["age", "sex"], "require": "k=5"}
    with warnings.catch_warnings(action="ignore"):
        rows = shoal.anonymize(table, **asked, identifiers=["patient"])
    assert len(rows.classes) == 2
    people = shoal.anonymize(table, **asked, person="patient")
    assert len(people.classes) == 1
    with pytest.raises(Infeasible):
        shoal.anonymize(table, quasi=["age", "sex"], require="k=7", person="patient")


def test_the_order_of_rows_changes_nothing() -> None:
    table = visits()
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=5)
    for require in ("k=3", "k=2 l(ill)=2"):
        found = [
            shoal.anonymize(one, **ASKED, require=require, effort="quick").table.sort("age", "sex", "ill").rows()
            for one in (table, shuffled)
        ]
        assert found[0] == found[1]


def test_a_person_may_be_told_by_several_columns_and_is_never_published() -> None:
    table = visits().with_columns(clinic=pl.Series(["x", "y"] * 20))
    asked = {**ASKED, "require": "k=3", "person": ["clinic", "patient"]}
    release = shoal.anonymize(table, **asked)
    assert release.certificate.people == table.select("clinic", "patient").n_unique()
    assert set(release.table.columns) == {"age", "sex", "ill"}
    for role in ("other", "sensitive"):
        columns = [*ASKED.get(role, ()), "clinic"]
        with pytest.raises(RoleError, match="'clinic' says which person a row belongs to"):
            shoal.anonymize(table, **{**asked, role: columns})
    rest = shoal.anonymize(table.with_columns(note=pl.lit("n")), **{**asked, "other": "rest"})
    assert "patient" not in rest.table.columns


def test_a_row_about_nobody_known_is_refused() -> None:
    table = visits().with_columns(patient=pl.Series([None, *range(39)]))
    with pytest.raises(TableError, match="'patient' says which person a row belongs to, and 1 cell is missing"):
        shoal.anonymize(table, **ASKED, require="k=2")


def test_dropped_rows_are_about_nobody_in_the_certificate() -> None:
    table = pl.DataFrame({"patient": range(8), "age": [30] * 8, "sex": ["f"] * 8, "ill": ["a"] * 5 + ["b", "c", "d"]})
    with pytest.raises((Infeasible, Unsupported)):
        shoal.anonymize(table, **ASKED, require="l(ill)=2")
    release = shoal.anonymize(table[3:], **ASKED, require="l(ill)=2")
    assert release.certificate.people == 5


def test_two_tables_are_refused() -> None:
    with pytest.raises(Unsupported, match="people with several rows cannot be counted"):
        shoal.anonymize(visits(), **ASKED, require="l(ill)=2", recoding="anatomy")


def test_single_dimensional_recoding_is_refused_in_words() -> None:
    with pytest.raises(Unsupported, match="no method with the recoding 'single-dimensional' can do this") as refusal:
        shoal.anonymize(visits(), **ASKED, require="k=3", recoding="single-dimensional")
    assert "--recoding generalize" in str(refusal.value)


def test_a_forged_number_of_people_is_found(tmp_path: Path) -> None:
    table = visits()
    folder = shoal.anonymize(table, **ASKED, require="k=3").save(tmp_path / "release")
    path = folder / "internal" / PEOPLE
    numbers = pl.read_parquet(path)
    numbers.with_columns(person=pl.int_range(pl.len())).write_parquet(path)
    put_text(folder / MANIFEST, canonical(manifest(folder)))
    assert any("people" in failure for failure in shoal.verify(folder).failures)
    numbers.with_columns(person=pl.col("person").max() - pl.col("person")).write_parquet(path)
    put_text(folder / MANIFEST, canonical(manifest(folder)))
    assert shoal.verify(folder, original=table).passed  # other numbers for the same people


def test_an_old_version_does_not_take_people_for_rows(tmp_path: Path) -> None:
    folder = shoal.anonymize(visits(), **ASKED, require="k=3").save(tmp_path / "release")
    certificate = json.loads((folder / "public" / "certificate.json").read_text())
    assert (certificate["format"], certificate["people"]) == (3, visits()["patient"].n_unique())
    assert any("of one person" in said or "same person" in said for said in certificate["vouched_for_by_the_owner"])


# Linked rows


def sets_of_cells(table: pl.DataFrame, number: str) -> list[tuple[int, int]]:
    """By set of cells that a person has, how many people have it, and how many of them its commonest value."""
    cells: dict[int, set[Any]] = defaultdict(set)
    held: dict[int, set[str]] = defaultdict(set)
    for age, sex, ill, person in table.select("age", "sex", "ill", number).rows():
        cells[person].add((age, sex))
        held[person].add(ill)
    alike: dict[Any, list[int]] = defaultdict(list)
    for person, some in cells.items():
        alike[frozenset(some)].append(person)
    return [
        (len(people), max(sum(ill in held[person] for person in people) for ill in "abcde"))
        for people in alike.values()
    ]


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "full-domain"])
@pytest.mark.parametrize(("require", "l"), [("k=3", 1), ("k=2 l(ill)=1.5", 1.5)])
def test_people_share_the_set_of_their_cells_where_a_pseudonym_links_them(
    recoding: str,
    require: str,
    l: float,  # noqa: E741 - the paper's name
    tmp_path: Path,
) -> None:
    table = visits(60, 30)
    asked: dict[str, Any] = {**ASKED, "require": require, "recoding": recoding, "effort": "quick"}
    release = shoal.anonymize(table, **asked, pseudonym="pid")
    for people, commonest in sets_of_cells(release.table, "pid"):
        assert people >= int(require[2])
        assert l * commonest <= people
    pairs = pl.DataFrame({"old": table["patient"], "new": release.table["pid"]}).unique()
    assert pairs.height == pairs["old"].n_unique() == pairs["new"].n_unique()
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder, original=table).passed
    shutil.rmtree(folder / "internal")
    public = shoal.verify(folder)
    assert public.passed
    assert not any("which person a row belongs to" in note for note in public.not_checked)  # the public part says it


def test_without_a_pseudonym_people_need_not_share_all_their_cells() -> None:
    table = visits(60, 30)
    release = shoal.anonymize(table, **ASKED, require="k=3", effort="quick")
    linked = release.table.with_columns(pid=table["patient"])
    assert min(people for people, _ in sets_of_cells(linked, "pid")) < 3


def test_numbers_are_drawn_anew() -> None:
    table = visits(60, 30)
    first, second = (shoal.anonymize(table, **ASKED, require="k=26", pseudonym="pid").table["pid"] for _ in "ab")
    assert not first.equals(second)


def test_a_pseudonym_needs_people_and_a_name_of_its_own() -> None:
    with pytest.raises(ParameterError, match="--pseudonym is given without --person"):
        shoal.anonymize(visits(), quasi=["age"], require="k=2", leave_out="rest", pseudonym="pid")
    with pytest.raises(ParameterError, match="called 'age'"):
        shoal.anonymize(visits(), **ASKED, require="k=2", pseudonym="age")
    with pytest.raises(Unsupported, match="'centroid'"):
        shoal.anonymize(visits(), **ASKED, require="k=2", pseudonym="pid", recoding="centroid")


def test_a_forged_pseudonym_is_found(tmp_path: Path) -> None:
    table = visits(60, 30)
    release = shoal.anonymize(table, **ASKED, require="k=3", pseudonym="pid")
    forged = release.table.with_columns(pid=pl.int_range(1, pl.len() + 1))
    folder = replace(release, shown={"table": Table(forged)}).save(tmp_path / "release")
    assert not shoal.verify(folder).passed


# The audit, the risk, the register


def test_an_audit_counts_people_where_it_is_told_whom_rows_are_about() -> None:
    table = {"id": [1, 1, 2, 3], "age": [30, 30, 40, 40], "ill": ["a", "b", "a", "a"]}
    rows = shoal.audit(table, quasi=["age"], sensitive=["ill"], require="k=2")
    people = shoal.audit(table, quasi=["age"], sensitive=["ill"], require="k=2", person=["id"])
    assert (rows.holds, rows.people) == (True, None)
    assert (people.holds, people.people, people.rows) == (False, 3, 4)
    assert (people.smallest_class, people.unique_rows, people.violations.tolist()) == (1, 2, [0, 1])
    assert people.certain == {"ill": 4}  # the first has both values, and the others one
    assert json.loads(people.to_json())["people"] == 3


def test_the_risk_is_that_of_people() -> None:
    table = {"id": [1, 1, 2, 3, 3], "age": [30, 30, 30, 40, 40]}
    found = shoal.risk.measure(table, quasi=["age"], person="id")
    assert (found.rows, found.prosecutor.highest, found.uniques.rows) == (3, 1.0, 1)
    assert found.per_row["prosecutor"].tolist() == [0.5, 0.5, 0.5, 1.0, 1.0]
    assert shoal.audit(table, quasi=["age"], person="id").risk == found


def test_a_register_takes_the_person_from_the_release(tmp_path: Path) -> None:
    table = visits()
    folder = shoal.anonymize(table, **ASKED, require="k=3").save(tmp_path / "release")
    found = shoal.register(folder, table, registry=tmp_path / "registry")
    assert found.register.entries[0].person == ("patient",)


# The faces


def test_an_identifier_that_repeats_is_warned_of_with_the_flag_to_add() -> None:
    with pytest.warns(SafetyWarning, match="--person patient"):
        shoal.anonymize(visits(), quasi=["age", "sex"], sensitive=["ill"], identifiers=["patient"], require="k=2")
    with warnings.catch_warnings(action="error"):
        shoal.anonymize(visits(), **ASKED, identifiers=["patient"], require="k=2")


def test_inspect_says_that_an_identifier_repeats() -> None:
    found = inspect(visits().rename({"patient": "patient_id"}))
    assert any("'patient_id' repeats" in note and "--person" in note for note in found.notes)


def test_compare_and_frontier_count_people() -> None:
    table = visits()
    found = shoal.compare(table, **ASKED, require="k=3", methods=["mondrian", "peel", "anatomy"])
    assert {one.method: one.status for one in found.outcomes} == {
        "mondrian": "feasible",
        "peel": "feasible",
        "anatomy": "unsupported",
    }
    for point in shoal.frontier(table, **ASKED, require="l(ill)=1", vary="k=2,4", methods=["mondrian"]).points:
        assert (point.highest_risk or 1) <= 1 / point.value


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    file, folder = tmp_path / "visits.csv", tmp_path / "release"
    visits().write_csv(file)
    asked = ["--quasi", "age,sex", "--sensitive", "ill", "--person", "patient"]
    made = CliRunner().invoke(app, ["anonymize", str(file), *asked, "--require", "k=3", "-o", str(folder)])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(app, ["verify", str(folder), "--original", str(file)]).exit_code == 0
    found = CliRunner().invoke(app, ["audit", str(file), *asked, "--require", "k=3", "--json"])
    assert json.loads(found.output)["people"] == visits()["patient"].n_unique()
    assert CliRunner().invoke(app, ["audit", str(folder), "--json"]).exit_code == 0


def test_a_register_counts_people_not_rows(tmp_path: Path) -> None:
    table = visits(60, 30)
    asked: dict[str, Any] = {**ASKED, "require": "k=3", "recoding": "range"}
    first = shoal.anonymize(table, **asked, method="mondrian").save(tmp_path / "first")
    shoal.register(first, table, registry=tmp_path / "registry")
    second = shoal.anonymize(table, **asked, method="hilbert", registry=tmp_path / "registry", overlap="warn")
    (overlap,) = second.overlaps
    people = table["patient"].n_unique()
    assert overlap.people == people
    assert all(exposed <= people for exposed in overlap.exposed.values())
    (tried,) = shoal.attack(second, table, other=first, attacks=["intersection"]).outcomes
    assert tried.of == tried.figures["in_both"] == people
