"""The command for hard tables: a combinatorial problem as a table, with the cost of its best release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import shoal.studies.hardness
from shoal.cli import show
from shoal.cli.options import Json, to_table
from shoal.cli.terminal import print_json
from shoal.core.discovery import discover, lookup
from shoal.core.errors import ParameterError
from shoal.studies.hardness.base import Reduction
from shoal.studies.hardness.files import write_hard


def hard(
    kind: Annotated[str | None, typer.Argument(help="The kind of table; without it, the kinds are listed.")] = None,
    sizes: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=NUMBER...", help="Sizes of the table, as NAME=NUMBER.")
    ] = None,
    output: Annotated[Path | None, to_table] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a table that is hard to anonymize and whose optimum is known.

    Each comes from a reduction: a release with the printed number of stars gives the answer to a graph problem.
    """
    if kind is None:
        rows = [_described(found) for found in discover(shoal.studies.hardness, Reduction).values()]
        print_json(rows) if as_json else show.rows(rows)
        return
    found = lookup(shoal.studies.hardness, Reduction, kind, "kind of hard table")
    if output is None:
        raise ParameterError("-o is not given", expected="a file for the table")
    reduction = found.seeded(seed, **_sizes(sizes or []))
    require = write_hard(reduction, output)
    said = {
        "file": str(output),
        "rows": reduction.frame.height,
        "quasi": list(reduction.quasi),
        "sensitive": list(reduction.sensitive),
        "require": require,
        "recoding": "suppress",
        "optimum": reduction.optimum,
        "threshold": reduction.threshold,
    }
    print_json(said) if as_json else _say(said)


def _described(found: Any) -> dict[str, Any]:
    return {
        "kind": found.name,
        "from": found.source,
        "to": found.target,
        "sizes": " ".join(map(str, found.sizes)),
        "paper": found.paper,
    }


def _sizes(given: list[str]) -> dict[str, str]:
    """Read NAME=NUMBER arguments, each name once."""
    found: dict[str, str] = {}
    for pair in given:
        name, sign, number = pair.partition("=")
        if not sign or name in found:
            raise ParameterError(f"size {pair!r}", expected="NAME=NUMBER, each name once")
        found[name] = number
    return found


def _say(said: dict[str, Any]) -> None:
    print(f"{said['file']}: {said['rows']:,} rows, {len(said['quasi']):,} quasi-identifiers")
    print(f"--quasi {','.join(said['quasi'])}")
    if said["sensitive"]:
        print(f"--sensitive {','.join(said['sensitive'])}")
    print(f"--require '{said['require']}'")
    print(f"--recoding {said['recoding']}")
    print(f"fewest stars: {said['optimum']:,}")
