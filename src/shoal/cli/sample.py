"""The command `sample`: a random sample at given levels, with (epsilon, delta)-differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from shoal.cli.options import Hierarchies, Json
from shoal.cli.settings import pairs
from shoal.cli.terminal import console, print_json
from shoal.core.errors import ReleaseError
from shoal.release.release import check_new
from shoal.steps.sampled_release import sample as draw_sample
from shoal.tables.table import read

TEXT = (".csv", ".tsv")
"""Files whose cells are read as they are written: guessing a type would look at other rows."""


def sample(
    file: Annotated[Path, typer.Argument(help="The table; cells of a CSV file are read as text.")],
    level: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=LEVEL", help="A column to publish, and its level; or levels to choose from, 1..3."
        ),
    ],
    epsilon: Annotated[str, typer.Option(help="Largest logarithm of a ratio of probabilities.")],
    delta: Annotated[str, typer.Option(help="Largest probability that the ratio is larger, such as 1e-6.")],
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the release.")],
    hierarchy: Hierarchies = None,
    beta: Annotated[str | None, typer.Option(help="Probability of drawing a row; at most 1 - e^-epsilon.")] = None,
    search_epsilon: Annotated[
        str | None, typer.Option(help="The part of epsilon that chooses levels, if ranges of levels are given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Publish a random sample with differential privacy: rows drawn in secret, at given levels, in cells of k rows.

    Columns without a level are left out. Levels must be given without looking at the table, or ranges of levels, of
    which one is chosen with a part of epsilon.
    """
    check_new(folder)
    made = draw_sample(
        _table(file),
        levels=pairs(level, "--level") or {},
        epsilon=epsilon,
        delta=delta,
        beta=beta,
        search_epsilon=search_epsilon,
        hierarchies=pairs(hierarchy, "--hierarchy"),
    )
    made.save(folder)
    if as_json:
        print_json(made.stated())
        return
    drawn = made.sampling
    out = console()
    out.print(
        f"{made.table.height:,} rows in {made.classes:,} classes of at least {drawn.k}; every row was drawn with"
        f" probability {float(drawn.beta):.6g}"
    )
    if not made.table.height:
        out.print(f"no class had {drawn.k} rows, so none is published; another sample adds its epsilon to this one")
    if made.search is not None:
        chosen = ", ".join(f"{name} {at}" for name, at in made.levels.items())
        out.print(
            f"levels chosen out of {made.search.nodes:,}: {chosen}; that took {float(made.search.epsilon):g} of epsilon"
        )
    out.print(f"({float(made.epsilon):g}, {float(drawn.delta):g})-differential privacy, if what certificate.json lists")
    out.print(f"under rests_on is so. {folder}/public is safe to share; do not say how many rows the table has")


def _table(path: Path) -> pl.DataFrame:
    """Return a table; of text files, the cells as they are."""
    if path.suffix.lower() in TEXT:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        try:
            return pl.read_csv(path, infer_schema=False, separator=separator)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise ReleaseError(
                f"{path.name} cannot be read as a table", hint="is it a CSV file with a header?"
            ) from error
    return read(path).frame
