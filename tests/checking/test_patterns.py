"""The patterns that a proof walks, compared with all of them: none that a class may be published as is left out."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.checking.patterns import LOSSES, Column, Kinds, Members
from shoal.hierarchies import Hierarchy


def tree(up: list[list[int]], leaves: list[list[int]]) -> Hierarchy:
    """A hierarchy of these blocks, of which each has a label of its own."""
    labels = [tuple(f"{level}.{block}" for block in range(max(row) + 1)) for level, row in enumerate(up)]
    return Hierarchy(np.array(up), (*labels[:-1], ("*",)), tuple(np.array(some) for some in leaves))


FOUR = tree([[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]], [[1, 1, 1, 1], [2, 1, 1], [4]])
BOTH = tree([[0, 1], [0, 0], [0, 0]], [[1, 1], [2], [2]])


@pytest.mark.parametrize(
    ("cost", "hierarchy", "losses"),
    [
        ("ncp", FOUR, [[0, 0, 0, 0], [Fraction(1, 3), 0, 0], [1]]),
        ("ncp", BOTH, [[0, 0], [1], [1]]),
        ("height", FOUR, [[0, 0, 0, 0], [Fraction(1, 2)] * 3, [1]]),
        ("stars", FOUR, [[0, 0, 0, 0], [0, 0, 0], [1]]),
    ],
)
def test_cells_lose_what_the_definition_of_the_cost_says(
    cost: str, hierarchy: Hierarchy, losses: list[list[Fraction]]
) -> None:
    assert LOSSES[cost](hierarchy) == losses


def rows_and_gains(kinds: Kinds, *, closed: bool) -> list[tuple[frozenset[int], int]]:
    """The kinds of rows of each group of all patterns, with the gain of its dearest row."""
    return [
        (frozenset(members.kind[start : start + size].tolist()), int(members.gain[start]))
        for members in kinds.patterns(1, closed=closed)
        for start, size in zip(members.starts.tolist(), members.sizes.tolist(), strict=True)
    ]


def random_kinds(random: Random) -> Kinds:
    """Up to six rows in two or three columns, of which some lose nothing; all prices are above every cost."""
    rows, shares = random.randint(1, 6), [random.choice((0, 1, 2)) for _ in range(random.randint(2, 3))]
    columns = [
        Column.of(np.array([random.randrange(4) for _ in range(rows)]), FOUR, "ncp", Fraction(share), 30)
        for share in shares
    ]
    return Kinds.of(columns, [], np.array([random.randint(1000, 1009) for _ in range(rows)]), np.dtype(np.int64))


def test_of_patterns_with_the_same_rows_the_cheapest_is_walked_and_no_other() -> None:
    """Without it a class that is published so would gain nothing, and the bound would be too high."""
    random = Random(5)
    for _ in range(200):
        kinds = random_kinds(random)
        cheapest: dict[frozenset[int], int] = {}
        for rows, gain in rows_and_gains(kinds, closed=False):
            cheapest[rows] = max(gain, cheapest.get(rows, gain))
        walked = rows_and_gains(kinds, closed=True)
        assert dict(walked) == cheapest
        assert len(walked) == len(cheapest)


def test_rows_are_split_by_blocks_whose_numbers_do_not_fit_beside_a_place() -> None:
    blocks = np.array([2**61, 0] * 8)
    everyone = Members(np.arange(16), np.array([0]), np.ones(16, dtype=np.int64), np.arange(16, 0, -1))
    split = everyone.split(blocks, everyone.gain)
    assert split.starts.tolist() == [0, 8]
    assert split.kind.tolist() == [*range(1, 16, 2), *range(0, 16, 2)]
