"""A release: the published tables with their certificate, in memory and as a folder.

    DIR/public/    table.csv (or .parquet, .arrow), certificate.json, codebook.json: what may leave the house; where a
                   release has more tables than one, the others beside it, by their names; report.html, if wanted
    DIR/internal/  config.json, decisions.json, original.json (keyed hash), rows.parquet, manifest.json, where a lower
                   bound is proved prices.parquet and proof.json, and where rows were added that are about nobody
                   counterfeits.parquet; report.html, if wanted: what may not

The folder is written beside its destination and moved there in one step: a kill at any moment leaves nothing, or a
whole release. Published rows are sorted by their published cells, so that their order says nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from glob import escape
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from shoal.checking.audit import Audit
from shoal.core.arrays import Codes, Ints
from shoal.core.errors import ParameterError, ReleaseError
from shoal.core.markup import facts, table, tag
from shoal.core.memory import settle
from shoal.core.number_format import counted, number
from shoal.core.sorting import order_by
from shoal.microdata.microdata import packed
from shoal.microdata.partition import Partition
from shoal.microdata.prices import Prices
from shoal.release.certificate import Certificate, canonical
from shoal.tables.encoded_column import Coded
from shoal.tables.formula_guard import neutralised
from shoal.tables.table import TABLE, Table
from shoal.tables.writing import write_rows

FORMATS = ("csv", "csv.gz", "parquet", "arrow")
REPORT = "report.html"
MANIFEST = "internal/manifest.json"


class Pages(Protocol):
    """A report in two forms, as HTML."""

    @property
    def internal(self) -> str:
        """Everything."""

    @property
    def public(self) -> str:
        """What may be shown to everybody."""


@dataclass(frozen=True, eq=False)
class Release:
    """A table that may be published, and the proof of what it guarantees.

    `table` has the published rows in input order (dropped rows left out), `classes` says which rows hide together;
    `tables` has every published table by its name, that one first. `save` writes the folder; apostrophes before what a
    spreadsheet would run are in its files only.
    """

    shown: Mapping[str, Table] = field(repr=False)
    """Every published table by its name, column by column."""
    classes: Partition
    certificate: Certificate
    audit: Audit
    codebook: Mapping[str, Any] = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    decisions: tuple[str, ...] = field(repr=False)
    source: Table = field(repr=False)
    """What it was made from."""
    prices: Prices | None = field(default=None, repr=False)
    counterfeits: pl.DataFrame | None = field(default=None, repr=False)
    """The last rows of `source` that are about nobody; None where all rows are about people."""
    seconds: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    """How long each part of the work took: search, check, compile. In no file: it differs from run to run."""

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Every published table as a frame, that of the people first."""
        return {name: table.frame for name, table in self.shown.items()}

    @property
    def original(self) -> pl.DataFrame:
        """What it was made from, as a frame."""
        return self.source.frame

    @property
    def table(self) -> pl.DataFrame:
        """The table of the people."""
        return self.tables[TABLE]

    def _repr_html_(self) -> str:
        """Show in a notebook what the certificate states: no cell is in it."""
        stated = self.certificate
        bound = "unknown" if stated.lower_bound is None else f"{stated.lower_bound:,.6g}"
        levels = [
            [one["name"], one["attribute"] or "", number(one["asked"]), number(one["reached"])] for one in stated.models
        ]
        return tag(
            "div",
            tag("p", tag("strong", "Release"), f": {counted(stated.rows, 'row')}, {stated.require}"),
            table(("model", "column", "asked", "reached"), levels, numbers=(2, 3)),
            facts(
                {
                    "classes": f"{stated.classes:,}",
                    "dropped": f"{stated.dropped:,}",
                    "cost": f"{float(stated.cost):,.6g} ({stated.cost.name})",
                    "lower bound": bound,
                    "gap": "unknown" if stated.gap is None else f"{stated.gap:.4g}",
                    "method": f"{stated.method}, recoding {stated.recoding}, {stated.status}",
                }
            ),
        )

    def save(
        self, folder: str | Path, *, format: str = "csv", overwrite: bool = False, report: Pages | None = None
    ) -> Path:
        """Write the release folder in one step and return its path; an existing one is refused unless `overwrite`.

        A `report` (`shoal.report.make`) is written with it and sealed like the rest.
        """
        if format not in FORMATS:
            raise ParameterError(f"unknown format {format!r}", expected=" or ".join(FORMATS))
        return write_folder(folder, partial(_write, self, format=format, report=report), overwrite=overwrite)


