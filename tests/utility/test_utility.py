"""Measures of use: by hand on small tables, against numpy row by row, from memory and from the folder alike."""

from __future__ import annotations

import json
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import ParameterError, ReleaseError, RoleError, TableError, Unsupported
from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_reader import Reader
from shoal.release.release_view import Shown
from shoal.republication.release_register import Register
from shoal.republication.rerelease import rerelease
from shoal.request import Request
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.tables.table import Table
from shoal.utility import classifier as learning
from shoal.utility import measure
from shoal.utility.associations import associations
from shoal.utility.features import drawn_features, original_features, published_features
from shoal.utility.numbers import numbers
from shoal.utility.propensity import propensity
from shoal.utility.spreads import Spread, spreads

ORIGINAL = Table.of(census(400, seed=4)).frame
QUASIS = list(QUASI[:4])
HIERARCHIES = {name: builder for name, builder in census_hierarchies().items() if name in QUASIS}
RECODINGS = ["suppress", "generalize", "full-domain", "range", "centroid", "anatomy"]


def released(recoding: str, data: Any = ORIGINAL, **more: Any) -> shoal.Release:
    anatomy = recoding == "anatomy"
    given = {
        "quasi": QUASIS,
        "sensitive": ["occupation"] if anatomy else ["income", "occupation"],
        "require": "l(occupation)=2" if anatomy else "k=4",
        "hierarchies": HIERARCHIES,
        "method": "anatomy" if anatomy else "incognito" if recoding == "full-domain" else "mondrian",
    }
    return shoal.anonymize(data, recoding=recoding, leave_out="rest", **{**given, **more})


def read(release: shoal.Release, original: Any = ORIGINAL) -> dict[str, Spread]:
    return spreads(Shown.of(release), pl.DataFrame(original))


@pytest.mark.parametrize("recoding", RECODINGS)
def test_the_cost_is_the_one_the_certificate_states(recoding: str) -> None:
    made = released(recoding)
    found = {one.cost: one for one in measure(made, ORIGINAL, queries=0).costs}
    assert found[made.certificate.cost.name].value == pytest.approx(float(made.certificate.cost), rel=1e-12)
    assert all((one.value is None) == (one.reason is not None) for one in found.values())


def test_the_cost_of_a_release_with_a_starred_class_and_dropped_rows_is_the_one_stated() -> None:
    made = released("full-domain", max_suppressed="0.1", suppressed="checked")
    other = released("range", max_dropped="0.05", require="k=4 l(occupation)=3")
    for one in (made, other):
        found = {loss.cost: loss.value for loss in measure(one, ORIGINAL, queries=0).costs}
        assert found[one.certificate.cost.name] == pytest.approx(float(one.certificate.cost), rel=1e-12)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_release_that_tells_everything_has_changed_nothing(recoding: str) -> None:
    made = released(recoding, require="l(occupation)=1" if recoding == "anatomy" else "k=1")
    found = measure(made, ORIGINAL, queries=20)
    assert all(one.distance == pytest.approx(0, abs=1e-12) for one in found.marginals)
    assert all(one.loss == 0 for one in found.columns)
    for number in found.numbers:
        assert number.after.mean == pytest.approx(number.before.mean)
        assert number.after.quantiles == number.before.quantiles
    for pair in found.associations:
        assert pair.after == pytest.approx(pair.before, abs=1e-9)
    assert found.queries is not None
    assert found.queries.mean == pytest.approx(0, abs=1e-12)
    assert found.propensity.pmse == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
def test_what_a_cell_covers_is_found_as_by_asking_for_each_value(recoding: str) -> None:
    odd = pl.DataFrame(
        {"n": [1, 2, None, 40, 5], "d": ["[a, b]", "*", "a", None, "a"], "t": [1.5, -2.0, 0.25, None, 9.0]}
    )
    dates = odd.with_columns(day=pl.Series([date(2024, 1, day) for day in (1, 9, 3, 28, 3)]))
    made = shoal.anonymize(dates, quasi=dates.columns, require="k=2", recoding=recoding, method="mondrian")
    for name in dates.columns:
        builder = as_builder(made.config["hierarchies"][name]) if recoding == "generalize" else None
        reader = Reader.of(dates[name], builder, spans=recoding == "range")
        for cell in (*made.table[name].cast(pl.String), "[1, 5]", "{a, b}", "[1, 5] | missing", "nothing", None):
            assert reader.covered(cell).tolist() == [
                code for text, code in reader.code.items() if reader.covers(cell, text)
            ]


