"""What `anonymize --registry` does: the release is checked against earlier ones, or follows one, and is recorded."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from shoal.config import FIRST
from shoal.core.errors import ParameterError
from shoal.core.memory import MemoryLimit
from shoal.methods.base import Progress
from shoal.pipeline import run
from shoal.release.release import Release
from shoal.republication.release_register import Register, refused
from shoal.republication.rerelease import rerelease
from shoal.request import Request
from shoal.tables.table import Table


@dataclass(frozen=True)
class Earlier:
    """The earlier releases that a new one is checked against, or follows; none where no register is given."""

    registry: Path | None
    overlap: str
    follows: str | None

    @classmethod
    def asked(cls, registry: str | Path | None, overlap: str | None, follows: str | None) -> Earlier:
        """Read the options, and refuse wrong ones before any work is done."""
        if overlap not in (None, "refuse", "warn"):
            raise ParameterError(f"--overlap {overlap}", expected="refuse or warn")
        if registry is None and (overlap or follows):
            flag = "--overlap" if overlap else "--follows"
            raise ParameterError(f"{flag} is given without --registry", hint="name the register of earlier releases")
        if registry is not None:
            Register.at(registry)
        return cls(None if registry is None else Path(registry), overlap or "refuse", follows)

    def run(
        self, table: Table, request: Request, progress: Progress, stop: Event, limit: MemoryLimit | None = None
    ) -> Release:
        """Make the release: by itself, or so that people keep the signature that they have in an earlier one."""
        if self.follows is None or self.registry is None:
            return run(table, request, progress, stop, limit=limit)
        before = None if self.follows == FIRST else self.follows
        return rerelease(table, request, Register.at(self.registry), before, progress, stop)

    def allow(self, release: Release, table: Table) -> None:
        """Warn of what a release and earlier ones give away together, or refuse it."""
        if self.registry is None:
            return
        found = list(Register.at(self.registry).check(release, table))
        refused(found, self.overlap)
        for one in found:
            print(f"shoal: {one}", file=sys.stderr)

    def record(self, folder: str | Path, table: Table) -> None:
        """Record a release that was written."""
        if self.registry is not None:
            Register.at(self.registry).add(folder, table)