def write_folder(folder: str | Path, write_parts: Callable[[Path], None], *, overwrite: bool = False) -> Path:
    """Let the parts of a release be written beside their destination, and move them there in one step."""
    target = Path(folder)
    _sweep_up(target)
    check_target(target, overwrite=overwrite)
    beside = _partial(target)
    try:
        for part in ("public", "internal"):
            (beside / part).mkdir()
        write_parts(beside)
        settle()
        check_target(target, overwrite=overwrite)
        _move(beside, target)
    except OSError as error:
        raise ReleaseError(
            f"cannot write the release to {str(target)!r}: {error.strerror or error}",
            hint="nothing was left there",
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return target


def check_target(target: Path, *, overwrite: bool) -> None:
    """Guarantees that nothing is lost where a release goes: there is nothing yet, or only a release to be replaced."""
    if not target.exists():
        return
    if not overwrite:
        raise ReleaseError(f"{str(target)!r} exists already", hint="name another folder, or add --overwrite")
    if not (target / "public" / "certificate.json").is_file():
        raise ReleaseError(f"{str(target)!r} is not a release", hint="only a release is overwritten")
    others = _others(target)
    if others:
        raise ReleaseError(
            f"{str(target)!r} also holds {counted(len(others), 'file')} not of the release: {_listed(others)}",
            hint="move them elsewhere, or name another folder",
        )


def _others(folder: Path) -> list[str]:
    """Return the files in the folder of a release that are not its own."""
    own = {*read_json(folder / MANIFEST), MANIFEST}
    inside = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted({path.relative_to(folder).as_posix() for path in inside} - own)


def _listed(names: Sequence[str]) -> str:
    """Return some names in words.

    >>> _listed(["a"]), _listed(["a", "b", "c", "d", "e"])
    ("'a'", "'a', 'b', 'c' and 2 more")
    """
    first = ", ".join(map(repr, names[:3]))
    return f"{first} and {len(names) - 3} more" if len(names) > 3 else first


def _write(release: Release, folder: Path, format: str, report: Pages | None) -> None:
    public, internal = folder / "public", folder / "internal"
    orders = {name: sorted_rows(one) for name, one in release.shown.items()}
    change = {"change": neutralised} if release.codebook["neutralised"] else {}
    for name, one in release.shown.items():
        write_rows(one, public / f"{name}.{format}", orders[name], **change)
    if report is not None:
        _put(public / REPORT, report.public)
        _put(internal / REPORT, report.internal)
    _put(internal / "original.json", canonical(keyed_hash(release.source, secrets.token_hex(32))))
    rows = pl.Series("row", release.classes.kept[orders[TABLE]])
    rows.to_frame().write_parquet(internal / "rows.parquet")
    if release.prices is not None:
        pl.DataFrame({"price": release.prices.of_row}).write_parquet(internal / "prices.parquet")
        proof = {"denominator": release.prices.denominator, "lower_bound": release.prices.bound}
        _put(internal / "proof.json", canonical(proof))
    if release.counterfeits is not None:
        release.counterfeits.write_parquet(internal / "counterfeits.parquet")
    tables = {name: public / f"{name}.{format}" for name in release.shown}
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
        **({"report": file_hash(public / REPORT)} if (public / REPORT).is_file() else {}),
    }
    _put(public / "certificate.json", replace(certificate, hashes=hashes).to_json())
    _put(internal / "config.json", canonical(config))
    _put(internal / "decisions.json", canonical(list(decisions)))
    _put(folder / MANIFEST, canonical(manifest(folder)))


def _put(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _partial(target: Path) -> Path:
    """Make an empty folder beside the target."""
    beside = target.parent / f".{target.name}.{os.getpid()}.partial"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
    except OSError as error:
        raise ReleaseError(
            f"cannot write in {str(target.parent)!r}: {error.strerror}", hint="name a folder you may write to"
        ) from error
    return beside


def _sweep_up(target: Path) -> None:
    """Remove what killed runs left; an old release that one had moved aside, and put nothing in place of, goes back."""
    for left in target.parent.glob(f".{escape(target.name)}.*.partial"):
        of_run = re.fullmatch(rf"\.{re.escape(target.name)}\.(?:old\.)?([0-9]+)\.partial", left.name)
        if of_run is None or _alive(of_run[1]):
            continue
        if left.name.startswith(f".{target.name}.old.") and not target.exists():
            left.rename(target)
        else:
            shutil.rmtree(left, ignore_errors=True)


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
    old = target.parent / f".{target.name}.old.{os.getpid()}.partial"
    if target.exists():
        target.rename(old)
    try:
        partial.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


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


def sorted_rows(table: Table) -> Ints:
    """Return the places of the rows sorted by their cells, column by column: a missing value last.

    >>> sorted_rows(Table(pl.DataFrame({"a": ["9", None, "10"]}))).tolist()
    [2, 0, 1]
    """
    return order_by(packed(map(ranked, map(table.coded, table.columns))))


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
