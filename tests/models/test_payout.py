"""Payouts: the definition in plain numbers, the best of all levels, ties, what is refused, audit and verification."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from fractions import Fraction
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.full_domain.test_full_domain import check, problem_of
from tests.thorough import examples

import shoal
from shoal.core.errors import HierarchyError, Infeasible, Unsupported
from shoal.hierarchies import Taxonomy
from shoal.hierarchies.leaf_counts import leaf_counts
from shoal.microdata.histogram import Classes
from shoal.models.payout import Payout

AGES = Taxonomy([(str(age), f"{age // 10 * 10}s") for age in range(20, 60)])
TOWNS = Taxonomy.from_tree({"North": ["Oslo", "Bergen"], "South": ["Rome", "Bari", "Pisa", "Como"]})
LETTERS = Taxonomy([(letter, "ab" if letter in "ab" else "cd") for letter in "abcd"])
UNDER = {**{str(age): 1 for age in range(20, 60)}, **dict.fromkeys(("20s", "30s", "40s", "50s"), 10)}
UNDER |= {**dict.fromkeys(("Oslo", "Bergen", "Rome", "Bari", "Pisa", "Como"), 1), "North": 2, "South": 4}
ASKED: dict[str, Any] = {"quasi": ["age", "town"], "hierarchies": {"age": AGES, "town": TOWNS}}


def people(rows: int = 60, seed: int = 1) -> pl.DataFrame:
    draw = random.Random(seed)
    towns = [draw.choice(["Oslo", "Bergen", "Rome", "Bari"]) for _ in range(rows)]
    return pl.DataFrame({"age": [draw.randrange(20, 60) for _ in range(rows)], "town": towns})


def payout(cells: Sequence[str], group: int, prices: Sequence[float]) -> float:
    """What a row with these cells brings, found among so many."""
    gain, cost, benefit, penalty = prices
    open_bits = log2(40 if cells[0] == "*" else UNDER[cells[0]]) + log2(6 if cells[1] == "*" else UNDER[cells[1]])
    lost = open_bits / (log2(40) + log2(6))
    return benefit * (1 - lost) - (penalty / group if gain / group > cost else 0)


def test_a_label_covers_the_values_that_the_hierarchy_lists() -> None:
    known = leaf_counts(TOWNS)
    assert (known["North"], known["South"], known["Oslo"], known["*"], known[None]) == (2, 4, 1, 6, 1)
    assert leaf_counts(shoal.hierarchies.as_builder("intervals:width=10")) == {}


@settings(max_examples=examples(60))
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=9),
    prices=st.tuples(*(st.integers(0, 4) for _ in range(2)), st.integers(1, 4), st.integers(0, 6)),
    gone=st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2)]),
    more=st.sampled_from(["", " k=2"]),
)
def test_it_is_the_best_of_all_levels(
    rows: list[tuple[str, str]], prices: tuple[int, ...], gone: Fraction, more: str
) -> None:
    columns = {"first": [row[0] for row in rows], "second": [row[1] for row in rows]}
    require = f"payout=({','.join(map(str, prices))}){more}"
    trees = {"first": LETTERS, "second": LETTERS}
    check(problem_of(columns, require, hierarchies=trees, max_suppressed=gone, max_dropped=gone))


@pytest.mark.parametrize("prices", [(300, 40, 1200, 3000), (300, 4, 1200, 300), (100, 30, 50, 400), (0, 0, 1, 0)])
def test_the_payout_of_every_class_is_that_of_the_definition(prices: tuple[int, ...]) -> None:
    require = f"payout=({','.join(map(str, prices))})"
    release = shoal.anonymize(
        people(), require=require, recoding="full-domain", max_suppressed=1, max_dropped=0.9, **ASKED
    )
    assert release.audit.holds
    classes = release.table.cast(pl.String).group_by("age", "town").len().rows()
    found = [payout(cells, group, prices) for *cells, group in classes]
    assert min(found) > 0
    assert release.certificate.models[0]["reached"] == pytest.approx(min(found), rel=1e-12)


def test_rows_without_a_payout_are_left_out() -> None:
    prices = (300, 40, 1200, 3000)
    asked = {
        "require": "payout=(300,40,1200,3000)",
        "recoding": "full-domain",
        "levels": {"age": 1, "town": 1},
        **ASKED,
    }
    release = shoal.anonymize(people(), max_suppressed=0.5, max_dropped=0.5, **asked)
    table = people()
    shown = table.with_columns(
        age=pl.col("age").cast(pl.String).replace_strict({row[0]: row[1] for row in AGES.rows}),
        town=pl.col("town").replace_strict({row[0]: row[1] for row in TOWNS.rows}),
    )
    counts = shown.group_by("age", "town").len().rows()
    unpaid = sum(group for *cells, group in counts if payout(cells, group, prices) <= 0)
    assert release.certificate.dropped == unpaid > 0
    with pytest.raises(Infeasible, match=r"--max-suppressed and --max-dropped"):
        shoal.anonymize(people(), **asked)


@pytest.mark.parametrize(
    ("prices", "people", "domain", "most"),
    [
        ((300, 4, 1200, 300), 1, 16, 7),
        ((300, 4, 1200, 300), 2, 16, 11),
        ((300, 4, 1200, 300), 74, 16, 15),
        ((300, 4, 1200, 300), 75, 16, 15),
        ((300, 4, 300, 300), 1, 16, 0),
        ((300, 4, 100, 300), 1, 16, 0),
        ((300, 4, 301, 300), 1, 16, 1),
        ((9, 1, 3, 1), 1, 27, 8),
        ((9, 1, 3, 1), 9, 27, 26),
        ((9, 1, 3, 1), 1, 1, 1),
        ((9, 1, 1, 1), 1, 1, 0),
    ],
)
def test_how_many_combinations_cells_may_cover_is_decided_exactly(
    prices: tuple[int, ...], people: int, domain: int, most: int
) -> None:
    """A share 1 - penalty / (benefit * people) of the bits may be lost where attacks pay, all but none elsewhere.

    With 3/4 of the bits of 16 these are fewer than 8 combinations, with 7/8 fewer than 11.3; at 75 people none attacks.
    """
    model = Payout(*prices)
    assert [model._pays(covered, domain, people) for covered in range(1, domain + 1)] == [
        covered <= most for covered in range(1, domain + 1)
    ]


def test_classes_without_cells_have_no_payout() -> None:
    """What a row brings depends on what its cells leave open."""
    with pytest.raises(Unsupported, match=r"payout=\(0,0,1,0\) is decided on published cells only"):
        Payout(0, 0, 1, 0).admits(Classes(np.array([0, 0]), 1, {}))


def test_where_nobody_attacks_all_but_one_of_any_number_may_be_covered() -> None:
    model, many = Payout(300, 4, 1200, 300), 10**95
    assert model.limit == 0
    assert (model._pays(many - 1, many, 75), model._pays(many, many, 75)) == (True, False)


@pytest.mark.parametrize(("penalty", "holds"), [("1", False), ("0.9999999999999", True), ("1.0000000000001", False)])
def test_two_thirds_of_the_bits_are_two_thirds(penalty: str, holds: bool) -> None:
    """Two of three columns of three values are stars: of a benefit of 3 one is left, all but the penalty."""
    three = Taxonomy([(letter, "*") for letter in "abc"])
    found = shoal.audit(
        {"first": ["a"], "second": ["*"], "third": ["*"]},
        quasi=["first", "second", "third"],
        require=f"payout=(9,1,3,{penalty})",
        hierarchies={"first": three, "second": three, "third": three},
    )
    assert found.holds is holds


def test_whole_numbers_that_are_written_with_a_point_are_those_of_the_hierarchy() -> None:
    """With two of the four values under a cell half of the bits are lost."""
    numbers = Taxonomy([("1", "low"), ("2", "low"), ("3.0", "high"), ("4.5", "high")])
    for cells, lost in (([1.0, 2.0], 0), ([3.0, 4.5], 0), (["low", "low"], 1 / 2)):
        found = shoal.audit(
            {"first": cells}, quasi=["first"], require="payout=(0,0,1,0)", hierarchies={"first": numbers}
        )
        assert found.findings[0].reached == 1 - lost


@pytest.mark.parametrize(("penalty", "holds"), [("1/2", False), ("49/100", True), ("51/100", False)])
def test_a_payout_of_exactly_nothing_is_refused(penalty: str, holds: bool) -> None:
    """One of two columns of four values is a star: half of the bits are lost, so a benefit of 1 brings one half."""
    found = shoal.audit(
        {"first": ["a"], "second": ["*"]},
        quasi=["first", "second"],
        require=f"payout=(1,1/2,1,{penalty})",
        hierarchies={"first": LETTERS, "second": LETTERS},
    )
    assert found.findings[0].holds is holds
    assert found.findings[0].reached == pytest.approx(0.5 - float(Fraction(penalty)), abs=1e-12)


def test_an_attack_that_brings_what_it_costs_is_not_made() -> None:
    asked: dict[str, Any] = {"quasi": ["first"], "hierarchies": {"first": LETTERS}}
    three = {"first": ["a", "a", "a"]}
    assert shoal.audit(three, require="payout=(1,1/3,1,30)", **asked).holds
    assert not shoal.audit(three, require="payout=(1,0.333,1,30)", **asked).holds
    assert not shoal.audit(three, require="payout=(1,0,1,30)", **asked).holds
    assert shoal.audit(three, require="payout=(0,0,1,30)", **asked).holds


def test_a_journalist_looks_among_the_people_whom_the_cells_fit() -> None:
    asked: dict[str, Any] = {"quasi": ["first"], "hierarchies": {"first": LETTERS}}
    population = {"first": ["a", "b", "b", "c"]}
    shown = {"first": ["ab"]}
    require = "payout-journalist=(1,1/3,1,30)"
    assert shoal.audit(shown, require=require, population=population, **asked).holds
    fewer = {"first": ["a", "b", "c"]}
    assert not shoal.audit(shown, require=require, population=fewer, **asked).holds
    nobody = shoal.audit(shown, require="payout-journalist=(0,1,1,0)", population={"first": ["c"]}, **asked)
    assert not nobody.holds
    assert nobody.findings[0].reached is None
    everybody = pl.concat([people(), people(40, 2)])
    release = shoal.anonymize(
        people(), require="payout-journalist=(300,40,1200,3000)", recoding="full-domain", population=everybody,
        max_suppressed=0.5, max_dropped=0.5, **ASKED,
    )  # fmt: skip
    assert release.audit.holds


def test_what_no_published_cell_tells_is_refused() -> None:
    require = "payout=(300,40,1200,3000)"
    with pytest.raises(Unsupported, match="use --recoding full-domain"):
        shoal.anonymize(people(), require=require, **ASKED)
    with pytest.raises(Unsupported, match="column 'town' has no hierarchy that lists them"):
        shoal.anonymize(
            people(), require=require, quasi=["age", "town"], hierarchies={"age": AGES}, recoding="full-domain"
        )
    with pytest.raises(Unsupported, match="column 'town' has no hierarchy that lists them"):
        shoal.audit(people(), require=require, quasi=["age", "town"], hierarchies={"age": AGES})
    with pytest.raises(HierarchyError, match="1 of 1 cells of column 'town' are not in its hierarchy"):
        shoal.audit({"age": [20], "town": ["Atlantis"]}, require=require, **ASKED)
    with pytest.raises(Unsupported, match="cannot be distinguished from missing values"):
        shoal.anonymize(people(), require=require, recoding="full-domain", star="null", **ASKED)


def test_a_release_is_verified_by_its_hierarchies_and_says_where_they_are_not_here(tmp_path: Path) -> None:
    require = "payout=(300,40,1200,3000)"
    asked: dict[str, Any] = {"require": require, "recoding": "full-domain", "max_suppressed": 0.5, "max_dropped": 0.5}
    shoal.anonymize(people(), **asked, **ASKED).save(tmp_path / "release")
    found = shoal.verify(tmp_path / "release", original=people())
    assert found.passed
    assert not any(require in note for note in found.not_checked)
    shutil.rmtree(tmp_path / "release" / "internal")
    found = shoal.verify(tmp_path / "release")
    assert found.passed
    assert any(note.startswith(f"{require}: the hierarchies of quasi-identifiers") for note in found.not_checked)


def test_the_lattice_lists_what_each_node_leaves_out() -> None:
    asked: dict[str, Any] = {"require": "payout=(300,40,1200,3000)", "max_suppressed": 0.5, "max_dropped": 0.5, **ASKED}
    for node in shoal.lattice(people(), **asked).nodes:
        try:
            release = shoal.anonymize(people(), recoding="full-domain", levels=node.levels, **asked)
        except Infeasible:
            assert not node.released
            continue
        assert node.released
        assert release.certificate.dropped == node.suppressed
        assert float(release.certificate.cost) == pytest.approx(node.cost)
