"""The optima that ARX states and shoal has not: ARX's number comes out by ARX's rule, which is written down here.

- Entropy l-diversity by Grassberger's estimate, twice: ARX takes G(g) for ln g, g being the rows of a class, and gives
  a class up as soon as a part of the sum is too large, though G(1) is below 0. So the order of the values in a hash
  table decides, and the classes that were merged before.
- Population uniqueness by the slide negative binomial: ARX multiplies its second equation by a power that the model
  divides by. There is no root, hence no estimate, and all unique rows go.
- No-attack profitability, once: ARX asks that an attack brings less than it costs, which is one person more than where
  it may bring as much. The levels stated with the loss are not those that lose it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import e, log

import numpy as np
import pytest
from tests.costs.test_arx_expected import (
    DIFFERENT,
    METRICS,
    OPTIMA,
    PEOPLE,
    Case,
    Generalized,
    Release,
    adult,
    cases,
    microdata,
    prices_of,
)

pytestmark = pytest.mark.skipif(not OPTIMA.is_file(), reason="there is no ../shared/data/adult beside the repository")


def stated(place: str) -> Case:
    """A stated optimum, by the line of ARX's test."""
    return next(case for case in cases(OPTIMA) if case.place == place)


def lost(case: Case, table: Generalized, admitted: Sequence[bool]) -> float:
    """What a release loses that publishes these classes."""
    return METRICS[case.metric](Release(table, np.array(admitted, dtype=bool)))


# Grassberger's estimate


