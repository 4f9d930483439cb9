"""How the cube grows: distinct tuples and attributes, what is walked of the lattice, and what one step takes.

One *step* values prices over all nodes that are walked; the cube method makes about sixty of them.
"""

from __future__ import annotations

import resource
import time
from itertools import pairwise

import numpy as np
import polars as pl

from benchmarks.measure import show
from shoal.bounds.prices import Ascent, Pricing
from shoal.methods.base import Deadline
from shoal.methods.general.peel import peeled
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.patterns.checks import Checks
from shoal.problem import make_problem
from shoal.studies.synth import census
from shoal.tables.roles import Roles
from shoal.tables.table import Table

ROWS = (35_000, 140_000, 560_000)
ATTRIBUTES = (4, 6, 8, 10)
BEYOND = (35_000, 16)
"""A lattice of which only the cheapest nodes are walked."""
COLUMNS = ("age", "birthplace", "education", "occupation", "marital", "race", "workclass", "gender", "income")
HEADINGS = ("rows, attributes", "types", "nodes", "walked", "lay out s", "charge s", "step s", "peel s", "gap", "MB")


def main() -> None:
    """Measure every size."""
    rows = [_one(number, attributes) for number in ROWS for attributes in ATTRIBUTES]
    rows.append(_one(*BEYOND))
    show("The cube, stars, k = 5", HEADINGS, rows)


def _one(number: int, attributes: int) -> list[object]:
    frame, random = census(number, 1), np.random.default_rng(1)
    coins = [pl.Series(f"coin{place}", random.integers(0, 2, number)) for place in range(attributes - len(COLUMNS))]
    table = Table.of(frame.with_columns(coins))
    quasi = [*COLUMNS, *(coin.name for coin in coins)][:attributes]
    problem = make_problem(encode(table, Roles.of(table.columns, quasi=quasi)), parse_requirement("k=5"))
    moments = [time.perf_counter()]
    pricing = Pricing.of(problem)
    cube = pricing.cube
    assert cube.number
    moments.append(time.perf_counter())
    ascent = Ascent.of(pricing)
    moments.append(time.perf_counter())
    covering = peeled(cube, Checks.of(cube, problem.models), ascent.best.prices, Deadline())
    moments.append(time.perf_counter())
    ascent.step(covering.cost)
    moments.append(time.perf_counter())
    layout, charged, peeling, step = (after - before for before, after in pairwise(moments))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gap = covering.cost / max(ascent.best.bound, 1)
    return [
        f"{number:,}, {len(quasi)}",
        cube.types,
        cube.lattice,
        cube.number,
        layout,
        charged,
        step,
        peeling,
        gap,
        memory,
    ]


if __name__ == "__main__":
    main()
