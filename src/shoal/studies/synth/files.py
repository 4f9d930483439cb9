"""The synthetic census as files: the table, and a folder with a hierarchy for every column beside it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.hierarchies.files import write_hierarchy
from shoal.studies.synth.census import ATTRIBUTES, census, census_hierarchies
from shoal.tables.writing import write, write_parts

PART = 10_000_000
"""Of more people, so many are invented at a time, each time with the next seed."""


def write_census(path: Path, rows: int, seed: int = 0) -> Path:
    """Write a census to `path`, and its hierarchies over every declared value; return their folder."""
    parts = [min(PART, rows - begin) for begin in range(0, rows, PART)]
    if len(parts) > 1:
        write_parts((census(size, seed + place) for place, size in enumerate(parts)), census(1, seed).schema, path)
    else:
        write(census(rows, seed), path)
    folder = path.parent / f"{path.name.split('.')[0]}_hierarchies"
    folder.mkdir(exist_ok=True)
    builders = census_hierarchies()
    for attribute in ATTRIBUTES:
        values = pl.Series(attribute.name, attribute.values).sort()
        write_hierarchy(builders[attribute.name].build(values), folder / f"{attribute.name}.csv")
    return folder
