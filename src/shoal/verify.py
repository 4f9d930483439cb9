"""Verification: re-checking a release folder, trusting nothing in it but the definitions of the models.

Without the original: every file is the one that was sealed (one that is not is not read: damage may hurt its reader),
the table has the stated columns and rows in sorted order, the audit of its cells finds every model met at the stated
level, and the cost recomputed from the codebook is the stated one. With the original: it is the table the release was
made from, and every published row covers the original row it stands for, sensitive and other cells unaltered.
"""

from __future__ import annotations

import ast
import gzip
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audit import Audit, as_dict, audit
from shoal.certificate import Certificate, canonical
from shoal.coverage import uncovered_rows
from shoal.errors import ReleaseError, ShoalError
from shoal.hierarchies import as_builder
from shoal.metric import Metric
from shoal.release import FORMATS, file_hash, keyed_hash, manifest, public_config_hash, read_json
from shoal.requirement import parse_requirement
from shoal.table import STAR, Table, TableLike, escape_stars, read, texts


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and what came of it."""

    what: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Verification:
    """Everything that was looked at."""

    checks: tuple[Check, ...]
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[str]:
        """What failed, in words."""
        return [
            f"{check.what}: {check.detail}" if check.detail else check.what for check in self.checks if not check.passed
        ]


def verify(folder: str | Path, *, original: TableLike | None = None) -> Verification:
    """Re-check a release folder; with the original at hand, also that every published row covers its own."""
    folder = Path(folder)
    if not (folder / "public").is_dir():
        raise ReleaseError(f"there is no release in {str(folder)!r}", expected="a folder with public/ inside")
    table = None if original is None else Table.of(original)
    checks: list[Check] = []
    notes: list[str] = []
    try:
        release = _Opened.of(folder)
    except ShoalError as error:
        return Verification((Check("the files can be read and the seals are whole", False, str(error)),))
    whole = _internal(folder, release, checks, notes)
    if _look(checks, "the table is the sealed one", release.hashes_match):
        _look(checks, "the table has the stated columns and rows", release.has_shape)
        _look(checks, "the rows are sorted by their published cells", release.is_sorted)
        _look(checks, "the audit confirms every model at the stated level", release.models_hold)
        _cost(release, checks, notes)
        if table is not None and whole:
            _with_original(folder, release, table, checks)
    return Verification(tuple(checks), tuple(notes))


@dataclass(frozen=True, eq=False)
class _Opened:
    """A release folder's public part; the certificate is read at once, the rest when it is asked for."""

    path: Path
    certificate: Certificate

    @classmethod
    def of(cls, folder: Path) -> _Opened:
        public = folder / "public"
        tables = [public / f"table.{format}" for format in FORMATS if (public / f"table.{format}").is_file()]
        if len(tables) != 1:
            raise ReleaseError(f"public/ has {len(tables)} tables", expected="one table")
        text = public / "certificate.json"
        if not text.is_file():
            raise ReleaseError("public/certificate.json is missing")
        certificate = Certificate.from_json(text.read_bytes().decode("utf-8", errors="replace"))
        return cls(tables[0], certificate)

    @cached_property
    def codebook(self) -> dict[str, Any]:
        return dict(read_json(self.path.parent / "codebook.json"))

    @cached_property
    def table(self) -> pl.DataFrame:
        return _as_published(self.path, self.codebook)

    def hashes_match(self) -> str:
        book = self.path.parent / "codebook.json"
        if not book.is_file():
            return "public/codebook.json is missing"
        found = {"table": file_hash(self.path), "codebook": file_hash(book)}
        wrong = [name for name, digest in found.items() if self.certificate.hashes.get(name) != digest]
        return f"{' and '.join(wrong)} differ from the certificate" if wrong else ""

    def has_shape(self) -> str:
        columns = [column["name"] for column in self.codebook["columns"]]
        if self.table.columns != columns:
            return "the columns are not those of the codebook"
        for role, names in (("quasi", self.certificate.quasi), ("sensitive", self.certificate.sensitive)):
            if [column["name"] for column in self.codebook["columns"] if column["role"] == role] != list(names):
                return f"the {role} columns are not those of the codebook"
        return (
            ""
            if self.table.height == self.certificate.rows
            else f"{self.table.height:,} rows, {self.certificate.rows:,} stated"
        )

    def is_sorted(self) -> str:
        ordered = self.table.sort(self.table.columns, nulls_last=True)
        return "" if ordered.equals(self.table) else "their order may tell something"

    def audit(self) -> Audit:
        metrics = {
            name: Metric.of(metric["labels"], metric["distances"], name)
            for name, metric in self.codebook["metrics"].items()
        }
        return audit(
            self.table,
            quasi=self.certificate.quasi,
            sensitive=self.certificate.sensitive,
            require=parse_requirement(self.certificate.require, metrics),
            hierarchies={name: as_builder(spec) for name, spec in self.codebook["hierarchies"].items()},
        )

    def models_hold(self) -> str:
        found = self.audit()
        failing = [
            f"{finding.model} fails in {finding.failing_classes:,} classes"
            for finding in found.findings
            if not finding.holds
        ]
        if failing:
            return "; ".join(failing)
        if found.classes != self.certificate.classes:
            return f"{found.classes:,} classes, {self.certificate.classes:,} stated"
        same = [as_dict(finding) for finding in found.findings] == [dict(model) for model in self.certificate.models]
        return "" if same else "the levels reached are not those stated"


