"""The loops behind the proof of ranges and sets, run as Python, and compared with what they say of sets of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.thorough import many

from shoal.checking import class_gains
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

    def __init__(
        self,
        numbers: list[list[int | None]],
        prices: list[int],
        missing: list[int],
        most: list[int],
        texts: list[list[int]] | None = None,
        steps: Sequence[int] = (),
        rows: list[int] | None = None,
        values: list[list[int]] | None = None,
    ) -> None:
        self.size, self.numbers, self.prices = len(prices), numbers, prices
        self.missing, self.most, self.steps = missing, most, steps
        self.texts, self.rows = texts or [[] for _ in prices], rows or [1] * self.size
        self.values = values or [[0, 0] for _ in prices]
        places = [[-1 if one is None else one for one in row] for row in numbers]
        words = [[WORDS * column + text // 64 for column, text in enumerate(row)] for row in self.texts]
        bits = [[1 << text % 64 for text in row] for row in self.texts]
        self.width = 3 * len(most) + WORDS * len(steps) + 1
        self.table = Table(
            *(self._array(places, len(most)), self._array(words, len(steps))),
            np.array(bits, dtype=np.uint64).reshape(self.size, len(steps)).view(np.int64),
            *(np.array(prices), np.array(self.rows), np.array(self.values)),
        )
        self.costs = Costs(*(np.array(some, dtype=np.int64) for some in (missing, most, steps)))

    @classmethod
    def of(cls, random: Random) -> Rows:
        """A few random kinds."""
        size, numbers, texts = random.randint(2, 6), random.randint(0, 2), random.randint(0, 2)
        numbers += numbers + texts == 0
        return cls(
            numbers=[[random.choice([None, 0, 1, 2, 5, 9]) for _ in range(numbers)] for _ in range(size)],
            texts=[[random.choice([0, 1, 63, 64]) for _ in range(texts)] for _ in range(size)],
            missing=[random.randint(0, 4) for _ in range(numbers)],
            steps=[random.randint(0, 4) for _ in range(texts)],
            most=[random.randint(3, 9) for _ in range(numbers)],
            prices=[random.randint(-3, 9) for _ in range(size)],
            rows=[random.randint(1, 3) for _ in range(size)],
            values=[[random.randrange(3) for _ in range(2)] for _ in range(size)],
        )

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
        rows = Rows.of(random)
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
    for random, rows, kinds in drawn(5, 400):
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


# --- the whole search ---


def ranked_before(rows: Rows, first: int) -> list[int]:
    """The kinds that come before one in rank: those of lower prices, and of equal prices those of lower numbers."""
    return [kind for kind in range(rows.size) if (rows.prices[kind], kind) < (rows.prices[first], first)]


def best_class(rows: Rows, first: int, needs: Needs) -> int:
    """The most that a class gains whose row of highest rank is of one kind, by trying all classes; 0 if all lose."""
    others, best = ranked_before(rows, first), 0
    kinds = [first, *others]
    for counts in product(range(1, rows.rows[first] + 1), *(range(rows.rows[kind] + 1) for kind in others)):
        size, taken = sum(counts), [kind for kind, count in zip(kinds, counts, strict=True) if count]
        different = (len({rows.values[kind][place] for kind in taken}) for place in range(len(needs.values)))
        enough = all(many >= asked for many, asked in zip(different, needs.values, strict=True))
        if needs.rows <= size <= (needs.most or size) and enough:
            worth = sum(rows.prices[kind] * count for kind, count in zip(kinds, counts, strict=True))
            best = max(best, worth - size * rows.paid(taken))
    return best


def searched(rows: Rows, needs: Needs, leaf: int, steps: int = 400_000, **given: Any) -> list[int]:
    """What the search says of every kind; `given` replaces parts of its memory."""
    along = np.array(
        [[one or 0 for one in row] + row_texts for row, row_texts in zip(rows.numbers, rows.texts, strict=True)]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_gains, "LEAF", leaf)
        order, begin, end, part = class_gains._tree(along.T.astype(np.int64))
    boxes = kernel.boxes_of(order, begin, end, rows.table, rows.costs, rows.width)
    memory = kernel.Memory.of(rows.table, rows.width, needs, len(begin))._replace(**given)
    tree = kernel.Branches(begin, end, part, boxes)
    found = kernel.gains_of(order, tree, rows.table, rows.costs, needs, memory, steps, 15 * steps)
    return found.tolist()  # type: ignore[no-any-return]


def random_needs(random: Random, asked: int) -> Needs:
    """What any class needs: rows, of which less than twice as many count, or values of some attributes besides."""
    least = random.randint(1, 3)
    return Needs(
        least, 0 if asked else 2 * least - 1, np.array([random.randint(2, 3) for _ in range(asked)], dtype=np.int64)
    )


@pytest.mark.parametrize("leaf", [1, 16])
def test_where_rows_alone_are_needed_the_search_finds_what_the_best_class_gains(leaf: int) -> None:
    """Whatever the branches are that the kinds are found by."""
    for random, rows, _ in drawn(6, 80):
        needs = random_needs(random, 0)
        best = [best_class(rows, kind, needs) if price > 0 else 0 for kind, price in enumerate(rows.prices)]
        assert searched(rows, needs, leaf) == best


def test_a_kind_in_whose_box_another_was_left_out_is_passed_over_alone() -> None:
    """The one after it in the list is still looked at."""
    ages: list[list[int | None]] = [[1], [1], [1], [2], [9], [2], [9], [7], [5], [1], [3]]
    rows = Rows(ages, [1, 2, 12, 6, 7, 12, 10, 6, 8, 4, 5], missing=[3], most=[6])
    needs = Needs(3, 5, np.zeros(0, dtype=np.int64))
    assert searched(rows, needs, 16) == [best_class(rows, kind, needs) for kind in range(rows.size)]
    assert best_class(rows, 8, needs) == 13


@pytest.mark.parametrize("leaf", [1, 16])
def test_where_values_are_needed_the_search_finds_no_less_than_the_best_class_gains(leaf: int) -> None:
    """And seldom more."""
    above = total = 0
    for random, rows, _ in drawn(7, 80):
        needs = random_needs(random, random.randint(1, 2))
        found = searched(rows, needs, leaf)
        for kind, price in enumerate(rows.prices):
            best = best_class(rows, kind, needs) if price > 0 else 0
            assert found[kind] >= best
            above, total = above + (found[kind] > best), total + 1
    assert above < total / 10


@pytest.mark.parametrize("asked", [0, 1])
def test_without_room_for_the_kinds_nearby_all_rows_that_count_gain_the_whole_price(asked: int) -> None:
    for random, rows, _ in drawn(8, 30):
        needs = random_needs(random, asked)
        short = searched(rows, needs, 16, kinds=np.zeros(1, np.int64), costs=np.zeros(1, np.int64))
        for kind, price in enumerate(rows.prices):
            near = [one for one in ranked_before(rows, kind) if rows.paid([kind, one]) < price]
            if price > 0 and len(near) > 1:
                assert short[kind] == price * (needs.most or sum(rows.rows))


@pytest.mark.parametrize("room", range(1, 9))
def test_however_little_room_there_is_the_search_finds_no_less_than_the_best_class_gains(room: int) -> None:
    for random, rows, _ in drawn(10, 12):
        needs = random_needs(random, random.randint(0, 1))
        found = searched(rows, needs, 16, kinds=np.zeros(room, np.int64), costs=np.zeros(room, np.int64))
        for kind, price in enumerate(rows.prices):
            assert found[kind] >= (best_class(rows, kind, needs) if price > 0 else 0)


@pytest.mark.parametrize("steps", [0, 1, 3, 10, 30])
def test_however_few_steps_there_are_the_search_finds_no_less_than_the_best_class_gains(steps: int) -> None:
    for random, rows, _ in drawn(11, 12):
        needs = random_needs(random, random.randint(0, 1))
        found = searched(rows, needs, 16, steps)
        for kind, price in enumerate(rows.prices):
            assert found[kind] >= (best_class(rows, kind, needs) if price > 0 else 0)


def test_there_is_memory_for_all_boxes_inside_each_other() -> None:
    for _, rows, _ in drawn(9, 10):
        asked = np.array([3], dtype=np.int64)
        memory = kernel.Memory.of(rows.table, rows.width, Needs(1, 0, asked), 7)
        assert len(memory.boxes) > kernel.DEEPEST
        assert len(memory.lists) > kernel.DEEPEST
        assert (memory.boxes.shape[1], memory.lists.shape[1]) >= (rows.width, 5)
        assert min(map(len, (memory.kinds, memory.costs, memory.inside, memory.reached))) > rows.size
        assert (len(memory.values), len(memory.open)) >= (3, 8)
