"""Columns raised before all else: by name, by the Safe Harbor rule, or to where a release loses least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import shoal as command
from tests.methods.test_time_limits import after
from tests.thorough import examples

import shoal
from shoal.core.errors import HierarchyError, ParameterError, RoleError, Unsupported
from shoal.hierarchies import Builder, Prefixes, as_builder
from shoal.hierarchies.raising import Raised
from shoal.methods.base import Deadline, silent
from shoal.methods.coarsening import Ladder, Wish, solve_raised
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.release.release import Release
from shoal.release.verification import verify
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table

ILLNESSES = ("flu", "gout", "asthma")
TREES: Mapping[str, str] = {"age": "intervals:width=5,10,20", "town": "prefixes:lengths=2,1"}


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Small tables with gaps, that are 2-diverse as a whole."""
    number = draw(st.integers(4, 10))
    ages = draw(st.lists(st.none() | st.integers(20, 59), min_size=number, max_size=number))
    towns = draw(st.lists(st.sampled_from(["111", "112", "121", "211", "*"]), min_size=number, max_size=number))
    ill = [ILLNESSES[place % 3] for place in range(number)]
    return pl.DataFrame({"age": ages, "town": towns, "ill": ill}, schema={"age": pl.Int64, "town": str, "ill": str})


def released(people: pl.DataFrame, coarsen: Any, **more: Any) -> Release:
    asked = {
        "quasi": ["age", "town"],
        "sensitive": ["ill"],
        "require": "l(ill)=2",
        "hierarchies": TREES,
        "method": "tp",
    }
    return shoal.anonymize(people, coarsen=coarsen, **{**asked, **more})


def lost(people: pl.DataFrame, release: Release) -> float:
    """The NCP of published cells under the hierarchies of the original, label by label."""
    total = 0.0
    for name, spec in TREES.items():
        ladder = Ladder.of(people[name], as_builder(spec))
        ncp = {
            label: loss
            for labels, losses in zip(ladder.hierarchy.labels, ladder.hierarchy.ncp, strict=True)
            for label, loss in zip(labels, losses, strict=True)
        }
        total += sum(ncp[cell] for cell in release.table[name].cast(pl.String))
    return total / people.height / len(TREES)


@settings(max_examples=examples(20))
@given(tables(), st.integers(0, 3), st.integers(0, 2), st.sampled_from(["suppress", "generalize", "range"]))
def test_a_release_of_a_raised_table_verifies_and_shows_nothing_finer(
    tmp_path_factory: pytest.TempPathFactory, people: pl.DataFrame, age: int, town: int, recoding: str
) -> None:
    levels = {"age": age, "town": town}
    ladders = {name: Ladder.of(people[name], as_builder(spec)) for name, spec in TREES.items()}
    if any(level > max(ladders[name].height, 0) for name, level in levels.items()):
        with pytest.raises(HierarchyError, match="raised to level"):
            released(people, levels, recoding=recoding, method="mondrian")
        return
    release = released(people, levels, recoding=recoding, method="mondrian")
    folder = release.save(tmp_path_factory.mktemp("raised") / "release")
    assert verify(folder, original=people).failures == []
    if recoding == "suppress":
        for name, level in levels.items():
            allowed = {*ladders[name].hierarchy.labels[level], "*"}
            assert set(release.table[name].cast(pl.String)) <= allowed


@settings(max_examples=examples(8))  # each makes two dozen releases
@given(tables())
def test_auto_takes_the_levels_at_which_least_is_lost(people: pl.DataFrame) -> None:
    heights = [Ladder.of(people[name], as_builder(spec)).height for name, spec in TREES.items()]
    every = [released(people, dict(zip(TREES, levels, strict=True))) for levels in product(*map(_to, heights))]
    assert lost(people, released(people, "auto")) == pytest.approx(min(lost(people, one) for one in every))


def _to(height: int) -> range:
    return range(max(height, 0) + 1)


def test_auto_of_many_columns_is_no_worse_than_raising_nothing(tmp_path: Path) -> None:
    people = census(3_000, seed=2)
    quasi = ["age", "education", "birthplace"]
    trees = {"age": "intervals:width=2,4,8,16,32", "education": "intervals:width=2,4,8", "birthplace": "stars"}
    people = people.with_columns(pl.col("education").rank("dense").cast(pl.Int64))
    asked: dict[str, Any] = {"quasi": quasi, "sensitive": ["income"], "require": "l(income)=4", "hierarchies": trees}
    release = shoal.anonymize(people.select(*quasi, "income"), coarsen="auto", method="tp", **asked)
    said = next(note for note in release.decisions if "settings tried" in note)
    best, plain = (float(part.split()[-1]) for part in said.split("NCP ")[1].split(", without raising "))
    assert best < plain
    assert "raised beforehand" in release.certificate.remarks[0]
    assert verify(release.save(tmp_path / "out"), original=people.select(*quasi, "income")).passed


