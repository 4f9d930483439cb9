"""Entropies, precision, squared error, losses of attributes and ambiguity, worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest

import shoal

FOUR = pl.DataFrame({"a": [1, 2, 3, 4], "b": ["same"] * 4})
"""With k = 2 and ranges the classes are {1, 2} and {3, 4}: one bit of two is left open, SSE / SST is 1 / 5."""
SKEWED = pl.DataFrame({"a": ["x", "x", "x", "y"], "b": ["same"] * 4})
"""With k = 4 the first column is starred, the second stays."""


@pytest.mark.parametrize(
    ("frame", "require", "recoding", "cost", "value"),
    [
        (FOUR, "k=2", "range", "entropy", 1 / 2),
        (FOUR, "k=2", "range", "non-uniform-entropy", 1 / 2),
        (FOUR, "k=2", "range", "normalized-entropy", 1 / 4),
        (FOUR, "k=2", "range", "squared-error", 1 / 5),
        (FOUR, "k=2", "range", "attribute-loss", 1 / 3),
        (FOUR, "k=4", "range", "squared-error", 1),
        (FOUR, "k=2", "range", "geometric-loss", (4 / 3) ** 0.5 - 1),
        (FOUR, "k=2", "range", "ambiguity", 2),
        (FOUR, "k=1", "range", "ambiguity", 1),
        (SKEWED, "k=4", "suppress", "geometric-loss", 2**0.5 - 1),
        (SKEWED, "k=4", "suppress", "ambiguity", 2),
        (SKEWED, "k=4", "suppress", "entropy", 1),
        (SKEWED, "k=4", "suppress", "non-uniform-entropy", 1),
        (SKEWED, "k=4", "suppress", "normalized-entropy", 1 / 2),
        (SKEWED, "k=4", "suppress", "precision", 1 / 2),
        (SKEWED, "k=4", "suppress", "attribute-loss", 1),
        (FOUR, "k=2", "range", "uniform-entropy", 1 / 2),
        (SKEWED, "k=4", "suppress", "uniform-entropy", 1),
        (SKEWED, "k=1", "suppress", "entropy", 0),
        (SKEWED, "k=1", "suppress", "non-uniform-entropy", 0),
    ],
)
def test_cost_is_what_it_is_by_hand(frame: pl.DataFrame, require: str, recoding: str, cost: str, value: float) -> None:
    release = shoal.anonymize(frame, quasi=["a", "b"], require=require, recoding=recoding, cost=cost, method="mondrian")
    assert float(release.certificate.cost) == pytest.approx(value)


def test_the_codebook_states_the_loss_of_every_column() -> None:
    release = shoal.anonymize(SKEWED, quasi=["a", "b"], require="k=4")
    assert {column["name"]: column["loss"] for column in release.codebook["columns"]} == {"a": 1.0, "b": 0.0}


def test_the_classification_metric_counts_rows_with_another_value_than_the_commonest_of_their_class() -> None:
    people = {"a": [1, 1, 2, 2], "s": ["x", "y", "x", "x"], "t": ["u", "v", "u", "v"]}
    asked = {"quasi": ["a"], "require": "k=2", "cost": "classification", "method": "mondrian"}
    one = shoal.anonymize(people, **asked, sensitive=["s"], leave_out=["t"])  # type: ignore[arg-type]
    both = shoal.anonymize(people, **asked, sensitive=["s", "t"])  # type: ignore[arg-type]
    assert (float(one.certificate.cost), float(both.certificate.cost)) == (1 / 4, 3 / 8)
