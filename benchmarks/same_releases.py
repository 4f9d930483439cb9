"""Whether two source trees make the same releases: every method, every recoding, several small tables, byte by byte.

    python -m benchmarks.same_releases write before.json          # in the one checkout
    python -m benchmarks.same_releases write after.json           # in the other
    python -m benchmarks.same_releases compare before.json after.json

Keys that a release draws at random are fixed meanwhile. Published tables, codebooks and internal files are compared by
their bytes; certificates without what names the software, its wording and its seal. What a method refuses is compared
by the kind of error; that its words differ is told, and is no difference. No time limit is set, so no clock decides.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

import shoal
import shoal.costs
from shoal.core.discovery import discover
from shoal.core.settings import settings_of
from shoal.costs import Cost
from shoal.methods.auto import methods
from shoal.recoding.recode import recodings
from shoal.request import Request
from shoal.studies.synth import census, census_hierarchies

WORDING = (
    "software",
    "seal",
    "unprotected",
    "insisted",
    "certain",
    "warnings",
    "protects",
    "starred",
    "changed_cells",
    "changed_share",
    "excess_at_most",
    "saving_at_most",
    "checked_by_machine",
    "vouched_for_by_the_owner",
    "trusted_base",
)
"""What a certificate says besides what was found."""
REQUIRE = ("k=2", "k=3", "l({})=2", "k=2 distinct-l({})=3", "k=2 t({})=0.4")
OPTIONS: tuple[Mapping[str, Any], ...] = (
    {"star": "null"},
    {"neutralise": True},
    {"coarsen": "auto"},
    {"max_dropped": "0.2", "require": "l({})=4"},
    {"max_suppressed": "0.2", "recoding": "full-domain"},
    {"identifiers": True},
)
"""Settings besides, each tried once for a table."""


@dataclass(frozen=True)
class Case:
    """One release to make."""

    table: str
    method: str
    recoding: str
    require: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        more = "".join(f" {name}={value}" for name, value in self.options.items())
        return f"{self.table} {self.method} {self.recoding} {self.require}{more}"


@dataclass(frozen=True)
class Source:
    """A table and what is asked of all its releases."""

    frame: pl.DataFrame
    quasi: Sequence[str]
    sensitive: Sequence[str]
    hierarchies: Mapping[str, object] = field(default_factory=dict)


def invented(rows: int) -> Source:
    """A few of the people of the synthetic census, with its hierarchies."""
    quasi = ("age", "gender", "marital", "workclass")
    trees = {name: tree for name, tree in census_hierarchies().items() if name in quasi}
    return Source(census(rows, seed=rows), quasi, ("occupation", "income"), trees)


def odd(rows: int, values: int) -> Source:
    """Missing values, empty strings, stars and formulas among texts; numbers, dates; a name for each row."""
    rng = np.random.default_rng(rows)
    texts = ["", "*", "=a", "b, c", 'd"', None]
    columns = {
        "text": [texts[i] for i in rng.integers(len(texts), size=rows)],
        "number": [None if i == 0 else float(i) / 4 for i in rng.integers(8, size=rows)],
        "day": [date(2020, 1, 30) + timedelta(days=int(i) * 20) for i in rng.integers(6, size=rows)],
        "illness": [f"i{i}" for i in rng.integers(values, size=rows)],
        "name": [f"n{i}" for i in range(rows)],
    }
    return Source(pl.DataFrame(columns), ("text", "number", "day"), ("illness",))


TABLES: dict[str, Callable[[], Source]] = {
    "census-40": partial(invented, 40),
    "census-150": partial(invented, 150),
    "odd-12": partial(odd, 12, 2),
    "odd-30": partial(odd, 30, 5),
}


@cache
def source(name: str) -> Source:
    """Return a table by its name."""
    return TABLES[name]()


def cases() -> Iterator[Case]:
    """List every release: methods by recodings and requirements, every cost, every setting."""
    for table in TABLES:
        for require in REQUIRE:
            for method in ("auto", *methods()):
                for recoding in recodings():
                    yield Case(table, method, recoding, require)
        for recoding in recodings():
            for cost in discover(shoal.costs, Cost):
                yield Case(table, "mondrian", recoding, REQUIRE[0], {"cost": cost})
        for option in OPTIONS:
            more = dict(option)
            asked = more.pop("require", REQUIRE[2])
            yield Case(table, "auto", more.pop("recoding", "suppress"), asked, more)


def made(case: Case) -> tuple[str, dict[str, str]]:
    """Make a release and return the hash of each of its files, or what it was refused with."""
    given = source(case.table)
    options = dict(case.options)
    if options.pop("identifiers", False):
        options["identifiers"] = [name for name in given.frame.columns if name in ("name", "race")]
    named = (*given.quasi, *given.sensitive, *options.get("identifiers", ()))
    others = [name for name in given.frame.columns if name not in named]
    if {"other", "allow"} <= set(settings_of(Request)):  # a tree of before publishes them unasked
        options |= {"other": others, "allow": others}
    try:
        with tempfile.TemporaryDirectory() as folder, patch.object(secrets, "token_hex", lambda size: "5e" * size):
            shoal.anonymize(
                given.frame,
                quasi=given.quasi,
                sensitive=given.sensitive,
                hierarchies=given.hierarchies,
                require=case.require.format(given.sensitive[0]),
                method=case.method,
                recoding=case.recoding,
                **options,
            ).save(Path(folder) / "release")
            return str(case), dict(_files(Path(folder) / "release"))
    except shoal.ShoalError as error:
        return str(case), {"refused": type(error).__name__, "words": str(error)}


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), hashlib.sha256(_content(path)).hexdigest()


def _content(path: Path) -> bytes:
    """Return the bytes of a file; without wording those of a certificate, and without its hash those of a manifest."""
    if path.name not in ("certificate.json", "manifest.json"):
        return path.read_bytes()
    stated = json.loads(path.read_text(encoding="utf-8"))
    apart = (*WORDING, "public/certificate.json")
    return json.dumps({name: value for name, value in stated.items() if name not in apart}).encode()


def write(target: Path) -> None:
    """Make every release and write down what it came to."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:  # threads of polars do not survive a fork
        found = dict(pool.map(made, cases(), chunksize=20))
    target.write_text(json.dumps(found, indent=1), encoding="utf-8")
    refused = sum("refused" in one for one in found.values())
    print(f"{len(found) - refused:,} releases made, {refused:,} refused: {target}")


def compare(one: Path, other: Path) -> int:
    """Print how two trees differ, and return in how many cases."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (one, other))
    both = sorted(before.keys() & after.keys())
    for case in sorted(before.keys() ^ after.keys()):
        print(f"only in {one if case in before else other}: {case}")
    differing = {case: _differing(before[case], after[case]) for case in both}
    for case, files in differing.items():
        if files:
            print(f"{case}: {', '.join(files)}")
    words = sum(before[case].get("words") != after[case].get("words") for case in both if not differing[case])
    number = sum(map(bool, differing.values()))
    releases = sum("refused" not in before[case] for case in both)
    print(
        f"{len(both):,} cases compared, {releases:,} of them releases: {number:,} differ; {words:,} refusals reworded"
    )
    return number + len(before.keys() ^ after.keys())


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(
        name for name in before.keys() | after.keys() if name != "words" and before.get(name) != after.get(name)
    )


def main() -> None:
    match sys.argv[1:]:
        case ["write", target]:
            write(Path(target))
        case ["compare", one, other]:
            sys.exit(1 if compare(Path(one), Path(other)) else 0)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