def _as_published(path: Path, codebook: dict[str, Any]) -> pl.DataFrame:
    """Read the published table with the types the codebook states."""
    if not path.name.endswith((".csv", ".csv.gz")):
        return read(path).frame
    content = path.read_bytes()
    frame = texts((gzip.decompress(content) if path.suffix == ".gz" else content).decode())
    types = {column["name"]: column["type"] for column in codebook["columns"]}
    return frame.with_columns(_typed(frame[name], kind) for name, kind in types.items() if name in frame.columns)


def _typed(column: pl.Series, kind: str) -> pl.Series:
    """Return a column of text as the type that polars writes so; text that does not fit becomes missing."""
    name, options = _type_named(kind)
    if name == "Boolean":
        return column == "true"
    if name == "Date":
        return column.str.to_date("%Y-%m-%d", strict=False)
    if name == "Time":
        return column.str.to_time("%H:%M:%S%.f", strict=False)
    if name == "Datetime":
        zone = options["time_zone"]
        form = "%Y-%m-%dT%H:%M:%S%.f" + ("%z" if zone else "")
        moments = column.str.to_datetime(form, time_unit=options["time_unit"], strict=False)
        return moments.dt.convert_time_zone(zone) if zone else moments
    return column.cast(getattr(pl, name)(**options), strict=False)


