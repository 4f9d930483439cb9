"""The transformer of scikit-learn: a release inside a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.core.errors import Unsupported
from shoal.dataframes import Anonymizer
from shoal.dataframes import transformer as module

PEOPLE = {"id": list(range(40)), "age": [20 + n % 9 for n in range(40)], "sex": list("fm") * 20}
CLASSES = [n % 2 for n in range(40)]
ASKED: dict[str, Any] = {"quasi": ["age", "sex"], "identifiers": ["id"], "require": "k=3"}


def sklearn(name: str) -> Any:
    return pytest.importorskip(f"sklearn.{name}", reason="scikit-learn is not installed")


def test_rows_come_out_as_they_are_published() -> None:
    sklearn("base")
    frame = pd.DataFrame(PEOPLE, index=range(100, 140))
    made = Anonymizer(**ASKED)
    published = made.fit_transform(frame, CLASSES)
    assert published.index.equals(frame.index)
    assert published["age"].tolist() == shoal.anonymize(PEOPLE, **ASKED).table["age"].to_list()
    assert made.get_feature_names_out().tolist() == ["age", "sex"] == list(published.columns)
    assert made.release_.audit.holds
    assert made.transform(frame).equals(published)
    assert isinstance(Anonymizer(**ASKED).fit_transform(pl.DataFrame(PEOPLE)), pl.DataFrame)


def test_it_is_cloned_and_searched_as_estimators_are() -> None:
    base = sklearn("base")
    made = base.clone(Anonymizer(**ASKED))
    assert made.get_params() == Anonymizer(**ASKED).get_params()
    assert made.set_params(require="k=5", recoding="suppress").recoding == "suppress"
    assert set(made.get_params()) >= {"sensitive", "household", "max_dropped", "hierarchies"}
    with pytest.raises(ValueError, match="Invalid parameter"):
        made.set_params(requires="k=5")


def test_it_works_in_a_pipeline() -> None:
    pipeline, preprocessing = sklearn("pipeline"), sklearn("preprocessing")
    linear = sklearn("linear_model")
    frame = pd.DataFrame(PEOPLE)
    made = pipeline.make_pipeline(
        Anonymizer(**ASKED), preprocessing.OneHotEncoder(handle_unknown="ignore"), linear.LogisticRegression()
    ).fit(frame, CLASSES)
    assert np.mean(made.predict(frame) == CLASSES) > 0.5
    with pytest.raises(Unsupported, match="other rows have no class in it"):
        made.predict(frame.head(3))


def test_what_cannot_be_done_is_said() -> None:
    sklearn("base")
    with pytest.raises(Unsupported, match="nothing was fitted yet"):
        Anonymizer(**ASKED).get_feature_names_out()
    few = pl.DataFrame({"age": [20] * 8, "ill": list("aaaaaabc")})
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "require": "l(ill)=2", "max_dropped": 0.5}
    with pytest.raises(Unsupported, match="a transformer must keep all of them"):
        Anonymizer(**asked).fit(few)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"pip install 'shoal\[ml\]'"):
        Anonymizer(**ASKED)
