"""The patterns that a proof walks, compared with all of them: none that a class may be published as is left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest

from shoal.checking.patterns import LOSSES, Column, Kinds, Members, batches, floored
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


# --- every pattern, in plain Python ---

Row: TypeAlias = tuple[int, int, int]
"""Kind, number of rows and gain."""


def random_columns(random: Random, rows: int) -> list[Column]:
    """Two or three columns whose values have up to two levels below the star, and what their cells lose."""
    made = []
    for _ in range(random.randint(2, 3)):
        up = random.choice([[[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]], [[0, 1, 2, 2], [0, 0, 0, 0]]])
        blocks = [[random.randint(0, 6) for _ in range(4)] for _ in up]
        losses = [[lost[block] for block in level] for level, lost in zip(up, blocks, strict=True)]
        codes = np.array([random.randrange(4) for _ in range(rows)])
        made.append(Column(codes, np.array(up), np.array(losses, dtype=object)))
    return made


def every_group(kinds: Kinds, least_rows: int) -> list[list[Row]]:
    """The rows of each pattern that so many rows match and of which one gains something, by trying all patterns."""
    found: list[list[Row]] = []
    for levels in product(*(range(len(column.blocks)) for column in kinds.columns)):
        groups: dict[tuple[int, ...], list[Row]] = {}
        for kind, (count, price) in enumerate(zip(kinds.count.tolist(), kinds.price.tolist(), strict=True)):
            at = [(level, int(column.codes[kind])) for level, column in zip(levels, kinds.columns, strict=True)]
            cells = tuple(int(column.blocks[one]) for one, column in zip(at, kinds.columns, strict=True))
            lost = sum(int(column.losses[one]) for one, column in zip(at, kinds.columns, strict=True))
            groups.setdefault(cells, []).append((kind, count, price - lost))
        found += [
            rows
            for rows in groups.values()
            if sum(row[1] for row in rows) >= least_rows and max(row[2] for row in rows) > 0
        ]
    return sorted(found)


def rows_of(members: Members) -> list[list[Row]]:
    """The rows of each group."""
    flat = list(zip(members.kind.tolist(), members.count.tolist(), members.gain.tolist(), strict=True))
    ends = [*members.starts.tolist(), len(flat)][1:]
    return [flat[start:end] for start, end in zip(members.starts.tolist(), ends, strict=True)]


@pytest.mark.parametrize("exact", [np.int64, object])
def test_every_pattern_that_enough_rows_match_and_may_gain_is_walked_and_no_other(exact: Any) -> None:
    """A pattern that is left out would prove too much."""
    random = Random(8)
    for _ in range(60):
        rows, least_rows = random.randint(1, 6), random.randint(1, 3)
        prices = np.array([random.randint(-2, 9) for _ in range(rows)])
        read = [np.array([random.randrange(2) for _ in range(rows)])]
        kinds = Kinds.of(random_columns(random, rows), read, prices, np.dtype(exact))
        found = [group for members in kinds.patterns(least_rows) for group in rows_of(members)]
        assert sorted(found) == every_group(kinds, least_rows)
        assert all(members.gain.dtype == exact for members in kinds.patterns(least_rows))


@pytest.mark.parametrize(("prices", "looked_at"), [([5, 4], []), ([6, 4], [2, 1, 1, 2, 2, 2]), ([6, 6], [2] * 6)])
def test_patterns_that_no_row_can_pay_for_are_not_walked(
    monkeypatch: pytest.MonkeyPatch, prices: list[int], looked_at: list[int]
) -> None:
    """Every cell of the second column loses 5: a row whose price is no more is not looked at beyond the first one."""
    seen: list[int] = []
    real = Members.split

    def split(self: Members, *given: Any) -> Members:
        seen.append(len(self.kind))
        return real(self, *given)

    monkeypatch.setattr(Members, "split", split)
    blocks = np.array([[0, 1], [0, 0]])
    first, second = (Column(np.array([0, 1]), blocks, np.full((2, 2), lost, dtype=object)) for lost in (0, 5))
    list(Kinds.of([first, second], [], np.array(prices), np.dtype(np.int64)).patterns(1))
    assert seen == looked_at


def test_equal_rows_are_one_kind_and_the_dearest_kinds_come_first() -> None:
    """Equal in their quasi-identifiers, in what is read of them and in their price."""
    random = Random(9)
    for _ in range(20):
        rows = random.randint(1, 12)
        columns = [
            Column(np.array([random.randrange(2) for _ in range(rows)]), FOUR.up.astype(np.int64), FOUR.up)
            for _ in range(2)
        ]
        read, prices = (
            np.array([random.randrange(2) for _ in range(rows)]),
            np.array([random.randrange(2) for _ in range(rows)]),
        )
        kinds = Kinds.of(columns, [read], prices, np.dtype(np.int64))
        own = [column.codes.tolist() for column in columns]
        every = list(zip(prices.tolist(), *own, read.tolist(), strict=True))
        shown = list(
            zip(
                kinds.price.tolist(),
                *(column.codes.tolist() for column in kinds.columns),
                kinds.read[0].tolist(),
                strict=True,
            )
        )
        assert shown == sorted(set(every), reverse=True)
        assert kinds.count.tolist() == [every.count(row) for row in shown]


@pytest.mark.parametrize(
    ("number", "denominator", "whole"), [("1/3", 10, 3), ("2/3", 3, 2), ("1", 7, 7), ("-1/3", 10, -4), ("5/2", 3, 7)]
)
def test_numbers_are_rounded_down_to_whole_units(number: str, denominator: int, whole: int) -> None:
    assert floored(Fraction(number), denominator) == whole


def test_a_column_has_for_each_value_its_block_and_what_a_share_of_its_loss_is() -> None:
    column = Column.of(np.array([3, 0]), FOUR, "ncp", Fraction(2, 3), 30)
    assert column.codes.tolist() == [3, 0]
    assert column.blocks.tolist() == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]
    assert column.losses.tolist() == [[0, 0, 0, 0], [6, 6, 0, 0], [20, 20, 20, 20]]


# --- groups of rows, in plain Python ---


def random_members(random: Random) -> Members:
    """Some groups of rows."""
    sizes = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    rows = sum(sizes)
    gains = [random.randint(-5, 9) for _ in range(rows)]
    counts = [random.randint(1, 3) for _ in range(rows)]
    return Members(np.arange(rows), np.cumsum([0, *sizes[:-1]]), np.array(counts), np.array(gains))


def test_sums_and_the_largest_are_those_of_each_group() -> None:
    random = Random(10)
    for _ in range(30):
        members = random_members(random)
        groups = rows_of(members)
        numbers = np.array([random.randint(-9, 9) for _ in members.kind])
        own = [[int(numbers[kind]) for kind, _, _ in group] for group in groups]
        assert len(members) == len(groups)
        assert members.sizes.tolist() == list(map(len, groups))
        assert members.group.tolist() == [at for at, group in enumerate(groups) for _ in group]
        assert members.rows.tolist() == [sum(count for _, count, _ in group) for group in groups]
        assert members.most.tolist() == [sum(count * max(gain, 0) for _, count, gain in group) for group in groups]
        assert members.sum(numbers).tolist() == list(map(sum, own))
        assert members.largest(numbers).tolist() == list(map(max, own))
        assert members.before(numbers).tolist() == [sum(one[:place]) for one in own for place in range(len(one))]


def test_groups_are_kept_and_split_with_all_that_is_known_of_their_rows() -> None:
    random = Random(11)
    for _ in range(30):
        members = random_members(random)
        groups, blocks = rows_of(members), np.array([random.randrange(2) for _ in members.kind])
        some = np.array([random.random() < 0.5 for _ in groups])
        assert rows_of(members.only(some)) == [group for group, kept in zip(groups, some, strict=True) if kept]
        first = np.isin(np.arange(len(members.kind)), members.starts)
        assert rows_of(members.part(first)) == [group[:1] for group in groups]
        gain = members.gain + 1
        parts = [[row for row in group if blocks[row[0]] == block] for group in groups for block in (0, 1)]
        expected = [[(kind, count, one + 1) for kind, count, one in part] for part in parts if part]
        assert rows_of(members.split(blocks, gain)) == expected
        alike = [
            sum(count for other, count, _ in group[:place] if blocks[other] == blocks[kind])
            for group in groups
            for place, (kind, _, _) in enumerate(group)
        ]
        assert members.alike_before(blocks).tolist() == alike


def test_joined_groups_are_those_that_came() -> None:
    random = Random(12)
    for size in (*range(1, 12), 1000):
        parts = [random_members(random) for _ in range(9)]
        found = list(batches(parts, size))
        assert [group for one in found for group in rows_of(one)] == [group for one in parts for group in rows_of(one)]
        waiting, sizes = 0, []
        for place, part in enumerate(parts):
            waiting += len(part.kind)
            if waiting >= size or place == len(parts) - 1:
                sizes.append(waiting)
                waiting = 0
        assert [len(one.kind) for one in found] == sizes
    assert list(batches([])) == []
