"""A release: the published tables with their certificate, in memory and as a folder.

    DIR/public/    table.csv (or .parquet, .arrow), certificate.json, codebook.json: safe to share; where a
                   release has more tables than one, the others beside it, by their names; report.html, if wanted
    DIR/internal/  config.json, decisions.json, original.json (keyed hash), rows.parquet, manifest.json, where a lower
                   bound is proved prices.parquet and proof.json, where people are counted people.parquet (a number
                   for the person of each published row), where households are known households.parquet (the same),
                   and where rows were added that are about nobody counterfeits.parquet; report.html, if wanted: to be
                   kept private

The folder is written beside its destination and moved there in one step: a kill at any moment leaves nothing, or a
whole release. Published rows are sorted by their published cells, so that their order says nothing.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from glob import escape
from logging import getLogger
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from shoal.checking.audit import Audit
from shoal.core.arrays import Ints
from shoal.core.atomic_files import beside_of, moved, put_text, remove, undisturbed
from shoal.core.errors import ReleaseError
from shoal.core.markup import facts, table, tag
from shoal.core.memory import settle
from shoal.core.number_format import counted, number
from shoal.core.pictures import class_sizes
from shoal.core.processes import is_alive
from shoal.core.sorting import order_by, packed
from shoal.microdata.histogram import household_of, person_of
from shoal.microdata.partition import Partition
from shoal.microdata.prices import Prices
from shoal.release.certificate import Certificate, canonical
from shoal.release.files import (
    HOUSEHOLDS,
    MANIFEST,
    PEOPLE,
    REPORT,
    file_hash,
    keyed_hash,
    manifest,
    public_config_hash,
    ranked,
    read_json,
)
from shoal.tables.formula_guard import neutralised
from shoal.tables.frames import as_arrow, as_pandas, as_polars
from shoal.tables.table import TABLE, Table
from shoal.tables.writers.base import suffix_of
from shoal.tables.writing import write_rows

LOG = getLogger(__name__)


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
    classes: Partition = field(repr=False)
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
    overlaps: tuple[Any, ...] = field(default=(), repr=False)
    """What it and each earlier release of a register reveal together; none where it was compared with no register."""
    record: Callable[[Path], None] | None = field(default=None, repr=False)
    """What `save` calls with the folder that it wrote: a register of releases."""
    advice: tuple[str, ...] = field(default=(), repr=False)
    """What the request could say for ranges or groups to be published where they are not; among the decisions too."""
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

    def to_polars(self) -> pl.DataFrame:
        """Return the table of the people; columns that are published as they are have the types that came in."""
        return as_polars(self.table, self._types("polars", "polars.lazy"))

    def to_pandas(self) -> Any:
        """Return the same as a frame of pandas, which has to be installed, and pyarrow with it."""
        return as_pandas(self.table, self._types("pandas"))

    def to_arrow(self) -> Any:
        """Return the same as a table of pyarrow, which has to be installed."""
        return as_arrow(self.table, self._types("pyarrow"))

    def to_database(self, url: str, *, overwrite: bool = False) -> list[str]:
        """Write the published tables into a database, all or none, rows sorted as in the files; return their names.

        The URL holds no password, which is taken from the environment; what follows # is the name of the table.
        """
        from shoal.tables.databases import write_tables  # loaded only where a database is written to

        return write_tables(
            url, {name: one.part(sorted_rows(one)) for name, one in self.shown.items()}, overwrite=overwrite
        )

    def to_native(self) -> Any:
        """Return the same as the kind of frame that came in; of a file, a database or a mapping a frame of polars."""
        kind = self.source.origin.kind
        if kind == "polars.lazy":
            return self.to_polars().lazy()
        return {"pandas": self.to_pandas, "pyarrow": self.to_arrow}.get(kind, self.to_polars)()

    def _types(self, *kinds: str) -> dict[str, Any]:
        """Return the types that a frame of some library had, of the columns that are published as they are."""
        origin = self.source.origin
        plain = [one["name"] for one in self.codebook["columns"] if one["role"] in ("sensitive", "other")]
        return {name: origin.types[name] for name in plain if name in origin.types} if origin.kind in kinds else {}

    def _repr_html_(self) -> str:
        """Show in a notebook what the certificate states: no cell is in it."""
        stated = self.certificate
        levels = [
            [one["name"], one["attribute"] or "", number(one["asked"]), number(one["reached"])] for one in stated.models
        ]
        return tag(
            "div",
            tag("p", tag("strong", "Release"), f": {counted(stated.rows, 'row')}, {stated.require}"),
            *(tag("p", text) for text in stated.exposed),
            table(("model", "column", "asked", "reached"), levels, numbers=(2, 3)),
            facts(stated.figures),
            class_sizes(self.classes.sizes.tolist()),
        )

    def save(
        self, folder: str | Path, *, format: str | None = None, overwrite: bool = False, report: Pages | None = None
    ) -> Path:
        """Write the release folder in one step and return its path; an existing one is refused unless `overwrite`.

        Where no `format` is named, it is that of the file that was read, if that has labels or sheets; else CSV.
        A `report` (`shoal.report.make`) is written with it and sealed like the rest. A register that the release was
        compared with records it.
        """
        write = partial(_write, self, suffix=suffix_of(format or self.source.origin.format), report=report)
        target = write_folder(folder, write, overwrite=overwrite)
        LOG.info("wrote the release folder %s", target)
        if self.record is not None:
            self.record(target)
        return target


def write_folder(folder: str | Path, write_parts: Callable[[Path], None], *, overwrite: bool = False) -> Path:
    """Let the parts of a release be written beside their destination, and move them there in one step."""
    target = Path(folder)
    _sweep_up(target)
    check_target(target, overwrite=overwrite)
    beside = beside_of(target)
    try:
        _make_partial(beside, target)
        for part in ("public", "internal"):
            (beside / part).mkdir()
        write_parts(beside)
        settle()
        check_target(target, overwrite=overwrite)
        with undisturbed():
            _move(beside, target)
    except (OSError, pl.exceptions.ComputeError) as error:  # polars says so of a disk that is full, of some formats
        why = error.strerror or str(error) if isinstance(error, OSError) else "is the disk full?"
        raise ReleaseError(
            f"cannot write the release to {str(target)!r}: {why}", hint="no partial files remain"
        ) from error
    finally:
        with undisturbed():
            remove(beside)
    return target


def check_new(target: Path, or_else: str = "") -> None:
    """Guarantees that there is nothing yet where releases go."""
    _check_folder(target)
    if target.exists():
        raise ReleaseError(f"{str(target)!r} exists already", hint=f"name another folder{or_else}")


def _check_folder(target: Path) -> None:
    if str(target) == "-":
        raise ReleaseError(
            "a release cannot be written to '-': it is a folder of files",
            hint="name a folder, such as -o release; its table is in public/",
        )


def check_target(target: Path, *, overwrite: bool) -> None:
    """Guarantees that nothing is lost where a release goes: there is nothing yet, or only a release to be replaced."""
    if not overwrite:
        check_new(target, or_else=", or add --overwrite")
        return
    _check_folder(target)
    if not target.exists():
        return
    if not (target / "public" / "certificate.json").is_file():
        raise ReleaseError(
            f"{str(target)!r} is not a release", hint="only a release is overwritten; name another folder"
        )
    others = _others(target)
    if others:
        raise ReleaseError(
            f"{str(target)!r} also holds {counted(len(others), 'other file')}: {_listed(others)}",
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


def _write(release: Release, folder: Path, suffix: str, report: Pages | None) -> None:
    public, internal = folder / "public", folder / "internal"
    orders = {name: sorted_rows(one) for name, one in release.shown.items()}
    change = {"change": neutralised} if release.codebook["neutralised"] else {}
    for name, one in release.shown.items():
        write_rows(one, public / f"{name}{suffix}", orders[name], labels=release.source.origin.labels, **change)
    if report is not None:
        put_text(public / REPORT, report.public)
        put_text(internal / REPORT, report.internal)
    put_text(internal / "original.json", canonical(keyed_hash(release.source, secrets.token_hex(32))))
    rows = pl.Series("row", release.classes.kept[orders[TABLE]])
    rows.to_frame().write_parquet(internal / "rows.parquet")
    if release.certificate.people is not None:
        whom = person_of(release.source, release.config["person"]).codes[rows.to_numpy()]
        pl.DataFrame({"person": whom}).write_parquet(internal / PEOPLE)
    if release.certificate.households is not None:
        homes = household_of(release.source, release.config["household"]).codes[rows.to_numpy()]
        pl.DataFrame({"household": homes}).write_parquet(internal / HOUSEHOLDS)
    if release.prices is not None:
        pl.DataFrame({"price": release.prices.of_row}).write_parquet(internal / "prices.parquet")
        proof = {"denominator": release.prices.denominator, "lower_bound": release.prices.bound}
        put_text(internal / "proof.json", canonical(proof))
    if release.counterfeits is not None:
        release.counterfeits.write_parquet(internal / "counterfeits.parquet")
    tables = {name: public / f"{name}{suffix}" for name in release.shown}
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
    put_text(public / "codebook.json", canonical(codebook))
    hashes = {
        **{name: file_hash(path) for name, path in tables.items()},
        "codebook": file_hash(public / "codebook.json"),
        "config": public_config_hash(config),
        **({"report": file_hash(public / REPORT)} if (public / REPORT).is_file() else {}),
    }
    put_text(public / "certificate.json", replace(certificate, hashes=hashes).to_json())
    put_text(internal / "config.json", canonical(config))
    put_text(internal / "decisions.json", canonical(list(decisions)))
    put_text(folder / MANIFEST, canonical(manifest(folder)))


def _make_partial(beside: Path, target: Path) -> None:
    """Make an empty folder beside the target."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
    except OSError as error:
        raise ReleaseError(
            f"cannot write in {str(target.parent)!r}: {error.strerror}", hint="name a folder you may write to"
        ) from error


