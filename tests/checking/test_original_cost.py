"""Costs that only the original can tell, compared with their definitions in plain Python, on random small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod
from random import Random
from typing import Any

import polars as pl
import pytest
from tests.thorough import many

from shoal.checking.original_cost import original_cost
from shoal.hierarchies import Taxonomy

TOWNS = {"Oslo": "North", "Bergen": "North", "Malmo": "North", "Rome": "South", "Bari": "South", "Nice": "South"}
FOODS = {"beef": "meat", "lamb": "meat", "rice": "grain", "oats": "grain"}
TREES = {"town": TOWNS, "food": FOODS}
"""The blocks of values. Not every value occurs: what a cell covers counts all that are declared."""


@dataclass(frozen=True)
class Published:
    """A column as it is published, beside its original."""

    cells: list[str]
    original: list[str]
    blocks: Mapping[str, str]

    def covers(self, cell: str) -> list[str]:
        """The values that a cell covers."""
        return [value for value, block in self.blocks.items() if cell in (value, block, "*")]

    def rows(self, cell: str) -> list[int]:
        """How many rows of the original have each value that a cell covers."""
        counts = Counter(self.original)
        return [counts[value] for value in self.covers(cell) if counts[value]]


def bits(counts: Sequence[int]) -> float:
    """The entropy of values that occur so often."""
    whole = sum(counts)
    return sum(count / whole * log2(whole / count) for count in counts)


def open_share(columns: Sequence[Published], dropped: int) -> float:
    """The share of the bits that rows leave open, if all values that a cell covers are equally likely."""
    most = sum(log2(len(column.blocks)) for column in columns)
    each = sum(log2(len(column.covers(cell))) for column in columns for cell in column.cells)
    return (each + dropped * most) / most / len(columns[0].original)


def combinations(columns: Sequence[Published], dropped: int) -> float:
    """The mean number of combinations of values that a row may have."""
    each = [
        prod(map(len, (column.covers(cell) for column, cell in zip(columns, row, strict=True))))
        for row in rows(columns)
    ]
    everything = prod(len(column.blocks) for column in columns)
    return (sum(each) + dropped * everything) / len(columns[0].original)


def rows(columns: Sequence[Published]) -> list[tuple[str, ...]]:
    """The published rows."""
    return list(zip(*(column.cells for column in columns), strict=True))


def entropy(columns: Sequence[Published], dropped: int) -> float:
    """The mean entropy of the value of a row of the original, given its cell, as a share of that of the table."""
    paid = sum(bits(column.rows(cell)) for column in columns for cell in column.cells)
    most = sum(bits(column.rows("*")) for column in columns)
    return (paid + dropped * most) / most / len(columns[0].original)


def lost(column: Published, dropped: int) -> tuple[float, float]:
    """The bits that it takes to tell each row's value from its cell, and from nothing."""
    counts, everybody = Counter(column.original), len(column.original)
    known = sum(log2(counts[value]) for value in column.original)
    told = sum(log2(sum(column.rows(cell))) for cell in column.cells) + dropped * log2(everybody)
    return max(told - known, 0.0), everybody * log2(everybody) - known


def all_bits(columns: Sequence[Published], dropped: int) -> float:
    """The bits lost as a share of all."""
    both = [lost(column, dropped) for column in columns]
    return sum(one for one, _ in both) / sum(most for _, most in both)


def bits_by_column(columns: Sequence[Published], dropped: int) -> float:
    """The mean over columns of the share of its bits that is lost."""
    both = [lost(column, dropped) for column in columns]
    return sum(one / most if most > 0 else 0.0 for one, most in both) / len(columns)


PRICES: dict[str, Any] = {"gain": 5, "cost": 2, "benefit": 7, "penalty": 3}


def payout(columns: Sequence[Published], dropped: int) -> float:
    """What generalization and dropping take of the benefit of a row, and what each class takes that pays an attack."""
    shared = open_share(columns, 0) * len(columns[0].original)
    attacked = sum(size * PRICES["cost"] < PRICES["gain"] for size in Counter(rows(columns)).values())
    return PRICES["benefit"] * (shared + dropped) + PRICES["penalty"] * attacked  # type: ignore[no-any-return]


COSTS: Mapping[str, Callable[[Sequence[Published], int], float]] = {
    "uniform-entropy": open_share,
    "ambiguity": combinations,
    "entropy": entropy,
    "non-uniform-entropy": all_bits,
    "normalized-entropy": bits_by_column,
    "publisher-payout": payout,
}


def random_release(random: Random) -> tuple[list[Published], int]:
    """Two columns, each cell a value, its block or a star; some rows are dropped."""
    size = random.randint(3, 9)
    dropped = random.randint(0, 2)
    columns = []
    for blocks in TREES.values():
        original = [random.choice(list(blocks)[:-1]) for _ in range(size)]
        original[:2] = list(blocks)[:2]
        cells = [random.choice([value, blocks[value], "*"]) for value in original[dropped:]]
        columns.append(Published(cells, original, blocks))
    return columns, dropped


def recomputed(name: str, columns: Sequence[Published], dropped: int) -> float:
    """What the checker finds."""
    shown, original = (
        pl.DataFrame({name: getattr(column, part) for name, column in zip(TREES, columns, strict=True)})
        for part in ("cells", "original")
    )
    book = {
        "marks": {"star": "*"},
        "recoding": "generalize",
        "columns": [],
        "cost": {"name": name, "parameters": PRICES},
    }
    trees = {name: Taxonomy([[*pair] for pair in tree.items()]) for name, tree in TREES.items()}
    return original_cost(shown, original, quasi=list(TREES), hierarchies=trees, codebook=book, dropped=dropped)


@pytest.mark.parametrize("name", COSTS)
def test_each_cost_is_that_of_its_definition(name: str) -> None:
    random = Random(1)
    for _ in range(many(20)):
        columns, dropped = random_release(random)
        assert recomputed(name, columns, dropped) == pytest.approx(COSTS[name](columns, dropped))
