"""The cost of centroids as the checker works it out: what the oracle says, of any classes of any table."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.release.test_verification import reseal
from tests.strategies import MODELS, cases
from tests.thorough import examples

import shoal
from shoal.checking.centroid_cost import centroid_cost
from shoal.microdata.partition import Partition
from shoal.recoding.centroid import CentroidCells


@pytest.mark.parametrize(("recoding", "cost"), [("centroid", "centroid-error"), ("mixed-centroid", "mixed-loss")])
@settings(max_examples=examples(20))
@given(data=st.data())
def test_the_checker_measures_what_the_oracle_does(recoding: str, cost: str, data: st.DataObject) -> None:
    case = data.draw(cases(8, [recoding], [MODELS["k"]], costs=[cost]))
    labels = data.draw(st.lists(st.integers(-1, 3), min_size=len(case.rows), max_size=len(case.rows)))
    labels[0] = max(labels[0], 0)
    published = case.problem.publish(Partition.of(np.array(labels)))
    columns = [
        {
            "name": cells.column.name,
            "role": "quasi",
            "recoding": column.recoded(recoding),
            "cells": []
            if isinstance(cells, CentroidCells)
            else [{"cell": label, "ncp": ncp} for label, ncp in zip(cells.labels, cells.ncp, strict=True)],
        }
        for cells, column in zip(published.cells, case.oracle.quasi, strict=True)
    ]
    weights = {name: float(weight) for name, weight in case.weights.items()}
    book = {"recoding": recoding, "cost": {"name": cost, "weights": weights}, "columns": columns}
    partition = published.partition
    found = centroid_cost(published.frame(), case.frame, pl.Series(partition.kept), book, partition.dropped)
    groups = [tuple(np.flatnonzero(partition.class_of_row == one).tolist()) for one in range(len(partition))]
    assert found == pytest.approx(float(case.oracle.cost(cost, groups)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("recoding", ["centroid", "mixed-centroid"])
def test_a_cost_that_is_stated_too_low_is_found(recoding: str, tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [20, 22, 30, 38, 50, 51], "sex": ["f", "m", "f", "m", "f", "m"]})
    asked = shoal.anonymize(people, quasi=["age", "sex"], require="k=2", recoding=recoding, method="mondrian")
    folder = asked.save(tmp_path / "release")
    cost = {"name": asked.certificate.cost.name, "value": float(asked.certificate.cost) / 2}
    reseal(folder, cost=cost)
    (failure,) = shoal.verify(folder, original=people).failures
    assert failure.startswith("the cost is that of the published cells over the original: recomputed as")