def _sweep_up(target: Path) -> None:
    """Remove what killed runs left; an old release that one had moved aside, and put nothing in place of, goes back."""
    for left in target.parent.glob(f".{escape(target.name)}.*.partial"):
        of_run = re.fullmatch(rf"\.{re.escape(target.name)}\.(?:old\.)?([0-9]+)(?:\.[0-9a-f]+)?\.partial", left.name)
        if of_run is None or is_alive(int(of_run[1])):
            continue
        if not left.name.startswith(f".{target.name}.old."):
            remove(left)
        elif target.exists():
            _discard(left, target)
        else:
            moved(left, target)


def _move(partial: Path, target: Path) -> None:
    """Put the finished folder in place; an old one is moved aside first and removed last."""
    old = beside_of(target.with_name(f"{target.name}.old"))
    try:
        if target.exists():
            moved(target, old)
        moved(partial, target)
    except BaseException:
        if old.exists() and not target.exists():
            moved(old, target)
        raise
    finally:
        if target.exists():
            _discard(old, target)


def _discard(old: Path, target: Path) -> None:
    """Remove an old release, under another name first: one that is removed by half is never put back."""
    beside = beside_of(target)
    with suppress(OSError):
        moved(old, beside)
        remove(beside)


def sorted_rows(table: Table) -> Ints:
    """Return the places of the rows sorted by their cells, column by column: a missing value last.

    >>> sorted_rows(Table(pl.DataFrame({"a": ["9", None, "10"]}))).tolist()
    [2, 0, 1]
    """
    return order_by(packed(map(ranked, map(table.coded, table.columns))))
