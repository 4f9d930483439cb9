"""Fragments: boxes of salaries, and the classes that take people from every box."""

from __future__ import annotations

import numpy as np

from docs.generator.explained.drawing import SIDE, box, labelled, line, text, tint
from docs.generator.explained.drawing import picture as drawn
from docs.generator.explained.page import names_of, posed
from shoal.methods.base import Deadline, silent
from shoal.methods.t_closeness.fragments import Work

LEFT, TOP, ACROSS, DOWN = 150, 50, 60, 34


def picture() -> str:
    """Return people by age and salary; bands are fragments, colours are classes, bars are the published ages."""
    names = names_of("fragments")
    people, published = names["people"], names["dealt"].table["age"].to_list()
    problem = posed(people, ["age"], "t(salary)=0.25", recoding="range")
    fragment = Work(problem, Deadline(), silent).fragment_of_row
    ages, salaries = np.array(people["age"]), np.array(people["salary"])
    classes = sorted(set(published))
    lines = len(ages)
    shapes = [
        text(14, 28, "salary, cut into fragments", "head"),
        text(LEFT + ACROSS * lines / 2 + 40, 28, "age", "head", at="middle"),
    ]
    rank = {salary: lines - 1 - number for number, salary in enumerate(sorted(salaries.tolist()))}
    for number in np.unique(fragment):
        own = [rank[salary] for salary in salaries[fragment == number].tolist()]
        shapes.append(
            box(
                LEFT - 44, TOP + DOWN * min(own) - 3, ACROSS * lines + 44, DOWN * (max(own) - min(own) + 1) - 2, "plain"
            )
        )
        shapes.append(text(14, TOP + DOWN * (sum(own) / len(own)) + 18, f"fragment {int(number) + 1}", "faint"))
    for age, salary, cell in zip(ages.tolist(), salaries.tolist(), published, strict=True):
        x, y = LEFT + ACROSS * (age - ages.min()) / 2, TOP + DOWN * rank[salary]
        shapes += [
            text(LEFT - 10, y + SIDE - 8, salary, "small faint", at="end"),
            *labelled(x, y, ACROSS - 12, age, tint(classes.index(cell))),
        ]
    bottom = TOP + DOWN * lines + 14
    shapes.append(line(14, bottom - 8, LEFT + ACROSS * lines, bottom - 8))
    for number, cell in enumerate(classes):
        shown = ages[[one == cell for one in published]]
        x, end = (LEFT + ACROSS * (age - ages.min()) / 2 for age in (shown.min(), shown.max()))
        shapes += [
            text(14, bottom + 36 * number + 20, f"class {'ABCDE'[number]} shows"),
            *labelled(x, bottom + 36 * number + 2, end - x + ACROSS - 12, cell, tint(number)),
        ]
    said = "Ten people by age and salary: two fragments of salaries, and five classes that take one person of each"
    return drawn(LEFT + ACROSS * lines + 14, bottom + 36 * len(classes) + 4, said, shapes)
