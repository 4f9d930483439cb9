"""The phases of TP: what each class keeps, and what has gone to the residue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from docs.generator.explained.drawing import SIDE, labelled, line, picture, text, tint
from docs.generator.explained.page import names_of, posed
from shoal.bounds.residue import phase_one
from shoal.core.arrays import Ints
from shoal.core.markup import Markup
from shoal.methods.base import Deadline
from shoal.methods.l_diversity.tp import counted, diversity_of, three_phases
from shoal.problem import Problem

LEFT, TOP, STEP, GAP = 112, 50, 46, 26
MOST_SINGLE = 20
"""Rows up to which each is a square; of more, the rows of one value are."""
COUNT = 40
"""The width of a square that says how many rows have a value."""


@dataclass(frozen=True)
class Stage:
    """How the rows stand: how many of each value each class has, class by class, and how many the residue has."""

    name: str
    classes: list[list[int]]
    residue: list[int]


def two_phases() -> str:
    """Return the picture of the table that phase two solves."""
    people = names_of("tp")["people"]
    return _drawn(people, "age", "illness", 2, "TP with l = 2: the rows of each age and the residue, phase by phase")


def third_phase() -> str:
    """Return the picture of the table that comes to phase three."""
    people = names_of("tp")["stuck"]
    return _drawn(people, "age", "illness", 4, "TP with l = 4: a table in which phase 2 can take no row")


def stages(problem: Problem) -> list[Stage]:
    """Return how the rows stand before, and after each phase that altered something."""
    attributes, number = diversity_of(problem)
    _, histogram = counted(problem, attributes)
    split = three_phases(problem, Deadline())
    first, _ = phase_one(histogram, Fraction(number))
    values = len(histogram.values.totals)

    def stage(name: str, stay: Ints) -> Stage:
        inside = np.zeros((len(histogram.sizes), values), dtype=np.int64)
        np.add.at(inside, (histogram.slice_of_entry, histogram.codes), stay)
        gone = np.bincount(histogram.codes, weights=histogram.counts - stay, minlength=values)
        return Stage(name, inside.tolist(), gone.astype(int).tolist())

    return [
        stage("the table", histogram.counts),
        stage("after phase 1", first),
        stage(f"after phase {split.phase}", split.stay),
    ]


def _drawn(people: Mapping[str, Sequence[Any]], quasi: str, sensitive: str, diversity: int, said: str) -> str:
    problem = posed(people, [quasi], f"l({sensitive})={diversity}")
    found = stages(problem)
    letters = [str(value)[0] for value in problem.values[(sensitive,)].domain]
    groups = [f"{quasi} {value}" for value in sorted(set(people[quasi]))] + ["residue"]
    standing = [[*stage.classes, stage.residue] for stage in found]
    single = len(people[quasi]) <= MOST_SINGLE
    widths = [max(_width(lines[place], single=single) for lines in standing) + GAP for place in range(len(groups))]
    starts = [LEFT + sum(widths[:place]) for place in range(len(groups))]
    shapes = [text(x, 30, group, "head") for x, group in zip(starts, groups, strict=True)]
    width, before = LEFT + sum(widths), standing[0]
    for number, (stage, counts) in enumerate(zip(found, standing, strict=True)):
        y = TOP + STEP * number
        shapes += [text(14, y + SIDE - 8, stage.name), line(14, y - 9, width - 14, y - 9)]
        for x, now, earlier in zip(starts, counts, before, strict=True):
            shapes += (_cells if single else _counts)(x, y, now, earlier, letters)
        before = counts
    return picture(width, TOP + STEP * len(found) - 4, said, shapes)


def _cells(
    x: float, y: float, counts: Sequence[int], before: Sequence[int], letters: Sequence[str]
) -> Iterator[Markup]:
    """Yield a square for each row; those that have just come have an outline."""
    for value, (count, earlier) in enumerate(zip(counts, before, strict=True)):
        for number in range(count):
            kind = f"{tint(value)} moved" if number >= earlier else tint(value)
            yield from labelled(x, y, SIDE - 3, letters[value], kind)
            x += SIDE


def _counts(
    x: float, y: float, counts: Sequence[int], before: Sequence[int], letters: Sequence[str]
) -> Iterator[Markup]:
    """Yield a square for each value, with the number of its rows; those that have just grown have an outline."""
    for value, (count, earlier) in enumerate(zip(counts, before, strict=True)):
        if count:
            kind = f"{tint(value)} moved" if count > earlier else tint(value)
            yield from labelled(x, y, COUNT - 3, f"{count} {letters[value]}", kind)
            x += COUNT


def _width(counts: Sequence[int], *, single: bool) -> float:
    return SIDE * sum(counts) if single else COUNT * sum(count > 0 for count in counts)
