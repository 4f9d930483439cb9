"""The command `report`: a release and its original, explained in one HTML file, or on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Json, Reading, option, reading_options
from shoal.cli.settings import names
from shoal.cli.terminal import console, print_json
from shoal.core.errors import ReleaseError
from shoal.report import make
from shoal.report.printing import browser
from shoal.tables.table import read

HTML = "report.html"


@reading_options
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder, with its internal part.")],
    original: Annotated[Path, typer.Option(metavar="FILE", help="The table that the release was made from.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"Where to write it, outside the sealed release folder; {HTML} unless --pdf is given.",
        ),
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Print it to a PDF file, to be signed; needs Chromium, Chrome or Edge."),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Leave out what would help an attacker.")] = False,
    attacks: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Attacks to try; by default all, for large tables the fast ones."),
    ] = None,
    title: Annotated[str, option("title")] = "",
    owner: Annotated[str, option("owner")] = "",
    purpose: Annotated[str, option("purpose")] = "",
    queries: Annotated[int, typer.Option(metavar="N", help="Random counts asked; 0 for none.")] = 1000,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Write a report on a release: one self-contained HTML file, or a PDF.

    `shoal anonymize --report` puts both forms into the release, sealed like the rest of it.
    """
    page = Path(HTML) if output is None and pdf is None else output
    for place in filter(None, (page, pdf)):
        _refuse(folder, place, overwrite)
    if pdf is not None:
        browser()
    table = read(original, **reading)
    made = make(
        folder,
        table,
        attacks=names(attacks),
        queries=queries,
        source=original.name,
        title=title,
        owner=owner,
        purpose=purpose,
    )
    written = [made.save(page, public=public)] if page is not None else []
    written += [made.pdf(pdf, public=public)] if pdf is not None else []
    said = "safe to share" if public else "counts people of the original: keep it private"
    if as_json:
        forms = {"report": page, "pdf": pdf}
        print_json({**{name: str(one) for name, one in forms.items() if one is not None}, "public": public})
    else:
        for one in written:
            console().print(f"{one}: {said}")


def _refuse(folder: Path, output: Path, overwrite: bool) -> None:
    """Refuse a place where the report cannot go, before any work is done."""
    if output.resolve().is_relative_to(folder.resolve()):
        raise ReleaseError(
            f"{str(output)!r} is inside the release, which is sealed",
            hint="name a file elsewhere, or make the release with --report",
        )
    if output.exists() and not overwrite:
        raise ReleaseError(f"{str(output)!r} exists already", hint="name another file, or add --overwrite")
    if not output.absolute().parent.is_dir():
        raise ReleaseError(f"there is no folder {str(output.parent)!r}", hint="make it, or name another")
