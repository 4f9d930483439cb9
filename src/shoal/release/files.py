"""The files of a release folder: their names, what seals them, and JSON read back.

A file is known by its SHA-256, the original by a keyed hash that proves nothing without its key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.core.arrays import Codes
from shoal.core.errors import ReleaseError
from shoal.release.certificate import canonical
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table

REPORT = "report.html"
MANIFEST = "internal/manifest.json"
PEOPLE = "people.parquet"
HOUSEHOLDS = "households.parquet"


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and hashes of its files."""
    if path.is_dir():
        return hashlib.sha256(canonical(manifest(path)).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest(folder: Path) -> dict[str, str]:
    """Return the hash of every file of a release but the manifest itself."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name: file_hash(folder / name) for name in files if name != MANIFEST}


AS_CSV = "HMAC-SHA256 of the table as CSV"
AS_CODES = "HMAC-SHA256 of each column: its name, its distinct texts in order, the number of each row's text"


def keyed_hash(original: Table, key: str, algorithm: str = AS_CODES) -> dict[str, str]:
    """Return a hash of the original that proves nothing without the key kept beside it.

    Columns are hashed one by one as small integers; earlier releases have the hash of the whole table as CSV.
    """
    digest = hmac.new(bytes.fromhex(key), digestmod=hashlib.sha256)
    if algorithm == AS_CSV:
        digest.update(original.frame.write_csv().encode())
    else:
        for name in original.columns:
            column = original.coded(name)
            texts = column.values.cast(pl.String)
            ranks, distinct = _ranks(texts), texts.unique().sort(nulls_last=True).to_frame().write_csv().encode()
            digest.update(canonical([name, len(column.codes), len(distinct)]).encode())
            digest.update(distinct)
            digest.update(ranks.astype(f"<u{_bytes(len(texts))}")[column.codes].data)
    return {"algorithm": algorithm, "key": key, "digest": digest.hexdigest()}


def _bytes(size: int) -> int:
    return 1 if size <= 2**8 else 2 if size <= 2**16 else 4


def ranked(column: Coded) -> tuple[Codes, int]:
    """Return the place of each row's cell among the different ones as they are written, and how many there are."""
    ranks = _ranks(column.values)
    return ranks[column.codes], int(ranks.max(initial=0)) + 1


def _ranks(values: pl.Series) -> Codes:
    """Return the place of each value among the different ones in order, a missing value last."""
    return (values.rank("dense") - 1).cast(pl.Int32).fill_null(values.n_unique() - bool(values.null_count())).to_numpy()


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


def read_rows(path: Path) -> pl.DataFrame:
    """Read one of the release's own Parquet files, or raise `TableError`: a forger may have made it."""
    from shoal.tables.parquet_pages import read_parquet  # loaded only where a release has one

    return read_parquet(path)