@pytest.mark.parametrize("recoding", RECODINGS)
def test_shares_of_values_add_up(recoding: str) -> None:
    for column in read(released(recoding)).values():
        assert column.before.sum() == pytest.approx(1)
        assert column.after.sum() == pytest.approx(1)


def test_stars_spread_a_column_evenly_and_kill_what_it_had_to_do_with_others() -> None:
    people = {"age": [20, 20, 20, 50], "town": ["a", "a", "a", "b"], "ill": ["x", "x", "x", "y"]}
    made = shoal.anonymize(people, quasi=["age", "town"], sensitive=["ill"], require="k=4")
    found = measure(made, people, queries=0)
    assert [(one.column, one.distance) for one in found.marginals] == [("age", 0.25), ("town", 0.25), ("ill", 0)]
    assert (found.numbers[0].before.mean, found.numbers[0].after.mean) == (27.5, 35)
    pairs = {one.columns: (one.measure, one.before, one.after) for one in found.associations}
    assert {pair: measure for pair, (measure, _, _) in pairs.items()} == {
        ("age", "town"): "correlation ratio",
        ("age", "ill"): "correlation ratio",
        ("town", "ill"): "Cramer's V",
    }
    assert [before for _, before, _ in pairs.values()] == pytest.approx([1, 1, 1])
    assert [after for _, _, after in pairs.values()] == pytest.approx([0, 0, 0])


def test_associations_before_are_those_of_numpy() -> None:
    draw = np.random.default_rng(5)
    x = draw.integers(0, 9, 200)
    people = {"x": x, "y": x + draw.integers(0, 5, 200), "g": draw.choice(list("abc"), 200)}
    made = shoal.anonymize(people, quasi=["x", "y", "g"], require="k=1")
    found = {one.columns: one.before for one in associations(read(made, people))}
    assert found["x", "y"] == pytest.approx(np.corrcoef(people["x"], people["y"])[0, 1])
    means = {g: x[people["g"] == g].mean() for g in "abc"}
    explained = np.mean([(means[g] - x.mean()) ** 2 for g in people["g"]])
    assert found["x", "g"] == pytest.approx(np.sqrt(explained / x.var()))


def test_numbers_with_missing_values_are_compared_without_them() -> None:
    people = pl.DataFrame({"age": [20, None, 40, 40], "void": pl.Series([None] * 4, dtype=pl.Int64)})
    made = shoal.anonymize(people, quasi=["age", "void"], require="k=4")
    age, void = numbers(read(made, people))
    assert (age.before.mean or 0, age.before.quantiles[2]) == pytest.approx((100 / 3, 40))
    assert (age.after.mean, void.before.mean, void.after.quantiles) == (30, None, ())
    assert all(one.after is None for one in associations(read(made, people)))
    assert propensity(read(made, people)).rows == 8


def test_a_centroid_lies_where_it_is() -> None:
    people = {"age": [20, 31, 40, 53]}
    made = shoal.anonymize(people, quasi=["age"], require="k=2", recoding="centroid", method="mondrian")
    (age,) = numbers(read(made, people))
    assert age.after.mean == pytest.approx(36)
    assert age.after.quantiles[0] == pytest.approx(25.5)


def test_drawn_values_are_values_that_the_cells_cover() -> None:
    columns = read(released("range"))
    rows = np.arange(ORIGINAL.height)
    for name in QUASIS:
        column = columns[name]
        drawn = drawn_features(columns, [name], rows, np.random.default_rng(0))
        for row in rows[::20]:
            covered = column.member[column.owner == column.of_row[row]]
            allowed = original_features(
                columns, [name], np.array([np.flatnonzero(column.codes == v)[0] for v in covered])
            )
            assert any(np.allclose(drawn[row], one) for one in allowed)
    assert published_features(columns, QUASIS, rows).shape == original_features(columns, QUASIS, rows).shape


def test_what_lost_more_can_be_told_apart_more_easily() -> None:
    little, much = (propensity(read(released("generalize", require=f"k={k}"))) for k in (2, 100))
    assert 0 <= little.share < much.share <= 1


