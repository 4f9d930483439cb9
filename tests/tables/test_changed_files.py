"""A file that somebody writes to while it is read is refused: its rows may be of two tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.core.errors import TableError
from shoal.tables import table
from shoal.tables.table import read, read_by_disk
from shoal.tables.writing import write

PEOPLE = pl.DataFrame({"age": [20, 21, 30], "town": ["Oslo", "Rome", "Oslo"]})
MESSAGE = r"was changed or removed while it was read; run it again"


@pytest.mark.parametrize("reading", [read, read_by_disk])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".jsonl", ".sav"])
@pytest.mark.parametrize("change", ["longer", "another", "gone"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: Any, suffix: str, change: str
) -> None:
    path = tmp_path / f"people{suffix}"
    write(PEOPLE, path)
    assert reading(path).rows == 3

    def changed(found: Any) -> Any:
        if change == "longer":
            with path.open("ab") as file:
                file.write(b"x")
        elif change == "another":  # of the same length and time
            times, content = (path.stat().st_atime_ns, path.stat().st_mtime_ns), path.read_bytes()
            beside = tmp_path / "beside"
            beside.write_bytes(content)
            os.utime(beside, ns=times)
            beside.replace(path)
        else:
            path.unlink()
        return true(found)

    true = table._of_file
    monkeypatch.setattr(table, "_of_file", changed)
    with pytest.raises(TableError, match=MESSAGE):
        reading(path)


def test_a_column_that_is_read_later_is_of_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.parquet"
    write(PEOPLE, path)
    found = read(path)
    true = pl.LazyFrame.collect

    def collect(self: pl.LazyFrame, *given: Any, **named: Any) -> Any:
        made = true(self, *given, **named)
        write(PEOPLE.reverse(), path)
        return made

    monkeypatch.setattr(pl.LazyFrame, "collect", collect)
    with pytest.raises(TableError, match=MESSAGE):
        found["age"]
    with pytest.raises(TableError, match=MESSAGE):
        found["town"]


FORKED = """
import os, sys, threading
import shoal
from shoal.tables.table import read_by_disk
table = read_by_disk("people.csv")
release = shoal.anonymize(table, quasi=["age", "town"], require="k=2", method="mondrian")
saving = [threading.Thread(target=release.save, args=(f"out {n}",), kwargs={"overwrite": True}) for n in range(3)]
for one in saving:
    one.start()
for _ in range(5):
    child = os.fork()
    if not child:
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
for one in saving:
    one.join()
assert table["town"].to_list() == ["Oslo", "Rome", "Oslo", "Rome"]
assert all(not shoal.verify(f"out {n}").failures for n in range(3))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_forked_takes_nothing_from_its_parent(tmp_path: Path) -> None:
    """Its end, in order, removes the parent's temporary folder no more than a thread of the parent does."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "people.csv").write_text("age,town\n20,Oslo\n21,Rome\n30,Oslo\n31,Rome\n")
    said = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        cwd=tmp_path,
        env=said,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out 0", "out 1", "out 2", "people.csv", "temporary"]
