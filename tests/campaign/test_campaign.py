"""The campaign itself: a little of it, what it found before, and that the definitions know every model."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.campaign import law
from tests.campaign.definitions import MODELS as DEFINED
from tests.campaign.encoding import difference
from tests.campaign.law import ACROSS, METHODS, Choice, Seen, examine
from tests.campaign.ledger import Tally, append, lines
from tests.campaign.shard import breaks_again, one_table, run, still_broken
from tests.campaign.shrinking import smallest
from tests.campaign.summary import write_summary
from tests.campaign.trials import MODELS, Drawn, trial_of
from tests.thorough import many

from shoal.methods.auto import choose
from shoal.microdata.partition import Partition

FOUND: list[tuple[str, dict[str, Any]]] = [
    (
        "anneal",
        {
            "columns": {"truth": [False], "salary": [5]},
            "require": "entropy-l(salary)=1",
            "recoding": "suppress",
            "cost": "uniform-entropy",
        },
    ),
    (
        "incognito",
        {
            "columns": {"number": [2, 2, 2], "text": ["v", "e", "e"], "illness": ["gout", "cold", "gout"]},
            "require": "no-attack-journalist=(7/3,5/6)",
            "recoding": "full-domain",
            "population": {"number": [2, 2, 2, 1, 1, 2], "text": ["e", "e", "v", "v", "v", "e"]},
        },
    ),
    (
        "samarati",
        {
            "columns": {
                "truth": [True] * 7,
                "illness": ["asthma", None, "asthma", None, None, None, "asthma"],
                "salary": [2, 5, 5, 2, 5, 2, 2],
            },
            "require": "grassberger-l(salary)=2 entropy-l(illness)=2",
            "recoding": "full-domain",
            "max_dropped": "1/2",
        },
    ),
    (
        "subset-dp",
        {
            "columns": {"odd text": ['"', "x | missing", '"', '"'], "salary": [10, 5, 10, 10]},
            "require": "k-households=3",
            "recoding": "generalize",
            "max_dropped": "1/2",
            "homes": [2, 3, 2, 1],
        },
    ),
    (
        "simplex-matching",
        {
            "columns": {"odd text": ["{a, b}", '"', "{a, b}"], "illness": ["gout", "gout", "cold"]},
            "require": "k-households=2",
            "recoding": "generalize",
            "max_dropped": "1/2",
            "homes": [3, 2, 3],
        },
    ),
    (
        "subset-dp",
        {
            "columns": {
                "truth": [False, True, False, True],
                "day": ["2024-02-29", "2024-02-29", "2000-01-01", "2000-01-01"],
                "number": [4, 4, 1, None],
                "salary": [10, 5, 5, 5],
            },
            "require": "entropy-l(salary)=1.25",
            "recoding": "generalize",
            "cost": "entropy",
            "max_dropped": "1/4",
        },
    ),
]
"""The smallest tables that broke a law once."""
_SMALL = {"columns": {"number": [1, 2, 4, 9], "illness": ["cold"] * 4}, "require": "k=2", "recoding": "range"}


@pytest.mark.parametrize(("method", "data"), FOUND)
def test_what_the_campaign_found_is_mended(method: str, data: dict[str, Any]) -> None:
    trial = trial_of(data)
    assert not examine(trial, [method], True, Random(0)).broken
    assert not examine(trial, METHODS, False, Random(0)).broken


def test_a_few_tables_keep_the_law(tmp_path: Path) -> None:
    tally = Tally()
    choice = Choice()
    for number in range(many(150)):
        one_table(number, choice, tally, tmp_path / "ledger.jsonl")
    assert not (tmp_path / "ledger.jsonl").exists()
    assert tally.runs > tally.tables > 0
    assert tally.releases


@pytest.mark.slow
def test_more_tables_keep_the_law(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    run(path, 0, 1, seconds=60.0 * many(1), tables=5000 * many(1))
    assert not [line for line in lines([path]) if "failure" in line]


def test_every_model_is_defined() -> None:
    assert set(MODELS) == DEFINED


def test_a_trial_is_read_back_from_the_ledger() -> None:
    choice = Choice()
    for trial, _ in filter(None, (choice.draw(Drawn(number)) for number in range(100))):
        data = json.loads(json.dumps(trial.as_data(), default=str))
        again = trial_of(data)
        assert again.as_data() == data
        assert again.rows == trial.rows


def test_tables_are_encoded_as_shoal_encodes_a_frame() -> None:
    choice = Choice()
    for trial, _ in filter(None, (choice.draw(Drawn(number)) for number in range(many(60)))):
        assert not difference(trial.microdata, trial.encoded_by_shoal()), trial


def test_what_is_always_refused_is_seldom_asked() -> None:
    cell = "forest|range|k"
    known = Tally(reasons={cell: "it is for stars"})
    known.cells[cell].update({"unsupported": Choice.OFTEN + 1})
    choice = Choice(known)
    assert ("range", "k") not in choice.open["forest"]
    assert ("range", "k") in choice.open["mondrian"]
    choice.learn(trial_of(_SMALL), Seen(outcomes={"forest": "published"}))
    assert ("range", "k") in choice.open["forest"]


def test_a_broken_law_is_seen_and_shrunk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A method that forgets to check what it publishes is found, and the table is as small as can be."""

    def careless(problem: Any, name: str, **more: Any) -> Any:
        found = choose(problem, name, **more)
        whole = len(set(found.partition.class_of_row.tolist())) == 1
        return found if whole else replace(found, partition=Partition.of(problem.microdata.tuple_of_row))

    monkeypatch.setattr(law, "choose", careless)
    data = {
        "columns": {"number": [1, 1, 2, 2, 4, 9], "truth": [True] * 6, "illness": ["cold"] * 6},
        "require": "k=2 alpha(illness)=1",
        "recoding": "range",
    }
    seen = examine(trial_of(data), ["mondrian"], True, Random(0))
    assert "meet every model, by definition: k" in seen.broken["mondrian"]
    found = smallest(trial_of(data), lambda one: breaks_again(one, "mondrian", seen.broken["mondrian"], ["mondrian"]))
    assert len(found.rows) == 4
    assert (found.require, found.quasi) == ("k=2", ("number",))


def test_a_bound_that_another_release_disproves_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:

    def boasting(problem: Any, name: str, **more: Any) -> Any:
        found = choose(problem, name, **more)
        return replace(found, lower_bound=found.cost + 1) if name == "mondrian" else found

    monkeypatch.setattr(law, "choose", boasting)
    seen = examine(trial_of(_SMALL), ["mondrian", "subset-dp"], False, Random(0))
    assert seen.broken == {"mondrian": ACROSS + "no release costs less than a lower bound"}


def test_a_shard_goes_on_where_its_ledger_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.campaign.shard.BLOCK", 1)
    path = tmp_path / "ledger-0-of-2.jsonl"
    run(path, 0, 2, seconds=60, tables=1)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"block": 2, "cut off')
    run(path, 0, 2, seconds=60, tables=1)
    assert [line["block"] for line in lines([path])] == [0, 2]
    append(path, {"failure": "a law", "method": "mondrian", "case": _SMALL})
    write_summary([path], tmp_path, still_broken)
    totals = json.loads((tmp_path / "campaign.json").read_text(encoding="utf-8"))
    assert totals["tables"] == 2
    assert totals["failures"] == {"mondrian: a law": 1}
    assert totals["still_broken"] == 0