def test_time_over_leaves_the_first_setting() -> None:
    people = pl.DataFrame({"age": [20, 30, 40, 50], "town": ["111", "112", "121", "211"], "ill": ["a", "b", "a", "b"]})
    assert released(people, "auto", time_limit=0).audit.holds


@pytest.mark.parametrize("method", ["auto", "cube", "optimal", "peel", "tp"])
def test_a_longer_limit_never_takes_worse_levels_nor_gives_a_dearer_release_at_the_same(method: str) -> None:
    """Levels are compared by what the release tried there loses, releases at the same levels by their cost."""
    ages, towns = [21 + 7 * row % 40 for row in range(60)], [f"{1 + row % 3}{row % 2}{row % 5}" for row in range(60)]
    people = pl.DataFrame({"age": ages, "town": towns, "ill": [ILLNESSES[row // 2 % 3] for row in range(60)]})
    request = Request(["age", "town"], "l(ill)=2", ["ill"], hierarchies=TREES, method=method, coarsen="auto")
    found, losses = [], {}
    for limit in (*(after(steps) for steps in (0, 2, 5, 10, 20, 40, 80, 160, 400, 2_000)), Deadline()):
        asked = prepare(Table.of(people), request, deadline=limit)
        solution = solve_raised(asked.problem, asked.raised, method, seed=0, deadline=limit, progress=silent)
        levels = {name: raised.level for name, raised in asked.raised.columns.items()}
        if str(levels) not in losses:
            losses[str(levels)] = lost(people, released(people, levels))
        found.append((losses[str(levels)], solution.cost))
        assert solution.cost <= Mondrian().run(asked.problem).cost or not solution.cut
    assert found == sorted(found, reverse=True)
    assert len(losses) > 1
    assert not solution.cut


def test_a_release_that_levels_were_chosen_by_is_not_thrown_away() -> None:
    """It is taken where a method that never gets dearer with more time has a dearer one."""
    asked = prepare(Table.of({"age": [1, 1, 2, 2, 3, 3]}), Request(["age"], "k=2", recoding="generalize"))
    dear = replace(asked.raised, release=asked_release(asked.problem, 0.0))
    cheap = solve_raised(asked.problem, dear, "cube", seed=0, deadline=Deadline(), progress=silent)
    assert (cheap.cost, cheap.method) == (0.0, "cube")
    below = replace(asked.raised, release=asked_release(asked.problem, -1.0))
    assert solve_raised(asked.problem, below, "cube", seed=0, deadline=Deadline(), progress=silent).method == "tp"
    assert solve_raised(asked.problem, below, "forest", seed=0, deadline=Deadline(), progress=silent).method == "forest"


def asked_release(problem: Problem, cost: float) -> Solution:
    """A release that is said to be of TP and to cost so much."""
    return Solution(Partition.whole(problem.rows), cost, "feasible", "tp")


def test_the_safe_harbor_rule_raises_dates_postcodes_and_ages() -> None:
    people = pl.DataFrame(
        {
            "born": ["1950-02-01", "1950-07-30", "1961-01-01", "1961-12-31"],
            "zip": [2139, 2142, 82300, 82399],
            "age": [34, 34, 91, 97],
            "job": ["a", "a", "b", "b"],
            "seen": ["2024-01-01"] * 4,
        }
    )
    quasi = ["born", "zip", "age", "job"]
    release = shoal.anonymize(people, quasi=quasi, other="rest", require="k=2", coarsen="hipaa", method="mondrian")
    assert float(release.certificate.cost) == 0
    assert release.table.select(quasi).unique().sort("born").rows() == [
        ("1950", "021**", "34", "a"),
        ("1961", "000**", "90+", "b"),
    ]
    assert any("which are not raised by it: seen" in note for note in release.decisions)


def test_columns_that_the_rule_speaks_of_but_cannot_read_are_named() -> None:
    people = {"zip": ["02139", "02142", "n/a", "n/a"], "dob": ["1950-02-01", "1950-02-01", "?", "?"], "job": ["a"] * 4}
    release = shoal.anonymize(
        people, quasi=["zip", "dob", "job"], leave_out="rest", require="k=2", coarsen="hipaa", method="mondrian"
    )
    assert any("which are not raised by it: zip, dob" in note for note in release.decisions)


def test_the_rule_leaves_hierarchies_of_the_owner_alone() -> None:
    people = {"zip": ["02139", "02142", "02139", "02142"]}
    kept = shoal.anonymize(people, quasi=["zip"], require="k=2", coarsen="hipaa", hierarchies={"zip": "prefixes"})
    assert set(kept.table["zip"]) == {"02139", "02142"}
    higher = shoal.anonymize(people, quasi=["zip"], require="k=2", coarsen="zip=2", hierarchies={"zip": "prefixes"})
    assert set(higher.table["zip"]) == {"021**"}


def test_blocks_of_numbers_keep_their_order() -> None:
    column, above = Raised(as_builder("intervals:width=10,50"), 1).of(pl.Series("pay", [105, 9, 95, None]))
    assert column.to_list() == ["[100, 110)", "[0, 10)", "[90, 100)", None]
    assert column.sort().to_list()[1:] == ["[0, 10)", "[90, 100)", "[100, 110)"]
    assert above.build(column.unique().sort(nulls_last=True)).labels[1] == ("[0, 50)", "[50, 100)", "[100, 150)", None)


def test_a_missing_value_stays_in_its_block() -> None:
    tree = as_builder({"North": ["Oslo", "Bergen"], "South": ["Rome", None]})
    column, above = Raised(tree, 1).of(pl.Series("town", ["Oslo", None, "Rome"]))
    assert column.to_list() == ["North", "South", "South"]
    assert isinstance(above, Builder)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("automatic", ParameterError, "coarsen is 'automatic'"),
        ("age=high", ParameterError, "level is 'high'"),
        ({"age": -1}, ParameterError, "level is -1"),
        ("ill=1", RoleError, "coarsen names 'ill'"),
        ("age=9", HierarchyError, "from 1 to 3"),
    ],
)
def test_what_cannot_be_raised_is_refused(given: Any, error: type[Exception], said: str) -> None:
    people = pl.DataFrame({"age": [20, 30, 40, 50], "town": ["111", "112", "121", "211"], "ill": ["a", "b", "a", "b"]})
    with pytest.raises(error, match=said):
        released(people, given)


def test_levels_are_chosen_only_where_cells_are_blocks() -> None:
    people = {"age": [20, 30, 40, 50], "ill": ["a", "b", "a", "b"]}
    with pytest.raises(Unsupported, match="coarsen cannot choose levels with the recoding 'range'"):
        shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require="k=2", coarsen="auto", recoding="range")


def test_a_population_is_not_raised() -> None:
    people = {"age": [20, 20, 40, 40]}
    with pytest.raises(Unsupported, match="with a population"):
        shoal.anonymize(people, quasi=["age"], require="kmap=2", population=people, coarsen="hipaa")


def test_words_and_levels_are_read_together() -> None:
    wish = Wish.of("auto, hipaa , a=b=3")
    assert (sorted(wish.words), dict(wish.levels)) == (["auto", "hipaa"], {"a=b": 3})
    assert not Wish.of(None)


def test_nothing_is_raised_unless_asked() -> None:
    table = Table.of({"age": [20, 20]})
    asked = prepare(table, Request(["age"], "k=2"))
    assert asked.raised.columns == {}
    assert asked.problem.microdata.table is table or asked.problem.microdata.table.frame.equals(table.frame)


def test_the_command_raises_and_verify_does_again(tmp_path: Path) -> None:
    file, out = tmp_path / "people.csv", tmp_path / "out"
    rng = np.random.default_rng(0)
    pl.DataFrame({"age": rng.integers(20, 60, 40), "zip": rng.integers(10_000, 99_999, 40)}).write_csv(file)
    asked = ("--quasi", "age,zip", "--require", "k=2", "--hierarchy", "age=intervals:width=10,20")
    assert command("anonymize", file, *asked, "--coarsen", "hipaa,age=2", "-o", out).code == 0
    shown = pl.read_csv(out / "public" / "table.csv")
    assert set(shown["age"]) <= {"[20, 40)", "[40, 60)", "*"}
    assert all(cell == "*" or cell.endswith("**") for cell in shown["zip"])
    assert command("verify", out, "--original", file).code == 0
    assert command("compare", file, *asked, "--coarsen", "age=1", "--methods", "mondrian").code == 0


def test_prefixes_are_raised_by_three_digits() -> None:
    column, above = Raised(Prefixes(3), 1).of(pl.Series("zip", ["90210", "90299"]))
    assert column.to_list() == ["902**", "902**"]
    assert above.build(column.unique()).height == 1


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "centroid"])
def test_attacks_and_utility_read_raised_columns(tmp_path: Path, recoding: str) -> None:
    people = census(400, seed=3).select("age", "education", "income")
    asked: dict[str, Any] = {"quasi": ["age", "education"], "sensitive": ["income"], "require": "k=3"}
    release = shoal.anonymize(people, coarsen={"age": 2}, recoding=recoding, method="mondrian", **asked)
    folder = release.save(tmp_path / "out")
    for made in (release, folder):
        attacked = shoal.attack(made, people, attacks=["linkage", "downcoding"])
        assert len(attacked.of("downcoding")) == (recoding in ("suppress", "generalize"))
        found = attacked.of("linkage")[0]
        assert found.before is not None
        assert found.after == 0 < found.before
        kept = shoal.utility.measure(made, people)
        assert 0 < next(one.distance for one in kept.marginals if one.column == "age") < 1