def test_a_folder_says_what_memory_does(tmp_path: Path) -> None:
    made = released("range")
    folder = made.save(tmp_path / "out")
    memory, disk = (measure(one, ORIGINAL, queries=30) for one in (made, folder))
    one, other = json.loads(memory.to_json()), json.loads(disk.to_json())
    assert one["costs"] == other["costs"]
    assert one["marginals"] == [
        {**column, "distance": pytest.approx(column["distance"])} for column in other["marginals"]
    ]
    assert one["queries"] == pytest.approx(other["queries"])
    assert one["propensity"] == pytest.approx(other["propensity"])


@pytest.mark.parametrize("recoding", ["range", "anatomy"])
def test_the_order_of_rows_changes_nothing_that_is_drawn(recoding: str) -> None:
    turned = ORIGINAL.reverse()
    made = {name: released(recoding, data=frame) for name, frame in (("as it is", ORIGINAL), ("turned", turned))}
    one, other = read(made["as it is"]), read(made["turned"], turned)
    assert propensity(one).pmse == pytest.approx(propensity(other).pmse)
    kept = {name: release.classes.kept for name, release in made.items()}
    first, second = (
        learning._by_contents(columns, np.arange(len(rows)), rows)
        for columns, rows in zip((one, other), kept.values(), strict=True)
    )
    for name in QUASIS:
        assert (one[name].codes[kept["as it is"][first]] == other[name].codes[kept["turned"][second]]).all()


def test_a_folder_that_was_changed_is_not_measured(tmp_path: Path) -> None:
    folder = released("suppress").save(tmp_path / "out")
    path = folder / "public" / "table.csv"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(ReleaseError, match="was changed"):
        measure(folder, ORIGINAL)


def test_without_the_internal_part_costs_are_not_measured_and_it_is_said(tmp_path: Path) -> None:
    folder = released("range").save(tmp_path / "out")
    shutil.rmtree(folder / "internal")
    found = measure(folder, ORIGINAL, queries=0)
    assert {one.reason for one in found.costs} == {"it is unknown which published row stands for which original row"}
    assert len(found.notes) == 2
    along = released("generalize").save(tmp_path / "other")
    shutil.rmtree(along / "internal")
    with pytest.raises(TableError, match="fit no value of the original"):
        measure(along, ORIGINAL, queries=0)


def test_columns_raised_beforehand_are_raised_for_the_costs_too() -> None:
    made = released("generalize", coarsen="age=1")
    costs = {one.cost: one.value for one in measure(made, ORIGINAL, queries=0).costs}
    assert costs["ncp"] == pytest.approx(float(made.certificate.cost))


def test_rows_about_nobody_have_no_original_to_be_measured_with(tmp_path: Path) -> None:
    patients = pl.DataFrame(
        {"id": range(30), "age": [20 + number for number in range(30)], "ill": ["flu", "gout", "cold"] * 10}
    )
    asked, register = Request(["age"], "m(ill)=3", ["ill"], ["id"]), Register.at(tmp_path / "register")
    first = rerelease(Table.of(patients), asked, register, None).save(tmp_path / "first")
    made = rerelease(Table.of(patients[:-4]), asked, register.add(first, patients), first)
    assert made.counterfeits is not None
    assert made.counterfeits.height
    for release in (made, made.save(tmp_path / "second")):
        found = measure(release, patients[:-4], queries=20)
        assert {one.value for one in found.costs} == {None}
        assert found.published == made.table.height


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
def test_a_table_published_by_anyone_is_read_like_a_release(recoding: str) -> None:
    made = released(recoding)
    own = measure(made, ORIGINAL, queries=50)
    known = {"quasi": QUASIS, "sensitive": ["income", "occupation"], "hierarchies": HIERARCHIES}
    found = measure(made.table, ORIGINAL, queries=50, **known)  # type: ignore[arg-type]
    assert found.marginals == own.marginals
    assert found.associations == own.associations
    assert (found.queries, found.propensity) == (own.queries, own.propensity)
    with pytest.raises(ParameterError, match="leave them out: a release states its own"):
        measure(made, ORIGINAL, quasi=QUASIS)
    with pytest.raises(RoleError, match="no column is a quasi-identifier"):
        measure(made.table, ORIGINAL)


