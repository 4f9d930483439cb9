"""A release: the published tables with their certificate, in memory and as a folder.

    DIR/public/    table.csv (or .parquet, .arrow), certificate.json, codebook.json: what may leave the house; where a
                   release has more tables than one, the others beside it, by their names
    DIR/internal/  config.json, decisions.json, original.json (keyed hash), rows.parquet, manifest.json, where a lower
                   bound is proved prices.parquet and proof.json, and where rows were added that are about nobody
                   counterfeits.parquet: what may not

The folder is written beside its destination and moved there in one step: a kill at any moment leaves nothing, or a
whole release. Published rows are sorted by their published cells, so that their order says nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audit import Audit
from shoal.certificate import Certificate, canonical
from shoal.errors import ParameterError, ReleaseError
from shoal.neutral import neutralised
from shoal.partition import Partition
from shoal.prices import Prices
from shoal.recode import TABLE
from shoal.table import write

FORMATS = ("csv", "csv.gz", "parquet", "arrow")


@dataclass(frozen=True, eq=False)
class Release:
    """A table that may be published, and the proof of what it guarantees.

    `table` has the published rows in input order (dropped rows left out), `classes` says which rows hide together;
    `tables` has every published table by its name, that one first. `save` writes the folder; apostrophes before what a
    spreadsheet would run are in its files only.
    """

    tables: Mapping[str, pl.DataFrame]
    classes: Partition
    certificate: Certificate
    audit: Audit
    codebook: Mapping[str, Any] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    decisions: tuple[str, ...] = field(repr=False)
    original: pl.DataFrame = field(repr=False)
    prices: Prices | None = field(default=None, repr=False)
    counterfeits: pl.DataFrame | None = field(default=None, repr=False)
    """The last rows of `original` that are about nobody; None where all rows are about people."""

    @property
    def table(self) -> pl.DataFrame:
        """The table of the people."""
        return self.tables[TABLE]

    def save(self, folder: str | Path, *, format: str = "csv", overwrite: bool = False) -> Path:
        """Write the release folder in one step and return its path; an existing one is refused unless `overwrite`."""
        if format not in FORMATS:
            raise ParameterError(f"unknown format {format!r}", expected=" or ".join(FORMATS))
        return write_folder(folder, partial(_write, self, format=format), overwrite=overwrite)


def write_folder(folder: str | Path, write_parts: Callable[[Path], None], *, overwrite: bool = False) -> Path:
    """Let the parts of a release be written beside their destination, and move them there in one step."""
    target = Path(folder)
    if target.exists() and not overwrite:
        raise ReleaseError(f"{str(target)!r} exists already", hint="name another folder, or overwrite it on purpose")
    if target.exists() and not (target / "public" / "certificate.json").is_file():
        raise ReleaseError(f"{str(target)!r} is not a release", hint="only a release is overwritten")
    beside = _partial(target)
    try:
        for part in ("public", "internal"):
            (beside / part).mkdir()
        write_parts(beside)
        _move(beside, target)
    except OSError as error:
        raise ReleaseError(
            f"cannot write the release to {str(target)!r}: {error.strerror or error}",
            hint="nothing was left there",
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return target


def _write(release: Release, folder: Path, format: str) -> None:
    public, internal = folder / "public", folder / "internal"
    number = "".join(release.table.columns) + "#"  # longer than the name of any column
    ordered = release.table.with_row_index(number).sort(release.table.columns, nulls_last=True)
    others = {name: table.sort(table.columns, nulls_last=True) for name, table in release.tables.items()}
    for name, shown in (others | {TABLE: ordered.drop(number)}).items():
        write(neutralised(shown) if release.codebook["neutralised"] else shown, public / f"{name}.{format}")
    _put(internal / "original.json", canonical(keyed_hash(release.original, secrets.token_hex(32))))
    rows = pl.Series("row", release.classes.kept).gather(ordered[number])
    rows.to_frame().write_parquet(internal / "rows.parquet")
    if release.prices is not None:
        pl.DataFrame({"price": release.prices.of_row}).write_parquet(internal / "prices.parquet")
        proof = {"denominator": release.prices.denominator, "lower_bound": release.prices.bound}
        _put(internal / "proof.json", canonical(proof))
    if release.counterfeits is not None:
        release.counterfeits.write_parquet(internal / "counterfeits.parquet")
    tables = {name: public / f"{name}.{format}" for name in release.tables}
    seal_folder(folder, tables, release.certificate, release.codebook, release.config, release.decisions)


def seal_folder(
    folder: Path,
    tables: Mapping[str, Path],
    certificate: Certificate,
    codebook: Mapping[str, Any],
    config: Mapping[str, Any],
    decisions: Sequence[str],
) -> None:
    """Write what is said of the tables of a release; the certificate seals them, and the manifest every file."""
    public, internal = folder / "public", folder / "internal"
    _put(public / "codebook.json", canonical(codebook))
    hashes = {
        **{name: file_hash(path) for name, path in tables.items()},
        "codebook": file_hash(public / "codebook.json"),
        "config": public_config_hash(config),
    }
    _put(public / "certificate.json", replace(certificate, hashes=hashes).to_json())
    _put(internal / "config.json", canonical(config))
    _put(internal / "decisions.json", canonical(list(decisions)))
    _put(internal / "manifest.json", canonical(manifest(folder)))


def _put(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _partial(target: Path) -> Path:
    """Make an empty folder beside the target; what a killed run left there for the same target is swept away."""
    beside = target.parent / f".{target.name}.{os.getpid()}.partial"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f".{escape(target.name)}.*.partial"):
            if not _alive(left.name.split(".")[-2]):
                shutil.rmtree(left, ignore_errors=True)
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
    except OSError as error:
        raise ReleaseError(
            f"cannot write in {str(target.parent)!r}: {error.strerror}", hint="name a folder you may write to"
        ) from error
    return beside


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _move(partial: Path, target: Path) -> None:
    """Put the finished folder in place; an old one is moved aside first and removed last."""
    old = target.parent / f".{target.name}.{os.getpid()}.old.partial"
    if target.exists():
        target.rename(old)
    partial.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest(folder: Path) -> dict[str, str]:
    """Return the hash of every file of a release but the manifest itself."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name: file_hash(folder / name) for name in files if name != "internal/manifest.json"}


def keyed_hash(original: pl.DataFrame, key: str) -> dict[str, str]:
    """Return a hash of the original that proves nothing without the key kept beside it."""
    digest = hmac.new(bytes.fromhex(key), original.write_csv().encode(), hashlib.sha256).hexdigest()
    return {"algorithm": "HMAC-SHA256 of the table as CSV", "key": key, "digest": digest}


def public_config_hash(config: Mapping[str, Any]) -> str:
    """Return the hash of the request without its seed, which would help to repeat the run."""
    return hashlib.sha256(
        canonical({key: value for key, value in config.items() if key != "seed"}).encode()
    ).hexdigest()


def read_json(path: Path) -> Any:
    """Read one of the release's JSON files, or raise `ReleaseError`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseError(
            f"{path.parent.name}/{path.name} is missing or cannot be read", hint="is this a release folder?"
        ) from error
