"""Checking what was published before: a release folder, or a table that anybody made; no cell is in what is found.

release folder --verify, audit, risk, attacks-->  what holds, who could be found, what attacks get
table, roles   --audit, risk-->                   what it reaches, who could be found
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.attacks.run import chosen_attacks, tried
from shoal.attacks.scene import Scene
from shoal.checking.audit import Audit, as_dict
from shoal.core.errors import ParameterError, ShoalError
from shoal.inspection.warned_audit import audit
from shoal.models.requirement import as_models
from shoal.release.release_reader import Opened
from shoal.release.verification import verify
from shoal.report.evidence import Hit
from shoal.tables.table import Table, read

Tell = Callable[[float, str], None]


@dataclass(frozen=True)
class Checked:
    """What is checked: a release folder or a table, and what is said of it."""

    path: str
    original: str | None = None
    """The table that it was made from."""
    other: str | None = None
    """A second release in which the same people may be."""
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    require: str = ""
    """Of a table: what its columns are, and what it is to meet."""

    @property
    def is_release(self) -> bool:
        """Whether it is a release folder, which says of itself what it is."""
        return Path(self.path).is_dir()

    def problem(self) -> str:
        """Return what has to be said before it can be checked; nothing where nothing is missing."""
        if not Path(self.path).exists():
            return "there is no such file or folder"
        if self.is_release:
            return (
                "" if (Path(self.path) / "public").is_dir() else "the folder is not a release: it has no folder public"
            )
        return "" if self.quasi else "name the columns that others may know: only a release folder says that of itself"


def check_parts(asked: Checked, tell: Tell) -> Iterator[dict[str, Any]]:
    """Return what is found as it grows: what was verified, what the audit measures, then attack by attack."""
    if asked.problem():
        raise ParameterError(asked.problem())
    original = None if asked.original is None else read(asked.original)
    found: dict[str, Any] = {"name": Path(asked.path).name, "release": asked.is_release}
    if asked.is_release:
        tell(0.05, "verifying")
        checks = verify(Path(asked.path), original=original)
        found |= {"checks": checks.checks, "not_checked": checks.not_checked, "passed": checks.passed}
        yield found
        if not checks.passed:
            return  # what was altered is not read any further
    tell(0.2, "auditing")
    found |= _audited(_audit(asked))
    yield found
    if asked.is_release:
        for hits, untried in _attacked(asked, original, tell):
            yield {**found, "hits": hits, "untried": untried}


def _audit(asked: Checked) -> Audit:
    if asked.is_release:
        return audit(**Opened.of(Path(asked.path), None).asked)
    require = as_models(asked.require) if asked.require else None
    given: dict[str, Any] = {"quasi": asked.quasi, "sensitive": asked.sensitive, "require": require}
    return audit(read(asked.path), **given)


def _audited(found: Audit) -> dict[str, Any]:
    """Return an audit as plain data: what it measures of the models, and who could be found."""
    findings = [{"model": one.model, "holds": one.holds, **as_dict(one)} for one in found.findings]
    sizes = {name: getattr(found, name) for name in ("rows", "classes", "smallest_class", "unique_rows")}
    return {
        **sizes,
        "findings": findings,
        "asked": found.asked,
        "holds": found.holds if found.asked else None,
        "risk": found.risk,
        "warnings": (*found.notes, *found.warnings),
    }


def _attacked(asked: Checked, original: Table | None, tell: Tell) -> Iterator[tuple[list[Hit], list[str]]]:
    """Return what attacks get, one after the other; those that cannot be tried say why."""
    chosen = [one for one in chosen_attacks(None) if original is not None or not one.needs_original]
    left = [] if original is not None else ["most attacks need the original"]
    hits: list[Hit] = []
    scene = Scene.of(Path(asked.path), original, other=asked.other, is_limited=True)
    for place, one in enumerate(chosen):
        tell(0.3 + 0.7 * place / len(chosen), f"attack {one.name}")
        try:
            got, missed = tried(one, scene)
        except ShoalError as error:
            left.append(f"{one.name}: {error}")
            continue
        hits += [Hit.of_outcome(outcome, type(one)) for outcome in got]
        left += [f"{untried.name}: {untried.reason}" for untried in missed]
        yield list(hits), list(left)
