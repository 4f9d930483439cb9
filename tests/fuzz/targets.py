"""What is fuzzed: everything that reads a file which somebody else may have made. Found by discovery where it can be.

A target gets bytes. It ends in a table or in an error of shoal's own; any other exception is a fault. The seeds are
small invented tables, written by shoal's own writers, so that bytes which are changed at random begin near a file.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import polars as pl

from shoal.config import read_config
from shoal.core.errors import ShoalError
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.models.requirement import parse_requirement
from shoal.release.release import Release
from shoal.release.verification import verify
from shoal.tables import csv_spill, readers, writers
from shoal.tables.readers.base import Reader, ReadOptions, installed
from shoal.tables.readers.csv import Csv
from shoal.tables.table import read
from shoal.tables.writers.base import Writer
from shoal.tables.writing import write

Target = Callable[[bytes], None]
CORPUS = Path(__file__).parent / "corpus"
PEOPLE = {
    "age": [20, 21, None, 31, 40, 41],
    "height": [1.5, 1.75, 2.25, None, 1.5, 1.0],
    "town": ["Oslo", "Åre", "*", "a;b", None, 'x"y'],
    "born": pl.Series(["2001-02-03", "1999-12-31", "1980-01-01", None, "1970-06-15", "1960-11-30"]).str.to_date(),
}
"""An invented table with what makes tables hard to read: missing values, quotes, separators, stars, dates."""
SMALL_BLOCK = 24
"""Characters of a block of a CSV file that goes by the disk, so that short files have many."""


@cache
def folder() -> Path:
    """Return a folder for the file that is being read."""
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _file(name: str, data: bytes) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def _reading(suffix: str) -> Target:
    def target(data: bytes) -> None:
        with suppress(ShoalError):
            _ = read(_file(f"people{suffix}", data)).frame

    return target


def csv_by_disk(data: bytes) -> None:
    """A CSV file that goes by the disk is the table that it is in memory, or is refused as there."""
    path = _file("people.csv", data)
    frames: list[pl.DataFrame | None] = []
    for reading in (Csv().read, Csv().read_by_disk):
        try:
            frames.append(reading(path, ReadOptions()).columns.frame())
        except ShoalError:
            frames.append(None)
    one, other = frames
    assert (one is None) == (other is None), "refused on one way alone"
    assert one is None or other is None or one.equals(other), "another table by the disk"


def _config(data: bytes) -> None:
    with suppress(ShoalError):
        read_config(_file("shoal.toml", data))


def _requirement(data: bytes) -> None:
    with suppress(ShoalError):
        parse_requirement(data.decode("utf-8", "replace"))


def _hierarchy(suffix: str) -> Target:
    def target(data: bytes) -> None:
        path = _file(f"towns{suffix}", data)
        with suppress(ShoalError):
            taxonomy = Taxonomy.from_json(path) if suffix == ".json" else Taxonomy.from_csv(path)
            taxonomy.build(pl.Series(["Oslo", "Åre", None]))

    return target


@cache
def release() -> Path:
    """Return the folder of a release."""
    import shoal  # here, as it brings what is not fuzzed

    made: Release = shoal.anonymize(
        {"age": [20, 21, 30, 31], "illness": ["flu", "gout", "flu", "gout"]},
        quasi=["age"],
        sensitive=["illness"],
        require="k=2 l(illness)=2",
        method="mondrian",
    )
    return made.save(folder() / "release")


def _release(name: str) -> Target:
    def target(data: bytes) -> None:
        path = release() / name
        before = path.read_bytes()
        path.write_bytes(data)
        try:
            with suppress(ShoalError):
                verify(release())
        finally:
            path.write_bytes(before)

    return target


def _suffixes() -> dict[str, type[Reader]]:
    """Return every suffix that is read, packed texts left out: they are unpacked first, by two libraries of Python."""
    found = {suffix: kind for kind in installed(readers, Reader) for suffix in kind.suffixes}
    same = (".tsv", ".txt", ".feather", ".ipc", ".ndjson", ".xlsm", ".bz2", ".zst")
    return {
        suffix: kind
        for suffix, kind in found.items()
        if not suffix.endswith(same) and suffix[:4] not in (".tsv", ".txt")
    }


FILES_OF_A_RELEASE = ("public/certificate.json", "public/codebook.json", "internal/config.json", "public/table.csv")


def targets() -> dict[str, Target]:
    """Return every target by its name."""
    return {
        **{f"read{suffix}": _reading(suffix) for suffix in _suffixes()},
        "csv-by-disk": csv_by_disk,
        "settings": _config,
        "requirement": _requirement,
        "hierarchy.csv": _hierarchy(".csv"),
        "hierarchy.json": _hierarchy(".json"),
        **{f"release-{Path(name).name}": _release(name) for name in FILES_OF_A_RELEASE},
    }


def seeds(name: str) -> Mapping[str, bytes]:
    """Return the files that fuzzing of a target begins with, by name: those of the corpus, and written ones."""
    kept = {path.name: path.read_bytes() for path in sorted((CORPUS / name).glob("*"))}
    return {**kept, **_written(name)}


def _written(name: str) -> dict[str, bytes]:
    frame = pl.DataFrame(PEOPLE)
    csv = frame.write_csv().encode()
    if name in ("read.csv", "csv-by-disk"):
        return {"people": csv, "semicolons": csv.replace(b",", b";"), "wide": csv.decode().encode("utf-16")}
    if name == "read.csv.gz":
        return {"packed": gzip.compress(csv, mtime=0)}
    if name.startswith("release-"):
        file = next(one for one in FILES_OF_A_RELEASE if name.endswith(Path(one).name))
        return {"file": (release() / file).read_bytes()}
    if name == "hierarchy.json":
        return {"tree": json.dumps({"Nordic": {"Norway": ["Oslo"], "Sweden": ["Åre"]}, "Other": [None]}).encode()}
    if name == "hierarchy.csv":
        return {"rows": "Oslo;Norway;*\nÅre;Sweden;*\n;;*\n".encode()}
    if name == "requirement":
        return {"models": b"k=5 l(illness)=2 t(income:ordered)<=0.2 recursive-l(illness)=3,2"}
    if name == "settings":
        return {"toml": b'[roles]\nquasi = ["age"]\n[privacy]\nrequire = "k=5"\nmax_dropped = 0.1\n'}
    suffix = name.removeprefix("read")
    writer = next((one for one in installed(writers, Writer) if suffix in one.suffixes), None)
    if writer is None or not name.startswith("read"):
        return {}
    path = folder() / f"seed{suffix}"
    names = {"town": pl.col("town").fill_null("none")} if not writer.empty_strings else {}
    write(frame.with_columns(**names), path)
    return {"people": path.read_bytes()}


def shrink_blocks() -> None:
    """Let short CSV files be read in many blocks."""
    csv_spill.BLOCK = SMALL_BLOCK
