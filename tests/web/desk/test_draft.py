"""A draft repeats itself: as plain data, as a shoal.toml, as Python."""

import json
from pathlib import Path

import pytest

import shoal
from shoal.config import read_config
from shoal.core.errors import ParameterError
from shoal.pipeline import run
from shoal.request import Request
from shoal.tables.table import read
from shoal.web.desk import Draft, History
from shoal.web.desk.draft_checks import part
from shoal.web.desk.history import MOST

TEXT = "name;age;town;ill;note\n" + "".join(
    f"p{i};{20 + i % 7};{'ab'[i % 2]}{i % 3};{'xyz'[i % 3]};{i % 2},5\n" for i in range(24)
)


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    file = tmp_path / "people.csv"
    file.write_text(TEXT)
    return Draft().changed(
        file=str(file),
        separator=";",
        roles={"name": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive", "note": "other"},
        hierarchies={"age": "intervals:width=2,4", "town": {"a": ["a0", "a1", "a2"], "b": ["b0", "b1", "b2"]}},
        require=["k=3", "l(ill)=1.5"],
        recoding="generalize",
        cost="ncp",
        column_recodings={"age": "range"},
        attribute_weights={"age": 2},
        max_dropped="0.1",
        seed=3,
        time_limit=20.0,
    )


def test_a_recoding_that_cannot_be_mixed_is_refused_where_it_is_typed() -> None:
    assert part("column_recodings", {"age": "centroid"}) == {"age": "centroid"}
    with pytest.raises(ParameterError, match="the recoding of 'age' is 'anatomy'; expected suppress or generalize"):
        part("column_recodings", {"age": "anatomy"})


def test_plain_data_and_back(draft: Draft) -> None:
    assert Draft.from_dict(json.loads(json.dumps(draft.to_dict()))) == draft
    assert Draft.from_dict({**draft.to_dict(), "of a later version": 1}) == draft


def test_the_configuration_asks_for_the_same(draft: Draft, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(draft.toml(file="people.csv"))
    settings = read_config(tmp_path / "shoal.toml")
    assert settings.pop("folder") == str(tmp_path / "release")
    assert settings.pop("file") == draft.file
    assert settings.pop("separator") == ";"
    asked = Request(**settings)
    assert asked == draft.request()


def test_the_script_makes_the_same_release(draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draft = draft.changed(method="mondrian", time_limit=None)
    exec(draft.python(file="people.csv"), {})
    made = run(read(str(draft.file), **draft.reading), draft.request())
    made.save("again")
    assert (tmp_path / "release/public/table.csv").read_bytes() == (tmp_path / "again/public/table.csv").read_bytes()
    assert shoal.verify("release", original=str(draft.file)).passed


def test_coarsening_and_format_are_repeated(draft: Draft) -> None:
    asked = draft.changed(coarsen="age=1", format="parquet", separator=None)
    assert 'coarsen = "age=1"' in asked.toml()
    assert 'format = "parquet"' in asked.toml()
    assert "coarsen='age=1'" in asked.python()
    assert "format='parquet'" in asked.python()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"rolls": {}}, "did you mean 'roles'"),
        ({"roles": {"age": "quazi"}}, "did you mean 'quasi'"),
    ],
)
def test_what_a_draft_has_not_is_refused(parts: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Draft().changed(**parts)


def test_no_model_no_request() -> None:
    with pytest.raises(ParameterError, match="no privacy model"):
        Draft().request()


def test_history_forgets_what_was_undone_and_what_is_long_ago() -> None:
    history = History()
    for seed in range(1, 2 * MOST):
        history = history.then(Draft(seed=seed))
    assert len(history.drafts) == MOST
    back = history.undone().undone().then(Draft(seed=-1))
    assert (back.draft.seed, back.can_redo, back.undone().draft.seed) == (-1, False, 2 * MOST - 3)
    assert back.then(back.draft) is back
    assert History.from_dict(json.loads(json.dumps(back.to_dict()))) == back
