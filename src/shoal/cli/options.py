"""Options that several commands share, worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
Separator = Annotated[str | None, typer.Option(help="CSV separator; guessed if not given.")]
Encoding = Annotated[str | None, typer.Option(help="CSV encoding; guessed if not given.")]
Decimal = Annotated[str | None, typer.Option(help="CSV decimal sign, . or , ; guessed if not given.")]
TableFile = Annotated[Path, typer.Argument(help="The table: CSV, csv.gz, Parquet or Arrow.")]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option("--hierarchy", metavar="COLUMN=FILE", help="A hierarchy file, or words: age=intervals:width=5,10"),
]
Unify = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Columns of text in which spaces, case, Unicode form and date form make no difference.",
    ),
]
Order = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=A,B,C", help="The order of a column of words, the least first."),
]
Population = Annotated[Path | None, typer.Option(metavar="FILE", help="The population's table, for kmap and presence.")]

# What is asked of a release: `anonymize` and `compare` take all of these.
AskedFile = Annotated[Path | None, typer.Argument(help="The table: CSV, csv.gz, Parquet or Arrow.")]
Quasi = Annotated[list[str] | None, typer.Option(metavar="A,B,C", help="Columns an attacker may know.")]
Sensitive = Annotated[list[str] | None, typer.Option(metavar="A,B", help="Columns nobody must learn.")]
Identifier = Annotated[list[str] | None, typer.Option(metavar="A,B", help="Columns to leave out.")]
Require = Annotated[str | None, typer.Option(help='Models, e.g. "k=5 l(disease)=3 t(salary:ordered)=0.2".')]
Recoding = Annotated[
    str | None, typer.Option(help="suppress (if not given), generalize, full-domain, range, centroid or anatomy.")
]
Cost = Annotated[str | None, typer.Option(help="What to keep small: stars, ncp, height, ...")]
Weights = Annotated[list[str] | None, typer.Option(metavar="COLUMN=NUMBER", help="How much a column's loss counts.")]
MaxDropped = Annotated[str | None, typer.Option(metavar="SHARE", help="Share of rows that may be left out.")]
MaxSuppressed = Annotated[
    str | None, typer.Option(metavar="SHARE", help="Share of rows that full-domain recoding may publish as stars.")
]
Suppressed = Annotated[
    str | None, typer.Option(help="checked (if not given), or arx: such rows are not checked, to compare with ARX.")
]
Coarsen = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS", help="Raise columns beforehand: auto, hipaa, age=2 (column and level), with commas between."
    ),
]
Star = Annotated[str | None, typer.Option(help="How stars are written: * or null.")]
MemoryLimit = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="The most memory that may be held, such as 2GiB; CSV goes by way of the disk."),
]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Stop the search after SECONDS and take the best release found.")
]
Seed = Annotated[int | None, typer.Option(help="Random seed.")]
Registry = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Check against the releases recorded there, and record this one.")
]
Overlap = Annotated[
    str | None, typer.Option(help="What to do if earlier releases and this one give people away: refuse or warn.")
]
Follows = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="The release before this one, in which people keep their signature; or none."),
]
Engine = Annotated[str | None, typer.Option(help="local (if not given), or spark: the rows stay in Spark.")]
SparkMaster = Annotated[
    str | None, typer.Option(metavar="URL", help="With spark: local[4], spark://HOST:7077, yarn, sc://HOST:15002.")
]
Config = Annotated[Path | None, typer.Option(help="A shoal.toml with any of these settings.")]
