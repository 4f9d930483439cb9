"""The loops behind the proof of ranges and sets, run as Python, and compared with what they say of sets of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
from tests.thorough import many

from shoal.checking import class_gains_kernel as kernel
from shoal.checking.class_gains_kernel import NONE, Costs, Needs, Table

WORDS = 2
"""Words of bits that a column of texts may have."""


def as_python(loop: Any) -> Any:
    """A loop that is not compiled."""
    return loop.function


joining, holds, take_in, empty_box, apart, by_cost, reach, at_most, first_put = map(
    as_python,
    (
        *(kernel.joining, kernel.holds, kernel.take_in, kernel.empty_box, kernel._apart),
        *(kernel._by_cost, kernel._reach, kernel._at_most, kernel._first_put),
    ),
)


class Rows:
    """Kinds of rows with up to two numbers and up to two texts, and what cells cost."""

    def __init__(self, random: Random) -> None:
        self.size, numbers, texts = random.randint(2, 6), random.randint(0, 2), random.randint(0, 2)
        numbers += numbers + texts == 0
        self.numbers = [[random.choice([None, 0, 1, 2, 5, 9]) for _ in range(numbers)] for _ in range(self.size)]
        self.texts = [[random.choice([0, 1, 63, 64]) for _ in range(texts)] for _ in range(self.size)]
        self.missing, self.steps = ([random.randint(0, 4) for _ in range(some)] for some in (numbers, texts))
        self.most = [random.randint(3, 9) for _ in range(numbers)]
        places = [[-1 if one is None else one for one in row] for row in self.numbers]
        words = [[WORDS * column + text // 64 for column, text in enumerate(row)] for row in self.texts]
        bits = [[1 << text % 64 for text in row] for row in self.texts]
        self.width = 3 * numbers + WORDS * texts + 1
        self.prices = [random.randint(-3, 9) for _ in range(self.size)]
        self.rows = [random.randint(1, 3) for _ in range(self.size)]
        self.values = [[random.randrange(3) for _ in range(2)] for _ in range(self.size)]
        self.table = Table(
            *(self._array(places, numbers), self._array(words, texts)),
            np.array(bits, dtype=np.uint64).reshape(self.size, texts).view(np.int64),
            *(np.array(self.prices), np.array(self.rows), np.array(self.values)),
        )
        self.costs = Costs(*(np.array(some, dtype=np.int64) for some in (self.missing, self.most, self.steps)))

    def _array(self, rows: list[list[int]], width: int) -> Any:
        return np.array(rows, dtype=np.int64).reshape(self.size, width)

    def box(self, kinds: Sequence[int]) -> Any:
        """The box of some kinds."""
        box = np.full(self.width, 77, dtype=np.int64)
        empty_box(box, self.table, self.costs)
        for kind in kinds:
            take_in(box, kind, self.table, self.costs)
        return box

    def paid(self, kinds: Sequence[int]) -> int:
        """What a row pays for a cell of these kinds: by the width of ranges, and the number of texts."""
        total = 0
        for column, most in enumerate(self.most):
            known = [one for kind in kinds if (one := self.numbers[kind][column]) is not None]
            gone = len(known) < len(kinds)
            if known:
                total += min(max(max(known) - min(known) - 1, 0) + gone * self.missing[column], most)
        return total + sum(
            (len({self.texts[kind][column] for kind in kinds}) - 1) * step for column, step in enumerate(self.steps)
        )

    def is_inside(self, kind: int, kinds: Sequence[int]) -> bool:
        """Whether a kind lies in the box of others."""
        for column, own in enumerate(self.numbers[kind]):
            held = [self.numbers[one][column] for one in kinds]
            known = [one for one in held if one is not None]
            if own is None and None not in held:
                return False
            if own is not None and not (known and min(known) <= own <= max(known)):
                return False
        return all(own in {self.texts[one][column] for one in kinds} for column, own in enumerate(self.texts[kind]))


def drawn(seed: int, cases: int = 60) -> Iterator[tuple[Random, Rows, list[int]]]:
    """Random rows, and some of them."""
    random = Random(seed)
    for _ in range(many(cases)):
        rows = Rows(random)
        yield random, rows, random.sample(range(rows.size), random.randint(1, rows.size))


def test_a_box_costs_what_its_rows_pay_and_holds_what_lies_in_it() -> None:
    for _, rows, kinds in drawn(1):
        box = rows.box(kinds)
        for kind in range(rows.size):
            assert joining(box, kind, rows.table, rows.costs) == rows.paid([*kinds, kind])
            assert bool(holds(box, kind, rows.table)) is rows.is_inside(kind, kinds)
            assert joining(rows.box([]), kind, rows.table, rows.costs) == 0
            assert not holds(rows.box([]), kind, rows.table)


def test_no_kind_in_a_box_is_nearer_than_is_said() -> None:
    """And where the box has one kind, and what is looked for is not missing, it is as near."""
    for _, rows, kinds in drawn(2, 120):
        for kind in range(rows.size):
            found = apart(kind, rows.box(kinds), rows.table, rows.costs)
            assert 0 <= found <= min(rows.paid([one, kind]) for one in kinds)
            if None not in rows.numbers[kind]:
                alone = apart(kind, rows.box(kinds[:1]), rows.table, rows.costs)
                assert alone == rows.paid([kinds[0], kind])
                below = [far_from(rows, kind, kinds, column) for column in range(len(rows.most))]
                texts = (
                    step
                    for column, step in enumerate(rows.steps)
                    if rows.texts[kind][column] not in {rows.texts[one][column] for one in kinds}
                )
                assert found == sum(below) + sum(texts)


def far_from(rows: Rows, kind: int, kinds: Sequence[int], column: int) -> int:
    """How far a number is from a range, or from a missing value beside it."""
    own, held = rows.numbers[kind][column], [rows.numbers[one][column] for one in kinds]
    known = [one for one in held if one is not None]
    assert own is not None
    ways = [max(min(known) - own - 1, own - max(known) - 1, 0)] if known else []
    ways += [rows.missing[column]] if None in held else []
    return min(*ways, rows.most[column])


def test_a_list_is_sorted_by_what_its_kinds_cost() -> None:
    random = Random(3)
    for _ in range(many(60)):
        size, begin = random.randint(0, 9), random.randint(0, 2)
        costs = np.array([random.randint(0, 5) for _ in range(size + begin + 1)], dtype=np.int64)
        kinds = np.arange(len(costs)) + 100
        before = dict(zip(kinds.tolist(), costs.tolist(), strict=True))
        outside = [*kinds[:begin].tolist(), int(kinds[begin + size])]
        by_cost(kinds, costs, begin, begin + size)
        assert costs[begin : begin + size].tolist() == sorted(costs[begin : begin + size].tolist())
        assert dict(zip(kinds.tolist(), costs.tolist(), strict=True)) == before
        assert [*kinds[:begin].tolist(), int(kinds[begin + size])] == outside


def test_kinds_within_reach_are_in_falling_order_of_their_prices() -> None:
    random = Random(4)
    for _ in range(many(30)):
        prices = np.array([random.randint(0, 5) for _ in range(7)])
        reached, number = np.zeros(8, dtype=np.int64), 0
        for kind in random.sample(range(7), 7):
            number = reach(reached, number, kind, prices)
        assert number == 7
        assert sorted(reached[:7].tolist()) == list(range(7))
        assert prices[reached[:7]].tolist() == sorted(prices.tolist(), reverse=True)


def test_a_kind_is_put_first_and_the_others_keep_their_order() -> None:
    for begin, chosen in ((0, 0), (0, 3), (1, 1), (1, 4), (2, 3)):
        memory = SimpleNamespace(kinds=np.arange(10, 16), costs=np.arange(20, 26))
        first_put(memory, begin, chosen)
        for found, start in ((memory.kinds, 10), (memory.costs, 20)):
            others = [one for one in range(6) if one != chosen]
            expected = [*others[:begin], chosen, *others[begin:]]
            assert found.tolist() == [start + one for one in expected]


def best_gain(rows: Rows, first: int, reached: Sequence[int], cost: int, least: int, most: int, different: Any) -> int:
    """The most that a class gains that has a row of `first`, of those of these kinds, by trying all of them."""
    found = NONE
    for counts in product(*(range(rows.rows[kind] - (kind == first) + 1) for kind in reached)):
        size = 1 + sum(counts)
        taken = [first, *(kind for kind, count in zip(reached, counts, strict=True) if count)]
        enough = all(len({rows.values[kind][place] for kind in taken}) >= asked for place, asked in different)
        if least <= size <= most and enough:
            worth = [rows.prices[kind] - cost for kind in reached]
            gain = rows.prices[first] - cost + sum(one * count for one, count in zip(worth, counts, strict=True))
            found = max(found, gain)
    return found


def test_what_a_class_gains_at_most_is_what_the_best_of_its_rows_or_of_its_values_gains() -> None:
    """Of the rows that are needed, and of the values of each attribute, the one that lets a class gain least.

    How much is lost where nothing is gained does not matter.
    """
    seen: set[bool] = set()
    for random, rows, kinds in drawn(5, 150):
        reached = sorted(kinds, key=lambda kind: -rows.prices[kind])
        first = reached[0]
        cost, least, is_limited = random.randint(0, 6), random.randint(1, 3), random.random() < 0.5
        asked = [] if is_limited else [random.randint(1, 3) for _ in range(random.randint(0, 2))]
        most = 2 * least - 1 if is_limited else 0
        needs = Needs(least, most, np.array(asked, dtype=np.int64))
        memory = SimpleNamespace(reached=np.array([*reached, 0]), values=np.zeros(5, dtype=np.int64))
        found = at_most(first, len(reached), cost, rows.table, needs, memory)
        own = [best_gain(rows, first, reached, cost, least, most or 99, [])]
        own += [best_gain(rows, first, reached, cost, 1, 99, [(place, one)]) for place, one in enumerate(asked)]
        assert max(found, 0) == max(min(own), 0)
        seen.add(found > 0)
    assert seen == {False, True}
