"""Bottom-up generalization: one cut through each hierarchy, raised where it helps most."""

from __future__ import annotations

from itertools import islice

import pytest
from tests.contracts.test_guarantees import random_tables
from tests.oracle import Value
from tests.strategies import case_of
from tests.thorough import many

from shoal.methods.general.bottom_up import BottomUpGeneralization, Generalization


def test_only_what_a_refused_class_needs_is_raised() -> None:
    ages = [1, 2, 4, 4, 9, 9]
    case = case_of({"number": ages, "illness": ["asthma"] * 6}, "k=2", recoding="generalize")
    found = BottomUpGeneralization().run(case.problem)
    cells = case.problem.publish(found.partition).frame()["number"].to_list()
    assert cells == ["few", "few", "4", "4", "9", "9"]
    assert found.notes == ("1 blocks took the place of those below",)


def test_the_block_with_the_least_loss_for_what_it_gains_is_raised() -> None:
    columns: dict[str, list[Value]] = {"number": [1, 2], "text": ["e", "f"], "illness": ["asthma"] * 2}
    twice = case_of({name: [*column, *column] for name, column in columns.items()}, "k=2", recoding="generalize")
    assert not Generalization.of(twice.problem).failing.any()  # every tuple occurs twice
    case = case_of(columns, "k=2", recoding="generalize")
    (score, block), *_ = sorted(Generalization.of(case.problem).scored())
    assert block[1] == 1
    assert score[0] == float("inf")  # neither column alone is enough


def check(number: int, seed: int) -> int:
    """A value is in the same block in every row, and the release costs no more than all rows as one class."""
    solved = 0
    for case in islice(random_tables(seed), number):
        method = BottomUpGeneralization()
        if method.accepts(case.problem) or case.oracle.is_hopeless:
            continue
        solved += 1
        made = Generalization.of(case.problem)
        while made.failing.any():
            made = made.raised(min(made.scored())[1])
        blocks = [
            hierarchy.up[levels, range(len(levels))].tolist()
            for hierarchy, levels in zip(made.hierarchies, made.levels, strict=True)
        ]
        assert case.oracle.admits(case.oracle.classes([tuple(rows.tolist()) for rows in made.partition]))
        codes = case.problem.microdata.codes
        for rows in made.partition:
            for j, of_value in enumerate(blocks):
                assert len({of_value[code] for code in codes[rows, j]}) == 1
        found = method.run(case.problem)
        whole = case.oracle.cost(case.problem.cost.name, [tuple(range(len(case.rows)))])
        assert found.cost <= whole + 1e-9
    return solved


def test_a_value_is_in_the_same_block_in_every_row() -> None:
    assert check(many(30), seed=1) > 5


@pytest.mark.slow
def test_a_value_is_in_the_same_block_in_every_row_of_many_tables() -> None:
    assert check(many(3000), seed=2) > 500