def test_the_loss_of_a_foreign_column_counts_values() -> None:
    people = {"age": [20, 21, 22, 40, 41], "town": ["a", "b", "a", "c", "c"]}
    shown = {"age": ["[20, 22]", "[20, 22]", "[20, 22]", "*", "41"], "town": ["{a, b}"] * 3 + ["c"] * 2}
    found = measure(shown, people, quasi=["age", "town"], queries=0)
    assert [one.loss for one in found.columns] == pytest.approx([(3 * 2 / 4 + 1) / 5, 3 / 5 / 2])


@pytest.mark.parametrize("recoding", ["range", "anatomy"])
def test_an_original_without_a_published_value_is_refused(recoding: str) -> None:
    people = {"age": [20, 30, 40, 50], "ill": ["flu", "gout", "flu", "gout"]}
    require = "l(ill)=2" if recoding == "anatomy" else "k=2"
    made = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require=require, recoding=recoding)
    with pytest.raises(TableError, match="published cells of 'ill' fit no value of the original") as refused:
        measure(made, {**people, "ill": ["flu", "cold", "flu", None]})
    assert "gout" not in str(refused.value)


def test_a_part_of_the_original_is_refused() -> None:
    people = pl.DataFrame({"age": [20, 30] * 4, "ill": ["flu", "gout"] * 4})
    made = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require="k=2")
    with pytest.raises(TableError, match="the original has 4 rows, too few for this release"):
        measure(made, people.head(4))


def test_another_table_is_refused() -> None:
    with pytest.raises(RoleError, match="the original has no column 'age'"):
        measure(released("range"), {"x": [1]})


# Classifiers


def test_without_scikit_learn_a_classifier_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sklearn", "sklearn.ensemble", "sklearn.linear_model"):
        monkeypatch.setitem(sys.modules, name, None)
    made = released("range")
    found = measure(made, ORIGINAL, queries=0)
    assert {one.model for one in found.classifiers} == {"naive-bayes"}
    needed = "this classifier needs scikit-learn; pip install 'shoal[ml]'"
    for model in ("logistic-regression", "random-forest"):
        assert f"no {model} for 'income': {needed}" in found.notes
        with pytest.raises(Unsupported, match="needs scikit-learn"):
            measure(made, ORIGINAL, target="income", classifiers=model, queries=0)


def test_a_target_must_be_sensitive() -> None:
    with pytest.raises(RoleError, match="'age' is not a sensitive column"):
        measure(released("range"), ORIGINAL, target="age", queries=0)


@pytest.mark.parametrize("model", learning.MODELS)
@pytest.mark.parametrize("recoding", ["range", "anatomy"])
def test_what_there_is_to_learn_is_learnt_from_the_release_too(recoding: str, model: str) -> None:
    if model != "naive-bayes":
        pytest.importorskip("sklearn", reason="the extra ml is not installed")
    draw = np.random.default_rng(2)
    age = draw.integers(20, 80, 600)
    people = {
        "age": age,
        "sex": draw.choice(["f", "m"], 600),
        "ill": np.where(age + draw.normal(0, 8, 600) > 55, "y", "n"),
    }
    require = {"range": "k=5", "anatomy": "l(ill)=1"}[recoding]
    made = shoal.anonymize(people, quasi=["age", "sex"], sensitive=["ill"], require=require, recoding=recoding)
    (found,) = measure(made, people, queries=0, classifiers=model, folds=4).classifiers
    assert (found.tested, found.folds, found.model) == (600, 4, model)
    for one in (found.original, found.release):
        assert one.accuracy > found.commonest + 0.15
        assert one.auc > 0.85
        assert one.brier < 0.35
        assert (one.roc[0], one.roc[-1]) == ((0, 0), (1, 1))
        heights = [height for _, height in one.roc]
        assert heights == sorted(heights)


def test_many_values_become_four_parts() -> None:
    column = read(released("range"))["income"]
    labels = learning._labels(column)
    assert len(column.values) > learning.VALUES
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]
    assert (np.diff(labels[np.argsort(column.codes, kind="stable")]) >= 0).all()
    assert np.bincount(labels).min() > 0.15 * ORIGINAL.height
