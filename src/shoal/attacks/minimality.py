"""Minimality (Wong et al. 2007): who knows that nothing is generalized without need learns from what is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, prod
from typing import ClassVar, TypeAlias

import numpy as np

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.models import Rule

STATES = 20_000
"""Classes with more ways to leave values over are not looked at."""
Counts: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Minimality(Attack):
    """Guarantees that `after` counts the people whose own value the attacker can be surer of than l-diversity promises.

    Takes a release with `l(attribute)=l`. The attacker knows who is in which class, with all quasi-identifiers, and
    that people with equal ones would have been published by themselves if they could. A class is open to it if all its
    parts (people with equal quasi-identifiers) have k and l rows or more: then some part, alone, breaks l-diversity. Of
    all ways to hand out the values of the class to its people those are left in which a part does, all as probable.
    Hit is whose own value then has a probability above 1 / l, worked out exactly.

    Limits: parts are the finest ones only; classes with too many ways are left out (figure `left_out`).
    """

    name: ClassVar[str] = "minimality"
    meaning: ClassVar[str] = "the value is more probable than 1 / l, as nothing is generalized without need"
    knows: ClassVar[str] = "everybody's quasi-identifiers and class, l, and that needless generalization is avoided"
    excluded_by: ClassVar[str] = "- (a method that does not always avoid it)"

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Work out the probabilities of every open class."""
        sight = scene.after
        if sight.own_row is None or sight.places is not None or scene.shown.is_two:
            return
        k = scene.shown.models.rows_asked or 1
        for model in scene.shown.models:
            if model.rule is Rule.SHARE and model.larger_is_stricter and len(model.attributes) == 1 and not model.given:
                yield self._of(scene, model.attributes[0], model.limit, k)

    def _of(self, scene: Scene, name: str, promised: Fraction, k: int) -> Outcome:
        crowd, own = scene.crowds()[1], scene.after.own_secrets[name]
        assert scene.after.own_row is not None
        label = crowd.class_of_row[scene.after.own_row]
        part = _parts(scene, label)
        hits = opened = left_out = 0
        for rows in np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1]):
            sizes, values = Counter(part[rows].tolist()), Counter(own[rows].tolist())
            if len(sizes) < 2 or min(sizes.values()) < max(Fraction(k), promised):
                continue
            if prod(count + 1 for count in values.values()) > STATES:
                left_out += 1
                continue
            opened += 1
            surer = surer_than(tuple(sorted(sizes.values())), tuple(sorted(values.values())), promised)
            pairs = zip(part[rows].tolist(), own[rows].tolist(), strict=True)
            hits += sum((sizes[one], values[value]) in surer for one, value in pairs)
        figures = {"promised": round(float(1 / promised), 6), "open_classes": opened, "left_out": left_out}
        return self.outcome(scene, None, hits, "own class", attribute=name, figures={**figures})


def _parts(scene: Scene, label: Ints) -> Ints:
    """Number the people by class and quasi-identifiers."""
    columns = [label, *(scene.after.people[name] for name in scene.after.quasi)]
    return distinct_rows(columns, [int(column.max()) + 1 for column in columns])[0]


@lru_cache(maxsize=100_000)
def surer_than(sizes: Counts, counts: Counts, promised: Fraction) -> frozenset[tuple[int, int]]:
    """Return in parts of which size values of which count are more probable than 1 / `promised`.

    `sizes` are those of the parts of a class, `counts` say how often each of its values occurs. Of all ways to hand out
    the values to the people, those in which no part has a value in more than 1 / `promised` of its rows are left out.

    >>> sorted(surer_than((2, 5), (1, 1, 1, 1, 1, 2), Fraction(2)))
    [(2, 2)]
    """
    total, rows = _ways(counts, sizes), sum(sizes)
    caps = tuple(int(size / promised) for size in sizes)
    kept = _kept(sizes, caps, counts)
    if kept == total:
        return frozenset()
    found = set()
    for part, size in enumerate(sizes):
        rest, cap = (sizes[:part] + sizes[part + 1 :], caps[:part] + caps[part + 1 :]), caps[part]
        for value, count in enumerate(counts):
            dealt = _dealt(size, cap, counts, *rest, value)
            if (Fraction(count, rows) * total - Fraction(dealt, size)) * promised > total - kept:
                found.add((size, count))
    return frozenset(found)


def _ways(counts: Counts, sizes: Counts) -> int:
    """Return in how many ways values can be handed out to people."""
    left, ways = sum(sizes), 1
    for count in counts:
        ways, left = ways * comb(left, count), left - count
    return ways


def _draws(size: int, cap: int, counts: Counts) -> Iterator[tuple[Counts, int]]:
    """Return what one part may be dealt, no value more than `cap` times, and in how many ways among its people."""
    if not counts:
        if size == 0:
            yield (), 1
        return
    for taken in range(min(size, cap, counts[0]) + 1):
        for rest, ways in _draws(size - taken, cap, counts[1:]):
            yield (taken, *rest), ways * comb(size, taken)


@lru_cache(maxsize=200_000)
def _kept(sizes: Counts, caps: Counts, counts: Counts) -> int:
    """Return in how many ways values can be handed out to parts so that no part has one more often than its cap."""
    if not sizes:
        return 1
    drawn = _draws(sizes[0], caps[0], counts)
    return sum(ways * _kept(sizes[1:], caps[1:], _less(counts, taken)) for taken, ways in drawn)


def _dealt(size: int, cap: int, counts: Counts, sizes: Counts, caps: Counts, value: int) -> int:
    """Return how often a part is dealt a value, over all the ways that `_kept` counts."""
    drawn = _draws(size, cap, counts)
    return sum(taken[value] * ways * _kept(sizes, caps, _less(counts, taken)) for taken, ways in drawn)


def _less(counts: Counts, taken: Counts) -> Counts:
    return tuple(count - gone for count, gone in zip(counts, taken, strict=True))
