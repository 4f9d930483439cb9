"""The commands: what `shoal --help` lists. Each reads its options, calls one library function, and shows the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

import shoal
from shoal.cli.lazy_group import LazyGroup


class _Shoal(LazyGroup):
    modules: ClassVar[Mapping[str, str]] = {
        "start": "shoal.cli.start",
        "anonymize": "shoal.cli.anonymize",
        "audit": "shoal.cli.audit",
        "verify": "shoal.cli.verify",
        "methods": "shoal.cli.reference",
        "models": "shoal.cli.reference",
        "costs": "shoal.cli.reference",
        "attack": "shoal.cli.attack",
        "codip": "shoal.cli.codip",
        "compare": "shoal.cli.compare",
        "frontier": "shoal.cli.frontier",
        "lattice": "shoal.cli.lattice",
        "inspect": "shoal.cli.inspect",
        "register": "shoal.cli.register",
        "report": "shoal.cli.report",
        "sample": "shoal.cli.sample",
        "hard": "shoal.cli.hard",
        "serve": "shoal.cli.serve",
        "utility": "shoal.cli.utility",
        "demo": "shoal.cli.demo",
    }


class _Hierarchy(LazyGroup):
    modules: ClassVar[Mapping[str, str]] = {
        "build": "shoal.cli.hierarchy.build",
        "show": "shoal.cli.hierarchy.show",
        "check": "shoal.cli.hierarchy.check",
        "export": "shoal.cli.hierarchy.export",
        "import-arx": "shoal.cli.hierarchy.import_arx",
    }


class _Synth(LazyGroup):
    modules: ClassVar[Mapping[str, str]] = {"census": "shoal.cli.census"}


app = typer.Typer(
    name="shoal",
    cls=_Shoal,
    help="Make a table about people safe to publish: anonymize, audit, verify, attack and report on it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
hierarchy = typer.Typer(cls=_Hierarchy, help="Build, show, check and export hierarchies.", no_args_is_help=True)
synth = typer.Typer(cls=_Synth, help="Make synthetic tables.", no_args_is_help=True)
app.add_typer(hierarchy, name="hierarchy")
app.add_typer(synth, name="synth")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, metavar="", help="Print the version.")
    ] = False,
) -> None:
    """Make a table about people safe to publish: anonymize, audit, verify, attack and report on it."""
