"""Prices: what each row is priced at, and the most that a class of any pattern can gain."""

from __future__ import annotations

from itertools import combinations, product

from docs.generator.explained.drawing import SIDE, box, labelled, line, text, tint
from docs.generator.explained.drawing import picture as drawn
from docs.generator.explained.page import names_of
from shoal.core.markup import Markup

LEFT, TOP, STEP, MIDDLE, WIDTH, UNIT, K = 16, 56, 34, 330, 780, 34, 2


def picture() -> str:
    """Return rows with their prices on the left, patterns with their gains on the right, and what follows below."""
    names = names_of("prices")
    rows, prices, bound = names["people"].rows(), names["prices"].tolist(), names["bound"]
    cost = int(names["release"].certificate.cost)
    shapes = [
        text(LEFT, 30, "row", "head"),
        text(LEFT + 130, 30, "its price", "head"),
        text(MIDDLE, 30, "pattern", "head"),
    ]
    shapes += [
        text(MIDDLE + 96, 30, "price less stars, row by row", "head"),
        text(WIDTH - LEFT, 30, "gains at most", "head", at="end"),
    ]
    for number, (row, price) in enumerate(zip(rows, prices, strict=True)):
        y = TOP + STEP * number
        shapes += [text(LEFT, y + 18, f"{number + 1}:  {row[0]} {row[1]}"), *_bar(LEFT + 130, y, price)]
    gains = [(pattern, *best_class(rows, prices, pattern)) for pattern in patterns(rows)]
    for number, (pattern, members, gain) in enumerate(gains):
        y = TOP + STEP * number
        shapes.append(text(MIDDLE, y + 18, ", ".join("*" if cell is None else str(cell) for cell in pattern)))
        terms = [f"row {row + 1}: {prices[row]} - {stars(pattern)}" for row in members]
        for place, term in enumerate(terms):
            shapes += labelled(MIDDLE + 96 + 96 * place, y, 90, term, "plain")
        shapes.append(text(WIDTH - LEFT, y + 18, gain, at="end"))
    bottom = TOP + STEP * max(len(rows), len(gains)) + 8
    lost = sum(gain for _, _, gain in gains)
    said = f"all prices {sum(prices)}, less all gains {lost}: every release has at least {bound} stars"
    shapes += [line(LEFT, bottom, WIDTH - LEFT, bottom), text(LEFT, bottom + 26, said, "head")]
    shapes.append(text(LEFT, bottom + 48, f"the release below has {cost}, so none is better"))
    return drawn(WIDTH, bottom + 64, "Prices on five rows, and what a class of each pattern can gain", shapes)


def patterns(rows: list[tuple[object, ...]]) -> list[tuple[object | None, ...]]:
    """Return the patterns that at least k rows match, fewest stars first; None is a star."""
    every = {
        tuple(None if star else cell for star, cell in zip(kind, row, strict=True))
        for row in rows
        for kind in product((False, True), repeat=len(row))
    }
    fitting = [pattern for pattern in every if len(matching(rows, pattern)) >= K]
    return sorted(fitting, key=lambda pattern: (stars(pattern), tuple(map(str, pattern))))


def matching(rows: list[tuple[object, ...]], pattern: tuple[object | None, ...]) -> list[int]:
    """Return the rows that a pattern can be published for."""
    return [n for n, row in enumerate(rows) if all(cell in (None, own) for cell, own in zip(pattern, row, strict=True))]


def stars(pattern: tuple[object | None, ...]) -> int:
    """Return what a row pays for a pattern."""
    return sum(cell is None for cell in pattern)


def best_class(
    rows: list[tuple[object, ...]], prices: list[int], pattern: tuple[object | None, ...]
) -> tuple[list[int], int]:
    """Return the class of k rows or more at a pattern that gains most, and what it gains, 0 where every class loses."""
    some = matching(rows, pattern)
    classes = [list(one) for size in range(K, len(some) + 1) for one in combinations(some, size)]
    gain = {tuple(one): sum(prices[row] - stars(pattern) for row in one) for one in classes}
    best = max(classes, key=lambda one: (gain[tuple(one)], len(one)))
    return best, max(gain[tuple(best)], 0)


def _bar(x: float, y: float, price: int) -> list[Markup]:
    """Return a price as a bar; a price of 0 as a thin line."""
    return [box(x, y, max(UNIT * price, 3), SIDE, tint(0)), text(x + max(UNIT * price, 3) + 8, y + 18, price)]
