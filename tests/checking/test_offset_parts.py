"""The parts of an offset, each compared with its definition in plain Python: sums, fractions, and trying all shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, exp, floor, log
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from tests.thorough import many

from shoal.checking.gains import FINE, MetricSpread
from shoal.checking.offsets import _POWERS as POWERS_OF_E
from shoal.checking.offsets import (
    HIGHEST,
    LARGE,
    LOWEST,
    ONE,
    POWERS,
    STEPS,
    CappedOffset,
    EntropyOffset,
    MetricOffset,
    Piles,
)
from shoal.checking.offsets import _powers as made_powers
from shoal.checking.patterns import Members

Group: TypeAlias = list[tuple[int, int, int]]
"""Value, gain and number of rows of each kind of row, the dearest first."""
PARTS = 16
"""Shares are whole numbers of so many parts of 1 in some tests, so that all of them can be tried."""


def members_of(groups: Sequence[Group], exact: Any = np.int64) -> tuple[Members, Any]:
    """Groups, every row a kind of its own; and the values of the kinds."""
    flat = [row for group in groups for row in group]
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    count, gain = np.array([row[2] for row in flat]), np.array([row[1] for row in flat], dtype=exact)
    return Members(np.arange(len(flat)), starts, count, gain), np.array([row[0] for row in flat])


def random_groups(random: Random, values: int = 3, most: int = 3) -> list[Group]:
    """One to three groups of up to five kinds of rows."""
    return [
        sorted(
            (
                (random.randrange(values), random.randint(-9, 9), random.randint(1, most))
                for _ in range(random.randint(1, 5))
            ),
            key=lambda row: -row[1],
        )
        for _ in range(random.randint(1, 3))
    ]


def drawn(
    seed: int, cases: int = 40, **given: int
) -> Iterator[tuple[Random, list[Group], Piles, list[tuple[int, int]]]]:
    """Random groups, as piles, and which group and value each pile is of."""
    random = Random(seed)
    for number in range(many(cases)):
        groups = random_groups(random, **given)
        piles = Piles.of(*members_of(groups, (np.int64, object)[number % 2]))
        yield (
            random,
            groups,
            piles,
            [(at, value) for at, one in enumerate(groups) for value in sorted({r[0] for r in one})],
        )


def test_a_pile_has_the_rows_of_a_group_with_one_value() -> None:
    for _, groups, piles, named in drawn(1):
        rows = [(at, row) for at, group in enumerate(groups) for row in group]
        assert list(zip(piles.group.tolist(), piles.value.tolist(), strict=True)) == named
        assert [named[pile] for pile in piles.of_member] == [(at, row[0]) for at, row in rows]
        first = [next(i for i, (at, row) in enumerate(rows) if (at, row[0]) == pile) for pile in named]
        assert piles.kind.tolist() == first
        before = [
            sum(row[2] for at_, row in rows[:i] if (at_, row[0]) == (at, one[0])) for i, (at, one) in enumerate(rows)
        ]
        assert piles.ahead.tolist() == before
        assert piles.starts.tolist() == [
            next(i for i, (at, _) in enumerate(named) if at == g) for g in range(len(groups))
        ]
        assert piles.dearest.tolist() == [groups[at][0][1] for at, _ in named]
        assert piles.largest == max(1, *(abs(row[1]) for _, row in rows))
        assert piles.gain.tolist() == [row[1] for _, row in rows]
        numbers = np.array([float(7 * place % 5) for place in range(len(rows))])
        assert piles.highest(numbers).tolist() == [
            max(float(n) for n, (at, row) in zip(numbers, rows, strict=True) if (at, row[0]) == pile) for pile in named
        ]


def test_offsets_are_taken_off_the_rows_of_their_pile() -> None:
    for random, groups, piles, named in drawn(2):
        offsets = np.array([random.randint(-9, 9) for _ in named], dtype=piles.members.gain.dtype)
        own = dict(zip(named, offsets.tolist(), strict=True))
        after = [[(value, gain - own[at, value], rows) for value, gain, rows in one] for at, one in enumerate(groups)]
        ranked = [row for group in after for row in sorted(group, key=lambda row: -row[1])]
        found = piles.after(offsets)
        assert list(zip(found.gain.tolist(), found.count.tolist(), strict=True)) == [(g, rows) for _, g, rows in ranked]
        assert found.starts.tolist() == piles.members.starts.tolist()
        assert found.gain.tolist() == [
            piles.members.gain[kind] - offsets[piles.of_member[kind]] for kind in found.kind.tolist()
        ]
        assert piles.left(offsets).tolist() == [sum(rows * max(gain, 0) for _, gain, rows in one) for one in after]
        falling = piles.falling(offsets)
        expected = sorted(range(len(named)), key=lambda pile: (named[pile][0], -offsets[pile]))
        assert falling.gain.tolist() == [offsets[pile] for pile in expected]
        assert falling.kind.tolist() == [piles.kind[pile] for pile in expected]
        assert falling.count.tolist() == [1] * len(named)


def test_of_several_offsets_each_group_has_those_that_leave_least() -> None:
    for random, groups, piles, named in drawn(3):
        offers = [np.array([random.randint(-9, 9) for _ in named]) for _ in range(3)]
        left = [piles.left(offer).tolist() for offer in offers]
        best = [min(range(3), key=lambda place, at=at: left[place][at]) for at in range(len(groups))]  # type: ignore[misc]
        assert piles.best(offers).tolist() == [offers[best[at]][pile] for pile, (at, _) in enumerate(named)]


@pytest.mark.parametrize("exact", [np.int64, object])
@pytest.mark.parametrize(("gain", "largest"), [(0, 1), (-7, 7), (5, 5)])
def test_offsets_are_whole_numbers_of_twice_the_largest_gain_at_most(exact: Any, gain: int, largest: int) -> None:
    piles = Piles.of(*members_of([[(value, gain, 1) for value in range(5)]], exact))
    found = piles.whole(np.array([0.9, -0.1, 99.5, -99.5, 2.0]))
    assert found.tolist() == [0, -1, LARGE * largest, -LARGE * largest, 2]
    assert found.dtype == exact
    assert {type(number) for number in found.tolist()} == {int}


# --- capped shares ---


def shares_within(base: Sequence[int], hard: Sequence[int], pool: int, whole: int) -> Iterator[tuple[int, ...]]:
    """All shares of values, in parts of a whole, that are within their caps and that the pool allows."""
    for some in product(*(range(min(cap, whole) + 1) for cap in hard)):
        if sum(some) == whole and sum(max(one - low, 0) for one, low in zip(some, base, strict=True)) <= pool:
            yield some


def random_caps(random: Random) -> tuple[list[int], list[int], int]:
    """Caps of three values in parts, below which each has its base, and a pool."""
    hard = [random.randint(0, PARTS) for _ in range(3)]
    return [random.randint(0, cap) for cap in hard], hard, random.randint(0, PARTS)


def capped(values: Any, least: int, base: list[int], hard: list[int], pool: int, exact: Any) -> CappedOffset:
    """The offsets of such shares, in units of 1 / ONE."""
    part = ONE // PARTS
    low, high = (np.array(some, dtype=exact) * part for some in (base, hard))
    return CappedOffset(values, least, low, high, pool * part)


def test_offsets_of_capped_shares_are_lowered_by_what_they_earn_at_most() -> None:
    """All shares in whole parts are tried: the most that any of them earns is taken off, rounded up, and no more."""
    seen: set[bool] = set()
    for random, groups, piles, named in drawn(4, 120):
        base, hard, pool = random_caps(random)
        offset = capped(members_of(groups)[1], 1, base, hard, pool, piles.members.gain.dtype)
        offsets = np.array([random.randint(-30, 30) for _ in named], dtype=piles.members.gain.dtype)
        lowered, earned = offset._lowered(piles, offsets)
        for at in range(len(groups)):
            own = [pile for pile, (group, _) in enumerate(named) if group == at]
            kept = [named[pile][1] for pile in own]
            tried = shares_within([base[v] for v in kept], [hard[v] for v in kept], pool, PARTS)
            most = [Fraction(sum(q * int(offsets[p]) for q, p in zip(some, own, strict=True)), PARTS) for some in tried]
            seen.add(bool(most))
            if most:
                assert float(earned[at]) == pytest.approx(float(max(most)))
            expected = [int(offsets[p]) - ceil(max(most)) if most else groups[at][0][1] for p in own]
            assert [int(lowered[pile]) for pile in own] == expected
    assert seen == {False, True}


def test_groups_have_too_few_rows_where_no_class_of_the_least_number_fits() -> None:
    seen: set[bool] = set()
    for random, groups, piles, named in drawn(5, 60, most=2):
        base, hard, pool = random_caps(random)
        least = random.randint(1, 3)
        offset = capped(members_of(groups)[1], least, base, hard, pool, piles.members.gain.dtype)
        found = offset._are_too_few(piles).tolist()
        for at, group in enumerate(groups):
            kept = [value for place, value in named if place == at]
            rows = [PARTS * sum(row[2] for row in group if row[0] == value) for value in kept]
            caps = [min(hard[value] * least, held) for value, held in zip(kept, rows, strict=True)]
            fits = any(True for _ in shares_within([base[v] * least for v in kept], caps, pool * least, PARTS * least))
            assert found[at] is not fits
            seen.add(fits)
        if any(found):
            none = [at for at, short in enumerate(found) if short]
            after = offset(piles.members)
            ends = [*piles.members.starts[1:].tolist(), len(after.gain)]
            for at in none:
                assert max(after.gain[int(after.starts[at]) : ends[at]].tolist()) == 0
    assert seen == {False, True}


def filled(group: Group, rows: float, base: list[int], hard: list[int], pool: int) -> tuple[dict[int, float], bool]:
    """The offsets of values, found by filling a class of so many rows; and whether there are so many."""
    infinite, ahead, over_all, class_left = float("inf"), dict.fromkeys(range(3), 0.0), 0.0, rows
    capped_, above, mass = ({row[0]: start for row in group} for start in (-infinite, -infinite, 0.0))
    empty, last = -infinite, infinite
    for value, gain, count in group:
        low, high = (min(max(cap[value] / PARTS * rows - ahead[value], 0.0), count) for cap in (base, hard))
        pooled = min(max(pool / PARTS * rows - over_all, 0.0), high - low)
        taken = min(low + pooled, class_left)
        above[value] = max(above[value], gain if low < count - 1e-6 else -infinite)
        capped_[value] = max(capped_[value], gain if high < count - 1e-6 else -infinite)
        empty = max(empty, gain if pooled < high - low - 1e-6 else -infinite)
        last = gain if taken > 1e-6 else last
        ahead[value], over_all, class_left = ahead[value] + count, over_all + high - low, class_left - taken
        mass[value] += taken / rows
    first = {value: max(capped_[value], min(above[value], empty)) for value in mass}
    full = [value for value in mass if first[value] > -infinite]
    lacking = 1 - sum(mass[value] for value in full)
    even = -sum(mass[value] * first[value] for value in full) / max(lacking, 1e-9)
    short = class_left > 1e-9 * rows
    return {value: max(one, even if short else last) for value, one in first.items()}, short


def test_a_class_is_filled_with_the_dearest_rows_that_its_caps_leave_room_for() -> None:
    seen: set[bool] = set()
    for random, groups, piles, named in drawn(11, 80):
        base, hard, pool = random_caps(random)
        offset = capped(members_of(groups)[1], 1, base, hard, pool, piles.members.gain.dtype)
        rows = [random.choice([1.0, 2.0, 4.0, 7.5, 16.0]) for _ in groups]
        found, short = offset._raw(piles, np.array(rows))
        for at, group in enumerate(groups):
            expected, lacking = filled(group, rows[at], base, hard, pool)
            assert bool(short[at]) is lacking
            own = [float(found[pile]) for pile, (place, _) in enumerate(named) if place == at]
            assert own == pytest.approx([expected[value] for place, value in named if place == at])
            seen.add(lacking)
    assert seen == {False, True}


@pytest.mark.parametrize(
    ("gain", "exact", "taken"),
    [(2**39 - 1, np.int64, True), (2**39, np.int64, False), (2**39, object, True), (-(2**39), np.int64, False)],
)
def test_offsets_are_taken_only_where_all_that_is_worked_out_fits(gain: int, exact: Any, taken: bool) -> None:
    """Each of two values may have a part of a class: there is none, so all that rows gain is taken."""
    members, values = members_of([[(0, gain, 1), (1, gain, 1)]], exact)
    after = capped(values, 1, [1, 1], [1, 1], 0, exact)(members)
    assert after.gain.tolist() == [0 if taken else gain] * 2


@pytest.mark.parametrize(
    ("rows", "t", "factor"),
    [(3, Fraction(1, 2), ONE << 8), (1 << 21, Fraction(1, 4), 1 << 31), (ONE, Fraction(1, 3), 3 * ONE << 8)],
)
def test_a_metric_needs_room_for_the_rows_of_the_table(rows: int, t: Fraction, factor: int) -> None:
    spread = MetricSpread(np.arange(2), np.array([rows - 1, 1]), t, np.array([[0, ONE], [ONE, 0]]))
    assert MetricOffset(np.arange(2), 1, spread)._factor == factor


# --- shares within a distance ---


def random_metric(random: Random, values: Any, exact: Any) -> tuple[MetricOffset, list[int], list[list[int]]]:
    """Offsets of shares near those of a table, by places of the values on a line; rows by value, and distances."""
    totals, places = [random.randint(1, 9) for _ in range(4)], random.sample(range(0, 1 << FINE, 1000), 4)
    apart = [[abs(one - other) for other in places] for one in places]
    spread = MetricSpread(values, np.array(totals, dtype=exact), Fraction(random.randint(0, 6), 6), np.array(apart))
    return MetricOffset(values, 1, spread), totals, apart


def test_the_shares_of_a_table_go_to_the_nearest_value_of_the_group() -> None:
    for random, groups, piles, named in drawn(6, values=4):
        offset, totals, apart = random_metric(random, members_of(groups)[1], piles.members.gain.dtype)
        expected = dict.fromkeys(named, 0.0)
        for at, group in enumerate(groups):
            for value, total in enumerate(totals):
                nearest = min(sorted({row[0] for row in group}), key=lambda one, value=value: apart[value][one])  # type: ignore[misc]
                expected[at, nearest] += total / sum(totals)
        assert offset._nearest(piles).tolist() == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("at_once", [1, 30, 2_000_000])
def test_offsets_are_raised_to_what_others_are_less_the_way(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """However many values are looked at together."""
    monkeypatch.setattr("shoal.checking.offsets.AT_ONCE", at_once)
    for random, groups, piles, named in drawn(7, values=4):
        offset, _, apart = random_metric(random, members_of(groups)[1], piles.members.gain.dtype)
        moving = np.array([random.choice((0, 1, 9, 40)) for _ in groups], dtype=piles.members.gain.dtype)
        own = [random.choice((-np.inf, *range(-9, 10))) for _ in named]
        floored = [max(float(one), -2.0 * piles.largest) for one in own]
        expected = [
            max(
                other - float(moving[at]) * apart[value][theirs] / ONE
                for other, (group, theirs) in zip(floored, named, strict=True)
                if group == at
            )
            for at, value in named
        ]
        assert offset._smoothed(piles, np.array(own, dtype=np.float64), moving).tolist() == pytest.approx(expected)


def test_the_first_row_that_a_class_like_the_table_leaves_out_is_the_offset() -> None:
    """A class of so many rows has of each value what is nearest to it in the table; its dearest rows are taken."""
    for random, groups, piles, named in drawn(8, values=4):
        offset, totals, _ = random_metric(random, members_of(groups)[1], piles.members.gain.dtype)
        nearest, nothing = offset._nearest(piles), np.zeros(len(groups), dtype=piles.members.gain.dtype)
        raw, lowered = offset._rules(piles, nearest, nothing)
        rows = np.array([random.choice([random.uniform(1, 9), float(sum(totals))]) for _ in groups])
        found, short = raw(rows)
        assert short.tolist() == [False] * len(groups)
        first = dict.fromkeys(named, -2.0 * piles.largest)
        for pile, share in zip(named, nearest.tolist(), strict=True):
            taken = 0
            for value, gain, count in groups[pile[0]]:
                taken += count * (value == pile[1])
                if value == pile[1] and taken > share * rows[pile[0]] + 1e-6:
                    first[pile] = max(float(gain), first[pile])
                    break
        most = {at: max(first[pile] for pile in named if pile[0] == at) for at in range(len(groups))}
        assert found.tolist() == [most[at] for at, _ in named]  # nothing is charged for a way, so all are as high
        whole = piles.whole(found)
        below, by = lowered(whole)
        assert (whole - below).tolist() == [ceil(by[at] - 1e-9) for at, _ in named]


# --- shares with entropy enough ---


def test_powers_of_e_are_never_too_low_and_hardly_too_high() -> None:
    powers = made_powers()
    found = {step: int(powers[step]) for step in range(LOWEST * STEPS, HIGHEST * STEPS + 1)}
    assert len(powers) == len(found)
    for step, power in found.items():
        exact = exp(step / STEPS) * 2**POWERS
        assert exact <= power <= exact * (1 + 1e-11) + 1


@pytest.mark.parametrize(("level", "taken"), [(2 ** (HIGHEST - 1) - 1, True), (2 ** (HIGHEST - 1), False)])
def test_offsets_of_entropy_end_where_their_powers_do(level: int, taken: bool) -> None:
    members, values = members_of([[(value, 1000, 1) for value in range(3)]])
    found = EntropyOffset(values, 1, Fraction(level))(members)
    assert (found.gain.tolist() != members.gain.tolist()) is taken


def powers_of(offsets: Sequence[int], unit: int) -> int:
    """The sum of the powers of offsets of one group, in units of 2^-30, rounded up."""
    return sum(int(POWERS_OF_E[min(max(-(-one // unit), LOWEST * STEPS), HIGHEST * STEPS)]) for one in offsets)


def test_offsets_of_entropy_are_lowered_no_farther_than_their_powers_ask_for() -> None:
    for random, groups, piles, named in drawn(9):
        level = Fraction(random.randint(11, 29), 10)
        unit = np.array([random.randint(1, 3) for _ in groups], dtype=piles.members.gain.dtype)
        _raw, lowered = EntropyOffset(members_of(groups)[1], 1, level)._rules(piles, unit)
        offsets = np.array([random.randint(-18, 18) for _ in named], dtype=piles.members.gain.dtype)
        found, by = lowered(offsets)
        allowed = floor(level * 2**POWERS)
        for at in range(len(groups)):
            own = [pile for pile, (group, _) in enumerate(named) if group == at]
            taken = {int(offsets[pile] - found[pile]) for pile in own}
            assert len(taken) == 1
            assert powers_of([int(found[pile]) for pile in own], int(unit[at])) <= allowed
            raised = [int(found[pile]) + 2 * int(unit[at]) for pile in own]
            clipped = by[at] * float(unit[at]) < -2 * piles.largest
            assert clipped or powers_of(raised, int(unit[at])) > allowed


def test_offsets_whose_powers_are_just_allowed_stay() -> None:
    piles = Piles.of(*members_of([[(value, 1000, 1) for value in range(3)]]))
    offsets = np.array([-7, 0, 2])
    level = Fraction(powers_of(offsets.tolist(), 1), 2**POWERS)
    _, lowered = EntropyOffset(np.arange(3), 1, level)._rules(piles, np.array([1]))
    assert lowered(offsets)[0].tolist() == [-7, 0, 2]


def test_a_pile_goes_up_to_the_first_row_that_a_diverse_class_has_no_room_for() -> None:
    """Where its value already has the share of one in so many, a row is worth the offset that such a share costs."""
    for random, groups, piles, named in drawn(10):
        level, dtype = Fraction(random.randint(11, 29), 10), piles.members.gain.dtype
        unit = np.array([random.randint(1, 3) for _ in groups], dtype=dtype)
        raw, _ = EntropyOffset(members_of(groups)[1], 1, level)._rules(piles, unit)
        rows = [random.uniform(1, 9) for _ in groups]
        found, short = raw(np.array(rows))
        assert short.tolist() == [False] * len(groups)
        expected = []
        for at, value in named:
            own = [(gain, count) for one, gain, count in groups[at] if one == value]
            until = np.cumsum([count for _, count in own]).tolist()
            worth = [log(many * float(level) / rows[at]) * int(unit[at]) * STEPS for many in until]
            expected.append(max(min(float(gain), one) for (gain, _), one in zip(own, worth, strict=True)))
        assert found.tolist() == pytest.approx(expected)


# --- the number of rows that offsets are found for ---

ASKED, MOST = 2, 128
"""The least rows of a class in these tests, and all rows of the group."""


@pytest.mark.parametrize(
    ("target", "short_from"),
    [(500.25, 999), (5001, 999), (78.5, 999), (5.0, 999), (500.25, 12), (9999, 999), (625, 999)],
)
def test_offsets_are_found_for_the_number_of_rows_that_needs_neither_more_nor_less(
    target: float, short_from: int
) -> None:
    """Offsets are 10,000 for each row of the class, and what they earn is what they are above a number.

    At last those are tried that earn nothing, on the line between the best on both sides; or the best of the only side.
    """
    piles = Piles.of(*members_of([[(0, 10**6, MOST // 2), (1, 10**6, MOST // 2)]]))
    asked: list[float] = []
    given: list[float] = []

    def raw(rows: Any) -> tuple[Any, Any]:
        asked.append(float(rows[0]))
        return np.full(2, 10_000 / rows[0]), rows >= short_from

    def lowered(offsets: Any) -> tuple[Any, Any]:
        given.append(float(offsets[0]))
        return offsets, np.array([(float(offsets[0]) - target) / 1000])

    EntropyOffset(np.arange(2), ASKED, Fraction(2))._halved(piles, raw, lowered)
    expected, low, high = [float(ASKED), float(MOST)], float(ASKED), float(MOST)
    for _ in range(8):
        middle = (low * high) ** 0.5
        expected.append(middle)
        is_few = floor(10_000 / middle) > target and middle < short_from
        low, high = (middle, high) if is_few else (low, middle)
    assert asked == pytest.approx(expected)
    few, often = floor(10_000 / low), floor(10_000 / high)
    assert given[-1] == pytest.approx(min(max(target, often), few), abs=1)
