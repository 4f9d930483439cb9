"""Peeling: which patterns take which rows, from the finest pattern up."""

from __future__ import annotations

from itertools import product

from docs.generator.explained.drawing import SIDE, box, labelled, line, text, tint
from docs.generator.explained.drawing import picture as drawn
from docs.generator.explained.page import names_of
from shoal.core.markup import Markup

STAR = "*"
WIDTH, LEFT, TOP, STEP = 720, 16, 56, 78


def picture() -> str:
    """Return the kinds of patterns, fewest stars on top, each with the classes that were taken there."""
    names = names_of("peeling")
    people, table = names["people"], names["release"].table
    shown = [tuple(map(str, row)) for row in table.select("age", "town").rows()]
    kinds = sorted(product((False, True), repeat=2), key=lambda kind: (sum(kind), kind != (True, False)))
    shapes = [text(LEFT, 30, "patterns, cheapest first", "head"), text(230, 30, "classes that are taken there", "head")]
    colours, height = iter(range(99)), TOP
    for kind in kinds:
        own = sorted({cells for cells in shown if tuple(cell == STAR for cell in cells) == kind})
        title = ", ".join(STAR if starred else name for starred, name in zip(kind, ("age", "town"), strict=True))
        shapes += [line(LEFT, height - 12, WIDTH - LEFT, height - 12), text(LEFT, height + 18, title)]
        shapes.append(text(LEFT, height + 36, f"{sum(kind)} star{'' if sum(kind) == 1 else 's'} a row", "small faint"))
        x = 230.0
        for cells in own:
            rows = [number for number, one in enumerate(shown) if one == cells]
            shapes += _class(
                x, height, cells, [f"{people['age'][row]} {people['town'][row]}" for row in rows], next(colours)
            )
            x += 112 * len(rows) + 14
        if not own:
            shapes.append(
                text(230, height + 18, "no class: the rows that match are covered already, or too few", "faint")
            )
        height += STEP if own else STEP - 24
    said = "Patterns from the finest to all stars, and which rows each takes"
    return drawn(WIDTH, height - 8, said, shapes)


def _class(x: float, y: float, cells: tuple[str, ...], members: list[str], number: int) -> list[Markup]:
    """Return a class: its rows side by side, and above them what all of them are published as."""
    wide = 112 * len(members) - 4
    shapes = [box(x - 4, y - 6, wide + 8, SIDE + 32, "plain"), text(x + 4, y + 10, ", ".join(cells), "small")]
    for place, member in enumerate(members):
        shapes += labelled(x + 112 * place, y + 18, 108, member, tint(number))
    return shapes
