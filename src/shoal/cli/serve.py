"""The command `serve`: the whole way from a table to a release on a page in the browser, on this machine alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from shoal.core.errors import Unsupported
from shoal.request import SETTINGS

PACKAGE = "nicegui"


def serve(
    file: Annotated[Path | None, typer.Argument(help=SETTINGS["file"].help)] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The page opens only files in this folder; by default that of FILE, or this one."
        ),
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 for any that is free.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, but open no browser.")] = False,
) -> None:
    """Open the page: from a table to a verified release, step by step, in the browser. Nothing leaves this machine.

    Ctrl-C, or closing the terminal, ends it and deletes uploaded files. Runs continue, and the next `shoal serve`
    here finds them.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise Unsupported(
            f"the page needs the package {PACKAGE}, which is not installed", hint="pip install 'shoal[web]'"
        )
    from shoal.web.app import serve as run_server  # of the extra `web`

    run_server(file, folder, port, open_browser=not no_open)