def _type_named(kind: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a type.

    >>> _type_named("Int64"), _type_named("Enum(categories=['low', 'high'])")
    (('Int64', {}), ('Enum', {'categories': ['low', 'high']}))
    """
    tree = ast.parse(kind, mode="eval").body
    named = tree.func if isinstance(tree, ast.Call) else tree
    given = tree.keywords if isinstance(tree, ast.Call) else []
    name = named.id if isinstance(named, ast.Name) else ""
    if not issubclass(getattr(pl, name, object), pl.DataType):
        raise ReleaseError("the codebook states a type that is none", expected="a type of polars")
    return name, {str(option.arg): ast.literal_eval(option.value) for option in given}


def _look(checks: list[Check], what: str, look: Callable[[], str]) -> bool:
    """Make one check and return whether it passed; an error while looking is a failure, not an escape."""
    try:
        detail = look()
    except Exception as error:  # whatever a forged file may provoke
        detail = str(error) if isinstance(error, ShoalError) else f"could not be looked at ({type(error).__name__})"
    checks.append(Check(what, not detail, detail))
    return not detail


def _internal(folder: Path, release: _Opened, checks: list[Check], notes: list[str]) -> bool:
    if not (folder / "internal").is_dir():
        notes.append("the internal part is not here: its files were not looked at")
        return True

    def whole() -> str:
        path = folder / "internal" / "manifest.json"
        stated = dict(read_json(path))
        if path.read_bytes() != canonical(stated).encode():
            return "the manifest was changed"
        found = manifest(folder)
        differing = sorted(name for name in {*stated, *found} if stated.get(name) != found.get(name))
        return f"changed, added or missing: {', '.join(differing)}" if differing else ""

    def config_matches() -> str:
        config = read_json(folder / "internal" / "config.json")
        same = public_config_hash(config) == release.certificate.hashes.get("config")
        return "" if same else "the hash of the request differs"

    return _look(checks, "every file is the one that was written", whole) and _look(
        checks, "the request is the one the certificate states", config_matches
    )


def _cost(release: _Opened, checks: list[Check], notes: list[str]) -> None:
    """Recompute the cost from the published cells and the codebook."""
    cost = release.certificate.cost
    try:
        value = recomputed_cost(release.table, release.certificate, release.codebook)
    except Exception:  # whatever a forged file may provoke
        value = float("nan")
    if value is None:
        notes.append(f"the cost ({cost.name}) cannot be recomputed from the published files alone")
        return
    agrees = abs(value - cost) <= 1e-9 * max(1.0, abs(value))
    checks.append(
        Check("the cost is that of the published cells", agrees, "" if agrees else f"recomputed as {value:.6g}")
    )


def recomputed_cost(table: pl.DataFrame, certificate: Certificate, codebook: dict[str, Any]) -> float | None:
    """Return the cost of a published table, from its cells and the codebook; None where that does not suffice."""
    name, rows = certificate.cost.name, table.height
    everyone = rows + certificate.dropped
    sizes = table.group_by(certificate.quasi).len("".join(certificate.quasi) + "#")[:, -1]
    if name == "discernibility":
        return float((sizes.cast(pl.Float64) ** 2).sum() + certificate.dropped * everyone)
    if name == "average-class-size":
        return float(rows / (len(sizes) * codebook["cost"]["k"]))
    if codebook["marks"]["star"] != STAR or name not in ("stars", "starred-rows", "height", "ncp"):
        return None
    columns = {column["name"]: column for column in codebook["columns"] if column["role"] == "quasi"}
    weights = {column: codebook["cost"]["weights"].get(column, 1.0) for column in columns}
    if name in ("stars", "starred-rows"):
        stars = table.select((pl.col(column).cast(pl.String) == STAR).fill_null(False) for column in columns)
        per_row = stars.sum_horizontal() if name == "stars" else stars.max_horizontal().cast(pl.UInt32)
        return float(per_row.sum() + certificate.dropped * (len(columns) if name == "stars" else 1))
    total = sum(weights[column] * _loss(table[column], entry["cells"], name) for column, entry in columns.items())
    total += certificate.dropped * sum(weights.values())
    return float(total / (everyone * sum(weights.values())) if name == "ncp" else total)


def _loss(column: pl.Series, cells: list[dict[str, Any]], name: str) -> float:
    known = {cell["cell"]: cell[name] for cell in cells}
    counts = column.cast(pl.String).rename("cell").value_counts()
    return float(sum(known[cell] * count for cell, count in counts.iter_rows()))


def _with_original(folder: Path, release: _Opened, table: Table, checks: list[Check]) -> None:
    def same_table() -> str:
        stated = read_json(folder / "internal" / "original.json")
        found = keyed_hash(table.frame, stated["key"])
        return "" if hmac.compare_digest(found["digest"], stated["digest"]) else "the keyed hash differs"

    def covered() -> str:
        config = read_json(folder / "internal" / "config.json")
        rows = pl.read_parquet(folder / "internal" / "rows.parquet")["row"]
        if rows.n_unique() != release.table.height or len(rows) + release.certificate.dropped != table.rows:
            return "rows of the original are published twice or not at all"
        quasi, hierarchies = release.certificate.quasi, config["hierarchies"]
        missed = uncovered_rows(release.table, table.frame, rows, quasi, hierarchies, release.codebook)
        return f"{missed:,} rows do not cover the row they stand for" if missed else ""

    def unaltered() -> str:
        rows = pl.read_parquet(folder / "internal" / "rows.parquet")["row"]
        source = table.frame[rows]
        rest = [column for column in release.table.columns if column not in release.certificate.quasi]
        changed = [name for name in rest if not _same(release.table[name], source[name])]
        return f"columns {', '.join(map(repr, changed))} were altered" if changed else ""

    _look(checks, "the original is the table the release was made from", same_table)
    _look(checks, "every published row covers the original row it stands for", covered)
    _look(checks, "sensitive and other cells are unaltered", unaltered)


def _same(shown: pl.Series, original: pl.Series) -> bool:
    expected = escape_stars(original) if original.dtype == pl.String else original
    return shown.cast(pl.String).equals(expected.cast(pl.String))
