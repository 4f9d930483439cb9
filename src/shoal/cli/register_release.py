"""The command `register`, and what `anonymize --registry` does: earlier releases are checked, the new one recorded."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options import Decimal, Encoding, Separator
from shoal.cli.settings import names

if TYPE_CHECKING:
    from threading import Event

    from shoal.core.memory import MemoryLimit
    from shoal.methods.base import Progress
    from shoal.release.release import Release
    from shoal.request import Request
    from shoal.tables.table import Table

DEFAULT = Path("shoal-registry")


def register(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table it was made from: without it, who is in it is unknown."),
    ] = None,
    registry: Annotated[Path, typer.Option(metavar="DIR", help="Where releases are recorded.")] = DEFAULT,
    person: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns that identify a person; else the identifiers, or quasi-identifiers."),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
) -> None:
    """Record a release, and say what it gives away together with those recorded before. Exit code 1 if anything."""
    from shoal.republication.release_register import Register
    from shoal.tables.table import read

    known = Register.at(registry)
    table = None if original is None else read(original, separator=separator, encoding=encoding, decimal=decimal)
    overlaps = [] if table is None else list(known.check(folder, table))
    known = known.add(folder, table, person=names(person) or ())
    for one in overlaps:
        print(one)
    if table is None:
        print("who is in it is not known: later releases are checked as if everybody were")
    print(f"{registry}: {len(known.entries):,} releases are recorded")
    raise typer.Exit(0 if all(one.is_safe for one in overlaps) else 1)


@dataclass(frozen=True)
class Earlier:
    """The earlier releases that a new one is checked against, or follows; none where no register is given."""

    registry: Path | None
    overlap: str
    follows: str | None

    @classmethod
    def asked(cls, registry: str | Path | None, overlap: str | None, follows: str | None) -> Earlier:
        """Read the options, and refuse wrong ones before any work is done."""
        from shoal.core.errors import ParameterError

        if overlap not in (None, "refuse", "warn"):
            raise ParameterError(f"--overlap {overlap}", expected="refuse or warn")
        if registry is None and (overlap or follows):
            flag = "--overlap" if overlap else "--follows"
            raise ParameterError(f"{flag} is given without --registry", hint="name the register of earlier releases")
        if registry is not None:
            from shoal.republication.release_register import Register

            Register.at(registry)
        return cls(None if registry is None else Path(registry), overlap or "refuse", follows)

    def run(
        self, table: Table, request: Request, progress: Progress, stop: Event, limit: MemoryLimit | None = None
    ) -> Release:
        """Make the release: by itself, or so that people keep the signature that they have in an earlier one."""
        from shoal.pipeline import run

        if self.follows is None or self.registry is None:
            return run(table, request, progress, stop, limit=limit)
        from shoal.config import FIRST
        from shoal.republication.release_register import Register
        from shoal.republication.rerelease import rerelease

        before = None if self.follows == FIRST else self.follows
        return rerelease(table, request, Register.at(self.registry), before, progress, stop)

    def allow(self, release: Release, table: Table) -> None:
        """Warn of what a release and earlier ones give away together, or refuse it."""
        if self.registry is None:
            return
        from shoal.republication.release_register import Register, refused

        found = list(Register.at(self.registry).check(release, table))
        refused(found, self.overlap)
        for one in found:
            print(f"shoal: {one}", file=sys.stderr)

    def record(self, folder: str | Path, table: Table) -> None:
        """Record a release that was written."""
        if self.registry is not None:
            from shoal.republication.release_register import Register

            Register.at(self.registry).add(folder, table)
