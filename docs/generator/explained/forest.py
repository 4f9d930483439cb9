"""The forest: which row is joined to which, how far they are, and the parts that become classes."""

from __future__ import annotations

import numpy as np

from docs.generator.explained.drawing import SIDE, labelled, line, text, tint
from docs.generator.explained.drawing import picture as drawn
from docs.generator.explained.page import names_of, posed
from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, silent
from shoal.methods.k_anonymity.forest import Forest, Neighbours

WIDTH, ACROSS, DOWN, LEFT, TOP = 108, 168, 40, 16, 44


def picture() -> str:
    """Return the trees from left to right, roots first; the rows of a part have one colour."""
    names = names_of("forest")
    people, quasi = names["people"], ["age", "town"]
    problem = posed(people, quasi, "k=2")
    tuples, counts = problem.microdata.tuples, problem.microdata.counts
    joined = Neighbours.of(problem, Deadline(), silent).forest(counts, problem.models.least_rows)
    rows = np.argsort(problem.microdata.tuple_of_row, kind="stable")  # the row of each tuple: here all are different
    classes = Forest().run(problem).partition.class_of_row[rows]
    published = [" ".join(map(str, names["release"].table.row(int(row)))) for row in rows]
    depth, place = laid_out(joined)
    shapes = [
        text(LEFT, 26, "a row joined to its nearest, and the distance", "head"),
        text(LEFT + 540, 26, "published as", "head"),
    ]
    for one, above in enumerate(joined):
        if above >= 0:
            (x, y), (to_x, to_y) = _corner(depth[one], place[one]), _corner(depth[above], place[above])
            shapes.append(line(x, y + SIDE / 2, to_x + WIDTH, to_y + SIDE / 2))
            apart = int((tuples[one] != tuples[above]).sum())
            shapes.append(text(x - 14, 0.8 * y + 0.2 * to_y + SIDE / 2 - 5, apart, "small faint", at="middle"))
    for one, row in enumerate(rows.tolist()):
        said = f"{row + 1}:  {people['age'][row]} {people['town'][row]}"
        shapes += labelled(*_corner(depth[one], place[one]), WIDTH, said, tint(int(classes[one])))
    for number in np.unique(classes):
        members = np.flatnonzero(classes == number)
        y = float(np.mean([_corner(0, place[one])[1] for one in members]))
        shapes += labelled(LEFT + 540, y, WIDTH - 24, published[members[0]], tint(int(number)))
    said = "Seven rows in trees: each row joined to its nearest, and the parts of the trees that become classes"
    return drawn(LEFT + 540 + WIDTH, TOP + DOWN * (1 + max(place)), said, shapes)


def laid_out(joined: Ints) -> tuple[list[int], list[float]]:
    """Return how far each vertex is below its root, and its line: leaves one under the other, others at their first."""
    depth, place, lines = [0] * len(joined), [0.0] * len(joined), 0

    def walk(vertex: int, level: int) -> None:
        nonlocal lines
        depth[vertex], place[vertex] = level, lines
        below = np.flatnonzero(joined == vertex).tolist()
        for child in below:
            walk(child, level + 1)
        lines += not below

    for root in np.flatnonzero(joined < 0).tolist():
        walk(root, 0)
    return depth, place


def _corner(depth: float, place: float) -> tuple[float, float]:
    return LEFT + ACROSS * depth, TOP + DOWN * place
