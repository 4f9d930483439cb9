"""Bad and odd files through the command line: each bad one is refused in one line, each odd one is published whole."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import Outcome, shoal

from shoal.tables.table import read

CANARY = "zyxcanary"
"""A cell of every table here, which no message may repeat."""
PEOPLE = f"age,town,illness\n30,{CANARY}1,{CANARY}2\n30,{CANARY}1,flu\n40,{CANARY}3,flu\n40,{CANARY}3,gout\n"
LONELY = f"age,town,illness\n30,{CANARY}1,{CANARY}2\n"
ASKED = ["--quasi=age,town", "--sensitive=illness", "--require=k=2"]
SIZES = 10_000


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_refusal(done: Outcome, code: int, message: str) -> None:
    """Guarantees one line on standard error that says what is wrong and repeats no cell."""
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("shoal: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert CANARY not in done.err
    assert "Traceback" not in done.err


# --- what is refused -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    """A table (none for no file), what is asked beside or instead of the usual, and what is said to it."""

    table: str | bytes | None
    message: str
    asked: tuple[str, ...] = ()
    code: int = 2
    tree: str = ""
    """The hierarchy of the town, as a file."""


TOWNS = f"{CANARY}1;north;all\n{CANARY}3;south;all\n"
BAD = {
    "file missing": Bad(None, "there is no file 'people.csv'"),
    "empty": Bad("", "'people.csv' is empty"),
    "header only": Bad("age,town,illness\n", "0 rows and 3 columns; expected at least one row"),
    "one row": Bad(LONELY, "all rows together as one class reach 1", code=3),
    "duplicate columns": Bad(f"age,town,age\n1,{CANARY},2\n", "columns of the same name: 'age'; rename them"),
    "columns without names": Bad("age,town,,\n1,x,2,\n", "columns 3, 4 of 4 have no name; expected a name for"),
    "unknown column": Bad(PEOPLE, "no column 'twon'; did you mean 'town'?", ("--quasi=twon",)),
    "column in two roles": Bad(PEOPLE, "column 'town' is named 2 times", ("--sensitive=town",)),
    "no quasi-identifier": Bad(PEOPLE, "--quasi is not given", ("--quasi=",)),
    "k larger than n": Bad(PEOPLE, "meets k=5: all rows together as one class reach 4", ("--require=k=5",), 3),
    "l larger than the number of values": Bad(
        PEOPLE, "distinct-l(illness)=4: all rows together as one class reach 3", ("--require=distinct-l(illness)=4",), 3
    ),
    "t above 1": Bad(PEOPLE, "expected a number from 0 to 1", ("--require=t(illness)=1.5",)),
    "t below 0": Bad(PEOPLE, "expected a number from 0 to 1", ("--require=t(illness)=-0.1",)),
    "hierarchy with gaps": Bad(
        PEOPLE,
        "1 of 2 values at level 0 are not among the 1 leaves",
        ("--recoding=generalize", "--hierarchy=town=town.csv"),
        tree=f"{CANARY}1;north;all\n",
    ),
    "hierarchy with a short line": Bad(
        PEOPLE,
        "line 2 has 1 cells, the first row has 3",
        ("--recoding=generalize", "--hierarchy=town=town.csv"),
        tree=f"{CANARY}1;north;all\n{CANARY}3\n",
    ),
    "hierarchy not nested": Bad(
        PEOPLE,
        "level 2 splits 1 groups of level 1",
        ("--recoding=generalize", "--hierarchy=town=town.csv"),
        tree=f"{CANARY}1;north;east;all\n{CANARY}3;north;west;all\n",
    ),
    "not utf-8 where utf-8 is said": Bad(PEOPLE.encode() + b"30,\xe5,flu\n", "not utf-8 text", ("--encoding=utf-8",)),
    "neither utf-8 nor windows": Bad(PEOPLE.encode() + b"30,\x81,flu\n", "name another --encoding"),
    "rows with too many cells": Bad(f"{PEOPLE}30,x,flu,{CANARY}\n", "the same number of cells in every row"),
    "rows with too few cells": Bad(f"{PEOPLE}30,{CANARY}\n50\n", "2 rows with fewer cells than the header"),
    "infinite numbers": Bad(f"{PEOPLE}inf,{CANARY},flu\n-inf,x,flu\n", "column 'age' has 2 infinite values"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_input_is_refused_in_one_line_and_nothing_is_written(home: Path, case: str) -> None:
    bad = BAD[case]
    if bad.table is not None:
        (home / "people.csv").write_bytes(bad.table if isinstance(bad.table, bytes) else bad.table.encode())
    if bad.tree:
        (home / "town.csv").write_text(bad.tree, encoding="utf-8")
    before = files(home)
    options = {argument.partition("=")[0]: argument for argument in (*ASKED, *bad.asked)}
    check_refusal(shoal("anonymize", "people.csv", *options.values(), "-o", "out"), bad.code, bad.message)
    assert files(home) == before
    assert not (home / "out").exists()


@pytest.mark.parametrize("where", ["a folder", "a file"])
def test_an_output_that_exists_is_refused_and_left_as_it_was(home: Path, where: str) -> None:
    (home / "people.csv").write_text(PEOPLE, encoding="utf-8")
    precious = home / "out" if where == "a file" else home / "out" / "mine.txt"
    precious.parent.mkdir(exist_ok=True)
    precious.write_text("mine")
    before = files(home)
    check_refusal(shoal("anonymize", "people.csv", *ASKED, "-o", "out"), 2, "'out' exists already")
    assert files(home) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_an_output_that_is_not_writable_is_refused(home: Path) -> None:
    (home / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (home / "locked").mkdir(mode=0o500)
    check_refusal(shoal("anonymize", "people.csv", *ASKED, "-o", "locked/out"), 2, "Permission denied")
    assert list((home / "locked").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB, where the test may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mounting, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("this user may not mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def large(path: Path) -> None:
    """Write a table whose release takes more than a small disk has."""
    rows = "".join(f"{row % 7},{CANARY}{row % 5},{CANARY}{row}\n" for row in range(SIZES))
    path.write_text(f"age,town,illness\n{rows}", encoding="utf-8")


def test_a_full_disk_is_said_and_left_empty(home: Path, small_disk: Path) -> None:
    large(home / "people.csv")
    done = shoal("anonymize", "people.csv", *ASKED, "--allow=illness", "-o", small_disk / "out")
    check_refusal(done, 2, "No space left on device")
    assert list(small_disk.iterdir()) == []


def test_a_file_that_may_not_grow_is_said_and_nothing_is_left(home: Path) -> None:
    large(home / "people.csv")
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)); "
    command = f"{limited}from shoal.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "anonymize", "people.csv", *ASKED, "--allow=illness", "-o", "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    check_refusal(Outcome(done.returncode, done.stdout, done.stderr), 2, "File too large")
    assert sorted(files(home)) == ["people.csv"]


# --- what is odd, and published all the same -------------------------------------------------------------------------

ODD: dict[str, tuple[str | bytes, list[object]]] = {
    "byte-order mark": (b"\xef\xbb\xbfcell\nx\ny\n", ["x", "y"]),
    "utf-16": ("cell\nx\nå\n".encode("utf-16"), ["x", "å"]),
    "windows letters": ("cell\nx\nå\n".encode("cp1252"), ["x", "å"]),
    "crlf": ("cell\r\nx\r\ny\r\n", ["x", "y"]),
    "no end of the last line": ("cell\nx\ny", ["x", "y"]),
    "quotes in cells": ('cell\n"say ""x"""\n"""y"""\n', ['say "x"', '"y"']),
    "newlines in cells": ('cell\n"x\n\ny"\n"x\r\nz"\n', ["x\n\ny", "x\r\nz"]),
    "separators in cells": ('cell\n"x,y"\n"x;z"\n', ["x,y", "x;z"]),
    "numbers as text": ("cell\n007\n7\n", ["007", "7"]),
    "numbers with gaps": ("cell\n7\n\n", [7, None]),
    "not a number": ("cell\nNaN\n1.5\n", [None, 1.5]),
    "not a number among words": ("cell\nNaN\nnone\n", ["NaN", "none"]),
    "formulas": ("cell\n=1+1\n+x\n-y\n@z\n", ["=1+1", "+x", "-y", "@z"]),
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_an_odd_file_is_read_as_meant_and_its_release_is_verified(home: Path, case: str, role: str) -> None:
    content, cells = ODD[case]
    (home / "odd.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    table = read("odd.csv")
    assert table.frame["cell"].to_list() == cells
    (table.frame.with_columns(other=pl.lit("same"))).write_parquet("odd.parquet")
    roles = ["--quasi=cell,other"] if role == "quasi" else ["--quasi=other", "--sensitive=cell", "--allow=cell"]
    assert shoal("anonymize", "odd.parquet", *roles, "--require=k=1", "-o", "out").code == 0
    assert shoal("verify", "out", "--original", "odd.parquet").code == 0


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range", "centroid"])
def test_dates_before_1900_are_published_as_dates(home: Path, recoding: str) -> None:
    days = ["1066-10-14", "1582-10-04", "1752-09-14", "1899-12-31"]
    (home / "old.csv").write_text("born,town\n" + "".join(f"{day},{CANARY}\n" for day in days), encoding="utf-8")
    assert read("old.csv").frame["born"].dtype == pl.Date
    options = ["--quasi=born,town", "--require=k=2", f"--recoding={recoding}"]
    assert shoal("anonymize", "old.csv", *options, "-o", "out").code == 0
    assert shoal("verify", "out", "--original", "old.csv").code == 0


@pytest.mark.slow
def test_ten_thousand_columns_are_published(home: Path) -> None:
    width = SIZES
    names = ",".join(f"c{number}" for number in range(width))
    row = ",".join(["1"] * width)
    (home / "wide.csv").write_text(f"{names}\n{row}\n{row}\n", encoding="utf-8")
    assert shoal("anonymize", "wide.csv", "--quasi=c0,c1", "--other=rest", "--require=k=2", "-o", "out").code == 0
    assert shoal("verify", "out", "--original", "wide.csv").code == 0


@pytest.mark.slow
def test_a_million_distinct_texts_are_published(home: Path) -> None:
    frame = pl.DataFrame({"name": pl.Series(range(1_000_000)).cast(pl.String) + CANARY, "age": [30, 40] * 500_000})
    frame.write_parquet("long.parquet")
    assert shoal("anonymize", "long.parquet", "--quasi=name,age", "--require=k=2", "-o", "out").code == 0
    assert shoal("verify", "out", "--original", "long.parquet").code == 0
