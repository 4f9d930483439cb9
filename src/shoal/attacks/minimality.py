"""Minimality (Wong et al. 2007): who knows that nothing is generalized without need learns from what is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np

from shoal.attacks.base import NO_OWN_ROWS, Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.attacks.threshold import Threshold
from shoal.core.arrays import Ints
from shoal.core.number_format import counted, percents
from shoal.core.sorting import distinct_rows
from shoal.microdata.dealt_values import Counts, surer_than
from shoal.models import Model, Rule

STATES = 20_000
"""Classes with more ways to leave values over are not looked at."""
DRAWS = 10_000_000_000
"""How many ways to deal values to a part are gone through, at most, for the classes of a release together."""

RANDOM_UNIONS = "random-unions"
"""The method, as certificates name it, that also joins classes without need, so often that l-diversity holds."""


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
    excluded_by: ClassVar[str] = "a method that also generalizes without need, such as random-unions; no model"
    gains: ClassVar[str] = "is surer of {attribute} of {people} than {limit}, which is what {model} allows"

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Take a release of one table with cells that cover values, for which l(attribute) was asked."""
        asked = {model.attributes[0] for model in _asked(scene)}
        if not asked:
            return {None: "the requirement has no l(attribute)=l, which is what it breaks"}
        if scene.person is not None:
            return {None: "the requirement counts people, and it deals out the values of rows"}
        if scene.after.places is not None or scene.shown.is_two:
            return {None: f"in recoding {scene.shown.recoding} no class shows that it was generalized"}
        if scene.shown.method == RANDOM_UNIONS:
            return {None: f"{RANDOM_UNIONS} also joins classes without need: nobody is surer by it than l allows"}
        if scene.after.own_row is None:
            return {None: NO_OWN_ROWS}
        return {name: "the requirement has no l of it" for name in scene.sensitive if name not in asked}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Work out the probabilities of every open class."""
        if None not in self.untried(scene):
            for model in _asked(scene):
                yield self._of(scene, model)

    def _of(self, scene: Scene, model: Model) -> Outcome:
        promised = model.limit
        found = _open_classes(scene, model.attributes[0], max(Fraction(scene.shown.models.rows_asked or 1), promised))
        hits, opened, left = 0, 0, DRAWS
        for deal in sorted(found, key=lambda one: (one.draws(promised), one)):
            left -= deal.draws(promised)
            if left < 0:
                break
            opened += len(found[deal]) // sum(deal.sizes)
            surer = surer_than(deal.sizes, deal.counts, promised)
            hits += sum(pair in surer for pair in found.pop(deal))
        people, classes = sum(map(len, found.values())), sum(len(some) // sum(one.sizes) for one, some in found.items())
        said = f"Left out: {counted(classes, 'class', 'classes')} with {people:,} rows, whose values can be handed out"
        return self.outcome(
            scene,
            None,
            hits,
            "own class",
            attribute=model.attributes[0],
            words={"limit": percents(1 / promised)[0], "model": model},
            figures={"promised": round(float(1 / promised), 6), "open_classes": opened, "left_out": classes},
            at_most=Fraction(hits + people, scene.people) if people else None,
            left_out=f"{said} in too many ways." if people else "",
            threshold=Threshold(Fraction(0), str(model)),
        )


@dataclass(frozen=True, order=True)
class Deal:
    """What is handed out in a class: how many rows its parts have, and how often each of its values occurs."""

    sizes: Counts
    counts: Counts

    def draws(self, promised: Fraction) -> int:
        """Return a bound on the ways to deal values to parts that are gone through; more than all for too many."""
        states = prod(count + 1 for count in self.counts)
        if states > STATES:
            return DRAWS + 1
        cap = int(self.sizes[-1] / promised)
        return len(self.sizes) * states * prod(min(count, cap) + 1 for count in self.counts)


def _asked(scene: Scene) -> list[Model]:
    """Return the models that promise l-diversity of one attribute."""
    return [
        model
        for model in scene.shown.models
        if model.rule is Rule.SHARE and model.larger_is_stricter and len(model.attributes) == 1 and not model.given
    ]


def _open_classes(scene: Scene, name: str, least: Fraction) -> dict[Deal, list[tuple[int, int]]]:
    """Return the classes that are open to it, put together by what is handed out in them.

    Of everybody in them: the size of the part, and how often the own value occurs in the class.
    """
    assert scene.after.own_row is not None
    own, label = scene.after.own_secrets[name], scene.crowds()[1].class_of_row[scene.after.own_row]
    part = _parts(scene, label)
    found: dict[Deal, list[tuple[int, int]]] = {}
    for rows in np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1]):
        sizes, values = Counter(part[rows].tolist()), Counter(own[rows].tolist())
        if len(sizes) > 1 and min(sizes.values()) >= least:
            deal = Deal(tuple(sorted(sizes.values())), tuple(sorted(values.values())))
            pairs = zip(part[rows].tolist(), own[rows].tolist(), strict=True)
            found.setdefault(deal, []).extend((sizes[one], values[value]) for one, value in pairs)
    return found


def _parts(scene: Scene, label: Ints) -> Ints:
    """Number the people by class and quasi-identifiers."""
    columns = [label, *(scene.after.people[name] for name in scene.after.quasi)]
    return distinct_rows(columns, [int(column.max()) + 1 for column in columns])[0]
