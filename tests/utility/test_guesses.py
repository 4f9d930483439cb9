"""Classifiers' guesses: against definitions row by row, and against scikit-learn where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.core.errors import ParameterError, RoleError, Unsupported
from shoal.utility import measure
from shoal.utility.guesses import quality
from shoal.utility.naive_bayes import NaiveBayes

DRAW = np.random.default_rng(7)
TRUTH = DRAW.integers(0, 3, 200)
CHANCES = DRAW.dirichlet([1, 1, 1], 200).round(1)  # rounded, so that there are ties
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
PEOPLE: dict[str, list[Any]] = {
    "age": [20, 21, 22, 23, 50, 51, 52, 53] * 3,
    "town": ["a", "a", "b", "b"] * 6,
    "ill": ["flu", "flu", "flu", "gout", "gout", "gout", "gout", "flu"] * 3,
}


def test_the_area_is_the_chance_to_rank_two_rows_rightly() -> None:
    areas = []
    for target in range(3):
        has = np.equal(TRUTH, target)
        ours, others = CHANCES[has, target], CHANCES[~has, target]
        areas.append(((ours[:, None] > others).mean() + (ours[:, None] == others).mean() / 2, len(ours)))
    found = quality(CHANCES, TRUTH)
    assert found.auc == pytest.approx(sum(area * rows for area, rows in areas) / 200)
    assert found.brier == pytest.approx(((CHANCES - np.eye(3)[TRUTH]) ** 2).sum() / 200)
    under = np.trapezoid([height for _, height in found.roc], [alarms for alarms, _ in found.roc])
    assert under == pytest.approx(found.auc, abs=0.02)


def test_the_figures_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="the extra ml is not installed")
    found = quality(CHANCES, TRUTH)
    expected = metrics.roc_auc_score(TRUTH, CHANCES, multi_class="ovr", average="weighted")
    assert found.auc == pytest.approx(expected)
    assert found.accuracy == metrics.accuracy_score(TRUTH, CHANCES.argmax(axis=1))


def test_naive_bayes_is_the_one_of_scikit_learn() -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes", reason="the extra ml is not installed")
    bins = np.column_stack([DRAW.integers(0, 4, 300), DRAW.integers(0, 3, 300)])
    labels, weight = (bins.sum(axis=1) + DRAW.integers(0, 3, 300)) // 3, DRAW.random(300)
    theirs = bayes.CategoricalNB(alpha=1.0, min_categories=[4, 3]).fit(bins, labels, sample_weight=weight)
    shares = np.column_stack([np.eye(4)[bins[:, 0]], np.eye(3)[bins[:, 1]]])
    ours = NaiveBayes([4, 3]).fit(shares, labels, weight)
    assert ours.predict_proba(shares) == pytest.approx(theirs.predict_proba(bins))


def test_a_perfect_and_a_blind_guess() -> None:
    perfect = quality(np.eye(3)[TRUTH], TRUTH)
    assert (perfect.accuracy, perfect.brier, perfect.auc) == (1, 0, 1)
    blind = quality(np.full((200, 3), 1 / 3), TRUTH)
    assert (round(blind.brier, 9), blind.auc) == (round(2 / 3, 9), 0.5)


def test_contingency_tables_count_pairs_before_and_after() -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], sensitive=["ill"], require="k=24", recoding="suppress")
    (found,) = measure(made, PEOPLE, queries=0, tables=["town,ill"]).tables
    assert found.values == (("a", "b"), ("flu", "gout"))
    pairs = list(zip(PEOPLE["town"], PEOPLE["ill"], strict=True))
    assert found.before == tuple(tuple(float(pairs.count((t, i))) for i in ("flu", "gout")) for t in "ab")
    assert found.after == ((6.0, 6.0), (6.0, 6.0))  # all stars: towns are equally common, whatever the illness
    moved = np.abs(np.array(found.before) - np.array(found.after)).sum() / 2 / 24
    assert found.distance == pytest.approx(moved)


def test_statistics_of_columns() -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], sensitive=["ill"], require="k=1", recoding="generalize")
    found = measure(made, PEOPLE, queries=0)
    age = np.array(PEOPLE["age"], dtype=float)
    kurtosis = ((age - age.mean()) ** 4).mean() / age.var() ** 2 - 3
    assert found.numbers[0].before.kurtosis == pytest.approx(kurtosis)
    assert (found.numbers[0].before.mode, found.numbers[0].after.mode) == (20, 20)
    assert [(one.mode_before, one.mode_after) for one in found.marginals] == [("20", "20"), ("a", "a"), ("flu", "flu")]
    assert [one.intensity for one in found.columns] == [0, 0]


@pytest.mark.parametrize(("recoding", "intensity"), [("suppress", 1.0), ("full-domain", None), ("range", None)])
def test_the_intensity_is_the_mean_level_of_a_column(recoding: str, intensity: float | None) -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], sensitive=["ill"], require="k=24", recoding=recoding)
    found = measure(made, PEOPLE, queries=0)
    if recoding == "full-domain":
        cost = {one.cost: one.value for one in found.costs}["precision"]
        assert np.mean([one.intensity for one in found.columns]) == pytest.approx(cost)
    else:
        assert [one.intensity for one in found.columns] == [intensity] * 2


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"tables": ["age"]}, ParameterError),
        ({"tables": ["age,void"]}, RoleError),
        ({"classifiers": "perceptron"}, ParameterError),
        ({"folds": 1, "classifiers": "naive-bayes"}, ParameterError),
        ({"folds": 25, "classifiers": "naive-bayes", "target": "ill"}, Unsupported),
    ],
)
def test_wrong_questions_are_refused(asked: dict[str, object], error: type[Exception]) -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], sensitive=["ill"], require="k=2")
    with pytest.raises(error):
        measure(made, PEOPLE, queries=0, **asked)  # type: ignore[arg-type]


def test_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="the extra plot is not installed")
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], sensitive=["ill"], require="k=2")
    measure(made, PEOPLE, queries=0, classifiers="naive-bayes").plot(tmp_path / "roc.svg")
    assert "naive-bayes" in (tmp_path / "roc.svg").read_text()
    alone = shoal.anonymize(PEOPLE, quasi=["age", "town"], require="k=2", leave_out="rest")
    with pytest.raises(Unsupported, match="no classifier to draw"):
        measure(alone, PEOPLE, queries=0).plot()