def estimate(count: int) -> float:
    """Grassberger's G, by its sum."""
    return -np.euler_gamma - log(2) + sum(2 / (2 * number + 1) for number in range(count // 2))


class Buckets:
    """How often values occur, in ARX's order: a hash table of at least 8 places that is doubled above three quarters.

    A value is a small number, and its place that number modulo the size, or the next free one.
    """

    def __init__(self) -> None:
        self.places: list[list[int] | None] = [None] * 8

    def add(self, value: int, count: int) -> None:
        found = self._place(value)
        if found is not None:
            self.places[found[0]] = [value, count + found[1]]
        if 4 * sum(place is not None for place in self.places) > 3 * len(self.places):
            kept, self.places = self.counted(), [None] * (2 * len(self.places))
            for pair in kept:
                self.add(*pair)

    def _place(self, value: int) -> tuple[int, int] | None:
        for step in range(len(self.places)):
            at = (value + step) % len(self.places)
            there = self.places[at]
            if there is None or there[0] == value:
                return at, 0 if there is None else there[1]
        return None

    def counted(self) -> list[tuple[int, int]]:
        return [(place[0], place[1]) for place in self.places if place is not None]


def in_arx_order(case: Case, finer: tuple[int, ...]) -> tuple[Generalized, list[list[int]]]:
    """The counts of each class as ARX comes by them: classes at finer levels are counted row by row, then merged."""
    data = microdata("adult", case.quasi, False)
    table, below = Generalized(data, case.levels or ()), Generalized(data, finer)
    words = adult("adult").frame["occupation"].to_list()
    number = {word: place for place, word in enumerate(dict.fromkeys(words))}
    fine = [Buckets() for _ in below.grouped[2]]
    for row, word in zip(below.grouped[0].tolist(), words, strict=True):
        fine[row].add(number[word], 1)
    merged: dict[int, Buckets] = {}
    for place in np.argsort(below.grouped[1]).tolist():
        above = int(table.grouped[0][below.grouped[1][place]])
        if above not in merged:
            merged[above] = fine[place]
            continue
        for pair in fine[place].counted():
            merged[above].add(*pair)
    return table, [[count for _, count in merged[place].counted()] for place in range(len(table.grouped[2]))]


def sums(counts: Iterable[int]) -> Iterator[float]:
    """The sum of n G(n), part by part."""
    total = 0.0
    for count in counts:
        total += count * estimate(count)
        yield total


def admitted_by_arx(counts: Sequence[int], least: int) -> bool:
    """Whether no part of the sum is larger than allowed, with G(g) in place of ln g."""
    allowed = sum(counts) * (estimate(sum(counts)) - log(least))
    return len(counts) >= least and all(part <= allowed for part in sums(counts))


def asked(case: Case) -> int:
    found = re.search(r"occupation, (\d+),", case.models)
    assert found is not None
    return int(found[1])


def test_the_loss_by_grassbergers_estimate_comes_out_by_arx_rule() -> None:
    case = stated("TestAnonymizationEntropyLDiversity.java:46")
    table, classes = in_arx_order(case, (0, 0, 0, 0, 2, 0, 2, 0))
    admitted = [admitted_by_arx(counts, asked(case)) for counts in classes]
    assert lost(case, table, admitted) == pytest.approx(case.loss[0], rel=1e-14)


@pytest.mark.parametrize("line", [46, 49])
def test_arx_loses_more_than_its_formula_says_and_less_than_in_the_worst_order(line: int) -> None:
    case = stated(f"TestAnonymizationEntropyLDiversity.java:{line}")
    table, classes = in_arx_order(case, case.levels or ())
    by_formula = [admitted_by_arx(sorted(counts), asked(case)) for counts in classes]  # what is below 0 comes first
    in_worst_order = [admitted_by_arx(sorted(counts, reverse=True), asked(case)) for counts in classes]
    assert lost(case, table, by_formula) < case.loss[0] < lost(case, table, in_worst_order)


def test_the_order_of_values_decides_in_arx() -> None:
    counts = [6, 1, 1, 1]
    assert admitted_by_arx(sorted(counts), 3)
    assert not admitted_by_arx(counts, 3)


# The slide negative binomial


def shlosser_in_arx(sizes: Counter[int], fraction: float) -> float:
    """ARX's estimate of the classes of the population: 1 is subtracted for each size, where the estimator has a sum."""
    f, pairs = fraction, list(sizes.items())
    first = sum(size * f**2 * (1 - f**2) ** (size - 1) * number for size, number in pairs)
    second = sum(((1 - f) * (1 + f)) ** size * number - 1 for size, number in pairs)
    third = sum((1 - f) ** size * number for size, number in pairs)
    fourth = sum(size * f * (1 - f) ** (size - 1) * number for size, number in pairs)
    return sum(sizes.values()) + sizes[1] * first / second * (third / fourth) ** 2


def test_the_second_equation_of_arx_has_no_root_while_rows_are_unique() -> None:
    """ARX: K a b^a f^2 (1 - b) / 2 * (1 - s)^(a + 2) * (2 - (1 - a) s) = classes of two rows, s = (1 - f)(1 - b).

    With b <= 1 - s <= exp(-s) and u = a s the left side is at most K f^2 / (2 (1 - f)) * (2 u + u^2) exp(-2 u), of
    which 2 u exp(-2 u) <= 1 / e and u^2 exp(-2 u) <= 1 / e^2. The model divides by the power.
    """
    case = stated("TestAnonymizationRiskBased.java:57")
    table = Generalized(microdata("adult", case.quasi, False), case.levels or ())
    sizes = Counter(table.grouped[2].tolist())
    pairs, unique = sizes[2], sizes[1]
    for left in range(unique, 0, -1):
        sizes[1] = left
        fraction = sum(size * number for size, number in sizes.items()) / PEOPLE
        most = shlosser_in_arx(sizes, fraction) * fraction**2 / (2 * (1 - fraction)) * (1 / e + 1 / e**2)
        assert most < 1 < pairs
    assert lost(case, table, (table.grouped[2] > 1).tolist()) == pytest.approx(case.loss[0], abs=1e-10)


# An attack that brings what it costs


def test_the_loss_of_no_attack_comes_out_with_one_person_more_at_other_levels() -> None:
    case = stated("TestAnonymizationProfitability.java:59")
    prices = prices_of(case.models)
    people, may = int(Fraction(prices.gain) / Fraction(prices.cost)), case.limit * adult("adult_subset").rows
    data = microdata("adult_subset", case.quasi, True)
    other = Generalized(data, (1, 3, 0, 1, 3, 0, 1, 0))
    found = Release(other, other.people() > people)
    assert prices.of(found.dropped) == pytest.approx(case.loss[0], rel=1e-14)
    assert found.suppressed.sum() <= may
    listed = Generalized(data, case.levels or ())
    assert Release(listed, listed.people() > people).suppressed.sum() > may


def test_every_difference_is_explained() -> None:
    assert set(DIFFERENT) == {
        "TestAnonymizationEntropyLDiversity.java:46",
        "TestAnonymizationEntropyLDiversity.java:49",
        "TestAnonymizationProfitability.java:59",
        "TestAnonymizationRiskBased.java:57",
    }
