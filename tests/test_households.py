"""Households: who finds one member finds all, so classes are asked to hold people of several."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_people import cheapest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.core.errors import Infeasible, ParameterError, RoleError, SafetyWarning, TableError, Unsupported
from shoal.inspection import inspect
from shoal.methods.auto import methods
from shoal.microdata.histogram import Classes
from shoal.models import KHouseholds
from shoal.recoding.recode import recodings
from shoal.release.certificate import canonical
from shoal.release.files import HOUSEHOLDS, MANIFEST, manifest

ASKED: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "household": "home"}
RECODINGS = [name for name, kind in recodings().items() if not kind.two_tables and name != "single-dimensional"]
K = "k-households="


def residents(rows: int = 40, homes: int = 16, seed: int = 1) -> pl.DataFrame:
    """People who live together: as many rows, of so many households at most."""
    chance = Random(seed)
    return pl.DataFrame(
        {
            "home": [chance.randrange(homes) for _ in range(rows)],
            "age": [20 + chance.randrange(20) for _ in range(rows)],
            "sex": [chance.choice("fm") for _ in range(rows)],
            "ill": [chance.choice("abcde") for _ in range(rows)],
        }
    )


def fewest_homes(release: shoal.Release, table: pl.DataFrame) -> int:
    """The fewest households that share their published cells: in plain Python."""
    homes: dict[Any, set[int]] = defaultdict(set)
    for row, cells in zip(release.classes.kept.tolist(), release.table.select("age", "sex").rows(), strict=True):
        homes[cells].add(table["home"][row])
    return min(map(len, homes.values()))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=20), st.integers(1, 4))
def test_a_class_is_admitted_if_it_has_so_many_households(rows: list[tuple[int, int]], k: int) -> None:
    labels = np.unique([one for one, _ in rows], return_inverse=True)[1].astype(np.int64)
    homes = np.array([home for _, home in rows])
    classes, model = Classes(labels, int(labels.max()) + 1, {}, households=homes), KHouseholds(k)
    counts = [len(set(homes[labels == one].tolist())) for one in range(classes.number)]
    assert model.admits(classes).tolist() == [many >= k for many in counts]
    assert model.level(classes).tolist() == counts
    assert model.reached(classes) == min(counts)
    assert model.of_rows.admits(classes)[model.admits(classes)].all()


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("require", ["k-households=3", "k-households=2 k=4 l(ill)=2", "k-households=2 t(ill)=0.5"])
def test_what_auto_publishes_has_so_many_households_in_each_class(recoding: str, require: str, tmp_path: Path) -> None:
    table = residents()
    release = shoal.anonymize(table, **ASKED, require=require, recoding=recoding, effort="quick")
    assert fewest_homes(release, table) >= int(require[len(K)])
    assert release.certificate.households == table["home"].n_unique()
    assert release.audit.risk is not None
    assert release.audit.risk.household is not None
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder).passed
    assert shoal.verify(folder, original=table).passed
    shutil.rmtree(folder / "internal")
    public = shoal.verify(folder)
    assert public.passed
    assert any("what it implies of rows was checked" in note for note in public.not_checked)


@pytest.mark.parametrize("method", methods())
def test_every_method_counts_households_or_refuses(method: str) -> None:
    table = residents(30, 12)
    for require in ("k-households=3", "k-households=2 l(ill)=2"):
        try:
            release = shoal.anonymize(table, **ASKED, require=require, method=method)
        except (Infeasible, Unsupported):
            continue
        assert fewest_homes(release, table) >= int(require[len(K)])
        bound = release.certificate.lower_bound
        assert bound is None or bound <= release.certificate.cost * (1 + 1e-9)


def test_no_release_costs_less_than_the_bound_of_the_optimum_by_households() -> None:
    for seed in range(3):
        table = residents(7, 4, seed)
        release = shoal.anonymize(table, **ASKED, require="k-households=2", recoding="suppress")
        optimum = cheapest(table.rename({"home": "patient"}), 2)
        assert release.certificate.lower_bound is not None
        assert release.certificate.lower_bound <= optimum <= release.certificate.cost


def test_people_and_households_are_counted_together() -> None:
    homes = {"id": [1, 1, 2, 3, 4, 5, 6, 7], "home": [1, 1, 1, 1, 2, 2, 3, 3], "age": [30] * 4 + [40] * 4}
    asked: dict[str, Any] = {"quasi": ["age"], "person": ["id"], "household": "home"}
    assert len(shoal.anonymize(homes, **asked, require="k=3").classes) == 2
    joined = shoal.anonymize(homes, **asked, require="k=3 k-households=2")
    assert (len(joined.classes), joined.certificate.people, joined.certificate.households) == (1, 7, 3)
    linked = shoal.anonymize(homes, **asked, require="k=3 k-households=2", pseudonym="number")
    assert len(linked.classes) == 1
    with pytest.raises(Infeasible):
        shoal.anonymize(homes, **asked, require="k-households=4")


def test_the_order_of_rows_changes_nothing() -> None:
    table = residents()
    found = [
        shoal.anonymize(one, **ASKED, require="k-households=3", effort="quick").table.sort("age", "sex", "ill").rows()
        for one in (table, table.sample(fraction=1.0, shuffle=True, seed=5))
    ]
    assert found[0] == found[1]


def test_an_audit_counts_households_where_it_knows_them() -> None:
    table = {"home": [1, 1, 2, 3], "age": [30, 30, 40, 40]}
    found = shoal.audit(table, quasi=["age"], require="k=2 k-households=2", household="home")
    assert [one.holds for one in found.findings] == [True, False]
    assert (found.households, found.violations.tolist()) == (3, [0, 1])
    assert json.loads(found.to_json())["households"] == 3
    assert "k-households" in [one.name for one in shoal.audit(table, quasi=["age"], household="home").findings]
    assert "k-households" not in [one.name for one in shoal.audit(table, quasi=["age"]).findings]


def test_a_model_of_households_needs_their_number() -> None:
    said = "k-households=2 counts households.*--household COLUMN"
    with pytest.raises(ParameterError, match=said):
        shoal.audit(residents(), quasi=["age"], require="k-households=2")
    with pytest.raises(ParameterError, match=said):
        shoal.anonymize(residents(), quasi=["age"], require="k-households=2", leave_out="rest")


def test_the_number_of_a_household_is_not_published() -> None:
    table = residents()
    assert "home" not in shoal.anonymize(table, **ASKED, require="k=2", other="rest").table.columns
    for role in ("other", "sensitive"):
        with pytest.raises(RoleError, match="'home' says which household a row belongs to"):
            shoal.anonymize(table, **{**ASKED, role: ["home"], "leave_out": "rest"}, require="k=2")
    with pytest.raises(TableError, match="'home' says which household a row belongs to, and 1 cell is missing"):
        shoal.anonymize(table.with_columns(home=pl.Series([None, *range(39)])), **ASKED, require="k=2")


def test_a_forged_number_of_households_is_found(tmp_path: Path) -> None:
    table = residents()
    folder = shoal.anonymize(table, **ASKED, require="k-households=3").save(tmp_path / "release")
    path = folder / "internal" / HOUSEHOLDS
    pl.read_parquet(path).with_columns(household=pl.int_range(pl.len())).write_parquet(path)
    (folder / MANIFEST).write_text(canonical(manifest(folder)), encoding="utf-8")
    assert any("households" in failure for failure in shoal.verify(folder).failures)
    assert any("share one" in failure for failure in shoal.verify(folder, original=table).failures)


def test_the_certificate_states_households() -> None:
    stated = shoal.anonymize(residents(), **ASKED, require="k-households=3").certificate.content()
    assert stated["households"] == residents()["home"].n_unique()
    assert any("same household" in said for said in stated["vouched_for_by_the_owner"])
    assert shoal.anonymize(residents(), quasi=["age"], require="k=2", leave_out="rest").certificate.households is None


# What members of a household share


def dwellings() -> pl.DataFrame:
    table = residents(60, 20)
    sizes = table.group_by("home").len().rename({"len": "hhsize"})
    sized = table.join(sizes, on="home", maintain_order="left").with_columns(roof=pl.col("home") % 4)
    return sized.rename({"home": "hid"})


def test_inspect_proposes_what_members_share_as_quasi_identifiers() -> None:
    found = inspect(dwellings())
    assert found["roof"].role == found["hhsize"].role == "quasi"
    assert "the same for all members of each household ('hid')" in found["roof"].reason
    assert any("'hid' numbers" in note and "--household" in note for note in found.notes)
    assert inspect(dwellings().rename({"hid": "x"}))["roof"].role == "open"
    assert inspect(dwellings().rename({"hid": "x"}), household="x")["roof"].role == "quasi"


def test_members_who_differ_in_the_size_of_their_household_are_warned_of() -> None:
    wrong = dwellings().with_columns(hhsize=pl.int_range(pl.len()) % 3)
    assert any("'hhsize' describes the household, and members differ" in note for note in inspect(wrong).notes)
    asked: dict[str, Any] = {"quasi": ["age", "hhsize"], "household": "hid", "require": "k=2", "leave_out": "rest"}
    with pytest.warns(SafetyWarning, match="'hhsize' describes the household"):
        shoal.anonymize(wrong, **asked)


def test_what_members_share_is_warned_of_where_it_is_published_as_it_is() -> None:
    asked: dict[str, Any] = {"quasi": ["age"], "other": ["roof"], "household": "hid", "require": "k=2"}
    with pytest.warns(SafetyWarning, match="'roof' is the same for all members of each household and published"):
        shoal.anonymize(dwellings(), **asked, leave_out="rest")


# The faces


def test_compare_and_frontier_count_households() -> None:
    table = residents()
    found = shoal.compare(table, **ASKED, require="k-households=3", methods=["mondrian", "peel", "anatomy"])
    assert {one.method: one.status for one in found.outcomes} == {
        "mondrian": "feasible",
        "peel": "feasible",
        "anatomy": "unsupported",
    }
    points = shoal.frontier(table, **ASKED, require="k=2", vary="k-households=2,4", methods=["mondrian"]).points
    assert [point.status for point in points] == ["feasible", "feasible"]


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    file, folder = tmp_path / "residents.csv", tmp_path / "release"
    residents().write_csv(file)
    asked = ["--quasi", "age,sex", "--sensitive", "ill", "--household", "home", "--require", "k-households=3"]
    made = CliRunner().invoke(app, ["anonymize", str(file), *asked, "-o", str(folder)])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(app, ["verify", str(folder), "--original", str(file)]).exit_code == 0
    found = CliRunner().invoke(app, ["audit", str(file), *asked, "--json"])
    assert json.loads(found.output)["households"] == residents()["home"].n_unique()
    again = CliRunner().invoke(app, ["audit", str(folder), "--json"])
    assert json.loads(again.output)["risk"]["household"]["households"] == residents()["home"].n_unique()
