"""What a long run has done so far, in a file of JSON lines, so that another run goes on from there.

A line has a key and what was found. The key is a hash over the table and all settings: what was found for anything else
is never taken for this. No cell is in the file; but as a hash of the table is, it belongs to the table's owner.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import shoal
from shoal.core.errors import ReleaseError, cannot_write
from shoal.hierarchies import as_builder, spec_of
from shoal.request import Request
from shoal.tables.table import Table


@dataclass
class State:
    """The findings by key; those of a run without a file are forgotten."""

    path: Path | None
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def at(cls, path: str | Path | None) -> State:
        """Read a file, or begin one; a line that was cut off when a run was killed is left out."""
        if path is None:
            return cls(None)
        target = Path(path)
        try:
            lines = target.read_text(encoding="utf-8").splitlines() if target.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise ReleaseError(f"cannot read {str(target)!r}", expected="a state file, or none yet") from error
        entries = [entry for line in lines if (entry := _entry(line)) is not None]
        if lines and not entries:
            raise ReleaseError(f"{str(target)!r} is not a state file", hint="name another file")
        return cls(target, dict(entries))

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what was found for a key; None if nothing was yet."""
        return self.found.get(key)

    def put(self, key: str, found: dict[str, Any]) -> None:
        """Keep a finding, on disk before anything else is done."""
        self.found[key] = found
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(_fresh_line(self.path) + json.dumps({"key": key, "found": found}) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self.path, error) from error


def _fresh_line(path: Path) -> str:
    """Return what ends a line that was cut off."""
    content = path.read_bytes()
    return "" if not content or content.endswith(b"\n") else "\n"


def _entry(line: str) -> tuple[str, dict[str, Any]] | None:
    try:
        content = json.loads(line)
        return str(content["key"]), dict(content["found"])
    except (ValueError, KeyError, TypeError):
        return None


def fingerprint(*parts: object) -> str:
    """Return one hash over tables, requests and plain values.

    >>> fingerprint("a", 1) == fingerprint("a", 1), fingerprint("a", 1) == fingerprint("a", 2)
    (True, False)
    """
    digest = hashlib.sha256(shoal.__version__.encode())
    for part in parts:
        text = _text(part)
        digest.update(f"{len(text)}:".encode() + text)
    return digest.hexdigest()


def _text(part: object) -> bytes:
    if isinstance(part, Table):
        return part.frame.write_csv().encode() + repr(part.frame.schema).encode()
    if isinstance(part, Request):
        return json.dumps(_plain(part), sort_keys=True, default=repr).encode()
    return repr(part).encode()


def _plain(request: Request) -> dict[str, Any]:
    """Return a request as plain data: hierarchies by what they say, a population by its hash."""
    said = {one.name: getattr(request, one.name) for one in fields(request)}
    trees = {name: spec_of(as_builder(spec)) for name, spec in request.hierarchies.items()}
    people = None if request.population is None else fingerprint(Table.of(request.population))
    return said | {"hierarchies": trees, "population": people, "require": repr(request.require)}
