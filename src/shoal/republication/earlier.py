"""Earlier releases of the same people: a new release is compared with them or follows one, and is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event

from shoal.config import FIRST
from shoal.core.errors import ParameterError
from shoal.core.memory import MemoryLimit
from shoal.methods.base import Progress, silent
from shoal.pipeline import run
from shoal.release.release import Release
from shoal.republication.release_register import Overlap, Register, refused
from shoal.republication.rerelease import rerelease
from shoal.request import REGISTRY, Request
from shoal.tables.table import Table, TableLike

REFUSE, WARN = "refuse", "warn"


@dataclass(frozen=True)
class Earlier:
    """The earlier releases that a new one is compared with, or follows; none where no register is given."""

    registry: Path | None = None
    overlap: str = REFUSE
    follows: str | Path | None = None

    @classmethod
    def of(
        cls, registry: str | Path | None = None, overlap: str | None = None, follows: str | Path | None = None
    ) -> Earlier:
        """Read the settings, and refuse wrong ones before any work is done."""
        if overlap not in (None, REFUSE, WARN):
            raise ParameterError(f"--overlap {overlap}", expected=f"{REFUSE} or {WARN}")
        if registry is None and (overlap or follows):
            flag = "--overlap" if overlap else "--follows"
            raise ParameterError(f"{flag} is given without --registry", hint="name the register of earlier releases")
        if registry is not None:
            Register.at(registry)
        return cls(None if registry is None else Path(registry), overlap or REFUSE, follows)

    def run(
        self, table: Table, request: Request, progress: Progress = silent, limit: MemoryLimit | None = None
    ) -> Release:
        """Make a release, compare it with earlier ones, and let the register record it once it is saved."""
        release = self.compared(self.make(table, request, progress, limit=limit), table)
        return replace(release, record=partial(self.record, table=table))

    def make(
        self,
        table: Table,
        request: Request,
        progress: Progress = silent,
        stop: Event | None = None,
        limit: MemoryLimit | None = None,
    ) -> Release:
        """Make a release: by itself, or so that people keep the signature that they have in an earlier one."""
        if self.registry is None or self.follows is None:
            return run(table, request, progress, stop, limit=limit)
        before = None if self.follows == FIRST else self.follows
        return rerelease(table, request, Register.at(self.registry), before, progress, stop)

    def compared(self, release: Release, table: Table) -> Release:
        """Return a release with what it and each earlier one reveal together; raise if that is not allowed."""
        return replace(release, overlaps=self.overlaps(release, table))

    def overlaps(self, release: Release | Path, table: Table) -> tuple[Overlap, ...]:
        """Return what a release and each earlier one reveal together; raise if that is not allowed."""
        found = () if self.registry is None else tuple(Register.at(self.registry).check(release, table))
        refused(found, self.overlap)
        return found

    def record(self, folder: str | Path, table: Table) -> None:
        """Record a release that was written."""
        if self.registry is not None:
            Register.at(self.registry).add(folder, table)


@dataclass(frozen=True)
class Registered:
    """A release that was recorded: the register with it, and what it and those recorded before reveal together."""

    register: Register
    overlaps: tuple[Overlap, ...]

    @property
    def is_safe(self) -> bool:
        """Whether all that were recorded before could be compared, and expose nobody together with it."""
        return all(one.is_safe for one in self.overlaps)


def register(
    folder: str | Path,
    original: TableLike | None = None,
    *,
    registry: str | Path = REGISTRY,
    person: Sequence[str] = (),
) -> Registered:
    """Record a release folder in a register, and compare it with the releases recorded before.

    - `original`: the table it was made from. Without it nobody knows who is in it: nothing is compared, and later
      releases are compared as if everybody were in it.
    - `registry`: the folder of the register; made where there is none.
    - `person`: the columns that identify a person; else those that the release counted people by, the identifiers that
      it left out, or its quasi-identifiers.

    >>> import shoal, tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> people = {"age": [25, 26, 40, 41], "illness": ["flu", "gout", "flu", "gout"]}
    >>> release = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2", recoding="range")
    >>> found = register(release.save(home / "release"), people, registry=home / "registry")
    >>> len(found.register.entries), found.is_safe
    (1, True)
    """
    known = Register.at(registry)
    overlaps = () if original is None else tuple(known.check(folder, original))
    return Registered(known.add(folder, original, person=person), overlaps)
